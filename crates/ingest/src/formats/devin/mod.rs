//! Devin's terminal agent: sessions of its database. Messages form a tree; branches that were left ran like all others.

mod database;
mod transcript;

use super::{Detect, Format, Input};
use crate::assembly::RecordLocation;
use crate::chat::{self, Manner, Message};
use crate::gaps::Gaps;
use crate::json::{Raw, filled, is, is_array, object, record, scalar};
use crate::reader::{Item, LineCounter, Reader};
use agent_strace_model::{Dialect, EventKind, RawText, Session};
pub(super) use database::DATABASE;
pub(super) use transcript::TRANSCRIPT;

/// A session of `cli/sessions.db`.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("devin", "devin"),
    detect: Detect::Record(|head| head.is_string("devin_session") && head.is_array("nodes")),
    read,
    homes: &[],
};

record! {
    struct Entry {
        id = "devin_session",
        directory = "working_directory",
        model = "model",
        created = "created_at",
        nodes = "nodes",
    }
}

record! {
    struct Node { id = "node_id", created = "created_at", message = "chat_message" }
}

record! {
    struct Thought { thinking = "thinking" }
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut sessions = Vec::new();
    input.records("a session", gaps, |item: &Item<'a, Entry<'a>>, gaps| sessions.push(session(input, item, gaps)));
    sessions
}

fn session<'a>(input: &Input<'a>, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) -> Session<'a> {
    let Item { line, record: entry, json } = item;
    let mut assembly = input.session(&FORMAT.dialect);
    assembly.id(filled(entry.id));
    assembly.root(filled(entry.directory));
    assembly.model(filled(entry.model));
    let location = RecordLocation { line: *line, id: None, time: scalar(entry.created) };
    assembly.push(location, EventKind::Start);
    let Some(nodes) = entry.nodes.filter(|nodes| is_array(Some(*nodes))) else {
        gaps.malformed(*line, "the messages of the session are not a list");
        return assembly.finish();
    };
    let start = LineCounter::new(json, *line).line_of(nodes.get());
    let mut reader = Reader::nested(nodes.get(), start);
    while let Some(item) = reader.next::<Node<'a>>(gaps) {
        let location =
            RecordLocation { line: item.line, id: scalar(item.record.id), time: scalar(item.record.created) };
        let Some(mut message) = object::<Message<'a>>(item.record.message) else {
            gaps.malformed(item.line, "a message that is not an object");
            continue;
        };
        if is(message.role, "agent") {
            message.role = Some(Raw::new("\"assistant\""));
        }
        let thought = object::<Thought<'a>>(item.record.message).and_then(|thought| thought.thinking);
        if let Some(thought) = thought.filter(|thought| thought.get().starts_with('"') && thought.get() != "\"\"") {
            assembly.push(location.clone(), EventKind::Reasoning(RawText::Json(thought.get())));
        }
        chat::add(&mut assembly, &location, &message, &Manner::default(), gaps);
    }
    assembly.finish()
}
