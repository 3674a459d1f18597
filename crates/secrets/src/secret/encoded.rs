//! Secrets inside base64 and hexadecimal digits; what is reported is all of the encoded text.

use super::super::base64;
use super::super::hit::{Confidence, Hit};
use super::text::{at, before, is_base64, looked_at, piece, run, run_all, run_before};

/// The shortest encoded text that is opened, and the longest.
pub(super) const SHORTEST: usize = 24;
const LONGEST: usize = 64 * 1024;

/// Opens what stands around a run of token characters; returns where that ends.
pub(super) fn around(text: &str, start: usize, end: usize, depth: usize, hits: &mut Vec<Hit>) -> usize {
    let first = start - run_before(text, start, LONGEST, is_base64);
    let last = end + run_all(text, end, is_base64);
    let last = last + run(text, last, |byte| byte == b'=').min(2);
    // The letter of `\n` is not part of it.
    let first = first + usize::from(before(text, first) == b'\\' && matches!(at(text, first), b'n' | b't' | b'r'));
    let encoded = piece(text, first, last);
    if !(SHORTEST..=LONGEST).contains(&encoded.len()) {
        return last;
    }
    // What stands before the run may be no part of it: the `+` of a patch, a path.
    let starts =
        [first, start.max(first)].map(|first| first + if piece(text, first, first + 2) == "0x" { 2 } else { 0 });
    let Some((first, opened)) = starts.iter().find_map(|first| Some((*first, opened(piece(text, *first, last))?)))
    else {
        return last;
    };
    let mut inside = Vec::new();
    super::search(None, &opened, depth - 1, &mut inside);
    let surest = inside.into_iter().filter(|hit| hit.confidence >= Confidence::Medium).max_by_key(|hit| hit.confidence);
    if let Some(hit) = surest {
        hits.push(Hit { start: first, end: last, ..hit });
    }
    last
}

fn opened(encoded: &str) -> Option<String> {
    if !may_open(encoded) {
        return None;
    }
    looked_at(encoded.len());
    hexadecimal(encoded).or_else(|| base64::decode(encoded)).as_deref().and_then(readable)
}

/// Whether the first bytes of what is inside could be read: most runs are told by that.
fn may_open(encoded: &str) -> bool {
    let Some(first) = encoded.as_bytes().first_chunk::<8>() else { return false };
    let digits = first.map(|byte| char::from(byte).to_digit(16));
    let hexadecimal = digits.as_chunks::<2>().0.iter().all(|pair| match pair {
        [Some(high), Some(low)] => u8::try_from(high << 4 | low).is_ok_and(is_readable),
        _ => false,
    });
    hexadecimal || beginning(*first).is_some_and(|bytes| bytes.into_iter().all(is_readable))
}

fn is_readable(byte: u8) -> bool {
    matches!(byte, 0x20..=0x7e | 0 | 9 | 10 | 13)
}

/// The bytes that the first characters of base64 stand for.
pub(in super::super) fn beginning(first: [u8; 8]) -> Option<[u8; 6]> {
    let bits = first.iter().try_fold(0_u64, |bits, byte| Some(bits << 6 | u64::from(base64::sextet(*byte)?)))?;
    bits.to_be_bytes().last_chunk().copied()
}

/// What is mostly readable text; anything else holds no secret that could be told.
fn readable(bytes: &[u8]) -> Option<String> {
    let narrow = narrowed(bytes);
    let bytes = narrow.as_deref().unwrap_or(bytes);
    let plain = bytes.iter().filter(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t')).count();
    (plain * 20 >= bytes.len() * 19).then(|| String::from_utf8_lossy(bytes).into_owned())
}

/// What was text of two bytes a character, as one shell encodes its commands.
fn narrowed(bytes: &[u8]) -> Option<Vec<u8>> {
    let pairs = bytes.chunks_exact(2);
    let wide = bytes.len() >= 4 && pairs.clone().all(|pair| matches!(pair, [first, 0] if *first > 0));
    wide.then(|| pairs.filter_map(|pair| pair.first().copied()).collect())
}

fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|value| u8::try_from(value).ok());
    text.as_bytes()
        .chunks_exact(2)
        .map(|pair| match pair {
            [high, low] => Some(digit(high)? << 4 | digit(low)?),
            _ => None,
        })
        .collect()
}
