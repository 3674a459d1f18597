//! Rewrites logs of any format, byte by byte: what is private goes, everything else stays as it is.
//!
//! A log is a series of lines and JSON documents. What begins a line with `{` or `[` is read as JSON, leaf by leaf: keys,
//! strings, numbers. Strings are decoded before they are searched, and those that hold JSON themselves are searched the
//! same way, so that documents stay valid at every depth. Everything else, also what is left of a damaged document from
//! the place where it breaks, is plain text: it is searched in windows of many lines. Records that carry pieces of one
//! text are looked at together ([`seams`]).
//!
//! Nothing is refused, nothing is left out, and memory is bounded: a text that is longer than a window is searched in
//! windows that overlap. What is found depends on the bytes alone, not on how they arrive.

mod embedded;
mod grammar;
mod input;
mod leaf;
mod path;
mod rewrite;
mod scan;
mod seams;
mod settle;
#[cfg(test)]
mod tests;
mod text;
mod walk;

use std::io::{self, Read};

#[cfg(test)]
use agent_strace_testing::work::count;

use crate::{Hit, mark};
use seams::{Ordered, Queue, Seams};

/// Bytes that are looked at are counted for the tests.
#[cfg(not(test))]
const fn count(_: usize) {}

/// Texts in texts that are searched as JSON.
const MAX_NESTING: u32 = 4;

/// Says what is private.
pub trait Detector {
    /// What is to be replaced in a text that stands under the key `name`: in order, without overlap.
    fn find(&self, name: Option<&str>, text: &str) -> Vec<Hit>;

    /// The same of the beginning of a text that is JSON, whose parts are looked at on their own afterwards: whether the
    /// name makes all of it private.
    fn of_beginning(&self, name: Option<&str>, beginning: &str) -> Vec<Hit> {
        self.find(name, beginning)
    }

    /// What may not be shown of a name, whatever is to be replaced.
    fn private(&self, text: &str) -> Vec<Hit>;

    /// Tells values apart without giving them away.
    fn fingerprint(&self, hit: &Hit, value: &str) -> String;

    /// What is written instead of a value.
    fn replacement(&self, hit: &Hit, _value: &str) -> String {
        mark(hit)
    }
}

/// Takes what comes out of a log.
pub trait Sink {
    /// The next bytes of the rewritten log.
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()>;

    fn found(&mut self, finding: &Finding<'_>) -> io::Result<()>;
}

/// Something private, without what it is.
#[derive(Debug)]
pub struct Finding<'f> {
    /// From 1; where the leaf starts.
    pub line: u64,
    /// Of the leaf in its document, with nothing private in it; empty where the line is plain text.
    pub pointer: &'f str,
    /// It is in the key that the pointer ends with.
    pub is_key: bool,
    /// Code points of the decoded leaf, or of the line where it is plain text.
    pub start: u64,
    pub end: u64,
    pub hit: &'f Hit,
    pub fingerprint: &'f str,
}

/// Rewrites a log to its end: private values are replaced.
pub fn rewrite(reader: &mut dyn Read, detector: &dyn Detector, sink: &mut dyn Sink) -> io::Result<()> {
    run(reader, detector, sink, true)
}

/// Searches a log to its end. The findings refer to the unchanged log; the bytes that the sink gets are meaningless.
pub fn search(reader: &mut dyn Read, detector: &dyn Detector, sink: &mut dyn Sink) -> io::Result<()> {
    run(reader, detector, sink, false)
}

fn run(reader: &mut dyn Read, detector: &dyn Detector, sink: &mut dyn Sink, is_rewriting: bool) -> io::Result<()> {
    let queue = Queue::default();
    let mut seams = Seams::new(reader, detector, is_rewriting, &queue);
    let mut ordered = Ordered::new(sink, &queue, !is_rewriting);
    walk::Walk::new(&mut seams, detector, &mut ordered).run()?;
    ordered.finish()
}

/// The name of a file without what is private in it; `None` where nothing is.
pub fn name(detector: &dyn Detector, name: &str) -> Option<String> {
    settle::without(detector, name, &|text| detector.find(None, text))
}
