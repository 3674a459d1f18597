//! Edits to files whose content the agent never saw.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use memchr::memmem::Finder;

use super::calls::Called;
use super::context::{LintContext, LintEvent, counted};
use super::edits::name;
use super::{edits, lint};
use crate::Act;
use agent_strace_effects::{Certainty, Effect, Kind, PathTarget};
use agent_strace_model::{EventKind, RawText, Status};
use agent_strace_policy::config::lint::{Parameter, Unit};

const LINES: Parameter = Parameter { key: "lines", default: Some(100.0), unit: Unit::Count };

lint!(
    BLIND_EDIT = LintBlindEdit,
    "blind-edit",
    Note,
    "a file was edited that had never been read",
    [LINES],
    |context, hits| {
        let edits = context.calls.blind(|| blind(context)).iter();
        for Blind { event, path, .. } in edits.filter(|edit| edit.lines < context.count(&LINES)) {
            let message = format!("edits `{path}`, which the session had never read");
            hits.push(context.hit(*event..=*event, message, vec![("path", path.clone())]));
        }
    }
);

lint!(
    LARGE_BLIND_EDIT = LintLargeBlindEdit,
    "large-blind-edit",
    Warning,
    "a large part of a file was replaced that had never been read",
    [LINES],
    |context, hits| {
        let edits = context.calls.blind(|| blind(context)).iter();
        for Blind { event, path, lines } in edits.filter(|edit| edit.lines >= context.count(&LINES)) {
            let lines = counted(*lines, "line");
            let message = format!("replaces {lines} of `{path}`, which the session had never read");
            hits.push(context.hit(*event..=*event, message, vec![("path", path.clone())]));
        }
    }
);

/// What a tool says that replaced a whole file, not one that made a new one.
const REPLACED: &[&str] =
    &["has been updated", "updated successfully", "overwrote", "overwritten", "successfully overwrote"];

/// Subcommands of git that show what is in files.
const SHOWING: &[&str] = &["diff", "show", "blame", "grep", "log", "stash", "cat-file", "annotate"];

/// An edit of what nobody had looked at.
#[derive(Debug)]
pub(super) struct Blind {
    event: u32,
    path: String,
    lines: usize,
}

/// What the session has seen of files.
#[derive(Default)]
struct Seen<'a> {
    files: HashSet<&'a str>,
    /// Directories, of which any file may have been among what was shown.
    folders: BTreeSet<&'a str>,
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
        self.folders.insert(literal);
    }

    fn knows(&self, path: &str) -> bool {
        let above = || path.match_indices('/').filter_map(|(at, _)| path.get(..at));
        self.anything
            || self.files.contains(path)
            || self.folders.contains(".")
            || self.folders.contains(path)
            || above().any(|folder| self.folders.contains(folder))
    }
}

/// Each file once, with the lines that the first edit replaced.
fn blind(context: &LintContext<'_>) -> Vec<Blind> {
    if continues_another(context) {
        return Vec::new();
    }
    let mut calls = context.calls.list.iter().peekable();
    let (mut seen, mut found) = (Seen::default(), Vec::new());
    let mut acts = context.log.acts;
    while let Some(first) = acts.first().filter(|_| !seen.anything) {
        let of_event = acts.iter().take_while(|act| act.event == first.event).count();
        let (event, rest) = acts.split_at(of_event);
        acts = rest;
        while calls.next_if(|call| call.event < first.event).is_some() {}
        if let Some(call) = calls.next_if(|call| call.event == first.event) {
            let edits = replaced(context, call, &seen).into_iter();
            found.extend(edits.map(|(path, lines)| (first.event, path, lines)));
        }
        event.iter().filter(|act| happened(act)).for_each(|act| seen.act(act.effect));
    }
    let names: BTreeSet<&str> = found.iter().map(|(_, path, _)| name(path)).collect();
    let said = said(context, &names);
    let unsaid = found.iter().filter(|(event, path, _)| said.get(name(path)).is_none_or(|first| first >= event));
    unsaid.map(|(event, path, lines)| Blind { event: *event, path: (*path).to_owned(), lines: *lines }).collect()
}

/// What came before it is in another log, and in the agent's summary: what it has read is not known.
fn continues_another(context: &LintContext<'_>) -> bool {
    let mut early = context.events().take_while(|event| !matches!(event, LintEvent::Call(_)));
    if early.any(|event| matches!(event, LintEvent::Instruction) && !context.is_subagent()) {
        return true;
    }
    // A log that begins with the end of an earlier turn.
    let prompt = context.session().events.iter().position(|event| matches!(event.kind, EventKind::Prompt(_)));
    let before = context.session().events.get(..prompt.unwrap_or(0)).unwrap_or_default();
    before.iter().any(|event| matches!(event.kind, EventKind::Notice | EventKind::Message(_) | EventKind::Result(_)))
}

fn happened(act: &Act<'_>) -> bool {
    act.status != Some(Status::Denied)
}

/// The files nobody had seen of which a call replaced something that was there, and how many lines of them.
fn replaced<'a>(context: &LintContext<'_>, call: &Called<'a>, seen: &Seen<'_>) -> Vec<(&'a str, usize)> {
    // What is in arguments is looked at only where it matters: they may be long.
    if call.was_refused() || call.failed() || call.written().all(|path| seen.knows(path)) {
        return Vec::new();
    }
    let existed = || {
        let text = context.calls.result(call).map(RawText::decode).unwrap_or_default();
        REPLACED.iter().any(|words| text.contains(words))
    };
    let written: HashMap<&str, &'a str> = call.written().rev().map(|path| (name(path), path)).collect();
    let mut lines: BTreeMap<&'a str, usize> = BTreeMap::new();
    for edit in edits::of(call.call) {
        if edit.old.is_none() && !existed() {
            continue;
        }
        let length = edit.old.as_deref().map_or(0, |old| old.lines().count()).max(edit.new.lines().count());
        if let Some(path) = written.get(name(&edit.path)).filter(|path| !seen.knows(path)) {
            *lines.entry(path).or_default() += length;
        }
    }
    lines.into_iter().collect()
}

/// Names that are looked for one by one.
const AT_ONCE: usize = 16;

/// Of these names of files those that were said to the agent, with the first event in which each was: who spoke of a file
/// may have said what is in it.
fn said<'n>(context: &LintContext<'_>, names: &BTreeSet<&'n str>) -> BTreeMap<&'n str, u32> {
    let mut first = BTreeMap::new();
    // What is said is long, and mostly names none of them.
    let finders: Vec<Finder<'_>> = names.iter().take(AT_ONCE).map(Finder::new).collect();
    let may_name =
        |text: &str| names.len() > AT_ONCE || finders.iter().any(|name| name.find(text.as_bytes()).is_some());
    for event in context.session().events.iter().filter(|_| !names.is_empty()) {
        let (EventKind::Prompt(text) | EventKind::Instruction(text)) = &event.kind else { continue };
        // A skill or a reminder that names a file does not say that its user knows it.
        if !event.origin.speaker.is_user() {
            continue;
        }
        let text = text.decode();
        if !may_name(&text) {
            continue;
        }
        let ends = |letter: char| letter.is_whitespace() || "/\\\"'`,;:()<>|=".contains(letter);
        for word in text.split(ends).filter(|word| !word.is_empty()) {
            // Sentences end in a dot, and Markdown puts stars and brackets around names.
            let end = word.trim_end_matches(['.', '!', '?', '*', ']', '}', '_']);
            for word in [word, end, end.trim_start_matches(['[', '*', '{', '@', '_'])] {
                if let Some(name) = names.get(word) {
                    first.entry(*name).or_insert(event.number);
                }
            }
        }
    }
    first
}
