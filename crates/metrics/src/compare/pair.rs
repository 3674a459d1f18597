//! Two sessions, number by number, and which of them was better.

use super::distance::edits;
use super::phases::{Aligned, align};
use crate::{Basis, Profile};

/// Two sessions.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    pub first: &'a Profile,
    pub second: &'a Profile,
}

/// Which of the two was better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    First,
    Second,
    /// As good as each other, or each in something else.
    Neither,
}

/// What one of them was better at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Win {
    pub better: Better,
    /// `32% cheaper`, `2 fewer errors`.
    pub words: String,
}

impl<'a> Pair<'a> {
    /// What the first changed less, cost less, and so on. What is not known of both decides nothing.
    pub fn wins(self) -> Vec<Win> {
        let amount = |profile: &Profile| profile.cost.complete();
        let comparable = self.first.cost.basis == self.second.cost.basis;
        let costs = amount(self.first).zip(amount(self.second)).filter(|_| comparable);
        let milliseconds = self.first.duration().zip(self.second.duration());
        let mut wins = Vec::new();
        wins.extend(costs.and_then(|(first, second)| percent(first, second, "cheaper")));
        wins.extend(milliseconds.and_then(|(first, second)| percent(u128::from(first), u128::from(second), "faster")));
        wins.extend(self.fewer_errors());
        wins
    }

    /// Who had fewer errors even if every call without a recorded end had failed.
    fn fewer_errors(self) -> Option<Win> {
        let (first, second) = (errors(self.first), errors(self.second));
        let (better, fewer) = if first.1 < second.0 {
            (Better::First, second.0 - first.1)
        } else if second.1 < first.0 {
            (Better::Second, first.0 - second.1)
        } else {
            return None;
        };
        let words = if fewer == 1 { "1 error fewer".to_owned() } else { format!("{fewer} errors fewer") };
        Some(Win { better, words })
    }

    /// Why nothing is said about errors.
    pub fn unanswered(self) -> Option<String> {
        let without = self.first.unanswered + self.second.unanswered;
        let told = without == 0 || self.fewer_errors().is_some();
        let calls = if without == 1 { "1 call has" } else { &format!("{without} calls have") };
        (!told).then(|| format!("errors are not compared: {calls} no recorded result"))
    }

    /// By most of cost, time and errors.
    pub fn better(self) -> Better {
        let wins = self.wins();
        let of = |better: Better| wins.iter().filter(|win| win.better == better).count();
        match of(Better::First).cmp(&of(Better::Second)) {
            std::cmp::Ordering::Greater => Better::First,
            std::cmp::Ordering::Less => Better::Second,
            std::cmp::Ordering::Equal => Better::Neither,
        }
    }

    /// What is not known could make the first one the better one.
    pub fn is_undecided(self) -> bool {
        let wins = self.wins();
        let of = |better: Better| wins.iter().filter(|win| win.better == better).count();
        let costs = self.first.cost.complete().zip(self.second.cost.complete());
        let no_costs = costs.is_none() || self.incomparable().is_some();
        let no_times = self.first.duration().zip(self.second.duration()).is_none();
        // The second one may have had more errors than the first.
        let no_errors = self.unanswered().is_some() && errors(self.first).0 < errors(self.second).1;
        let unknown = usize::from(no_costs) + usize::from(no_times) + usize::from(no_errors);
        of(Better::First) + unknown > of(Better::Second) && unknown > 0 && self.better() != Better::First
    }

    /// Why nothing is said about cost.
    pub fn incomparable(self) -> Option<String> {
        let words = |profile: &Profile| match profile.cost.basis {
            Basis::Recorded => "recorded",
            Basis::Estimated => "an estimate",
            Basis::Incomplete => "not known whole",
        };
        let (first, second) = (self.first.cost.basis, self.second.cost.basis);
        if first != second {
            let (one, other) = (words(self.first), words(self.second));
            return Some(format!("costs are not compared: one is {one}, the other {other}"));
        }
        (first == Basis::Incomplete).then(|| "costs are not compared: neither is known whole".to_owned())
    }

    /// Decisions that have to be added, taken away or changed to make one list the other.
    pub fn decision_divergence(self) -> usize {
        edits(&self.first.decisions, &self.second.decisions)
    }

    /// Phases that differ.
    pub fn divergences(self) -> Vec<Aligned<'a>> {
        align(self.first, self.second).into_iter().filter(|aligned| !aligned.is_same()).collect()
    }
}

/// How many there were at least, and at most.
fn errors(profile: &Profile) -> (usize, usize) {
    (profile.errors(), profile.errors() + profile.unanswered)
}

/// `None`: the same, to a percent.
fn percent(first: u128, second: u128, what: &str) -> Option<Win> {
    let (less, more) = (first.min(second), first.max(second));
    // To the nearest percent.
    let saved = (more - less).checked_mul(200)?.checked_div(more)?.div_ceil(2);
    let better = if first < second { Better::First } else { Better::Second };
    (saved > 0).then(|| Win { better, words: format!("{saved}% {what}") })
}
