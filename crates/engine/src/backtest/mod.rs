//! Sessions of the past, judged by a policy: which entry decides which calls, which calls no entry speaks of, and what
//! another policy would change.
//!
//! There is no evaluator here: calls are what the engine says about them, and a call is blocked where `check` fails for
//! it. Each call is counted at one place, the strictest that speaks of it; counts add up to the number of calls.
//!
//! Exceptions and suppressions are left out of account: they end, and a call that only one of them lets pass counts as
//! blocked.
//!
//! Deviations from how the peer of the same commands counts: a call is one call, however many effects it has; one that
//! could not be resolved is counted apart and covered by nothing; built-in rules have rows of their own; without `--days`
//! all of history counts, because what was left out can't object.

mod change;
mod compare;
mod decider;
mod lists;
mod rules;
mod ruling;
mod sections;
mod tally;
#[cfg(test)]
mod tests;
mod vouching;
#[cfg(test)]
mod widening_tests;
mod words;

use std::sync::Arc;

use crate::{JudgementCache, Replay, Rulings};
use agent_strace_effects::Repository;
use agent_strace_model::Session;

pub use change::{Change, Direction, Version, changes};
pub use compare::{Comparison, Shift};
pub use decider::{Decider, Rules};
use ruling::of_calls;
pub use tally::{Counts, Listed, Tally, Uncovered, Window};

/// A policy with everything that a backtest derives from it once.
#[derive(Clone, Copy)]
pub struct BacktestPolicy<'a> {
    pub cache: &'a JudgementCache<'a>,
    pub rules: &'a Rules<'a>,
}

/// Adds one session, judged by one policy.
pub fn add_session(
    tally: &mut Tally,
    session: &Session<'_>,
    BacktestPolicy { cache, rules }: BacktestPolicy<'_>,
    repository: &Arc<Repository>,
    uncovered: Uncovered,
) {
    let replay = Replay::with_cache(session, cache, repository);
    let rulings = Rulings::with_cache(&replay, cache);
    let findings = rulings.verdicts();
    let calls = of_calls(&replay, &rulings, &findings, rules);
    tally.add_session(session, &calls, &findings, uncovered);
}

/// Whether two policies say the same about what programs do, so that effects need not be worked out twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Programs {
    Shared,
    Own,
}

/// Compares the verdicts of two policies on one session.
pub fn compare_session(
    session: &Session<'_>,
    old: BacktestPolicy<'_>,
    new: BacktestPolicy<'_>,
    repository: &Arc<Repository>,
    programs: Programs,
) -> Comparison {
    let before = Replay::with_cache(session, old.cache, repository);
    let own = (programs == Programs::Own).then(|| Replay::with_cache(session, new.cache, repository));
    let after = own.as_ref().unwrap_or(&before);
    let (old_rulings, new_rulings) = (Rulings::with_cache(&before, old.cache), Rulings::with_cache(after, new.cache));
    let (old_findings, new_findings) = (old_rulings.verdicts(), new_rulings.verdicts());
    let old_calls = of_calls(&before, &old_rulings, &old_findings, old.rules);
    let new_calls = of_calls(after, &new_rulings, &new_findings, new.rules);
    Comparison::of_session(session, &old_calls, &new_calls)
}
