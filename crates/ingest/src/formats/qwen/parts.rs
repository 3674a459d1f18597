//! The parts of a message.

use std::borrow::Cow;

use super::{Around, Chat};
use crate::assembly::{RecordLocation, arguments};
use crate::blocks::{Speaker, identity};
use crate::gaps::Gaps;
use crate::json::{Raw, elements, fields, filled, is, is_array, is_object, is_true, object, raw_text, record, text};
use agent_strace_model::evidence::Subagent;
use agent_strace_model::{EventKind, RawText, Status, ToolCall, ToolResult, is_refusal};

record! {
    pub(super) struct Message { role = "role", parts = "parts" }
}

record! {
    struct Part { text = "text", thought = "thought", call = "functionCall", response = "functionResponse" }
}

/// Keys of parts that hold no call: words, files, and what a provider notes beside them.
const HARMLESS: [&str; 9] = [
    "text",
    "thought",
    "thoughtSignature",
    "functionCall",
    "functionResponse",
    "inlineData",
    "fileData",
    "videoMetadata",
    "mediaResolution",
];

/// Whether a part holds an object under a key that this version does not know: it may be a call.
pub(in super::super) fn may_be_a_call(part: Raw<'_>) -> bool {
    let keys = fields(part.get()).unwrap_or_default();
    keys.iter().any(|(key, value)| !HARMLESS.contains(&&**key) && is_object(Some(*value)))
}

record! {
    struct Function { id = "id", name = "name", args = "args", response = "response" }
}

record! {
    /// What the host notes beside a result.
    pub(super) struct Outcome {
        call_id = "callId",
        status = "status",
        error_type = "errorType",
        display = "resultDisplay",
        parts = "responseParts",
    }
}

record! {
    /// The calls of an agent that was started, as the screen shows them.
    struct Display { calls = "toolCalls" }
}

/// The answer of a known call's tool holds no call. The screen of an agent that was started shows the calls of it,
/// which are looked for like all others.
pub(super) fn pass_answer<'a>(chat: &mut Chat<'a>, outcome: &Outcome<'a>) {
    let is_known = identity(outcome.call_id).is_some_and(|id| chat.assembly.call_of(&id).is_some());
    if is_known {
        let shows_calls = object::<Display<'a>>(outcome.display).is_some_and(|display| display.calls.is_some());
        chat.assembly.pass(outcome.display.filter(|_| !shows_calls));
        chat.assembly.pass(outcome.parts);
    }
}

record! {
    struct Response { error = "error" }
}

record! {
    struct Started { kind = "subagent_type" }
}

pub(super) fn add<'a>(
    chat: &mut Chat<'a>,
    location: &RecordLocation<'a>,
    message: &Message<'a>,
    around: &Around<'a>,
    gaps: &mut Gaps,
) {
    if let Some(key) = message.duplicate {
        gaps.twice(location.line, key, "a message");
    }
    if !is_array(message.parts) {
        gaps.malformed(location.line, "a message without a list of parts");
    }
    for raw in elements(message.parts) {
        let Some(part) = object::<Part<'a>>(Some(raw)) else {
            gaps.malformed(location.line, "a part of a message that is not an object");
            continue;
        };
        if let Some(key) = part.duplicate {
            gaps.twice(location.line, key, "a part of a message");
        }
        if part.others > 0 && may_be_a_call(raw) {
            gaps.unknown_record(location.line, "a part of a message of an unknown kind that looks like a call");
        }
        if let Some(words) = part.text {
            let words = RawText::Json(words.get());
            let kind = match around.speaker {
                _ if is_true(part.thought) => EventKind::Reasoning(words),
                Speaker::User => EventKind::Prompt(words),
                Speaker::Host => EventKind::Instruction(words),
                Speaker::Agent => EventKind::Message(words),
            };
            chat.assembly.push(location.clone(), kind);
        }
        match object::<Function<'a>>(part.call) {
            Some(function) => call(chat, location, &function, around, gaps),
            None if part.call.is_some() => gaps.malformed(location.line, "a call that is not an object"),
            None => {}
        }
        if let Some(function) = object::<Function<'a>>(part.response) {
            result(chat, location, &function, around);
        }
    }
}

fn call<'a>(
    chat: &mut Chat<'a>,
    location: &RecordLocation<'a>,
    function: &Function<'a>,
    around: &Around<'a>,
    gaps: &mut Gaps,
) {
    if let Some(key) = function.duplicate {
        gaps.twice(location.line, key, "a call");
    }
    let id = identity(function.id);
    let tool = filled(function.name).unwrap_or_default();
    let given = arguments(function.args);
    if chat.assembly.repeats(id.as_deref(), &tool, &given) {
        return;
    }
    let content = (tool.clone(), function.args.map_or("", Raw::get));
    let pending = chat.pending.entry(content).or_default();
    *pending = pending.saturating_add(1);
    let starts = matches!(&*tool, "task" | "agent");
    let call = ToolCall {
        call_id: id.clone(),
        tool,
        arguments: given,
        cwd: around.cwd.clone(),
        status: Status::Missing,
        subagent: around.subagent.clone(),
    };
    chat.assembly.call(location.clone(), call, id.clone());
    if starts {
        let event = chat.assembly.session.events.last().map_or(0, |event| event.number);
        let kind = object::<Started<'a>>(function.args).and_then(|started| filled(started.kind));
        chat.assembly.session.evidence.subagents.push(Subagent { event, id: None, call_id: id, kind, calls: None });
    }
}

fn result<'a>(chat: &mut Chat<'a>, location: &RecordLocation<'a>, function: &Function<'a>, around: &Around<'a>) {
    let id = identity(function.id).or_else(|| identity(around.outcome.call_id));
    let tool = id.as_deref().and_then(|id| chat.assembly.call_of(id)).map(|call| call.tool.clone());
    let is_refused = id.clone().zip(tool.clone()).is_some_and(|call| chat.refused.contains(&call));
    let tool = tool.unwrap_or_default();
    let status = match status(function, &around.outcome) {
        // A call that never began has no answer but an error.
        Status::Error | Status::Interrupted if is_refused => Status::Denied,
        // The log of a sub-agent has no field for it.
        Status::Error if around.outcome.status.is_none() && answers_for_the_gate(&tool, function) => Status::Denied,
        status => status,
    };
    let is_error = !matches!(status, Status::Ok | Status::Missing);
    let result = ToolResult { call_id: id.clone(), text: raw_text(function.response), is_error };
    chat.assembly.result(location.clone(), result, status, id);
}

/// Tools of the host, whose errors begin with the host's own words: before what a command wrote comes `Command: `. A server
/// could answer with any words.
const OWN: [&str; 9] = [
    "run_shell_command",
    "read_file",
    "read_many_files",
    "write_file",
    "edit",
    "list_directory",
    "glob",
    "grep_search",
    "search_file_content",
];

/// Returns whether the host gives the gate's refusal as the error of a call.
fn answers_for_the_gate(tool: &str, function: &Function<'_>) -> bool {
    let error = object::<Response<'_>>(function.response).and_then(|response| text(response.error));
    OWN.contains(&tool) && error.is_some_and(|error| is_refusal(&error))
}

/// What the host says about the call outweighs what the tool answered.
fn status(function: &Function<'_>, outcome: &Outcome<'_>) -> Status {
    let error = object::<Response<'_>>(function.response).and_then(|response| response.error);
    if is(outcome.error_type, "execution_denied") {
        Status::Denied
    } else if is(outcome.status, "cancelled") {
        if error.is_some_and(|error| refused(error)) { Status::Denied } else { Status::Interrupted }
    } else if is(outcome.status, "error") || error.is_some() {
        Status::Error
    } else {
        Status::Ok
    }
}

/// The host wrote the error of a cancelled call itself.
fn refused(error: Raw<'_>) -> bool {
    let words: Cow<'_, str> = text(Some(error)).unwrap_or_default();
    words.starts_with("[Operation Cancelled] Reason: User did not allow tool call")
}
