//! What has to go from a text so that nothing is found in what is left.

use super::embedded;
use super::{Detector, MAX_NESTING};
use crate::{Confidence, Hit, MARK, free_ranges, has_mark};

/// One secret's removal may bring another to light, so rounds are repeated until nothing changes. What keeps changing is
/// dropped whole.
const ROUNDS: usize = 8;

/// A hit, and how it is replaced.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) hit: Hit,
    /// It is a number of JSON: a mark would not be one.
    pub(super) is_number: bool,
    /// What is written instead, as the text that it was found in has to have it.
    pub(super) by: String,
}

/// Everything to replace in a text that stands under `name`, in order, without overlap. A text that is JSON itself is
/// searched leaf by leaf, so that it stays JSON and its keys count as names.
pub(super) fn search(detector: &dyn Detector, name: Option<&str>, text: &str, nesting: u32) -> Vec<Found> {
    if nesting < MAX_NESTING && embedded::may_be_json(text) {
        // A name that makes all of a text private makes its beginning private, too.
        let start = text.get(..text.floor_char_boundary(64)).unwrap_or(text);
        let hits = if name.is_some() { detector.of_beginning(name, start) } else { Vec::new() };
        let is_whole = hits.iter().any(|hit| hit.start == 0 && hit.end == start.len());
        if !is_whole && let Some(found) = embedded::search(detector, name, text, nesting) {
            return found;
        }
    }
    let found = settled(text, &|text| detector.find(name, text));
    let replaced = |hit: Hit| {
        let by = detector.replacement(&hit, text.get(hit.start..hit.end).unwrap_or(""));
        Found { hit, is_number: false, by }
    };
    found.into_iter().map(replaced).collect()
}

/// Hits in what no mark covers, then in what is left between them, until there are none.
pub(super) fn settled(text: &str, find: &dyn Fn(&str) -> Vec<Hit>) -> Vec<Hit> {
    // Most texts hold neither a mark nor a secret.
    let has_marks = text.len() > MARK.len() && has_mark(text);
    let mut first = (!has_marks).then(|| find(text));
    if first.as_ref().is_some_and(Vec::is_empty) {
        return Vec::new();
    }
    let mut pending: Vec<(usize, usize)> = free_ranges(text);
    let mut found = Vec::new();
    for _ in 0..ROUNDS {
        let mut left = Vec::new();
        for (start, end) in pending {
            let mut at = start;
            let hits = first.take().unwrap_or_else(|| find(text.get(start..end).unwrap_or("")));
            for hit in hits {
                let (from, to) = outside_escapes(text, start + hit.start, start + hit.end);
                let (from, to) = (from.max(at), to.min(end));
                if from >= to {
                    continue;
                }
                if from > at {
                    left.push((at, from));
                }
                found.push(Hit { start: from, end: to, ..hit });
                at = to;
            }
            if at > start && at < end {
                left.push((at, end));
            }
        }
        pending = left;
        if pending.is_empty() {
            break;
        }
    }
    let unsettled =
        |(start, end)| Hit { start, end, rule: "secret/unsettled", kind: "text", confidence: Confidence::Low };
    found.extend(pending.into_iter().map(unsettled));
    found.sort_by_key(|hit| hit.start);
    found
}

/// A piece of code or of JSON may lie in a text. Half an escape sequence must not be left of it: what begins behind a
/// backslash takes it along, and what ends with one leaves it.
fn outside_escapes(text: &str, start: usize, end: usize) -> (usize, usize) {
    let slashes = |to: usize| {
        let before = text.as_bytes().get(..to).unwrap_or_default();
        before.iter().rev().take_while(|byte| **byte == b'\\').count()
    };
    let may_be_escape = text.as_bytes().get(start).is_some_and(|byte| b"nrtbfu/".contains(byte));
    let from = if may_be_escape { start - slashes(start) } else { start };
    let to = if end < text.len() { end - slashes(end).min(end - start) } else { end };
    (from, to)
}

/// Short texts that were found to hold nothing: logs repeat them in every record.
pub(super) struct Clean {
    entries: Box<[Entry]>,
}

const ENTRIES: usize = 4096;
const LONGEST: usize = 62;

#[derive(Clone, Copy)]
struct Entry {
    name: u8,
    text: u8,
    /// The name and then the text.
    bytes: [u8; LONGEST],
}

impl Clean {
    pub(super) fn new() -> Self {
        Self { entries: vec![Entry { name: 0, text: 0, bytes: [0; LONGEST] }; ENTRIES].into() }
    }

    /// Where a text would be. Both ends of a text tell most texts apart.
    #[inline]
    fn index(name: &[u8], text: &[u8]) -> Option<usize> {
        if name.len() + text.len() > LONGEST {
            return None;
        }
        let head = text.first_chunk::<8>().map_or_else(|| short(text), |head| u64::from_le_bytes(*head));
        let tail = text.last_chunk::<8>().map_or(0, |tail| u64::from_le_bytes(*tail));
        let name = name.last_chunk::<4>().map_or(0, |tail| u32::from_le_bytes(*tail));
        let mixed = (head ^ tail.rotate_left(23) ^ u64::from(name).rotate_left(41)).wrapping_add(text.len() as u64);
        usize::try_from(mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32).ok().map(|index| index % ENTRIES)
    }

    /// Whether this text under this name is known to hold nothing.
    pub(super) fn has(&self, name: Option<&[u8]>, text: &[u8]) -> bool {
        let name = name.unwrap_or_default();
        let entry = Self::index(name, text).and_then(|index| self.entries.get(index));
        entry.is_some_and(|entry| {
            let (named, rest) = entry.bytes.split_at_checked(usize::from(entry.name)).unwrap_or_default();
            let known = rest.get(..usize::from(entry.text)).unwrap_or_default();
            !known.is_empty() && same(known, text) && same(named, name)
        })
    }

    pub(super) fn keep(&mut self, name: Option<&[u8]>, text: &str) {
        let name = name.unwrap_or_default();
        let Some(entry) = Self::index(name, text.as_bytes()).and_then(|index| self.entries.get_mut(index)) else {
            return;
        };
        let (Ok(named), Ok(known)) = (u8::try_from(name.len()), u8::try_from(text.len())) else { return };
        for (target, byte) in entry.bytes.iter_mut().zip(name.iter().copied().chain(text.bytes())) {
            *target = byte;
        }
        (entry.name, entry.text) = (named, known);
    }
}

/// Whether short texts are equal: most are told apart, and many told to be the same, by their ends alone.
#[inline]
fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    match (one.first_chunk::<8>(), other.first_chunk::<8>()) {
        (Some(head), Some(known)) => {
            head == known && one.last_chunk::<8>() == other.last_chunk::<8>() && (one.len() <= 16 || one == other)
        }
        _ => one.iter().eq(other),
    }
}

fn short(text: &[u8]) -> u64 {
    text.iter().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// A text without what `find` finds in it; `None` where that is nothing.
pub(super) fn without(detector: &dyn Detector, text: &str, find: &dyn Fn(&str) -> Vec<Hit>) -> Option<String> {
    let hits = settled(text, find);
    if hits.is_empty() {
        return None;
    }
    let (mut result, mut at) = (String::new(), 0);
    for hit in hits {
        result.push_str(text.get(at..hit.start).unwrap_or(""));
        result.push_str(&detector.replacement(&hit, text.get(hit.start..hit.end).unwrap_or("")));
        at = hit.end;
    }
    result.push_str(text.get(at..).unwrap_or(""));
    Some(result)
}
