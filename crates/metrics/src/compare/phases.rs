//! Phases of two sessions beside each other: those with the same prompt belong together.

use std::collections::BTreeSet;

use super::distance::common;
use crate::{Phase, Profile};

/// A phase of one session or of both.
#[derive(Debug, Clone)]
pub struct Aligned<'a> {
    pub first: Option<&'a Phase>,
    pub second: Option<&'a Phase>,
    pub commands: Difference,
    pub read: Difference,
    pub changed: Difference,
}

/// What only one of two has, sorted. Raw log text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    pub first: Vec<String>,
    pub second: Vec<String>,
}

impl Difference {
    fn of(first: &BTreeSet<String>, second: &BTreeSet<String>) -> Self {
        Self { first: first.difference(second).cloned().collect(), second: second.difference(first).cloned().collect() }
    }

    pub fn is_empty(&self) -> bool {
        self.first.is_empty() && self.second.is_empty()
    }
}

impl Aligned<'_> {
    pub fn is_same(&self) -> bool {
        let both = self.first.zip(self.second);
        both.is_some_and(|(first, second)| first.failed == second.failed)
            && [&self.commands, &self.read, &self.changed].into_iter().all(Difference::is_empty)
    }
}

/// All phases of both, in order; one that has no partner stands alone.
pub fn align<'a>(first: &'a Profile, second: &'a Profile) -> Vec<Aligned<'a>> {
    let labels = |profile: &'a Profile| -> Vec<String> {
        profile.phases.iter().map(|phase| phase.label.trim().to_lowercase()).collect()
    };
    let pairs = common(&labels(first), &labels(second));
    let (mut left, mut right) = (first.phases.iter(), second.phases.iter());
    let (mut done, mut passed) = (0, 0);
    let mut aligned = Vec::new();
    let mut push = |one: Option<&'a Phase>, other: Option<&'a Phase>| {
        aligned.push(Aligned {
            first: one,
            second: other,
            commands: Difference::of(&commands(first, one), &commands(second, other)),
            read: difference(one, other, |phase| &phase.read),
            changed: difference(one, other, |phase| &phase.changed),
        });
    };
    for (at, beside) in pairs {
        left.by_ref().take(at - done).for_each(|phase| push(Some(phase), None));
        right.by_ref().take(beside - passed).for_each(|phase| push(None, Some(phase)));
        push(left.next(), right.next());
        (done, passed) = (at + 1, beside + 1);
    }
    left.for_each(|phase| push(Some(phase), None));
    right.for_each(|phase| push(None, Some(phase)));
    aligned
}

fn difference(one: Option<&Phase>, other: Option<&Phase>, of: fn(&Phase) -> &BTreeSet<String>) -> Difference {
    let none = BTreeSet::new();
    Difference::of(one.map_or(&none, of), other.map_or(&none, of))
}

fn commands(profile: &Profile, phase: Option<&Phase>) -> BTreeSet<String> {
    let Some(phase) = phase else { return BTreeSet::new() };
    let ran = profile.commands.iter().filter(|ran| (phase.from..=phase.to).contains(&ran.event));
    ran.map(|ran| ran.words.join(" ")).collect()
}
