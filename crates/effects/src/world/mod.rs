//! Keeps where a call runs and what earlier calls of the session left behind.

mod aliases;
mod left;
mod living;
mod meter;
mod own_code;
mod preparation;
mod sorted;
mod stand_ins;
mod system;
mod ways;
mod written;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::command::knowledge::Knowledge;
use super::glob;
use super::memo::{Memo, QueryLog};
use super::paths::{self, Cwd, PathBase};
use super::{Certainty, PathTarget};

use aliases::Original;
pub(super) use aliases::{AliasKind, Name, Within};
pub use left::Left;
pub(crate) use living::LivingShell;
pub(crate) use meter::{Meter, STEPS};
pub use own_code::is_idle_variable;
pub(crate) use own_code::may_bring_code;
use sorted::Sorted;
pub(crate) use stand_ins::is_installed_path;
pub(crate) use system::{Platform, System, Terminal, is_on_windows, spells_windows_path};
pub(crate) use ways::Replaced;
pub(crate) use written::{Rest, Written};

/// Names and contents kept per session. A session that makes more is one whose later scripts are opaque.
const ENTRIES: usize = 10_000;
/// Bytes of a working directory's path: no system has longer ones, and each relative path is resolved from it.
const PATH: usize = 4096;

/// The session's file system as far as the log proves it.
#[derive(Debug, Clone)]
pub struct World {
    /// Absolute, normalised; `None` when the log recorded no working directory.
    root: Option<String>,
    /// Absolute, or relative to a root that is not known; `None` when unknown (`cd "$D"`).
    cwd: Option<String>,
    /// The system that runs the commands, and its shells, as far as the log says.
    system: System,
    /// Names that stand for other files: alias → originals, both as [`PathTarget::path`].
    aliases: Sorted<Vec<Original>>,
    /// Files written earlier in the session. Copies of the world share the contents.
    written: Sorted<Arc<Written>>,
    /// Programs among them that lie where programs are looked for, by name.
    stand_ins: Sorted<Vec<String>>,
    /// Bytes held in `written`.
    held: usize,
    /// Something was not kept: what looks unwritten may have been written.
    forgetful: bool,
    /// An act of the session may have changed the programs or settings with which a shell starts.
    prepared: bool,
    /// A file may hold one of several texts.
    has_others: bool,
    /// The session made a name with a blank or a wildcard.
    odd_names: bool,
    /// The session made links whose names or targets are not known.
    unknown_links: bool,
    /// An act of the session may have brought in code of others.
    has_code_of_others: bool,
    /// Files with several texts that a command has looked at. Copies of the world share this set.
    looked_at: Arc<Mutex<BTreeSet<String>>>,
    /// Files that ran, and that the session may not have written. Copies of the world share this set.
    asked_for: Arc<Mutex<BTreeSet<String>>>,
    /// The number of temporary names that were made up.
    temporaries: usize,
    /// The table of programs, corrected and extended by the policy.
    knowledge: Arc<Knowledge>,
    /// The state of a shell that may live on.
    living: LivingShell,
    /// The shell of the call that runs now may live on.
    lives: bool,
    /// The terminal of the command that runs now.
    terminal: Terminal,
    /// Counts the work that the session costs.
    meter: Meter,
    /// Results of commands of this and other sessions.
    memo: Option<Arc<Memo>>,
    /// A log of the queries. Copies of the world share it.
    queries: Option<Arc<Mutex<QueryLog>>>,
}

impl World {
    pub fn new(root: Option<&str>) -> Self {
        let root = root.and_then(paths::root_again);
        let cwd = root.clone().unwrap_or_else(|| ".".to_owned());
        Self {
            root,
            cwd: Some(cwd),
            system: System::default(),
            aliases: Sorted::default(),
            written: Sorted::default(),
            stand_ins: Sorted::default(),
            held: 0,
            forgetful: false,
            prepared: false,
            has_others: false,
            odd_names: false,
            unknown_links: false,
            has_code_of_others: false,
            looked_at: Arc::default(),
            asked_for: Arc::default(),
            temporaries: 0,
            knowledge: Arc::default(),
            living: LivingShell::default(),
            lives: false,
            terminal: Terminal::None,
            meter: Meter::default(),
            memo: None,
            queries: None,
        }
    }

    /// Whether the shell of the calls that follow may live on from one to the next.
    pub fn set_lives(&mut self, lives: bool) {
        self.lives = lives;
    }

    /// The state of the call's shell, if it may live on.
    pub(crate) fn living(&mut self) -> Option<&mut LivingShell> {
        self.lives.then_some(&mut self.living)
    }

    /// Results of commands may be taken from there.
    pub fn with_memo(self, memo: &Arc<Memo>) -> Self {
        Self { memo: Some(Arc::clone(memo)), ..self }
    }

    pub(super) fn memo(&self) -> Option<Arc<Memo>> {
        self.memo.clone()
    }

    /// The meter of the session.
    pub(crate) fn meter(&self) -> &Meter {
        &self.meter
    }

    /// The world of another machine: nothing is known of it, and this session pays for the work.
    pub(crate) fn elsewhere(&self) -> Self {
        Self { meter: self.meter.clone(), terminal: self.terminal, ..Self::new(None) }
    }

    /// Whether the cache may serve a command that runs here: the session knows everything that it wrote, no other run records
    /// its queries, and the command may cost what any command may and has no terminal.
    pub(super) fn is_memorable(&self, knowledge: &Arc<Knowledge>) -> bool {
        let is_free = self.meter.left() >= STEPS && self.terminal == Terminal::None;
        is_free && !self.forgetful && self.queries.is_none() && Arc::ptr_eq(&self.knowledge, knowledge)
    }

    /// Every query in the log would be answered here as it was.
    pub(super) fn agrees(&self, queries: &QueryLog) -> bool {
        let same = queries.any_written.is_none_or(|any| any != self.written.is_empty())
            && queries.any_aliases.is_none_or(|any| any != self.aliases.is_empty())
            && (!queries.no_stand_ins || self.stand_ins.is_empty())
            && !(queries.no_unknown_links && self.unknown_links)
            && !(queries.no_code_of_others && self.has_code_of_others)
            && !(queries.no_odd_names && self.odd_names);
        let written = || {
            queries.unwritten.iter().all(|path| !self.holds(path))
                && queries
                    .unmatched
                    .iter()
                    .map(|pattern| glob::Pattern::new(pattern))
                    .all(|pattern| !self.written.iter().any(|(path, _)| pattern.matches(path)))
        };
        // Under another name a file may have been written, too.
        let unaliased = || {
            queries.unwritten.iter().all(|path| self.names(path, Certainty::Exact).is_empty())
                && queries.unaliased.iter().all(|(path, certainty)| self.names(path, *certainty).is_empty())
        };
        same && (self.written.is_empty() || written()) && (self.aliases.is_empty() || unaliased())
    }

    /// Runs `work` with a log of its queries, and returns both results.
    pub(super) fn logging_queries<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (T, QueryLog) {
        let queries = Arc::<Mutex<QueryLog>>::default();
        self.queries = Some(Arc::clone(&queries));
        let done = work(self);
        self.queries = None;
        let mut left = queries.lock().unwrap_or_else(PoisonError::into_inner);
        (done, std::mem::take(&mut *left))
    }

    fn note(&self, note: impl FnOnce(&mut QueryLog)) {
        if let Some(queries) = &self.queries {
            note(&mut queries.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// A command that is not worked out again has left the shell in this directory.
    pub(super) fn put_cwd(&mut self, cwd: Option<String>) {
        self.cwd = cwd;
    }

    /// Returns whether any file of the session may hold one of several texts.
    pub(crate) fn has_others(&self) -> bool {
        self.has_others
    }

    /// The number of a new temporary name.
    pub fn temporary(&mut self) -> usize {
        self.note(|queries| queries.unrepeatable = true);
        self.temporaries += 1;
        self.temporaries
    }

    /// Takes the table of programs that a policy corrected and extended.
    pub(crate) fn with_knowledge(self, knowledge: &Arc<Knowledge>) -> Self {
        Self { knowledge: Arc::clone(knowledge), ..self }
    }

    pub fn knowledge(&self) -> &Arc<Knowledge> {
        &self.knowledge
    }

    pub fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// Absolute; relative to the root (`.`, `sub`) where the root is not known; `None`: not known.
    pub fn cwd(&self) -> Option<&str> {
        self.cwd.as_deref()
    }

    /// The working directory as effects name it, where it is not the root: `web`, `/tmp/x`, `**` if it is not known.
    pub(crate) fn directory_below_root(&self) -> Option<String> {
        let is_root = |cwd: &String| self.root.as_ref() == Some(cwd) || cwd == ".";
        if self.cwd.as_ref().is_some_and(is_root) {
            return None;
        }
        let (target, _) = self.locate(".", Certainty::Exact);
        (target.path != ".").then(|| paths::in_home(&target.path).into_owned())
    }

    /// Whether the working directory lies outside of the workspace and does not contain it, or is unknown.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.root.is_some() && self.cwd.as_deref().is_none_or(|cwd| self.is_outside(cwd))
    }

    /// A path as [`PathTarget`] has it, or an absolute one, is no part of the workspace and holds none of it.
    pub fn is_outside(&self, path: &str) -> bool {
        let Some(root) = self.root.as_deref() else { return false };
        let holds = |outer: &str, inner: &str| {
            let outer = outer.trim_end_matches('/');
            inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let anchored = path.starts_with(['/', '~']) || path.as_bytes().get(1) == Some(&b':');
        anchored && !holds(root, path) && !holds(path, root)
    }

    /// Sets what [`World::cwd`] returned, or an absolute directory; a relative one starts at the root.
    /// `None`: the directory is not known from here on. For `cd DIR` see [`World::enter`].
    pub(crate) fn set_cwd(&mut self, cwd: Option<String>) {
        // Most calls run where the one before ran, and what is set is mostly what was read here.
        if cwd == self.cwd {
            return;
        }
        self.cwd = cwd.and_then(|cwd| self.of_root(&cwd));
    }

    fn of_root(&self, directory: &str) -> Option<String> {
        let from = self.root.as_deref().unwrap_or(".");
        let base = PathBase { root: self.root.as_deref(), cwd: Cwd::Known(from) };
        paths::directory(base, directory)
    }

    /// `cd text`: relative to the current directory; anything but [`Certainty::Exact`] loses it.
    pub fn enter(&mut self, text: &str, certainty: Certainty) {
        self.cwd = match certainty {
            Certainty::Exact => paths::directory(self.base(), text).filter(|cwd| cwd.len() <= PATH),
            Certainty::Pattern | Certainty::Possible => None,
        };
    }

    /// Resolves a path as written (`src/../x`, `~/x`, `/repo/x`, `C:\x`, `file:///x`) against the working directory.
    /// An unknown directory makes a relative path a pattern. With [`Certainty::Pattern`] `text` is a glob in which `**`
    /// means any components; a glob that can only match one name comes back exact.
    pub fn locate(&self, text: &str, certainty: Certainty) -> (PathTarget, Certainty) {
        paths::locate(self.base(), text, certainty)
    }

    /// Returns true if the wildcards of a pattern match names below a directory of the workspace only.
    pub(crate) fn starts_inside(&self, pattern: &str) -> bool {
        self.note(|queries| {
            queries.no_unknown_links = true;
            queries.unrepeatable |= self.unknown_links;
        });
        // A wildcard may match a link that leads out.
        if self.unknown_links
            || self.forgetful
            || pattern.starts_with('~')
            || pattern.split(['/', '\\']).any(|part| part == "..")
        {
            return false;
        }
        let fixed = pattern.split(['*', '?', '[', '{']).next().unwrap_or_default();
        let directory = match fixed.rfind('/') {
            None => ".",
            Some(0) => "/",
            Some(end) => fixed.get(..end).unwrap_or_default(),
        };
        let (target, certainty) = self.locate(directory, Certainty::Exact);
        certainty == Certainty::Exact && !paths::is_anchored(&target.path)
    }

    /// The same of a path that counts from this directory.
    pub(crate) fn locate_from(&self, from: &str, text: &str) -> (PathTarget, Certainty) {
        paths::locate(PathBase { root: self.root.as_deref(), cwd: Cwd::Known(from) }, text, Certainty::Exact)
    }

    /// Like [`World::locate`] for a glob in which `**` stands for unknown text (`src/$X`). The text may contain `..`, so
    /// nothing before it is certain; this keeps the part after it.
    pub(crate) fn locate_unknown(&self, text: &str) -> (PathTarget, Certainty) {
        match text.rfind("**") {
            None => self.locate(text, Certainty::Pattern),
            Some(at) => (PathTarget::new(unknown_prefix(text.get(at..).unwrap_or("**"))), Certainty::Pattern),
        }
    }

    fn base(&self) -> PathBase<'_> {
        PathBase { root: self.root.as_deref(), cwd: self.cwd.as_deref().map_or(Cwd::Unknown, Cwd::Known) }
    }
}

/// `**` + rest: what is unknown may end in any directory, so a rest that starts a component keeps its `/`.
fn unknown_prefix(rest: &str) -> String {
    let cut = rest.contains("/../") || rest.ends_with("/..");
    if cut { "**".to_owned() } else { rest.trim_end_matches('/').to_owned() }
}
