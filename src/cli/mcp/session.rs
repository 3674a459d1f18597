//! `get_session`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::export;
use super::super::pipeline::Order;
use super::ServerContext;
use super::lookup::{inputs, unreadable};
use super::reply::{self, NOTICE, SHORT, TEXT, ToolError, ToolResult, shown};
use agent_strace_model::Gap;
use agent_strace_policy::nearest;

/// The most events of one answer, and their most bytes.
const MOST: usize = 500;
const BYTES: usize = 256 << 10;

/// What the store calls events.
const TYPES: &[&str] = &[
    "session_start",
    "session_end",
    "user_prompt",
    "assistant_response",
    "tool_call",
    "tool_result",
    "llm_request",
    "llm_response",
    "file_read",
    "file_write",
    "decision",
    "error",
];

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// An id of `list_sessions`, or an unambiguous prefix.
    session_id: String,
    /// Only events of these types, e.g. `tool_call`, `error`, `user_prompt` [default: all].
    #[serde(default)]
    event_types: Vec<String>,
    /// How many of them to leave out: `next_offset` of the answer before.
    #[serde(default)]
    offset: usize,
    /// How many at most: 1 to 500. Fewer come where they are long.
    #[serde(default = "some")]
    limit: usize,
}

fn some() -> usize {
    100
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    notice: &'static str,
    session_id: String,
    /// Events of these types in the session.
    total: usize,
    /// As the store has them, without secrets; long texts are cut.
    events: Vec<Row>,
    /// Where the next page begins; absent: this is the last one.
    next_offset: Option<usize>,
    gaps: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Row {
    /// Its number in the session: the one that other tools and reports name.
    event: usize,
    event_type: String,
    event_id: Option<String>,
    /// As recorded: epoch seconds.
    timestamp: Option<Value>,
    parent_id: Option<String>,
    duration_ms: Option<Value>,
    data: Option<Value>,
}

/// An event as it is in the store.
#[derive(Deserialize)]
struct StoredEvent {
    event_type: Option<String>,
    event_id: Option<String>,
    timestamp: Option<Value>,
    parent_id: Option<String>,
    duration_ms: Option<Value>,
    data: Option<Value>,
}

pub(super) fn run(context: &ServerContext, input: &Input) -> ToolResult<Output> {
    wanted(input)?;
    let (session, gaps) = found(context, &input.session_id)?;
    let is_wanted = |kind: &str| input.event_types.is_empty() || input.event_types.iter().any(|name| name == kind);
    let (mut total, mut events, mut bytes, mut full) = (0, Vec::new(), 0_usize, false);
    for (number, json) in &session.events {
        let Ok(line) = serde_json::from_str::<StoredEvent>(json) else { continue };
        if !is_wanted(line.event_type.as_deref().unwrap_or_default()) {
            continue;
        }
        total += 1;
        if total <= input.offset || full {
            continue;
        }
        let event = event(*number, line);
        let size = serde_json::to_string(&event).map_or(BYTES, |text| text.len());
        full = events.len() >= input.limit || (bytes.saturating_add(size) > BYTES && !events.is_empty());
        if !full {
            bytes = bytes.saturating_add(size);
            events.push(event);
        }
    }
    let next_offset = full.then(|| input.offset + events.len());
    let session_id = shown(&session.id, SHORT);
    Ok((Output { notice: NOTICE, session_id, total, events, next_offset, gaps: reply::gaps(&gaps) }, None))
}

/// Whether it can be asked for.
fn wanted(input: &Input) -> Result<(), ToolError> {
    if !(1..=MOST).contains(&input.limit) {
        return Err(ToolError::new(format!("`limit` is from 1 to {MOST}")));
    }
    if let Some(unknown) = input.event_types.iter().find(|name| !TYPES.contains(&name.as_str())) {
        let near = nearest(unknown, TYPES).map(|near| format!(": did you mean `{near}`?"));
        let near = near.unwrap_or_else(|| format!(": known are {}", TYPES.join(", ")));
        return Err(ToolError::new(format!("no event type is called `{}`{near}", shown(unknown, SHORT))));
    }
    Ok(())
}

fn found(context: &ServerContext, id: &str) -> Result<(export::Redacted, Vec<Gap>), ToolError> {
    let (parts, mut gaps) =
        inputs(context, id)?.each_log(Order::OneByOne, |log, reading| export::redacted(log, &reading));
    let mut sessions = Vec::new();
    for part in parts {
        let (part, more) = part?;
        sessions.extend(part);
        gaps.extend(more);
    }
    match sessions.into_iter().next() {
        Some(session) => Ok((session, gaps)),
        None => Err(unreadable(&gaps)),
    }
}

fn event(number: usize, line: StoredEvent) -> Row {
    let mut data = line.data;
    if let Some(Value::Object(members)) = &mut data {
        // How an import keeps what the store has no words for.
        members.retain(|name, _| name != "recorded" && name != "import");
    }
    let mut left = 4 * TEXT;
    if let Some(data) = &mut data {
        shorten(data, &mut left);
    }
    Row {
        event: number,
        event_type: line.event_type.map(|kind| shown(&kind, SHORT)).unwrap_or_default(),
        event_id: line.event_id.map(|id| shown(&id, SHORT)),
        timestamp: line.timestamp,
        parent_id: line.parent_id.map(|id| shown(&id, SHORT)),
        duration_ms: line.duration_ms,
        data,
    }
}

/// Texts are cut, each and all together; what comes after that is left out. The parser bounds the depth.
fn shorten(value: &mut Value, left: &mut usize) {
    match value {
        Value::String(text) => {
            let most = TEXT.min(*left);
            if let Some((end, _)) = text.char_indices().nth(most) {
                text.truncate(end);
                text.push('…');
            }
            *left = left.saturating_sub(text.len());
        }
        Value::Array(items) => {
            items.retain_mut(|item| {
                *left = left.saturating_sub(1);
                let stays = *left > 0;
                shorten(item, left);
                stays
            });
        }
        Value::Object(members) => {
            members.retain(|name, member| {
                *left = left.saturating_sub(name.len());
                let stays = *left > 0;
                shorten(member, left);
                stays
            });
        }
        _ => *left = left.saturating_sub(1),
    }
}
