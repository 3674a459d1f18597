//! Judges one session: events become effects, effects become judgements, and relevant judgements become findings.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use agent_strace_effects::{DeniedLines, Effect, Kind, Left, REDACTED, Repository, Roots};
use agent_strace_git::change_set::Change;
use agent_strace_metrics::{Measured, Pricing, TimedEffect};
use agent_strace_model::finding::{EffectView, Finding, Level, RuleId};
use agent_strace_model::{EventKind, Gap, GapKind, Session, Status};
use agent_strace_policy::config::lint::Lints;
use agent_strace_policy::prices::shipped;
use agent_strace_policy::{Decision, Judgement, Policy};
use agent_strace_rules::change::recorded::Recorder;
use agent_strace_rules::eval::{self, Assessment, Demands, Stage};
use agent_strace_rules::private::{self, Exposed};
use agent_strace_rules::{Account, Act, Check, Hit, Log, Site};

use super::actors::Actors;
use super::cache::JudgementCache;
use super::earlier::Trace;
use super::findings;
use super::judgement::{EffectJudgement, EventJudgement, JudgeContext, Pieces, Shown};
use super::replay::{Replay, Step};
use super::story::{self, Activity};
use super::waiver_matcher::WaiverMatcher;
use super::witness::{ChangeWitness, TreeLook, TreeWitness};
use super::wording;
use super::{Entry, SessionOutcome, Verdict};
use agent_strace_secrets::Known;

/// The parts of a [`SessionOutcome`] in addition to the findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entries {
    /// Every judged effect, the activity and the causes of each finding.
    Keep,
    /// The activity and the causes of each finding.
    Story,
    Drop,
}

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

/// What shows what a session left behind or read, beside its own log.
#[derive(Clone, Copy, Default)]
struct Witnesses<'w> {
    change: Option<&'w ChangeWitness<'w>>,
    tree: Option<&'w TreeWitness<'w>>,
}

impl<'r> Rulings<'r> {
    pub(crate) fn new(replay: &'r Replay<'r>, policy: &'r Policy) -> Self {
        Self::witnessed(replay, policy, Witnesses::default())
    }

    fn witnessed(replay: &'r Replay<'r>, policy: &'r Policy, witnesses: Witnesses<'_>) -> Self {
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
    fn for_pending_call(self, pending_call: Option<u32>) -> Self {
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

    fn each(&self) -> impl Iterator<Item = (&'r Step<'r>, &'r Effect, &EffectJudgement)> {
        self.judgements.iter().flat_map(|(step, judgement)| {
            step.effects.iter().zip(&judgement.effects).map(move |(effect, judged)| (*step, effect, judged))
        })
    }

    /// The calls on paths that redaction took a part out of, where that is why the policy can't judge them.
    fn redacted(&self) -> usize {
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
    fn measured(&self, shown: Shown, demands: Option<&Demands>) -> (Vec<Finding>, Option<Assessment>) {
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
    fn private(&self, Share { exposed, at }: Share<'_>) -> io::Result<Vec<Finding>> {
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

/// The policy and the settings that sessions are judged by.
#[derive(Clone, Copy)]
pub struct Judging<'a> {
    pub policy: &'a Policy,
    /// What is known of the judged repository.
    pub repository: &'a Arc<Repository>,
    /// The lines of its files that the policy forbids to read.
    pub lines: &'a DeniedLines,
    /// What earlier sessions of the run left behind.
    pub earlier: &'a [Arc<Left>],
    pub entries: Entries,
    pub demands: Option<&'a Demands>,
    /// `None`: lint rules do not run.
    pub lints: Option<&'a Lints>,
    /// Private values in the log; `None`: the log was not searched.
    pub exposed: Option<Share<'a>>,
    /// The change that the sessions belong to.
    pub change: Option<&'a Change>,
    /// The last event, if it is a call that has not run yet: only findings about it are reported, and earlier spending
    /// still counts against budgets. `None`: every call has ended.
    pub pending_call: Option<u32>,
    /// The work tree that the sessions run or ran in; `None`: nobody looks at it.
    pub work_tree: Option<TreeLook<'a>>,
}

/// The private values of one session in a searched log.
#[derive(Clone, Copy)]
pub struct Share<'a> {
    pub exposed: &'a Exposed<'a>,
    /// The session's index in the log.
    pub at: usize,
}

/// Judges a session by a policy alone.
pub fn judge_guarded(
    session: &Session<'_>,
    gaps: Vec<Gap>,
    policy: &Policy,
    entries: Entries,
    repository: &Arc<Repository>,
) -> SessionOutcome {
    let lines = DeniedLines::default();
    let judging = Judging {
        policy,
        repository,
        lines: &lines,
        earlier: &[],
        entries,
        demands: None,
        lints: None,
        exposed: None,
        change: None,
        pending_call: None,
        work_tree: None,
    };
    judge_by(session, gaps, judging)
}

/// Like [`judge_session`], but a panic becomes a gap: the session cannot pass, and other sessions are still judged.
pub fn judge_by(session: &Session<'_>, gaps: Vec<Gap>, judging: Judging<'_>) -> SessionOutcome {
    let kept = gaps.clone();
    guarded(session, || judge_session(session, gaps, judging)).unwrap_or_else(|gap| {
        let mut outcome = blank(session, kept);
        outcome.gaps.push(gap);
        outcome.gaps.sort();
        outcome
    })
}

/// Runs `work` for a session; a panic becomes a gap.
pub fn guarded<T>(session: &Session<'_>, work: impl FnOnce() -> T) -> Result<T, Gap> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let detail = "internal error while judging this session: please report it";
        Gap::of_file(session.source.clone(), GapKind::Internal(detail.into()))
    })
}

/// The gap for a log that could not be searched for private values.
pub fn not_searched(file: &str, error: &io::Error) -> Gap {
    let detail = format!("it could not be searched for secrets and personal data: {}", error.kind());
    Gap::of_file(file, GapKind::NotSearched(detail.into()))
}

/// Judges a session. [`super::conclude()`] sets the verdict later.
pub(super) fn judge_session(session: &Session<'_>, gaps: Vec<Gap>, judging: Judging<'_>) -> SessionOutcome {
    let Judging {
        policy,
        repository,
        lines,
        earlier,
        entries,
        demands,
        lints,
        exposed,
        change,
        pending_call,
        work_tree,
    } = judging;
    let mut outcome = blank(session, gaps);
    // A call that has not run yet has no result.
    let lines = Some(lines).filter(|_| pending_call.is_none());
    let replay = Replay::after(earlier, session, policy, repository, lines);
    let witness = change.and_then(|change| ChangeWitness::of(change, &replay));
    let tree = work_tree.and_then(|look| TreeWitness::of(look, &replay, pending_call));
    let witnesses = Witnesses { change: witness.as_ref(), tree: tree.as_ref() };
    let rulings = Rulings::witnessed(&replay, policy, witnesses).with_lints(lints).for_pending_call(pending_call);
    outcome.watched = rulings.each().flat_map(|(_, _, judged)| judged.judgement.watched.iter().cloned()).collect();
    outcome.seen = rulings.each().filter_map(|(_, _, judged)| judged.judgement.seen.clone()).collect();
    outcome.judged = replay.calls;
    outcome.attempts = replay.attempts;
    outcome.effects = rulings.each().count();
    outcome.trace = Trace::new(session, &replay, rulings.each().map(|(_, effect, _)| effect));
    outcome.opaque = rulings.each().filter(|(_, effect, _)| matches!(effect.kind, Kind::Opaque(_))).count();
    outcome.account.redacted = rulings.redacted();
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
        let mut recorder = Recorder::new(change, session, &replay.roots);
        replay.steps.iter().for_each(|step| recorder.read(step.event, step.status, &step.effects));
        recorder.finish()
    });
    if entries != Entries::Drop {
        outcome.activity = Activity::of(rulings.each().map(|(step, effect, _)| (step.status, effect)));
        story::trace(&mut outcome.findings, session, &replay.steps);
    }
    if entries == Entries::Keep {
        outcome.entries = rulings.each().map(|(step, effect, judged)| entry(step, effect, &judged.judgement)).collect();
    }
    // Where nothing is reported, nothing has to be hidden.
    if entries != Entries::Drop || !outcome.findings.is_empty() {
        outcome.secrets = Known::of(replay.steps.iter().flat_map(said));
    }
    outcome
}

/// The commands of a call as they are written, and word by word without their quotes where that differs.
fn said<'s>(step: &'s Step<'_>) -> impl Iterator<Item = Cow<'s, str>> {
    let text = step.raw.as_deref().or(step.text.as_deref());
    let commands = step.effects.iter().filter_map(|effect| match &effect.kind {
        Kind::Execute(execution) => {
            Some(execution.argv.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "))
        }
        _ => None,
    });
    let spelled = commands.filter(move |command| !text.is_some_and(|text| text.contains(command.as_str())));
    text.map(Cow::Borrowed).into_iter().chain(spelled.map(Cow::Owned))
}

/// Deduplicates findings; a waived duplicate never hides one that still counts.
fn once(found: Vec<Finding>) -> Vec<Finding> {
    let standing: BTreeSet<_> = found.iter().filter(|finding| !finding.is_covered()).map(identity).collect();
    let stays = |finding: &Finding| !finding.is_covered() || !standing.contains(&identity(finding));
    let mut seen = BTreeSet::new();
    let kept = found.iter().map(|finding| stays(finding) && seen.insert(identity(finding))).collect();
    only(found, kept)
}

impl SessionOutcome {
    /// Keeps what was found before more was known of the session: what others left behind must not hide what it did itself.
    pub fn keep_findings(&mut self, before: Self) {
        let known: BTreeSet<_> = self.findings.iter().map(identity).collect();
        let mut lost = before.findings;
        // What is unresolved is unresolved once, whatever the reason.
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

/// The event, the rule and the fingerprint.
type Identity<'f> = (u32, RuleId, &'f str);

fn identity(finding: &Finding) -> Identity<'_> {
    (finding.event, finding.rule, &finding.fingerprint)
}

/// Drops the finding about `x/**` if `x` is already reported: renaming or copying `x` touches both.
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
    (finding.event, finding.rule.as_str(), std::cmp::Reverse(finding.level), &finding.message, &finding.fingerprint)
}

fn entry(step: &Step<'_>, effect: &Effect, judgement: &Judgement) -> Entry {
    let judgement = judgement.clone();
    Entry {
        event: step.event.number,
        tool: match &step.event.kind {
            EventKind::Call(call) | EventKind::Copied(call) => call.tool.clone().into_owned(),
            EventKind::File(_) => "file event".to_owned(),
            EventKind::Hook { .. } => "hook".to_owned(),
            _ => "event".to_owned(),
        },
        // An event that is no call states what happened.
        status: step.status.unwrap_or(Status::Ok),
        effect: judgement.effect(effect).into_owned(),
        decision: judgement.decision,
        rule: judgement.rule,
        level: judgement.level,
        location: judgement.location,
        policy_rule: judgement.policy_rule,
        basis: judgement.basis,
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
        seen: BTreeSet::new(),
        watched: BTreeSet::new(),
        traced: Vec::new(),
        trace: Trace::default(),
        findings: Vec::new(),
        assessment: None,
        gaps,
        activity: Activity::default(),
        entries: Vec::new(),
        secrets: Known::default(),
        verdict: Verdict::Incomplete,
    }
}
