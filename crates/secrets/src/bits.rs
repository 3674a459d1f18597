//! Which bytes of a text are of a kind: one bit each, 64 of them at a time.
//!
//! Most bytes of a log start nothing. What the detectors look for is told by arithmetic on whole blocks, and only where bits
//! are left a grammar takes over.

use wide::u8x16;

/// Bytes that are looked at together: as many as a number has bits.
pub(super) const BLOCK: usize = 64;

/// A text in blocks; the last one is filled up with zeros.
pub(super) struct Blocks<'t> {
    whole: &'t [[u8; BLOCK]],
    last: [u8; BLOCK],
    count: usize,
}

impl<'t> Blocks<'t> {
    #[inline]
    pub(super) fn of(bytes: &'t [u8]) -> Self {
        let (whole, rest) = bytes.as_chunks::<BLOCK>();
        let mut last = [0; BLOCK];
        if let Some(room) = last.get_mut(..rest.len()) {
            room.copy_from_slice(rest);
        }
        Self { whole, last, count: whole.len() + usize::from(!rest.is_empty()) }
    }

    /// The block of this number; none behind the text.
    #[inline]
    pub(super) fn get(&self, number: usize) -> Option<&[u8; BLOCK]> {
        self.whole.get(number).or_else(|| (number < self.count).then_some(&self.last))
    }

    /// The offsets of all bytes of a kind. Zero is of none.
    pub(super) fn offsets(&self, of: impl Fn(Bytes) -> Bytes) -> impl Iterator<Item = usize> {
        self.found(move |_, block| bits(block, &of))
    }

    /// The offsets of all bits that are left of each block.
    pub(super) fn found(&self, mut bits: impl FnMut(usize, &[u8; BLOCK]) -> u64) -> impl Iterator<Item = usize> {
        let (mut next, mut found) = (0, 0_u64);
        std::iter::from_fn(move || {
            while found == 0 {
                found = bits(next, self.get(next)?);
                next += 1;
            }
            let at = (next - 1) * BLOCK + found.trailing_zeros() as usize;
            found &= found - 1;
            Some(at)
        })
    }
}

/// Bytes that one instruction looks at.
pub(super) type Bytes = u8x16;

/// Those that are equal to one.
#[inline]
pub(super) fn is(bytes: Bytes, byte: u8) -> Bytes {
    bytes.simd_eq(Bytes::splat(byte))
}

/// Those from one to another.
#[inline]
pub(super) fn within(bytes: Bytes, first: u8, last: u8) -> Bytes {
    let distance = bytes - Bytes::splat(first);
    distance.min(Bytes::splat(last - first)).simd_eq(distance)
}

/// Letters and digits.
#[inline]
pub(super) fn is_alphanumeric(bytes: Bytes) -> Bytes {
    const LOWER_CASE: u8 = 0x20;
    within(bytes | Bytes::splat(LOWER_CASE), b'a', b'z') | within(bytes, b'0', b'9')
}

/// One bit for each byte of a block: whether it is of the kind.
#[inline]
pub(super) fn bits(block: &[u8; BLOCK], of: impl Fn(Bytes) -> Bytes) -> u64 {
    let (parts, _) = block.as_chunks::<16>();
    parts.iter().rev().fold(0, |bits, part| bits << 16 | u64::from(of(Bytes::new(*part)).to_bitmask()))
}

/// The bits at which a run of at least so many set bits starts.
#[inline]
pub(super) fn runs(bits: u128, length: usize) -> u128 {
    let (mut starts, mut have) = (bits, 1);
    while have < length {
        let step = have.min(length - have);
        starts &= starts >> step;
        have += step;
    }
    starts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{BLOCK, Blocks, bits, is, is_alphanumeric, runs, within};

    proptest! {
        #[test]
        fn places_are_those_of_a_search_byte_by_byte(
            bytes in proptest::collection::vec(prop_oneof![any::<u8>(), 0x1f_u8..0x81], 0..300),
        ) {
            let blocks = Blocks::of(&bytes);
            let expected = |is: fn(u8) -> bool| -> Vec<usize> { (0..bytes.len()).filter(|at| is(bytes[*at])).collect() };
            let found: Vec<usize> = blocks.offsets(is_alphanumeric).collect();
            prop_assert_eq!(found, expected(|byte| byte.is_ascii_alphanumeric()));
            let found: Vec<usize> = blocks.offsets(|bytes| within(bytes, 0x80, 0xff) | is(bytes, b'-')).collect();
            prop_assert_eq!(found, expected(|byte| byte >= 0x80 || byte == b'-'));
        }

        #[test]
        fn runs_start_where_enough_bits_are_set(low: u64, high: u64, length in 1_usize..40) {
            let number = u128::from(low | high) | u128::from(high | low >> 7) << 64;
            let mut expected = 0_u128;
            for at in 0..=(128 - length) {
                expected |= u128::from((at..at + length).all(|bit| number >> bit & 1 == 1)) << at;
            }
            prop_assert_eq!(runs(number, length), expected);
        }
    }

    #[test]
    fn the_last_block_is_filled_up() {
        let text = [b'x'; BLOCK + 3];
        let blocks = Blocks::of(&text);
        let lengths =
            [0, 1, 2].map(|number| blocks.get(number).map(|block| bits(block, |bytes| is(bytes, b'x')).count_ones()));
        assert_eq!(lengths, [Some(64), Some(3), None]);
    }
}
