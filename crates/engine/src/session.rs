//! One session: every event becomes effects, every effect a judgement, every judgement that matters a finding.

use std::collections::BTreeSet;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use agent_strace_effects::{Effect, Kind, Links};
use agent_strace_git::change_set::Change;
use agent_strace_metrics::{Deed, Measured, Pricing};
use agent_strace_model::finding::{EffectView, Finding, Level, RuleId};
use agent_strace_model::{EventKind, Gap, Session, Status};
use agent_strace_policy::config::lint::Lints;
use agent_strace_policy::prices::shipped;
use agent_strace_policy::{Judgement, Policy};
use agent_strace_rules::change::recorded::Recorder;
use agent_strace_rules::eval::{self, Assessment, Demands, Stage};
use agent_strace_rules::private::{self, Exposed};
use agent_strace_rules::{Account, Act, Check, Hit, Log, Site};

use super::cast::Cast;
use super::cover::Cover;
use super::findings;
use super::heard::{Heard, Pieces, Said, Scene, Shown};
use super::memory::Memory;
use super::replay::{Replay, Step};
use super::story::{self, Activity};
use super::wording;
use super::{Entry, SessionOutcome, Verdict};

/// What the caller wants beside the findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entries {
    /// Every judged effect, and the story.
    Keep,
    /// What was done in all, and what led to each finding.
    Story,
    Drop,
}

/// What one policy says to everything that was done in a session.
pub(crate) struct Rulings<'r> {
    session: &'r Session<'r>,
    policy: &'r Policy,
    /// `None`: nobody wants to know how the agent worked.
    lints: Option<&'r Lints>,
    asking: Option<u32>,
    heard: Vec<(&'r Step<'r>, Arc<Heard>)>,
    /// How many acts stand before each of them.
    before: Vec<usize>,
}

impl<'r> Rulings<'r> {
    pub(crate) fn new(replay: &'r Replay<'r>, policy: &'r Policy) -> Self {
        Self::of(replay, policy, |step, scene| Arc::new(Heard::new(step, scene)))
    }

    /// The same for one of many sessions.
    pub(crate) fn remembering(replay: &'r Replay<'r>, memory: &'r Memory<'_>) -> Self {
        Self::of(replay, memory.policy(), |step, scene| memory.hear(step, scene))
    }

    /// The same with what lint rules say.
    pub(crate) fn linting(self, lints: Option<&'r Lints>) -> Self {
        Self { lints, ..self }
    }

    /// The same where the call of this event asks whether it may run.
    fn asking(self, asking: Option<u32>) -> Self {
        Self { asking, ..self }
    }

    fn of(replay: &'r Replay<'r>, policy: &'r Policy, hear: impl Fn(&Step<'_>, &Scene<'_>) -> Arc<Heard>) -> Self {
        let cast = Cast::new(replay.session);
        let (root, cover) = (replay.session.root.as_deref(), Cover::new(policy, replay.session));
        let heard = replay.steps.iter().map(|step| {
            let scene = Scene { root, actor: cast.actor(step.event), cover };
            (step, hear(step, &scene))
        });
        let heard: Vec<(&Step<'_>, Arc<Heard>)> = heard.collect();
        let count = |total: &mut usize, (_, heard): &(&Step<'_>, Arc<Heard>)| {
            Some(std::mem::replace(total, *total + heard.said.len()))
        };
        let before = heard.iter().scan(0, count).collect();
        Self { session: replay.session, policy, lints: None, asking: None, heard, before }
    }

    /// Every judged effect, in order.
    pub(crate) fn acts(&self) -> impl Iterator<Item = Act<'_>> {
        self.each().map(|(step, effect, said)| Act {
            event: step.event.number,
            status: step.status,
            effect,
            judgement: &said.judgement,
        })
    }

    fn each(&self) -> impl Iterator<Item = (&'r Step<'r>, &'r Effect, &Said)> {
        self.heard.iter().flat_map(|(step, heard)| {
            step.effects.iter().zip(&heard.said).map(move |(effect, said)| (*step, effect, said))
        })
    }

    /// What is worth reporting, sorted by event.
    #[cfg(test)]
    pub(crate) fn findings(&self) -> Vec<Finding> {
        self.shown(Shown::Evidence)
    }

    /// The same without what the log says, for who only counts them.
    pub(crate) fn verdicts(&self) -> Vec<Finding> {
        self.shown(Shown::Verdicts)
    }

    fn shown(&self, shown: Shown) -> Vec<Finding> {
        self.measured(shown, None).0
    }

    /// What is worth reporting, and what was measured of what is demanded.
    fn measured(&self, shown: Shown, demands: Option<&Demands>) -> (Vec<Finding>, Option<Assessment>) {
        let cover = Cover::new(self.policy, self.session);
        let told = self.heard.iter().filter(|(step, _)| self.asking.is_none_or(|asking| step.event.number == asking));
        let mut found: Vec<Finding> = told.flat_map(|(step, heard)| heard.findings(step, shown)).collect();
        let acts: Vec<Act<'_>> = self.acts().collect();
        let deeds = acts.iter().map(|act| Deed { event: act.event, status: act.status, effect: act.effect }).collect();
        let pricing = self.policy.prices().map_or(Pricing::Later(|| shipped()), Pricing::Table);
        let measured = Measured::new(self.session, deeds, pricing);
        let (session, policy, asking) = (self.session, self.policy, self.asking);
        let log = Log { session, acts: &acts, policy, measured: &measured, asking };
        // Many hits may be of one event, whose text is long.
        let mut last = None;
        for rule in agent_strace_rules::all() {
            let Check::Acts(check) = rule.check else { continue };
            let mut hits = Vec::new();
            check(&log, &mut hits);
            found.extend(hits.into_iter().filter_map(|hit| self.of_hit(hit, &cover, &mut last)));
        }
        if let Some(lints) = self.lints {
            let mut hits = Vec::new();
            agent_strace_rules::lint::look(&log, lints, &mut hits);
            found.extend(hits.into_iter().filter_map(|hit| self.of_hit(hit, &cover, &mut last)));
        }
        let assessment = demands.map(|demands| {
            let assessment = eval::measure(demands, &log, self.lints.is_some());
            let hits = eval::hits(demands, &assessment, Stage::Session);
            found.extend(hits.into_iter().filter_map(|hit| self.of_hit(hit, &cover, &mut last)));
            assessment
        });
        found.sort_by(|left, right| order(left).cmp(&order(right)));
        (without_what_is_below(once(found)), assessment)
    }

    /// What private values stand in the log, and which way they went.
    fn private(&self, Share { exposed, at }: Share<'_>) -> io::Result<Vec<Finding>> {
        let deed = |(step, _): &(&'r Step<'r>, Arc<Heard>)| private::Deed {
            event: step.event,
            status: step.status,
            effects: &step.effects,
            text: step.text.as_deref(),
        };
        let deeds: Vec<private::Deed<'_>> = self.heard.iter().map(deed).collect();
        let cover = Cover::new(self.policy, self.session);
        let told = private::look(exposed, at, self.session, &deeds)?;
        let found = told.into_iter().map(|told| {
            let effect = told.effect;
            let mut finding = findings::of_private(told);
            cover.mark(&mut finding, effect);
            finding
        });
        Ok(found.collect())
    }

    /// `last`: the evidence of the event that was asked about last.
    fn of_hit(&self, hit: Hit, cover: &Cover<'_>, last: &mut Option<(u32, Option<String>)>) -> Option<Finding> {
        if !self.asking.is_none_or(|asking| self.is_about(&hit, asking)) {
            return None;
        }
        let (mut finding, effect) = match hit.site {
            Site::Act(act) => {
                let (step, heard, place) = self.place_of(act)?;
                let (effect, said) = (step.effects.get(place)?, heard.said.get(place)?);
                let evidence = Pieces::new(step, Shown::Evidence).evidence(place, said);
                (findings::of_hit(step.at(effect, evidence), &said.judgement, hit), Some(effect))
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
        cover.mark(&mut finding, effect);
        Some(finding)
    }

    /// As [`Finding::is_of`] says of what becomes of it.
    fn is_about(&self, hit: &Hit, event: u32) -> bool {
        let stands_there = match hit.site {
            Site::Act(act) => self.place_of(act).is_some_and(|(step, ..)| step.event.number == event),
            Site::Event(number) => number == event,
            Site::Session => false,
        };
        stands_there || hit.until == Some(event)
    }

    /// Where an act stands among those of its step.
    fn place_of(&self, act: usize) -> Option<(&'r Step<'r>, &Heard, usize)> {
        // Those without acts stand at the same number as the one behind them.
        let at = self.before.partition_point(|before| *before <= act).checked_sub(1)?;
        let (step, heard) = self.heard.get(at)?;
        Some((*step, &**heard, act - self.before.get(at)?))
    }
}

/// What sessions are judged by.
#[derive(Clone, Copy)]
pub struct Judging<'a> {
    pub policy: &'a Policy,
    pub links: &'a Links,
    pub entries: Entries,
    pub demands: Option<&'a Demands>,
    /// `None`: how the agent worked is not judged.
    pub lints: Option<&'a Lints>,
    /// What the log gives away; `None`: nobody searched it.
    pub exposed: Option<Share<'a>>,
    /// The change that the sessions come with.
    pub change: Option<&'a Change>,
    /// The last event is a call that has not run yet and asks whether it may: nothing else is told of, and what was spent
    /// before keeps it from running, too. `None`: all is over.
    pub asking: Option<u32>,
}

/// What is known of one session of a searched log.
#[derive(Clone, Copy)]
pub struct Share<'a> {
    pub exposed: &'a Exposed<'a>,
    /// The session's place in the log.
    pub at: usize,
}

/// By a policy alone.
pub fn judge_guarded(
    session: &Session<'_>,
    gaps: Vec<Gap>,
    policy: &Policy,
    entries: Entries,
    links: &Links,
) -> SessionOutcome {
    let judging =
        Judging { policy, links, entries, demands: None, lints: None, exposed: None, change: None, asking: None };
    judge_by(session, gaps, judging)
}

/// Like [`judge_session`], but a fault of our own becomes a gap: never a pass, and never the end of the other sessions.
pub fn judge_by(session: &Session<'_>, gaps: Vec<Gap>, judging: Judging<'_>) -> SessionOutcome {
    let kept = gaps.clone();
    guarded(session, || judge_session(session, gaps, judging)).unwrap_or_else(|gap| {
        let mut outcome = blank(session, kept);
        outcome.gaps.push(gap);
        outcome.gaps.sort();
        outcome
    })
}

/// What `work` makes of a session, or the gap that a fault of our own is.
pub fn guarded<T>(session: &Session<'_>, work: impl FnOnce() -> T) -> Result<T, Gap> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let reason = "internal error while judging this session: please report it".to_owned();
        Gap { file: session.source.clone(), line: None, reason }
    })
}

/// A log that could not be searched for what is private.
pub fn not_searched(file: &str, error: &io::Error) -> Gap {
    let reason = format!("it could not be searched for secrets and personal data: {}", error.kind());
    Gap { file: file.to_owned(), line: None, reason }
}

/// Judges a session. The verdict is set when all sessions are concluded.
pub(super) fn judge_session(session: &Session<'_>, gaps: Vec<Gap>, judging: Judging<'_>) -> SessionOutcome {
    let Judging { policy, links, entries, demands, lints, exposed, change, asking } = judging;
    let mut outcome = blank(session, gaps);
    let replay = Replay::new(session, policy.programs(), links);
    let rulings = Rulings::new(&replay, policy).linting(lints).asking(asking);
    outcome.judged = replay.calls;
    outcome.attempts = replay.attempts;
    outcome.effects = rulings.each().count();
    outcome.opaque = rulings.each().filter(|(_, effect, _)| matches!(effect.kind, Kind::Opaque(_))).count();
    (outcome.findings, outcome.assessment) = rulings.measured(Shown::Evidence, demands);
    match exposed.map(|share| rulings.private(share)) {
        None => {}
        Some(Ok(found)) => {
            outcome.findings.extend(found);
            outcome.findings.sort_by(|left, right| order(left).cmp(&order(right)));
        }
        Some(Err(error)) => outcome.gaps.push(not_searched(&session.source, &error)),
    }
    outcome.recorded = change.map(|change| {
        let mut recorder = Recorder::new(change, session);
        replay.steps.iter().for_each(|step| recorder.read(step.event, step.status, &step.effects));
        recorder.finish()
    });
    if entries != Entries::Drop {
        outcome.activity = Activity::of(rulings.each().map(|(step, effect, _)| (step.status, effect)));
        story::trace(&mut outcome.findings, session, &replay.steps);
    }
    if entries == Entries::Keep {
        outcome.entries = rulings.each().map(|(step, effect, said)| entry(step, effect, &said.judgement)).collect();
    }
    outcome
}

/// Each finding once. One act may be known in two ways: one that is excepted hides no other.
fn once(found: Vec<Finding>) -> Vec<Finding> {
    let standing: BTreeSet<_> = found.iter().filter(|finding| !finding.is_covered()).map(identity).collect();
    let stays = |finding: &Finding| !finding.is_covered() || !standing.contains(&identity(finding));
    let mut seen = BTreeSet::new();
    let kept = found.iter().map(|finding| stays(finding) && seen.insert(identity(finding))).collect();
    only(found, kept)
}

/// The event, the rule, and what it says of what.
type Identity<'f> = (u32, RuleId, &'f str);

fn identity(finding: &Finding) -> Identity<'_> {
    (finding.event, finding.rule, &finding.fingerprint)
}

/// Renaming or copying `x` touches `x` and, should it be a directory, `x/**`: who is told the first knows the second.
fn without_what_is_below(found: Vec<Finding>) -> Vec<Finding> {
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

/// What a finding says of a path.
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

pub(super) fn order(
    finding: &Finding,
) -> (u32, &str, std::cmp::Reverse<agent_strace_model::finding::Level>, &str, &str) {
    (finding.event, finding.rule, std::cmp::Reverse(finding.level), &finding.message, &finding.fingerprint)
}

fn entry(step: &Step<'_>, effect: &Effect, judgement: &Judgement) -> Entry {
    let judgement = judgement.clone();
    Entry {
        event: step.event.number,
        tool: match &step.event.kind {
            EventKind::Call(call) => call.tool.clone().into_owned(),
            EventKind::File(_) => "file event".to_owned(),
            EventKind::Hook { .. } => "hook".to_owned(),
            _ => "event".to_owned(),
        },
        // An event that is no call states what happened.
        status: step.status.unwrap_or(Status::Ok),
        effect: effect.clone(),
        decision: judgement.decision,
        rule: judgement.rule,
        level: judgement.level,
        place: judgement.place,
        named: judgement.named,
        reason: judgement.reason,
        sensitive: judgement.sensitive,
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
        recorded: None,
        traced: Vec::new(),
        findings: Vec::new(),
        assessment: None,
        gaps,
        activity: Activity::default(),
        entries: Vec::new(),
        verdict: Verdict::Incomplete,
    }
}
