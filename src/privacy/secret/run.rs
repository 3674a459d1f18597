//! Long runs of characters that tokens are made of.
//!
//! A run that is long enough can't be jumped over by steps of that length: most text is never looked at.

use super::super::hit::Hit;
use super::text::{at, before, is_url_safe, run_all, run_before};
use super::{encoded, structure, vendor};

/// The shortest run in which a token is looked for.
const SHORTEST: usize = 16;
/// How far before a run its token may start: `SG.` and the like come in parts.
const PARTS: usize = 120;

pub(super) fn search(text: &str, depth: usize, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    let mut place = SHORTEST - 1;
    // Before it everything has been looked at.
    let mut done = 0;
    // Before it tokens have been found.
    let mut found = 0;
    // Before it encoded text has been opened.
    let mut opened = 0;
    while let Some(byte) = bytes.get(place) {
        if !is_url_safe(*byte) {
            place += SHORTEST;
            continue;
        }
        let start = place - run_before(text, place, place - done, is_url_safe);
        let end = place + run_all(text, place, is_url_safe);
        if end - start >= SHORTEST {
            found = tokens(text, start, end, found, hits);
            if depth > 0 && end > opened {
                opened = encoded::around(text, start, end, depth, hits);
            }
        }
        done = end;
        place = end + SHORTEST;
    }
}

/// Tokens that start in the run, or in the parts before it; returns where the last one ends.
fn tokens(text: &str, start: usize, end: usize, found: usize, hits: &mut Vec<Hit>) -> usize {
    let joined = |byte: u8| is_url_safe(byte) || matches!(byte, b'.' | b'|' | b':' | b'~' | b'/' | b' ' | b'=');
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
