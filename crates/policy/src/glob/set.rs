//! Sets of characters: what one step of a pattern consumes.

use std::sync::Arc;

/// Sorted, disjoint, inclusive ranges of scalar values. Most steps are one character or all of them: those allocate
/// nothing.
#[derive(Debug, Clone)]
pub(super) enum Set {
    Range([(u32, u32); 1]),
    Ranges(Arc<[(u32, u32)]>),
}

impl PartialEq for Set {
    fn eq(&self, other: &Self) -> bool {
        self.ranges() == other.ranges()
    }
}

impl Eq for Set {}

const LAST: u32 = char::MAX as u32;

impl Set {
    fn of(ranges: &[(u32, u32)]) -> Self {
        match *ranges {
            [range] => Self::Range([range]),
            _ => Self::Ranges(Arc::from(ranges)),
        }
    }

    fn ranges(&self) -> &[(u32, u32)] {
        match self {
            Self::Range(range) => range,
            Self::Ranges(ranges) => ranges,
        }
    }

    pub(super) fn any() -> Self {
        Self::Range([(0, LAST)])
    }

    pub(super) fn one(character: char) -> Self {
        Self::Range([(u32::from(character), u32::from(character))])
    }

    pub(super) fn not_slash() -> Self {
        Self::one('/').negated()
    }

    /// Ranges in any order, overlapping or empty (`z-a`), as a class in a pattern spells them.
    pub(super) fn from_ranges(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.retain(|(low, high)| low <= high);
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (low, high) in ranges {
            match merged.last_mut() {
                Some((_, last)) if low <= last.saturating_add(1) => *last = (*last).max(high),
                _ => merged.push((low, high)),
            }
        }
        Self::of(&merged)
    }

    pub(super) fn negated(&self) -> Self {
        let mut ranges = Vec::with_capacity(self.ranges().len() + 1);
        let mut next = 0;
        for &(low, high) in self.ranges() {
            if low > next {
                ranges.push((next, low - 1));
            }
            next = high.saturating_add(1);
        }
        if next <= LAST {
            ranges.push((next, LAST));
        }
        Self::of(&ranges)
    }

    /// The only member, where there is just one.
    pub(super) fn single(&self) -> Option<char> {
        match self.ranges() {
            [(low, high)] if low == high => char::from_u32(*low),
            _ => None,
        }
    }

    /// Some member: the last of the first range, which for most sets is no letter that patterns spell.
    pub(super) fn some(&self) -> Option<char> {
        self.ranges().first().and_then(|&(_, high)| char::from_u32(high))
    }

    pub(super) fn intersection(&self, other: &Self) -> Self {
        // Patterns are made of little else.
        if self.single().is_some_and(|single| other.contains(single)) {
            return self.clone();
        }
        let mut ranges = Vec::new();
        for &(low, high) in self.ranges() {
            for &(other_low, other_high) in other.ranges() {
                let (from, to) = (low.max(other_low), high.min(other_high));
                if from <= to {
                    ranges.push((from, to));
                }
            }
        }
        Self::of(&ranges)
    }

    pub(super) fn contains(&self, character: char) -> bool {
        self.has(u32::from(character))
    }

    pub(super) fn has(&self, value: u32) -> bool {
        self.ranges().iter().any(|&(low, high)| low <= value && value <= high)
    }

    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.ranges().iter().any(|&(low, high)| other.ranges().iter().any(|&(from, to)| low.max(from) <= high.min(to)))
    }

    /// Where ranges begin or have just ended: between two neighbours of all sets' cuts, every set is constant.
    pub(super) fn cuts(&self) -> impl Iterator<Item = u32> + '_ {
        self.ranges().iter().flat_map(|&(low, high)| [low, high.saturating_add(1)]).filter(|&cut| cut <= LAST)
    }
}
