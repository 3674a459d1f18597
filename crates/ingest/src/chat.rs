//! Messages as `OpenAI`'s chat API takes them: many agents keep their sessions as the list they send.
//!
//! A format reads its own envelope, hands each message to [`add`], and says in a [`Manner`] what only it knows: where
//! calls ran, and how its results tell failure.

use std::borrow::Cow;

use super::assembly::{Assembly, RecordLocation, arguments};
use super::gaps::Gaps;
use super::json::{Nested, Raw, count, elements, filled, is_array, is_string, object, raw_text, record};
use agent_strace_model::{EventKind, RawText, Status, ToolCall, ToolResult, Usage};

record! {
    /// One message. Whatever else a format keeps beside it, it reads from the same JSON.
    pub(super) struct Message {
        role = "role",
        content = "content",
        reasoning = "reasoning",
        reasoning_content = "reasoning_content",
        calls = "tool_calls",
        calls_camel = "toolCalls",
        // The API's first way to call: one function a message, without an id.
        function_call = "function_call",
        call_id = "tool_call_id",
        call_id_camel = "toolCallId",
        name = "name",
    }
}

record! {
    struct Call {
        id = "id",
        call_id = "call_id",
        function = "function",
        custom = "custom",
        name = "name",
        arguments = "arguments",
        args = "args",
        input = "input",
    }
}

record! {
    struct Function { name = "name", arguments = "arguments", args = "args", input = "input" }
}

record! {
    struct Part {
        kind = "type",
        text = "text",
        thinking = "thinking",
        id = "id",
        name = "name",
        input = "input",
        arguments = "arguments",
        call_id = "tool_use_id",
        content = "content",
        is_error = "is_error",
    }
}

/// What a format knows about its messages that the messages don't say.
#[derive(Debug, Clone)]
pub(super) struct Manner<'a> {
    /// Where calls of this message ran.
    pub(super) cwd: Option<Cow<'a, str>>,
    pub(super) subagent: Option<Cow<'a, str>>,
    /// How the call ended that this message is the result of.
    pub(super) outcome: Status,
}

impl Default for Manner<'_> {
    fn default() -> Self {
        Self { cwd: None, subagent: None, outcome: Status::Ok }
    }
}

/// Adds everything a message holds.
pub(super) fn add<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    message: &Message<'a>,
    manner: &Manner<'a>,
    gaps: &mut Gaps,
) {
    if let Some(key) = message.duplicate {
        gaps.twice(location.line, key, "a message");
    }
    for thought in [message.reasoning, message.reasoning_content].into_iter().flatten().take(1) {
        if is_string(Some(thought)) && thought.get() != "\"\"" {
            assembly.push(location.clone(), EventKind::Reasoning(RawText::Json(thought.get())));
        }
    }
    match filled(message.role).as_deref() {
        Some("tool" | "function" | "toolResult") => result(assembly, location, message, manner),
        Some("user" | "human") => content(assembly, location, message.content, EventKind::Prompt, manner, gaps),
        Some("assistant" | "model" | "ai" | "thinking") => {
            content(assembly, location, message.content, EventKind::Message, manner, gaps);
        }
        Some("system" | "developer") => assembly.push(location.clone(), EventKind::Other),
        _ => {
            assembly.unknown(location.clone());
            content(assembly, location, message.content, EventKind::Message, manner, gaps);
        }
    }
    calls(assembly, location, message, manner, gaps);
}

/// The texts of a message's content.
pub(super) fn texts<'a>(message: &Message<'a>) -> Vec<Raw<'a>> {
    if is_string(message.content) {
        return message.content.into_iter().collect();
    }
    let text = |raw| if is_string(Some(raw)) { Some(raw) } else { object::<Part<'a>>(Some(raw))?.text };
    elements(message.content).into_iter().filter_map(text).collect()
}

/// Adds the calls that a message asks for.
pub(super) fn calls<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    message: &Message<'a>,
    manner: &Manner<'a>,
    gaps: &mut Gaps,
) {
    for list in [message.calls, message.calls_camel].into_iter().flatten() {
        if !is_array(Some(list)) {
            gaps.malformed(location.line, "the calls of a message are not a list");
        }
        for raw in elements(Some(list)) {
            let Some(call) = object::<Call<'a>>(Some(raw)) else {
                gaps.malformed(location.line, "a call that is not an object");
                continue;
            };
            if let Some(key) = call.duplicate {
                gaps.twice(location.line, key, "a call");
            }
            let function = object::<Function<'a>>(call.function.or(call.custom)).unwrap_or_default();
            if let Some(key) = function.duplicate {
                gaps.twice(location.line, key, "a call");
            }
            let given = [function.arguments, function.input, function.args, call.arguments, call.input, call.args];
            let id = identifier(call.id).or_else(|| identifier(call.call_id));
            let tool = filled(function.name).or_else(|| filled(call.name)).or_else(|| filled(call.function));
            add_call(assembly, location, id, tool, given.into_iter().flatten().next(), manner);
        }
    }
    if let Some(raw) = message.function_call {
        let Some(function) = object::<Function<'a>>(Some(raw)) else {
            gaps.malformed(location.line, "a call that is not an object");
            return;
        };
        // Results of such calls name the function.
        add_call(assembly, location, None, filled(function.name), function.arguments.or(function.args), manner);
    }
}

fn add_call<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    id: Option<Cow<'a, str>>,
    tool: Option<Cow<'a, str>>,
    given: Option<Raw<'a>>,
    manner: &Manner<'a>,
) {
    let tool = tool.unwrap_or(Cow::Borrowed(""));
    let arguments = arguments(given);
    if assembly.repeats(id.as_deref(), &tool, &arguments) {
        return;
    }
    let link = id.clone().or_else(|| Some(tool.clone()));
    let call = ToolCall {
        call_id: id,
        tool,
        arguments,
        cwd: manner.cwd.clone(),
        status: Status::Missing,
        subagent: manner.subagent.clone(),
    };
    assembly.call(location.clone(), call, link);
}

/// The id of a call. Redaction makes the ids of all calls the same word, which links nothing.
fn identifier(value: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    filled(value).filter(|id| id != "REDACTED")
}

fn result<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, message: &Message<'a>, manner: &Manner<'a>) {
    let id = identifier(message.call_id).or_else(|| identifier(message.call_id_camel));
    let link = id.clone().or_else(|| filled(message.name));
    let is_error = manner.outcome == Status::Error;
    let result = ToolResult { call_id: id, text: raw_text(message.content), is_error };
    assembly.result(location.clone(), result, manner.outcome, link);
}

/// Words, as text or as parts. Providers that speak through this API leave their own calls among the parts.
fn content<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    content: Option<Raw<'a>>,
    words: fn(RawText<'a>) -> EventKind<'a>,
    manner: &Manner<'a>,
    gaps: &mut Gaps,
) {
    let Some(raw) = content.filter(|raw| raw.get() != "\"\"") else { return };
    if is_string(content) {
        return assembly.push(location.clone(), words(RawText::Json(raw.get())));
    }
    if !is_array(content) {
        return gaps.malformed(location.line, "the content of a message is neither a text nor a list");
    }
    for raw in elements(content) {
        if is_string(Some(raw)) {
            assembly.push(location.clone(), words(RawText::Json(raw.get())));
            continue;
        }
        match object::<Part<'a>>(Some(raw)) {
            Some(part) => add_part(assembly, location, &part, words, manner, gaps),
            None => gaps.malformed(location.line, "a part of a message that is neither a text nor an object"),
        }
    }
}

fn add_part<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    part: &Part<'a>,
    words: fn(RawText<'a>) -> EventKind<'a>,
    manner: &Manner<'a>,
    gaps: &mut Gaps,
) {
    if let Some(key) = part.duplicate {
        gaps.twice(location.line, key, "a part of a message");
    }
    match filled(part.kind).as_deref() {
        Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
            add_call(assembly, location, identifier(part.id), filled(part.name), part.input.or(part.arguments), manner);
        }
        Some("tool_result") => {
            let is_error = part.is_error.is_some_and(|raw| raw.get() == "true");
            let status = if is_error { Status::Error } else { Status::Ok };
            let link = identifier(part.call_id);
            let result = ToolResult { call_id: link.clone(), text: raw_text(part.content), is_error };
            assembly.result(location.clone(), result, status, link);
        }
        Some("thinking" | "reasoning" | "think") => {
            if let Some(text) = part.thinking.or(part.text) {
                assembly.push(location.clone(), EventKind::Reasoning(RawText::Json(text.get())));
            }
        }
        Some("image" | "image_url" | "input_image" | "audio" | "input_audio" | "file" | "document") => {}
        _ => match part.text {
            Some(text) => assembly.push(location.clone(), words(RawText::Json(text.get()))),
            None => assembly.unknown(location.clone()),
        },
    }
}

record! {
    struct Tokens {
        prompt = "prompt_tokens",
        completion = "completion_tokens",
        input = "input_tokens",
        output = "output_tokens",
        prompt_details: Nested<Details<'a>> = "prompt_tokens_details",
        input_details: Nested<Details<'a>> = "input_tokens_details",
        completion_details: Nested<Details<'a>> = "completion_tokens_details",
        output_details: Nested<Details<'a>> = "output_tokens_details",
        cache_write = "cache_creation_input_tokens",
        cache_read = "cache_read_input_tokens",
        reasoning = "reasoning_tokens",
    }
}

record! {
    struct Details { cached = "cached_tokens", reasoning = "reasoning_tokens" }
}

/// What the API says a message cost. Its count of input includes what came from the cache, unless the two are told apart
/// as Anthropic's API does.
pub(super) fn usage(value: Option<Raw<'_>>) -> Option<Usage> {
    let tokens = object::<Tokens<'_>>(value)?;
    let inputs = tokens.prompt_details.object().or(tokens.input_details.object());
    let outputs = tokens.completion_details.object().or(tokens.output_details.object());
    let included = count(inputs.and_then(|details| details.cached));
    Some(Usage {
        requests: 1,
        input: count(tokens.prompt.or(tokens.input)).saturating_sub(included),
        output: count(tokens.completion.or(tokens.output)),
        cache_read: if tokens.cache_read.is_some() { count(tokens.cache_read) } else { included },
        cache_write: count(tokens.cache_write),
        reasoning: count(outputs.and_then(|details| details.reasoning).or(tokens.reasoning)),
        ..Usage::default()
    })
}
