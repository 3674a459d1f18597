//! Bytes of a log → sessions, and a list of everything that could not be read.
//!
//! Dialects are detected by content, never by file name. Parsing never fails as a whole and never guesses: a record
//! that can't be read is a [`Gap`], a record of an unknown type is counted. One folder per dialect.

pub(crate) mod discover;

use crate::model::{Gap, Session};

/// The bytes of one log, and how users know it.
#[derive(Debug)]
pub(crate) struct Log {
    /// Path as given, with `/` separators; `-` for standard input.
    pub(crate) shown: String,
    pub(crate) bytes: Vec<u8>,
    /// For an entry of the native store: its directory name and `meta.json`.
    pub(crate) store: Option<StoreEntry>,
}

/// What the native store keeps beside the events.
#[derive(Debug)]
pub(crate) struct StoreEntry {
    pub(crate) id: String,
    /// `meta.json` as shown to users, and its bytes or why they could not be read.
    pub(crate) meta_shown: String,
    pub(crate) meta: Result<Vec<u8>, String>,
}

/// What a log holds.
#[derive(Debug, Default)]
pub(crate) struct Reading<'a> {
    pub(crate) sessions: Vec<Session<'a>>,
    pub(crate) gaps: Vec<Gap>,
}

impl Log {
    /// Reads the log. Everything that isn't in a session is in a gap.
    pub(crate) fn read(&self) -> Reading<'_> {
        Reading {
            sessions: Vec::new(),
            gaps: vec![Gap { file: self.shown.clone(), line: None, reason: "not a log of a known agent".to_owned() }],
        }
    }
}
