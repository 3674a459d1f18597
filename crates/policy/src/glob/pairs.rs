//! A quick no: which pairs of neighbouring bytes a text has, and which ones a pattern demands.
//!
//! Tables of patterns are long and most texts match none of them. A text without one of a pattern's pairs can't match.

use super::Step;

/// A set of byte pairs, folded into 128 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Pairs(u128);

impl Pairs {
    pub(crate) fn of_text(text: &str) -> Self {
        let bytes = text.as_bytes();
        bytes.iter().zip(bytes.iter().skip(1)).fold(Self::default(), |pairs, (one, other)| pairs.with(*one, *other))
    }

    /// Pairs that stand in every text of a pattern that is made of characters, `*` and `**` alone.
    pub(crate) fn of_pattern(pattern: &str) -> Self {
        // Where any number of directories may stand, none may, and then there is no `/`.
        let pattern = pattern.strip_suffix("/**").unwrap_or(pattern);
        let spelled = pattern.split("**/").flat_map(|rest| rest.split('*'));
        spelled.map(Self::of_text).fold(Self::default(), Self::both)
    }

    /// Pairs that stand in every text of the steps.
    pub(super) fn of_steps(steps: &[Step]) -> Self {
        let mut pairs = Self::default();
        // Steps in front of it may be skipped.
        let mut optional = 0;
        let mut last: Option<u8> = None;
        for (at, step) in steps.iter().enumerate() {
            match step {
                Step::Fork(target) => optional = optional.max(*target),
                // Alternatives are compared one by one before they are joined.
                Step::Jump(_) => return Self::default(),
                Step::One(_) | Step::Many(_) | Step::Accept => {}
            }
            let literal = match step {
                Step::One(set) if at >= optional => set.single(),
                _ => None,
            };
            if at == optional {
                last = None;
            }
            let mut buffer = [0; 4];
            for byte in literal.map(|character| character.encode_utf8(&mut buffer).as_bytes()).unwrap_or_default() {
                if let Some(last) = last {
                    pairs = pairs.with(last, *byte);
                }
                last = Some(*byte);
            }
            if literal.is_none() {
                last = None;
            }
        }
        pairs
    }

    pub(super) fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    fn both(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn all_in(self, text: Self) -> bool {
        self.0 & !text.0 == 0
    }

    fn with(self, one: u8, other: u8) -> Self {
        let hash = (u32::from(one).wrapping_mul(37) ^ u32::from(other).wrapping_mul(101)) % 127;
        Self(self.0 | 1 << hash)
    }
}
