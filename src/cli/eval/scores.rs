//! Scores of sessions, for exports that send them elsewhere.

use super::super::demands::{self, Origin};
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::pipeline::Inputs;
use super::super::trust::TrustBase;
use super::MissingEvals;
use super::args::Judged;
use agent_strace_engine::SessionOutcome;

/// How a session measured up, for who shows it elsewhere.
pub(in crate::cli) struct Scored {
    pub(in crate::cli) id: String,
    pub(in crate::cli) scores: Vec<ScoreOf>,
    /// Scores that can't be told.
    pub(in crate::cli) unknown: usize,
}

/// One score, from 0 to 1, and why it is so. The reason may hold log text.
pub(in crate::cli) struct ScoreOf {
    pub(in crate::cli) name: String,
    pub(in crate::cli) value: f64,
    pub(in crate::cli) reason: String,
}

/// Whether there is a file of evals here.
pub(in crate::cli) fn are_demanded(environment: Environment) -> Result<bool, Failure> {
    Ok(demands::load(None, Origin { trust_base: TrustBase::at(None), colour: environment.colour })?.is_some())
}

/// The scores of sessions by the evals of this directory.
pub(in crate::cli) fn scores(
    inputs: Inputs,
    now: Option<jiff::Timestamp>,
    environment: Environment,
) -> Result<Vec<Scored>, Failure> {
    let judged = Judged { now, ..Judged::default() };
    let measure = judged.measure(MissingEvals::Standard, None, environment)?;
    let outcome = measure.judge(inputs);
    let scorers = measure.evals().map(|evals| evals.scorers.as_slice()).unwrap_or_default();
    let of_session = |session: SessionOutcome| {
        let measured = session.assessment.map(|assessment| assessment.scores).unwrap_or_default();
        let named = scorers.iter().zip(&measured);
        let scores = named.filter_map(|(scorer, measured)| {
            let (name, reason) = (scorer.name.clone(), measured.reason.clone());
            Some(ScoreOf { name, value: measured.number()?, reason })
        });
        let scores: Vec<ScoreOf> = scores.collect();
        Scored { id: session.id, unknown: scorers.len().saturating_sub(scores.len()), scores }
    };
    Ok(outcome.sessions.into_iter().map(of_session).collect())
}
