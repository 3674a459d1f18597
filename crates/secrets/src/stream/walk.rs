//! From the first byte of a log to the last one: which bytes are a leaf, and which are plain text.

use std::io::{self, Read};

use memchr::{memchr, memrchr};

use super::embedded;
use super::grammar::{Grammar, Role, is_number, is_scalar};
use super::input::Input;
use super::leaf::{Judge, Leaf, WINDOW};
use super::path::Path;
use super::scan::{Stop, string_end};
use super::settle::Clean;
use super::text::Writing;
use super::{Detector, Sink};

/// Bytes before a damaged place of a document that are looked at once more, as plain text.
const BEHIND: u64 = 64 << 10;
/// A longer line is not looked at before its turn.
const LOOK_AHEAD: u64 = 256 << 10;
/// Blanks before a document on its line.
const LONGEST_INDENT: u64 = 4 << 10;
/// What has more digits is no number.
const LONGEST_SCALAR: usize = 4 << 10;

pub(super) struct Walk<'w> {
    pub(super) input: Input<'w>,
    pub(super) sink: &'w mut dyn Sink,
    pub(super) judge: Judge<'w>,
    pub(super) path: Path,
    grammar: Grammar,
    /// Everything before this has been looked at.
    pub(super) at: u64,
    /// Everything before this is in its final form, and has left.
    pub(super) written: u64,
    /// What may be looked at again begins here: it stays in memory.
    pub(super) held: u64,
}

/// How a piece of a document ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Whole,
    /// From here on it is no JSON.
    Broken,
    /// A string broke off where its line ends. It has been looked at.
    CutOff,
}

/// What follows the documents of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    NextLine,
    /// From what is held on.
    PlainText,
}

impl<'w> Walk<'w> {
    pub(super) fn new(reader: &'w mut dyn Read, detector: &'w dyn Detector, sink: &'w mut dyn Sink) -> Self {
        Self {
            input: Input::new(reader),
            sink,
            judge: Judge { detector, clean: Clean::new(), scratch: Vec::new() },
            path: Path::default(),
            grammar: Grammar::new(),
            at: 0,
            written: 0,
            held: 0,
        }
    }

    pub(super) fn run(mut self) -> io::Result<()> {
        self.skip_byte_order_mark()?;
        let mut plain: Option<Leaf> = None;
        while let Some(is_document) = self.begins_document()? {
            if is_document {
                self.close(plain.take())?;
                self.held = self.at;
                if self.documents()? == Rest::NextLine {
                    continue;
                }
            } else if plain.is_none() {
                self.held = self.at;
            }
            let start = self.held;
            self.plain_line(plain.get_or_insert_with(|| Leaf::new(start, Writing::Plain)))?;
        }
        self.close(plain)?;
        self.keep(self.input.end())
    }

    fn skip_byte_order_mark(&mut self) -> io::Result<()> {
        while self.input.end() < 3 && self.more()? {}
        if self.input.ahead(0).starts_with(b"\xef\xbb\xbf") {
            self.at = 3;
            self.input.start_lines_at(3);
        }
        Ok(())
    }

    /// At the start of a line: whether it begins as a document does; `None` at the end.
    fn begins_document(&mut self) -> io::Result<Option<bool>> {
        let mut ahead = self.at;
        while ahead - self.at < LONGEST_INDENT && matches!(self.byte_at(ahead)?, Some(b' ' | b'\t')) {
            ahead += 1;
        }
        Ok(self.byte_at(ahead)?.map(|byte| matches!(byte, b'{' | b'[')))
    }

    /// A line of plain text, to its end.
    fn plain_line(&mut self, leaf: &mut Leaf) -> io::Result<()> {
        loop {
            let limit = leaf.from + WINDOW;
            let bytes = self.input.slice(self.at, limit);
            if let Some(at) = memchr(b'\n', bytes) {
                self.at += at as u64 + 1;
                return Ok(());
            }
            self.at += bytes.len() as u64;
            if self.at >= limit {
                self.plain_text(leaf, self.at, false)?;
            } else if !self.more()? {
                return Ok(());
            }
        }
    }

    fn close(&mut self, plain: Option<Leaf>) -> io::Result<()> {
        match plain {
            Some(mut leaf) => self.plain_text(&mut leaf, self.at, true),
            None => Ok(()),
        }
    }

    /// Documents one behind the other, to the end of the line that the last one ends on.
    fn documents(&mut self) -> io::Result<Rest> {
        loop {
            match self.document()? {
                End::Whole => self.held = self.at,
                End::Broken => return Ok(self.broken()),
                End::CutOff => return self.next_line(),
            }
            while matches!(self.byte()?, Some(b' ' | b'\t' | b'\r')) {
                self.at += 1;
            }
            match self.byte()? {
                None | Some(b'\n') => return self.next_line(),
                Some(b'{' | b'[') => {}
                Some(_) => return Ok(Rest::PlainText),
            }
        }
    }

    fn next_line(&mut self) -> io::Result<Rest> {
        if self.byte()?.is_some() {
            self.at += 1;
        }
        Ok(Rest::NextLine)
    }

    /// What is left of a line that a document breaks on is plain text. A line that only begins here is read anew.
    fn broken(&mut self) -> Rest {
        self.held = self.held.max(self.at.saturating_sub(BEHIND));
        let behind = self.input.slice(self.held, self.at);
        let Some(newline) = memrchr(b'\n', behind) else { return Rest::PlainText };
        let is_new = behind.get(newline..).unwrap_or_default().iter().all(u8::is_ascii_whitespace);
        self.held += newline as u64 + 1;
        if is_new {
            self.at = self.held;
        }
        if is_new { Rest::NextLine } else { Rest::PlainText }
    }

    fn document(&mut self) -> io::Result<End> {
        self.grammar.restart();
        self.path.restart();
        while let Some(byte) = self.byte()? {
            let end = match byte {
                b'\n' => {
                    self.at += 1;
                    if self.is_next_record()? { End::Broken } else { End::Whole }
                }
                b' ' | b'\t' | b'\r' => {
                    self.at += 1;
                    End::Whole
                }
                b'"' => match self.grammar.string() {
                    Some(role) => self.string(role)?,
                    None => End::Broken,
                },
                b'{' | b'}' | b'[' | b']' | b',' | b':' => {
                    let Some(punctuation) = self.grammar.punctuation(byte) else { return Ok(End::Broken) };
                    self.path.step(punctuation);
                    self.at += 1;
                    End::Whole
                }
                byte if is_scalar(byte) => self.scalar()?,
                _ => End::Broken,
            };
            if end != End::Whole || self.grammar.is_done() {
                return Ok(end);
            }
        }
        Ok(End::Whole)
    }

    fn string(&mut self, role: Role) -> io::Result<End> {
        let start = self.at + 1;
        self.held = start;
        let bytes = self.input.slice(start, start + WINDOW);
        if let Stop::Quote(at, has_escapes) = string_end(bytes) {
            let end = start + at as u64;
            let is_known = !has_escapes && self.is_known(role, start, end);
            if !is_known {
                self.string_part(&mut Leaf::new(start, Writing::Json), end, role, true)?;
            }
            self.at = end + 1;
            if role == Role::Key && self.input.get(self.at) == Some(b':') {
                self.at += u64::from(self.grammar.punctuation(b':').is_some());
            }
            self.held = self.at;
            return Ok(End::Whole);
        }
        self.long_string(role)
    }

    /// A string that is not in memory yet, that no window holds, or that breaks off.
    fn long_string(&mut self, role: Role) -> io::Result<End> {
        let mut leaf = Leaf::new(self.at + 1, Writing::Json);
        let mut scan = leaf.from;
        let end = loop {
            let limit = leaf.from + WINDOW;
            let bytes = self.input.slice(scan, limit);
            match string_end(bytes) {
                Stop::Quote(at, _) => {
                    scan += at as u64;
                    break End::Whole;
                }
                Stop::Newline(at) => {
                    scan += at as u64;
                    break End::CutOff;
                }
                Stop::Nothing(at) => {
                    let is_cut_escape = at < bytes.len();
                    scan += at as u64;
                    if scan + u64::from(is_cut_escape) >= limit {
                        self.string_part(&mut leaf, scan, role, false)?;
                    } else if !self.more()? {
                        scan = self.input.end();
                        break End::CutOff;
                    }
                }
            }
        };
        self.at = if end == End::Whole {
            self.string_part(&mut leaf, scan, role, true)?;
            scan + 1
        } else {
            self.cut_string(&mut leaf, scan, role)?;
            scan
        };
        self.held = self.at;
        Ok(end)
    }

    fn scalar(&mut self) -> io::Result<End> {
        let length = loop {
            let ahead = self.input.ahead(self.at);
            match ahead.iter().position(|byte| !is_scalar(*byte)) {
                Some(length) => break length,
                None if ahead.len() > LONGEST_SCALAR => break ahead.len(),
                None => {
                    let length = ahead.len();
                    if !self.more()? {
                        break length;
                    }
                }
            }
        };
        let end = self.at + length as u64;
        let is_number = if length > LONGEST_SCALAR { None } else { is_number(self.input.slice(self.at, end)) };
        match (is_number, self.grammar.scalar()) {
            (Some(is_number), Some(())) => {
                if is_number {
                    self.number(end)?;
                }
                self.at = end;
                Ok(End::Whole)
            }
            _ => Ok(End::Broken),
        }
    }

    /// The next byte of a document.
    #[inline]
    fn byte(&mut self) -> io::Result<Option<u8>> {
        let byte = self.input.get(self.at);
        if byte.is_some() { Ok(byte) } else { self.byte_of_more() }
    }

    #[cold]
    fn byte_of_more(&mut self) -> io::Result<Option<u8>> {
        self.held = self.held.max(self.at.saturating_sub(BEHIND));
        self.byte_at(self.at)
    }

    fn byte_at(&mut self, at: u64) -> io::Result<Option<u8>> {
        loop {
            let byte = self.input.get(at);
            if byte.is_some() || !self.more()? {
                return Ok(byte);
            }
        }
    }

    /// Reads more; `false` at the end.
    fn more(&mut self) -> io::Result<bool> {
        if self.input.is_full() {
            self.keep(self.held)?;
            self.input.forget(self.held);
        }
        self.input.read()
    }

    /// A writer that was stopped leaves half a record, and the next one starts on a line of its own: `{"a":` and then
    /// `{"b":1}`. By the grammar it would be a value of the first one. It is not when it is a whole record and what
    /// follows it does not go on with the first one.
    fn is_next_record(&mut self) -> io::Result<bool> {
        if self.grammar.is_done() || !matches!(self.byte()?, Some(b'{' | b'[')) {
            return Ok(false);
        }
        self.held = self.held.max(self.at.saturating_sub(BEHIND));
        let limit = self.at + LOOK_AHEAD;
        while self.input.end() < limit && self.more()? {}
        Ok(embedded::is_record_of_its_own(self.input.slice(self.at, limit), self.input.end() < limit))
    }
}
