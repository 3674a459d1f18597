//! A text and the steps that grammars take through it.

use std::ops::Range;

use crate::hit::{Confidence, Hit};

/// A text to look through. Positions outside it read as 0, so that no step can fail.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) whole: &'a str,
    pub(super) bytes: &'a [u8],
}

impl<'a> Text<'a> {
    pub(super) fn new(name: Option<&'a str>, text: &'a str) -> Self {
        Self { name, whole: text, bytes: text.as_bytes() }
    }

    pub(super) fn at(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    pub(super) fn before(&self, at: usize) -> u8 {
        at.checked_sub(1).map_or(0, |before| self.at(before))
    }

    pub(super) fn piece(&self, start: usize, end: usize) -> &'a [u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }

    pub(super) fn string(&self, start: usize, end: usize) -> &'a str {
        self.whole.get(start..end).unwrap_or_default()
    }

    pub(super) fn starts_with(&self, at: usize, what: &[u8]) -> bool {
        self.bytes.get(at..).is_some_and(|rest| rest.starts_with(what))
    }

    /// Where the run of accepted bytes around `start` ends; at most `most` bytes on.
    pub(super) fn run(&self, start: usize, most: usize, accepts: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let rest = rest.get(..most).unwrap_or(rest);
        start + rest.iter().position(|byte| !accepts(*byte)).unwrap_or(rest.len())
    }

    /// Where the run of accepted bytes that ends at `end` starts; at most `most` bytes back.
    pub(super) fn run_back(&self, end: usize, most: usize, accepts: impl Fn(u8) -> bool) -> usize {
        let head = self.bytes.get(end.saturating_sub(most)..end).unwrap_or_default();
        end - head.iter().rev().position(|byte| !accepts(*byte)).unwrap_or(head.len())
    }

    /// Whether the byte before `at` is the letter of an escape (`\n`, `\t`, …), as JSON in texts has it.
    pub(super) fn follows_escape(&self, at: usize) -> bool {
        matches!(self.before(at), b'n' | b't' | b'r' | b'f' | b'b') && at >= 2 && self.before(at - 1) == b'\\'
        // `\\n` is a backslash and a letter, `\n` in JSON in JSON; both are seen, and neither joins words.
    }

    /// Whether no word goes on to the left of `at`.
    pub(super) fn opens(&self, at: usize) -> bool {
        !is_word(self.before(at)) || self.follows_escape(at)
    }

    /// Whether no word goes on at `at`.
    pub(super) fn closes(&self, at: usize) -> bool {
        !is_word(self.at(at))
    }

    pub(super) fn hit(
        &self,
        Range { start, end }: Range<usize>,
        rule: &'static str,
        kind: &'static str,
        confidence: Confidence,
        hits: &mut Vec<Hit>,
    ) {
        if start < end && self.whole.is_char_boundary(start) && self.whole.is_char_boundary(end) {
            hits.push(Hit { start, end, rule, kind, confidence });
        }
    }
}

/// Letters, digits and everything outside ASCII.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

/// The rows of a table: lines that are neither empty nor comments.
pub(super) fn rows(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Whether a sorted table has a word.
pub(super) fn has(table: &[&str], word: &str) -> bool {
    table.binary_search(&word).is_ok()
}
