//! Edits to files whose content the agent never saw.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::calls::Called;
use super::scene::{Beat, Scene, counted};
use super::{edits, lint};
use crate::config::lint::{Parameter, Unit};
use crate::effects::{Certainty, Effect, Kind, PathTarget};
use crate::model::{EventKind, Status};
use crate::rules::Act;

const LINES: Parameter = Parameter { key: "lines", default: Some(100.0), unit: Unit::Count };

lint!(BLIND_EDIT, "blind-edit", Note, "a file was edited that had never been read", [LINES], |scene, hits| {
    for edit in blind(scene).into_iter().filter(|edit| edit.lines < scene.count(&LINES)) {
        let message = format!("edits `{}`, which the session had never read", edit.path);
        hits.push(scene.hit((edit.event, edit.event), message, vec![("path", edit.path)]));
    }
});

lint!(
    LARGE_BLIND_EDIT,
    "large-blind-edit",
    Warning,
    "a large part of a file was replaced that had never been read",
    [LINES],
    |scene, hits| {
        for edit in blind(scene).into_iter().filter(|edit| edit.lines >= scene.count(&LINES)) {
            let lines = counted(edit.lines, "line");
            let message = format!("replaces {lines} of `{}`, which the session had never read", edit.path);
            hits.push(scene.hit((edit.event, edit.event), message, vec![("path", edit.path)]));
        }
    }
);

/// What a tool says that replaced a whole file, not one that made a new one.
const REPLACED: &[&str] =
    &["has been updated", "updated successfully", "overwrote", "overwritten", "successfully overwrote"];

/// Subcommands of git that show what is in files.
const SHOWING: &[&str] = &["diff", "show", "blame", "grep", "log", "stash", "cat-file", "annotate"];

struct Blind {
    event: u32,
    path: String,
    lines: usize,
}

/// What the session has seen of files.
#[derive(Default)]
struct Seen<'a> {
    files: BTreeSet<&'a str>,
    /// Directories, of which any file may have been among what was shown.
    folders: Vec<&'a str>,
    /// Something was shown, and nobody knows what.
    anything: bool,
}

impl<'a> Seen<'a> {
    fn act(&mut self, effect: &'a Effect) {
        match &effect.kind {
            Kind::Read(target) if target.subtree || effect.certainty == Certainty::Pattern => self.folder(target),
            Kind::Read(target) | Kind::Write(target) => {
                self.files.insert(&target.path);
            }
            Kind::Execute(execution) => {
                let mut words = execution.argv.iter().map(|word| word.text.as_str());
                let git = words.next().is_some_and(|program| program == "git" || program.ends_with("/git"));
                self.anything |= git && words.any(|word| SHOWING.contains(&word));
            }
            Kind::Opaque(_) | Kind::Tool { .. } => self.anything = true,
            _ => {}
        }
    }

    /// A pattern stands for whatever is below the last directory that it names.
    fn folder(&mut self, target: &'a PathTarget) {
        let literal = target.path.find(['*', '?', '[']).map_or(target.path.as_str(), |at| {
            let before = target.path.get(..at).unwrap_or_default();
            before.rsplit_once('/').map_or(".", |(folder, _)| folder)
        });
        self.folders.push(literal);
    }

    fn knows(&self, path: &str) -> bool {
        self.anything
            || self.files.contains(path)
            || self.folders.iter().any(|folder| {
                *folder == "." || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
    }
}

/// Each file once, with the lines that the first edit replaced.
fn blind(scene: &Scene<'_>) -> Vec<Blind> {
    if continues_another(scene) {
        return Vec::new();
    }
    let session = scene.session();
    let results: HashMap<&str, String> = session
        .events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Result(result) => {
                let text = result.text.as_ref()?.decode();
                Some((result.call_id.as_deref()?, text.chars().take(400).collect()))
            }
            _ => None,
        })
        .collect();
    let mut calls: BTreeMap<u32, &Called<'_>> = scene.calls.list.iter().map(|call| (call.event, call)).collect();
    let (mut seen, mut found): (Seen<'_>, Vec<Blind>) = (Seen::default(), Vec::new());
    let mut acts = scene.log.acts;
    while let Some(first) = acts.first() {
        let (event, rest) = acts.split_at(acts.partition_point(|act| act.event == first.event));
        acts = rest;
        if let Some(call) = calls.remove(&first.event) {
            let result = call.call.call_id.as_deref().and_then(|id| results.get(id)).map_or("", String::as_str);
            for (path, lines) in replaced(call, result) {
                if !seen.knows(path) && !is_named(scene, path, first.event) {
                    found.push(Blind { event: first.event, path: path.to_owned(), lines });
                }
            }
        }
        event.iter().filter(|act| happened(act)).for_each(|act| seen.act(act.effect));
    }
    found
}

/// What came before it is in another log, and in the agent's summary: what it has read is not known.
fn continues_another(scene: &Scene<'_>) -> bool {
    let mut early = scene.beats().take_while(|beat| !matches!(beat, Beat::Call(_)));
    if early.any(|beat| matches!(beat, Beat::Instruction) && !scene.is_subagent()) {
        return true;
    }
    // A log that begins with the end of an earlier turn.
    let prompt = scene.session().events.iter().position(|event| matches!(event.kind, EventKind::Prompt(_)));
    let before = scene.session().events.get(..prompt.unwrap_or(0)).unwrap_or_default();
    before.iter().any(|event| matches!(event.kind, EventKind::Notice | EventKind::Message(_) | EventKind::Result(_)))
}

fn happened(act: &Act<'_>) -> bool {
    act.status != Some(Status::Denied)
}

/// The files of which a call replaced something that was there, and how many lines of them.
fn replaced<'a>(call: &Called<'a>, result: &str) -> Vec<(&'a str, usize)> {
    if call.was_refused() || call.failed() {
        return Vec::new();
    }
    let mut lines: BTreeMap<&'a str, usize> = BTreeMap::new();
    for edit in edits::of(call) {
        let whole = edit.old.is_none();
        if whole && !REPLACED.iter().any(|words| result.contains(words)) {
            continue;
        }
        let length = edit.old.as_deref().map_or(0, |old| old.lines().count()).max(edit.new.lines().count());
        let written = call.done().find_map(|effect| match &effect.kind {
            Kind::Write(target) if is_at(&target.path, &edit.path) => Some(target.path.as_str()),
            _ => None,
        });
        if let Some(path) = written {
            *lines.entry(path).or_default() += length;
        }
    }
    lines.into_iter().collect()
}

/// Whether a path as it was written is the one that was written to.
fn is_at(target: &str, written: &str) -> bool {
    let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    name(target) == name(written)
}

/// Somebody spoke of the file before: what they said may have been its content.
fn is_named(scene: &Scene<'_>, path: &str, before: u32) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let earlier = scene.session().events.iter().take_while(|event| event.number < before);
    earlier.into_iter().any(|event| match &event.kind {
        EventKind::Prompt(text) | EventKind::Instruction(text) => text.decode().contains(name),
        _ => false,
    })
}
