//! `OpenCode`: a session as one exported document, as the events of a run or of its server, and as the many small
//! files of its storage, and as rows of its database. All hold the same three things: sessions, messages, and parts of messages.

mod chat;
mod database;
mod events;
mod part;
mod status;
mod stored;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::{Base, Companion, Detect, Format, Home, Input};
use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{Raw, filled, is_object, object, raw_text, record, scalar};
use crate::reader::{Item, LineCounter, Reader};
use agent_strace_model::dialect::Carries;
use agent_strace_model::{Dialect, EventKind, Session};
use chat::Chat;
pub(super) use database::DATABASE;

/// An exported session (`opencode export`), the events of a run (`opencode run --format json`) or of the server.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("opencode", "opencode"),
    detect: Detect::Record(claims),
    read: |input, gaps| read(input, &FORMAT.dialect, gaps),
    homes: &[],
};

/// One file of the storage that `OpenCode` kept before its database: a session, a message or a part of one.
pub(super) static STORAGE: Format = Format {
    dialect: Dialect::new("opencode-storage", "opencode")
        .carrying(Carries::SomeCalls("each part of a session is a file of its own: export the session")),
    detect: Detect::Record(claims_stored),
    read: |input, gaps| read(input, &STORAGE.dialect, gaps),
    homes: &[
        Home { variables: &[], base: Base::Data, folder: "opencode", logs: "storage/session/**/*.json" },
        Home { variables: &[], base: Base::Data, folder: "opencode", logs: "storage/message/**/*.json" },
        Home { variables: &[], base: Base::Data, folder: "opencode", logs: "storage/part/**/*.json" },
        Home { variables: &[], base: Base::Data, folder: "opencode", logs: "project/**/storage/session/**/*.json" },
    ],
};

/// The storage's note of a project.
pub(super) const PROJECT: Companion = (
    |head| head.is_string("worktree") && head.is_string("id") && head.is_object("time"),
    "not a log: OpenCode's note of a project",
);

fn claims(head: &Head<'_>) -> bool {
    if head.is_array("messages") {
        return head.object("info").is_some_and(|info| {
            info.is_string("id")
                && (info.is_string("directory") || info.is_string("projectID") || info.is_object("time"))
        });
    }
    let bus =
        |head: &Head<'_>| head.is_object("properties") && head.text("type").is_some_and(|kind| kind.contains('.'));
    let of_run = head.is_string("type") && head.is_string("sessionID");
    let part = head.object("part").is_some_and(|part| part.is_string("type") && part.is_string("messageID"));
    (of_run && (part || head.is_object("error")))
        || bus(head)
        || head.object("payload").is_some_and(|event| bus(&event))
}

fn claims_stored(head: &Head<'_>) -> bool {
    let named = head.is_string("id");
    let session = head.is_string("projectID") && head.is_object("time");
    let message = head.is_string("sessionID") && head.is_string("role") && head.is_object("time");
    let part = head.is_string("messageID") && head.is_string("type");
    named && (session || message || part)
}

record! {
    /// Whatever a record may be: an export, an event, or one thing of the storage.
    struct Entry {
        kind = "type",
        info = "info",
        messages = "messages",
        properties = "properties",
        payload = "payload",
        part = "part",
        session = "sessionID",
        message = "messageID",
        role = "role",
        project = "projectID",
        directory = "directory",
        timestamp = "timestamp",
        error = "error",
    }
}

record! {
    /// What an event of the server is about.
    struct Properties { info = "info", part = "part", session = "sessionID" }
}

record! {
    struct Message { info = "info", parts = "parts" }
}

record! {
    struct Fault { name = "name", data = "data" }
}

record! {
    struct Detail { message = "message" }
}

/// Why the model could not be asked, in as many words as there are.
fn failure(error: Option<Raw<'_>>) -> EventKind<'_> {
    let fault = object::<Fault<'_>>(error).unwrap_or_default();
    let said = object::<Detail<'_>>(fault.data).and_then(|detail| detail.message).or(fault.name);
    raw_text(said).map_or(EventKind::Other, EventKind::Failure)
}

record! {
    struct Owner { session = "sessionID" }
}

fn read<'a>(input: &Input<'a>, dialect: &'static Dialect, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut chats = Chats { dialect, shown: &input.log.shown, list: BTreeMap::new(), known: HashMap::new() };
    input.records("a record", gaps, |item: &Item<'a, Entry<'a>>, gaps| {
        chats.entry(item.line, item.json, &item.record, gaps);
    });
    chats.list.into_values().map(Chat::finish).collect()
}

/// Sessions of one log: a server's events mix those of all its sessions.
struct Chats<'a, 'l> {
    dialect: &'static Dialect,
    shown: &'l str,
    /// In order of appearance.
    list: BTreeMap<usize, Chat<'a>>,
    known: HashMap<Cow<'a, str>, usize>,
}

impl<'a> Chats<'a, '_> {
    fn entry(&mut self, line: u32, json: &'a str, entry: &Entry<'a>, gaps: &mut Gaps) {
        let location = RecordLocation { line, id: None, time: scalar(entry.timestamp) };
        let kind = filled(entry.kind).unwrap_or_default();
        if entry.messages.is_some() || (entry.info.is_some() && kind.is_empty()) {
            self.export(line, json, entry, gaps);
        } else if entry.properties.is_some() {
            self.bus(location, &kind, entry.properties, gaps);
        } else if let Some(event) = object::<Entry<'a>>(entry.payload) {
            let kind = filled(event.kind).unwrap_or_default();
            self.bus(location, &kind, event.properties, gaps);
        } else if is_object(entry.part) {
            self.part(location, entry.part, entry.session, gaps);
        } else if entry.message.is_some() {
            self.part(location, Some(Raw::new(json)), entry.session, gaps);
        } else if entry.role.is_some() {
            self.chat(filled(entry.session)).message(&location, Some(Raw::new(json)), gaps);
        } else if entry.project.is_some() || entry.directory.is_some() {
            self.session(location, Some(Raw::new(json)));
        } else if entry.session.is_some() && !kind.is_empty() {
            let assembly = &mut self.chat(filled(entry.session)).assembly;
            if kind == "error" {
                assembly.push(location, failure(entry.error));
            } else {
                assembly.unknown(location);
            }
        } else {
            gaps.unknown_record(line, "a record that is no session, no message and no part of one");
        }
    }

    /// The session of this id; what names none belongs to the latest.
    fn chat(&mut self, id: Option<Cow<'a, str>>) -> &mut Chat<'a> {
        let latest = self.list.len().checked_sub(1);
        let known = match &id {
            Some(id) => self.known.get(id).copied(),
            None => latest,
        };
        let at = known.unwrap_or(self.list.len());
        if known.is_none() {
            self.known.extend(id.clone().map(|id| (id, at)));
        }
        let (dialect, shown) = (self.dialect, self.shown);
        self.list.entry(at).or_insert_with(|| {
            let mut assembly = Assembly::new(dialect, shown, Numbering::Ordinal);
            assembly.id(id);
            Chat::new(assembly)
        })
    }

    fn session(&mut self, location: RecordLocation<'a>, info: Option<Raw<'a>>) {
        let id = object::<chat::Info<'a>>(info).and_then(|info| filled(info.id));
        self.chat(id).session(location, info);
    }

    fn part(&mut self, location: RecordLocation<'a>, part: Option<Raw<'a>>, session: Option<Raw<'a>>, gaps: &mut Gaps) {
        let owner = object::<Owner<'a>>(part).and_then(|owner| filled(owner.session));
        self.chat(owner.or_else(|| filled(session))).part(location, part, gaps);
    }

    fn export(&mut self, line: u32, json: &'a str, entry: &Entry<'a>, gaps: &mut Gaps) {
        let mut lines = LineCounter::new(json, line);
        let location = RecordLocation { line, id: None, time: None };
        if is_object(entry.info) {
            self.session(location, entry.info);
        } else {
            gaps.malformed(line, "the session's own record is not an object");
        }
        let Some(list) = entry.messages.filter(|list| list.get().starts_with('[')) else {
            return gaps.malformed(line, "the messages of the session are not a list");
        };
        let id = object::<chat::Info<'a>>(entry.info).and_then(|info| filled(info.id));
        let chat = self.chat(id);
        let mut reader = Reader::nested(list.get(), lines.line_of(list.get()));
        while let Some(item) = reader.next::<Message<'a>>(gaps) {
            if let Some(key) = item.record.duplicate {
                gaps.twice(item.line, key, "a message");
            }
            chat.exported(&item, gaps);
        }
    }

    fn bus(&mut self, location: RecordLocation<'a>, kind: &str, properties: Option<Raw<'a>>, gaps: &mut Gaps) {
        let about = object::<Properties<'a>>(properties).unwrap_or_default();
        match kind {
            "message.part.updated" => self.part(location, about.part, about.session, gaps),
            "message.updated" => {
                let owner = object::<Owner<'a>>(about.info).and_then(|owner| filled(owner.session));
                self.chat(owner.or_else(|| filled(about.session))).message(&location, about.info, gaps);
            }
            "session.created" | "session.updated" => self.session(location, about.info),
            "message.removed" | "message.part.removed" => {
                self.chat(filled(about.session)).removed(location);
            }
            "session.compacted" => self.chat(filled(about.session)).compacted(location),
            _ if about.part.is_some() => {
                self.chat(filled(about.session)).assembly.unknown(location.clone());
                self.part(location, about.part, about.session, gaps);
            }
            // What the server says to its windows; without a session there is nobody to tell it of.
            _ if self.list.is_empty() => {}
            _ => self.chat(filled(about.session)).assembly.push(location, EventKind::Other),
        }
    }
}
