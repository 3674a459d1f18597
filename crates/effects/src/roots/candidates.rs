//! The directories that may be the top, for a session that was started in one directory.

use super::super::paths;
use super::Repository;
use super::guarded::{Cover, Guarded};
use super::mentioned::Mentioned;

/// Ancestors of a working directory that are looked at: no system has longer paths.
pub(super) const DEPTH: usize = 2048;

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

/// A directory that may be the top.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) root: String,
    /// From it to the working directory; empty where that is the same.
    pub(super) tail: String,
    pub(super) why: Why,
}

/// The reason why a directory is a candidate, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Why {
    /// The log or its recorder says so.
    Claimed,
    /// The session was started in a directory that only lies in repositories.
    Inner,
    /// The repository has the directory in which the session was started.
    Folder,
    /// The session was started there.
    Started,
    /// The policy speaks of a directory of the name in which the session was started.
    Guarded,
    /// The session was started somewhere below a directory of which the policy speaks.
    BelowGuarded,
}

impl Why {
    /// Nothing but a name in the policy speaks for the directory.
    pub(super) fn is_a_name(self) -> bool {
        matches!(self, Self::Guarded | Self::BelowGuarded)
    }
}

/// The candidates, the working directory first.
pub(super) fn of(cwd: &str, claimed: Option<&str>, repository: &Repository, guarded: &Guarded) -> Vec<Candidate> {
    let claimed = claimed.and_then(paths::root);
    let is_claimed = |root: &str| claimed.as_deref() == Some(root);
    let own = if is_claimed(cwd) { Why::Claimed } else { Why::Started };
    let mut candidates = vec![Candidate { root: cwd.to_owned(), tail: String::new(), why: own }];
    for (at, _) in cwd.rmatch_indices('/').take(DEPTH) {
        let (root, tail) = (cwd.get(..at).unwrap_or_default(), cwd.get(at + 1..).unwrap_or_default());
        if root.is_empty() || root.ends_with('/') || tail.is_empty() {
            break;
        }
        let why = if is_claimed(root) { Some(Why::Claimed) } else { why(cwd, tail, repository, guarded) };
        candidates.extend(why.map(|why| Candidate { root: root.to_owned(), tail: tail.to_owned(), why }));
    }
    if let Some(root) = claimed.filter(|claimed| candidates.iter().all(|candidate| candidate.root != *claimed)) {
        candidates.push(Candidate { root, tail: String::new(), why: Why::Claimed });
    }
    candidates
}

/// Returns the reason why the directory above `tail` is a candidate, if there is one.
fn why(cwd: &str, tail: &str, repository: &Repository, guarded: &Guarded) -> Option<Why> {
    let first = tail.split('/').next().unwrap_or_default();
    // Windows and macOS take names that differ in nothing but their case for one.
    let ignores_case = !cwd.starts_with('/') || cwd.starts_with("//") || cwd.starts_with("/Users/");
    if INNER.contains(&first) {
        return Some(Why::Inner);
    }
    if repository.has_folder(tail) || ignores_case && repository.has_folder_in_any_case(tail) {
        return Some(Why::Folder);
    }
    guarded.covers(tail).map(|cover| match cover {
        Cover::Named => Why::Guarded,
        Cover::Below => Why::BelowGuarded,
    })
}

/// Puts the most likely candidate first. The place where the session was started wins where nothing speaks for another.
pub(super) fn rank(candidates: &mut [Candidate], mentioned: &Mentioned, repository: &Repository) {
    candidates.sort_by_cached_key(|candidate| {
        let matches = mentioned.matches(&candidate.root, &candidate.tail, repository);
        let certain = candidate.why.min(Why::Folder);
        let evidence = (matches.files, matches.folders, matches.alike, matches.starts);
        let key = (evidence, candidate.likelihood(), candidate.tail.len());
        (certain, candidate.why.is_a_name(), std::cmp::Reverse(key))
    });
}

impl Candidate {
    /// A directory has the name of one in the repository by chance sooner than it has such a path.
    fn likelihood(&self) -> u8 {
        if self.tail.contains('/') { 2 } else { u8::from(self.tail.is_empty()) }
    }
}
