//! The native trace store: writes sessions into it, whole or not at all, and never outside of it, and deletes those that
//! were kept long enough ([`retention`]).
//!
//! A session is a directory with `events.ndjson`, one event a line, and `meta.json` with its sums. What a log says is
//! kept in keys that other readers of the store know; what those can't say stands beside them, so that an imported
//! session reads as its log did. The same log gives the same bytes, whenever and from wherever it is imported.
//!
//! This crate must not know effects, policies or reports. Start with [`document()`] for whole sessions and [`live`] for
//! sessions that are recorded while they run.

pub mod annotations;
mod disk;
mod document;
mod event;
mod events;
mod json;
pub mod live;
mod meta;
mod moment;
mod name;
mod plan;
mod previous;
pub mod retention;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod tests;
mod text;

use std::path::Path;

pub use document::{document, document_of, files, indented};
use json::Object;
pub use json::{Secrets, on_one_line};
#[cfg(test)]
use name::directory;
use previous::Relation;

use agent_strace_model::{Gap, Session};

/// A session on its way into the store.
#[derive(Debug)]
pub struct Imported<'a> {
    pub session: &'a Session<'a>,
    /// What of its log could not be read: what is incomplete stays incomplete.
    pub gaps: &'a [Gap],
    pub source: Origin<'a>,
    pub secrets: Secrets,
}

/// The log a session comes from. Where it lay says nothing about it.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// The name of its file.
    pub name: &'a str,
    pub bytes: &'a [u8],
    /// Which session of the log it is, from 0.
    pub session: usize,
}

impl Origin<'_> {
    fn json(&self) -> Object {
        let mut object = Object::new(Secrets::Keep);
        object.text("name", self.name);
        object.number("bytes", self.bytes.len());
        object.word("sha256", &name::hex(self.bytes, 64));
        object.number("session", self.session);
        object
    }
}

/// What an import did to the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Added,
    /// The log had grown, or is written otherwise now.
    Updated,
    Unchanged,
    /// The store holds a longer recording of the same session.
    Kept,
}

/// Where a session is in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub directory: String,
    pub change: Change,
}

/// Whether anything is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Run {
    Real,
    /// Only says what it would do.
    Dry,
}

/// A session could not be written.
#[derive(Debug, thiserror::Error)]
#[error("can't write `{path}`: {reason}")]
pub struct StoreError {
    path: String,
    reason: String,
}

impl StoreError {
    fn new(path: &Path, reason: &str) -> Self {
        Self { path: path.display().to_string(), reason: reason.to_owned() }
    }
}

/// More logs than this with one session id are no accident.
const SAME_ID: u32 = 1_000;

/// Writes a session into the store. A directory that holds another recording is never touched: two logs with one
/// session id get two directories.
pub fn import(store: &Path, imported: &Imported<'_>, run: Run) -> Result<Written, StoreError> {
    let base = name::directory(&imported.session.id);
    for number in 1..=SAME_ID {
        let directory = if number == 1 { base.clone() } else { format!("{base}.{number}") };
        let folder = store.join(&directory);
        let content = Content::of(imported, &directory);
        let change = match previous::relation(&folder, imported, &content.events) {
            Relation::Other => continue,
            Relation::None => Change::Added,
            Relation::Earlier if disk::holds(&folder, &content) => Change::Unchanged,
            Relation::Earlier => Change::Updated,
            Relation::Longer => Change::Kept,
        };
        if run == Run::Real {
            match change {
                Change::Added => disk::create(store, &directory, &content)?,
                Change::Updated => disk::replace(&folder, &content)?,
                Change::Unchanged | Change::Kept => {}
            }
        }
        return Ok(Written { directory, change });
    }
    Err(StoreError::new(&store.join(base), "too many logs have this session id"))
}

/// Both files of a session.
#[derive(Debug)]
struct Content {
    events: String,
    meta: String,
}

impl Content {
    fn of(imported: &Imported<'_>, directory: &str) -> Self {
        let lines = events::lines(imported, directory);
        let meta = meta::text(imported, directory, &lines);
        Self { events: lines.text, meta }
    }
}
