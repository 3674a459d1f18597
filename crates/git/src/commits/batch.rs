//! Changes of one commit, gathered without an allocation for each.

use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};

use super::raw::Raw;
use super::{Change, Commit, Each, Id, Status};

/// Changes that are handed over at once; a commit that has more comes in parts.
pub(crate) const MOST_CHANGES: usize = 100_000;
/// Bytes of their paths.
const MOST_BYTES: usize = 16 << 20;

#[derive(Debug, Default)]
pub(super) struct Batch {
    entries: Vec<Entry>,
    /// All paths behind each other.
    pub(super) paths: Vec<u8>,
}

/// The modes of a file before and after a change.
#[derive(Debug, Clone, Copy)]
pub(super) struct Modes {
    pub(super) old: u32,
    pub(super) new: u32,
}

#[derive(Debug)]
struct Entry {
    modes: Modes,
    id: Id,
    path: Range<usize>,
}

impl Batch {
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.paths.clear();
    }

    pub(super) fn is_full(&self) -> bool {
        self.entries.len() >= MOST_CHANGES || self.paths.len() >= MOST_BYTES
    }

    /// Adds a change whose path is in `paths` from `start` on.
    pub(super) fn add(&mut self, modes: Modes, id: Id, start: usize) {
        self.entries.push(Entry { modes, id, path: start..self.paths.len() });
    }

    fn changes(&self) -> Vec<Change<'_>> {
        let change = |entry: &Entry| Change {
            status: Status::of(entry.modes.old, entry.modes.new),
            old_mode: entry.modes.old,
            mode: entry.modes.new,
            id: if entry.modes.new == 0 { Id::zero() } else { entry.id },
            path: self.paths.get(entry.path.clone()).unwrap_or_default(),
        };
        self.entries.iter().map(change).collect()
    }
}

/// Hands commits over and counts them.
pub(super) struct Delivery<'a, 'e> {
    each: &'a mut Each<'e>,
    /// Commits whose parents were left out of a shallow clone.
    boundary: &'a BTreeSet<Id>,
    pub(super) commits: u64,
    /// How many of them stand at the boundary.
    pub(super) cut: u64,
}

impl<'a, 'e> Delivery<'a, 'e> {
    pub(super) fn new(each: &'a mut Each<'e>, boundary: &'a BTreeSet<Id>) -> Self {
        Self { each, boundary, commits: 0, cut: 0 }
    }

    /// Hands over what was gathered and empties it.
    pub(super) fn give(&mut self, id: Id, raw: &Raw, batch: &mut Batch, continued: bool) -> ControlFlow<()> {
        let header = raw.header();
        if !continued {
            self.commits += 1;
            self.cut += u64::from(header.parents > 0 && self.boundary.contains(&id));
        }
        let flow = (self.each)(&Commit {
            id,
            parents: header.parents,
            author: header.author,
            committer: header.committer,
            authored: header.authored,
            seconds: header.seconds,
            message: raw.message(),
            encoding: header.encoding,
            changes: &batch.changes(),
            continued,
        });
        batch.clear();
        flow
    }
}
