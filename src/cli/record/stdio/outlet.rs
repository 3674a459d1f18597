//! Passes the bytes of the server on to the client, and inserts the answers to refused calls between its messages.

use std::fs::File;
use std::io::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::super::LARGEST;
use super::super::message_loop::MessageLoop;
use agent_strace_live::proxy::framing::Splitter;
use agent_strace_live::proxy::message::Side;
use agent_strace_live::proxy::talk::Way;

pub(super) struct Outlet {
    stdout: File,
    splitter: Splitter,
    messages: MessageLoop,
    /// Answers that wait for the end of a message.
    waiting: Vec<Vec<u8>>,
    passed: u64,
    is_open: bool,
}

/// A thread that panicked leaves the stream as it is.
pub(super) fn of(outlet: &Mutex<Outlet>) -> MutexGuard<'_, Outlet> {
    outlet.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Outlet {
    pub(super) fn new(stdout: File, messages: MessageLoop) -> Self {
        let splitter = Splitter::new(LARGEST);
        Self { stdout, splitter, messages, waiting: Vec::new(), passed: 0, is_open: true }
    }

    /// The number of bytes from the server.
    pub(super) fn passed(&self) -> u64 {
        self.passed
    }

    /// Passes bytes of the server on. Returns whether the client still reads.
    pub(super) fn pass(&mut self, bytes: &[u8]) -> bool {
        self.passed = self.passed.saturating_add(bytes.len() as u64);
        let (mut written, mut seen) = (0, 0);
        while let Some(rest) = bytes.get(seen..).filter(|rest| !rest.is_empty()) {
            let (used, piece) = self.splitter.take(rest);
            seen += used;
            if let Some(piece) = piece {
                self.messages.record(Side::Server, &Way::default(), piece);
            }
            if !self.waiting.is_empty() && self.splitter.is_between() {
                self.write(bytes.get(written..seen).unwrap_or_default());
                written = seen;
                self.write_waiting();
            }
        }
        self.write(bytes.get(written..).unwrap_or_default());
        self.is_open
    }

    /// Answers the client in the server's place.
    pub(super) fn answer(&mut self, answer: Vec<u8>) {
        self.waiting.push(answer);
        if self.splitter.is_between() {
            self.write_waiting();
        }
    }

    /// The server writes nothing more.
    pub(super) fn finish(&mut self) {
        if let Some(piece) = self.splitter.end() {
            self.messages.record(Side::Server, &Way::default(), piece);
        }
        self.write_waiting();
    }

    fn write_waiting(&mut self) {
        for answer in std::mem::take(&mut self.waiting) {
            self.write(&answer);
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.is_open &= self.stdout.write_all(bytes).is_ok();
    }
}
