//! Where in a text something stands.

use std::num::NonZeroU32;

/// A piece of a text, in bytes. It is never empty, so that an optional one takes no more room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    start: u32,
    end: NonZeroU32,
}

impl Span {
    /// `None`: nothing stands there, or it is too far in to be counted.
    pub fn new(start: usize, end: usize) -> Option<Self> {
        let (start, end) = (u32::try_from(start).ok()?, u32::try_from(end).ok()?);
        if start < end { Some(Self { start, end: NonZeroU32::new(end)? }) } else { None }
    }

    pub fn start(self) -> usize {
        self.start as usize
    }

    pub fn end(self) -> usize {
        self.end.get() as usize
    }

    pub fn slice(self, text: &str) -> Option<&str> {
        text.get(self.start()..self.end())
    }

    pub fn contains(self, inner: Self) -> bool {
        self.start <= inner.start && inner.end <= self.end
    }

    /// The smallest piece that holds both.
    pub fn join(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Where a text that is parsed stands in the one that spans are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// It is a piece of that text, from this offset on. What it has after `end`, white space mostly, need not stand
    /// there.
    From { offset: usize, end: usize },
    /// It was made from what stands there (unescaped, joined, computed): that is the span of everything in it.
    Within(Option<Span>),
}

impl Home {
    /// Of a text that is the piece of this length from `offset` on.
    pub fn piece(offset: usize, length: usize) -> Self {
        Self::From { offset, end: offset.saturating_add(length) }
    }

    /// The span of a piece of the parsed text.
    pub fn span(self, start: usize, end: usize) -> Option<Span> {
        match self {
            Self::From { offset, end: last } => {
                Span::new(offset.checked_add(start)?, offset.checked_add(end)?.min(last))
            }
            Self::Within(span) => span,
        }
    }

    /// Where a text stands that is a piece of the parsed text from `start` on.
    pub fn at(self, start: usize) -> Self {
        match self {
            Self::From { offset, end } => Self::From { offset: offset.saturating_add(start), end },
            Self::Within(span) => Self::Within(span),
        }
    }
}
