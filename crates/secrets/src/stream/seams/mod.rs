//! What is private and comes in pieces, from one record to the next: deltas of a model's answer, chunks of an output.
//!
//! This stands before the walk, which looks at each text for itself. Bytes are handed on as they come, until a record
//! says that it carries a piece; its line waits until enough of the text is known to decide about it. Where a log is
//! rewritten, what crosses from one piece into the next is taken out on the way; where it is only searched, its bytes stay
//! as they are. What lies within one piece is left to the walk.
//!
//! What is decided depends on the bytes alone, not on how they arrive, and what waits is bounded: a stream that gets no
//! piece for a while has ended.

mod ordered;
mod piece;
mod stream;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind, Read};

use memchr::{memchr, memchr_iter, memrchr};

use super::Detector;
use super::leaf::Known;
use super::settle::without;
use super::text::{Spot, Writing, code_points, decode, locate};
use ordered::PendingFinding;
pub(super) use ordered::{Ordered, Queue};
use piece::Piece;
use stream::{Cut, Held, Stream};

/// What is read at once, and at first: most logs are short.
const STEP: usize = 256 << 10;
const FIRST_STEP: usize = 32 << 10;
/// Bytes of a log in which a stream gets no piece: it has ended.
const IDLE: u64 = 256 << 10;
/// Bytes that wait. With more, everything is decided as it is.
const MOST_WAITING: u64 = 8 << 20;
/// Streams that are put together at a time.
const MOST_STREAMS: usize = 32;

/// A log whose pieces are looked at together.
pub(super) struct Seams<'r> {
    reader: &'r mut dyn Read,
    detector: &'r dyn Detector,
    /// What is found is taken out.
    is_rewriting: bool,
    queue: &'r Queue,
    /// Room for bytes of the log from `base` on, of which the first ones are filled.
    bytes: Vec<u8>,
    filled: usize,
    base: u64,
    /// Everything before this was handed on.
    given: u64,
    /// The beginning of a line: everything before it was looked at.
    scanned: u64,
    /// Its number.
    line: u64,
    /// It begins within a line that is too long to be a record.
    is_inside: bool,
    is_end: bool,
    streams: BTreeMap<String, Stream>,
    /// Offset → where it ends, and what stands there instead.
    cuts: BTreeMap<u64, (u64, String)>,
    /// What is handed on before anything else.
    ahead: VecDeque<u8>,
}

impl<'r> Seams<'r> {
    pub(super) fn new(
        reader: &'r mut dyn Read,
        detector: &'r dyn Detector,
        is_rewriting: bool,
        queue: &'r Queue,
    ) -> Self {
        Self {
            reader,
            detector,
            is_rewriting,
            queue,
            bytes: Vec::new(),
            filled: 0,
            base: 0,
            given: 0,
            scanned: 0,
            line: 1,
            is_inside: false,
            is_end: false,
            streams: BTreeMap::new(),
            cuts: BTreeMap::new(),
            ahead: VecDeque::new(),
        }
    }

    fn from(&self, at: u64) -> &[u8] {
        usize::try_from(at - self.base).ok().and_then(|at| self.bytes.get(at..self.filled)).unwrap_or_default()
    }

    fn slice(&self, from: u64, to: u64) -> &[u8] {
        let length = usize::try_from(to - from).unwrap_or(usize::MAX);
        self.from(from).get(..length).unwrap_or_default()
    }

    fn end(&self) -> u64 {
        self.base + self.filled as u64
    }

    /// Hands on what is decided; 0: there is nothing yet.
    fn give(&mut self, room: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.ahead.is_empty() {
                return self.ahead.read(room);
            }
            let waiting = self.streams.values().filter_map(Stream::waits).min();
            let ready = waiting.unwrap_or(self.scanned).min(self.scanned);
            let next = self.cuts.first_key_value().map(|(at, _)| *at);
            if next == Some(self.given)
                && let Some((_, (to, by))) = self.cuts.pop_first()
            {
                self.given = to;
                self.ahead.extend(by.bytes());
                continue;
            }
            let ready = ready.min(next.unwrap_or(ready));
            let count = self.slice(self.given, ready.max(self.given)).read(room)?;
            self.given += count as u64;
            self.queue.given.set(self.given);
            return Ok(count);
        }
    }

    /// Reads more, and looks at it.
    fn advance(&mut self) -> io::Result<()> {
        let kept = self.given.min(self.scanned);
        let done = usize::try_from(kept - self.base).map_or(self.filled, |done| done.min(self.filled));
        self.bytes.copy_within(done..self.filled, 0);
        (self.base, self.filled) = (kept, self.filled - done);
        let step = usize::try_from(self.end()).map_or(STEP, |read| read.clamp(FIRST_STEP, STEP));
        if self.bytes.len() < self.filled + step {
            self.bytes.resize(self.filled + step, 0);
        }
        let count = loop {
            match self.reader.read(self.bytes.get_mut(self.filled..).unwrap_or_default()) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                count => break count?,
            }
        };
        self.filled += count;
        self.is_end = count == 0;
        self.scan();
        Ok(())
    }

    fn scan(&mut self) {
        while self.scanned < self.end() {
            if self.is_inside {
                let Some(at) = memchr(b'\n', self.from(self.scanned)) else {
                    self.scanned = self.end();
                    break;
                };
                self.pass(at + 1);
                self.is_inside = false;
                continue;
            }
            let rest = self.from(self.scanned);
            let before = rest.get(..piece::sign(rest).unwrap_or(rest.len())).unwrap_or_default();
            if let Some(at) = memrchr(b'\n', before) {
                self.pass(at + 1);
                continue;
            }
            match memchr(b'\n', rest) {
                Some(at) => self.record(at, at + 1),
                None if rest.len() > piece::LONGEST => self.is_inside = true,
                None if self.is_end => self.record(rest.len(), rest.len()),
                None => break,
            }
        }
        let over = self.scanned.saturating_sub(IDLE);
        let ended: Vec<String> = self
            .streams
            .iter()
            .filter(|(_, stream)| self.is_end || stream.last < over)
            .map(|(key, _)| key.clone())
            .collect();
        for key in ended {
            self.close(&key);
        }
    }

    /// Nothing of these bytes is a piece.
    fn pass(&mut self, length: usize) {
        let to = self.scanned + length as u64;
        self.line += memchr_iter(b'\n', self.slice(self.scanned, to)).count() as u64;
        self.scanned = to;
    }

    /// One line, of which `length` bytes are its record.
    fn record(&mut self, length: usize, taken: usize) {
        let line = self.from(self.scanned).get(..length).unwrap_or_default();
        let (indent, is_plain) = beginning(line);
        let pieces = piece::all(line.get(indent..).unwrap_or_default());
        for piece in pieces {
            self.add(piece, indent as u64, is_plain);
        }
        self.pass(taken);
    }

    fn add(&mut self, Piece { stream, pointer, raw, may_be_encoded }: Piece, indent: u64, is_plain: bool) {
        let start = self.scanned + indent;
        let raw = start + raw.start as u64..start + raw.end as u64;
        // Whether a stream has ended does not depend on when somebody looked.
        if self.streams.get(&stream).is_some_and(|known| known.last + IDLE < self.scanned) {
            self.close(&stream);
        }
        if self.streams.len() >= MOST_STREAMS && !self.streams.contains_key(&stream) {
            let oldest = self.streams.iter().min_by_key(|(_, stream)| stream.last).map(|(key, _)| key.clone());
            self.close(&oldest.unwrap_or_default());
        }
        let mut scratch = Vec::new();
        let written = decode(self.slice(raw.start, raw.end), Writing::Json, &mut scratch);
        let decoded = if may_be_encoded { unpacked(&written) } else { None };
        let is_encoded = decoded.is_some();
        let text = decoded.map_or(written, Cow::Owned).into_owned();
        let pointer = Some(pointer).filter(|_| !is_plain);
        let held =
            Held { line_start: self.scanned, raw, line: self.line, pointer, is_encoded, text: 0..0, repeated: 0 };
        let stream_of = self.streams.entry(stream.clone()).or_default();
        stream_of.add(&text, held);
        if stream_of.is_full() {
            self.decide(&stream, false);
        }
        let waiting = self.streams.values().filter_map(Stream::waits).min();
        if waiting.is_some_and(|start| start + MOST_WAITING < self.scanned) {
            for key in self.streams.keys().cloned().collect::<Vec<_>>() {
                self.close(&key);
            }
        }
    }

    fn close(&mut self, key: &str) {
        self.decide(key, true);
        self.streams.remove(key);
    }

    fn decide(&mut self, key: &str, all: bool) {
        let Some(mut stream) = self.streams.remove(key) else { return };
        let mut cuts = Vec::new();
        stream.decide(self.detector, all, &mut |cut| cuts.push(self.cut(&cut)));
        for (from, to, by, told) in cuts {
            self.queue.told.borrow_mut().insert(from, told);
            if self.is_rewriting {
                self.cuts.insert(from, (to, by));
            }
        }
        self.streams.insert(key.to_owned(), stream);
    }

    /// Which bytes go, what stands there instead, and what is told of it.
    fn cut(&self, cut: &Cut<'_>) -> (u64, u64, String, PendingFinding) {
        let Cut { piece, text, hit, whole, continues } = cut;
        let raw = self.slice(piece.raw.start, piece.raw.end);
        let spots = locate(raw, Writing::Json, [text.start, text.end]);
        let (from, to) = match spots.as_slice() {
            [from, to] if !piece.is_encoded => (*from, *to),
            _ => (Spot { raw: 0, code_points: 0 }, Spot { raw: raw.len(), code_points: code_points(raw) }),
        };
        let (pointer, start, end) = if let Some(pointer) = &piece.pointer {
            let shown = without(self.detector, pointer, &|text| self.detector.private(text));
            (shown.unwrap_or_else(|| pointer.clone()), from.code_points, to.code_points)
        } else {
            let before = code_points(self.slice(piece.line_start, piece.raw.start));
            let column = |to: usize| before + code_points(raw.get(..to).unwrap_or_default());
            (String::new(), column(from.raw), column(to.raw))
        };
        let known = Known::new(self.detector, (*hit).clone(), whole, Writing::Json);
        let by = if *continues { String::new() } else { known.by.clone() };
        let told = PendingFinding { line: piece.line, pointer, start, end, known };
        (piece.raw.start + from.raw as u64, piece.raw.start + to.raw as u64, by, told)
    }
}

impl Read for Seams<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.give(room)?;
            if count > 0 || room.is_empty() || self.is_end {
                return Ok(count);
            }
            self.advance()?;
        }
    }
}

/// Where the document of a line begins, and whether the line is none itself: events of servers have a name before it.
fn beginning(line: &[u8]) -> (usize, bool) {
    let inside = line.trim_ascii_start();
    let document = inside.strip_prefix(b"data:").map_or(inside, <[u8]>::trim_ascii_start);
    (line.len() - document.len(), document.len() != inside.len())
}

/// The text that base64 stands for. Its first and last letter may be cut.
fn unpacked(text: &str) -> Option<String> {
    let bytes = crate::base64::decode(text)?;
    let cut = bytes.iter().take(3).take_while(|byte| matches!(byte, 0x80..=0xbf)).count();
    let inside = bytes.get(cut..)?;
    match std::str::from_utf8(inside) {
        Ok(text) => Some(text.to_owned()),
        Err(error) if error.error_len().is_none() => {
            inside.get(..error.valid_up_to()).and_then(|whole| String::from_utf8(whole.to_vec()).ok())
        }
        Err(_) => None,
    }
}
