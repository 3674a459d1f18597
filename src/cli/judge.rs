//! Inputs → outcome, by the one evaluator.

use super::pipeline::{Inputs, Order};
use super::retention::Overdues;
use crate::engine::{self, Judging, Outcome, SessionOutcome, Settings, Share};
use crate::ingest::{Log, Reading};
use crate::model::{Gap, Session};
use crate::rules::private::{Exposed, Wanted};

/// `wanted`: what logs are searched for. `overdue`: what the store should not hold any more.
pub(super) fn judge(
    inputs: Inputs,
    judging: &Judging<'_>,
    wanted: Option<&Wanted>,
    overdue: &Overdues,
    settings: &Settings,
) -> Outcome {
    let (parts, mut gaps) = inputs.each_log(Order::AtOnce, |log, reading| {
        let (mut sessions, gaps) = judge_log((log, reading), judging, wanted);
        if let Some(overdue) = overdue.of(log) {
            for session in &mut sessions {
                session.account.overdue = Some(overdue.clone());
            }
        }
        (sessions, gaps)
    });
    let mut sessions = Vec::new();
    for (judged, unassigned) in parts {
        sessions.extend(judged);
        gaps.extend(unassigned);
    }
    engine::conclude(judging.policy, sessions, gaps, settings)
}

/// The sessions of one log, judged, and the gaps that belong to no single one of them.
fn judge_log(
    (log, reading): (&Log, Reading<'_>),
    judging: &Judging<'_>,
    wanted: Option<&Wanted>,
) -> (Vec<SessionOutcome>, Vec<Gap>) {
    let Reading { sessions, mut gaps } = reading;
    let exposed = match wanted.zip(sessions.first()).map(|(wanted, first)| search(wanted, log, &sessions, first)) {
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
        engine::judge_by(session, own.clone(), Judging { exposed, ..*judging })
    };
    (sessions.iter().enumerate().map(judge).collect(), unassigned)
}

/// What a log gives away. What is kept of a session beside its log is a part of it.
fn search<'w>(
    wanted: &'w Wanted,
    log: &Log,
    sessions: &[Session<'_>],
    first: &Session<'_>,
) -> Result<Exposed<'w>, Gap> {
    let meta = log.store.as_ref().and_then(|store| store.meta.as_deref().ok());
    let searched = engine::guarded(first, || Exposed::of(wanted, log.bytes(), meta, sessions))?;
    searched.map_err(|error| engine::not_searched(&log.shown, &error))
}
