//! Sessions of Kiro's editor. They hold what was said; the calls lie elsewhere, as executions.

use super::IDE;
use crate::assembly::RecordLocation;
use crate::chat::{self, Manner, Message};
use crate::formats::Input;
use crate::gaps::Gaps;
use crate::json::{filled, is_array, object, record};
use crate::reader::{Item, Reader};
use agent_strace_model::{EventKind, Session};

record! {
    struct Document { id = "sessionId", root = "workspaceDirectory", history = "history" }
}

record! {
    struct Turn { message = "message" }
}

pub(super) fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut sessions = Vec::new();
    input.records("a session", gaps, |item: &Item<'a, Document<'a>>, gaps| {
        let mut assembly = input.session(&IDE.dialect);
        assembly.id(filled(item.record.id));
        assembly.root(filled(item.record.root));
        assembly.push(RecordLocation { line: item.line, id: None, time: None }, EventKind::Start);
        match item.record.history.filter(|history| is_array(Some(*history))) {
            Some(history) => {
                let mut reader = Reader::of_field(item.json, item.line, history);
                while let Some(turn) = reader.next::<Turn<'a>>(gaps) {
                    let location = RecordLocation { line: turn.line, id: None, time: None };
                    match object::<Message<'a>>(turn.record.message) {
                        Some(message) => chat::add(&mut assembly, &location, &message, &Manner::default(), gaps),
                        None => gaps.malformed(turn.line, "a turn without a readable message"),
                    }
                }
            }
            None => gaps.malformed(item.line, "a session whose history is not a list"),
        }
        sessions.push(assembly.finish());
    });
    sessions
}
