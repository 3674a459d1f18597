//! Messages and their blocks: text, calls, results.

use std::borrow::Cow;

use memchr::memmem;

use super::ran::Differs;
use super::{facts, outcome, ran};
use crate::assembly::{self, Assembly, RecordLocation};
use crate::gaps::Gaps;
use crate::json::{self, Content, Counts, Nested, Raw, filled, is, is_true, object, raw_text, record, text};
use crate::scan::is_json;
use agent_strace_model::{
    Arguments, EventKind, Label, Origin, RecordRole, Speaker, Status, ToolCall, ToolResult, Usage, Window,
};

/// What the record around a message says about it.
#[derive(Debug)]
pub(super) struct Context<'a> {
    pub(super) cwd: Option<Cow<'a, str>>,
    pub(super) subagent: Option<Cow<'a, str>>,
    /// A compaction wrote it: nobody said it.
    pub(super) summary: bool,
    /// The speaker of the words, where the record marks one.
    pub(super) speaker: Option<Speaker>,
    /// The agent wrote it itself, because the model could not be asked.
    pub(super) api_error: bool,
    /// The structured result beside a `tool_result` block.
    pub(super) result: Option<Raw<'a>>,
    /// The structured answer of the server, beside a `tool_result` block.
    pub(super) meta: Option<Raw<'a>>,
    /// Why the host refused the call.
    pub(super) denial: Option<Cow<'a, str>>,
    /// What the host decided about the call: `accept` or `reject`.
    pub(super) decision: Option<Cow<'a, str>>,
    /// The input with which the host let the call through.
    pub(super) updated: Option<Raw<'a>>,
    /// Of the agent.
    pub(super) version: Option<Cow<'a, str>>,
    /// The provider's id of the request that it answers.
    pub(super) request: Option<Cow<'a, str>>,
}

record! {
    pub(super) struct Message {
        id = "id",
        role = "role",
        content: Content<'a, Block<'a>> = "content",
        usage = "usage",
        model = "model",
        stop_reason = "stop_reason",
    }
}

record! {
    pub(super) struct Block {
        kind = "type",
        id = "id",
        name = "name",
        server = "server_name",
        input = "input",
        arguments = "arguments",
        tool_use_id = "tool_use_id",
        content = "content",
        is_error = "is_error",
        agent = "agentId",
        text = "text",
        thinking = "thinking",
    }
}

impl<'a> Block<'a> {
    /// What a call is given.
    fn given(&self) -> Option<Raw<'a>> {
        self.input.or(self.arguments)
    }
}

record! {
    struct Tokens {
        input = "input_tokens",
        output = "output_tokens",
        cache_read = "cache_read_input_tokens",
        cache_write = "cache_creation_input_tokens",
        kept: Nested<Kept<'a>> = "cache_creation",
        tier = "service_tier",
        speed = "speed",
        geography = "inference_geo",
        provided: Nested<Provided<'a>> = "server_tool_use",
    }
}

record! {
    /// What the provider did for the model.
    struct Provided { searches = "web_search_requests" }
}

record! {
    /// How long the cache keeps what it took in.
    struct Kept { hour = "ephemeral_1h_input_tokens" }
}

/// Adds a message: one event per text, call and result.
pub(super) fn add<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    message: &Nested<Message<'a>>,
    context: &Context<'a>,
    gaps: &mut Gaps,
) {
    let Some(message) = message.object() else {
        if message.is_other() {
            gaps.malformed(location.line, "a message that is not an object");
        }
        return;
    };
    if let Some(key) = message.duplicate {
        gaps.twice(location.line, key, "a message");
    }
    let user = is(message.role, "user");
    let blocks = match &message.content {
        Content::Blocks(blocks) => blocks,
        Content::Text(text) => {
            if !user && holds_blocks(*text) {
                gaps.malformed(location.line, "a message whose blocks are a text");
            }
            words(assembly, location, Some(*text), user, context);
            return usage(assembly, location, message, context, true);
        }
        Content::Absent | Content::Other => {
            gaps.malformed(location.line, "a message without readable content");
            return usage(assembly, location, message, context, false);
        }
    };
    let (origin, mut acted) = (assembly.origin, false);
    for (part, block) in (0..).zip(blocks) {
        let Nested::Object(block) = block else {
            gaps.malformed(location.line, "a part of a message that is not an object");
            continue;
        };
        if let Some(key) = block.duplicate {
            gaps.twice(location.line, key, "a block");
        }
        let kind = text(block.kind).unwrap_or_default();
        assembly.origin = Origin { part, ..origin };
        acted |= matches!(&*kind, "text" | "tool_use");
        // What the provider runs is a part of its answer, and no step of the agent's own.
        if kind.ends_with("_tool_use") || kind.ends_with("_tool_result") {
            assembly.origin.role = RecordRole::Aside;
        }
        match &*kind {
            "text" => words(assembly, location, block.text, user, context),
            "thinking" => {
                let thought = raw_text(block.thinking).map_or(EventKind::Other, EventKind::Reasoning);
                assembly.push(location.clone(), thought);
            }
            "tool_use" | "server_tool_use" | "mcp_tool_use" => call(assembly, location, block, context),
            _ if kind.ends_with("tool_result") => result(assembly, location, block, context, gaps),
            // Whatever a kind is called that this version does not know: a name with arguments is a call.
            _ if kind.ends_with("tool_use") || block.name.is_some() && block.given().is_some() => {
                call(assembly, location, block, context);
            }
            "redacted_thinking" | "image" | "document" | "fallback" | "search_result" | "tool_reference"
            | "container_upload" | "compaction" => assembly.push(location.clone(), EventKind::Other),
            _ => assembly.unknown(location.clone()),
        }
    }
    assembly.origin = origin;
    usage(assembly, location, message, context, acted);
}

/// Returns whether a text is a list of blocks. A model's own words come in a block of text.
fn holds_blocks(text: Raw<'_>) -> bool {
    text.get().starts_with("\"[{") && json::text(Some(text)).is_some_and(|text| is_json(&text))
}

fn words<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    text: Option<Raw<'a>>,
    user: bool,
    context: &Context<'a>,
) {
    let kind = match raw_text(text) {
        // What a sub-agent is told, its parent said; what stands for older messages, nobody.
        Some(text) if context.summary || user && context.subagent.is_some() => EventKind::Instruction(text),
        Some(text) if user => EventKind::Prompt(text),
        Some(text) if context.api_error => EventKind::Failure(text),
        Some(text) => EventKind::Message(text),
        None => EventKind::Other,
    };
    assembly.say(location.clone(), kind, context.speaker);
}

fn call<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, block: &Block<'a>, context: &Context<'a>) {
    let id = filled(block.id);
    let tool = match (filled(block.server), filled(block.name)) {
        (Some(server), Some(name)) => Cow::Owned(format!("mcp__{server}__{name}")),
        (_, name) => name.unwrap_or(Cow::Borrowed("")),
    };
    let arguments = arguments(block.given());
    // Streaming, resuming and sub-agent progress repeat a call.
    if let Some(id) = &id
        && assembly.repeats(Some(id), &tool, &arguments)
    {
        if assembly.origin.role == RecordRole::Primary {
            assembly.repeat(location.clone(), id);
        }
        return;
    }
    let name = tool.clone();
    let call = ToolCall {
        call_id: id.clone(),
        tool,
        arguments,
        cwd: context.cwd.clone(),
        status: Status::Missing,
        subagent: context.subagent.clone(),
    };
    assembly.call(location.clone(), call, id.clone());
    facts::started(assembly, &name, id, block.input);
}

record! {
    struct Unparsed { text = "__unparsedToolInput" }
}

fn arguments(input: Option<Raw<'_>>) -> Arguments<'_> {
    let Some(input) = input else { return Arguments::Missing };
    // The model sent broken JSON: what it asked for is not known.
    if input.get().contains("__unparsedToolInput")
        && object::<Unparsed<'_>>(Some(input)).is_some_and(|unparsed| unparsed.text.is_some())
    {
        return Arguments::Missing;
    }
    assembly::arguments(Some(input))
}

fn result<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    block: &Block<'a>,
    context: &Context<'a>,
    gaps: &mut Gaps,
) {
    let id = filled(block.tool_use_id);
    let call = id.as_deref().and_then(|id| assembly.call_of(id));
    match call.and_then(|call| ran::differs(call, context.result)) {
        Some(Differs::Other) => gaps.contradiction(location.line, ran::OTHER_FILE),
        Some(Differs::File(file)) => assembly.push(location.clone(), EventKind::File(file)),
        None => {}
    }
    let is_error = is_true(block.is_error);
    let tool = id.as_deref().and_then(|id| assembly.call_of(id)).map(|call| call.tool.clone());
    let status = outcome::status(tool.as_deref().unwrap_or(""), is_error, block.content, context);
    let result = ToolResult { call_id: id.clone(), text: raw_text(block.content), is_error };
    if let Some(agent) = text(block.agent).or_else(|| agent(context.result)) {
        assembly.label(Label::Agent(agent));
    }
    if tool.is_some() {
        assembly.pass(context.result);
        assembly.pass(context.meta);
    }
    if let Some(name) = outcome::background(context.result) {
        assembly.label(Label::Background(name));
    }
    let anew = ran::decided(location, id.as_ref(), context.updated);
    assembly.result(location.clone(), result, status, id);
    if let Some(anew) = anew {
        ran::asked_anew(assembly, anew);
    }
    facts::ended(assembly, tool.as_deref(), block, status, context);
}

record! {
    struct Structured { agent = "agentId" }
}

/// The agent whose work a structured result is. Results are long: only one that names an agent is read again.
fn agent(result: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    memmem::find(result?.get().as_bytes(), b"\"agentId\"")?;
    text(object::<Structured<'_>>(result)?.agent)
}

/// What one record of usage says.
pub(super) fn used(usage: Option<Raw<'_>>) -> Option<Usage> {
    let tokens = object::<Tokens<'_>>(usage)?;
    let mut counts = Counts::default();
    Some(Usage {
        input: counts.needed(tokens.input),
        output: counts.needed(tokens.output),
        cache_read: counts.of(tokens.cache_read),
        cache_write: counts.of(tokens.cache_write),
        cache_write_1h: tokens.kept.object().map_or(0, |kept| counts.of(kept.hour)),
        searches: tokens.provided.object().map_or(0, |provided| counts.of(provided.searches)),
        partial: counts.is_partial,
        ..Usage::default()
    })
}

/// How an answer was served, where that has a price of its own: how fast, and where.
fn tier<'a>(served: &Tokens<'a>) -> Option<Cow<'a, str>> {
    let speed = filled(served.speed).filter(|speed| speed != "standard");
    let speed = speed.or_else(|| filled(served.tier).filter(|tier| tier != "standard"));
    let place = filled(served.geography).filter(|place| !matches!(&**place, "global" | "not_available"));
    match (speed, place) {
        (Some(speed), Some(place)) => Some(Cow::Owned(format!("{speed}-{place}"))),
        (speed, place) => speed.or(place),
    }
}

/// Characters that a token can hold at the most, on average over an answer.
const LONGEST_TOKENS: usize = 16;

/// Some versions record an answer with the count of its first token. A text that so few tokens cannot hold shows it.
fn is_placeholder(message: &Message<'_>, usage: &Usage) -> bool {
    let Content::Blocks(blocks) = &message.content else { return false };
    if message.stop_reason.is_some() {
        return false;
    }
    let said = blocks.iter().filter_map(|block| block.object()?.text).map(|text| text.get().len()).sum::<usize>();
    u64::try_from(said / LONGEST_TOKENS).is_ok_and(|least| least > usage.output)
}

fn usage<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    message: &Message<'a>,
    context: &Context<'a>,
    acted: bool,
) {
    facts::model(message.model, assembly);
    if is(message.model, "<synthetic>") && message.usage.is_none() {
        return;
    }
    let Some(usage) = used(message.usage) else {
        if is(message.role, "assistant") {
            assembly.untold(filled(message.id));
        }
        return;
    };
    let usage = Usage { partial: usage.partial || is_placeholder(message, &usage), ..usage };
    let served = object::<Tokens<'a>>(message.usage).unwrap_or_default();
    // What is written to the cache is the same conversation again.
    let window =
        Window { fresh_input: usage.input, cache_creation: 0, cache_read: usage.cache_read, output: usage.output };
    let window = (acted && assembly.origin.role == RecordRole::Primary).then_some(window);
    // A synthetic message is the agent's own error text: no model was asked.
    if !is(message.model, "<synthetic>") {
        assembly.served(tier(&served));
        let id = filled(message.id).map(|id| assembly.message_of(id, context.request.clone(), &usage));
        assembly.spend(location.time.clone(), id, usage, window);
    } else if let Some(window) = window {
        assembly.window(location.time.clone(), window);
    }
}
