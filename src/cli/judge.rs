//! Judges inputs by the one evaluator.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::judge_config::JudgeConfig;
use super::pipeline::{Inputs, Order};
use super::reread::{self, Reread};
use super::retention::Overdues;
use agent_strace_effects::Left;
use agent_strace_engine::{Judging, Outcome, SessionOutcome, Share};
use agent_strace_ingest::{Log, Reading};
use agent_strace_model::{Gap, Session};
use agent_strace_repos::repo_audit;
use agent_strace_rules::private::{Exposed, Wanted};

/// `overdue`: the sessions that the store keeps past its limits.
pub(super) fn judge(inputs: &Inputs, config: &JudgeConfig, overdue: &Overdues) -> Outcome {
    let (outcome, _) = judge_telling(inputs, config, overdue, |_, _, _| ());
    outcome
}

/// Judges, and calls `tell` for every session, with results in the order of the outcome. At that time the outcome of a
/// session does not yet hold the findings that need the other sessions.
pub(super) fn judge_telling<T: Send>(
    inputs: &Inputs,
    config: &JudgeConfig,
    overdue: &Overdues,
    tell: impl Fn(&Log, &Session<'_>, &mut SessionOutcome) -> T + Sync,
) -> (Outcome, Vec<T>) {
    let judge = |log: &Log, reading: Reading<'_>, known: &Known| {
        let JudgedLog { mut sessions, gaps, exposes, .. } = judge_log(log, &reading, config, overdue, known);
        let told = reading.sessions.iter().zip(&mut sessions).map(|(session, judged)| tell(log, session, judged));
        JudgedLog { shown: log.shown.clone(), told: told.collect(), sessions, gaps, exposes }
    };
    let nothing = Known::default();
    let (mut logs, mut gaps) = inputs.each_log(Order::AtOnce, |log, reading| judge(log, reading, &nothing));
    let known = known(&logs);
    if !known.is_empty() {
        let named = known.keys().map(String::as_str).collect();
        let again = inputs.again(&named, |log, reading| judge(log, reading, known.get(&log.shown).unwrap_or(&nothing)));
        gaps.extend(reread::replace(&mut logs, again, &named));
    }
    let (mut sessions, mut told) = (Vec::new(), Vec::new());
    for log in logs {
        sessions.extend(log.sessions);
        gaps.extend(log.gaps);
        told.extend(log.told);
    }
    (agent_strace_engine::conclude(&config.policy, sessions, gaps, &config.settings), told)
}

/// One log, judged.
struct JudgedLog<T> {
    shown: String,
    sessions: Vec<SessionOutcome>,
    /// Gaps that belong to no single one of the sessions.
    gaps: Vec<Gap>,
    told: Vec<T>,
    /// Private data was found in it, or may be in it.
    exposes: bool,
}

impl<T> Reread for JudgedLog<T> {
    fn shown(&self) -> &str {
        &self.shown
    }

    fn holds(&self, before: &Self) -> bool {
        let mut pairs = self.sessions.iter().zip(&before.sessions);
        self.sessions.len() == before.sessions.len()
            && pairs.all(|(now, before)| now.id == before.id && now.events >= before.events)
    }

    fn take_over(&mut self, before: &mut Self) {
        let before = std::mem::take(&mut before.sessions);
        self.sessions.iter_mut().zip(before).for_each(|(session, before)| session.keep_findings(before));
    }
}

/// What is known of a log that is judged once more.
#[derive(Default)]
struct Known {
    /// What earlier sessions of the run left behind, for each session of the log.
    earlier: Vec<Vec<Arc<Left>>>,
    /// A search has found no private data in it.
    is_clean: bool,
}

/// The logs with a session that ran what earlier sessions of the run may have left behind.
fn known<T>(logs: &[JudgedLog<T>]) -> BTreeMap<String, Known> {
    let sessions: Vec<&SessionOutcome> = logs.iter().flat_map(|log| &log.sessions).collect();
    let mut lists = agent_strace_engine::earlier(&sessions).into_iter();
    let known = logs.iter().map(|log| {
        let earlier = lists.by_ref().take(log.sessions.len()).collect();
        (log.shown.clone(), Known { earlier, is_clean: !log.exposes })
    });
    known.filter(|(_, known)| known.earlier.iter().any(|list| !list.is_empty())).collect()
}

fn judge_log(
    log: &Log,
    reading: &Reading<'_>,
    config: &JudgeConfig,
    overdue: &Overdues,
    known: &Known,
) -> JudgedLog<()> {
    let (sessions, mut gaps) = (&reading.sessions, reading.gaps.clone());
    let wanted = config.private.as_ref().filter(|_| !known.is_clean);
    let exposed = wanted.zip(sessions.first()).map(|(wanted, first)| search(wanted, log, sessions, first));
    let exposes = exposed.as_ref().is_some_and(|exposed| !exposed.as_ref().is_ok_and(Exposed::is_nothing));
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
        let earlier = known.earlier.get(at).map_or(&[][..], Vec::as_slice);
        let judging = Judging { exposed, earlier, ..config.judging() };
        let mut outcome = agent_strace_engine::judge_by(session, own.clone(), judging);
        outcome.account.committed = log.committed;
        outcome.account.overdue = overdue.of(log).cloned();
        outcome.account.offers = repo_audit::offered(session);
        outcome
    };
    let sessions = sessions.iter().enumerate().map(judge).collect();
    JudgedLog { shown: log.shown.clone(), sessions, gaps: unassigned, told: Vec::new(), exposes }
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
