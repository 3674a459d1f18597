//! Finds the few bytes that count in long runs of others.

use memchr::{memchr, memchr3};

/// What ends a run of a string's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The quote stands here; whether escapes stand before it.
    Quote(usize, bool),
    /// A raw line break stands here, which no string holds.
    Newline(usize),
    /// Neither up to here; behind an escape that is cut, its first byte.
    Nothing(usize),
}

/// Where a string ends, of which `bytes` is the rest.
pub(super) fn string_end(bytes: &[u8]) -> Stop {
    let (mut at, mut has_escapes) = (0, false);
    loop {
        let Some(found) = bytes.get(at..).and_then(special) else {
            super::count(bytes.len() - at.min(bytes.len()));
            return Stop::Nothing(bytes.len());
        };
        super::count(found + 1);
        at += found;
        match bytes.get(at) {
            Some(b'"') => return Stop::Quote(at, has_escapes),
            Some(b'\\') => {
                has_escapes = true;
                match bytes.get(at + 1) {
                    None => return Stop::Nothing(at),
                    Some(b'\n') => at += 1,
                    Some(_) => at += 2,
                }
            }
            _ => return Stop::Newline(at),
        }
    }
}

/// Runs are short in most logs: they are looked through in place, the rest is left to the vector search.
const WORDS: usize = 4;

fn special(bytes: &[u8]) -> Option<usize> {
    let (words, _) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().take(WORDS).enumerate() {
        let word = u64::from_le_bytes(*word);
        let hits =
            zero_bytes(word ^ repeat(b'"')) | zero_bytes(word ^ repeat(b'\\')) | zero_bytes(word ^ repeat(b'\n'));
        if hits != 0 {
            return Some(at * 8 + hits.trailing_zeros() as usize / 8);
        }
    }
    let looked_at = words.len().min(WORDS) * 8;
    memchr3(b'"', b'\\', b'\n', bytes.get(looked_at..)?).map(|at| looked_at + at)
}

/// Copies bytes up to the next backslash; says how many. `to` has room for all of them.
pub(super) fn copy_to_backslash(from: &[u8], to: &mut [u8]) -> usize {
    let (words, _) = from.as_chunks::<8>();
    let (room, _) = to.as_chunks_mut::<8>();
    let mut copied = 0;
    for (word, room) in words.iter().zip(room).take(WORDS) {
        *room = *word;
        let hits = zero_bytes(u64::from_le_bytes(*word) ^ repeat(b'\\'));
        if hits != 0 {
            return copied + hits.trailing_zeros() as usize / 8;
        }
        copied += 8;
    }
    let rest = from.get(copied..).unwrap_or_default();
    let length = memchr(b'\\', rest).unwrap_or(rest.len());
    if let (Some(rest), Some(room)) = (rest.get(..length), to.get_mut(copied..copied + length)) {
        room.copy_from_slice(rest);
    }
    copied + length
}

const fn repeat(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// The high bit of every zero byte. Bits above the lowest zero byte may be wrong, which is the one that is asked for.
const fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(repeat(1)) & !word & repeat(0x80)
}

#[cfg(test)]
mod tests {
    use super::{Stop, string_end};

    #[test]
    fn strings_end_at_their_quote() {
        for (bytes, expected) in [
            (r#"ab\"c" d"#, Stop::Quote(5, true)),
            (r#"0123456789012345678901234567890123456789\\" d"#, Stop::Quote(42, true)),
            ("ab\" d", Stop::Quote(2, false)),
            ("ab\nc\"", Stop::Newline(2)),
            ("ab\\\nc\"", Stop::Newline(3)),
            ("ab\\", Stop::Nothing(2)),
            ("ab", Stop::Nothing(2)),
        ] {
            assert_eq!(string_end(bytes.as_bytes()), expected, "{bytes}");
        }
    }
}
