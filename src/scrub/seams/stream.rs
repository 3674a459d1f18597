//! The pieces of one text, put together: what of it is private and crosses from one piece into the next.

use std::ops::Range;

use crate::privacy::Hit;
use crate::scrub::Detector;
use crate::scrub::settle::settled;

/// Text that is decided together.
pub(super) const FULL: usize = 48 << 10;
/// What lies so near to the end is decided with what follows: no key is longer.
const HOLD_BACK: usize = 16 << 10;
/// Text that is seen once more before what follows it.
const CONTEXT: usize = 16 << 10;

/// A text of which pieces came.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// What is decided and still seen, then what is not decided.
    text: String,
    decided: usize,
    /// Those that are not decided, in order.
    pieces: Vec<Held>,
    /// Where the last one stands in the log.
    pub(super) last: u64,
}

/// A piece that is not decided.
#[derive(Debug)]
pub(super) struct Held {
    /// Offsets in the log: of its line, and of its bytes between the quotes.
    pub(super) line_start: u64,
    pub(super) raw: Range<u64>,
    pub(super) line: u64,
    /// `None`: the line is no document.
    pub(super) pointer: Option<String>,
    /// It is replaced as a whole or not at all.
    pub(super) is_encoded: bool,
    /// In the text of the stream.
    pub(super) text: Range<usize>,
}

/// A part of a piece that has to go.
#[derive(Debug)]
pub(super) struct Cut<'s> {
    pub(super) piece: &'s Held,
    /// In the piece's text.
    pub(super) text: Range<usize>,
    pub(super) hit: &'s Hit,
    /// What the hit is in.
    pub(super) whole: &'s str,
    /// What belongs to it stands in an earlier piece, with the mark.
    pub(super) continues: bool,
}

impl Stream {
    pub(super) fn add(&mut self, text: &str, piece: Held) {
        let start = self.text.len();
        self.text.push_str(text);
        self.last = piece.line_start;
        self.pieces.push(Held { text: start..self.text.len(), ..piece });
    }

    pub(super) fn is_full(&self) -> bool {
        self.text.len() - self.decided >= FULL
    }

    /// The first line that has to wait.
    pub(super) fn waits(&self) -> Option<u64> {
        self.pieces.first().map(|piece| piece.line_start)
    }

    /// Decides about its pieces, all of them or those that what follows changes nothing of.
    pub(super) fn decide(&mut self, detector: &dyn Detector, all: bool, cut: &mut dyn FnMut(Cut<'_>)) {
        let hits = settled(&self.text, &|text| detector.find(None, text));
        let crossing: Vec<&Hit> = hits.iter().filter(|hit| self.crosses(hit)).collect();
        let until = if all { self.text.len() } else { self.until(&crossing) };
        let count = self.pieces.partition_point(|piece| piece.text.end <= until);
        let mut later = self.pieces.split_off(count);
        for hit in crossing {
            let first = self.pieces.partition_point(|piece| piece.text.end <= hit.start);
            let parts = self.pieces.iter().skip(first).take_while(|piece| piece.text.start < hit.end);
            for (at, piece) in parts.filter(|piece| !piece.text.is_empty()).enumerate() {
                let (from, to) = (hit.start.max(piece.text.start), hit.end.min(piece.text.end));
                let text = from - piece.text.start..to - piece.text.start;
                cut(Cut { piece, text, hit, whole: &self.text, continues: at > 0 });
            }
        }
        let end = self.pieces.last().map_or(self.decided, |piece| piece.text.end);
        let forgotten = self.text.floor_char_boundary(end.saturating_sub(CONTEXT));
        self.text.drain(..forgotten);
        self.decided = end - forgotten;
        for piece in &mut later {
            piece.text = piece.text.start - forgotten..piece.text.end - forgotten;
        }
        self.pieces = later;
    }

    /// Whether a hit reaches over the end of a piece, and into what is not decided.
    fn crosses(&self, hit: &Hit) -> bool {
        let after = self.pieces.partition_point(|piece| piece.text.start <= hit.start);
        let next = self.pieces.get(after).is_some_and(|piece| piece.text.start < hit.end);
        hit.end > self.decided && (next || hit.start < self.decided)
    }

    /// How far it can be decided: not into what may go on, nor into the middle of what is private, unless that is most
    /// of what is there.
    fn until(&self, crossing: &[&Hit]) -> usize {
        let limit = self.text.len().saturating_sub(HOLD_BACK);
        let open = crossing.iter().find(|hit| hit.start < limit && hit.end > limit).map(|hit| hit.start);
        open.filter(|start| *start >= self.decided + FULL / 4).unwrap_or(limit)
    }
}
