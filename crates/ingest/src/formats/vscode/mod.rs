//! Copilot Chat in VS Code: a chat as one document, or as a log of changes to that document, which is replayed.
//!
//! A change may take calls off the screen: they ran all the same. So the replay keeps every request, and every part of
//! a response, that was there at any time.

mod invocation;
mod replay;
mod told;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, Numbering};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::record;
use crate::reader::Item;
use agent_strace_model::{Dialect, Session};
use replay::Chat;

/// Chats of VS Code (`workspaceStorage/*/chatSessions/*`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("vscode-chat", "copilot-vscode"),
    detect: Detect::Record(claims),
    read,
    homes: &[
        home("Code/User", "workspaceStorage/*/chatSessions/*.json*"),
        home("Code/User", "globalStorage/emptyWindowChatSessions/*.json*"),
        home("Code - Insiders/User", "workspaceStorage/*/chatSessions/*.json*"),
        home("Code - Insiders/User", "globalStorage/emptyWindowChatSessions/*.json*"),
        home("VSCodium/User", "workspaceStorage/*/chatSessions/*.json*"),
    ],
};

const fn home(folder: &'static str, logs: &'static str) -> Home {
    Home { variables: &[], base: Base::Config, folder, logs }
}

fn claims(head: &Head<'_>) -> bool {
    let of_chat = ["responderUsername", "requesterUsername", "initialLocation", "creationDate", "inputState"];
    if head.is_array("requests") {
        return of_chat.iter().any(|key| head.has(key));
    }
    match head.get("kind").map(super::super::json::Raw::get) {
        Some("0") => head.object("v").is_some_and(|chat| chat.is_array("requests") || chat.has("creationDate")),
        Some("1" | "2" | "3") => head.is_array("k") && head.has_only(&["kind", "k", "v", "i"]),
        _ => false,
    }
}

record! {
    /// A chat, or a change of one.
    pub(super) struct Entry {
        kind = "kind",
        path = "k",
        value = "v",
        at = "i",
        requests = "requests",
        session = "sessionId",
        repository = "repoData",
    }
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let assembly = Assembly::new(&FORMAT.dialect, &input.log.shown, Numbering::Ordinal);
    let mut chat = Chat::new(assembly);
    input.records("a record", gaps, |item: &Item<'a, Entry<'a>>, gaps| {
        chat.entry(item.line, item.json, &item.record, gaps);
    });
    vec![chat.finish(gaps)]
}
