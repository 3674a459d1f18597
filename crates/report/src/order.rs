//! The order in which findings are shown, defined once for all formats.
//!
//! A report may hold thousands of findings about what sessions did, and every format shows a bounded part of them. What is
//! said about the gate itself comes first, so that no number of other findings hides it.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use agent_strace_model::finding::{Family, Level, RuleId};

use super::groups::Group;
use super::view::ShownFinding;

/// The subject that a finding puts in doubt; the first ones are shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// The gate itself: its author decides what is judged from then on.
    Gate,
    /// The files that protect the gate: its settings and its policy.
    Floor,
    /// The evidence that a verdict rests on: logs, sessions for all changes, exceptions.
    Basis,
    /// Acts of agents.
    Act,
    /// How agents worked and what they cost.
    Work,
    /// Nothing has to be done about it.
    Note,
}

pub(super) fn class(rule: RuleId) -> Class {
    match rule.family() {
        Family::Gate => Class::Gate,
        Family::Floor => Class::Floor,
        Family::Coverage | Family::Evidence | Family::Policy => Class::Basis,
        Family::Hooks
        | Family::Mcp
        | Family::Pii
        | Family::Repo
        | Family::Scope
        | Family::Secret
        | Family::Sequence => Class::Act,
        Family::Budget | Family::Eval | Family::Lint | Family::Retention => Class::Work,
    }
}

/// How sure it is that an act was wrong; the surest are shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Proof {
    /// No policy wants it: code from elsewhere, a shell for somebody else, a secret that was read or sent.
    Proven,
    /// An entry forbids it.
    Denied,
    /// No entry allows it.
    Unlisted,
    Unresolved,
}

fn proof(finding: &ShownFinding) -> Proof {
    let entry = finding.policy.as_ref().map_or("", |location| location.pointer.as_str());
    let is_denied = entry.split('/').any(|part| matches!(part, "deny" | "deny_set" | "rules"));
    match (finding.rule, finding.rule.family()) {
        (RuleId::ScopeRemoteShell | RuleId::ScopeRemoteCode | RuleId::ScopeDecodedCode | RuleId::ScopeSensitive, _)
        | (_, Family::Secret | Family::Sequence | Family::Pii) => Proof::Proven,
        (RuleId::ScopeUnresolved, _) => Proof::Unresolved,
        _ if is_denied => Proof::Denied,
        _ => Proof::Unlisted,
    }
}

/// By this findings are sorted; equal ones keep the order of the logs.
pub(super) fn rank(finding: &ShownFinding) -> (Class, Reverse<Level>, Proof) {
    let own = class(finding.rule);
    let is_note = finding.level == Level::Note && !finding.is_incomplete();
    let shown = if is_note && own != Class::Gate { Class::Note } else { own };
    (shown, Reverse(finding.level), proof(finding))
}

/// The rank within a session: some findings come first, the others stay in the order of its events.
pub(super) fn rank_in_session(finding: &ShownFinding) -> Class {
    rank(finding).0.min(Class::Act)
}

/// Findings of one call or of one file: the gate first, the others as they come.
pub(super) fn arranged<'f>(findings: impl IntoIterator<Item = &'f ShownFinding>) -> Vec<&'f ShownFinding> {
    let mut findings: Vec<&ShownFinding> = findings.into_iter().collect();
    findings.sort_by_key(|finding| rank_in_session(finding));
    findings
}

/// Sorts groups of findings for formats that show only the first ones: the gate, then one group of each rule, then the
/// others by level. So no rule takes the room of another one.
pub(super) fn arrange<'a, T: AsRef<Group<'a>>>(groups: &mut Vec<T>) {
    // A group may hold thousands of findings: its rank is worked out once, not in each comparison.
    groups.sort_by_cached_key(|group| group.as_ref().rank());
    let mut seen: BTreeSet<RuleId> = BTreeSet::new();
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for shown in groups.drain(..) {
        let rule = shown.as_ref().rule;
        let is_new = seen.insert(rule);
        let is_note = shown.as_ref().level() == Level::Note;
        if class(rule) == Class::Gate || is_new && !is_note { first.push(shown) } else { others.push(shown) }
    }
    others.sort_by_cached_key(|shown| Reverse(shown.as_ref().level()));
    first.append(&mut others);
    *groups = first;
}

#[cfg(test)]
mod tests {
    use super::{Class, class};
    use agent_strace_model::finding::RuleId;

    #[test]
    fn what_is_said_about_the_gate_comes_before_what_agents_did() {
        for (rule, before) in [
            (RuleId::GateTampering, RuleId::FloorGate),
            (RuleId::GateTampering, RuleId::ScopeWrite),
            (RuleId::FloorPolicy, RuleId::EvidenceLevel),
            (RuleId::FloorAgentSettings, RuleId::ScopeRemoteCode),
            (RuleId::CoverageNoSession, RuleId::ScopeRead),
            (RuleId::EvidenceRemoved, RuleId::SecretVendorToken),
            (RuleId::PolicyExceptionExpired, RuleId::SequenceSecretEgress),
            (RuleId::ScopeRead, RuleId::LintToolLoop),
            (RuleId::PiiEmail, RuleId::BudgetExceeded),
        ] {
            assert!(class(rule) < class(before), "{rule} {before}");
        }
        assert!(RuleId::ALL.iter().all(|rule| class(*rule) < Class::Note));
    }
}
