//! Findings about a repository, and locations in it.

use sha2::{Digest, Sha256};

use agent_strace_model::finding::Level;
use agent_strace_policy::hex;
use agent_strace_rules::Rule;

/// A location in a repository. Its text comes from the repository: it is hostile and may be secret.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// Relative to the top of the repository, with `/` as separator.
    pub file: Option<String>,
    /// 1-based.
    pub line: Option<u32>,
    pub origin: Origin,
}

/// The state of the repository that contains the location.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Committed in `HEAD`.
    #[default]
    Head,
    /// The work tree, where it differs from `HEAD`.
    Worktree,
    /// An earlier commit (hex).
    Commit(String),
    /// The full name of a reference.
    Reference(String),
    /// Observed in sessions.
    Sessions,
}

impl Location {
    pub fn head(file: &str, line: u32) -> Self {
        Self { file: Some(file.to_owned()), line: Some(line), origin: Origin::Head }
    }
}

/// One finding of a rule about a repository.
#[derive(Debug, Clone)]
pub struct RepositoryHit {
    pub rule: &'static Rule,
    pub level: Level,
    /// One line in lower case: the problem and the fix.
    pub message: String,
    pub location: Location,
    /// Distinguishes it from other findings of its rule, independent of line and commit.
    pub about: Vec<(&'static str, String)>,
}

impl RepositoryHit {
    /// A hit at the level of its rule; the file is part of its identity.
    pub fn new(rule: &'static Rule, location: Location, message: impl Into<String>) -> Self {
        let file = location.file.clone().unwrap_or_default();
        Self::of(rule, location, message).about("file", file)
    }

    /// A hit whose identity does not depend on the file.
    pub fn of(rule: &'static Rule, location: Location, message: impl Into<String>) -> Self {
        Self { rule, level: rule.level, message: message.into(), location, about: Vec::new() }
    }

    pub fn about(mut self, what: &'static str, value: impl Into<String>) -> Self {
        self.about.push((what, value.into()));
        self
    }

    pub fn at(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// The fingerprint: independent of line, commit and day.
    pub fn fingerprint(&self) -> String {
        let mut hasher = Sha256::new();
        for (name, value) in
            [("rule", self.rule.id.as_str())].into_iter().chain(self.about.iter().map(|(n, v)| (*n, v.as_str())))
        {
            for part in [name, value] {
                hasher.update((part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
        }
        hex(hasher.finalize().get(..16).unwrap_or_default())
    }
}
