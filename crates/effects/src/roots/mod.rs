//! The directories from which the paths of a session count.
//!
//! A policy speaks of paths from the top of its repository. A log says where its agent was started, and that may be a
//! directory of the repository. Where neither the user nor the checkout states the top, each directory that may be it is a
//! candidate. A deny of the policy holds under all of them, and an allow under the most likely one.

mod mentioned;
mod repository;

use std::collections::BTreeSet;
use std::sync::Arc;

use agent_strace_model::Session;

use super::paths::{self, Cwd, PathBase};
use super::{Certainty, PathTarget};
use mentioned::Mentioned;
pub use repository::Repository;

/// Ancestors of a working directory that are looked at.
const DEPTH: usize = 64;

/// Names of directories that agents, editors and git make in a repository, and that are no repositories themselves.
const INNER: &[&str] = &[
    ".git",
    ".github",
    ".gitlab",
    ".husky",
    ".claude",
    ".cursor",
    ".codex",
    ".gemini",
    ".copilot",
    ".vscode",
    ".agents",
    ".agent-strace",
    ".agent-traces",
];

/// The directories from which the paths of one session may count.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    /// The most likely root. `None`: the session shows no directory, and the caller states none.
    first: Option<String>,
    /// The top of the repository, where that is another directory.
    top: Option<String>,
    /// The others. `None`: paths may be those of any directory.
    others: Vec<Option<String>>,
    /// Files that the change touches, whatever directory a session names them in.
    changed: Changed,
    repository: Arc<Repository>,
}

/// Says below which directories the files of the change are looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Changed {
    #[default]
    InRoots,
    Anywhere,
}

/// An effect's target as it counts from another root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    pub root: Option<String>,
    pub target: PathTarget,
    pub certainty: Certainty,
}

impl Roots {
    /// Paths count from this directory alone.
    pub fn only(root: Option<&str>) -> Self {
        Self { first: root.and_then(paths::root), ..Self::default() }
    }

    /// The candidates for a session, the most likely one first.
    ///
    /// `guarded`: directories that the policy names in what it forbids.
    pub fn of(session: &Session<'_>, repository: &Arc<Repository>, guarded: &BTreeSet<String>) -> Self {
        let roots = Self::candidates(session, repository, guarded);
        let roots = roots.in_folder_of_policy(session, repository);
        Self { repository: Arc::clone(repository), ..roots }
    }

    fn candidates(session: &Session<'_>, repository: &Repository, guarded: &BTreeSet<String>) -> Self {
        let cwd = session.root.as_deref().and_then(paths::root);
        let changed = if repository.has_changes() { Changed::Anywhere } else { Changed::InRoots };
        let Some(cwd) = cwd else { return Self { changed, ..of_nowhere(session, repository) } };
        // The longest one: a directory that is stated may hold others.
        let stated = repository.stated().iter().filter(|root| is_within(&cwd, root)).max_by_key(|root| root.len());
        if let Some(stated) = stated {
            return Self { changed, ..Self::only(Some(stated)) };
        }
        if let Some(place) = repository.place().filter(|place| is_within(&cwd, place)) {
            return Self { first: Some(place.to_owned()), changed, ..Self::default() };
        }
        let mut candidates = candidates(&cwd, session.top.as_deref(), |tail| why(&cwd, tail, repository, guarded));
        if candidates.len() > 1 {
            rank(&mut candidates, session, repository);
        }
        let mut roots = candidates.into_iter().map(|candidate| candidate.root);
        let first = roots.next();
        let others = roots.chain(repository.stated().iter().cloned()).map(Some).collect();
        Self { first, others, changed, ..Self::default() }
    }

    /// The paths of a policy that lies in a directory of the repository count from there, for sessions that ran below it.
    fn in_folder_of_policy(mut self, session: &Session<'_>, repository: &Repository) -> Self {
        let (folder, cwd) = (repository.policy_folder(), session.root.as_deref().and_then(paths::root));
        let Some((top, cwd)) = self.first.as_deref().filter(|_| !folder.is_empty()).zip(cwd) else { return self };
        let own = format!("{}/{folder}", top.trim_end_matches('/'));
        if is_within(&cwd, &own) {
            self.others.retain(|other| other.as_ref() != Some(&own));
            let top = self.first.replace(own);
            self.others.insert(0, top.clone());
            self.top = top;
        }
        self
    }

    /// The top of the repository, from which its links count.
    pub fn top(&self) -> Option<&str> {
        self.top.as_deref().or(self.first.as_deref())
    }

    /// The most likely root.
    pub fn first(&self) -> Option<&str> {
        self.first.as_deref()
    }

    /// The others, the more likely one first. `None`: paths may be those of any directory.
    pub fn others(&self) -> &[Option<String>] {
        &self.others
    }

    pub(crate) fn repository(&self) -> &Repository {
        &self.repository
    }

    /// The target as it counts from each of the other roots, where that is another name.
    pub fn moved(&self, target: &PathTarget, certainty: Certainty) -> Vec<Moved> {
        let mut moved: Vec<Moved> = Vec::new();
        if self.others.is_empty() && self.changed == Changed::InRoots {
            return moved;
        }
        let absolute = self.absolute(target, certainty);
        for root in &self.others {
            let found = match root {
                Some(root) => below(root, &absolute, target.subtree, certainty),
                None => Some((PathTarget { path: absolute.clone(), subtree: target.subtree }, certainty)),
            };
            if let Some((there, certainty)) = found
                && there != *target
                && !moved.iter().any(|known| known.target == there)
            {
                moved.push(Moved { root: root.clone(), target: there, certainty });
            }
        }
        if let Some(path) = self.stray(target, certainty)
            && !moved.iter().any(|known| known.target.path == path)
        {
            moved.push(Moved { root: None, target: PathTarget::new(path), certainty });
        }
        moved
    }

    /// The target as the pattern or path of a whole machine.
    fn absolute(&self, target: &PathTarget, certainty: Certainty) -> String {
        let path = target.path.as_str();
        let Some(root) = self.first.as_deref().filter(|_| !is_anchored(path)) else { return path.to_owned() };
        let root = root.trim_end_matches('/');
        let root = if certainty == Certainty::Pattern { paths::escaped(root) } else { root.to_owned() };
        if path == "." { root } else { format!("{root}/{path}") }
    }

    /// A file outside of what is known of the repository, whose name ends like that of a file that the change touches: it
    /// may be that file, in a checkout of which the log does not tell.
    fn stray(&self, target: &PathTarget, certainty: Certainty) -> Option<String> {
        let repository = &*self.repository;
        let is_one = certainty != Certainty::Pattern && !target.subtree;
        if self.changed == Changed::InRoots || !is_one || is_known(&target.path, repository) {
            return None;
        }
        let ends = target.path.match_indices('/').take(DEPTH).filter_map(|(at, _)| target.path.get(at + 1..));
        // A bare name says too little: every repository has a `README.md`.
        ends.filter(|end| end.contains('/')).find(|end| repository.changes(end)).map(str::to_owned)
    }
}

/// The path is one of the repository for sure: it, or the directory at its start, is there.
fn is_known(path: &str, repository: &Repository) -> bool {
    let start = path.split('/').next().unwrap_or(path);
    !is_anchored(path) && (repository.has_file(path) || repository.has_folder(start))
}

/// A session whose log names no directory. If it speaks of files below a root that is known, or below the checkout in which
/// the judge runs, it ran there; its other paths may still be of anywhere.
fn of_nowhere(session: &Session<'_>, repository: &Repository) -> Roots {
    let mentioned = Mentioned::of(session);
    let known = repository.stated().iter().map(String::as_str).chain(repository.place());
    let mut roots = known.filter(|root| mentioned.names_below(root)).map(str::to_owned);
    let first = roots.next();
    let elsewhere = first.is_some().then_some(None);
    Roots { first, others: roots.map(Some).chain(elsewhere).collect(), ..Roots::default() }
}

/// A directory that may be the top.
#[derive(Debug)]
struct Candidate {
    root: String,
    /// From it to the working directory; empty where that is the same.
    tail: String,
    why: Why,
}

/// The reason why a directory is a candidate, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    /// The log or its recorder says so.
    Claimed,
    /// The session was started in a directory that only lies in repositories.
    Inner,
    /// The repository has the directory in which the session was started.
    Folder,
    /// The session was started there.
    Started,
    /// The policy guards a directory of this name.
    Guarded,
}

fn candidates(cwd: &str, claimed: Option<&str>, why: impl Fn(&str) -> Option<Why>) -> Vec<Candidate> {
    let claimed = claimed.and_then(paths::root);
    let is_claimed = |root: &str| claimed.as_deref() == Some(root);
    let own = if is_claimed(cwd) { Why::Claimed } else { Why::Started };
    let mut candidates = vec![Candidate { root: cwd.to_owned(), tail: String::new(), why: own }];
    for (at, _) in cwd.rmatch_indices('/').take(DEPTH) {
        let (root, tail) = (cwd.get(..at).unwrap_or_default(), cwd.get(at + 1..).unwrap_or_default());
        if root.is_empty() || root.ends_with('/') || tail.is_empty() {
            break;
        }
        let why = if is_claimed(root) { Some(Why::Claimed) } else { why(tail) };
        candidates.extend(why.map(|why| Candidate { root: root.to_owned(), tail: tail.to_owned(), why }));
    }
    if let Some(root) = claimed.filter(|claimed| candidates.iter().all(|candidate| candidate.root != *claimed)) {
        candidates.push(Candidate { root, tail: String::new(), why: Why::Claimed });
    }
    candidates
}

/// Returns the reason why the directory above `tail` is a candidate, if there is one.
fn why(cwd: &str, tail: &str, repository: &Repository, guarded: &BTreeSet<String>) -> Option<Why> {
    let first = tail.split('/').next().unwrap_or_default();
    // Windows and macOS take names that differ in nothing but their case for one.
    let ignores_case = !cwd.starts_with('/') || cwd.starts_with("//") || cwd.starts_with("/Users/");
    if INNER.contains(&first) {
        return Some(Why::Inner);
    }
    if repository.has_folder(tail) || ignores_case && repository.has_folder(&tail.to_lowercase()) {
        return Some(Why::Folder);
    }
    let mut above = tail.match_indices('/').filter_map(|(at, _)| tail.get(..at)).chain([tail]);
    above.any(|folder| guarded.contains(folder)).then_some(Why::Guarded)
}

/// Puts the most likely candidate first, and drops what is a mere name of the policy where the session shows its root.
fn rank(candidates: &mut Vec<Candidate>, session: &Session<'_>, repository: &Repository) {
    let mentioned = Mentioned::of(session);
    let is_shown = mentioned.matches(candidates.first().map_or("", |own| own.root.as_str()), repository).files > 0;
    candidates.retain(|candidate| candidate.why != Why::Guarded || !is_shown);
    candidates.sort_by_cached_key(|candidate| {
        let matches = mentioned.matches(&candidate.root, repository);
        let certain = candidate.why.min(Why::Folder);
        let guessed = candidate.why == Why::Guarded;
        (certain, guessed, std::cmp::Reverse((matches.files, matches.folders, candidate.tail.len())))
    });
}

/// `target` from `root`: `None` where it is not below it.
fn below(root: &str, absolute: &str, subtree: bool, certainty: Certainty) -> Option<(PathTarget, Certainty)> {
    if subtree && certainty != Certainty::Pattern && is_within(root, absolute) {
        return Some((PathTarget { path: ".".to_owned(), subtree }, certainty));
    }
    let base = PathBase { root: Some(root), cwd: Cwd::Known(root) };
    let (target, certainty) = paths::locate(base, absolute, certainty);
    (!is_anchored(&target.path)).then_some((PathTarget { subtree, ..target }, certainty))
}

/// The directory itself, or one below it. Both are normalised.
fn is_within(directory: &str, outer: &str) -> bool {
    let rest = directory.strip_prefix(outer.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_anchored(path: &str) -> bool {
    path.starts_with(['/', '~']) || path.as_bytes().get(1) == Some(&b':')
}

#[cfg(test)]
mod tests;
