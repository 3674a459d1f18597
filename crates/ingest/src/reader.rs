//! Cuts a log into records: one a line, several glued on one line, or elements of one document.

use memchr::{memchr, memchr_iter};
use serde::de::IgnoredAny;
use serde_json::error::Category;

use super::gaps::Gaps;
use super::json::{Raw, Record};
use super::scan::Scanner;
use agent_strace_model::GapKind;

/// A larger record is not read: no real one comes near, and everything about a record is held in memory at once.
pub(super) const MAX_RECORD: usize = 64 << 20;

/// How the records are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// JSON Lines: damage never spreads beyond its line.
    Lines,
    /// One or more values that span lines, or an array of records.
    Document,
}

/// One record and where it starts.
#[derive(Debug)]
pub(super) struct Item<'a, T> {
    /// 1-based.
    pub(super) line: u32,
    /// The record's own JSON.
    pub(super) json: &'a str,
    pub(super) record: T,
}

/// Reads records one after another; what it can't read it puts into `gaps`.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    shape: Shape,
    /// What is left of the log after `current`.
    rest: &'a str,
    /// What is left of the current line (lines) or of everything (document).
    current: &'a str,
    line: u32,
    /// Arrays opened and not yet closed around records.
    open: u32,
    max_record: usize,
}

impl Shape {
    /// Lines, unless the first record goes on after its line.
    pub(super) fn of(text: &str) -> Self {
        let text = text.trim_start();
        if text.starts_with('[') {
            return Self::Document;
        }
        let Some((first, rest)) = text.split_once('\n') else { return Self::Lines };
        let cut = matches!(serde_json::from_str::<IgnoredAny>(first), Err(error) if error.is_eof());
        let whole = || serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>().next();
        if cut && !rest.trim_start().is_empty() && matches!(whole(), Some(Ok(_))) {
            Self::Document
        } else {
            Self::Lines
        }
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, shape: Shape) -> Self {
        match shape {
            Shape::Lines => Self { shape, rest: text, current: "", line: 0, open: 0, max_record: MAX_RECORD },
            // White space at the end would look like a line break inside a cut string.
            Shape::Document => {
                Self { shape, rest: "", current: text.trim_end(), line: 1, open: 0, max_record: MAX_RECORD }
            }
        }
    }

    /// Records inside a value that was cut out of a log: `line` is the one the value starts on.
    pub(super) fn nested(json: &'a str, line: u32) -> Self {
        Self { shape: Shape::Document, rest: "", current: json, line, open: 0, max_record: MAX_RECORD }
    }

    /// The records that a field of a record holds: `json` is the record, `line` the one it starts on.
    pub(super) fn of_field(json: &'a str, line: u32, field: Raw<'a>) -> Self {
        let start = LineCounter::new(json, line).line_of(field.get());
        Self::nested(field.get(), start)
    }

    /// With a limit that a test can reach.
    #[cfg(test)]
    pub(super) fn limited(mut self, max_record: usize) -> Self {
        self.max_record = max_record;
        self
    }

    /// The next record that can be read.
    pub(super) fn next<T: Record<'a>>(&mut self, gaps: &mut Gaps) -> Option<Item<'a, T>> {
        loop {
            self.skip_separators();
            if self.current.is_empty() {
                if !self.next_line() {
                    self.close(gaps);
                    return None;
                }
                continue;
            }
            if let Some(item) = self.read(gaps) {
                gaps.count_record();
                return Some(item);
            }
        }
    }

    fn read<T: Record<'a>>(&mut self, gaps: &mut Gaps) -> Option<Item<'a, T>> {
        let line = self.line;
        let mut scanner = match self.shape {
            Shape::Lines => Scanner::of_value(self.current),
            Shape::Document => Scanner::of_document(self.current),
        };
        let mut item = Item { line, json: "", record: T::default() };
        if scanner.record(&mut item.record).is_none() {
            self.skip_unread(gaps);
            return None;
        }
        item.json = self.take(scanner.position());
        if item.json.len() > self.max_record {
            gaps.push(Some(line), GapKind::limit(too_large()));
            return None;
        }
        Some(item)
    }

    /// Steps over a value that could not be read as a record.
    fn skip_unread(&mut self, gaps: &mut Gaps) {
        let line = self.line;
        let mut values = serde_json::Deserializer::from_str(self.current).into_iter::<IgnoredAny>();
        let error = match values.next() {
            Some(Err(error)) => error,
            read => {
                // Without a value nothing but white space is left.
                let length = if read.is_some() { values.byte_offset() } else { self.current.len() };
                self.take(length);
                gaps.malformed(line, "a record that is not a readable object");
                return;
            }
        };
        let last = self.rest.trim_start_matches([' ', '\t', '\r', '\n']).is_empty();
        let reason = match error.classify() {
            Category::Eof if last => {
                gaps.truncate(line);
                self.open = 0;
                self.current = "";
                return;
            }
            Category::Eof => "a record is cut off: its line ends inside it".to_owned(),
            _ if self.shape == Shape::Document => {
                "not JSON from here on: only what is whole behind it is read".to_owned()
            }
            _ => format!("not JSON: what starts at column {} can't be read", error.column()),
        };
        gaps.damage(line, reason);
        // Already reported, so that a document does not also count as unclosed.
        self.open = 0;
        self.current = "";
    }

    /// Takes `length` bytes off the current text and counts the lines in them.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.current.split_at_checked(length).unwrap_or((self.current, ""));
        self.current = rest;
        if self.shape == Shape::Document {
            self.count_lines(taken);
        }
        taken
    }

    fn count_lines(&mut self, text: &str) {
        let lines = memchr_iter(b'\n', text.as_bytes()).count();
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
    }

    /// White space and commas between glued records; brackets around the records of a document.
    fn skip_separators(&mut self) {
        let document = self.shape == Shape::Document;
        let mut opened = self.open;
        let rest = self.current.trim_start_matches(|character| match character {
            ' ' | '\t' | '\r' | '\n' | ',' => true,
            '[' if document => {
                opened = opened.saturating_add(1);
                true
            }
            ']' if document && opened > 0 => {
                opened -= 1;
                true
            }
            _ => false,
        });
        self.open = opened;
        let skipped = self.current.len() - rest.len();
        self.take(skipped);
    }

    fn next_line(&mut self) -> bool {
        if self.rest.is_empty() {
            return false;
        }
        let end = memchr(b'\n', self.rest.as_bytes()).map_or(self.rest.len(), |at| at + 1);
        let (line, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        // A line break inside a cut string would look like a wrong character.
        (self.current, self.rest) = (line.trim_end_matches(['\n', '\r']), rest);
        self.line = self.line.saturating_add(1);
        true
    }

    fn close(&mut self, gaps: &mut Gaps) {
        if self.open > 0 {
            gaps.truncate(self.line);
            self.open = 0;
        }
    }
}

fn too_large() -> String {
    format!("a record larger than {} MiB is not read", MAX_RECORD >> 20)
}

/// Line numbers of places inside a document, asked for in ascending order.
#[derive(Debug)]
pub(super) struct LineCounter<'a> {
    json: &'a str,
    counted: usize,
    line: u32,
}

impl<'a> LineCounter<'a> {
    /// `line` is the one `json` starts on.
    pub(super) fn new(json: &'a str, line: u32) -> Self {
        Self { json, counted: 0, line }
    }

    /// The line on which `part`, a slice of this document, starts.
    pub(super) fn line_of(&mut self, part: &str) -> u32 {
        let offset = part.as_ptr().addr().wrapping_sub(self.json.as_ptr().addr());
        if let Some(between) = self.json.as_bytes().get(self.counted..offset) {
            let lines = memchr_iter(b'\n', between).count();
            self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
            self.counted = offset;
        }
        self.line
    }
}
