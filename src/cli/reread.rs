//! Puts the second reading of logs in the place of the first.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use agent_strace_model::{Gap, GapKind};

const CHANGED: &str = "the log changed between two readings: start once more when nothing writes it";

/// The result of reading a log.
pub(super) trait Reread {
    /// The name that reports have for the log.
    fn shown(&self) -> &str;

    /// Returns whether the log still held everything that it held before. A session that still runs may have grown.
    fn holds(&self, before: &Self) -> bool;

    /// Takes over what only the first reading found.
    fn take_over(&mut self, before: &mut Self);
}

/// Puts the second result for each of the logs `named` in the place of the first. A log that is not there any more, or that
/// lost something between the two, is a gap, and its first result stays.
pub(super) fn replace<L: Reread>(logs: &mut [L], again: Vec<L>, named: &BTreeSet<&str>) -> Vec<Gap> {
    // Entries of an archive may have the same name.
    let mut by_name: BTreeMap<String, VecDeque<L>> = BTreeMap::new();
    for second in again {
        by_name.entry(second.shown().to_owned()).or_default().push_back(second);
    }
    let mut gaps = Vec::new();
    for log in logs.iter_mut().filter(|log| named.contains(log.shown())) {
        match by_name.get_mut(log.shown()).and_then(VecDeque::pop_front) {
            Some(mut second) if second.holds(log) => {
                second.take_over(log);
                *log = second;
            }
            _ => gaps.push(Gap::of_file(log.shown(), GapKind::Contradiction(CHANGED.into()))),
        }
    }
    gaps
}
