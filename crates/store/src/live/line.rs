//! What happened, as a line of `events.ndjson`: in the keys that every reader of the store knows, and in those that an
//! imported session has.

use jiff::Timestamp;

use super::super::event::Part;
use super::super::events::Seconds;
use super::super::json::{Object, Secrets};
use super::super::{name, text};
use super::state::{Pending, State};
use agent_strace_model::{EventKind, RawText, Status, ToolCall};

/// What is recorded.
#[derive(Debug)]
pub enum Fact<'a> {
    /// The session begins, or goes on.
    Start(Capture<'a>),
    /// A call is about to run. `key`: what tells it apart where its agent gives it no id.
    Call {
        call: &'a ToolCall<'a>,
        key: &'a str,
    },
    Answer(Answer<'a>),
    /// Anything that is neither.
    Event(&'a EventKind<'a>),
    /// A proxy between an agent and an MCP server begins to record.
    Proxy(Capture<'a>),
    /// What the types of the model have no word for.
    Note(Note<'a>),
    /// One of the others with more in its data: keys with their JSON.
    With(&'a Self, &'a [(&'static str, &'a str)]),
}

impl Fact<'_> {
    /// Without what was added to it.
    pub(super) fn bare(&self) -> &Self {
        if let Self::With(fact, _) = self { fact.bare() } else { self }
    }
}

/// Something that other readers of the store see as an event of one of their types.
#[derive(Debug)]
pub struct Note<'a> {
    pub event_type: &'static str,
    /// What it is to us; `None`: what its type says.
    pub kind: Option<&'static str>,
    /// The event that led to it, and its epoch seconds.
    pub since: Option<(&'a str, f64)>,
    /// Keys with their JSON.
    pub data: &'a [(&'static str, &'a str)],
    /// The same of what only we read.
    pub recorded: &'a [(&'static str, &'a str)],
}

/// Something that is missing, as it is recorded.
pub fn gap<T>(reason: &str, record: impl FnOnce(&Fact<'_>) -> T) -> T {
    let reason = serde_json::Value::from(reason).to_string();
    let data = [("choice", "\"a part of the session is not recorded\""), ("reasoning", reason.as_str())];
    let recorded = [("reason", reason.as_str()), ("by", "\"recorder\"")];
    record(&Fact::Note(Note {
        event_type: "decision",
        kind: Some("gap"),
        since: None,
        data: &data,
        recorded: &recorded,
    }))
}

/// What is known of the recording itself.
#[derive(Debug)]
pub struct Capture<'a> {
    /// The format that the agent's own log has: what is true of the one is true of the other.
    pub format: &'a str,
    pub agent: &'a str,
    /// The agent's own id of the session.
    pub id: &'a str,
    /// Of the agent.
    pub version: Option<&'a str>,
    /// Why the agent says that it begins (`startup`, `resume`).
    pub source: Option<&'a str>,
    pub model: Option<&'a str>,
    /// The workspace root; `None` where it was told before.
    pub cwd: Option<&'a str>,
    /// What the agent may do without asking, in its own words.
    pub permissions: Option<&'a str>,
    /// Secrets were taken out before anything was written.
    pub is_redacted: bool,
}

/// How a call ended.
#[derive(Debug)]
pub struct Answer<'a> {
    /// The call, where it is known.
    pub call: Option<&'a Pending>,
    /// What the agent calls it.
    pub call_id: Option<&'a str>,
    pub tool: &'a str,
    pub status: Status,
    pub text: Option<RawText<'a>>,
    /// Nothing else is waited for.
    pub is_last: bool,
}

/// A line without its end, and what is remembered of it.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) event_id: String,
    pub(super) digest: String,
    pub(super) kind: &'static str,
}

pub(super) fn line(directory: &str, number: u32, time: Timestamp, state: &State, fact: &Fact<'_>) -> Line {
    let mut part = Part { data: Object::new(Secrets::Keep), recorded: Object::new(Secrets::Keep) };
    let since = match fact.bare() {
        Fact::Answer(answer) => answer.call.map(|call| (call.event.as_str(), call.at)),
        Fact::Note(note) => note.since,
        _ => None,
    };
    let parent = since.map(|(event, _)| event);
    let duration = since.map(|(_, at)| milliseconds(time) - at * 1e3).filter(|duration| *duration >= 0.0);
    let kind = put(fact, &mut part);
    let Part { mut data, recorded } = part;
    let event_id = name::hex(format!("{directory}\0{number}").as_bytes(), 12);
    let mut line = Object::new(Secrets::Keep);
    line.word("event_type", kind);
    line.number("timestamp", Seconds(milliseconds(time) / 1e3));
    line.word("event_id", &event_id);
    line.word("session_id", directory);
    if let Some(parent) = parent {
        line.word("parent_id", parent);
    }
    if let Some(duration) = duration {
        line.number("duration_ms", (duration * 1e3).round() / 1e3);
    }
    if let Some(previous) = &state.digest {
        line.word("prev_hash", previous);
    }
    data.object("recorded", recorded);
    line.object("data", data);
    let text = line.finish();
    let digest = name::hex(text.as_bytes(), 64);
    Line { text, event_id, digest, kind }
}

/// Fills in a fact; the type it has in the store.
fn put(fact: &Fact<'_>, part: &mut Part) -> &'static str {
    match fact {
        Fact::Start(capture) => start("hook", capture, part),
        Fact::Proxy(capture) => start("mcp", capture, part),
        Fact::Call { call, .. } => part.put_call(call),
        Fact::Event(kind) => part.put(kind),
        Fact::Answer(answer) => self::answer(answer, part),
        Fact::Note(note) => {
            if let Some(kind) = note.kind {
                part.recorded.word("kind", kind);
            }
            note.data.iter().for_each(|(key, json)| part.data.json(key, json));
            note.recorded.iter().for_each(|(key, json)| part.recorded.json(key, json));
            note.event_type
        }
        Fact::With(fact, more) => {
            let kind = put(fact, part);
            more.iter().for_each(|(key, json)| part.data.json(key, json));
            kind
        }
    }
}

/// Whole microseconds: what is smaller is the noise of fractions.
fn milliseconds(time: Timestamp) -> f64 {
    (time.as_duration().as_secs_f64() * 1e6).round() / 1e3
}

fn start(mode: &'static str, capture: &Capture<'_>, Part { data, .. }: &mut Part) -> &'static str {
    data.word("mode", mode);
    data.text_if_any("source", capture.source);
    data.text_if_any("cwd", capture.cwd);
    data.text_if_any("model", capture.model);
    let mut told = Object::new(Secrets::Keep);
    told.word("format", capture.format);
    told.text("agent", capture.agent);
    told.text("id", capture.id);
    told.text_if_any("version", capture.version);
    told.text_if_any("permissions", capture.permissions);
    told.json("redacted", if capture.is_redacted { "true" } else { "false" });
    data.object("capture", told);
    "session_start"
}

fn answer(answer: &Answer<'_>, Part { data, recorded }: &mut Part) -> &'static str {
    let failed = matches!(answer.status, Status::Error | Status::Denied | Status::Interrupted);
    data.text("tool_name", answer.tool);
    data.text_if_any("tool_use_id", answer.call_id);
    recorded.word("status", answer.status.name());
    recorded.json("is_error", if failed { "true" } else { "false" });
    if let Some(words) = &answer.text {
        text::put(data, recorded, if failed { "error" } else { "result" }, words);
        if failed {
            // Some readers of the store look for it here.
            data.text("message", &text::short(words));
        }
    }
    if failed { "error" } else { "tool_result" }
}
