//! One session: every event becomes effects, every effect a judgement, every judgement that matters a finding.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::effects::{Effect, Kind, Links, causes};
use crate::finding::Finding;
use crate::model::{EventKind, Gap, Session, Status};
use crate::policy::{Context, Decision, Judgement, Policy};
use crate::rules::{self, Account, Act, Check, Hit, Log, Site};

use super::cast::Cast;
use super::cover::Cover;
use super::findings::{self, At};
use super::memory::Memory;
use super::replay::{Replay, Step};
use super::{Entry, SessionOutcome, Verdict, wording};

/// Whether the caller wants every judged effect, not only the findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entries {
    Keep,
    Drop,
}

/// One judged effect with the step it belongs to.
struct Judged<'r> {
    step: &'r Step<'r>,
    effect: &'r Effect,
    judgement: Judgement,
    /// The command in the call's text that did it, where it is worth reporting.
    piece: Option<String>,
    /// What it is worth reporting.
    found: Vec<Finding>,
}

impl Judged<'_> {
    fn at(&self) -> At<'_> {
        At { event: self.step.event, status: self.step.status, piece: self.piece.as_deref() }
    }

    fn act(&self) -> Act<'_> {
        Act { event: self.step.event.number, status: self.step.status, effect: self.effect, judgement: &self.judgement }
    }
}

/// Whatever says what a policy says about an effect.
type Judge<'a> = dyn Fn(&Effect, &Context<'_>) -> Judgement + 'a;

/// What one policy says to everything that was done in a session.
pub(crate) struct Rulings<'r> {
    session: &'r Session<'r>,
    policy: &'r Policy,
    judged: Vec<Judged<'r>>,
}

impl<'r> Rulings<'r> {
    pub(crate) fn new(replay: &'r Replay<'r>, policy: &'r Policy) -> Self {
        Self::of(replay, policy, &|effect, context| policy.judge(effect, context))
    }

    /// The same for one of many sessions.
    pub(crate) fn remembering(replay: &'r Replay<'r>, memory: &'r Memory<'_>) -> Self {
        Self::of(replay, memory.policy(), &|effect, context| memory.judge(effect, context))
    }

    fn of(replay: &'r Replay<'r>, policy: &'r Policy, judge: &Judge<'_>) -> Self {
        let mut judged = Vec::new();
        let cast = Cast::new(replay.session);
        for step in &replay.steps {
            let scene =
                Context { root: replay.session.root.as_deref(), actor: cast.actor(step.event), ..Context::default() };
            judge_step(&scene, step, (judge, &Cover::new(policy, replay.session)), &mut judged);
        }
        Self { session: replay.session, policy, judged }
    }

    /// Every judged effect, in order.
    pub(crate) fn acts(&self) -> impl Iterator<Item = Act<'_>> {
        self.judged.iter().map(Judged::act)
    }

    /// What is worth reporting, sorted by event.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let cover = Cover::new(self.policy, self.session);
        let mut found: Vec<Finding> = self.judged.iter().flat_map(|item| item.found.clone()).collect();
        let acts: Vec<Act<'_>> = self.judged.iter().map(Judged::act).collect();
        let log = Log { session: self.session, acts: &acts, policy: self.policy };
        for rule in rules::all() {
            let Check::Acts(check) = rule.check else { continue };
            let mut hits = Vec::new();
            check(&log, &mut hits);
            found.extend(hits.into_iter().filter_map(|hit| self.of_hit(hit, &cover)));
        }
        found.sort_by(|left, right| order(left).cmp(&order(right)));
        // One act may be known in two ways: one that is excepted hides no other.
        let key = |finding: &Finding| (finding.event, finding.rule, finding.fingerprint.clone());
        let standing: BTreeSet<_> = found.iter().filter(|finding| !finding.is_covered()).map(key).collect();
        found.retain(|finding| !finding.is_covered() || !standing.contains(&key(finding)));
        let mut seen = BTreeSet::new();
        found.retain(|finding| seen.insert((finding.event, finding.rule, finding.fingerprint.clone())));
        without_what_is_below(found)
    }

    fn of_hit(&self, hit: Hit, cover: &Cover<'_>) -> Option<Finding> {
        let (mut finding, effect) = match hit.site {
            Site::Act(act) => {
                let item = self.judged.get(act)?;
                (findings::of_hit(item.at(), item.effect, &item.judgement, hit), Some(item.effect))
            }
            Site::Event(number) => {
                let events = &self.session.events;
                let at = events.binary_search_by_key(&number, |event| event.number).ok();
                (findings::of_event(at.and_then(|at| events.get(at)), &self.session.id, hit), None)
            }
            Site::Session => (findings::of_event(None, &self.session.id, hit), None),
        };
        cover.mark(&mut finding, effect);
        Some(finding)
    }
}

/// Like [`judge_session`], but a fault of our own becomes a gap: never a pass, and never the end of the other sessions.
pub(crate) fn judge_guarded(
    session: &Session<'_>,
    gaps: Vec<Gap>,
    policy: &Policy,
    entries: Entries,
    links: &Links,
) -> SessionOutcome {
    let kept = gaps.clone();
    guarded(session, || judge_session(session, gaps, policy, entries, links)).unwrap_or_else(|gap| {
        let mut outcome = blank(session, kept);
        outcome.gaps.push(gap);
        outcome.gaps.sort();
        outcome
    })
}

/// What `work` makes of a session, or the gap that a fault of our own is.
pub(crate) fn guarded<T>(session: &Session<'_>, work: impl FnOnce() -> T) -> Result<T, Gap> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let reason = "internal error while judging this session: please report it".to_owned();
        Gap { file: session.source.clone(), line: None, reason }
    })
}

/// Judges a session. The verdict is set when all sessions are concluded.
pub(super) fn judge_session(
    session: &Session<'_>,
    gaps: Vec<Gap>,
    policy: &Policy,
    entries: Entries,
    links: &Links,
) -> SessionOutcome {
    let mut outcome = blank(session, gaps);
    let replay = Replay::new(session, policy.programs(), links);
    let rulings = Rulings::new(&replay, policy);
    outcome.judged = replay.calls;
    outcome.attempts = replay.attempts;
    outcome.effects = rulings.judged.len();
    outcome.opaque = rulings.judged.iter().filter(|item| matches!(item.effect.kind, Kind::Opaque(_))).count();
    outcome.findings = rulings.findings();
    if entries == Entries::Keep {
        outcome.entries = rulings.judged.into_iter().map(entry).collect();
    }
    outcome
}

fn judge_step<'r>(
    scene: &Context<'_>,
    step: &'r Step<'r>,
    (judge, cover): (&Judge<'_>, &Cover<'_>),
    judged: &mut Vec<Judged<'r>>,
) {
    let mut raw = step.raw.as_deref();
    let mut pieces = Pieces { text: step.text.as_deref(), effects: &step.effects, causes: None };
    let tool = step.effects.iter().find_map(|effect| match &effect.kind {
        Kind::Tool { server, tool } => Some((server.as_deref(), tool.as_str())),
        _ => None,
    });
    for (place, effect) in step.effects.iter().enumerate() {
        // The whole text is judged once, with the first command of the call.
        let whole = if matches!(effect.kind, Kind::Execute(_)) { raw.take() } else { None };
        let context = Context { raw_command: whole, tool, ..*scene };
        let judgement = judge(effect, &context);
        // A deny that only the whole text matches is shown with all of it.
        let by_all = whole.is_some()
            && matches!(judgement.decision, Decision::Denied | Decision::Asked)
            && judge(effect, &Context { raw_command: None, ..context }).decision != judgement.decision;
        let piece = if judgement.matters() && !by_all { pieces.of(place) } else { None };
        let at = At { event: step.event, status: step.status, piece: piece.as_deref() };
        let found = cover.findings(at, (effect, &context), &judgement);
        judged.push(Judged { step, effect, judgement, piece, found });
    }
}

/// The commands of one call as they were written.
struct Pieces<'a> {
    text: Option<&'a str>,
    effects: &'a [Effect],
    /// Worked out when the first one is asked for: most calls do nothing worth reporting.
    causes: Option<Vec<Option<usize>>>,
}

impl Pieces<'_> {
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

/// Renaming or copying `x` touches `x` and, should it be a directory, `x/**`: who is told the first knows the second.
fn without_what_is_below(mut found: Vec<Finding>) -> Vec<Finding> {
    let key = |finding: &Finding, path: &str| {
        let kind = finding.effect.as_ref().map(|effect| effect.kind);
        (finding.event, finding.rule, finding.level, kind, path.to_owned(), finding.covered_by.clone())
    };
    let path = |finding: &Finding| finding.effect.as_ref().and_then(|effect| effect.path.clone());
    let named: BTreeSet<_> = found.iter().filter_map(|finding| Some(key(finding, &path(finding)?))).collect();
    found.retain(|finding| {
        let path = path(finding);
        let above = path.as_deref().and_then(|path| path.strip_suffix("/**"));
        above.is_none_or(|above| !named.contains(&key(finding, above)))
    });
    found
}

pub(super) fn order(finding: &Finding) -> (u32, &str, std::cmp::Reverse<crate::finding::Level>, &str, &str) {
    (finding.event, finding.rule, std::cmp::Reverse(finding.level), &finding.message, &finding.fingerprint)
}

fn entry(item: Judged<'_>) -> Entry {
    Entry {
        event: item.step.event.number,
        tool: match &item.step.event.kind {
            EventKind::Call(call) => call.tool.clone().into_owned(),
            EventKind::File(_) => "file event".to_owned(),
            EventKind::Hook { .. } => "hook".to_owned(),
            _ => "event".to_owned(),
        },
        // An event that is no call states what happened.
        status: item.step.status.unwrap_or(Status::Ok),
        effect: item.effect.clone(),
        decision: item.judgement.decision,
        rule: item.judgement.rule,
        level: item.judgement.level,
        place: item.judgement.place,
        named: item.judgement.named,
        reason: item.judgement.reason,
        sensitive: item.judgement.sensitive,
    }
}

fn blank(session: &Session<'_>, mut gaps: Vec<Gap>) -> SessionOutcome {
    gaps.sort();
    gaps.dedup();
    SessionOutcome {
        id: session.id.clone().into_owned(),
        agent: session.agent.clone().into_owned(),
        source: session.source.clone(),
        parent: session.parent.as_ref().map(|parent| parent.clone().into_owned()),
        events: session.events.len(),
        tool_calls: session.calls().count(),
        judged: 0,
        effects: 0,
        opaque: 0,
        attempts: 0,
        unknown_records: session.unknown_records,
        account: Account::of(session, gaps.len()),
        traced: Vec::new(),
        findings: Vec::new(),
        gaps,
        entries: Vec::new(),
        verdict: Verdict::Incomplete,
    }
}
