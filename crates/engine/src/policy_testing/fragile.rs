//! Measures how much of what a deny means it still catches when it is disguised.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::advice::advice;
use super::mutate::{self, Variant};
use super::trial::{Tried, tried};
use agent_strace_effects::Kind;
use agent_strace_policy::{Caller, Decision, EntryView, Parts, Policy, Subject, TestCall};

/// Pieces of advice on one disguise.
const MOST_REMEDIES: usize = 2;

/// One deny, or one entry that asks.
pub struct Fragility {
    pub entry: EntryView,
    /// By family; only those that make sense for the entry.
    pub families: BTreeMap<&'static str, MutantCounts>,
    pub survivors: Vec<SurvivingMutant>,
    /// An example that the policy does not even refuse in plain words.
    pub dead: Option<Vec<TestCall>>,
}

/// How many disguises were tried, and what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MutantCounts {
    pub tried: usize,
    /// Refused, because an entry forbids it.
    pub caught: usize,
    /// Refused, because it could not be resolved.
    pub unresolved: usize,
    /// Reported at a level that does not fail.
    pub warned: usize,
    /// Not reported at all.
    pub passed: usize,
}

/// A disguise that the gate lets through.
pub struct SurvivingMutant {
    pub family: &'static str,
    pub what: &'static str,
    pub calls: Vec<TestCall>,
    /// It is reported, at a level that does not fail.
    pub warned: bool,
    /// Changes of the policy that refuse it.
    pub advice: Vec<String>,
}

impl MutantCounts {
    pub fn refused(&self) -> usize {
        self.caught + self.unresolved
    }

    pub fn add(&mut self, other: Self) {
        let Self { tried, caught, unresolved, warned, passed } = other;
        self.tried += tried;
        self.caught += caught;
        self.unresolved += unresolved;
        self.warned += warned;
        self.passed += passed;
    }
}

impl Fragility {
    /// Over all families.
    pub fn counts(&self) -> MutantCounts {
        total(self.families.values().copied())
    }
}

/// All of them together.
pub fn total(counts: impl Iterator<Item = MutantCounts>) -> MutantCounts {
    let mut all = MutantCounts::default();
    counts.for_each(|counts| all.add(counts));
    all
}

/// What came of one variant.
enum MutantOutcome {
    Caught,
    Unresolved,
    Survived(SurvivingMutant),
}

/// Every entry that forbids, in the order of the policy; those without an example have nothing tried.
pub fn fragility(policy: &Policy, parts: &Parts) -> Vec<Fragility> {
    // What an extended file forbids is tried where that file is looked at.
    let forbids = |entry: &&EntryView| {
        entry.location.file.is_none()
            && !entry.text.starts_with('!')
            && matches!(entry.decision, Decision::Denied | Decision::Asked)
    };
    policy.entries().filter(forbids).map(|entry| of_entry(policy, parts, entry)).collect()
}

fn of_entry(policy: &Policy, parts: &Parts, entry: &EntryView) -> Fragility {
    let caller = Caller::default();
    let mut found = Fragility { entry: entry.clone(), families: BTreeMap::new(), survivors: Vec::new(), dead: None };
    for acts in mutate::acts(entry, parts) {
        if !tried(policy, &acts.plain, &caller).fails() {
            found.dead = found.dead.or(Some(acts.plain));
            continue;
        }
        let outcomes: Vec<(&'static str, MutantOutcome)> = acts
            .variants
            .into_par_iter()
            .map(|variant| (variant.family, outcome(policy, entry, variant, &caller)))
            .collect();
        for (family, outcome) in outcomes {
            let counts = found.families.entry(family).or_default();
            counts.tried += 1;
            match outcome {
                MutantOutcome::Caught => counts.caught += 1,
                MutantOutcome::Unresolved => counts.unresolved += 1,
                MutantOutcome::Survived(survivor) => {
                    let count = if survivor.warned { &mut counts.warned } else { &mut counts.passed };
                    *count += 1;
                    found.survivors.push(survivor);
                }
            }
        }
    }
    found
}

fn outcome(policy: &Policy, entry: &EntryView, variant: Variant, caller: &Caller) -> MutantOutcome {
    let tried = tried(policy, &variant.calls, caller);
    match (tried.fails(), tried.unresolved) {
        (true, _) if tried.is_forbidden() => MutantOutcome::Caught,
        (true, _) => MutantOutcome::Unresolved,
        (false, unresolved) => {
            let Variant { family, what, calls } = variant;
            let warned = unresolved.is_some();
            let advice = remedies(policy, entry, &tried);
            MutantOutcome::Survived(SurvivingMutant { family, what, calls, warned, advice })
        }
    }
}

/// Changes of the policy that refuse what it lets through.
fn remedies(policy: &Policy, entry: &EntryView, tried: &Tried) -> Vec<String> {
    let version = policy.identity().map_or(1, |identity| identity.version);
    let list = match entry.subject {
        Subject::Command => "commands.allow",
        Subject::Read => "files.read.allow",
        Subject::Write | Subject::Delete => "files.write.allow",
        Subject::Network => "network.allow with `deny_all`",
        Subject::Env => "env.allow_set",
        Subject::List | Subject::Tool | Subject::Spawn => "an allow list",
    };
    let unresolved = tried.entries.iter().filter(|judged| judged.decision == Decision::Unresolved);
    let mut remedies: Vec<String> = unresolved
        .map(|judged| match &judged.effect.kind {
            _ if version < 2 => format!("list in {list} what is needed, or fail on warnings (`--fail-on warning`)"),
            Kind::Opaque(opaque) => unresolved_remedy(list, &format!("{{\"{}\": \"deny\"}}", opaque.class.name())),
            _ => unresolved_remedy(list, "\"deny\""),
        })
        .collect();
    if remedies.is_empty() {
        let passed =
            tried.entries.iter().filter(|judged| matches!(judged.decision, Decision::Allowed | Decision::Unruled));
        let passed =
            passed.filter(|judged| is_of(entry, &judged.effect.kind) && is_same_program(entry, &judged.effect.kind));
        remedies.extend(passed.filter_map(|judged| advice(judged, version)));
    }
    if remedies.is_empty() {
        remedies.push(format!(
            "deny that form, too, or list in {list} what is needed: what it does not name is refused in every form"
        ));
    }
    remedies.dedup();
    remedies.truncate(MOST_REMEDIES);
    remedies
}

fn unresolved_remedy(list: &str, level: &str) -> String {
    format!(
        "list in {list} what is needed, or refuse what can't be resolved: \"defaults\": {{\"unresolved\": {level}}}"
    )
}

/// A command of another program is not what the entry is about: to deny that program would deny too much.
fn is_same_program(entry: &EntryView, kind: &Kind) -> bool {
    let Kind::Execute(execution) = kind else { return true };
    let program = execution.argv.first().map(|word| word.text.as_str());
    program.is_some() && entry.text.split_whitespace().next() == program
}

/// The effect is of the kind that the entry speaks of.
pub(crate) fn is_of(entry: &EntryView, kind: &Kind) -> bool {
    match entry.subject {
        Subject::Command => matches!(kind, Kind::Execute(_)),
        Subject::Read => matches!(kind, Kind::Read(_)),
        Subject::Write => matches!(kind, Kind::Write(_) | Kind::Delete(_)),
        Subject::Delete => matches!(kind, Kind::Delete(_)),
        Subject::List => matches!(kind, Kind::List(_)),
        Subject::Network => matches!(kind, Kind::Connect(_)),
        Subject::Env => matches!(kind, Kind::Env { .. }),
        Subject::Tool => matches!(kind, Kind::Tool { .. }),
        Subject::Spawn => matches!(kind, Kind::Spawn { .. }),
    }
}
