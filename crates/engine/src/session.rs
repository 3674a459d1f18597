//! Judges one session: events become effects, effects become judgements, and relevant judgements become findings.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use agent_strace_effects::{DeniedLines, Effect, Kind, Left, Repository};
use agent_strace_git::change_set::Change;
use agent_strace_model::{EventKind, Gap, GapKind, Session, Status};
use agent_strace_policy::config::lint::Lints;
use agent_strace_policy::{Judgement, Policy};
use agent_strace_rules::Account;
use agent_strace_rules::change::foreign;
use agent_strace_rules::change::recorded::Recorder;
use agent_strace_rules::eval::Demands;
use agent_strace_rules::private::Exposed;

use super::distinct::order;
use super::earlier::Trace;
use super::judgement::Shown;
use super::replay::{Replay, Step};
use super::rulings::{Rulings, Witnesses};
use super::story::{self, Activity};
use super::witness::{ChangeWitness, TreeLook, TreeWitness};
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
    outcome.foreign = change.and_then(|change| foreign(session, change));
    outcome.recorded = change.map(|change| {
        let mut recorder = Recorder::new(change, session, &replay.roots);
        replay.steps.iter().for_each(|step| recorder.read(step.event, step.status, &step.effects, step.command_text()));
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
        outcome.secrets = replay.secrets();
        hide(&mut outcome);
    }
    outcome
}

/// Takes what the commands give away out of what is said of them: a hook or a proxy sees no more than one message.
fn hide(outcome: &mut SessionOutcome) {
    let messages = outcome.findings.iter_mut().map(|finding| &mut finding.message);
    for text in messages.chain(outcome.entries.iter_mut().map(|entry| &mut entry.reason)) {
        if let Cow::Owned(hidden) = outcome.secrets.hide(text) {
            *text = hidden;
        }
    }
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
        taken_out_by: judgement.taken_out_by,
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
        foreign: None,
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
