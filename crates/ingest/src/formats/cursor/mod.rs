//! Cursor: the editor's transcripts, which hold words and calls but nothing about how calls ended, their older form as
//! plain text, and the output of a run of its command line.

mod chats;
mod database;
mod stream;
mod text;
mod workspaces;

use std::borrow::Cow;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::blocks::{self, Around};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{Raw, elements, filled, is, object, record};
use crate::reader::Reader;
use agent_strace_model::dialect::Carries;
use agent_strace_model::{Dialect, EventKind, Session};
pub(super) use database::{DATABASE, STORE};

/// The editor's transcripts (`~/.cursor/projects/**/agent-transcripts/**`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("cursor", "cursor").carrying(Carries::SomeCalls(
        "some versions of the editor leave all calls out of its transcripts, and none records how a call ended",
    )),
    detect: Detect::Record(claims),
    read,
    homes: &[Home {
        variables: &[],
        base: Base::Home,
        folder: ".cursor",
        logs: "projects/*/agent-transcripts/**/*.jsonl",
    }],
};

/// The editor's transcripts before they became JSON.
pub(super) static TEXT: Format = Format {
    dialect: Dialect::new("cursor-text", "cursor").carrying(Carries::SomeCalls(
        "a transcript as plain text: where an argument ends is not certain, and nothing says how a call ended",
    )),
    detect: Detect::Text(text::begins),
    read: text::read,
    homes: &[Home {
        variables: &[],
        base: Base::Home,
        folder: ".cursor",
        logs: "projects/*/agent-transcripts/**/*.txt",
    }],
};

/// The output of a run (`cursor-agent --output-format stream-json`).
pub(super) static STREAM: Format = Format {
    dialect: Dialect::new("cursor-stream", "cursor").end_printed(),
    detect: Detect::Record(stream::claims),
    read: stream::read,
    homes: &[],
};

/// Chats in the editor's database, with the ends of calls.
pub(super) static CHATS: Format = Format {
    dialect: Dialect::new("cursor-chat", "cursor"),
    detect: Detect::Record(|head| head.is_string("cursor_chat") && head.is_array("bubbles")),
    read: chats::read,
    homes: &[],
};

/// Sessions of the command line in its own store.
pub(super) static CLI_SESSIONS: Format = Format {
    dialect: Dialect::new("cursor-cli", "cursor"),
    detect: Detect::Record(|head| head.is_string("cursor_cli_session") && head.is_array("messages")),
    read: chats::read_cli,
    homes: &[],
};

fn claims(head: &Head<'_>) -> bool {
    let spoken = (head.is("role", "user") || head.is("role", "assistant"))
        && head.has_only(&["role", "message", "timestamp"])
        && head.object("message").is_some_and(|message| message.has("content") && !message.has("role"));
    spoken || head.is("type", "turn_ended") && head.has_only(&["type", "status", "reason", "error", "timestamp"])
}

record! {
    struct Entry { role = "role", message = "message", kind = "type" }
}

record! {
    struct Message { content = "content" }
}

record! {
    struct Part { text = "text" }
}

/// Tools that start another agent.
const STARTERS: &[&str] = &["Task", "Agent", "Subagent"];

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = Assembly::new(&FORMAT.dialect, &input.log.shown, Numbering::Ordinal);
    assembly.session.parent = parent(&input.log.shown).map(|id| Cow::Owned(id.to_owned()));
    let mut reader = Reader::new(input.text, input.shape);
    while let Some(item) = reader.next::<Entry<'a>>(gaps) {
        let (line, entry) = (item.line, &item.record);
        if let Some(key) = entry.duplicate {
            gaps.twice(line, key, "a record");
        }
        let location = RecordLocation { line, id: None, time: None };
        if let Some(message) = object::<Message<'a>>(entry.message) {
            if is(entry.role, "user") {
                assembly.root(workspace(message.content));
            }
            let around = Around { starters: STARTERS, ..Around::of(entry.role) };
            blocks::add(&mut assembly, &location, message.content, &around, gaps);
        } else if entry.role.is_some() || entry.message.is_some() {
            gaps.malformed(line, "a record without a readable message");
        } else if is(entry.kind, "turn_ended") {
            assembly.push(location, EventKind::Other);
        } else {
            assembly.unknown(location);
        }
    }
    vec![assembly.finish()]
}

/// A sub-agent's transcript lies below the one of the session that started it: `<session>/subagents/<id>.jsonl`.
fn parent(shown: &str) -> Option<&str> {
    let (folder, _) = shown.rsplit_once('/')?;
    let session = folder.strip_suffix("/subagents")?;
    Some(session.rsplit_once('/').map_or(session, |(_, name)| name)).filter(|name| !name.is_empty())
}

/// The editor puts the workspace into the first prompt.
fn workspace(content: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    let first = object::<Part<'_>>(elements(content).first().copied())?.text;
    let text = filled(first.filter(|text| text.get().starts_with("\"<user_info>")))?;
    let (info, _) = text.split_once("</user_info>")?;
    let path = info.lines().find_map(|line| line.strip_prefix("Workspace Path: "))?.trim();
    (!path.is_empty()).then(|| Cow::Owned(path.to_owned()))
}
