//! Long runs of characters that tokens are made of.
//!
//! Where they are is told block by block; what lies between them is never looked at.

use super::super::bits::{BLOCK, Blocks, Bytes, bits, is, is_alphanumeric, runs};
use super::super::hit::Hit;
use super::text::{at, before, ceil, run_before};
use super::{encoded, structure, vendor};

/// The shortest run in which a token is looked for.
const SHORTEST: usize = 16;
/// How far before a run its token may start: `SG.` and the like come in parts.
const PARTS: usize = 120;
/// A word and a blank that tokens may start with: `FlyV1 `.
const SCHEME: usize = 6;

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
            b'-' | b'_' => PART | JOINED,
            b'a'..=b'z' => PART | JOINED | INSIDE,
            b'.' | b'|' | b'!' | b':' | b'~' | b'/' | b'=' => JOINED,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(0)
}

pub(super) fn search(text: &str, blocks: &Blocks<'_>, depth: usize, hits: &mut Vec<Hit>) {
    if text.len() < SHORTEST {
        return;
    }
    let (of_vendors, unmarked) = (vendor::Runs::default(), structure::Unmarked::default());
    let mut search = Search { text, depth, of_vendors, unmarked, done: 0, found: 0, opened: 0 };
    let parts = |number| blocks.get(number).map_or(0, |block| bits(block, is_part));
    let mut here = parts(0);
    let starts = blocks.found(|number, _| {
        let behind = parts(number + 1);
        // A run that starts in this block is long if it is so by the end of the next one.
        let starts = runs(u128::from(here) | u128::from(behind) << BLOCK, SHORTEST);
        here = behind;
        let first = starts & !(starts << 1);
        u64::try_from(first & u128::from(u64::MAX)).unwrap_or(0)
    });
    for index in starts {
        search.run(index, hits);
    }
}

struct Search<'t> {
    text: &'t str,
    depth: usize,
    of_vendors: vendor::Runs,
    unmarked: structure::Unmarked,
    /// Before it everything has been looked at.
    done: usize,
    /// Before it tokens have been found.
    found: usize,
    /// Before it encoded text has been opened.
    opened: usize,
}

impl Search<'_> {
    /// Looks at the run that starts at an offset.
    fn run(&mut self, start: usize, hits: &mut Vec<Hit>) {
        if start < self.done {
            return;
        }
        let (length, seen) = stretch(self.text.as_bytes().get(start..).unwrap_or(&[]));
        let end = start + length;
        // Names of variables have neither digits nor capitals, and what is drawn has.
        if seen & (DIGIT | CAPITAL) != 0 {
            self.tokens(start, end, hits);
            if self.depth > 0 && end > self.opened {
                self.opened = encoded::around(self.text, start, end, self.depth, hits);
            }
        }
        self.done = end;
    }

    /// Finds tokens that start in the run, or in the parts before it.
    fn tokens(&mut self, start: usize, end: usize, hits: &mut Vec<Hit>) {
        let text = self.text;
        let from = start - run_before(text, start, PARTS, |byte| class(byte) & JOINED != 0);
        let from = if before(text, from) == b' ' { ceil(text, from.saturating_sub(SCHEME)) } else { from };
        let (mut earlier, mut previous) = (before(text, from.saturating_sub(1)), before(text, from));
        for (index, byte) in (from..end).zip(text.as_bytes().get(from..end).unwrap_or(&[])) {
            let place = Place { index, earlier, previous, byte: *byte, run: start };
            (earlier, previous) = (previous, *byte);
            if let Some(hit) = self.token(&place).filter(|hit| hit.end > start) {
                self.found = hit.end;
                hits.push(hit);
            }
        }
    }

    /// The token that starts at a place, or whose prefix ends there.
    fn token(&mut self, place: &Place) -> Option<Hit> {
        let (text, index, runs) = (self.text, place.index, &mut self.of_vendors);
        // The prefix of a token may be glued to a word, and ends with a break.
        if matches!(place.previous, b'-' | b'_')
            && let Some(hit) = vendor::glued_token(text, self.found, index, runs).filter(|hit| hit.end > place.run)
        {
            return Some(hit);
        }
        if index < self.found {
            return None;
        }
        if goes_on(place.earlier, place.previous) {
            let is_capital = place.byte.is_ascii_uppercase() && place.previous.is_ascii_lowercase();
            return if is_capital { vendor::capital_token(text, index, runs) } else { None };
        }
        if !may_start(text, index) {
            return None;
        }
        vendor::token(text, index, runs).or_else(|| self.unmarked.token(text, index))
    }
}

/// A byte where a token may start.
struct Place {
    index: usize,
    byte: u8,
    /// The byte before it, and the one before that.
    previous: u8,
    earlier: u8,
    /// Where the run starts, behind whose start the token has to end.
    run: usize,
}

/// Those that are part of a token.
fn is_part(bytes: Bytes) -> Bytes {
    is_alphanumeric(bytes) | is(bytes, b'-') | is(bytes, b'_')
}

/// How many bytes belong to a token, and what they are.
fn stretch(bytes: &[u8]) -> (usize, u8) {
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

/// Whether a word goes on behind two bytes. The letter of `\n`, `\r` or `\t` is not part of one.
fn goes_on(earlier: u8, before: u8) -> bool {
    class(before) & INSIDE != 0 && !(earlier == b'\\' && matches!(before, b'n' | b'r' | b't'))
}

/// A token starts a word.
fn may_start(text: &str, index: usize) -> bool {
    at(text, index).is_ascii_alphanumeric() && super::text::starts_word(text, index) || at(text, index) == b'_'
}
