//! Counts each call and each answer once that several logs of a run hold.

use std::collections::{BTreeMap, BTreeSet};

use agent_strace_engine::{Copies, Outline, copies};
use agent_strace_ingest::{Log, Reading};

use super::reread::Reread;

/// A log, by what is compared of it, and the result of work on it.
pub(super) struct Counted<T> {
    shown: String,
    outlines: Vec<Outline>,
    pub(super) result: T,
}

/// The calls and answers that the sessions of a log repeat, by the name of the log.
#[derive(Default)]
pub(super) struct Repeats(BTreeMap<String, Vec<Copies>>);

impl<T> Counted<T> {
    pub(super) fn new(log: &Log, reading: Reading<'_>, work: impl FnOnce(&Log, Reading<'_>) -> T) -> Self {
        let outlines = reading.sessions.iter().map(|session| Outline::of(session, log.bytes().len())).collect();
        Self { shown: log.shown.clone(), outlines, result: work(log, reading) }
    }
}

impl<T> Reread for Counted<T> {
    fn shown(&self) -> &str {
        &self.shown
    }

    fn holds(&self, before: &Self) -> bool {
        let mut pairs = before.outlines.iter().zip(&self.outlines);
        self.outlines.len() == before.outlines.len() && pairs.all(|(before, later)| before.is_held_by(later))
    }

    fn take_over(&mut self, _before: &mut Self) {}
}

impl Repeats {
    pub(super) fn of<T>(logs: &[Counted<T>]) -> Self {
        let outlines: Vec<&Outline> = logs.iter().flat_map(|log| &log.outlines).collect();
        // One session repeats nothing.
        if outlines.len() < 2 {
            return Self::default();
        }
        let mut found = copies(&outlines).into_iter();
        let mut repeats = BTreeMap::new();
        let mut twice = BTreeSet::new();
        for log in logs {
            let copies: Vec<Copies> = found.by_ref().take(log.outlines.len()).collect();
            // Entries of an archive may have the same name: what they repeat can't be told apart, so all of it counts.
            if repeats.insert(log.shown.clone(), copies).is_some() {
                twice.insert(log.shown.clone());
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
