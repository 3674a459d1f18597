//! The pieces of one text, put together: what of it is private and crosses from one piece into the next.

use std::ops::Range;

use crate::Hit;
use crate::stream::Detector;
use crate::stream::settle::settled;

/// Text that is decided together.
pub(super) const FULL: usize = 48 << 10;
/// What lies so near to the end is decided with what follows: no key is longer.
const HOLD_BACK: usize = 16 << 10;
/// Text that is seen once more before what follows it.
const CONTEXT: usize = 16 << 10;
/// A text of so many bytes is not said twice by chance.
const CHANCE: usize = 8;

/// A text of which pieces came.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// What is decided and still seen, then what is not decided.
    text: String,
    decided: usize,
    /// Those that are not decided, in order.
    pieces: Vec<Held>,
    /// What the last one said, and whether each so far began with the one before it.
    previous: String,
    is_unsteady: bool,
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
    /// What it says before that, which is what the piece before it said: some repeat all that there is so far.
    pub(super) repeated: usize,
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
        let repeated = self.repeated(text);
        self.text.push_str(text.get(repeated..).unwrap_or_default());
        self.last = piece.line_start;
        self.pieces.push(Held { text: start..self.text.len(), repeated, ..piece });
        self.previous.clear();
        self.previous.push_str(text);
    }

    /// How much of a text is what the piece before it said. A few letters may be the same by chance.
    fn repeated(&mut self, text: &str) -> usize {
        let before = self.previous.len();
        let is_same = before > 0 && text.starts_with(&self.previous);
        let is_more = is_same && (before >= CHANCE || !self.is_unsteady && text.len() > before);
        self.is_unsteady |= before > 0 && !is_more;
        if is_more { before } else { 0 }
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
        let mut alone = Alone::default();
        let crossing: Vec<&Hit> =
            hits.iter().filter(|hit| self.crosses(hit) || self.needs_more(detector, hit, &mut alone)).collect();
        let until = if all { self.text.len() } else { self.until(&crossing) };
        let count = self.pieces.partition_point(|piece| piece.text.end <= until);
        let mut later = self.pieces.split_off(count);
        for hit in crossing {
            let first = self.pieces.partition_point(|piece| piece.text.end <= hit.start);
            let parts = self.pieces.iter().skip(first).take_while(|piece| piece.text.start < hit.end);
            for piece in parts {
                let Held { text, repeated, .. } = piece;
                let from = (hit.start + repeated).saturating_sub(text.start);
                let to = hit.end.min(text.end) + repeated - text.start;
                if from < to {
                    let continues = hit.start + repeated < text.start;
                    cut(Cut { piece, text: from..to, hit, whole: &self.text, continues });
                }
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

    /// Whether a hit lies in one piece, and nobody who looks at that piece alone finds it: its name stands in another.
    fn needs_more(&self, detector: &dyn Detector, hit: &Hit, alone: &mut Alone) -> bool {
        let at = self.pieces.partition_point(|piece| piece.text.end <= hit.start);
        let Some(piece) = self.pieces.get(at).filter(|_| hit.end > self.decided) else { return false };
        if alone.piece != Some(at) {
            let text = self.text.get(piece.text.clone()).unwrap_or_default();
            *alone = Alone { piece: Some(at), hits: settled(text, &|text| detector.find(None, text)) };
        }
        if piece.repeated > 0 {
            return false;
        }
        let (start, end) = (hit.start.saturating_sub(piece.text.start), hit.end - piece.text.start);
        !alone.hits.iter().any(|own| own.start <= start && end <= own.end)
    }

    /// How far it can be decided: not into what may go on, nor into the middle of what is private, unless that is most
    /// of what is there.
    fn until(&self, crossing: &[&Hit]) -> usize {
        let limit = self.text.len().saturating_sub(HOLD_BACK);
        let open = crossing.iter().find(|hit| hit.start < limit && hit.end > limit).map(|hit| hit.start);
        open.filter(|start| *start >= self.decided + FULL / 4).unwrap_or(limit)
    }
}

/// What is found in one piece by itself. Hits come in order, so that each piece is searched once.
#[derive(Default)]
struct Alone {
    piece: Option<usize>,
    hits: Vec<Hit>,
}
