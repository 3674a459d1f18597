//! `DeepSeek` TUI and `CodeWhale`: one document per session, metadata and messages in blocks.

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, RecordLocation};
use crate::blocks::{self, Around};
use crate::gaps::Gaps;
use crate::json::{Nested, filled, is_array, record, scalar};
use crate::reader::{Item, Reader};
use agent_strace_model::{Dialect, EventKind, Session};

record! {
    struct Document { metadata: Nested<Metadata<'a>> = "metadata", messages = "messages" }
}

record! {
    struct Metadata { id = "id", workspace = "workspace", model = "model", created = "created_at" }
}

record! {
    struct Message { role = "role", content = "content" }
}

/// Sessions of `CodeWhale` (`~/.codewhale/sessions/*.json`), and of what it was called before.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("codewhale", "codewhale"),
    detect: Detect::Record(|head| {
        let described = |meta: &crate::head::Head<'_>| meta.is_string("workspace") && meta.is_string("model");
        head.is_array("messages") && head.object("metadata").is_some_and(|meta| described(&meta))
    }),
    read,
    homes: &[
        Home { variables: &[], base: Base::Home, folder: ".codewhale", logs: "sessions/*.json" },
        Home { variables: &[], base: Base::Home, folder: ".deepseek", logs: "sessions/*.json" },
    ],
};

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut sessions = Vec::new();
    input.records("a session", gaps, |item: &Item<'a, Document<'a>>, gaps| {
        sessions.push(session(input.session(&FORMAT.dialect), item, gaps));
    });
    sessions
}

fn session<'a>(mut assembly: Assembly<'a>, item: &Item<'a, Document<'a>>, gaps: &mut Gaps) -> Session<'a> {
    let Item { line, record, json } = item;
    if let Some(metadata) = record.metadata.object() {
        assembly.id(filled(metadata.id));
        assembly.root(filled(metadata.workspace));
        assembly.model(filled(metadata.model));
        let time = scalar(metadata.created);
        assembly.push(RecordLocation { line: *line, id: None, time }, EventKind::Start);
    }
    let Some(list) = record.messages.filter(|list| is_array(Some(*list))) else {
        gaps.malformed(*line, "a session whose messages are not a list");
        return assembly.finish();
    };
    let mut reader = Reader::of_field(json, *line, list);
    while let Some(message) = reader.next::<Message<'a>>(gaps) {
        if let Some(key) = message.record.duplicate {
            gaps.twice(message.line, key, "a message");
        }
        let location = RecordLocation { line: message.line, id: None, time: None };
        blocks::add(&mut assembly, &location, message.record.content, &Around::of(message.record.role), gaps);
    }
    assembly.finish()
}
