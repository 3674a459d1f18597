//! Chats of the editor's database, and sessions of the command line's.

use std::borrow::Cow;

use super::{CHATS, CLI_SESSIONS};
use crate::assembly::{Assembly, RecordLocation, arguments};
use crate::formats::Input;
use crate::gaps::Gaps;
use crate::json::{Counts, Raw, elements, filled, is, is_array, is_string, object, raw_text, record, scalar, text};
use crate::reader::{Item, LineCounter, Reader};
use agent_strace_model::{EventKind, Session, Status, ToolCall, ToolResult, Usage};

record! {
    struct Chat { id = "cursor_chat", composer = "composer", bubbles = "bubbles" }
}

record! {
    struct Composer { created = "createdAt", conversation = "conversation" }
}

record! {
    struct Bubble {
        id = "bubbleId",
        kind = "type",
        text = "text",
        created = "createdAt",
        tool = "toolFormerData",
        tokens = "tokenCount",
    }
}

record! {
    struct Tool {
        id = "toolCallId",
        name = "name",
        raw = "rawArgs",
        params = "params",
        result = "result",
        status = "status",
        decision = "userDecision",
        error = "error",
    }
}

record! {
    struct Tokens { input = "inputTokens", output = "outputTokens" }
}

pub(super) fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut sessions = Vec::new();
    input.records("a chat", gaps, |item: &Item<'a, Chat<'a>>, gaps| {
        let Item { line, record: chat, json } = item;
        if chat.id.is_none() {
            return gaps.unknown_record(*line, "a record that is no chat");
        }
        let mut assembly = input.session(&CHATS.dialect);
        assembly.id(filled(chat.id));
        let composer = object::<Composer<'a>>(chat.composer).unwrap_or_default();
        assembly.push(RecordLocation { line: *line, id: None, time: scalar(composer.created) }, EventKind::Start);
        // The first versions kept the whole conversation in one value.
        for list in [composer.conversation, chat.bubbles].into_iter().flatten() {
            if !is_array(Some(list)) {
                gaps.malformed(*line, "the messages of a chat are not a list");
                continue;
            }
            let mut reader = Reader::nested(list.get(), LineCounter::new(json, *line).line_of(list.get()));
            while let Some(item) = reader.next::<Bubble<'a>>(gaps) {
                bubble(&mut assembly, item.line, &item.record, gaps);
            }
        }
        sessions.push(assembly.finish());
    });
    sessions
}

fn bubble<'a>(assembly: &mut Assembly<'a>, line: u32, bubble: &Bubble<'a>, gaps: &mut Gaps) {
    if let Some(key) = bubble.duplicate {
        gaps.twice(line, key, "a message");
    }
    let location = RecordLocation { line, id: filled(bubble.id), time: scalar(bubble.created) };
    let is_user = bubble.kind.is_some_and(|kind| kind.get() == "1");
    let words = raw_text(bubble.text.filter(|words| words.get() != "\"\""));
    let kind = if is_user { EventKind::Prompt } else { EventKind::Message };
    assembly.push(location.clone(), words.map_or(EventKind::Other, kind));
    if let Some(tokens) = object::<Tokens<'a>>(bubble.tokens).filter(|_| !is_user) {
        let mut counts = Counts::default();
        let (input, output) = (counts.of(tokens.input), counts.of(tokens.output));
        // The editor writes zeros where it was told nothing.
        if input > 0 || output > 0 {
            let partial = counts.is_partial;
            assembly.usage(filled(bubble.id), Usage { requests: 1, input, output, partial, ..Usage::default() });
        } else {
            assembly.untold(filled(bubble.id));
        }
    }
    let Some(raw) = bubble.tool else { return };
    let Some(tool) = object::<Tool<'a>>(Some(raw)) else {
        return gaps.malformed(line, "a call that is not an object");
    };
    // A bubble of words may have an empty record of a tool.
    if tool.name.is_none() && tool.id.is_none() && tool.raw.is_none() && tool.params.is_none() {
        return;
    }
    call(assembly, location, &tool, gaps);
}

fn call<'a>(assembly: &mut Assembly<'a>, location: RecordLocation<'a>, tool: &Tool<'a>, gaps: &mut Gaps) {
    if let Some(key) = tool.duplicate {
        gaps.twice(location.line, key, "a call");
    }
    let id = filled(tool.id);
    let name = filled(tool.name).unwrap_or_default();
    let given =
        [tool.raw, tool.params].into_iter().flatten().find(|raw| !matches!(raw.get(), "\"\"" | "\"{}\"" | "{}"));
    let arguments = arguments(given.or(tool.raw).or(tool.params));
    let link = id.clone().or_else(|| location.id.clone());
    if assembly.repeats(link.as_deref(), &name, &arguments) {
        return;
    }
    let status = match text(tool.status).as_deref() {
        Some("completed") => Status::Ok,
        Some("error") => Status::Error,
        Some("rejected") => Status::Denied,
        Some("cancelled") => Status::Interrupted,
        _ if is(tool.decision, "rejected") => Status::Denied,
        _ => Status::Missing,
    };
    let call = ToolCall { call_id: id.clone(), tool: name, arguments, cwd: None, status, subagent: None };
    assembly.call(location.clone(), call, link);
    if let Some(result) = tool.result.or(tool.error) {
        let is_error = status == Status::Error;
        let text = raw_text(Some(result));
        assembly.push(location, EventKind::Result(ToolResult { call_id: id, text, is_error }));
    }
}

record! {
    struct Stored { id = "cursor_cli_session", created = "created", model = "model", messages = "messages" }
}

record! {
    struct Message { id = "id", role = "role", content = "content" }
}

record! {
    struct Part {
        kind = "type",
        text = "text",
        id = "toolCallId",
        name = "toolName",
        args = "args",
        input = "input",
        result = "result",
        output = "output",
        is_error = "isError",
    }
}

pub(super) fn read_cli<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut sessions = Vec::new();
    input.records("a session", gaps, |item: &Item<'a, Stored<'a>>, gaps| {
        let Item { line, record: stored, json } = item;
        let mut assembly = input.session(&CLI_SESSIONS.dialect);
        assembly.id(filled(stored.id));
        assembly.model(filled(stored.model));
        assembly.push(RecordLocation { line: *line, id: None, time: filled(stored.created) }, EventKind::Start);
        match stored.messages.filter(|list| is_array(Some(*list))) {
            Some(list) => {
                let mut reader = Reader::nested(list.get(), LineCounter::new(json, *line).line_of(list.get()));
                while let Some(item) = reader.next::<Message<'a>>(gaps) {
                    message(&mut assembly, item.line, &item.record, gaps);
                }
            }
            None => gaps.malformed(*line, "the messages of the session are not a list"),
        }
        sessions.push(assembly.finish());
    });
    sessions
}

fn message<'a>(assembly: &mut Assembly<'a>, line: u32, message: &Message<'a>, gaps: &mut Gaps) {
    if let Some(key) = message.duplicate {
        gaps.twice(line, key, "a message");
    }
    let location = RecordLocation { line, id: filled(message.id), time: None };
    let words: fn(agent_strace_model::RawText<'a>) -> EventKind<'a> = match filled(message.role).as_deref() {
        Some("user") => EventKind::Prompt,
        Some("system") => |_| EventKind::Other,
        _ => EventKind::Message,
    };
    if is_string(message.content) {
        return assembly.push(location, raw_text(message.content).map_or(EventKind::Other, words));
    }
    if is(message.role, "assistant") {
        assembly.untold(filled(message.id));
    }
    for raw in elements(message.content) {
        let part = object::<Part<'a>>(Some(raw)).unwrap_or_default();
        if let Some(key) = part.duplicate {
            gaps.twice(line, key, "a part of a message");
        }
        let id = filled(part.id);
        match filled(part.kind).as_deref() {
            Some("text") => assembly.push(location.clone(), raw_text(part.text).map_or(EventKind::Other, words)),
            Some("reasoning" | "redacted-reasoning") => {
                assembly.push(location.clone(), raw_text(part.text).map_or(EventKind::Other, EventKind::Reasoning));
            }
            Some("tool-result") => {
                let is_error = part.is_error.is_some_and(|raw| raw.get() == "true");
                let status = if is_error { Status::Error } else { Status::Ok };
                let result = ToolResult { call_id: id.clone(), text: raw_text(part.result.or(part.output)), is_error };
                assembly.result(location.clone(), result, status, id);
            }
            Some("image" | "file") => assembly.push(location.clone(), EventKind::Other),
            Some("tool-call") => stored_call(assembly, &location, id, &part),
            _ if part.name.is_some() && (part.args.is_some() || part.input.is_some()) => {
                assembly.count_unknown();
                stored_call(assembly, &location, id, &part);
            }
            _ => assembly.unknown(location.clone()),
        }
    }
    if !is_array(message.content) {
        gaps.malformed(line, "a message without content");
    }
}

fn stored_call<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    id: Option<Cow<'a, str>>,
    part: &Part<'a>,
) {
    let tool = filled(part.name).unwrap_or_default();
    let given: Option<Raw<'a>> = part.args.or(part.input);
    let arguments = arguments(given);
    if assembly.repeats(id.as_deref(), &tool, &arguments) {
        return;
    }
    let call = ToolCall { call_id: id.clone(), tool, arguments, cwd: None, status: Status::Missing, subagent: None };
    assembly.call(location.clone(), call, id);
}
