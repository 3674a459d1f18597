//! Forge: conversations of its database.

mod database;

use std::borrow::Cow;

use super::{Detect, Format, Input};
use crate::assembly::{Assembly, RecordLocation, arguments};
use crate::gaps::Gaps;
use crate::json::{Counts, Raw, elements, filled, is_array, is_true, object, raw_text, record, scalar};
use crate::reader::{Item, LineCounter, Reader};
use agent_strace_model::{Dialect, EventKind, Session, Status, ToolCall, ToolResult, Usage};
pub(super) use database::DATABASE;

/// A conversation of `.forge.db`.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("forge", "forge"),
    detect: Detect::Record(|head| head.is_string("forge_conversation") && head.is_object("context")),
    read,
    homes: &[],
};

record! {
    struct Entry { id = "forge_conversation", created = "created_at", context = "context" }
}

record! {
    struct Context { messages = "messages" }
}

record! {
    /// A message, with or without what it cost around it.
    struct Around { message = "message", usage = "usage", text = "text", tool = "tool", image = "image" }
}

record! {
    struct Said { role = "role", content = "content", calls = "tool_calls", model = "model", timestamp = "timestamp" }
}

record! {
    struct Call { id = "call_id", name = "name", arguments = "arguments" }
}

record! {
    struct Outcome { id = "call_id", name = "name", output = "output" }
}

record! {
    struct Output { is_error = "is_error", values = "values" }
}

record! {
    struct Value { text = "text" }
}

record! {
    struct Tokens { input = "prompt_tokens", output = "completion_tokens", cached = "cached_tokens" }
}

record! {
    struct Count { actual = "actual" }
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut sessions = Vec::new();
    input.records("a conversation", gaps, |item: &Item<'a, Entry<'a>>, gaps| {
        let mut assembly = input.session(&FORMAT.dialect);
        conversation(&mut assembly, item, gaps);
        sessions.push(assembly.finish());
    });
    sessions
}

fn conversation<'a>(assembly: &mut Assembly<'a>, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) {
    let Item { line, record: entry, json } = item;
    assembly.id(filled(entry.id));
    let location = RecordLocation { line: *line, id: None, time: scalar(entry.created) };
    assembly.push(location, EventKind::Start);
    let context = object::<Context<'a>>(entry.context).unwrap_or_default();
    let Some(list) = context.messages.filter(|list| is_array(Some(*list))) else {
        return gaps.malformed(*line, "the messages of the conversation are not a list");
    };
    let mut reader = Reader::nested(list.get(), LineCounter::new(json, *line).line_of(list.get()));
    while let Some(item) = reader.next::<Around<'a>>(gaps) {
        if let Some(key) = item.record.duplicate {
            gaps.twice(item.line, key, "a message");
        }
        let around = object::<Around<'a>>(item.record.message).unwrap_or_else(|| item.record.clone());
        let location = RecordLocation { line: item.line, ..RecordLocation::default() };
        if let Some(said) = object::<Said<'a>>(around.text) {
            add(assembly, location, &said, item.record.usage, gaps);
        } else if let Some(outcome) = object::<Outcome<'a>>(around.tool) {
            result(assembly, location, &outcome);
        } else if around.image.is_some() {
            assembly.push(location, EventKind::Other);
        } else {
            assembly.unknown(location);
        }
    }
}

fn add<'a>(
    assembly: &mut Assembly<'a>,
    location: RecordLocation<'a>,
    said: &Said<'a>,
    usage: Option<Raw<'a>>,
    gaps: &mut Gaps,
) {
    let location = RecordLocation { time: scalar(said.timestamp), ..location };
    let role = filled(said.role).unwrap_or_default().to_ascii_lowercase();
    let words = raw_text(said.content.filter(|words| words.get() != "\"\""));
    let event = match (&*role, words) {
        ("user", Some(words)) => EventKind::Prompt(words),
        ("assistant", Some(words)) => EventKind::Message(words),
        ("user" | "assistant" | "system", _) => EventKind::Other,
        _ => {
            assembly.count_unknown();
            EventKind::Other
        }
    };
    assembly.push(location.clone(), event);
    if role == "assistant" {
        assembly.model(filled(said.model));
        match object::<Tokens<'a>>(usage) {
            Some(tokens) => assembly.usage(None, spent(&tokens)),
            None => assembly.untold(None),
        }
    }
    for raw in elements(said.calls) {
        let Some(call) = object::<Call<'a>>(Some(raw)) else {
            gaps.malformed(location.line, "a call that is not an object");
            continue;
        };
        if let Some(key) = call.duplicate {
            gaps.twice(location.line, key, "a call");
        }
        let id = filled(call.id);
        let tool = filled(call.name).unwrap_or(Cow::Borrowed(""));
        let arguments = arguments(call.arguments);
        if assembly.repeats(id.as_deref(), &tool, &arguments) {
            continue;
        }
        let call =
            ToolCall { call_id: id.clone(), tool, arguments, cwd: None, status: Status::Missing, subagent: None };
        assembly.call(location.clone(), call, id);
    }
}

fn result<'a>(assembly: &mut Assembly<'a>, location: RecordLocation<'a>, outcome: &Outcome<'a>) {
    let id = filled(outcome.id);
    let output = object::<Output<'a>>(outcome.output).unwrap_or_default();
    let is_error = is_true(output.is_error);
    let text = elements(output.values).into_iter().find_map(|raw| object::<Value<'a>>(Some(raw))?.text);
    let status = if is_error { Status::Error } else { Status::Ok };
    let result = ToolResult { call_id: id.clone(), text: raw_text(text), is_error };
    assembly.result(location, result, status, id);
}

/// What was cached is part of the prompt.
fn spent(tokens: &Tokens<'_>) -> Usage {
    let mut counts = Counts::default();
    // A count is an estimate where it was not told.
    let told = |value| object::<Count<'_>>(value).and_then(|count| count.actual);
    let cached = counts.of(told(tokens.cached));
    Usage {
        requests: 1,
        input: counts.needed(told(tokens.input)).saturating_sub(cached),
        output: counts.needed(told(tokens.output)),
        cache_read: cached,
        partial: counts.is_partial,
        ..Usage::default()
    }
}
