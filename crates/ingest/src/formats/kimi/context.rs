//! `context.jsonl`: the messages that are sent to the model, and notes between them.

use super::Chat;
use crate::assembly::RecordLocation;
use crate::chat::{self, Manner};
use crate::gaps::Gaps;
use crate::json::{Raw, elements, filled, object, record, text};
use agent_strace_model::{EventKind, Status};

record! {
    struct Part { text = "text" }
}

pub(super) fn record<'a>(chat: &mut Chat<'a>, location: &RecordLocation<'a>, json: &'a str, gaps: &mut Gaps) {
    let Some(message) = object::<chat::Message<'a>>(Some(Raw::new(json))) else {
        return gaps.malformed(location.line, "a message that is not an object");
    };
    if matches!(filled(message.role).as_deref(), Some("_system_prompt" | "_checkpoint" | "_usage")) {
        return chat.assembly.push(location.clone(), EventKind::Other);
    }
    let outcome = if failed(message.content) { Status::Error } else { Status::Ok };
    let manner = Manner { outcome, ..Manner::default() };
    chat::add(&mut chat.assembly, location, &message, &manner, gaps);
}

/// The agent puts its own note before the output of a call that failed.
fn failed(content: Option<Raw<'_>>) -> bool {
    let first = || text(object::<Part<'_>>(elements(content).first().copied())?.text);
    text(content).or_else(first).is_some_and(|text| text.starts_with("<system>ERROR:"))
}
