//! How little a text looks like words.
//!
//! A linear score with features set by hand: what letters follow each other (a table counted over our own code and
//! documentation), changes between letters and digits, digits and symbols within. Words come out below zero, what a
//! machine drew from an alphabet far above, and the longer it is, the farther.

use std::sync::LazyLock;

use super::text::looked_at;

/// Half bits that a letter costs after another one; rows from a start, columns to an end.
static BIGRAMS: LazyLock<Vec<Vec<i32>>> = LazyLock::new(|| {
    let digit = |character: char| character.to_digit(36).and_then(|value| i32::try_from(value).ok());
    include_str!("bigrams.txt").lines().map(|line| line.chars().filter_map(digit).collect()).collect()
});

/// What a letter of a word costs on the average, and a bit more: what costs more is less likely a word.
const USUAL: i32 = 9;
const DIGIT_WITHIN: i32 = 4;
const DIGIT_AT_END: i32 = 1;
const CHANGE: i32 = 7;
const SYMBOL: i32 = 6;
const HUMP: i32 = 1;
const SHOUT: i32 = 5;
/// One or two letters before something else starts.
const STUMP: i32 = 4;

/// Positive: rather drawn than written.
pub(super) fn strangeness(value: &str) -> i32 {
    let mut total = 0;
    looked_at(value.len());
    let bytes = value.as_bytes();
    let tail = bytes.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let body = bytes.len() - tail;
    let mut previous = Class::Break;
    let mut last = 0;
    // Letters since a word started.
    let mut letters = 0;
    for (index, byte) in bytes.iter().enumerate() {
        let class = Class::of(*byte);
        total += match (previous, class) {
            (_, Class::Lower | Class::Upper) => letter(previous, last, class, *byte),
            (Class::Lower | Class::Upper, Class::Digit) => {
                if index >= body {
                    DIGIT_AT_END
                } else {
                    CHANGE + DIGIT_WITHIN
                }
            }
            (_, Class::Digit) => digit(index >= body),
            (_, Class::Symbol) => {
                if index + 1 == bytes.len() {
                    1
                } else {
                    SYMBOL
                }
            }
            (_, Class::Break | Class::Other) => 0,
        };
        if matches!(class, Class::Break | Class::Symbol | Class::Digit)
            && matches!(previous, Class::Lower | Class::Upper)
        {
            total += cost(last, None) - USUAL;
        }
        let starts = previous == Class::Lower && class == Class::Upper;
        if matches!(class, Class::Lower | Class::Upper) && !starts {
            letters += 1;
        } else {
            total += if (1..=2).contains(&letters) && !matches!(class, Class::Break) { STUMP } else { 0 };
            letters = i32::from(starts);
        }
        previous = class;
        last = *byte;
    }
    if matches!(previous, Class::Lower | Class::Upper) {
        total += cost(last, None) - USUAL;
    }
    total
}

fn digit(at_end: bool) -> i32 {
    if at_end { DIGIT_AT_END } else { DIGIT_WITHIN }
}

fn letter(previous: Class, last: u8, class: Class, byte: u8) -> i32 {
    match (previous, class) {
        (Class::Digit, _) => CHANGE + cost_of_start(byte) - USUAL,
        // A hump starts a word: `apiKey`.
        (Class::Lower, Class::Upper) => HUMP + cost(last, None) - USUAL + cost_of_start(byte) - USUAL,
        (Class::Upper, Class::Upper) => (cost(last, Some(byte)) - USUAL).min(SHOUT),
        (Class::Lower | Class::Upper, _) => cost(last, Some(byte)) - USUAL,
        _ => cost_of_start(byte) - USUAL,
    }
}

fn index(byte: u8) -> usize {
    usize::from(byte.to_ascii_lowercase().saturating_sub(b'a'))
}

fn cost_of_start(byte: u8) -> i32 {
    entry(0, index(byte))
}

/// `None`: the word ends there.
fn cost(byte: u8, next: Option<u8>) -> i32 {
    entry(index(byte) + 1, next.map_or(26, index))
}

fn entry(row: usize, column: usize) -> i32 {
    BIGRAMS.get(row).and_then(|row| row.get(column)).copied().unwrap_or(USUAL)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    /// What stands between words.
    Break,
    Symbol,
    /// Letters beyond ASCII: people's languages.
    Other,
}

impl Class {
    fn of(byte: u8) -> Self {
        match byte {
            b'a'..=b'z' => Self::Lower,
            b'A'..=b'Z' => Self::Upper,
            b'0'..=b'9' => Self::Digit,
            b' ' | b'-' | b'_' | b'.' | b'/' | b':' | b',' | b'\'' => Self::Break,
            0..=127 => Self::Symbol,
            _ => Self::Other,
        }
    }
}

/// How many different bytes there are.
pub(super) fn variety(value: &str) -> usize {
    looked_at(value.len());
    let mut seen = [false; 256];
    for byte in value.bytes() {
        if let Some(seen) = seen.get_mut(usize::from(byte)) {
            *seen = true;
        }
    }
    seen.iter().filter(|seen| **seen).count()
}

/// Characters that follow from the one before, as in `abcdef` and `12345`, or repeat it.
pub(super) fn followers(value: &str) -> usize {
    looked_at(value.len());
    value
        .as_bytes()
        .windows(2)
        .filter(|pair| matches!(pair, [first, second] if *second == first.wrapping_add(1) || second == first))
        .count()
}
