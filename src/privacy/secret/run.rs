//! Long runs of characters that tokens are made of.
//!
//! A run that is long enough can't be jumped over by steps of that length: most text is never looked at.

use super::super::hit::Hit;
use super::text::{at, before, is_url_safe, run_before};
use super::{encoded, structure, vendor};

/// The shortest run in which a token is looked for.
const SHORTEST: usize = 16;
/// How far before a run its token may start: `SG.` and the like come in parts.
const PARTS: usize = 120;

/// What a byte is in a token: part of one, a digit, a capital.
const PART: u8 = 1;
const DIGIT: u8 = 2;
const CAPITAL: u8 = 4;

#[expect(clippy::indexing_slicing, reason = "the compiler works it out, and would refuse a place outside")]
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = if byte.is_ascii_digit() {
            PART | DIGIT
        } else if byte.is_ascii_uppercase() {
            PART | CAPITAL
        } else if byte.is_ascii_lowercase() || byte == b'-' || byte == b'_' {
            PART
        } else {
            0
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

pub(super) fn search(text: &str, depth: usize, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    // Before it everything has been looked at.
    let mut done = 0;
    // Before it tokens have been found.
    let mut found = 0;
    // Before it encoded text has been opened.
    let mut opened = 0;
    let (groups, _) = bytes.as_chunks::<GROUP>();
    for (number, group) in groups.iter().enumerate() {
        let place = number * GROUP;
        if place < done || !is_filled(u64::from_le_bytes(*group)) {
            continue;
        }
        let (before, seen_before) = stretch(bytes.get(done..place).unwrap_or(&[]).iter().rev());
        let (after, seen_after) = stretch(bytes.get(place..).unwrap_or(&[]).iter());
        let (start, end) = (place - before, place + after);
        // Names of variables have neither digits nor capitals, and what is drawn has.
        if end - start >= SHORTEST && (seen_before | seen_after) & (DIGIT | CAPITAL) != 0 {
            found = tokens(text, start, end, found, hits);
            if depth > 0 && end > opened {
                opened = encoded::around(text, start, end, depth, hits);
            }
        }
        done = end;
    }
}

/// Whether all eight bytes belong to a token, told by arithmetic on all of them at once.
fn is_filled(group: u64) -> bool {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    const EACH: u64 = 0x0101_0101_0101_0101;
    let low = group & !HIGH;
    // The high bit of each byte that is at least so large.
    let at_least = |byte: u8| low + EACH * u64::from(0x80 - byte);
    let within = |from: u8, to: u8| at_least(from) & !at_least(to);
    let part = within(b'0', b':') | within(b'A', b'[') | within(b'a', b'{') | within(b'-', b'.') | within(b'_', b'`');
    part & HIGH & !group == HIGH
}

/// How many bytes belong to a token, and what they are.
fn stretch<'b>(bytes: impl Iterator<Item = &'b u8>) -> (usize, u8) {
    let (mut length, mut seen) = (0, 0);
    for byte in bytes {
        let class = class(*byte);
        if class == 0 {
            break;
        }
        seen |= class;
        length += 1;
    }
    (length, seen)
}

/// Tokens that start in the run, or in the parts before it; returns where the last one ends.
fn tokens(text: &str, start: usize, end: usize, found: usize, hits: &mut Vec<Hit>) -> usize {
    let joined = |byte: u8| is_url_safe(byte) || matches!(byte, b'.' | b'|' | b'!' | b':' | b'~' | b'/' | b' ' | b'=');
    let mut place = start - run_before(text, start, PARTS, joined);
    let mut found = found;
    while place < end {
        if place >= found && may_start(text, place) {
            let hit = vendor::token(text, place).or_else(|| structure::unmarked(text, place));
            if let Some(hit) = hit.filter(|hit| hit.end > start) {
                found = hit.end;
                hits.push(hit);
            }
        }
        place += 1;
        while place < end && is_inside(text, place) {
            place += 1;
        }
    }
    found
}

fn is_inside(text: &str, place: usize) -> bool {
    before(text, place).is_ascii_alphanumeric() && !matches!(before(text, place), b'n' | b't' | b'r')
}

/// A token starts a word.
fn may_start(text: &str, place: usize) -> bool {
    at(text, place).is_ascii_alphanumeric() && super::text::starts_word(text, place) || at(text, place) == b'_'
}
