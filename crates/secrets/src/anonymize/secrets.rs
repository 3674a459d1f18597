//! Values that were secret once in a session: they are secret wherever they stand in it, whole or in pieces.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// A piece of a secret that is not shown: this many bytes in a row.
pub(super) const PIECE: usize = 12;
/// Shorter values are words of the language as well.
const SHORTEST: usize = 8;
/// Of longer values only so much is looked for.
const LONGEST: usize = 8 << 10;

/// Secret values with the mark that takes their place.
#[derive(Debug, Clone, Default)]
pub(super) struct Secrets {
    values: BTreeMap<String, String>,
    pieces: HashSet<[u8; PIECE]>,
}

impl Secrets {
    /// `mark`: what takes its place.
    pub(super) fn add(&mut self, value: &str, mark: &str) {
        let value = value.trim();
        let value = value.get(..value.floor_char_boundary(LONGEST)).unwrap_or(value);
        if !is_telling(value.as_bytes()) || value.len() < SHORTEST || self.values.contains_key(value) {
            return;
        }
        self.values.insert(value.to_owned(), mark.to_owned());
        for piece in value.as_bytes().windows(PIECE).filter(|piece| is_telling(piece)) {
            if let Ok(piece) = <[u8; PIECE]>::try_from(piece) {
                self.pieces.insert(piece);
            }
        }
    }

    pub(super) fn values(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(value, mark)| (value.as_str(), mark.as_str()))
    }

    /// How much there is to look for.
    pub(super) fn len(&self) -> usize {
        self.pieces.len() + self.values.len()
    }

    /// Where pieces of secrets stand.
    pub(super) fn pieces(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        if self.pieces.is_empty() {
            return found;
        }
        for (at, piece) in text.windows(PIECE).enumerate() {
            let Ok(piece) = <&[u8; PIECE]>::try_from(piece) else { continue };
            if !self.pieces.contains(piece) {
                continue;
            }
            match found.last_mut() {
                Some(last) if at <= last.end => last.end = at + PIECE,
                _ => found.push(at..at + PIECE),
            }
        }
        found
    }
}

/// No word and no part of an address: letters and digits, and enough different ones.
fn is_telling(value: &[u8]) -> bool {
    let mut seen = [false; 256];
    for byte in value {
        if let Some(seen) = seen.get_mut(usize::from(*byte)) {
            *seen = true;
        }
    }
    let different = seen.iter().filter(|seen| **seen).count();
    let (digits, letters) = (value.iter().any(u8::is_ascii_digit), value.iter().any(u8::is_ascii_alphabetic));
    digits && letters && different >= 7
}
