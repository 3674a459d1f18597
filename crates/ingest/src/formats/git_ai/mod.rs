//! git-ai notes: which lines of a commit which agent wrote. They prove authorship and name sessions, never calls.
//!
//! Two generations: a block of attested lines, `---` and JSON (`authorship/3.0.0`), and JSON alone (`authorship/0.0.1`),
//! in which agents and people are authors alike.

use std::borrow::Cow;

use memchr::memmem;

use super::{Detect, Format, Input};
use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{Raw, fields, filled, object, parse, record};
use agent_strace_model::attribution::{note, note_each};
use agent_strace_model::dialect::Carries;
use agent_strace_model::{Access, Dialect, EventKind, FileEvent, GapKind, Session};

/// The note of a commit (`refs/notes/ai`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("git-ai-note", "git-ai").carrying(Carries::Authorship),
    detect: Detect::Text(|text| split(text).is_some()),
    read,
    homes: &[],
};

/// The earlier JSON (`refs/ai/authorship/<commit>`).
pub(super) static EARLIER: Format = Format {
    dialect: Dialect::new("git-ai-authorship", "git-ai").carrying(Carries::Authorship),
    detect: Detect::Record(claims),
    read: read_earlier,
    homes: &[],
};

fn claims(head: &Head<'_>) -> bool {
    let versioned = head.text("schema_version").is_none_or(|version| version.starts_with("authorship/"));
    let first = head.get("files").and_then(|files| fields(files.get())?.into_values().next());
    let attributed = || object::<File<'_>>(first).is_some_and(|file| file.authors.is_some());
    head.is_object("files")
        && head.has_only(&["files", "schema_version"])
        && versioned
        && (first.is_none() || attributed())
}

record! {
    struct Note { version = "schema_version", commit = "base_commit_sha", prompts = "prompts", sessions = "sessions" }
}

record! {
    struct Writer { agent = "agent_id", human = "human_author" }
}

record! {
    struct Agent { tool = "tool", id = "id", model = "model" }
}

record! {
    struct Earlier { files = "files" }
}

record! {
    struct File { authors = "authors" }
}

/// The attested lines and the JSON of a note.
fn split(text: &str) -> Option<(&str, &str)> {
    let (lines, json) = if let Some(json) = text.strip_prefix("---\n") {
        ("", json)
    } else {
        let at = memmem::find(text.as_bytes(), b"\n---\n")?;
        (text.get(..=at)?, text.get(at + 5..)?)
    };
    let head = json.get(..json.len().min(400)).or_else(|| json.get(..json.char_indices().nth(100)?.0))?;
    (json.starts_with('{') && head.contains("\"schema_version\"") && head.contains("\"authorship/"))
        .then_some((lines, json))
}

/// One session for each that the note names; without one, the note itself.
fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let source = &input.log.shown;
    let Some((lines, json)) = split(input.text.trim_start()) else { return Vec::new() };
    let line = u32::try_from(lines.lines().count()).unwrap_or(u32::MAX).saturating_add(2);
    let Some(note_of) = parse::<Note<'a>>(json.trim()) else {
        gaps.malformed(line, "the data of the note is not readable: which sessions it names is not known");
        return Vec::new();
    };
    if let Some(key) = note_of.duplicate {
        gaps.twice(line, key, "a note");
    }
    gaps.count_record();
    let mut writers: Vec<(Cow<'a, str>, Assembly<'a>)> = Vec::new();
    for (named, what) in [(note_of.sessions, "sessions"), (note_of.prompts, "prompts")] {
        if named.is_some_and(|raw| fields(raw.get()).is_none()) {
            let detail = format!("the {what} of the note are not an object: who wrote it is not known");
            gaps.push(Some(line), GapKind::malformed(detail));
        }
    }
    for (key, value) in
        [note_of.sessions, note_of.prompts].into_iter().flatten().filter_map(|raw| fields(raw.get())).flatten()
    {
        writers.push((key, writer(value, &note_of, source)));
    }
    attested(lines, &mut writers, gaps);
    if writers.is_empty() {
        let mut assembly = Assembly::new(&FORMAT.dialect, source, Numbering::Ordinal);
        note(&mut assembly.session.attribution.commit, filled(note_of.commit));
        writers.push((Cow::Borrowed(""), assembly));
    }
    writers.into_iter().map(|(_, assembly)| assembly.finish()).collect()
}

fn writer<'a>(value: Raw<'a>, note_of: &Note<'a>, source: &str) -> Assembly<'a> {
    let mut assembly = Assembly::new(&FORMAT.dialect, source, Numbering::Ordinal);
    let writer = object::<Writer<'a>>(Some(value)).unwrap_or_default();
    let agent = object::<Agent<'a>>(writer.agent).unwrap_or_default();
    let session = &mut assembly.session;
    session.id = filled(agent.id).unwrap_or_default();
    if let Some(tool) = filled(agent.tool) {
        session.agent = tool;
    }
    note_each(&mut session.attribution.models, filled(agent.model));
    note(&mut session.attribution.user, filled(writer.human));
    note(&mut session.attribution.commit, filled(note_of.commit));
    assembly
}

/// `path`, then indented `<session>::<trace> <lines>` for each who wrote some of it.
fn attested<'a>(lines: &'a str, writers: &mut [(Cow<'a, str>, Assembly<'a>)], gaps: &mut Gaps) {
    let mut path = "";
    for (line, number) in lines.lines().zip(1..) {
        let Some(entry) = line.strip_prefix("  ") else {
            path = line.trim();
            continue;
        };
        let who = entry.split_whitespace().next().unwrap_or("");
        let who = who.split_once("::").map_or(who, |(session, _)| session);
        let location = RecordLocation { line: number, ..RecordLocation::default() };
        match writers.iter_mut().find(|(key, _)| key == who) {
            Some((_, assembly)) if !path.is_empty() => {
                let target = Cow::Borrowed(path.trim_matches('"'));
                assembly.push(location, EventKind::File(FileEvent { access: Access::Write, target }));
            }
            // People's lines are attested, too.
            None if who.starts_with("h_") => {}
            _ => gaps.malformed(number, "lines attested to a session that the note does not name"),
        }
    }
}

/// Nothing tells agents and people apart, so the note proves only that git-ai watched.
fn read_earlier<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = Assembly::new(&EARLIER.dialect, &input.log.shown, Numbering::Ordinal);
    let mut reader = crate::reader::Reader::new(input.text, input.shape);
    while let Some(item) = reader.next::<Earlier<'a>>(gaps) {
        if item.record.files.is_none_or(|files| fields(files.get()).is_none()) {
            gaps.malformed(item.line, "a note without readable files");
        }
        assembly.push(RecordLocation { line: item.line, ..RecordLocation::default() }, EventKind::Other);
    }
    vec![assembly.finish()]
}
