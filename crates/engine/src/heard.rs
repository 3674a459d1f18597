//! What a policy says to one event: a judgement for each of its effects, and what of them is worth reporting.
//!
//! It knows nothing of where and when the event was, so that it is the same for all events that do the same.

use agent_strace_effects::{Effect, Kind, causes};
use agent_strace_model::Event;
use agent_strace_model::finding::Finding;
use agent_strace_policy::{Actor, Asked, Context, Decision, Judgement};

use super::cover::Cover;
use super::findings::{self, At};
use super::replay::Step;
use super::wording;

/// What findings are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// To be read, with what the log says.
    Evidence,
    /// To be counted.
    Verdicts,
}

/// Where something is done, and by whom.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) root: Option<&'a str>,
    pub(super) actor: Actor<'a>,
    pub(super) cover: Cover<'a>,
}

/// One entry for each effect.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) said: Vec<Said>,
}

/// What the policy says to one effect.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) judgement: Judgement,
    /// A deny that only the whole text of the call matches.
    by_all: bool,
    /// What it is worth reporting, at no place yet.
    found: Vec<Finding>,
}

impl Heard {
    pub(super) fn new(step: &Step<'_>, scene: &Scene<'_>) -> Self {
        let policy = scene.cover.policy;
        let mut raw = step.raw.as_deref();
        let tool = step.effects.iter().find_map(|effect| match &effect.kind {
            Kind::Tool { server, tool } => Some((server.as_deref(), tool.as_str())),
            _ => None,
        });
        let said = step.effects.iter().map(|effect| {
            // The whole text is judged once, with the first command of the call.
            let whole = if matches!(effect.kind, Kind::Execute(_)) { raw.take() } else { None };
            let context =
                Context { root: scene.root, raw_command: whole, actor: scene.actor, tool, asked: Asked::Everything };
            let judgement = policy.judge(effect, &context);
            let by_all = whole.is_some()
                && matches!(judgement.decision, Decision::Denied | Decision::Asked)
                && policy.judge(effect, &Context { raw_command: None, ..context }).decision != judgement.decision;
            let found = scene.cover.findings((effect, &context), &judgement);
            Said { judgement, by_all, found }
        });
        Self { said: said.collect() }
    }

    /// What is worth reporting, where it was done.
    pub(super) fn findings(&self, step: &Step<'_>, shown: Shown) -> Vec<Finding> {
        let mut pieces = Pieces::new(step, shown);
        let mut findings = Vec::new();
        for (place, (effect, said)) in step.effects.iter().zip(&self.said).enumerate() {
            for found in &said.found {
                let at = step.at(effect, pieces.evidence(place, said));
                findings.push(findings::placed(found.clone(), at));
            }
        }
        findings
    }
}

impl Step<'_> {
    /// `effect`: one of its own.
    pub(super) fn at<'a>(&'a self, effect: &'a Effect, evidence: Option<String>) -> At<'a> {
        At { event: self.event, status: self.status, evidence, effect }
    }
}

/// The commands of one call as they were written.
pub(super) struct Pieces<'a> {
    event: &'a Event<'a>,
    shown: Shown,
    text: Option<&'a str>,
    effects: &'a [Effect],
    /// Worked out when the first one is asked for: most calls do nothing worth reporting.
    causes: Option<Vec<Option<usize>>>,
}

impl<'a> Pieces<'a> {
    pub(super) fn new(step: &'a Step<'_>, shown: Shown) -> Self {
        Self { event: step.event, shown, text: step.text.as_deref(), effects: &step.effects, causes: None }
    }

    /// What a report shows of the log. A deny that only the whole text matches is shown with all of it.
    pub(super) fn evidence(&mut self, place: usize, said: &Said) -> Option<String> {
        if self.shown == Shown::Verdicts {
            return None;
        }
        let piece = if said.judgement.matters() && !said.by_all { self.of(place) } else { None };
        piece.or_else(|| wording::evidence(&self.event.kind))
    }

    /// The command that an effect belongs to; without one, what led to it.
    fn of(&mut self, place: usize) -> Option<String> {
        // Of a short text all is shown.
        let text = self.text.filter(|text| text.chars().nth(wording::LONGEST).is_some())?;
        let effect = self.effects.get(place)?;
        let span = if matches!(effect.kind, Kind::Execute(_)) {
            effect.origin.span
        } else {
            let effects = self.effects;
            let causes = self.causes.get_or_insert_with(|| causes(&effects.iter().collect::<Vec<_>>()));
            let cause = causes.get(place).copied().flatten().and_then(|cause| effects.get(cause));
            let cause = cause.and_then(|cause| cause.origin.span);
            cause
                .map(|cause| effect.origin.span.filter(|own| own.contains(cause)).unwrap_or(cause))
                .or(effect.origin.span)
        };
        span?.slice(text).map(wording::shortened)
    }
}
