//! The judgement of one event: a policy decision for each effect, and the findings that follow from it.
//!
//! It does not depend on where and when the event happened, so equal events share one judgement.

use agent_strace_effects::{Effect, Kind, Roots, START, TrackedSearch, causes};
use agent_strace_model::Event;
use agent_strace_model::finding::Finding;
use agent_strace_policy::{Actor, ChangeReach, Context, Decision, Judgement, JudgementDetail};

use super::findings::{self, At};
use super::replay::Step;
use super::waiver_matcher::WaiverMatcher;
use super::witness::TreeWitness;
use super::wording;

/// Whether findings carry evidence from the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// Findings quote the log: for reports.
    Evidence,
    /// Findings have no evidence: for counting.
    Verdicts,
}

/// The roots, the actor and the waivers that an event is judged with.
#[derive(Clone, Copy)]
pub(super) struct JudgeContext<'a> {
    pub(super) roots: &'a Roots,
    pub(super) actor: Actor<'a>,
    pub(super) matcher: WaiverMatcher<'a>,
    pub(super) change: ChangeReach,
    /// The work tree that the session runs or ran in, where the caller looks at it.
    pub(super) tree: Option<&'a TreeWitness<'a>>,
}

/// The judgements of an event's effects.
#[derive(Debug)]
pub(super) struct EventJudgement {
    /// One for each effect, in the same order.
    pub(super) effects: Vec<EffectJudgement>,
}

/// The judgement of one effect.
#[derive(Debug)]
pub(super) struct EffectJudgement {
    pub(super) judgement: Judgement,
    /// A deny that matches only the whole text of the call.
    matches_whole_text: bool,
    /// The resulting findings, still without a location.
    findings: Vec<Finding>,
}

impl EventJudgement {
    pub(super) fn new(step: &Step<'_>, judging: &JudgeContext<'_>) -> Self {
        let policy = judging.matcher.policy;
        let mut raw = step.raw.as_deref();
        let tool = step.effects.iter().find_map(|effect| match &effect.kind {
            Kind::Tool { server, tool } => Some((server.as_deref(), tool.as_str())),
            _ => None,
        });
        let effects = step.effects.iter().map(|effect| {
            // The whole text is judged once, with the first command of the call.
            let whole = if matches!(effect.kind, Kind::Execute(_)) { raw.take() } else { None };
            let repository = judging.roots.repository();
            let search = TrackedSearch::of(effect, &step.effects, step.event.call(), repository);
            let sight = judging.tree.and_then(|tree| tree.sight(step, effect));
            let context = Context {
                root: judging.roots.first(),
                roots: Some(judging.roots),
                raw_command: whole,
                actor: judging.actor,
                tool,
                detail: JudgementDetail::Everything,
                first: None,
                change: judging.change,
                search: search.as_ref(),
                effects: &step.effects,
                sight: sight.as_ref(),
            };
            let judgement = policy.judge(effect, &context);
            let matches_whole_text = whole.is_some()
                && matches!(judgement.decision, Decision::Denied | Decision::Asked)
                && policy.judge(effect, &Context { raw_command: None, ..context }).decision != judgement.decision;
            let findings = judging.matcher.findings(effect, step, &context, &judgement);
            EffectJudgement { judgement, matches_whole_text, findings }
        });
        let mut effects: Vec<EffectJudgement> = effects.collect();
        Self::say_once(&step.effects, &mut effects);
        Self { effects }
    }

    /// One act has one finding: where an entry forbids the start of a path, it is not also a path that is not known.
    fn say_once(effects: &[Effect], judged: &mut [EffectJudgement]) {
        for (at, effect) in effects.iter().enumerate().skip(1).filter(|(_, effect)| effect.via == START) {
            let forbidden = judged.get(at).map(|judged| &judged.judgement);
            let Some(level) = forbidden.filter(|it| it.decision == Decision::Denied).map(|it| it.level) else {
                continue;
            };
            // The effect on the path that is not known comes from the same word, and just before.
            let is_same = |before: &Effect| {
                std::mem::discriminant(&before.kind) == std::mem::discriminant(&effect.kind)
                    && before.certainty == effect.certainty
                    && before.via != START
                    && before.origin.parent == effect.origin.parent
                    && before.origin.span.is_some()
                    && before.origin.span == effect.origin.span
            };
            let mut near = (at.saturating_sub(4)..at).rev();
            let before = near.find(|near| effects.get(*near).is_some_and(is_same));
            let before = before.and_then(|before| judged.get_mut(before));
            let is_milder = |judged: &Judgement| judged.decision == Decision::Unresolved && judged.level <= level;
            if let Some(before) = before.filter(|before| is_milder(&before.judgement)) {
                before.findings.clear();
            }
        }
    }

    /// The findings of the event, with their location.
    pub(super) fn findings(&self, step: &Step<'_>, shown: Shown) -> Vec<Finding> {
        let mut pieces = Pieces::new(step, shown);
        let mut findings = Vec::new();
        for (index, (effect, judged)) in step.effects.iter().zip(&self.effects).enumerate() {
            for finding in &judged.findings {
                let at = step.at(effect, pieces.evidence(index, judged));
                findings.push(findings::placed(finding.clone(), at));
            }
        }
        findings
    }
}

impl Step<'_> {
    /// The location of one of the step's own effects.
    pub(super) fn at<'a>(&'a self, effect: &'a Effect, evidence: Option<String>) -> At<'a> {
        At { step: self, evidence, effect }
    }
}

/// Cuts single commands out of the text of one call, as evidence.
pub(super) struct Pieces<'a> {
    event: &'a Event<'a>,
    shown: Shown,
    text: Option<&'a str>,
    effects: &'a [Effect],
    /// Computed on first use: most calls have no findings.
    causes: Option<Vec<Option<usize>>>,
}

impl<'a> Pieces<'a> {
    pub(super) fn new(step: &'a Step<'_>, shown: Shown) -> Self {
        Self { event: step.event, shown, text: step.text.as_deref(), effects: &step.effects, causes: None }
    }

    /// The log text that a report quotes. A deny that matches only the whole text is shown with all of it.
    pub(super) fn evidence(&mut self, index: usize, judged: &EffectJudgement) -> Option<String> {
        if self.shown == Shown::Verdicts {
            return None;
        }
        let piece = if judged.judgement.matters() && !judged.matches_whole_text { self.of(index) } else { None };
        piece.or_else(|| wording::evidence(&self.event.kind))
    }

    /// The text of the command that an effect belongs to, or else of its cause.
    fn of(&mut self, index: usize) -> Option<String> {
        // A short text is shown in full.
        let text = self.text.filter(|text| text.chars().nth(wording::LONGEST).is_some())?;
        let effect = self.effects.get(index)?;
        let span = if matches!(effect.kind, Kind::Execute(_)) {
            effect.origin.span
        } else {
            let effects = self.effects;
            let causes = self.causes.get_or_insert_with(|| causes(&effects.iter().collect::<Vec<_>>()));
            let cause = causes.get(index).copied().flatten().and_then(|cause| effects.get(cause));
            let cause = cause.and_then(|cause| cause.origin.span);
            cause
                .map(|cause| effect.origin.span.filter(|own| own.contains(cause)).unwrap_or(cause))
                .or(effect.origin.span)
        };
        span?.slice(text).map(wording::shortened)
    }
}
