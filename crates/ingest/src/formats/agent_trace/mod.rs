//! agent-trace.dev records: which lines of which file an agent wrote. They prove authorship, never calls.
//!
//! Two dialects: the specification's (one record for a change of several files), and a flat one with a session on
//! each line.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{Raw, elements, filled, is, object, record, scalar};
use crate::reader::{Item, Reader};
use agent_strace_model::attribution::{note, note_each};
use agent_strace_model::dialect::Carries;
use agent_strace_model::{Access, Dialect, EventKind, FileEvent, Session};

pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("agent-trace", "agent-trace").carrying(Carries::Authorship),
    detect: Detect::Record(claims),
    read,
    homes: &[Home { variables: &[], base: Base::Project, folder: ".agent-trace", logs: "*.jsonl" }],
};

fn claims(head: &Head<'_>) -> bool {
    let flat = head.text("schema").is_some_and(|schema| schema.starts_with("agent-trace/"));
    let change = head.is_string("version")
        && head.is_string("id")
        && head.first("files").is_some_and(|file| file.is_string("path") && file.is_array("conversations"));
    flat || change
}

record! {
    struct Line {
        schema = "schema",
        session = "session_id",
        path = "file_path",
        files = "files",
        id = "id",
        timestamp = "timestamp",
        tool = "tool",
        vcs = "vcs",
    }
}

record! {
    struct NamedVersion { name = "name", version = "version", revision = "revision" }
}

record! {
    struct Changed { path = "path", conversations = "conversations" }
}

record! {
    struct Conversation { contributor = "contributor" }
}

record! {
    struct Contributor { kind = "type", model = "model_id" }
}

/// Sessions in the order in which the file first names them.
fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut sessions: Vec<Assembly<'a>> = Vec::new();
    let mut indices: BTreeMap<Cow<'a, str>, usize> = BTreeMap::new();
    let mut reader = Reader::new(input.text, input.shape);
    while let Some(item) = reader.next::<Line<'a>>(gaps) {
        if let Some(key) = item.record.duplicate {
            gaps.twice(item.line, key, "a record");
        }
        let id = filled(item.record.session).unwrap_or_default();
        let at = *indices.entry(id.clone()).or_insert_with(|| {
            let mut assembly = Assembly::new(&FORMAT.dialect, &input.log.shown, Numbering::Ordinal);
            assembly.id(Some(id));
            sessions.push(assembly);
            sessions.len() - 1
        });
        if let Some(assembly) = sessions.get_mut(at) {
            line(assembly, &item, gaps);
        }
    }
    sessions.into_iter().map(Assembly::finish).collect()
}

fn line<'a>(assembly: &mut Assembly<'a>, item: &Item<'a, Line<'a>>, gaps: &mut Gaps) {
    let record = &item.record;
    let location = RecordLocation { line: item.line, id: filled(record.id), time: scalar(record.timestamp) };
    let write = |target| EventKind::File(FileEvent { access: Access::Write, target });
    if let Some(path) = filled(record.path) {
        return assembly.push(location, write(path));
    }
    let tool = object::<NamedVersion<'a>>(record.tool).unwrap_or_default();
    if let Some(name) = filled(tool.name) {
        assembly.session.agent = name;
    }
    let attribution = &mut assembly.session.attribution;
    note(&mut attribution.version, filled(tool.version));
    note(&mut attribution.commit, object::<NamedVersion<'a>>(record.vcs).and_then(|vcs| filled(vcs.revision)));
    if record.files.is_none_or(|files| !files.get().starts_with('[')) {
        gaps.malformed(item.line, "a record that names no file");
    }
    for raw in elements(record.files) {
        match object::<Changed<'a>>(Some(raw)) {
            Some(file) if by_agent(&mut assembly.session, file.conversations) => match filled(file.path) {
                Some(path) => assembly.push(location.clone(), write(path)),
                None => gaps.malformed(item.line, "a changed file without its path"),
            },
            Some(_) => assembly.push(location.clone(), EventKind::Other),
            None => gaps.malformed(item.line, "a changed file that is not an object"),
        }
    }
}

/// Whether an agent wrote some of it: whoever is not said to be a person may be one.
fn by_agent<'a>(session: &mut Session<'a>, conversations: Option<Raw<'a>>) -> bool {
    let mut by_agent = false;
    for raw in elements(conversations) {
        let conversation = object::<Conversation<'a>>(Some(raw)).unwrap_or_default();
        let contributor = object::<Contributor<'a>>(conversation.contributor).unwrap_or_default();
        note_each(&mut session.attribution.models, filled(contributor.model));
        by_agent |= !is(contributor.kind, "human");
    }
    by_agent
}
