//! The judgements of one policy about all effects of a session, and the findings that come of them.

use std::io;
use std::sync::Arc;

use agent_strace_effects::{Effect, REDACTED, Roots};
use agent_strace_metrics::{Measured, Pricing, TimedEffect};
use agent_strace_model::Session;
use agent_strace_model::finding::{Finding, Level};
use agent_strace_policy::config::lint::Lints;
use agent_strace_policy::prices::shipped;
use agent_strace_policy::{Decision, Policy};
use agent_strace_rules::eval::{self, Assessment, Demands, Stage};
use agent_strace_rules::private;
use agent_strace_rules::{Act, Check, Hit, Log, Site};

use super::actors::Actors;
use super::cache::JudgementCache;
use super::distinct::{once, order, without_what_is_below};
use super::findings;
use super::judgement::{EffectJudgement, EventJudgement, JudgeContext, Pieces, Shown};
use super::replay::{Replay, Step};
use super::session::Share;
use super::waiver_matcher::WaiverMatcher;
use super::witness::{ChangeWitness, TreeWitness};
use super::wording;

/// The judgements of one policy about all effects of a session.
pub(crate) struct Rulings<'r> {
    session: &'r Session<'r>,
    roots: &'r Roots,
    policy: &'r Policy,
    /// `None`: lint rules do not run.
    lints: Option<&'r Lints>,
    /// The event of a call that has not run yet: only findings about it are reported.
    pending_call: Option<u32>,
    judgements: Vec<(&'r Step<'r>, Arc<EventJudgement>)>,
    /// The number of acts before each event.
    before: Vec<usize>,
}

/// Evidence of what a session left behind or read, beside its own log.
#[derive(Clone, Copy, Default)]
pub(super) struct Witnesses<'w> {
    pub(super) change: Option<&'w ChangeWitness<'w>>,
    pub(super) tree: Option<&'w TreeWitness<'w>>,
}

impl<'r> Rulings<'r> {
    pub(crate) fn new(replay: &'r Replay<'r>, policy: &'r Policy) -> Self {
        Self::witnessed(replay, policy, Witnesses::default())
    }

    pub(super) fn witnessed(replay: &'r Replay<'r>, policy: &'r Policy, witnesses: Witnesses<'_>) -> Self {
        Self::of(replay, policy, witnesses, |step, context| Arc::new(EventJudgement::new(step, context)))
    }

    /// Judges with a cache that is shared by many sessions.
    pub(crate) fn with_cache(replay: &'r Replay<'r>, cache: &'r JudgementCache<'_>) -> Self {
        Self::of(replay, cache.policy(), Witnesses::default(), |step, context| cache.judge(step, context))
    }

    /// Adds the findings of lint rules.
    pub(crate) fn with_lints(self, lints: Option<&'r Lints>) -> Self {
        Self { lints, ..self }
    }

    /// Restricts the findings to the call of this event, which has not run yet.
    pub(super) fn for_pending_call(self, pending_call: Option<u32>) -> Self {
        Self { pending_call, ..self }
    }

    fn of(
        replay: &'r Replay<'r>,
        policy: &'r Policy,
        Witnesses { change: witness, tree }: Witnesses<'_>,
        judge: impl Fn(&Step<'_>, &JudgeContext<'_>) -> Arc<EventJudgement>,
    ) -> Self {
        let actors = Actors::new(replay.session);
        let (roots, matcher) = (&replay.roots, WaiverMatcher::new(policy, replay.session, &replay.roots));
        let judgements = replay.steps.iter().map(|step| {
            let actor = actors.actor(step.event);
            let change = witness.map(|witness| witness.reach(step, policy, actor)).unwrap_or_default();
            let context = JudgeContext { roots, actor, matcher, change, tree };
            (step, judge(step, &context))
        });
        let judgements: Vec<(&Step<'_>, Arc<EventJudgement>)> = judgements.collect();
        let count = |total: &mut usize, (_, judgement): &(&Step<'_>, Arc<EventJudgement>)| {
            Some(std::mem::replace(total, *total + judgement.effects.len()))
        };
        let before = judgements.iter().scan(0, count).collect();
        Self { session: replay.session, roots, policy, lints: None, pending_call: None, judgements, before }
    }

    /// Every judged effect, in order.
    pub(crate) fn acts(&self) -> impl Iterator<Item = Act<'_>> {
        self.each().map(|(step, effect, judged)| Act {
            event: step.event.number,
            status: step.status,
            effect,
            judgement: &judged.judgement,
        })
    }

    pub(super) fn each(&self) -> impl Iterator<Item = (&'r Step<'r>, &'r Effect, &EffectJudgement)> {
        self.judgements.iter().flat_map(|(step, judgement)| {
            step.effects.iter().zip(&judgement.effects).map(move |(effect, judged)| (*step, effect, judged))
        })
    }

    /// The calls on paths that redaction took a part out of, where that is why the policy can't judge them.
    pub(super) fn redacted(&self) -> usize {
        let is_open = |(effect, judged): (&Effect, &EffectJudgement)| {
            let judgement = &judged.judgement;
            effect.via == REDACTED && judgement.decision == Decision::Unresolved && judgement.level == Level::Note
        };
        let has_open = |(step, judgement): &&(&Step<'_>, Arc<EventJudgement>)| {
            step.effects.iter().zip(&judgement.effects).any(is_open)
        };
        self.judgements.iter().filter(has_open).count()
    }

    /// The findings, sorted by event.
    #[cfg(test)]
    pub(crate) fn findings(&self) -> Vec<Finding> {
        self.shown(Shown::Evidence)
    }

    /// The findings without evidence from the log, for callers that only count them.
    pub(crate) fn verdicts(&self) -> Vec<Finding> {
        self.shown(Shown::Verdicts)
    }

    fn shown(&self, shown: Shown) -> Vec<Finding> {
        self.measured(shown, None).0
    }

    /// The findings, and the measurements of the demanded criteria.
    pub(super) fn measured(&self, shown: Shown, demands: Option<&Demands>) -> (Vec<Finding>, Option<Assessment>) {
        let matcher = WaiverMatcher::new(self.policy, self.session, self.roots);
        let reported =
            self.judgements.iter().filter(|(step, _)| self.pending_call.is_none_or(|event| step.event.number == event));
        let mut found: Vec<Finding> = reported.flat_map(|(step, judgement)| judgement.findings(step, shown)).collect();
        let acts: Vec<Act<'_>> = self.acts().collect();
        let effects =
            acts.iter().map(|act| TimedEffect { event: act.event, status: act.status, effect: act.effect }).collect();
        let pricing = self.policy.prices().map_or(Pricing::Later(|| shipped()), Pricing::Table);
        let measured = Measured::new(self.session, effects, pricing);
        let (session, policy, pending_call) = (self.session, self.policy, self.pending_call);
        let log = Log { session, roots: self.roots, acts: &acts, policy, measured: &measured, pending_call };
        // Many hits may be of one event, whose text is long.
        let mut last = None;
        for rule in agent_strace_rules::all() {
            let Check::Acts(check) = rule.check else { continue };
            let mut hits = Vec::new();
            check(&log, &mut hits);
            found.extend(hits.into_iter().filter_map(|hit| self.of_hit(hit, &matcher, &mut last)));
        }
        if let Some(lints) = self.lints {
            let mut hits = Vec::new();
            agent_strace_rules::lint::look(&log, lints, &mut hits);
            found.extend(hits.into_iter().filter_map(|hit| self.of_hit(hit, &matcher, &mut last)));
        }
        let assessment = demands.map(|demands| {
            let assessment = eval::measure(demands, &log, self.lints.is_some());
            let hits = eval::hits(demands, &assessment, Stage::Session);
            found.extend(hits.into_iter().filter_map(|hit| self.of_hit(hit, &matcher, &mut last)));
            assessment
        });
        found.sort_by(|left, right| order(left).cmp(&order(right)));
        (without_what_is_below(once(found)), assessment)
    }

    /// The findings about private values in the log, with the way that each value left the machine.
    pub(super) fn private(&self, Share { exposed, at }: Share<'_>) -> io::Result<Vec<Finding>> {
        let event = |(step, _): &(&'r Step<'r>, Arc<EventJudgement>)| private::EventEffects {
            event: step.event,
            status: step.status,
            effects: &step.effects,
            text: step.text.as_deref(),
        };
        let events: Vec<private::EventEffects<'_>> = self.judgements.iter().map(event).collect();
        let matcher = WaiverMatcher::new(self.policy, self.session, self.roots);
        let hits = private::look(exposed, at, self.session, &events)?;
        let found = hits.into_iter().map(|hit| {
            let effect = hit.effect;
            let mut finding = findings::of_private(hit);
            matcher.mark(&mut finding, effect);
            finding
        });
        Ok(found.collect())
    }

    /// `last` caches the evidence of the event of the previous hit.
    fn of_hit(
        &self,
        hit: Hit,
        matcher: &WaiverMatcher<'_>,
        last: &mut Option<(u32, Option<String>)>,
    ) -> Option<Finding> {
        if !self.pending_call.is_none_or(|event| self.is_about(&hit, event)) {
            return None;
        }
        let (mut finding, effect) = match hit.site {
            Site::Act(act) => {
                let (step, judgement, index) = self.locate(act)?;
                let (effect, judged) = (step.effects.get(index)?, judgement.effects.get(index)?);
                let evidence = Pieces::new(step, Shown::Evidence).evidence(index, judged);
                (findings::of_hit(step.at(effect, evidence), &judged.judgement, hit), Some(effect))
            }
            Site::Event(number) => {
                let events = &self.session.events;
                let at = events.binary_search_by_key(&number, |event| event.number).ok();
                let event = at.and_then(|at| events.get(at));
                if last.as_ref().is_none_or(|(known, _)| *known != number) {
                    *last = Some((number, event.and_then(|event| wording::evidence(&event.kind))));
                }
                let evidence = last.as_ref().and_then(|(_, evidence)| evidence.clone());
                (findings::of_event(event, evidence, &self.session.id, hit), None)
            }
            Site::Session => (findings::of_event(None, None, &self.session.id, hit), None),
        };
        matcher.mark(&mut finding, effect);
        Some(finding)
    }

    /// Agrees with [`Finding::is_of`] for the finding that the hit becomes.
    fn is_about(&self, hit: &Hit, event: u32) -> bool {
        let is_at_event = match hit.site {
            Site::Act(act) => self.locate(act).is_some_and(|(step, ..)| step.event.number == event),
            Site::Event(number) => number == event,
            Site::Session => false,
        };
        is_at_event || hit.until == Some(event)
    }

    /// The step of an act, its judgement, and the index of the act in the step.
    fn locate(&self, act: usize) -> Option<(&'r Step<'r>, &EventJudgement, usize)> {
        // An event without acts has the same number as its successor.
        let at = self.before.partition_point(|before| *before <= act).checked_sub(1)?;
        let (step, judgement) = self.judgements.get(at)?;
        Some((*step, &**judgement, act - self.before.get(at)?))
    }
}
