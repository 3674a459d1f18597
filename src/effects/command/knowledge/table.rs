//! What is known in one judgement: the built-in data, and what the policy says about programs of its own.

use std::collections::BTreeMap;

use super::Entry;

/// The built-in data with the entries of a policy.
#[derive(Debug, Default)]
pub(crate) struct Knowledge {
    /// By bare name, in place of the built-in entry.
    entries: BTreeMap<String, Entry>,
    /// By bare name: what the policy adds to a built-in program that keeps its own effects.
    additions: BTreeMap<String, Entry>,
}

impl Knowledge {
    /// What is known about `program`, by its bare name.
    pub(crate) fn entry(&self, program: &str) -> Option<&Entry> {
        if self.entries.is_empty() {
            return super::builtin(program);
        }
        self.entries.get(program).or_else(|| super::builtin(program))
    }

    /// What the policy adds to `program`.
    pub(crate) fn addition(&self, program: &str) -> Option<&Entry> {
        if self.additions.is_empty() { None } else { self.additions.get(program) }
    }
}
