//! Text that is meant for the model and not for the person who reads it: hidden characters, and words that tell an
//! agent to go behind its user's back.
//!
//! Descriptions of tools come into the model's context unseen, and so do instructions files. Words are compared after
//! everything was removed that nobody sees. A text that merely speaks of `.env` or of tokens is innocent; only what
//! says what to do with them is not.

mod comments;
mod fold;
mod hidden;
mod scripts;
#[cfg(test)]
mod tests;
mod wording;

#[cfg(test)]
use agent_strace_testing::work::count;
pub(crate) use comments::in_comments;
pub(crate) use hidden::hidden;

/// The bytes that searches look at are counted for the tests.
#[cfg(not(test))]
const fn count(_: usize) {}

/// How sure it is that a text is hostile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    /// Only beside others.
    Weak,
    /// Honest authors write it, too, but nobody should rely on it.
    Likely,
    /// No honest author writes it.
    Strong,
}

/// One reason to distrust a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Indicator {
    pub strength: Strength,
    /// Lower case, behind "it": `hides text in tag characters`.
    pub what: String,
    /// The byte at which it begins.
    pub at: usize,
}

impl Indicator {
    fn strong(at: usize, what: impl Into<String>) -> Self {
        Self { strength: Strength::Strong, what: what.into(), at }
    }
}

/// Of a description of a tool, of a text of its schema, of what a server says of itself.
pub(crate) fn indicators(text: &str) -> Vec<Indicator> {
    let mut found = hidden(text);
    found.extend(wording::indicators(text));
    found.extend(comments::any(text));
    found.sort_by(|one, other| other.strength.cmp(&one.strength).then(one.at.cmp(&other.at)));
    found.retain(|indicator| indicator.strength > Strength::Weak);
    found
}

/// Of a name: what looks like another one is worse there than in prose.
pub(crate) fn in_name(name: &str) -> Vec<Indicator> {
    let mut found = hidden(name);
    if found.is_empty() && name.chars().any(fold::is_invisible) {
        found.push(Indicator::strong(0, "has characters in its name that nobody sees"));
    }
    if scripts::is_mixed(name) {
        found.push(Indicator::strong(0, "has a name of Latin letters and others that look like them"));
    }
    found
}
