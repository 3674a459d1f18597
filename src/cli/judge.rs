//! Inputs → outcome, by the one evaluator.

use super::pipeline::{Inputs, Order};
use super::retention::Overdues;
use crate::engine::{self, Judging, Outcome, SessionOutcome, Settings};
use crate::ingest::Reading;
use crate::model::Gap;

/// `overdue`: what the store should not hold any more.
pub(super) fn judge(inputs: Inputs, judging: &Judging<'_>, overdue: &Overdues, settings: &Settings) -> Outcome {
    let (parts, mut gaps) = inputs.each_log(Order::AtOnce, |log, reading| {
        let (mut sessions, gaps) = judge_log(reading, judging);
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
fn judge_log(reading: Reading<'_>, judging: &Judging<'_>) -> (Vec<SessionOutcome>, Vec<Gap>) {
    let Reading { sessions, gaps } = reading;
    let (own, unassigned) = if sessions.len() == 1 { (gaps, Vec::new()) } else { (Vec::new(), gaps) };
    let judge = |session| engine::judge_by(session, own.clone(), *judging);
    (sessions.iter().map(judge).collect(), unassigned)
}
