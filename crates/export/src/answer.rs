//! The answer of an engine, or of the policy, to a call.

use agent_strace_engine::Entry;
use agent_strace_model::finding::Level;
use agent_strace_policy::Decision;

/// The stricter, the later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// It runs, nobody is asked.
    Allow,
    /// The agent's user is asked; of a policy also: not proven to be allowed.
    Ask,
    Deny,
}

impl Answer {
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// What the policy says about one effect.
    pub fn of(entry: &Entry) -> Self {
        match entry.decision {
            Decision::Denied => Self::Deny,
            Decision::Asked => Self::Ask,
            // At a lower level the gate lets it pass.
            Decision::Unresolved if entry.level == Level::Error => Self::Ask,
            Decision::Unresolved | Decision::Allowed | Decision::Unruled => Self::Allow,
        }
    }
}
