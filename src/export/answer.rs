//! What an engine, or the scope, says about a call.

use crate::engine::Entry;
use crate::finding::Level;
use crate::policy::Decision;

/// The stricter, the later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Answer {
    /// It runs, nobody is asked.
    Allow,
    /// The agent's user is asked; of a scope also: not proven to be allowed.
    Ask,
    Deny,
}

impl Answer {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// What the scope says about one effect.
    pub(crate) fn of(entry: &Entry) -> Self {
        match entry.decision {
            Decision::Denied => Self::Deny,
            Decision::Asked => Self::Ask,
            // At a lower level the gate lets it pass.
            Decision::Unresolved if entry.level == Level::Error => Self::Ask,
            Decision::Unresolved | Decision::Allowed | Decision::Unruled => Self::Allow,
        }
    }
}
