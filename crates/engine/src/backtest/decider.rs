//! Who decided about a call: an entry of the policy, a built-in rule, or nobody.

use std::collections::BTreeMap;

use agent_strace_model::finding::{Family, Finding, PolicyLocation, RuleId};
use agent_strace_policy::{Decision, EntryView, Judgement, Policy};

/// Ordered as reports list them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decider {
    /// An entry, by its index in [`Rules::entries`].
    Entry(usize),
    /// All entries of a list together, by the list's pointer: none of them allows it alone.
    List(String),
    BuiltIn(RuleId),
    /// It could not be resolved what the call did.
    Unresolved,
    /// No rule speaks of it.
    Default,
}

/// The entries of a policy in the order of reports.
pub struct Rules<'p> {
    entries: Vec<&'p EntryView>,
    by_location: BTreeMap<(Option<&'p str>, &'p str), usize>,
}

impl<'p> Rules<'p> {
    pub fn new(policy: &'p Policy) -> Self {
        let mut entries: Vec<&EntryView> = policy.entries().collect();
        // What denies every host speaks last of hosts.
        entries.sort_by_key(|entry| (entry.subject, entry.location.pointer.ends_with("/deny_all")));
        let by_location = entries.iter().enumerate().map(|(index, entry)| (key(&entry.location), index)).collect();
        Self { entries, by_location }
    }

    pub fn entries(&self) -> &[&'p EntryView] {
        &self.entries
    }

    pub fn entry(&self, decider: &Decider) -> Option<&'p EntryView> {
        let Decider::Entry(index) = decider else { return None };
        self.entries.get(*index).copied()
    }

    fn at(&self, location: Option<&PolicyLocation>) -> Option<usize> {
        self.by_location.get(&key(location?)).copied()
    }

    /// Who decided about one effect; `None`: nobody.
    pub(super) fn behind(&self, judgement: &Judgement) -> Option<Decider> {
        let location = judgement.location.as_ref()?;
        let together = || Decider::List(location.pointer.clone());
        match self.at(Some(location)) {
            Some(index) => Some(Decider::Entry(index)),
            None if judgement.decision == Decision::Allowed && location.pointer.ends_with("/allow") => Some(together()),
            None => None,
        }
    }

    /// Who decided that a finding is one.
    pub(super) fn found(&self, finding: &Finding) -> Decider {
        match finding.rule {
            RuleId::ScopeUnresolved => Decider::Unresolved,
            // These name the entry that judged the effect, which is not why they speak.
            rule @ (RuleId::ScopeSensitive
            | RuleId::ScopeRemoteCode
            | RuleId::ScopeDecodedCode
            | RuleId::ScopeRemoteShell
            | RuleId::SequenceSecretEgress) => Decider::BuiltIn(rule),
            rule => match self.at(finding.policy.as_ref()) {
                Some(index) => Decider::Entry(index),
                None if rule.family() == Family::Scope => Decider::Default,
                None => Decider::BuiltIn(rule),
            },
        }
    }
}

fn key(location: &PolicyLocation) -> (Option<&str>, &str) {
    (location.file.as_deref(), &location.pointer)
}
