//! What becomes of a leaf: what is private in it is told and replaced.

use std::io;

use memchr::{memchr, memmem};

use super::Finding;
use super::grammar::Role;
use super::leaf::{Known, Leaf, Part};
use super::settle::{search, without};
use super::text::{Writing, append, code_points, decode};
use super::walk::Walk;
use super::{MAX_NESTING, path::LONGEST_KEY};
use crate::MARK;

/// Stands for the name of what is a key itself, where clean texts are remembered. No key is called so.
const KEY: &[u8] = b"\xff";
/// Shorter numbers are no secrets, and `0`, which takes their place, is none.
const SHORTEST_NUMBER: u64 = 4;

impl Walk<'_> {
    /// Writes what lies before `to` as it is.
    pub(super) fn keep(&mut self, to: u64) -> io::Result<()> {
        if to > self.written {
            self.sink.bytes(self.input.slice(self.written, to))?;
            self.written = to;
        }
        Ok(())
    }

    fn replace(&mut self, from: u64, to: u64, by: &str) -> io::Result<()> {
        self.keep(from)?;
        self.sink.bytes(by.as_bytes())?;
        self.written = to;
        Ok(())
    }

    /// Bytes of a string up to `to`.
    pub(super) fn string_part(&mut self, leaf: &mut Leaf, to: u64, role: Role, is_last: bool) -> io::Result<()> {
        if role == Role::Key {
            return self.key_part(leaf, to, is_last);
        }
        let raw = self.input.slice(leaf.from, to);
        let (parts, taken) = leaf.next(&mut self.judge, self.path.name(), raw, is_last);
        self.tell(leaf, &parts, false, is_last)?;
        self.step(leaf, taken);
        Ok(())
    }

    /// Whether a string without escapes was found to hold nothing before. A key becomes the current one.
    pub(super) fn is_known(&mut self, role: Role, from: u64, to: u64) -> bool {
        let raw = self.input.slice(from, to);
        match role {
            Role::Value => self.judge.clean.has(self.path.name_bytes(), raw),
            Role::Key => {
                let is_known = self.judge.clean.has(Some(KEY), raw);
                if is_known {
                    self.path.clean_key(raw);
                }
                is_known
            }
        }
    }

    fn step(&mut self, leaf: &mut Leaf, taken: usize) {
        leaf.from += taken as u64;
        self.held = leaf.from;
    }

    fn key_part(&mut self, leaf: &mut Leaf, to: u64, is_last: bool) -> io::Result<()> {
        let raw = self.input.slice(leaf.from, to);
        let is_whole = leaf.is_first() && is_last;
        let mut scratch = Vec::new();
        let text = if is_whole { decode(raw, Writing::Json, &mut scratch) } else { beginning(raw).into() };
        if is_whole && self.judge.clean.has(Some(KEY), text.as_bytes()) {
            self.path.key(&text, None);
            self.step(leaf, raw.len());
            return Ok(());
        }
        if leaf.is_first() {
            let detector = self.judge.detector;
            let shown = without(detector, &text, &|text| detector.private(text));
            self.path.key(&text, shown);
        }
        let (parts, taken) = leaf.next(&mut self.judge, None, raw, is_last);
        let mut key = None;
        if !parts.is_empty() || memmem::find(raw, MARK.as_bytes()).is_some() {
            key = Some(decode(&rewritten(raw, &parts), Writing::Json, &mut Vec::new()).into_owned());
        } else if is_whole && !self.path.is_key_private() {
            self.judge.clean.keep(Some(KEY), &text);
        }
        self.tell(leaf, &parts, true, is_last)?;
        self.step(leaf, taken);
        let number = key.filter(|_| is_last).and_then(|key| self.path.distinct(&key, !parts.is_empty()));
        if let Some(number) = number {
            self.replace(to, to, &format!("-{number}"))?;
        }
        Ok(())
    }

    /// A string that breaks off: its line is plain text, in which a string is known.
    pub(super) fn cut_string(&mut self, leaf: &mut Leaf, to: u64, role: Role) -> io::Result<()> {
        let name = if role == Role::Key { None } else { self.path.name() };
        let raw = self.input.slice(leaf.from, to);
        let (parts, taken) = leaf.next(&mut self.judge, name, raw, true);
        self.tell_lines(leaf, &parts)?;
        self.step(leaf, taken);
        Ok(())
    }

    pub(super) fn plain_text(&mut self, leaf: &mut Leaf, to: u64, is_last: bool) -> io::Result<()> {
        let raw = self.input.slice(leaf.from, to);
        let (parts, taken) = leaf.next(&mut self.judge, None, raw, is_last);
        self.tell_lines(leaf, &parts)?;
        self.step(leaf, taken);
        Ok(())
    }

    /// A number stays one.
    pub(super) fn number(&mut self, end: u64) -> io::Result<()> {
        if end - self.at < SHORTEST_NUMBER {
            return Ok(());
        }
        let mut scratch = Vec::new();
        let text = decode(self.input.slice(self.at, end), Writing::Plain, &mut scratch);
        let found = search(self.judge.detector, self.path.name(), &text, MAX_NESTING);
        let Some(found) = found.into_iter().next() else { return Ok(()) };
        let known = Known::new(self.judge.detector, found.hit, &text, Writing::Plain);
        let pointer = self.path.pointer();
        let line = self.input.location(self.at).line;
        let (start, end_of_hit) = (known.hit.start as u64, known.hit.end as u64);
        self.sink.found(&known.finding(line, &pointer, false, start, end_of_hit))?;
        self.replace(self.at, end, "0")?;
        self.held = end;
        Ok(())
    }

    fn tell(&mut self, leaf: &mut Leaf, parts: &[Part], is_key: bool, is_last: bool) -> io::Result<()> {
        // A long leaf's beginning is soon forgotten.
        if parts.is_empty() && (is_last || leaf.location.is_some()) {
            return Ok(());
        }
        let location = match leaf.location {
            Some(location) => location,
            None => *leaf.location.insert(self.input.location(leaf.from)),
        };
        let pointer = if parts.is_empty() { String::new() } else { self.path.pointer() };
        for part in parts {
            let (start, end) = (part.code_points.start, part.code_points.end);
            self.sink.found(&part.known.finding(location.line, &pointer, is_key, start, end))?;
            let by = part.mark();
            self.replace(leaf.from + part.raw.start as u64, leaf.from + part.raw.end as u64, &by)?;
        }
        Ok(())
    }

    /// One finding and one mark for every line: lines stay where they are.
    fn tell_lines(&mut self, leaf: &Leaf, parts: &[Part]) -> io::Result<()> {
        for part in parts {
            let (mut from, end) = (leaf.from + part.raw.start as u64, leaf.from + part.raw.end as u64);
            let mut by = part.mark();
            while from < end {
                let bytes = self.input.slice(from, end);
                let newline = memchr(b'\n', bytes);
                let line = bytes.get(..newline.unwrap_or(bytes.len())).unwrap_or_default();
                let line = if newline.is_some() { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
                let (length, points) = (line.len() as u64, code_points(line));
                let next = from + newline.map_or(bytes.len(), |at| at + 1) as u64;
                if length > 0 {
                    let location = self.input.location(from);
                    let (start, end) = (location.column, location.column + points);
                    self.sink.found(&part.known.finding(location.line, "", false, start, end))?;
                    self.replace(from, from + length, &by)?;
                }
                by.clone_from(&part.known.by);
                from = next;
            }
        }
        Ok(())
    }
}

impl Known {
    pub(super) fn finding<'f>(
        &'f self,
        line: u64,
        pointer: &'f str,
        is_key: bool,
        start: u64,
        end: u64,
    ) -> Finding<'f> {
        Finding { line, pointer, is_key, start, end, hit: &self.hit, fingerprint: &self.fingerprint }
    }
}

impl Part {
    fn mark(&self) -> String {
        match self {
            Self { continues: true, .. } => String::new(),
            Self { is_number: true, .. } => "0".to_owned(),
            Self { known, .. } => known.by.clone(),
        }
    }
}

fn rewritten(raw: &[u8], parts: &[Part]) -> Vec<u8> {
    let (mut result, mut at) = (Vec::new(), 0);
    for part in parts {
        result.extend_from_slice(raw.get(at..part.raw.start).unwrap_or_default());
        result.extend_from_slice(part.mark().as_bytes());
        at = part.raw.end;
    }
    result.extend_from_slice(raw.get(at..).unwrap_or_default());
    result
}

/// As much of a long key as names something.
fn beginning(raw: &[u8]) -> String {
    // The longest escape of one byte of text has six.
    let mut text = String::new();
    append(raw.get(..LONGEST_KEY * 6).unwrap_or(raw), Writing::Json, true, &mut text);
    text
}
