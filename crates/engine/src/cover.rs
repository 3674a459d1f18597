//! Which exceptions and suppressions speak of a finding, and what would stand against the act without what they cover.

use agent_strace_effects::Effect;
use agent_strace_model::Session;
use agent_strace_model::finding::{Counts, Finding};
use agent_strace_policy::{Context, Excepted, Found, Judgement, Policy};

use super::findings;

/// Rules that may stand against one act and be excepted one after the other. What is left then stays.
const DEEPEST: usize = 16;

/// What is asked, and for which session.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cover<'r> {
    pub(super) policy: &'r Policy,
    pub(super) session: &'r str,
    root: Option<&'r str>,
}

impl<'r> Cover<'r> {
    pub(super) fn new(policy: &'r Policy, session: &'r Session<'_>) -> Self {
        Self::of_session(policy, &session.id, session.root.as_deref())
    }

    pub(super) fn of_session(policy: &'r Policy, session: &'r str, root: Option<&'r str>) -> Self {
        Self { policy, session, root }
    }

    /// What a judgement is worth reporting. Where all of it is excepted, also what it hid: another rule that says no, or
    /// that the file holds credentials.
    pub(super) fn findings(&self, (effect, context): (&Effect, &Context<'_>), judgement: &Judgement) -> Vec<Finding> {
        let mut found = findings::of_effect(effect, judgement);
        if found.is_empty() || self.policy.waivers().is_empty() {
            return found;
        }
        for finding in &mut found {
            self.mark(finding, Some(effect));
        }
        let (mut judgement, mut excepted) = (judgement.clone(), Vec::new());
        while excepted.len() < DEEPEST {
            let Some(first) = found.iter().position(|finding| finding.rule == judgement.rule) else { break };
            if found.get(first).is_none_or(|finding| !finding.is_covered()) {
                break;
            }
            excepted.push(Excepted { rule: judgement.rule, place: judgement.place.clone() });
            let next = self.policy.judge_without(&excepted, effect, context);
            if next.decision == judgement.decision && next.place == judgement.place && next.rule == judgement.rule {
                // Nothing of the policy can be taken away here: the exception is from all there is.
                break;
            }
            judgement = next;
            for mut hidden in findings::of_effect(effect, &judgement) {
                self.mark(&mut hidden, Some(effect));
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
            // Nobody looked behind the last one.
            for finding in &mut found {
                finding.covered_by.push(Vec::new());
            }
        }
        found
    }

    /// Says what covers a finding.
    pub(super) fn mark(&self, finding: &mut Finding, effect: Option<&Effect>) {
        // What is missing was not judged: nobody can say that it may be.
        if self.policy.waivers().is_empty() || finding.counts == Counts::Incomplete {
            return;
        }
        let found = Found {
            rule: finding.rule,
            place: finding.policy.as_ref(),
            named: finding.named.as_ref().map(|named| named.id.as_str()),
            effect,
            root: self.root,
            session: self.session,
            fingerprint: &finding.fingerprint,
        };
        let waivers = self.policy.waivers().iter().enumerate();
        finding.covered_by = vec![waivers.filter(|(_, waiver)| waiver.covers(&found)).map(|(at, _)| at).collect()];
    }
}
