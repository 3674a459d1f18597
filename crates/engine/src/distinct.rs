//! Which findings of a session are the same, and their order.

use std::collections::{BTreeMap, BTreeSet};

use agent_strace_model::finding::{EffectView, Finding, Level, RuleId};

use super::SessionOutcome;

impl SessionOutcome {
    /// Keeps what was found before more was known of the session: what others left behind must not hide what it did itself.
    pub fn keep_findings(&mut self, before: Self) {
        let known: BTreeSet<_> = self.findings.iter().map(identity).collect();
        let mut lost = before.findings;
        // An act that is unresolved for several reasons is unresolved once.
        let mut unresolved: BTreeMap<u32, Level> = BTreeMap::new();
        for finding in self.findings.iter().filter(|finding| finding.rule == RuleId::ScopeUnresolved) {
            let level = unresolved.entry(finding.event).or_insert(finding.level);
            *level = finding.level.max(*level);
        }
        let is_unresolved = |lost: &Finding| {
            lost.rule == RuleId::ScopeUnresolved
                && unresolved.get(&lost.event).is_some_and(|level| *level >= lost.level)
        };
        lost.retain(|finding| !known.contains(&identity(finding)) && !is_unresolved(finding));
        self.findings.extend(lost);
        self.findings.sort_by(|left, right| order(left).cmp(&order(right)));
    }
}

/// Deduplicates findings; a waived duplicate never hides one that still counts.
pub(super) fn once(found: Vec<Finding>) -> Vec<Finding> {
    let standing: BTreeSet<_> = found.iter().filter(|finding| !finding.is_covered()).map(identity).collect();
    let stays = |finding: &Finding| !finding.is_covered() || !standing.contains(&identity(finding));
    let mut seen = BTreeSet::new();
    let kept = found.iter().map(|finding| stays(finding) && seen.insert(identity(finding))).collect();
    only(found, kept)
}

/// The event, the rule and the fingerprint.
type Identity<'f> = (u32, RuleId, &'f str);

fn identity(finding: &Finding) -> Identity<'_> {
    (finding.event, finding.rule, &finding.fingerprint)
}

/// Drops the finding about `x/**` if `x` is already reported: renaming or copying `x` touches both.
pub(super) fn without_what_is_below(found: Vec<Finding>) -> Vec<Finding> {
    let path = |finding| effect_of(finding)?.path.as_deref();
    let above = |finding| path(finding)?.strip_suffix("/**");
    // Most findings are about no directory.
    if found.iter().all(|finding| above(finding).is_none()) {
        return found;
    }
    let named: BTreeSet<_> = found.iter().filter_map(|finding| Some(touched(finding, path(finding)?))).collect();
    let stays = |finding| above(finding).is_none_or(|above| !named.contains(&touched(finding, above)));
    let kept = found.iter().map(stays).collect();
    only(found, kept)
}

fn effect_of(finding: &Finding) -> Option<&EffectView> {
    finding.effect.as_deref()
}

/// The words in which a finding speaks of a path.
fn touched<'f>(finding: &'f Finding, path: &'f str) -> (Identity<'f>, Level, Option<&'f str>, &'f [Vec<usize>]) {
    let kind = effect_of(finding).map(|effect| effect.kind);
    ((finding.event, finding.rule, path), finding.level, kind, &finding.covered_by)
}

/// Those of which it is said that they stay.
fn only(mut found: Vec<Finding>, kept: Vec<bool>) -> Vec<Finding> {
    let mut kept = kept.into_iter();
    found.retain(|_| kept.next() == Some(true));
    found
}

pub(super) fn order(finding: &Finding) -> (u32, &str, std::cmp::Reverse<Level>, &str, &str) {
    (finding.event, finding.rule.as_str(), std::cmp::Reverse(finding.level), &finding.message, &finding.fingerprint)
}
