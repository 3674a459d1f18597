//! Which digits of a text may belong to a number of somebody: most are line numbers, sizes and parts of names.
//!
//! Told from blocks of 64 bytes, by what stands on both sides of a word with digits. What is left out here is what every
//! grammar of [`super::numbers`] refuses.

use super::super::bits::{BLOCK, Blocks, bits, is, is_alphanumeric, runs, within};

/// Words that are at least so long may say something by themselves.
const LONG: usize = 7;

/// Most bytes between two groups of digits.
const WIDEST_SEPARATOR: usize = 4;

/// Bytes of a text by kind, one bit each.
#[derive(Debug, Clone, Copy, Default)]
struct Kinds<T> {
    digits: T,
    /// Digits and letters.
    words: T,
    /// `:`, and backslashes, behind which a letter may be no part of its word.
    colons: T,
    /// `-` and `.`.
    dashes: T,
    /// What else may begin what stands between groups of digits.
    separators: T,
}

impl Kinds<u64> {
    #[inline]
    fn of(block: &[u8; BLOCK]) -> Self {
        Self {
            digits: bits(block, |bytes| within(bytes, b'0', b'9')),
            words: bits(block, is_alphanumeric),
            colons: bits(block, |bytes| is(bytes, b':') | is(bytes, b'\\')),
            dashes: bits(block, |bytes| within(bytes, b'-', b'.')),
            separators: bits(block, |bytes| {
                is(bytes, b' ') | is(bytes, b'/') | within(bytes, b'(', b')') | within(bytes, 0x80, 0xff)
            }),
        }
    }
}

/// Bytes of the blocks beside one that are seen with it: no word that is not long, and nothing it needs beside it, reaches
/// farther.
const BESIDE: usize = 32;

impl Kinds<u128> {
    /// A block between the end of the one before it and the beginning of the one behind it.
    #[inline]
    fn around(before: Kinds<u64>, here: Kinds<u64>, behind: Kinds<u64>) -> Self {
        let join = |before: u64, here: u64, behind: u64| {
            u128::from(before >> (BLOCK - BESIDE)) | u128::from(here) << BESIDE | u128::from(behind) << (BLOCK + BESIDE)
        };
        Self {
            digits: join(before.digits, here.digits, behind.digits),
            words: join(before.words, here.words, behind.words),
            colons: join(before.colons, here.colons, behind.colons),
            dashes: join(before.dashes, here.dashes, behind.dashes),
            separators: join(before.separators, here.separators, behind.separators),
        }
    }

    /// The first digits of runs of them in words that may say something.
    #[inline]
    fn telling(&self) -> u128 {
        let Self { digits, words, colons, .. } = *self;
        let first = words & !(words << 1);
        let behind = words << 1 & !words;
        let starts = first & (runs(words, LONG) | colons << 1 | self.paired(first) | self.joined());
        // What a word starts with holds for all of it: a carry runs through it.
        let by_start = words & !words.wrapping_add(starts);
        // What it ends with, for what is before it. Words that are not long have few bytes.
        let mut telling = (behind & colons) >> 1 | self.going_on(first, behind);
        for _ in 2..LONG {
            telling |= telling >> 1 & words;
        }
        (telling | by_start) & digits & !(digits << 1)
    }

    /// What stands behind the digits that some words begin with.
    #[inline]
    fn behind_digits(&self, first: u128) -> u128 {
        (first & self.digits).wrapping_add(self.digits) & !self.digits
    }

    /// First bits of words that may be groups of longer numbers by what is before them or in them: those of digits and
    /// letters.
    #[inline]
    fn joined(&self) -> u128 {
        let Self { digits, words, dashes, separators, .. } = *self;
        let letters = words & !digits;
        // The beginning of an account number in groups of four: `DE89 `.
        let account = letters & letters >> 1 & digits >> 2 & digits >> 3 & separators >> 4;
        letters & dashes << 1 | account
    }

    /// Bits of words that may be groups of longer numbers by what is behind them: of digits, with more digits behind what
    /// follows them, or of digits and letters. `first` has the first bytes of words, `behind` what stands behind them.
    #[inline]
    fn going_on(&self, first: u128, behind: u128) -> u128 {
        let Self { digits, words, dashes, separators, .. } = *self;
        let numbers = self.behind_digits(first) & !words;
        let digits_follow = (1..=WIDEST_SEPARATOR).fold(0, |follow, distance| follow | digits >> distance);
        let goes_on = numbers & (separators | dashes) & digits_follow | behind & !numbers & dashes;
        // Words that begin with digits and have letters may be the later groups.
        let joined = self.behind_digits(first & dashes << 1) & words;
        goes_on >> 1 | joined
    }

    /// First bits of words that may be part of an address of a machine, between two `-` or `.`: pairs and fours.
    #[inline]
    fn paired(&self, first: u128) -> u128 {
        let Self { words, dashes, .. } = *self;
        let two = first & words >> 1 & !(words >> 2);
        let four = first & words >> 1 & words >> 2 & words >> 3 & !(words >> 4);
        two & (dashes << 1 & dashes << 4 | dashes >> 2 & dashes >> 5)
            | four & (dashes << 1 & dashes << 6 | dashes >> 4 & dashes >> 9)
    }
}

/// Places of first digits of runs of them that may say something.
pub(super) fn offsets<'t>(blocks: &'t Blocks<'t>) -> impl Iterator<Item = usize> + 't {
    let kinds = |number| blocks.get(number).map(Kinds::of).unwrap_or_default();
    let (mut before, mut here) = (Kinds::default(), kinds(0));
    blocks.found(move |number, _| {
        let behind = kinds(number + 1);
        let telling = if here.digits == 0 { 0 } else { Kinds::around(before, here, behind).telling() };
        (before, here) = (here, behind);
        u64::try_from(telling >> BESIDE & u128::from(u64::MAX)).unwrap_or(0)
    })
}
