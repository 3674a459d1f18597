//! The start of a draft: nothing, a policy that is added to, or a base that several repositories share.

use agent_strace_policy::{Diagnostics, Policy};

use super::draft::SHOWN;
use super::provenance::KnownEntries;
use super::shared::SharedBase;

/// The conditions of a draft beside the acts that were seen.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    /// An entry has to be seen in so many sessions.
    pub seen_in: usize,
    pub start: Start<'a>,
}

/// The policy that a draft starts from.
#[derive(Debug, Clone, Copy)]
pub enum Start<'a> {
    /// The generator writes a new policy that extends no other one.
    Nothing,
    /// Entries are added to this one, which may extend a base.
    Added {
        text: &'a str,
        policy: &'a Policy,
        base: Option<&'a SharedBase>,
        /// Entries that sessions are known for, from the file beside it. One that it no longer has was removed by somebody.
        known: &'a KnownEntries,
    },
    /// A new policy extends this one, and states only what the base does not state.
    Extending(&'a SharedBase),
}

impl<'a> Start<'a> {
    /// It judges already, and the draft allows nothing that it forbids.
    pub fn policy(self) -> Option<&'a Policy> {
        match self {
            Self::Nothing => None,
            Self::Added { policy, .. } => Some(policy),
            Self::Extending(base) => Some(base.policy()),
        }
    }

    pub(super) fn base(self) -> Option<&'a SharedBase> {
        match self {
            Self::Extending(base) => Some(base),
            Self::Added { base, .. } => base,
            Self::Nothing => None,
        }
    }

    pub(super) fn read(self, text: &str) -> Result<Policy, Diagnostics> {
        match self.base() {
            Some(base) => base.read(SHOWN, text),
            None => Policy::from_bytes(SHOWN, None, text.as_bytes()),
        }
    }
}
