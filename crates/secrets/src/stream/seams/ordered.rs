//! What is found in pieces is told in the order of the log, between what the walk finds.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;

use crate::stream::input::FORGOTTEN;
use crate::stream::leaf::Known;
use crate::stream::{Finding, Sink};

/// What was found on the way.
#[derive(Default)]
pub(in crate::stream) struct Queue {
    /// By its offset in the log.
    pub(super) told: RefCell<BTreeMap<u64, PendingFinding>>,
    /// Bytes of the log that were handed on.
    pub(super) given: Cell<u64>,
}

/// A finding that waits for its turn.
pub(super) struct PendingFinding {
    pub(super) line: u64,
    pub(super) pointer: String,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) known: Known,
}

/// Tells what was found on the way when its line is due.
pub(in crate::stream) struct Ordered<'s> {
    sink: &'s mut dyn Sink,
    queue: &'s Queue,
    /// The bytes stay as they are, and what the walk finds has its offset in them.
    is_searching: bool,
    /// What was told of the last line: pointer, start, end.
    last: (u64, Vec<(String, u64, u64)>),
}

impl<'s> Ordered<'s> {
    pub(in crate::stream) fn new(sink: &'s mut dyn Sink, queue: &'s Queue, is_searching: bool) -> Self {
        Self { sink, queue, is_searching, last: (0, Vec::new()) }
    }

    /// What is left.
    pub(in crate::stream) fn finish(&mut self) -> io::Result<()> {
        self.tell(|_, _| true)
    }

    fn tell(&mut self, is_due: impl Fn(u64, &PendingFinding) -> bool) -> io::Result<()> {
        loop {
            let mut waiting = self.queue.told.borrow_mut();
            let Some(first) = waiting.first_entry().filter(|first| is_due(*first.key(), first.get())) else {
                return Ok(());
            };
            let PendingFinding { line, pointer, start, end, known } = first.remove();
            drop(waiting);
            self.sink.found(&known.finding(line, &pointer, false, start, end))?;
            if self.last.0 != line {
                self.last = (line, Vec::new());
            }
            self.last.1.push((pointer, start, end));
        }
    }

    /// Whether it is a part of something that was told already: a piece may look like a whole value.
    fn is_told(&self, finding: &Finding<'_>) -> bool {
        let (line, findings) = &self.last;
        let holds = |(pointer, start, end): &(String, u64, u64)| {
            pointer == finding.pointer && *start <= finding.start && finding.end <= *end
        };
        self.is_searching && *line == finding.line && !finding.is_key && findings.iter().any(holds)
    }
}

impl Sink for Ordered<'_> {
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        // The walk has forgotten what was handed on long ago, and finds nothing before it any more.
        let given = self.queue.given.get();
        self.tell(|at, _| at + FORGOTTEN < given)?;
        self.sink.bytes(bytes)
    }

    fn found(&mut self, finding: &Finding<'_>) -> io::Result<()> {
        self.tell(|_, told| told.line <= finding.line)?;
        if self.is_told(finding) { Ok(()) } else { self.sink.found(finding) }
    }
}
