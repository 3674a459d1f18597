//! What a message holds.

use std::borrow::Cow;

use super::Message;
use crate::assembly::{self, Assembly, RecordLocation};
use crate::blocks::{self, Around, NewCall, Speaker, identity};
use crate::gaps::Gaps;
use crate::json::{Raw, elements, filled, is, is_array, is_string, is_true, object, raw_text, record, scalar, text};
use agent_strace_model::{EventKind, RawText, Status, ToolResult};

record! {
    struct Part {
        kind = "type",
        text = "text",
        thinking = "thinking",
        id = "id",
        call = "toolCall",
        result = "toolResult",
    }
}

record! {
    struct Outcome { status = "status", value = "value", error = "error" }
}

record! {
    struct Function { name = "name", arguments = "arguments" }
}

record! {
    struct Returned { is_error = "isError", is_error_snake = "is_error" }
}

/// Tools that start another agent.
const STARTERS: &[&str] = &["delegate", "subagent", "subagent__execute_task", "dynamic_task__create_task"];

pub(super) fn message<'a>(assembly: &mut Assembly<'a>, line: u32, message: &Message<'a>, gaps: &mut Gaps) {
    if let Some(key) = message.duplicate {
        gaps.twice(line, key, "a message");
    }
    let location = RecordLocation { line, id: filled(message.id), time: scalar(message.created) };
    let around = Around { starters: STARTERS, ..Around::of(message.role) };
    if is_string(message.content) {
        return words(assembly, &location, message.content, &around);
    }
    if !is_array(message.content) {
        gaps.malformed(line, "a message without a list of contents");
    }
    for raw in elements(message.content) {
        match object::<Part<'a>>(Some(raw)) {
            Some(part) => add(assembly, &location, &part, &around, gaps),
            None => gaps.malformed(line, "a part of a message that is not an object"),
        }
    }
}

fn add<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    part: &Part<'a>,
    around: &Around<'a>,
    gaps: &mut Gaps,
) {
    if let Some(key) = part.duplicate {
        gaps.twice(location.line, key, "a part of a message");
    }
    match filled(part.kind).as_deref() {
        Some("text") => words(assembly, location, part.text, around),
        Some("thinking" | "reasoning") => {
            let thought = raw_text(part.thinking.or(part.text));
            assembly.push(location.clone(), thought.map_or(EventKind::Other, EventKind::Reasoning));
        }
        Some("conversationCompacted" | "summarizationRequested") => {
            let compactions = &mut assembly.session.evidence.compactions;
            *compactions = compactions.saturating_add(1);
            assembly.push(location.clone(), EventKind::Other);
        }
        _ if part.call.is_some() => request(assembly, location, part, around, gaps),
        _ if part.result.is_some() => response(assembly, location, part),
        Some(
            "image"
            | "redactedThinking"
            | "toolConfirmationRequest"
            | "actionRequired"
            | "systemNotification"
            | "contextLengthExceeded",
        ) => assembly.push(location.clone(), EventKind::Other),
        _ => assembly.unknown(location.clone()),
    }
}

/// A stream sends a message in pieces: those that follow each other are one text.
fn words<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, piece: Option<Raw<'a>>, around: &Around<'a>) {
    let Some(piece) = piece else { return assembly.push(location.clone(), EventKind::Other) };
    let last = assembly.session.events.last_mut().filter(|last| last.id.is_some() && last.id == location.id);
    if let Some(EventKind::Message(before)) = last.map(|event| &mut event.kind)
        && around.speaker == Speaker::Agent
        && let Some(more) = text(Some(piece))
    {
        let mut whole = match before {
            RawText::Plain(text) => std::mem::take(text).into_owned(),
            RawText::Json(_) => before.decode().into_owned(),
        };
        whole.push_str(&more);
        *before = RawText::Plain(Cow::Owned(whole));
        return;
    }
    blocks::words(assembly, location, piece, around);
}

fn request<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    part: &Part<'a>,
    around: &Around<'a>,
    gaps: &mut Gaps,
) {
    let outcome = object::<Outcome<'a>>(part.call).unwrap_or_default();
    // What the model wrote could not be read as a call, so that nothing ran.
    if is(outcome.status, "error") && outcome.value.is_none() {
        assembly.unreadable(identity(part.id));
        return assembly.push(location.clone(), EventKind::Other);
    }
    let function = object::<Function<'a>>(outcome.value.or(part.call)).unwrap_or_default();
    if let Some(key) = function.duplicate {
        gaps.twice(location.line, key, "a call");
    }
    let tool = filled(function.name).unwrap_or_default();
    let call = NewCall { id: identity(part.id), tool, arguments: assembly::arguments(function.arguments) };
    blocks::add_call(assembly, location, call, around);
}

fn response<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, part: &Part<'a>) {
    let outcome = object::<Outcome<'a>>(part.result).unwrap_or_default();
    let returned = object::<Returned<'a>>(outcome.value).unwrap_or_default();
    let is_error = is(outcome.status, "error") || is_true(returned.is_error) || is_true(returned.is_error_snake);
    let status = if is_error { Status::Error } else { Status::Ok };
    let id = identity(part.id);
    let text = raw_text(outcome.value.or(outcome.error).or(part.result));
    assembly.result(location.clone(), ToolResult { call_id: id.clone(), text, is_error }, status, id);
}
