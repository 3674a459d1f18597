//! What logs of a run repeat from each other: each call and each answer counts once.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use agent_strace_engine::{Copies, Outline, copies};
use agent_strace_ingest::{Log, Reading};
use agent_strace_model::{Gap, GapKind};

const CHANGED: &str = "the log changed while it was read: read it once more when nothing writes it";

/// What is compared of a log.
pub(super) struct Told {
    shown: String,
    outlines: Vec<Outline>,
}

/// What each session of a log repeats, by the name of the log.
#[derive(Default)]
pub(super) struct Repeats(BTreeMap<String, Vec<Copies>>);

impl Told {
    pub(super) fn of(log: &Log, reading: &Reading<'_>) -> Self {
        let outlines = reading.sessions.iter().map(|session| Outline::of(session, log.bytes().len()));
        Self { shown: log.shown.clone(), outlines: outlines.collect() }
    }

    /// A later reading of the log holds the same, and maybe more.
    fn is_held_by(&self, later: &Self) -> bool {
        let mut pairs = self.outlines.iter().zip(&later.outlines);
        self.outlines.len() == later.outlines.len() && pairs.all(|(before, later)| before.is_held_by(later))
    }
}

impl Repeats {
    pub(super) fn of<'t>(logs: impl Iterator<Item = &'t Told> + Clone) -> Self {
        let outlines: Vec<&Outline> = logs.clone().flat_map(|told| &told.outlines).collect();
        // One session repeats nothing.
        if outlines.len() < 2 {
            return Self::default();
        }
        let mut found = copies(&outlines).into_iter();
        let mut repeats = BTreeMap::new();
        let mut twice = BTreeSet::new();
        for told in logs {
            let copies: Vec<Copies> = found.by_ref().take(told.outlines.len()).collect();
            // Entries of an archive may have the same name: what they repeat can't be told apart, so all of it counts.
            if repeats.insert(told.shown.clone(), copies).is_some() {
                twice.insert(told.shown.clone());
            }
        }
        repeats.retain(|shown, copies| !twice.contains(shown) && copies.iter().any(|copies| !copies.is_empty()));
        Self(repeats)
    }

    /// The logs that repeat something.
    pub(super) fn logs(&self) -> BTreeSet<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// Makes the sessions of a log count only what they do not repeat.
    pub(super) fn apply(&self, log: &Log, reading: &mut Reading<'_>) {
        let copies = self.0.get(&log.shown).map_or(&[][..], Vec::as_slice);
        for (session, copies) in reading.sessions.iter_mut().zip(copies) {
            copies.apply(session);
        }
    }
}

/// Puts the second result for each log that repeats something in the place of the first one. A log that does not hold any more
/// what it held is a gap, and its first result stays.
pub(super) fn replace<T>(logs: &mut [(Told, T)], again: Vec<(Told, T)>, repeats: &Repeats) -> Vec<Gap> {
    let mut by_name: BTreeMap<String, VecDeque<(Told, T)>> = BTreeMap::new();
    for (told, result) in again {
        by_name.entry(told.shown.clone()).or_default().push_back((told, result));
    }
    let mut gaps = Vec::new();
    for log in logs.iter_mut().filter(|(told, _)| repeats.0.contains_key(&told.shown)) {
        match by_name.get_mut(&log.0.shown).and_then(VecDeque::pop_front) {
            Some(second) if log.0.is_held_by(&second.0) => *log = second,
            _ => gaps.push(Gap::of_file(&log.0.shown, GapKind::Contradiction(CHANGED.into()))),
        }
    }
    gaps
}
