//! Terminus: answers that are JSON with keys for a terminal. Keys may be a part of a line, or `C-c`.

use std::borrow::Cow;

use super::{Detect, Format, Input};
use crate::assembly::{Assembly, RecordLocation};
use crate::gaps::Gaps;
use crate::json::{Raw, elements, filled, is, is_array, object, parse, record, text};
use crate::reader::{Item, Reader};
use agent_strace_model::{Arguments, Dialect, EventKind, RawText, Session, Status, ToolCall};

record! {
    struct Document {
        conversations = "conversations",
        trial = "trial_name",
        task = "task",
        model = "model",
        agent = "agent",
    }
}

record! {
    struct Message { role = "role", content = "content" }
}

record! {
    struct Answer { commands = "commands" }
}

record! {
    struct Keys { keystrokes = "keystrokes" }
}

/// A line that is typed in pieces is followed up to this length.
const MAX_LINE: usize = 4 << 10;

/// Conversations of Terminus and Terminus-2.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("terminus", "terminus").shell_stays(),
    detect: Detect::Record(|head| {
        let spoken =
            head.first("conversations").is_some_and(|message| message.is_string("role") && message.has("content"));
        spoken && (head.has("trial_name") || head.has("task") || head.has("agent"))
    }),
    read,
    homes: &[],
};

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut sessions = Vec::new();
    input.records("a session", gaps, |item: &Item<'a, Document<'a>>, gaps| {
        sessions.push(session(input.session(&FORMAT.dialect), item, gaps));
    });
    sessions
}

fn session<'a>(mut assembly: Assembly<'a>, item: &Item<'a, Document<'a>>, gaps: &mut Gaps) -> Session<'a> {
    let document = &item.record;
    assembly.id(filled(document.trial).or_else(|| filled(document.task)));
    if let Some(agent) = filled(document.agent) {
        assembly.session.agent = agent;
    }
    assembly.model(filled(document.model));
    let Some(list) = document.conversations.filter(|list| is_array(Some(*list))) else {
        gaps.malformed(item.line, "the conversation of a session is not a list");
        return assembly.finish();
    };
    let mut reader = Reader::of_field(item.json, item.line, list);
    let mut typed = String::new();
    while let Some(message) = reader.next::<Message<'a>>(gaps) {
        let location = RecordLocation { line: message.line, id: None, time: None };
        add(&mut assembly, &location, &message.record, &mut typed, gaps);
    }
    assembly.finish()
}

fn add<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    message: &Message<'a>,
    typed: &mut String,
    gaps: &mut Gaps,
) {
    let words = message.content.map(|words: Raw<'a>| RawText::Json(words.get()));
    if !is(message.role, "assistant") {
        let kind = words.filter(|_| is(message.role, "user")).map_or(EventKind::Other, EventKind::Prompt);
        return assembly.push(location.clone(), kind);
    }
    assembly.push(location.clone(), words.map_or(EventKind::Other, EventKind::Message));
    let spoken = text(message.content).unwrap_or_default();
    let Some(json) = answer(&spoken) else {
        // An answer without one is asked for again. A broken one ran as far as the agent could read it.
        if spoken.contains("\"keystrokes\"") {
            gaps.malformed(location.line, "an answer with keystrokes that can't be read");
        }
        return;
    };
    let commands = parse::<Answer<'_>>(json).and_then(|answer| answer.commands);
    for raw in elements(commands) {
        let keys = object::<Keys<'_>>(Some(raw)).and_then(|keys| keys.keystrokes);
        let arguments = match keys {
            Some(keys) => Arguments::Json(Cow::Owned(line(typed, &text(Some(keys)).unwrap_or_default()))),
            None => Arguments::Missing,
        };
        let call = ToolCall {
            call_id: None,
            tool: Cow::Borrowed("keystrokes"),
            arguments,
            cwd: None,
            status: Status::Missing,
            subagent: None,
        };
        assembly.call(location.clone(), call, None);
    }
}

/// Keys as arguments: the whole line they go on with, since a shell sees what was typed before them. `typed` is what no
/// return has ended.
fn line(typed: &mut String, keys: &str) -> String {
    let is_control = keys.starts_with("C-") && keys.len() < 6;
    if is_control || typed.len() > MAX_LINE {
        typed.clear();
    }
    if is_control {
        return format!("{{\"keystrokes\":\"\",\"key\":{}}}", serde_json::Value::from(keys));
    }
    let line = format!("{typed}{keys}");
    typed.clear();
    typed.push_str(line.rsplit('\n').next().unwrap_or(""));
    format!("{{\"keystrokes\":{}}}", serde_json::Value::from(line))
}

/// From the first brace of an answer to its last one, where that is an object.
fn answer(spoken: &str) -> Option<&str> {
    let json = spoken.get(spoken.find('{')?..=spoken.rfind('}')?)?;
    parse::<Answer<'_>>(json).map(|_| json)
}
