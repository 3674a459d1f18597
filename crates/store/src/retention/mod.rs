//! How long the store keeps sessions: what is in it, what exceeds the limits, and its deletion.
//!
//! A session is what its directory is called, never what a file in it says it is called: only entries of the store are
//! looked at, and only they are deleted. A link is not followed, and nothing is deleted through one. What decides is read
//! from the session as far as that goes, so that a damaged one is neither forgotten nor kept for ever.

mod clues;
mod delete;
mod lock;
mod log;
mod plan;
mod survey;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::PathBuf;

use jiff::Timestamp;

pub use delete::Deletion;
pub use lock::Lock;
pub use log::Log;
pub use plan::{Limit, Limits, Plan, plan};
pub use survey::survey;

/// What tells when a session began and whether it still runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clues {
    /// What is recorded in it: the same files say the same wherever they lie.
    Records,
    /// Where nothing is recorded, also when its files were changed.
    Files,
}

/// Everything in a store that is about keeping it.
#[derive(Debug, Default)]
pub struct Survey {
    /// By their beginning, the oldest first; what does not say when it began comes before them.
    pub sessions: Vec<Stored>,
    /// Directories of which a deletion was begun and not ended.
    pub leftovers: Vec<Leftover>,
    /// What was not looked into, and is never deleted.
    pub refused: Vec<Refused>,
    /// Bytes of what is no session.
    pub others: u64,
}

/// A session of the store.
#[derive(Debug)]
pub struct Stored {
    /// Below the store, `/` between components.
    pub path: String,
    /// The name of its directory.
    pub name: String,
    pub folder: PathBuf,
    pub started: Option<Started>,
    /// Why it must be taken for one that still runs.
    pub running: Option<String>,
    /// With everything that was derived from it.
    pub bytes: u64,
    /// What is wrong with its files.
    pub damage: Vec<String>,
    /// Files beside it that were made from it.
    pub derived: Vec<PathBuf>,
}

/// When a session began, and what says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Started {
    pub at: Timestamp,
    pub by: Witness,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Witness {
    Meta,
    Events,
    /// When its files were changed.
    Files,
}

/// A directory of which a deletion was begun and not ended.
#[derive(Debug)]
pub struct Leftover {
    pub folder: PathBuf,
    /// What it was called.
    pub name: OsString,
    pub(crate) is_logged: bool,
}

/// An entry of the store that was not looked into.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Refused {
    /// Below the store.
    pub path: String,
    pub reason: String,
}

/// The store can't be looked through, or something can't be deleted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}`: {reason}")]
pub struct RetentionError {
    pub path: String,
    pub reason: String,
}

impl RetentionError {
    fn new(path: &std::path::Path, reason: impl Into<String>) -> Self {
        Self { path: path.display().to_string(), reason: reason.into() }
    }

    fn of(path: &std::path::Path, error: &std::io::Error) -> Self {
        Self::new(path, why(error))
    }
}

fn why(error: &std::io::Error) -> String {
    error.kind().to_string()
}
