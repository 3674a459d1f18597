//! Zencoder: a header, then messages of the Vercel AI SDK. The directory stands in the words of the system message.

use std::borrow::Cow;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::RecordLocation;
use crate::blocks::{self, Around};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{elements, filled, is, is_array, is_string, object, record, scalar, text};
use crate::paths::is_rooted;
use crate::reader::Item;
use agent_strace_model::{Dialect, EventKind, Session};

record! {
    struct Message {
        role = "role",
        kind = "type",
        content = "content",
        id = "id",
        time = "timestamp",
        created = "createdAt",
    }
}

/// Sessions of Zencoder (`~/.zencoder/sessions/*.jsonl`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("zencoder", "zencoder"),
    detect: Detect::Record(is_message),
    read,
    homes: &[Home { variables: &[], base: Base::Home, folder: ".zencoder", logs: "sessions/*.jsonl" }],
};

/// A message with a call or a result as only the SDK writes them, and without the id of a session.
fn is_message(head: &Head<'_>) -> bool {
    let speaks = ["assistant", "tool"].iter().any(|role| head.is("role", role) || head.is("type", role));
    let is_part = |block: Head<'_>| {
        (block.is("type", "tool-call") || block.is("type", "tool-result")) && block.is_string("toolCallId")
    };
    speaks
        && !head.has("sessionId")
        && !head.has("message")
        && elements(head.get("content")).into_iter().filter_map(|raw| object(Some(raw))).any(is_part)
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = input.session(&FORMAT.dialect);
    input.records("a message", gaps, |item: &Item<'a, Message<'a>>, gaps| {
        let Item { line, record, .. } = item;
        let location =
            RecordLocation { line: *line, id: None, time: scalar(record.time).or_else(|| scalar(record.created)) };
        let role = record.role.or(record.kind);
        match &*filled(role).unwrap_or_default() {
            "system" | "user" | "assistant" | "tool" if is_array(record.content) || is_string(record.content) => {
                if is(role, "system") {
                    assembly.root(text(record.content).and_then(|words| directory(&words)));
                }
                let around = Around { ended: blocks::sdk_status, ..Around::of(role) };
                blocks::add(&mut assembly, &location, record.content, &around, gaps);
            }
            "finish" => assembly.push(location, EventKind::Other),
            // The header.
            _ if record.content.is_none() && *line == 1 => {
                assembly.id(filled(record.id));
                assembly.push(location, EventKind::Start);
            }
            _ => assembly.unknown(location),
        }
    });
    assembly.id(Some(Cow::Borrowed(input.log.name())));
    vec![assembly.finish()]
}

/// The directory that the host names in its first message.
fn directory(words: &str) -> Option<Cow<'static, str>> {
    let path = words.lines().find_map(|line| line.trim().strip_prefix("Working directory:"))?.trim();
    is_rooted(path).then(|| Cow::Owned(path.to_owned()))
}
