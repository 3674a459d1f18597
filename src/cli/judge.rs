//! Judges inputs by the one evaluator.

use super::judge_config::JudgeConfig;
use super::pipeline::{Inputs, Order};
use super::retention::Overdues;
use agent_strace_engine::{Judging, Outcome, SessionOutcome, Share};
use agent_strace_ingest::{Log, Reading};
use agent_strace_model::{Gap, Session};
use agent_strace_repos::repo_audit;
use agent_strace_rules::private::{Exposed, Wanted};

/// `overdue`: the sessions that the store keeps past its limits.
pub(super) fn judge(inputs: Inputs, config: &JudgeConfig, overdue: &Overdues) -> Outcome {
    let (outcome, _) = judge_twice(inputs, config, None, overdue);
    outcome
}

/// Judges by two configurations, reading every log once.
pub(super) fn judge_twice(
    inputs: Inputs,
    first: &JudgeConfig,
    second: Option<&JudgeConfig>,
    overdue: &Overdues,
) -> (Outcome, Option<Outcome>) {
    let (parts, gaps) = inputs.each_log(Order::AtOnce, |log, reading| {
        let by = |config| judge_log(log, &reading, config, overdue);
        (by(first), second.map(by))
    });
    let (mut one, mut other) = ((Vec::new(), gaps.clone()), (Vec::new(), gaps));
    for ((sessions, gaps), by_second) in parts {
        one.0.extend(sessions);
        one.1.extend(gaps);
        if let Some((sessions, gaps)) = by_second {
            other.0.extend(sessions);
            other.1.extend(gaps);
        }
    }
    let conclude = |config: &JudgeConfig, (sessions, gaps)| {
        agent_strace_engine::conclude(&config.policy, sessions, gaps, &config.settings)
    };
    (conclude(first, one), second.map(|config| conclude(config, other)))
}

/// Judges, and calls `tell` for every session in the order of the outcome. At that time the outcome of a session does
/// not yet hold the findings that need the other sessions.
pub(super) fn judge_telling<T: Send>(
    inputs: Inputs,
    config: &JudgeConfig,
    overdue: &Overdues,
    tell: impl Fn(&Log, &Session<'_>, &mut SessionOutcome) -> T + Sync,
) -> (Outcome, Vec<T>) {
    let (parts, mut gaps) = inputs.each_log(Order::AtOnce, |log, reading| {
        let (mut judged, lacking) = judge_log(log, &reading, config, overdue);
        let told = reading.sessions.iter().zip(&mut judged).map(|(session, judged)| tell(log, session, judged));
        let told: Vec<T> = told.collect();
        ((judged, lacking), told)
    });
    let (mut sessions, mut told) = (Vec::new(), Vec::new());
    for ((judged, lacking), more) in parts {
        sessions.extend(judged);
        gaps.extend(lacking);
        told.extend(more);
    }
    (agent_strace_engine::conclude(&config.policy, sessions, gaps, &config.settings), told)
}

/// The sessions of one log, judged, and the gaps that belong to no single one of them.
fn judge_log(
    log: &Log,
    reading: &Reading<'_>,
    config: &JudgeConfig,
    overdue: &Overdues,
) -> (Vec<SessionOutcome>, Vec<Gap>) {
    let (sessions, mut gaps) = (&reading.sessions, reading.gaps.clone());
    let exposed =
        config.private.as_ref().zip(sessions.first()).map(|(wanted, first)| search(wanted, log, sessions, first));
    let exposed = match exposed {
        None => None,
        Some(Ok(exposed)) => Some(exposed),
        Some(Err(gap)) => {
            gaps.push(gap);
            None
        }
    };
    let (own, unassigned) = if sessions.len() == 1 { (gaps, Vec::new()) } else { (Vec::new(), gaps) };
    let judge = |(at, session)| {
        let exposed = exposed.as_ref().map(|exposed| Share { exposed, at });
        let mut outcome = agent_strace_engine::judge_by(session, own.clone(), Judging { exposed, ..config.judging() });
        outcome.account.overdue = overdue.of(log).cloned();
        outcome.account.offers = repo_audit::offered(session);
        outcome
    };
    (sessions.iter().enumerate().map(judge).collect(), unassigned)
}

/// The private data in a log, and in the metadata that the store keeps with it.
fn search<'w>(
    wanted: &'w Wanted,
    log: &Log,
    sessions: &[Session<'_>],
    first: &Session<'_>,
) -> Result<Exposed<'w>, Gap> {
    let meta = log.store.as_ref().and_then(|store| store.meta.as_deref().ok());
    let searched = agent_strace_engine::guarded(first, || Exposed::of(wanted, log.bytes(), meta, sessions))?;
    searched.map_err(|error| agent_strace_engine::not_searched(&log.shown, &error))
}
