//! Messages in the manner of Anthropic's API, which many agents keep: a text, or blocks of text, thinking, calls and
//! results.
//!
//! Agents agree on the blocks and differ in the names of keys, so that one record knows them all. What an agent says
//! about the end of a call in its own way is up to its format: [`Around::ended`].

use std::borrow::Cow;

use super::assembly::{self, Assembly, RecordLocation};
use super::gaps::Gaps;
use super::json::{Counts, Nested, Raw, elements, filled, is, is_object, is_string, is_true, object, raw_text, record};
use agent_strace_model::evidence::Subagent;
use agent_strace_model::{Arguments, EventKind, RawText, Status, ToolCall, ToolResult, Usage};

record! {
    /// A part of a message.
    pub(super) struct Block {
        kind = "type",
        text = "text",
        thinking = "thinking",
        id = "id",
        name = "name",
        tool_name = "toolName",
        server = "server_name",
        input = "input",
        arguments = "arguments",
        tool_use_id = "tool_use_id",
        tool_use_id_camel = "toolUseID",
        tool_call_id = "toolCallId",
        content = "content",
        output = "output",
        is_error = "is_error",
        is_error_camel = "isError",
        run = "run",
        signature = "signature",
    }
}

impl<'a> Block<'a> {
    /// The id of the call that a result belongs to.
    pub(super) fn answers(&self) -> Option<Cow<'a, str>> {
        let camel = || identity(self.tool_use_id_camel);
        identity(self.tool_use_id).or_else(camel).or_else(|| identity(self.tool_call_id))
    }

    /// The result says itself that the call failed.
    pub(super) fn failed(&self) -> bool {
        is_true(self.is_error) || is_true(self.is_error_camel)
    }

    fn is_call(&self, kind: &str) -> bool {
        let named = matches!(
            kind,
            "tool_use" | "server_tool_use" | "mcp_tool_use" | "toolCall" | "tool_call" | "tool-call" | "toolUse"
        );
        // Whatever a kind is called that this version does not know: a name with arguments is a call.
        named || self.name.or(self.tool_name).is_some() && (self.input.is_some() || self.arguments.is_some())
    }
}

/// Whose words a message holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    User,
    Agent,
    /// The host: nobody said it.
    Host,
}

impl Speaker {
    pub(super) fn of(role: Option<Raw<'_>>) -> Self {
        if is(role, "user") || is(role, "human") {
            Self::User
        } else if is(role, "system") || is(role, "developer") {
            Self::Host
        } else {
            Self::Agent
        }
    }
}

/// What the record around a message says about all of its blocks.
#[derive(Debug, Clone)]
pub(super) struct Around<'a> {
    pub(super) speaker: Speaker,
    pub(super) cwd: Option<Cow<'a, str>>,
    pub(super) subagent: Option<Cow<'a, str>>,
    /// How the call of a result ended; the second argument is the call's tool, empty where it is not known.
    pub(super) ended: fn(&Block<'_>, &str) -> Status,
    /// The agent's tools that start another agent.
    pub(super) starters: &'static [&'static str],
}

impl Around<'_> {
    pub(super) fn of(role: Option<Raw<'_>>) -> Self {
        Self {
            speaker: Speaker::of(role),
            cwd: None,
            subagent: None,
            ended: |block, _| plain_status(block),
            starters: &[],
        }
    }
}

/// A call that failed, or went well: no agent's own words are known.
pub(super) fn plain_status(block: &Block<'_>) -> Status {
    if block.failed() { Status::Error } else { Status::Ok }
}

record! {
    struct Output { kind = "type" }
}

/// How a call ended, as the Vercel AI SDK writes it: the output has a type.
pub(super) fn sdk_status(block: &Block<'_>, _: &str) -> Status {
    let output = object::<Output<'_>>(block.output);
    match output.and_then(|output| filled(output.kind)).as_deref() {
        Some("execution-denied") => Status::Denied,
        Some("error-text" | "error-json") => Status::Error,
        _ => plain_status(block),
    }
}

/// Adds what a message says: one event per text, thought, call and result.
pub(super) fn add<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    content: Option<Raw<'a>>,
    around: &Around<'a>,
    gaps: &mut Gaps,
) {
    for part in parts(content, location.line, gaps) {
        match part {
            Part::Text(text) => words(assembly, location, text, around),
            Part::Block(block) => add_block(assembly, location, &block, around),
        }
    }
}

/// A piece of a message's content.
#[derive(Debug)]
pub(super) enum Part<'a> {
    Text(Raw<'a>),
    Block(Box<Block<'a>>),
}

/// The pieces of a message's content; what is none is a gap.
pub(super) fn parts<'a>(content: Option<Raw<'a>>, line: u32, gaps: &mut Gaps) -> Vec<Part<'a>> {
    let Some(raw) = content else {
        gaps.malformed(line, "a message without content");
        return Vec::new();
    };
    let list = if raw.get().starts_with('[') { elements(content) } else { vec![raw] };
    let mut parts = Vec::with_capacity(list.len());
    for raw in list {
        if is_string(Some(raw)) {
            parts.push(Part::Text(raw));
        } else if let Some(block) = object::<Block<'a>>(Some(raw)) {
            if let Some(key) = block.duplicate {
                gaps.twice(line, key, "a block");
            }
            parts.push(Part::Block(Box::new(block)));
        } else {
            gaps.malformed(line, "a part of a message that is not an object");
        }
    }
    parts
}

/// Adds one block.
pub(super) fn add_block<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    block: &Block<'a>,
    around: &Around<'a>,
) {
    let kind = filled(block.kind).unwrap_or_default();
    match &*kind {
        "thinking" | "reasoning" => thought(assembly, location, block.thinking.or(block.text)),
        "tool_result" | "toolResult" | "tool-result" => result(assembly, location, block, around),
        kind if kind.ends_with("tool_result") => result(assembly, location, block, around),
        kind if block.is_call(kind) => call(assembly, location, block, around),
        "text" | "" if block.text.is_some() => {
            if let Some(text) = block.text {
                words(assembly, location, text, around);
            }
        }
        "text" | "redacted_thinking" | "image" | "document" | "file" | "search_result" | "fallback" => {
            assembly.push(location.clone(), EventKind::Other);
        }
        _ => assembly.unknown(location.clone()),
    }
}

pub(super) fn words<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    text: Raw<'a>,
    around: &Around<'a>,
) {
    let text = RawText::Json(text.get());
    let kind = match around.speaker {
        Speaker::Host => EventKind::Other,
        // What a sub-agent is told, its parent said.
        Speaker::User if around.subagent.is_none() => EventKind::Prompt(text),
        Speaker::User | Speaker::Agent => EventKind::Message(text),
    };
    assembly.push(location.clone(), kind);
}

fn thought<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, text: Option<Raw<'a>>) {
    // A signature without its thought shows nothing.
    let shown = filled(text).and(raw_text(text));
    assembly.push(location.clone(), shown.map_or(EventKind::Other, EventKind::Reasoning));
}

pub(super) fn call<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    block: &Block<'a>,
    around: &Around<'a>,
) {
    let id = identity(block.id).or_else(|| identity(block.tool_call_id));
    let tool = match (filled(block.server), filled(block.name).or_else(|| filled(block.tool_name))) {
        (Some(server), Some(name)) => Cow::Owned(format!("mcp__{server}__{name}")),
        (_, name) => name.unwrap_or(Cow::Borrowed("")),
    };
    let arguments = assembly::arguments(block.input.or(block.arguments));
    add_call(assembly, location, NewCall { id, tool, arguments }, around);
}

/// A call as its record describes it.
pub(super) struct NewCall<'a> {
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) tool: Cow<'a, str>,
    pub(super) arguments: Arguments<'a>,
}

/// Adds a call unless it was recorded before: streaming and resuming repeat calls.
pub(super) fn add_call<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    NewCall { id, tool, arguments }: NewCall<'a>,
    around: &Around<'a>,
) {
    if assembly.repeats(id.as_deref(), &tool, &arguments) {
        return;
    }
    let kind = around.starters.contains(&&*tool).then(|| kind_of(&arguments));
    let call_id = id.clone();
    let call = ToolCall {
        call_id: id.clone(),
        tool,
        arguments,
        cwd: around.cwd.clone(),
        status: Status::Missing,
        subagent: around.subagent.clone(),
    };
    assembly.call(location.clone(), call, id);
    if let Some(kind) = kind {
        let event = assembly.session.events.last().map_or(0, |event| event.number);
        assembly.session.evidence.subagents.push(Subagent { event, id: None, call_id, kind, calls: None });
    }
}

record! {
    struct Started { kind = "subagent_type", mode = "mode", name = "subagent_name", agent = "agentType" }
}

/// The type of agent that a call starts, as its arguments say.
fn kind_of<'a>(arguments: &Arguments<'a>) -> Option<Cow<'a, str>> {
    let Arguments::Json(Cow::Borrowed(json)) = arguments else { return None };
    let started = object::<Started<'a>>(Some(Raw::new(json)))?;
    filled(started.kind.or(started.name).or(started.agent).or(started.mode))
}

/// Adds a result and settles its call.
pub(super) fn result<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    block: &Block<'a>,
    around: &Around<'a>,
) {
    let id = block.answers();
    let tool = id.as_deref().and_then(|id| assembly.call_of(id)).map(|call| call.tool.clone());
    let status = (around.ended)(block, tool.as_deref().unwrap_or(""));
    let ended_badly = matches!(status, Status::Error | Status::Denied | Status::Interrupted);
    let content = block.content.or(block.run).or(block.output);
    let result = ToolResult { call_id: id.clone(), text: raw_text(content), is_error: ended_badly };
    assembly.result(location.clone(), result, status, id);
}

/// An id that tells calls apart. A marker in place of ids that were taken out would link what does not belong together.
pub(super) fn identity(value: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    filled(value).filter(|id| !matches!(&**id, "REDACTED" | "[REDACTED]"))
}

record! {
    struct Tokens {
        input = "input_tokens",
        input_camel = "inputTokens",
        output = "output_tokens",
        output_camel = "outputTokens",
        cache_read = "cache_read_input_tokens",
        cache_read_camel = "cacheReadInputTokens",
        cache_write = "cache_creation_input_tokens",
        cache_write_camel = "cacheCreationInputTokens",
        kept: Nested<Kept<'a>> = "cache_creation",
    }
}

record! {
    /// How long the cache keeps what it took in.
    struct Kept { hour = "ephemeral_1h_input_tokens" }
}

/// What a message cost, in the provider's own words or in camel case.
pub(super) fn usage(value: Option<Raw<'_>>) -> Option<Usage> {
    let tokens = object::<Tokens<'_>>(value.filter(|value| is_object(Some(*value))))?;
    let mut counts = Counts::default();
    Some(Usage {
        input: counts.needed(tokens.input.or(tokens.input_camel)),
        output: counts.needed(tokens.output.or(tokens.output_camel)),
        cache_read: counts.of(tokens.cache_read.or(tokens.cache_read_camel)),
        cache_write: counts.of(tokens.cache_write.or(tokens.cache_write_camel)),
        cache_write_1h: tokens.kept.object().map_or(0, |kept| counts.of(kept.hour)),
        partial: counts.is_partial,
        ..Usage::default()
    })
}
