//! Matches exceptions and suppressions to findings, and finds the rules that a waived rule hides.

use agent_strace_effects::{Effect, Roots};
use agent_strace_model::Session;
use agent_strace_model::finding::{Finding, VerdictImpact};
use agent_strace_policy::{Context, Excepted, Judgement, Policy, WaiverCandidate};

use super::findings::{self, Done};
use super::replay::Step;

/// The maximum number of rules that are waived one after the other for one act. Later rules stay in force.
const DEEPEST: usize = 16;

/// The policy whose waivers are matched, and the session that they are matched for.
#[derive(Debug, Clone, Copy)]
pub(super) struct WaiverMatcher<'r> {
    pub(super) policy: &'r Policy,
    pub(super) session: &'r str,
    root: Option<&'r str>,
}

impl<'r> WaiverMatcher<'r> {
    pub(super) fn new(policy: &'r Policy, session: &'r Session<'_>, roots: &'r Roots) -> Self {
        Self::of_session(policy, &session.id, roots.first())
    }

    pub(super) fn of_session(policy: &'r Policy, session: &'r str, root: Option<&'r str>) -> Self {
        Self { policy, session, root }
    }

    /// The findings of a judgement. If all of them are waived, also the findings that they hid: another rule that denies
    /// the act, or the list of sensitive files.
    pub(super) fn findings(
        &self,
        effect: &Effect,
        step: &Step<'_>,
        context: &Context<'_>,
        judgement: &Judgement,
    ) -> Vec<Finding> {
        let done = Done { step, root: self.root };
        let mut found = findings::of_effect(effect, done, judgement);
        if found.is_empty() || self.policy.waivers().is_empty() {
            return found;
        }
        for finding in &mut found {
            self.mark(finding, Some(&judgement.effect(effect)));
        }
        let (mut judgement, mut excepted) = (judgement.clone(), Vec::new());
        while excepted.len() < DEEPEST {
            let Some(first) = found.iter().position(|finding| finding.rule == judgement.rule) else { break };
            if found.get(first).is_none_or(|finding| !finding.is_covered()) {
                break;
            }
            excepted.push(Excepted { rule: judgement.rule, location: judgement.location.clone() });
            let next = self.policy.judge_without(&excepted, effect, context);
            if next.decision == judgement.decision && next.location == judgement.location && next.rule == judgement.rule
            {
                // The policy has no other entry for this act, so the waiver covers everything.
                break;
            }
            judgement = next;
            for mut hidden in findings::of_effect(effect, done, &judgement) {
                self.mark(&mut hidden, Some(&judgement.effect(effect)));
                match found.iter_mut().find(|known| known.rule == hidden.rule) {
                    None => found.push(hidden),
                    Some(known) => {
                        let mut steps = std::mem::take(&mut known.covered_by);
                        steps.append(&mut hidden.covered_by);
                        if steps.last().is_none_or(Vec::is_empty) {
                            *known = hidden;
                        }
                        known.covered_by = steps;
                    }
                }
            }
        }
        if excepted.len() >= DEEPEST {
            // Rules behind the last one were not examined, so nothing covers them.
            for finding in &mut found {
                finding.covered_by.push(Vec::new());
            }
        }
        found
    }

    /// Records which waivers cover a finding.
    pub(super) fn mark(&self, finding: &mut Finding, effect: Option<&Effect>) {
        // Missing evidence was not judged, so no waiver can apply to it.
        if self.policy.waivers().is_empty() || finding.impact == VerdictImpact::Incomplete {
            return;
        }
        let found = WaiverCandidate {
            rule: finding.rule,
            location: finding.policy.as_ref(),
            policy_rule: finding.policy_rule.as_ref().map(|rule| rule.id.as_str()),
            effect,
            root: self.root,
            session: self.session,
            fingerprint: &finding.fingerprint,
        };
        let waivers = self.policy.waivers().iter().enumerate();
        finding.covered_by = vec![waivers.filter(|(_, waiver)| waiver.covers(&found)).map(|(at, _)| at).collect()];
    }
}
