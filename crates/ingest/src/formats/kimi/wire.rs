//! The older wire log: messages between the agent and its screen, each in an envelope with its time.

use std::borrow::Cow;

use super::{Chat, Pieces, events};
use crate::assembly::{self, RecordLocation};
use crate::blocks::{self, Around, NewCall, identity};
use crate::gaps::Gaps;
use crate::json::{Counts, Raw, elements, filled, is, is_string, is_true, object, raw_text, record};
use crate::scan::is_json;
use agent_strace_model::{Arguments, EventKind, GapKind, RawText, Status, ToolResult, Usage};

record! {
    pub(super) struct Message { kind = "type", payload = "payload" }
}

record! {
    struct Payload {
        input = "user_input",
        id = "id",
        name = "name",
        arguments = "arguments",
        function = "function",
        call_id = "tool_call_id",
        returned = "return_value",
        result = "result",
        request_id = "request_id",
        response = "response",
        sender = "sender",
        parent = "parent_tool_call_id",
        task = "task_tool_call_id",
        agent = "agent_id",
        event = "event",
        tokens = "token_usage",
        message_id = "message_id",
        piece = "arguments_part",
    }
}

record! {
    struct Function { name = "name", arguments = "arguments" }
}

record! {
    struct Returned { is_error = "is_error", output = "output" }
}

/// Events of agents within agents are unwrapped this far.
const MAX_DEPTH: usize = 8;

/// Tools that start another agent.
const STARTERS: &[&str] = &["Task", "Agent", "CreateSubagent"];

pub(super) fn record<'a>(chat: &mut Chat<'a>, location: RecordLocation<'a>, message: &Message<'a>, gaps: &mut Gaps) {
    let mut message = message.clone();
    for _ in 0..MAX_DEPTH {
        if let Some(key) = message.duplicate {
            gaps.twice(location.line, key, "a message");
        }
        let Some(payload) = object::<Payload<'a>>(message.payload) else {
            gaps.malformed(location.line, "a message without its payload");
            return;
        };
        if let Some(key) = payload.duplicate {
            gaps.twice(location.line, key, "a message");
        }
        if !is(message.kind, "SubagentEvent") {
            return add(chat, location, &message, &payload, gaps);
        }
        let starter = filled(payload.parent).or_else(|| filled(payload.task));
        chat.subagent = filled(payload.agent).or(starter);
        match object::<Message<'a>>(payload.event) {
            Some(inner) => message = inner,
            None => return gaps.malformed(location.line, "an event that is not an object"),
        }
    }
    gaps.push(Some(location.line), GapKind::limit("events of agents within agents, nested too deep to be read"));
}

fn add<'a>(
    chat: &mut Chat<'a>,
    location: RecordLocation<'a>,
    message: &Message<'a>,
    payload: &Payload<'a>,
    gaps: &mut Gaps,
) {
    match filled(message.kind).as_deref() {
        Some("TurnBegin" | "SteerInput") => prompt(chat, &location, payload.input),
        Some("ContentPart" | "TextPart" | "ThinkPart") => chat.assembly.push(location, events::spoken(message.payload)),
        Some("ToolResult") => result(chat, location, payload),
        Some("ToolCallPart") => piece(chat, location, payload, gaps),
        Some("ApprovalRequest") => {
            if let (Some(request), Some(call)) = (filled(payload.id), identity(payload.call_id)) {
                chat.requests.insert(request, call);
            }
            chat.assembly.push(location, EventKind::Other);
        }
        Some("ApprovalResponse" | "ApprovalRequestResolved") => {
            let call = filled(payload.request_id).and_then(|request| chat.requests.remove(&request));
            if let Some(call) = call.filter(|_| is(payload.response, "reject")) {
                let tool = filled(payload.sender);
                chat.refuse(location.clone(), call, tool);
            }
            chat.assembly.push(location, EventKind::Other);
        }
        Some("StatusUpdate") => {
            if let Some(usage) = usage(payload.tokens) {
                chat.assembly.usage(filled(payload.message_id), usage);
            }
            chat.assembly.push(location, EventKind::Other);
        }
        Some("CompactionEnd") => chat.compacted(location),
        Some(kind) if is_known(kind) => chat.assembly.push(location, EventKind::Other),
        Some("ToolCall" | "ToolCallRequest") => call(chat, &location, payload, gaps),
        // Whatever its type says, a function with arguments is a call.
        _ if payload.function.is_some() || payload.arguments.is_some() => {
            chat.assembly.unknown(location.clone());
            call(chat, &location, payload, gaps);
        }
        _ => chat.assembly.unknown(location),
    }
}

fn prompt<'a>(chat: &mut Chat<'a>, location: &RecordLocation<'a>, input: Option<Raw<'a>>) {
    if let Some(words) = input.filter(|_| is_string(input)) {
        return chat.assembly.push(location.clone(), EventKind::Prompt(RawText::Json(words.get())));
    }
    for part in elements(input) {
        let kind = match events::spoken(Some(part)) {
            EventKind::Message(words) => EventKind::Prompt(words),
            other => other,
        };
        chat.assembly.push(location.clone(), kind);
    }
}

fn call<'a>(chat: &mut Chat<'a>, location: &RecordLocation<'a>, payload: &Payload<'a>, gaps: &mut Gaps) {
    let function = object::<Function<'a>>(payload.function).unwrap_or_default();
    if let Some(key) = function.duplicate {
        gaps.twice(location.line, key, "a call");
    }
    let id = identity(payload.id);
    let tool = filled(function.name).or_else(|| filled(payload.name)).unwrap_or_default();
    let arguments = assembly::arguments(function.arguments.or(payload.arguments));
    let around = Around { subagent: chat.subagent.clone(), starters: STARTERS, ..Around::of(None) };
    chat.close(chat.subagent.clone().as_ref());
    let event = chat.assembly.session.events.len();
    blocks::add_call(&mut chat.assembly, location, NewCall { id: id.clone(), tool, arguments }, &around);
    if chat.assembly.session.events.len() > event {
        chat.open.insert(chat.subagent.clone(), (event, None));
    }
    if let Some(id) = id {
        chat.settle_refused(&id);
    }
}

/// A piece of the arguments of the last call: the model's words are recorded as they come in.
fn piece<'a>(chat: &mut Chat<'a>, location: RecordLocation<'a>, payload: &Payload<'a>, gaps: &mut Gaps) {
    let Some((event, pieces)) = chat.open.get_mut(&chat.subagent) else {
        return gaps.malformed(location.line, "a piece of a call's arguments apart from its call");
    };
    let begun = match chat.assembly.session.events.get(*event).map(|event| &event.kind) {
        Some(EventKind::Call(call)) => match &call.arguments {
            Arguments::Json(text) | Arguments::Text(text) => text,
            Arguments::Missing => "",
        },
        _ => "",
    };
    // Arguments that are whole have no further piece: the record of another call is missing.
    if pieces.is_none() && is_json(begun) {
        return gaps.malformed(location.line, "a piece of a call's arguments apart from its call");
    }
    let piece = match payload.piece {
        None => Cow::Borrowed(""),
        Some(_) => match crate::json::text(payload.piece) {
            Some(piece) => piece,
            None => return gaps.malformed(location.line, "a piece of a call's arguments that is not a text"),
        },
    };
    let pieces = pieces.get_or_insert_with(|| Pieces { text: begun.to_owned(), line: location.line });
    pieces.text.push_str(&piece);
    pieces.line = location.line;
    chat.assembly.push(location, EventKind::Other);
}

fn result<'a>(chat: &mut Chat<'a>, location: RecordLocation<'a>, payload: &Payload<'a>) {
    let id = identity(payload.call_id);
    let returned = payload.returned.or(payload.result);
    let outcome = object::<Returned<'a>>(returned).unwrap_or_default();
    let is_error = is_true(outcome.is_error);
    let status = if is_error { Status::Error } else { Status::Ok };
    let result = ToolResult { call_id: id.clone(), text: raw_text(outcome.output.or(returned)), is_error };
    chat.assembly.result(location, result, status, id.clone());
    if let Some(id) = id {
        chat.settle_refused(&id);
    }
}

record! {
    struct Tokens {
        input = "input_other",
        output = "output",
        cache_read = "input_cache_read",
        cache_write = "input_cache_creation",
    }
}

fn usage(value: Option<Raw<'_>>) -> Option<Usage> {
    let tokens = object::<Tokens<'_>>(value)?;
    let mut counts = Counts::default();
    Some(Usage {
        input: counts.of(tokens.input),
        output: counts.of(tokens.output),
        cache_read: counts.of(tokens.cache_read),
        cache_write: counts.of(tokens.cache_write),
        partial: counts.is_partial,
        ..Usage::default()
    })
}

/// Types of messages that do nothing by themselves.
fn is_known(kind: &str) -> bool {
    matches!(
        kind,
        "TurnEnd"
            | "StepBegin"
            | "StepInterrupted"
            | "CompactionBegin"
            | "HookTriggered"
            | "HookResolved"
            | "MCPLoadingBegin"
            | "MCPLoadingEnd"
            | "Notification"
            | "PlanDisplay"
            | "QuestionRequest"
            | "QuestionResponse"
            | "ImageURLPart"
            | "AudioURLPart"
            | "VideoURLPart"
    )
}
