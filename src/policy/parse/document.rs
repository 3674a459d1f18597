//! What a policy states, before it is compiled.

use std::sync::Arc;

use crate::effects::knowledge::Knowledge;
use crate::finding::PolicyPlace;
use crate::policy::budgets::Budgets;
use crate::policy::evidence::EvidenceRules;
use crate::policy::inline_tests::InlineTest;
use crate::policy::sessions::Conditions;

/// One entry of a list.
#[derive(Debug, Clone)]
pub(in crate::policy) struct Entry {
    pub(in crate::policy) text: String,
    pub(in crate::policy) place: PolicyPlace,
}

/// A list that stands in the file, possibly empty.
#[derive(Debug, Clone)]
pub(in crate::policy) struct List {
    pub(in crate::policy) entries: Vec<Entry>,
    pub(in crate::policy) place: PolicyPlace,
}

#[derive(Debug, Clone, Default)]
pub(in crate::policy) struct Lists {
    pub(in crate::policy) allow: Option<List>,
    pub(in crate::policy) deny: Option<List>,
    pub(in crate::policy) ask: Option<List>,
}

#[derive(Debug, Clone)]
pub(in crate::policy) struct Network {
    pub(in crate::policy) deny_all: Option<PolicyPlace>,
    pub(in crate::policy) lists: Lists,
    pub(in crate::policy) place: PolicyPlace,
}

/// The lists that judge, wherever they stand: at the root of a policy or in a part of it for some agents.
#[derive(Debug, Clone, Default)]
pub(in crate::policy) struct Rulebook {
    pub(in crate::policy) read: Lists,
    pub(in crate::policy) write: Lists,
    /// `None`: what is deleted is judged as if it were written.
    pub(in crate::policy) delete: Option<Lists>,
    pub(in crate::policy) commands: Lists,
    pub(in crate::policy) network: Option<Network>,
}

/// A whole policy file.
#[derive(Debug, Default)]
pub(in crate::policy) struct Document {
    pub(in crate::policy) version: Version,
    pub(in crate::policy) rulebook: Rulebook,
    pub(in crate::policy) programs: Arc<Knowledge>,
    pub(in crate::policy) evidence: EvidenceRules,
    pub(in crate::policy) sessions: Conditions,
    pub(in crate::policy) budgets: Budgets,
    pub(in crate::policy) tests: Vec<InlineTest>,
}

/// Which version of the language a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::policy) enum Version {
    #[default]
    One,
    Two,
}

impl Version {
    pub(in crate::policy) fn number(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }

    /// Of the keys that an object may have in each version, those of this one.
    pub(super) fn keys(self, one: &'static [&'static str], two: &'static [&'static str]) -> &'static [&'static str] {
        match self {
            Self::One => one,
            Self::Two => two,
        }
    }
}
