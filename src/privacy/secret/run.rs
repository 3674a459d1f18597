//! Long runs of characters that tokens are made of.
//!
//! A run that is long enough can't be jumped over by steps of that length: most text is never looked at.

use super::super::hit::Hit;
use super::text::{at, before, run_before};
use super::{encoded, structure, vendor};

/// The shortest run in which a token is looked for.
const SHORTEST: usize = 16;
/// How far before a run its token may start: `SG.` and the like come in parts.
const PARTS: usize = 120;

/// What a byte is in a token: part of one, a digit, a capital, what joins parts, what no token starts behind.
const PART: u8 = 1;
const DIGIT: u8 = 2;
const CAPITAL: u8 = 4;
const JOINED: u8 = 8;
const INSIDE: u8 = 16;

#[expect(clippy::indexing_slicing, reason = "the compiler works it out, and would refuse a place outside")]
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'0'..=b'9' => PART | DIGIT | JOINED | INSIDE,
            b'A'..=b'Z' => PART | CAPITAL | JOINED | INSIDE,
            // They may be the letter of `\n`, `\r` and `\t`.
            b'n' | b'r' | b't' | b'-' | b'_' => PART | JOINED,
            b'a'..=b'z' => PART | JOINED | INSIDE,
            b'.' | b'|' | b'!' | b':' | b'~' | b'/' | b' ' | b'=' => JOINED,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(0)
}

/// Bytes that are looked at together. A run that is long enough fills at least one group of them.
const GROUP: usize = 8;

/// The highest bit of each byte.
const HIGH: u64 = 0x8080_8080_8080_8080;

pub(super) fn search(text: &str, depth: usize, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    // Before it everything has been looked at.
    let mut done = 0;
    // Before it tokens have been found.
    let mut found = 0;
    // Before it encoded text has been opened.
    let mut opened = 0;
    let (groups, tail) = bytes.as_chunks::<GROUP>();
    let mut left = 0;
    let mut parts = groups.first().map_or(0, |group| parts_of(u64::from_le_bytes(*group)));
    for number in 0..groups.len() {
        let right =
            groups.get(number + 1).map_or_else(|| parts_of(padded(tail)), |group| parts_of(u64::from_le_bytes(*group)));
        let beside = (!left & HIGH).leading_zeros() / 8 + (!right & HIGH).trailing_zeros() / 8;
        let is_long = parts == HIGH && beside as usize + GROUP >= SHORTEST;
        (left, parts) = (parts, right);
        let place = number * GROUP;
        if !is_long || place < done {
            continue;
        }
        let (before, seen_before) = stretch(bytes.get(done..place).unwrap_or(&[]).iter().rev());
        let (after, seen_after) = stretch(bytes.get(place..).unwrap_or(&[]).iter());
        let (start, end) = (place - before, place + after);
        // Names of variables have neither digits nor capitals, and what is drawn has.
        if (seen_before | seen_after) & (DIGIT | CAPITAL) != 0 {
            found = tokens(text, start, end, found, hits);
            if depth > 0 && end > opened {
                opened = encoded::around(text, start, end, depth, hits);
            }
        }
        done = end;
    }
}

/// The high bit of each byte that belongs to a token, told by arithmetic on all of them at once.
fn parts_of(group: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let low = group & !HIGH;
    // The high bit of each byte that is at least so large.
    let at_least = |byte: u8| low + EACH * u64::from(0x80 - byte);
    let within = |from: u8, to: u8| at_least(from) & !at_least(to);
    let part = within(b'0', b':') | within(b'A', b'[') | within(b'a', b'{') | within(b'-', b'.') | within(b'_', b'`');
    part & HIGH & !group
}

/// The last bytes, which fill no group.
fn padded(tail: &[u8]) -> u64 {
    tail.iter().rev().fold(0, |group, byte| group << 8 | u64::from(*byte))
}

/// How many bytes belong to a token, and what they are.
fn stretch<'b>(bytes: impl Iterator<Item = &'b u8>) -> (usize, u8) {
    let (mut length, mut seen) = (0, 0);
    for byte in bytes {
        let class = class(*byte);
        if class & PART == 0 {
            break;
        }
        seen |= class;
        length += 1;
    }
    (length, seen)
}

/// Tokens that start in the run, or in the parts before it; returns where the last one ends.
fn tokens(text: &str, start: usize, end: usize, found: usize, hits: &mut Vec<Hit>) -> usize {
    let from = start - run_before(text, start, PARTS, |byte| class(byte) & JOINED != 0);
    let mut found = found;
    let mut previous = before(text, from);
    for (place, byte) in text.as_bytes().get(from..end).unwrap_or(&[]).iter().enumerate() {
        let before = std::mem::replace(&mut previous, *byte);
        let place = from + place;
        if class(before) & INSIDE != 0 || place < found || !may_start(text, place) {
            continue;
        }
        let hit = vendor::token(text, place).or_else(|| structure::unmarked(text, place));
        if let Some(hit) = hit.filter(|hit| hit.end > start) {
            found = hit.end;
            hits.push(hit);
        }
    }
    found
}

/// A token starts a word.
fn may_start(text: &str, place: usize) -> bool {
    at(text, place).is_ascii_alphanumeric() && super::text::starts_word(text, place) || at(text, place) == b'_'
}
