//! The hash by which code scanning recognises a line, so that its upload step has nothing to correct.
//!
//! Line ends become LF, blanks and tabs vanish, one unit 0xFFFF closes the text. A line's hash covers the 100 UTF-16
//! units from its start, past line ends, padded with zeros: `h = h·37 + unit` in 64 bits. The same hash again in the
//! same file gets the next number.

use std::collections::BTreeMap;
use std::collections::VecDeque;

const WINDOW: usize = 100;
const FACTOR: u64 = 37;
const END_OF_TEXT: u16 = 0xFFFF;

/// The hashes of all lines of a file.
pub(super) struct LineHashes(Vec<(u64, u32)>);

impl LineHashes {
    /// Of a text that is not UTF-8: none.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let text = std::str::from_utf8(bytes).ok();
        let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
        let mut starts = text.map(|text| Starts::new(units(text)));
        let next = || starts.as_mut().and_then(Starts::next_line);
        let numbered = std::iter::from_fn(next).map(|hash| {
            let count = counts.entry(hash).or_default();
            *count += 1;
            (hash, *count)
        });
        Self(numbered.collect())
    }

    /// `hash:count` of 1-based `line`, if there is one.
    pub(super) fn of(&self, line: u32) -> Option<String> {
        let (hash, count) = self.0.get(usize::try_from(line).ok()?.checked_sub(1)?)?;
        Some(format!("{hash:x}:{count}"))
    }
}

fn units(text: &str) -> impl Iterator<Item = u16> {
    let mut after_return = false;
    let normal = text.encode_utf16().filter_map(move |unit| {
        let (line_feed, carriage_return) = (unit == 0x0A, unit == 0x0D);
        let second_half = line_feed && after_return;
        after_return = carriage_return;
        match unit {
            _ if second_half => None,
            0x20 | 0x09 => None,
            0x0D => Some(0x0A),
            _ => Some(unit),
        }
    });
    normal.chain(std::iter::once(END_OF_TEXT))
}

/// Slides over the units and stops at each line's start.
struct Starts<I> {
    rest: I,
    window: VecDeque<u16>,
    first: bool,
}

impl<I: Iterator<Item = u16>> Starts<I> {
    fn new(rest: I) -> Self {
        let mut starts = Self { rest, window: VecDeque::with_capacity(WINDOW), first: true };
        while starts.window.len() < WINDOW && starts.fill() {}
        starts
    }

    fn fill(&mut self) -> bool {
        self.rest.next().is_some_and(|unit| {
            self.window.push_back(unit);
            true
        })
    }

    /// The hash of the next line; `None` after the last.
    fn next_line(&mut self) -> Option<u64> {
        if !std::mem::take(&mut self.first) {
            loop {
                let unit = self.window.pop_front()?;
                self.fill();
                if unit == 0x0A {
                    break;
                }
            }
        }
        if self.window.is_empty() {
            return None;
        }
        let padded = self.window.iter().copied().chain(std::iter::repeat(0)).take(WINDOW);
        Some(padded.fold(0_u64, |hash, unit| hash.wrapping_mul(FACTOR).wrapping_add(u64::from(unit))))
    }
}

#[cfg(test)]
mod tests {
    use super::LineHashes;

    fn line_hash(bytes: &[u8], line: u32) -> Option<String> {
        LineHashes::new(bytes).of(line)
    }

    #[test]
    fn hashes_are_the_ones_code_scanning_computes() {
        let long = [["x".repeat(150), "x".repeat(150), "x".repeat(150)].join("\n")];
        for (text, line, expected) in [
            ("a\nb\n", 1, "81b8d8db678b2bbe:1"),
            ("a\nb\n", 2, "ade70578248be16f:1"),
            ("a\nb\n", 3, "c129715d7a2bc9a3:1"),
            ("a\r\n b\r", 2, "ade70578248be16f:1"),
            ("a", 1, "53b5d4aabe50d64:1"),
            ("", 1, "c129715d7a2bc9a3:1"),
            (long[0].as_str(), 1, "52b56201ffb58620:1"),
            (long[0].as_str(), 2, "52b56201ffb58620:2"),
        ] {
            assert_eq!(line_hash(text.as_bytes(), line).as_deref(), Some(expected), "{text:?} line {line}");
        }
        assert_eq!(line_hash(b"a\n", 4), None);
        assert_eq!(line_hash(b"a\n", 0), None);
        assert_eq!(line_hash(b"\xff", 1), None);
    }
}
