//! What is said of a repository, and where in it.

use sha2::{Digest, Sha256};

use agent_strace_model::finding::Level;
use agent_strace_policy::hex;
use agent_strace_rules::Rule;

/// Where something stands in a repository. All of it is text of the repository: hostile, and maybe secret.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// From the top of the repository, `/` between parts.
    pub file: Option<String>,
    /// 1-based.
    pub line: Option<u32>,
    pub origin: Origin,
}

/// In which state of the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
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
    pub fn head(file: &str, line: u32) -> Self {
        Self { file: Some(file.to_owned()), line: Some(line), origin: Origin::Head }
    }
}

/// One thing that a rule says.
#[derive(Debug, Clone)]
pub struct Remark {
    pub rule: &'static Rule,
    pub level: Level,
    /// Lower case, one line: what it is, and what to do.
    pub message: String,
    pub place: Place,
    /// What tells it from others of its rule, on whatever line and in whatever commit it stands.
    pub about: Vec<(&'static str, String)>,
}

impl Remark {
    /// By the level of its rule.
    pub fn new(rule: &'static Rule, place: Place, message: impl Into<String>) -> Self {
        let file = place.file.clone().unwrap_or_default();
        Self::of(rule, place, message).about("file", file)
    }

    /// The same of something that is what it is in whatever file it stands.
    pub fn of(rule: &'static Rule, place: Place, message: impl Into<String>) -> Self {
        Self { rule, level: rule.level, message: message.into(), place, about: Vec::new() }
    }

    pub fn about(mut self, what: &'static str, value: impl Into<String>) -> Self {
        self.about.push((what, value.into()));
        self
    }

    pub fn at(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// Never over a line, a commit or a day.
    pub fn fingerprint(&self) -> String {
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
