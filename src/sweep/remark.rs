//! What is said of a repository, and where in it.

use sha2::{Digest, Sha256};

use crate::finding::Level;
use crate::policy::hex;
use crate::rules::Rule;

/// Where something stands in a repository. All of it is text of the repository: hostile, and maybe secret.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// From the top of the repository, `/` between parts.
    pub(crate) file: Option<String>,
    /// 1-based.
    pub(crate) line: Option<u32>,
    pub(crate) origin: Origin,
}

/// In which state of the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// Committed, as `HEAD` has it.
    #[default]
    Head,
    /// In the work tree, and not committed like that.
    Worktree,
    /// In the history, in this commit (hex).
    Commit(String),
    /// The full name of a reference.
    Reference(String),
    /// What sessions did.
    Sessions,
}

impl Place {
    pub(crate) fn head(file: &str, line: u32) -> Self {
        Self { file: Some(file.to_owned()), line: Some(line), origin: Origin::Head }
    }
}

/// One thing that a rule says.
#[derive(Debug, Clone)]
pub(crate) struct Remark {
    pub(crate) rule: &'static Rule,
    pub(crate) level: Level,
    /// Lower case, one line: what it is, and what to do.
    pub(crate) message: String,
    pub(crate) place: Place,
    /// What tells it from others of its rule, on whatever line and in whatever commit it stands.
    pub(crate) about: Vec<(&'static str, String)>,
}

impl Remark {
    /// By the level of its rule.
    pub(crate) fn new(rule: &'static Rule, place: Place, message: impl Into<String>) -> Self {
        let file = place.file.clone().unwrap_or_default();
        Self::of(rule, place, message).about("file", file)
    }

    /// The same of something that is what it is in whatever file it stands.
    pub(crate) fn of(rule: &'static Rule, place: Place, message: impl Into<String>) -> Self {
        Self { rule, level: rule.level, message: message.into(), place, about: Vec::new() }
    }

    pub(crate) fn about(mut self, what: &'static str, value: impl Into<String>) -> Self {
        self.about.push((what, value.into()));
        self
    }

    pub(crate) fn at(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// Never over a line, a commit or a day.
    pub(crate) fn fingerprint(&self) -> String {
        let mut hasher = Sha256::new();
        for (name, value) in
            [("rule", self.rule.id)].into_iter().chain(self.about.iter().map(|(n, v)| (*n, v.as_str())))
        {
            for part in [name, value] {
                hasher.update((part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
        }
        hex(hasher.finalize().get(..16).unwrap_or_default())
    }
}
