//! What a session says that it did to the files of a change.
//!
//! Tools that edit say which lines they put into a file: those are what they account for. What a command wrote is not in the
//! record, so it accounts for the whole file. A log names files as its machine did; the change names them from the top of
//! the repository.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::AhoCorasick;

use crate::lint::edits::{self, Edit};
use agent_strace_effects::{Certainty, Effect, Kind, PathTarget, Roots, Standing};
use agent_strace_git::change_set::Change;
use agent_strace_model::{Event, Session, Status};
use agent_strace_policy::path_matches;

/// Files outside of the change that are kept of one session.
const MOST_STRAYS: usize = 1_000;

/// What one session did to the files of a change.
#[derive(Debug, Default)]
pub struct Recorded {
    /// By the index of the file in the change.
    touches: BTreeMap<usize, Touch>,
    /// Files that it wrote in its workspace and that are not in the change, each once, as first written.
    strays: Vec<Stray>,
}

/// What is known of what was put into one file.
#[derive(Debug, Default)]
pub struct Touch {
    /// It was written, and the record does not say what.
    anything: bool,
    /// Lines that were written whole, without blanks around them.
    lines: BTreeSet<Box<str>>,
    /// Beginnings and ends of lines that were written in part.
    pieces: BTreeSet<Box<str>>,
    /// All of the pieces at once: lines and pieces may be many. `None`: too many to be looked for.
    searched: OnceCell<Option<AhoCorasick>>,
}

#[derive(Debug)]
pub(crate) struct Stray {
    pub path: String,
    pub event: u32,
    pub line: u32,
    pub tool: Option<String>,
}

impl Touch {
    /// Whether it may have put this line there.
    pub fn tells(&self, line: &str) -> bool {
        self.anything
            || line.is_empty()
            || self.lines.contains(line)
            || !self.pieces.is_empty() && self.holds_piece(line)
    }

    fn holds_piece(&self, line: &str) -> bool {
        let build = || AhoCorasick::new(self.pieces.iter().map(|piece| piece.as_bytes())).ok();
        self.searched.get_or_init(build).as_ref().is_some_and(|searched| searched.is_match(line))
    }

    fn put(&mut self, edit: &Edit) {
        let mut lines: Vec<&str> = edit.new.lines().map(str::trim).collect();
        if edit.old.is_some() {
            // What is replaced may begin and end inside of a line.
            let ends = [lines.first().copied(), lines.last().copied()];
            let told = |piece: &&str| piece.chars().any(char::is_alphanumeric);
            self.pieces.extend(ends.into_iter().flatten().filter(told).map(Into::into));
        }
        lines.retain(|line| !line.is_empty());
        self.lines.extend(lines.into_iter().map(Into::into));
    }
}

impl Recorded {
    pub fn of(&self, index: usize) -> Option<&Touch> {
        self.touches.get(&index)
    }

    pub fn touches(&self, index: usize) -> bool {
        self.touches.contains_key(&index)
    }

    pub(crate) fn strays(&self) -> &[Stray] {
        &self.strays
    }

    /// It wrote a file of this name that is not in the change.
    pub(crate) fn strayed_to(&self, path: &str) -> bool {
        self.strays.iter().any(|stray| {
            let rest = path.strip_suffix(stray.path.as_str());
            stray.path == path || rest.is_some_and(|rest| rest.ends_with('/'))
        })
    }
}

/// Reads a session event by event.
pub struct Recorder<'c> {
    change: &'c Change,
    roots: &'c Roots,
    /// Directories that calls ran in.
    directories: Vec<&'c str>,
    /// Lines of the log that tell of earlier changes.
    before: u32,
    recorded: Recorded,
    /// The first event that wrote each.
    strayed: BTreeMap<String, &'c Event<'c>>,
}

impl<'c> Recorder<'c> {
    pub fn new(change: &'c Change, session: &'c Session<'_>, roots: &'c Roots) -> Self {
        let mut directories: Vec<&str> = session.root.as_deref().into_iter().collect();
        for (_, call) in session.recorded_calls() {
            if let Some(directory) = call.cwd.as_deref()
                && directories.last() != Some(&directory)
            {
                directories.push(directory);
            }
        }
        directories.sort_unstable();
        directories.dedup();
        Self {
            change,
            roots,
            directories,
            before: change.told_before.get(&session.source).copied().unwrap_or_default(),
            recorded: Recorded::default(),
            strayed: BTreeMap::new(),
        }
    }

    /// What was refused before it ran did nothing; neither did an edit that failed.
    pub fn read(&mut self, event: &'c Event<'c>, status: Option<Status>, effects: &[Effect]) {
        if status == Some(Status::Denied) || event.line <= self.before {
            return;
        }
        let edits = event.call().map(edits::of).unwrap_or_default();
        if status == Some(Status::Error) && !edits.is_empty() {
            return;
        }
        for effect in effects {
            match &effect.kind {
                Kind::Write(target) => self.written(event, target, effect.certainty, &edits),
                Kind::Delete(target) => self.deleted(target, effect.certainty),
                _ => {}
            }
        }
    }

    pub fn finish(mut self) -> Recorded {
        let strays = self.strayed.into_iter().map(|(path, event)| Stray {
            path,
            event: event.number,
            line: event.line,
            tool: event.tool().map(str::to_owned),
        });
        self.recorded.strays = strays.collect();
        self.recorded.strays.sort_by(|left, right| (left.event, &left.path).cmp(&(right.event, &right.path)));
        self.recorded.strays.truncate(MOST_STRAYS);
        self.recorded
    }

    fn written(&mut self, event: &'c Event<'c>, target: &PathTarget, certainty: Certainty, edits: &[Edit]) {
        let indices = self.indices(target, certainty);
        let own: Vec<&Edit> = edits.iter().filter(|edit| is_of(edit, &target.path)).collect();
        for index in &indices {
            let touch = self.recorded.touches.entry(*index).or_default();
            touch.anything |= own.is_empty();
            for edit in &own {
                touch.put(edit);
            }
        }
        let is_inside = !target.path.starts_with(['/', '~']) && !target.path.contains(':');
        if indices.is_empty() && certainty == Certainty::Exact && is_inside && !target.subtree {
            self.stray(&target.path, event);
        }
    }

    fn stray(&mut self, path: &str, event: &'c Event<'c>) {
        if path != "." && !self.change.is_recorded(path) && self.strayed.len() < MOST_STRAYS * 10 {
            self.strayed.entry(path.to_owned()).or_insert(event);
        }
    }

    fn deleted(&mut self, target: &PathTarget, certainty: Certainty) {
        for index in self.indices(target, certainty) {
            self.recorded.touches.entry(index).or_default().anything = true;
        }
        // What was written and deleted again was never meant to stay.
        self.strayed.retain(|path, _| !reaches(target, certainty, path));
    }

    /// The files of the change that are meant.
    fn indices(&self, target: &PathTarget, certainty: Certainty) -> Vec<usize> {
        let mut found = self.named(target, certainty);
        let moved = self.roots.moved(target, certainty);
        for moved in moved.iter().filter(|moved| moved.standing > Standing::Doubtful) {
            found.extend(self.named(&moved.target, moved.certainty));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn named(&self, target: &PathTarget, certainty: Certainty) -> Vec<usize> {
        if certainty == Certainty::Pattern || target.subtree {
            let all = self.change.files.iter().enumerate();
            return all.filter(|(_, file)| reaches(target, certainty, &file.path)).map(|(index, _)| index).collect();
        }
        let name = target.path.rsplit('/').next().unwrap_or_default();
        let named = self.change.names.get(name).into_iter().flatten().copied();
        named
            .filter(|index| self.change.files.get(*index).is_some_and(|file| self.is_at(&target.path, &file.path)))
            .collect()
    }

    /// Whether a log's name of a file is that of a file of the repository.
    fn is_at(&self, recorded: &str, path: &str) -> bool {
        if recorded == path {
            return true;
        }
        if let Some(top) = recorded.strip_suffix(path).and_then(|top| top.strip_suffix('/')) {
            // An absolute name: the repository is where calls ran, or above it.
            let is_above = |directory: &&str| {
                directory.strip_prefix(top).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            return self.directories.iter().any(is_above);
        }
        false
    }
}

fn reaches(target: &PathTarget, certainty: Certainty, path: &str) -> bool {
    let is_below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    match certainty {
        Certainty::Pattern => path_matches(&target.path, target.subtree, path),
        _ => target.path == path || target.subtree && (target.path == "." || is_below(&target.path)),
    }
}

/// Whether an edit is of the file that an effect names: both say where it ends.
fn is_of(edit: &Edit, path: &str) -> bool {
    let clean = edit.path.replace('\\', "/");
    let clean = clean.trim_start_matches("./");
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || short.starts_with('/'))
    };
    ends(clean, path) || ends(path, clean)
}
