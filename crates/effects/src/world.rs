//! Where a call runs and what earlier calls of the session left behind.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::command::knowledge::Knowledge;
use super::glob;
use super::memo::{Memo, QueryLog};
use super::paths::{self, Cwd, PathBase};
use super::{Certainty, PathTarget};

/// Names and contents kept per session. A session that makes more is one whose later scripts are opaque.
const ENTRIES: usize = 10_000;
/// Bytes of one written file that are kept, and of all of them together.
const CONTENT: usize = 256 * 1024;
const CONTENTS: usize = 64 * 1024 * 1024;
/// Bytes of a working directory's path: no system has longer ones, and each relative path is resolved from it.
const PATH: usize = 4096;
/// How many names one file may be followed through.
const HOPS: usize = 16;

/// The session's file system as far as the log proves it.
#[derive(Debug, Clone)]
pub struct World {
    /// Absolute, normalised; `None` when the log recorded no working directory.
    root: Option<String>,
    /// Absolute, or relative to a root that is not known; `None` when unknown (`cd "$D"`).
    cwd: Option<String>,
    /// Names that stand for other files: alias → originals, both as [`PathTarget::path`].
    aliases: Arc<BTreeMap<String, Vec<Original>>>,
    /// Files written earlier in the session.
    written: Arc<BTreeMap<String, Written>>,
    /// Bytes held in `written`.
    held: usize,
    /// Something was not kept: what looks unwritten may have been written.
    forgetful: bool,
    /// How many temporary names were made up.
    temporaries: usize,
    /// What programs do, with what the policy says of them.
    knowledge: Arc<Knowledge>,
    /// Results of commands of this and other sessions.
    memo: Option<Arc<Memo>>,
    /// Where it is written down what is asked here. Copies share it: what is asked of them is asked here.
    queries: Option<Arc<Mutex<QueryLog>>>,
}

impl World {
    pub fn new(root: Option<&str>) -> Self {
        let root = root.and_then(paths::root);
        let cwd = root.clone().unwrap_or_else(|| ".".to_owned());
        Self {
            root,
            cwd: Some(cwd),
            aliases: Arc::default(),
            written: Arc::default(),
            held: 0,
            forgetful: false,
            temporaries: 0,
            knowledge: Arc::default(),
            memo: None,
            queries: None,
        }
    }

    /// Results of commands may be taken from there.
    pub fn with_memo(self, memo: &Arc<Memo>) -> Self {
        Self { memo: Some(Arc::clone(memo)), ..self }
    }

    pub(super) fn memo(&self) -> Option<Arc<Memo>> {
        self.memo.clone()
    }

    /// A command that runs here may be one that ran elsewhere: everything that was written is known, and nobody follows
    /// what is asked already.
    pub(super) fn is_memorable(&self, knowledge: &Arc<Knowledge>) -> bool {
        !self.forgetful && self.queries.is_none() && Arc::ptr_eq(&self.knowledge, knowledge)
    }

    /// Every query in the log would be answered here as it was.
    pub(super) fn agrees(&self, queries: &QueryLog) -> bool {
        let same = queries.any_written.is_none_or(|any| any != self.written.is_empty())
            && queries.any_aliases.is_none_or(|any| any != self.aliases.is_empty());
        let written = || {
            queries.unwritten.iter().all(|path| !self.written.contains_key(path))
                && queries.unmatched.iter().all(|pattern| !self.written.keys().any(|path| glob::matches(pattern, path)))
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

    /// Where a command that is not worked out again has left the shell.
    pub(super) fn put_cwd(&mut self, cwd: Option<String>) {
        self.cwd = cwd;
    }

    /// The number of a new temporary name.
    pub fn temporary(&mut self) -> usize {
        self.note(|queries| queries.unrepeatable = true);
        self.temporaries += 1;
        self.temporaries
    }

    /// What programs do, as this policy has it.
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

    /// The working directory is no part of the workspace and holds none of it, or nobody knows where it is.
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

    /// Like [`World::locate`] for a glob in which `**` stands for text that nobody knows (`src/$X`): that text may hold
    /// `..`, so nothing before it is certain; what follows it is kept.
    pub(crate) fn locate_unknown(&self, text: &str) -> (PathTarget, Certainty) {
        match text.rfind("**") {
            None => self.locate(text, Certainty::Pattern),
            Some(at) => (PathTarget::new(unknown_prefix(text.get(at..).unwrap_or("**"))), Certainty::Pattern),
        }
    }

    fn base(&self) -> PathBase<'_> {
        PathBase { root: self.root.as_deref(), cwd: self.cwd.as_deref().map_or(Cwd::Unknown, Cwd::Known) }
    }

    /// From now on `alias` is another name for the file `original` (`ln`): what is done to one is done to the other.
    pub fn link(&mut self, alias: &PathTarget, original: &PathTarget) {
        self.name(alias, Some(&original.path), AliasKind::Same);
    }

    /// `copy` now holds what `original` held (`cp`, `mv`): who reads it, reads that.
    pub fn copied(&mut self, copy: &PathTarget, original: &PathTarget) {
        self.name(copy, Some(&original.path), AliasKind::Content);
    }

    fn name(&mut self, alias: &PathTarget, original: Option<&str>, alias_kind: AliasKind) {
        if original == Some(alias.path.as_str()) {
            return;
        }
        // Whatever was written under this name before is gone: it holds what the original holds.
        self.put_at(alias.path.clone(), Written { follows: true, ..Written::default() });
        let known = self.aliases.get(&alias.path);
        let full = known.map_or(self.aliases.len() >= ENTRIES, |originals| originals.len() >= HOPS);
        let entry = Original { path: original.map(str::to_owned), alias_kind };
        if known.is_some_and(|originals| originals.contains(&entry)) {
            return;
        }
        if full {
            self.forgetful = true;
            return;
        }
        Arc::make_mut(&mut self.aliases).entry(alias.path.clone()).or_default().push(entry);
    }

    /// `ln -s text alias`: a relative `text` starts at the directory that holds `alias`.
    pub(crate) fn link_symbolic(&mut self, alias: &PathTarget, text: &str, certainty: Certainty) {
        let holder = match alias.path.rsplit_once('/') {
            Some(("", _)) => "/".to_owned(),
            Some((holder, _)) => holder.to_owned(),
            None => ".".to_owned(),
        };
        let holder = self.of_root(&holder);
        let base = PathBase { root: self.root.as_deref(), cwd: holder.as_deref().map_or(Cwd::Unknown, Cwd::Known) };
        let (original, certainty) = paths::locate(base, text, certainty);
        match certainty {
            Certainty::Exact | Certainty::Possible => self.link(alias, &original),
            // A link to an unknown place: everything reached through it is a guess.
            Certainty::Pattern => self.name(alias, None, AliasKind::Same),
        }
    }

    /// Other names of the file at `path`, nearest first, also through aliases of its directories.
    /// With [`Certainty::Pattern`] `path` is a glob.
    pub fn originals(&self, path: &str, certainty: Certainty) -> Vec<Name> {
        let found = self.names(path, certainty);
        self.note(|queries| {
            queries.unrepeatable |= !found.is_empty();
            queries.ask_names(path, certainty);
        });
        found
    }

    fn names(&self, path: &str, certainty: Certainty) -> Vec<Name> {
        let mut found: Vec<Name> = Vec::new();
        if self.aliases.is_empty() {
            return found;
        }
        let mut open = vec![(Cow::Borrowed(path), AliasKind::Same)];
        while let Some((name, so_far)) = open.pop() {
            for (alias, rest) in prefixes(&name) {
                let key = match certainty {
                    Certainty::Pattern => paths::literal(alias).map(Cow::Owned),
                    Certainty::Exact | Certainty::Possible => Some(Cow::Borrowed(alias)),
                };
                let Some(key) = key else { continue };
                for original in self.aliases.get(key.as_ref()).into_iter().flatten() {
                    let next = original.reached(&key, rest, so_far, certainty);
                    let known = next.path == path
                        || found.iter().any(|seen| seen.path == next.path && seen.alias_kind == next.alias_kind);
                    if !known && found.len() < HOPS {
                        if original.path.is_some() {
                            open.push((Cow::Owned(next.path.clone()), next.alias_kind));
                        }
                        found.push(next);
                    }
                }
            }
        }
        found
    }

    /// Aliases that start with `prefix`.
    pub(crate) fn aliases_from<'w>(&'w self, prefix: &'w str) -> impl Iterator<Item = &'w str> {
        let from = self.aliases.range::<str, _>((std::ops::Bound::Included(prefix), std::ops::Bound::Unbounded));
        from.map(|(alias, _)| alias.as_str()).take_while(move |alias| alias.starts_with(prefix))
    }

    pub(crate) fn has_aliases(&self) -> bool {
        self.note(|queries| queries.any_aliases = Some(!self.aliases.is_empty()));
        !self.aliases.is_empty()
    }

    /// The call wrote `target`; `content` where it is known.
    pub fn wrote(&mut self, target: &PathTarget, content: Option<&str>) {
        let length = content.map_or(0, str::len);
        self.put_written(target, Written { whole: content.map(str::to_owned), length, ..Written::default() });
    }

    /// `text` is in the file now, and what was there may be, too (an edit or an appended line whose place is not known).
    pub(crate) fn wrote_part(&mut self, target: &PathTarget, text: &str) {
        let mut written = self.take_written(target).unwrap_or_default().in_parts();
        written.length += text.len();
        written.parts.push(text.to_owned());
        self.put_written(target, written);
    }

    /// `text` follows what the file held.
    pub fn appended(&mut self, target: &PathTarget, text: &str) {
        let before = self.take_written(target);
        match before {
            Some(Written { whole: Some(whole), .. }) => self.wrote(target, Some(&(whole + text))),
            other => {
                let mut written = other.unwrap_or_default().in_parts();
                written.length += text.len();
                match written.parts.last_mut() {
                    Some(last) => last.push_str(text),
                    None => written.parts.push(text.to_owned()),
                }
                self.put_written(target, written);
            }
        }
    }

    /// The file changed in place, in a way that is not known.
    pub fn edited(&mut self, target: &PathTarget) {
        let written = self.take_written(target).unwrap_or_default().in_parts();
        self.put_written(target, written);
    }

    /// Files below a directory may have changed.
    pub(crate) fn edited_below(&mut self, directory: &str) {
        let below =
            |path: &str| directory == "." || path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'));
        self.edited_from(if directory == "." { "" } else { directory }, below);
    }

    /// One of the files that match a pattern may have changed. A pattern that says nothing about names says too little.
    pub(crate) fn edited_matching(&mut self, pattern: &str) {
        if !pattern.trim_matches(['*', '/']).is_empty() {
            let literal = pattern.find(['*', '?', '[']).and_then(|at| pattern.get(..at)).unwrap_or(pattern);
            self.edited_from(literal, |path| glob::matches(pattern, path));
        }
    }

    fn edited_from(&mut self, prefix: &str, changed: impl Fn(&str) -> bool) {
        self.note(|queries| queries.unrepeatable = true);
        let from = (std::ops::Bound::Included(prefix), std::ops::Bound::Unbounded);
        let near = self.written.range::<str, _>(from).map(|(path, _)| path).take_while(|path| path.starts_with(prefix));
        let paths: Vec<String> = near.filter(|path| changed(path)).cloned().collect();
        for path in paths {
            if let Some(written) = self.take_at(&path) {
                self.put_at(path, written.in_parts());
            }
        }
    }

    /// Forgets what was written to the file, and returns it; for callers that put it back changed.
    pub(crate) fn take_written(&mut self, target: &PathTarget) -> Option<Written> {
        self.note(|queries| queries.unrepeatable = true);
        if self.written.is_empty() {
            return None;
        }
        self.places(target).iter().rev().find_map(|place| self.take_at(place))
    }

    pub(crate) fn put_written(&mut self, target: &PathTarget, written: Written) {
        let mut places = self.places(target);
        let linked = !places.contains(&target.path);
        let last = places.pop();
        for place in places {
            self.put_at(place, written.clone());
        }
        if let Some(last) = last {
            self.put_at(last, written);
        }
        if linked {
            self.put_at(target.path.clone(), Written { follows: true, ..Written::default() });
        }
    }

    /// Where the content of a file is kept: under the name that its links lead to.
    fn places(&self, target: &PathTarget) -> Vec<String> {
        let same = |path: &str| {
            let names = self.originals(path, Certainty::Exact).into_iter();
            names
                .filter(|name| name.alias_kind == AliasKind::Same && name.certainty == Certainty::Exact)
                .map(|name| name.path)
        };
        let ends: Vec<String> = same(&target.path).filter(|path| same(path).next().is_none()).collect();
        if ends.is_empty() { vec![target.path.clone()] } else { ends }
    }

    fn take_at(&mut self, path: &str) -> Option<Written> {
        if !self.written.contains_key(path) {
            return None;
        }
        let written = Arc::make_mut(&mut self.written).remove(path)?;
        self.held = self.held.saturating_sub(written.length);
        Some(written)
    }

    fn put_at(&mut self, path: String, mut written: Written) {
        self.note(|queries| queries.unrepeatable = true);
        self.take_at(&path);
        if self.written.len() >= ENTRIES {
            self.forgetful = true;
            return;
        }
        if written.length > CONTENT || self.held + written.length > CONTENTS {
            written = Written::default();
        }
        self.held += written.length;
        Arc::make_mut(&mut self.written).insert(path, written);
    }

    #[expect(clippy::option_option, reason = "unwritten, unknown content and known content are three answers")]
    /// `None`: not written in this session. `Some(None)`: written, content not known. Follows aliases.
    pub fn written(&self, target: &PathTarget) -> Option<Option<&str>> {
        match self.written_entry(target) {
            Some(written) => Some(written.whole.as_deref()),
            None if self.forgetful => Some(None),
            None => None,
        }
    }

    /// Files that match a pattern, with what is known of their content.
    pub(crate) fn written_matching(&self, pattern: &str) -> Vec<(String, String)> {
        self.note(|queries| {
            queries.unrepeatable |= self.written.keys().any(|path| glob::matches(pattern, path));
            queries.ask_matching(pattern);
        });
        let texts = self.written.iter().filter(|(path, _)| glob::matches(pattern, path));
        let texts = texts.flat_map(|(path, written)| {
            written.whole.iter().chain(&written.parts).map(move |text| (path.clone(), text.clone()))
        });
        texts.take(HOPS).collect()
    }

    /// Anything was written at all.
    pub(crate) fn has_written(&self) -> bool {
        self.note(|queries| queries.any_written = Some(!self.written.is_empty()));
        !self.written.is_empty() || self.forgetful
    }

    /// Texts that the session put into a file of which it does not know the rest. Follows aliases.
    pub fn parts(&self, target: &PathTarget) -> &[String] {
        self.written_entry(target).map_or(&[], |written| &written.parts)
    }

    fn written_entry(&self, target: &PathTarget) -> Option<&Written> {
        self.note(|queries| {
            queries.unrepeatable |= self.written.contains_key(&target.path);
            queries.ask_written(&target.path);
        });
        if self.written.is_empty() {
            return None;
        }
        let own = self.written.get(&target.path);
        if own.is_some_and(|written| !written.follows) || self.aliases.is_empty() {
            return own;
        }
        let others = self.originals(&target.path, Certainty::Exact);
        let mut others = others.iter().filter(|name| name.certainty == Certainty::Exact);
        others.find_map(|name| self.written.get(&name.path).filter(|written| !written.follows)).or(own)
    }
}

/// What a file holds, as far as the session wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Written {
    whole: Option<String>,
    /// Where the whole is not known: texts that are in it.
    parts: Vec<String>,
    /// Bytes of all of it: a file that is edited a thousand times has a thousand parts.
    length: usize,
    /// It was made a link or copy of another file, and not written since.
    follows: bool,
}

impl Written {
    fn in_parts(mut self) -> Self {
        self.parts.extend(self.whole.take());
        self.follows = false;
        self
    }
}

/// How two names belong together. Ordered: the looser tie of a chain counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AliasKind {
    /// One held what the other held.
    Content,
    /// They are one file.
    Same,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Original {
    /// `None`: the name leads to an unknown place.
    path: Option<String>,
    alias_kind: AliasKind,
}

impl Original {
    /// Where `rest` below the alias is.
    fn reached(&self, alias: &str, rest: &str, so_far: AliasKind, certainty: Certainty) -> Name {
        let (path, certainty) = match (&self.path, certainty) {
            (None, _) => ("**".to_owned(), Certainty::Pattern),
            (Some(original), Certainty::Pattern) => (below(&paths::escaped(original), rest), Certainty::Pattern),
            (Some(original), certainty) => (below(original, rest), certainty),
        };
        let within = if rest.is_empty() { Within::Itself } else { Within::Directory };
        Name { alias: alias.to_owned(), path, certainty, alias_kind: so_far.min(self.alias_kind), within }
    }
}

/// Another name of a file.
#[derive(Debug, Clone)]
pub struct Name {
    /// The alias that leads there.
    pub alias: String,
    pub path: String,
    pub certainty: Certainty,
    pub(crate) alias_kind: AliasKind,
    pub within: Within,
}

/// What the alias names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within {
    Itself,
    /// A directory above the file.
    Directory,
}

/// `**` + rest: what is unknown may end in any directory, so a rest that starts a component keeps its `/`.
fn unknown_prefix(rest: &str) -> String {
    let cut = rest.contains("/../") || rest.ends_with("/..");
    if cut { "**".to_owned() } else { rest.trim_end_matches('/').to_owned() }
}

/// Every directory prefix of `path` with what follows it: the path itself first.
fn prefixes(path: &str) -> impl Iterator<Item = (&str, &str)> {
    let whole = std::iter::once((path, ""));
    whole.chain(path.rmatch_indices('/').map(move |(at, _)| {
        let (prefix, rest) = path.split_at_checked(at).unwrap_or((path, ""));
        (prefix, rest.trim_start_matches('/'))
    }))
}

fn below(directory: &str, rest: &str) -> String {
    match directory {
        whole if rest.is_empty() => whole.to_owned(),
        "." => rest.to_owned(),
        "/" => format!("/{rest}"),
        other => format!("{other}/{rest}"),
    }
}
