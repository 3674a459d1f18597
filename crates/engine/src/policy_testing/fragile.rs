//! How much of what a deny means it still catches when it is disguised.

use rayon::prelude::*;

use super::mutate::{self, Variant};
use super::trial::tried;
use agent_strace_policy::{Caller, Decision, EntryView, Parts, Policy, TestCall};

/// One deny, or one entry that asks.
pub struct Fragility {
    pub entry: EntryView,
    /// How many ways of saying it were tried.
    pub tried: usize,
    /// Refused, because an entry forbids it.
    pub caught: usize,
    /// Refused, because it could not be resolved.
    pub unresolved: usize,
    pub survivors: Vec<SurvivingMutant>,
    /// Not even what the entry says in plain words is refused: an example of that.
    pub(crate) dead: Option<Vec<TestCall>>,
}

/// A disguise that the gate lets through.
pub struct SurvivingMutant {
    pub family: &'static str,
    pub what: &'static str,
    pub calls: Vec<TestCall>,
    /// It is reported, at a level that does not fail.
    pub warned: bool,
}

/// What came of one variant.
enum MutantOutcome {
    Caught,
    Unresolved,
    Survived(SurvivingMutant),
}

/// Every entry that forbids, in the order of the policy; those without an example have nothing tried.
pub(crate) fn fragility(policy: &Policy, parts: &Parts) -> Vec<Fragility> {
    // What an extended file forbids is tried where that file is looked at.
    let forbids = |entry: &&EntryView| {
        entry.location.file.is_none() && matches!(entry.decision, Decision::Denied | Decision::Asked)
    };
    policy.entries().filter(forbids).map(|entry| of_entry(policy, parts, entry)).collect()
}

fn of_entry(policy: &Policy, parts: &Parts, entry: &EntryView) -> Fragility {
    let caller = Caller::default();
    let mut found =
        Fragility { entry: entry.clone(), tried: 0, caught: 0, unresolved: 0, survivors: Vec::new(), dead: None };
    for acts in mutate::acts(entry, parts) {
        if !tried(policy, &acts.plain, &caller).fails() {
            found.dead = found.dead.or(Some(acts.plain));
            continue;
        }
        let outcomes: Vec<MutantOutcome> =
            acts.variants.into_par_iter().map(|variant| outcome(policy, variant, &caller)).collect();
        for outcome in outcomes {
            found.tried += 1;
            match outcome {
                MutantOutcome::Caught => found.caught += 1,
                MutantOutcome::Unresolved => found.unresolved += 1,
                MutantOutcome::Survived(survivor) => found.survivors.push(survivor),
            }
        }
    }
    found
}

fn outcome(policy: &Policy, variant: Variant, caller: &Caller) -> MutantOutcome {
    let tried = tried(policy, &variant.calls, caller);
    match (tried.fails(), tried.unresolved) {
        (true, _) if tried.is_forbidden() => MutantOutcome::Caught,
        (true, _) => MutantOutcome::Unresolved,
        (false, unresolved) => {
            let Variant { family, what, calls } = variant;
            MutantOutcome::Survived(SurvivingMutant { family, what, calls, warned: unresolved.is_some() })
        }
    }
}

/// What was refused of what was tried, in tenths of a percent, rounded down: all is 1000.
pub fn score(fragilities: &[Fragility]) -> Option<usize> {
    let tried: usize = fragilities.iter().map(|one| one.tried).sum();
    let refused: usize = fragilities.iter().map(|one| one.caught + one.unresolved).sum();
    (refused * 1000).checked_div(tried)
}
