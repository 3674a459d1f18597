//! A stream of bytes as a window that moves, with lines counted.

use std::io::{self, ErrorKind, Read};

use memchr::{memchr_iter, memrchr};

use super::text::code_points;

/// What is read at once.
const STEP: usize = 256 << 10;
/// What a log gets at first: most are short.
const LEAST: usize = 32 << 10;
/// Bytes in memory at most: everything that looks back or ahead fits in, several times.
const SIZE: usize = 3 << 20;
/// What was read so many bytes ago is not in memory any more.
pub(super) const FORGOTTEN: u64 = 2 * SIZE as u64;

/// Bytes are called by their offset in the stream.
pub(super) struct Input<'r> {
    reader: &'r mut dyn Read,
    /// Room for at most [`SIZE`] bytes, of which the first ones are filled.
    bytes: Vec<u8>,
    filled: usize,
    /// Offset of the first byte that is in memory.
    base: u64,
    ended: bool,
    lines: Lines,
}

/// A place in lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Location {
    /// From 1.
    pub(super) line: u64,
    /// Code points of the line before it.
    pub(super) column: u64,
}

struct Lines {
    at: u64,
    location: Location,
}

impl Lines {
    fn advance(&mut self, bytes: &[u8]) {
        super::count(bytes.len());
        match memrchr(b'\n', bytes) {
            None => self.location.column += code_points(bytes),
            Some(last) => {
                self.location.line += memchr_iter(b'\n', bytes).count() as u64;
                self.location.column = code_points(bytes.get(last + 1..).unwrap_or_default());
            }
        }
        self.at += bytes.len() as u64;
    }
}

impl<'r> Input<'r> {
    pub(super) fn new(reader: &'r mut dyn Read) -> Self {
        let lines = Lines { at: 0, location: Location { line: 1, column: 0 } };
        Self { reader, bytes: Vec::new(), filled: 0, base: 0, ended: false, lines }
    }

    /// Columns are counted from here on.
    pub(super) fn start_lines_at(&mut self, at: u64) {
        self.lines.at = at;
    }

    /// Where what is in memory ends.
    pub(super) fn end(&self) -> u64 {
        self.base + self.filled as u64
    }

    pub(super) fn is_full(&self) -> bool {
        self.filled + STEP > SIZE
    }

    #[inline]
    fn index(&self, at: u64) -> usize {
        usize::try_from(at.saturating_sub(self.base)).unwrap_or(usize::MAX)
    }

    #[inline]
    fn loaded(&self) -> &[u8] {
        self.bytes.get(..self.filled).unwrap_or_default()
    }

    #[inline]
    pub(super) fn get(&self, at: u64) -> Option<u8> {
        super::count(1);
        self.loaded().get(self.index(at)).copied()
    }

    /// Bytes in memory of this range.
    pub(super) fn slice(&self, from: u64, to: u64) -> &[u8] {
        let (from, to) = (self.index(from), self.index(to).min(self.filled));
        self.bytes.get(from..to).unwrap_or_default()
    }

    /// All bytes in memory from here on.
    #[inline]
    pub(super) fn ahead(&self, from: u64) -> &[u8] {
        self.loaded().get(self.index(from)..).unwrap_or_default()
    }

    /// Forgets what lies before `from`.
    pub(super) fn forget(&mut self, from: u64) {
        if self.lines.at < from {
            let (at, to) = (self.index(self.lines.at), self.index(from));
            self.lines.advance(self.bytes.get(at..to).unwrap_or_default());
        }
        let gone = self.index(from).min(self.filled);
        super::count(self.filled - gone);
        self.bytes.copy_within(gone..self.filled, 0);
        self.filled -= gone;
        self.base += gone as u64;
    }

    /// Reads more; `false` at the end. What is in memory stays, so there must be room: see [`Self::is_full`].
    pub(super) fn read(&mut self) -> io::Result<bool> {
        while !self.ended {
            if self.bytes.len() < self.filled + LEAST {
                self.bytes.resize((2 * self.bytes.len()).clamp(LEAST, SIZE), 0);
            }
            let room = self.bytes.get_mut(self.filled..).unwrap_or_default();
            let length = room.len().min(STEP);
            let room = room.get_mut(..length).unwrap_or_default();
            match self.reader.read(room) {
                Ok(0) => self.ended = true,
                Ok(length) => {
                    self.filled = (self.filled + length).min(SIZE);
                    return Ok(true);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    /// The line of a place. Places are asked for in ascending order.
    pub(super) fn location(&mut self, at: u64) -> Location {
        let (from, to) = (self.index(self.lines.at), self.index(at));
        self.lines.advance(self.bytes.get(from..to).unwrap_or_default());
        self.lines.location
    }
}
