//! What a session says that it did to the files of a change.
//!
//! Tools that edit say which lines they put into a file: those are what they account for. So do redirections whose words hold
//! what they write; whether they happened is not known, so they add to what was there. What any other command wrote is not in
//! the record, so it accounts for the whole file, unless it is one that writes no content. What a session took back itself it
//! does not account for. A log names files as its machine did; the change names them from the top of the repository.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::cause::Cause;
use super::commands::{Command, Puts};
use super::formatters::formats;
use super::git::{Source, Staged, Untracked};
use super::making::{Brought, Making, Makings};
use super::managers::Managing;
use super::spelled::{Spelled, is_posix};
use super::touch::{Extent, Managed, Touch};
use crate::lint::edits::{self, Edit};
use agent_strace_effects::{Certainty, Effect, Kind, PathTarget, Roots, Standing};
use agent_strace_git::Status as FileStatus;
use agent_strace_git::change_set::Change;
use agent_strace_model::{Event, Members, Session, Status, ToolCall};
use agent_strace_policy::PathPattern;

/// Files outside of the change that are kept of one session.
const MOST_STRAYS: usize = 1_000;

/// Directories and patterns whose files are remembered.
const MOST_REACHES: usize = 1_000;

/// What one session did to the files of a change.
#[derive(Debug, Default)]
pub struct Recorded {
    /// It ran a program that changes the layout of files.
    pub(super) formats: bool,
    /// By the index of the file in the change.
    touches: BTreeMap<usize, Touch>,
    /// Files that it wrote in its workspace and that are not in the change, each once, as first written.
    strays: Vec<Stray>,
    /// Commits that it made, in the order of its calls.
    makings: Vec<Making>,
    brought: Option<Brought>,
}

#[derive(Debug)]
pub(crate) struct Stray {
    pub path: String,
    pub event: u32,
    pub line: u32,
    pub tool: Option<String>,
}

impl Recorded {
    pub fn of(&self, index: usize) -> Option<&Touch> {
        self.touches.get(&index)
    }

    /// It did something to the file that a change can hold.
    pub fn touches(&self, index: usize) -> bool {
        self.of(index).is_some_and(Touch::counts)
    }

    pub(crate) fn strays(&self) -> &[Stray] {
        &self.strays
    }

    pub(super) fn makings(&self) -> &[Making] {
        &self.makings
    }

    /// When it ran something that may have brought files, the first time, where that is recorded.
    pub(super) fn brought_from(&self) -> Option<i64> {
        self.brought?.from
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
    /// Its shells are POSIX ones.
    is_posix: bool,
    recorded: Recorded,
    /// Commands of package managers that ran.
    managers: Vec<Managing>,
    /// Writes that git took back or put aside: a stash or a patch may bring them back.
    aside: BTreeMap<usize, Touch>,
    /// Files of the change by what names them: a path, whether all below it is meant, and whether it is a pattern.
    reached: RefCell<BTreeMap<(String, bool, bool), Vec<usize>>>,
    /// The first event that wrote each.
    strayed: BTreeMap<String, &'c Event<'c>>,
    makings: Makings<'c>,
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
            is_posix: is_posix(session),
            recorded: Recorded::default(),
            managers: Vec::new(),
            aside: BTreeMap::new(),
            reached: RefCell::default(),
            strayed: BTreeMap::new(),
            makings: Makings::new(session),
        }
    }

    /// What was refused before it ran did nothing; neither did an edit that failed.
    /// `text`: the text of the call's shell command.
    pub fn read(&mut self, event: &'c Event<'c>, status: Option<Status>, effects: &[Effect], text: Option<&str>) {
        if status == Some(Status::Denied) || event.line <= self.before {
            return;
        }
        self.makings.read(event, status, effects);
        let edits = event.call().map(edits::of).unwrap_or_default();
        if status == Some(Status::Error) && !edits.is_empty() {
            return;
        }
        let spelled = Spelled::new(text.filter(|_| self.is_posix), effects);
        for effect in effects {
            let cause = Cause::of(effect, effects, status, &spelled);
            self.did(event, effect, &cause, &edits);
        }
    }

    fn did(&mut self, event: &'c Event<'c>, effect: &Effect, cause: &Cause<'_>, edits: &[Edit]) {
        let certainty = effect.certainty;
        let command = cause.command.as_ref();
        match &effect.kind {
            Kind::Write(target) => match command.map_or(Puts::Content, Command::puts) {
                Puts::Content => self.written(event, target, certainty, edits, cause),
                Puts::Mode => self.each(target, certainty, |touch| touch.mode = true),
                Puts::Nothing => self.each(target, certainty, |_| ()),
                Puts::Empty => self.each(target, certainty, Touch::empty),
                Puts::Back(source) if cause.is_sure => self.taken_back(target, certainty, source),
                Puts::Back(_) => {}
            },
            Kind::Read(target) | Kind::List(target) => self.added(target, certainty, command),
            Kind::Delete(target) => self.deleted(target, certainty, cause),
            Kind::Execute(execution) if !effect.origin.elsewhere && !command.is_some_and(Command::works_elsewhere) => {
                self.ran(&Command::of(execution), cause);
            }
            _ => {}
        }
    }

    /// Files that a command writes though none of its effects names them.
    fn ran(&mut self, command: &Command<'_>, cause: &Cause<'_>) {
        self.recorded.formats |= formats(command);
        if command.brings_any() {
            self.recorded.touches.values_mut().for_each(Touch::may_be_replaced);
        }
        for managing in Managing::of(command) {
            self.managed(managing);
        }
        if command.commits() {
            self.recorded.touches.values_mut().for_each(|touch| touch.kept = Some(Source::Commit));
        } else if command.stages() == Some(Staged::All) {
            let all: Vec<usize> = self.recorded.touches.keys().copied().collect();
            self.staged(&all);
        } else if cause.is_sure && command.resets() {
            self.take_back(Untracked::Left, Source::Commit, |_| true);
        } else if cause.is_sure
            && let Some(untracked) = command.puts_aside()
        {
            self.take_back(untracked, Source::Commit, |_| true);
        }
        if command.brings_back() {
            for (index, touch) in std::mem::take(&mut self.aside) {
                self.recorded.touches.entry(index).or_default().join(touch);
            }
        }
    }

    fn managed(&mut self, managing: Managing) {
        if self.managers.contains(&managing) {
            return;
        }
        self.managers.push(managing);
        let name = |path: &'c str| path.rsplit('/').next().unwrap_or_default();
        let files = &self.change.files;
        let is_manifest_changed = files.iter().any(|file| managing.is_manifest(name(&file.path)));
        for (index, file) in files.iter().enumerate() {
            let name = name(&file.path);
            let managed = if managing.writes_lock(name, is_manifest_changed) {
                Managed::All
            } else if managing.writes_manifest(name) {
                Managed::Dependencies
            } else {
                continue;
            };
            let touch = self.recorded.touches.entry(index).or_default();
            touch.managed = touch.managed.max(Some(managed));
        }
    }

    fn each(&mut self, target: &PathTarget, certainty: Certainty, apply: impl Fn(&mut Touch)) {
        for index in self.indices(target, certainty) {
            apply(self.recorded.touches.entry(index).or_default());
        }
    }

    /// Git adds files to the index, with their content or their rights.
    fn added(&mut self, target: &PathTarget, certainty: Certainty, command: Option<&Command<'_>>) {
        if command.is_some_and(|command| command.stages().is_some()) {
            self.staged(&self.indices(target, certainty));
        }
        if command.is_some_and(Command::stages_mode) {
            self.each(target, certainty, |touch| touch.mode = true);
        }
    }

    fn staged(&mut self, indices: &[usize]) {
        for index in indices {
            if let Some(touch) = self.recorded.touches.get_mut(index) {
                touch.kept = touch.kept.max(Some(Source::Index));
            }
        }
    }

    fn taken_back(&mut self, target: &PathTarget, certainty: Certainty, source: Source) {
        let indices = self.indices(target, certainty);
        self.take_back(Untracked::Left, source, |index| indices.binary_search(&index).is_ok());
    }

    /// Git puts what it holds into the place of what was written.
    fn take_back(&mut self, untracked: Untracked, source: Source, is_meant: impl Fn(usize) -> bool) {
        let files = &self.change.files;
        let is_new = |index: usize| files.get(index).is_some_and(|file| file.status == FileStatus::Added);
        let is_lost = |index: &usize, touch: &mut Touch| {
            let is_known = touch.kept.is_some() || !is_new(*index) || untracked == Untracked::Taken;
            is_meant(*index) && is_known && touch.is_lost(source)
        };
        for (index, mut touch) in self.recorded.touches.extract_if(.., is_lost) {
            self.managers.clear();
            touch.kept = None;
            self.aside.entry(index).or_default().join(touch);
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
        (self.recorded.makings, self.recorded.brought) = self.makings.finish();
        self.recorded
    }

    fn written(
        &mut self,
        event: &'c Event<'c>,
        target: &PathTarget,
        certainty: Certainty,
        edits: &[Edit],
        cause: &Cause<'_>,
    ) {
        let indices = self.indices(target, certainty);
        if indices.is_empty() {
            if certainty == Certainty::Exact {
                self.stray(target, event);
            }
            return;
        }
        if let Some(contents) = cause.contents(target, certainty) {
            for index in &indices {
                let touch = self.recorded.touches.entry(*index).or_default();
                for (edit, extent) in &contents {
                    touch.put_by_shell(edit, *extent);
                }
            }
            return;
        }
        let own: Vec<&Edit> = edits.iter().filter(|edit| is_of(edit, &target.path)).collect();
        for index in &indices {
            let touch = self.recorded.touches.entry(*index).or_default();
            touch.deleted = false;
            touch.anything |= own.is_empty() || is_notebook(&target.path);
            for edit in &own {
                touch.put(edit, event.call().map_or(Extent::Once, |call| extent(call, edit)));
            }
        }
    }

    fn stray(&mut self, target: &PathTarget, event: &'c Event<'c>) {
        let path = target.path.as_str();
        let is_inside = !path.starts_with(['/', '~']) && !path.contains(':') && !target.subtree && path != ".";
        if is_inside && !self.change.is_recorded(path) && self.strayed.len() < MOST_STRAYS * 10 {
            self.strayed.entry(path.to_owned()).or_insert(event);
        }
    }

    fn deleted(&mut self, target: &PathTarget, certainty: Certainty, cause: &Cause<'_>) {
        let is_forgotten = cause.command.as_ref().is_some_and(Command::forgets);
        for index in self.indices(target, certainty) {
            let touch = self.recorded.touches.entry(index).or_default();
            if cause.is_sure && certainty == Certainty::Exact && touch.kept != Some(Source::Commit) && !is_forgotten {
                *touch = Touch::default();
            }
            touch.deleted = true;
        }
        // What was written and deleted again was never meant to stay.
        if !self.strayed.is_empty() {
            let reach = Reach::of(target, certainty);
            self.strayed.retain(|path, _| !reach.holds(path));
        }
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
            return self.reached(target, certainty);
        }
        let name = target.path.rsplit('/').next().unwrap_or_default();
        let named = self.change.names.get(name).into_iter().flatten().copied();
        named
            .filter(|index| self.change.files.get(*index).is_some_and(|file| self.is_at(&target.path, &file.path)))
            .collect()
    }

    /// The files below a directory, or that a pattern fits.
    fn reached(&self, target: &PathTarget, certainty: Certainty) -> Vec<usize> {
        let key = (target.path.clone(), target.subtree, certainty == Certainty::Pattern);
        if let Some(known) = self.reached.borrow().get(&key) {
            return known.clone();
        }
        let reach = Reach::of(target, certainty);
        let all = self.change.files.iter().enumerate();
        let found: Vec<usize> = all.filter(|(_, file)| reach.holds(&file.path)).map(|(index, _)| index).collect();
        let mut reached = self.reached.borrow_mut();
        if reached.len() < MOST_REACHES {
            reached.insert(key, found.clone());
        }
        found
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

/// How much of a file an edit replaces, as its tool and its arguments say.
fn extent(call: &ToolCall<'_>, edit: &Edit) -> Extent {
    const ALL: &[&str] = &["replace_all", "replaceAll", "allow_multiple", "AllowMultiple", "expected_replacements"];
    const KINDS: &[&str] = &["command", "mode", "operation", "action"];
    const WHOLE: &[&str] = &["write", "create", "save", "patch", "rewrite"];
    const PART: &[&str] = &["append", "insert", "edit", "replace"];
    let members = call.arguments.members();
    if edit.old.is_some() {
        let says_all = |members: &Members<'_>| {
            let mut said = ALL.iter().filter_map(|key| members.json(key));
            said.any(|json| !["false", "0", "1", "null"].contains(&json))
        };
        let parts = members.as_ref().map(|members| members.objects("edits")).unwrap_or_default();
        let is_all = members.as_ref().is_some_and(says_all) || parts.iter().any(says_all);
        return if is_all { Extent::Everywhere } else { Extent::Once };
    }
    let kind = KINDS.iter().find_map(|key| members.as_ref()?.text(key));
    let kind = kind.as_deref().filter(|_| members.is_some()).unwrap_or(&call.tool).to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| kind.contains(word));
    if members.is_none() || has(WHOLE) && !has(PART) { Extent::Whole } else { Extent::Somewhere }
}

/// The paths that an effect names.
enum Reach<'t> {
    Pattern(Box<PathPattern>),
    Paths(&'t PathTarget),
}

impl<'t> Reach<'t> {
    fn of(target: &'t PathTarget, certainty: Certainty) -> Self {
        match certainty {
            Certainty::Pattern => Self::Pattern(Box::new(PathPattern::new(&target.path, target.subtree))),
            _ => Self::Paths(target),
        }
    }

    fn holds(&self, path: &str) -> bool {
        match self {
            Self::Pattern(pattern) => pattern.matches(path),
            Self::Paths(target) => {
                let is_below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
                target.path == path || target.subtree && (target.path == "." || is_below(&target.path))
            }
        }
    }
}

/// Notebooks keep their text as strings in JSON, so its lines are not those of the file.
pub(super) fn is_notebook(path: &str) -> bool {
    path.rsplit('.').next() == Some("ipynb")
}

/// Whether an edit is of the file that an effect names: both say where it ends.
pub(super) fn is_of(edit: &Edit, path: &str) -> bool {
    let clean = edit.path.replace('\\', "/");
    let clean = clean.trim_start_matches("./");
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || short.starts_with('/'))
    };
    ends(clean, path) || ends(path, clean)
}
