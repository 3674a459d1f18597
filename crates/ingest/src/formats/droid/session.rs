//! Sessions: Anthropic's messages, one a line.

use std::borrow::Cow;

use super::{FAILED, FORMAT, STARTERS};
use crate::assembly::{Assembly, RecordLocation};
use crate::blocks::{self, Around, Block, plain_status};
use crate::formats::Input;
use crate::gaps::Gaps;
use crate::json::{Nested, Raw, elements, filled, object, record, scalar, text};
use crate::reader::Item;
use agent_strace_model::attribution::note;
use agent_strace_model::{EventKind, Session, Status};

record! {
    struct Entry {
        kind = "type",
        id = "id",
        timestamp = "timestamp",
        cwd = "cwd",
        owner = "owner",
        version = "version",
        calling = "callingSessionId",
        parent = "parentSessionId",
        message: Nested<Message<'a>> = "message",
    }
}

record! {
    struct Message { role = "role", content = "content" }
}

/// Reads one session.
pub(super) fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = input.session(&FORMAT.dialect);
    input.records("a record", gaps, |item: &Item<'a, Entry<'a>>, gaps| add(&mut assembly, item, gaps));
    vec![assembly.finish()]
}

fn add<'a>(assembly: &mut Assembly<'a>, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) {
    let Item { line, record, .. } = item;
    let kind = filled(record.kind).unwrap_or_default();
    let location = RecordLocation { line: *line, id: filled(record.id), time: scalar(record.timestamp) };
    match &*kind {
        "session_start" => {
            start(assembly, record);
            assembly.push(location.clone(), EventKind::Start);
        }
        "message" => {
            if !record.message.is_object() {
                gaps.malformed(*line, "a message record without its message");
            }
        }
        "compaction_state" => {
            let compactions = &mut assembly.session.evidence.compactions;
            *compactions = compactions.saturating_add(1);
            assembly.push(location.clone(), EventKind::Other);
        }
        "todo_state" | "session_end" => assembly.push(location.clone(), EventKind::Other),
        "" => gaps.malformed(*line, "a record without a `type`"),
        _ => assembly.unknown(location.clone()),
    }
    // Whatever its type says, a message may hold calls.
    if let Some(message) = record.message.object() {
        if let Some(key) = message.duplicate {
            gaps.twice(*line, key, "a message");
        }
        let around = Around { cwd: filled(record.cwd), ended, starters: STARTERS, ..Around::of(message.role) };
        blocks::add(assembly, &location, message.content, &around, gaps);
    }
}

fn start<'a>(assembly: &mut Assembly<'a>, record: &Entry<'a>) {
    assembly.id(filled(record.id));
    assembly.root(filled(record.cwd));
    let session = &mut assembly.session;
    note(&mut session.parent, filled(record.calling).or_else(|| filled(record.parent)));
    note(&mut session.attribution.user, filled(record.owner));
    // A bare number is the version of the layout.
    note(&mut session.attribution.version, filled(record.version).filter(|version| version.contains('.')));
}

/// Results seldom say that they are errors; the words of the harness do.
fn ended(block: &Block<'_>, tool: &str) -> Status {
    if tool == "Execute" && first_text(block.content).is_some_and(|text| text.starts_with(FAILED)) {
        return Status::Error;
    }
    plain_status(block)
}

record! {
    struct Part { text = "text" }
}

fn first_text(content: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    text(content).or_else(|| text(object::<Part<'_>>(elements(content).first().copied())?.text))
}
