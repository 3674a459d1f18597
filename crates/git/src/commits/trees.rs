//! Trees as they are stored: their entries, and where some of them differ.

use std::cmp::Ordering;

use git2::{Odb, OdbObject, Oid};

use super::Id;
use super::batch::{Batch, Modes};
use super::output::LONGEST;
use crate::{GitError, broken};

/// Folders within each other. Trees of people are not half as deep.
pub(crate) const MAX_DEPTH: usize = 256;

pub(crate) const FOLDER: u32 = 0o040_000;

/// An entry of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry<'t> {
    pub name: &'t [u8],
    pub mode: u32,
    pub id: Id,
}

impl Entry<'_> {
    /// Trees are sorted as if names of folders ended in `/`.
    fn order(&self, other: &Entry<'_>) -> Ordering {
        let length = self.name.len().min(other.name.len());
        let (head, tail) = self.name.split_at_checked(length).unwrap_or_default();
        let (other_head, other_tail) = other.name.split_at_checked(length).unwrap_or_default();
        let end = |entry: &Entry<'_>| if entry.mode == FOLDER { b'/' } else { 0 };
        let next = |entry: &Entry<'_>, tail: &[u8]| tail.first().copied().unwrap_or_else(|| end(entry));
        head.cmp(other_head).then_with(|| next(self, tail).cmp(&next(other, other_tail)))
    }
}

/// Takes the first entry off the bytes of a tree; none at its end.
pub(crate) fn next_entry<'t>(bytes: &mut &'t [u8]) -> Result<Option<Entry<'t>>, GitError> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let malformed = || GitError::Broken("a tree is malformed".to_owned());
    let space = memchr::memchr(b' ', bytes).ok_or_else(malformed)?;
    let nul = memchr::memchr(0, bytes).filter(|nul| *nul > space).ok_or_else(malformed)?;
    let mode = bytes.get(..space).and_then(|digits| str::from_utf8(digits).ok()).ok_or_else(malformed)?;
    let mode = canonical(u32::from_str_radix(mode, 8).map_err(|_| malformed())?);
    let name = bytes.get(space + 1..nul).ok_or_else(malformed)?;
    let id = bytes.get(nul + 1..nul + 21).and_then(Id::from_bytes).ok_or_else(malformed)?;
    *bytes = bytes.get(nul + 21..).unwrap_or_default();
    Ok(Some(Entry { name, mode, id }))
}

/// Modes as git shows them: early versions stored others.
fn canonical(mode: u32) -> u32 {
    match mode & 0o170_000 {
        0o100_000 if mode & 0o100 != 0 => 0o100_755,
        0o100_000 => 0o100_644,
        0o120_000 => 0o120_000,
        FOLDER => FOLDER,
        _ => 0o160_000,
    }
}

/// Reads an object that has to be there.
pub(crate) fn object<'o>(odb: &'o Odb<'_>, id: &Id) -> Result<OdbObject<'o>, GitError> {
    let oid = Oid::from_bytes(id.as_bytes()).map_err(|error| broken(&error))?;
    odb.read(oid).map_err(|error| match error.code() {
        git2::ErrorCode::NotFound => GitError::Missing(format!("the object {id} is missing")),
        _ => broken(&error),
    })
}

pub(crate) fn too_deep() -> GitError {
    GitError::Broken(format!("folders are nested deeper than {MAX_DEPTH} or have too long names"))
}

/// A tree and those it is compared with, at the same place of each.
struct Side<'t> {
    rest: &'t [u8],
    next: Option<Entry<'t>>,
}

impl<'t> Side<'t> {
    fn new(mut rest: &'t [u8]) -> Result<Self, GitError> {
        let next = next_entry(&mut rest)?;
        Ok(Self { rest, next })
    }

    /// Takes the next entry if it is this one.
    fn take(&mut self, wanted: &Entry<'_>) -> Result<Option<Entry<'t>>, GitError> {
        let is_folder = wanted.mode == FOLDER;
        let same = |entry: &Entry<'_>| entry.name == wanted.name && (entry.mode == FOLDER) == is_folder;
        let Some(entry) = self.next.filter(same) else { return Ok(None) };
        self.next = next_entry(&mut self.rest)?;
        Ok(Some(entry))
    }
}

/// Where trees differ. Changes go into the batch, which is handed over whenever it is full.
pub(super) struct Comparison<'c, 'o> {
    pub(super) odb: &'c Odb<'o>,
    pub(super) batch: &'c mut Batch,
    /// Takes a full batch; false to end the comparison.
    pub(super) full: &'c mut dyn FnMut(&mut Batch) -> bool,
    /// Where the comparison is.
    pub(super) path: Vec<u8>,
    /// Objects read.
    pub(super) reads: usize,
}

impl Comparison<'_, '_> {
    /// Compares the first tree with all others: a path counts where it differs from each of them. False if it was ended.
    pub(super) fn trees(&mut self, ids: &[Option<Id>], depth: usize) -> Result<bool, GitError> {
        let Some((new, old)) = ids.split_first() else { return Ok(true) };
        if old.contains(new) {
            return Ok(true);
        }
        if depth > MAX_DEPTH || self.path.len() > LONGEST {
            return Err(too_deep());
        }
        let odb = self.odb;
        let mut objects = Vec::with_capacity(ids.len());
        for id in ids {
            objects.push(id.as_ref().map(|id| object(odb, id)).transpose()?);
        }
        self.reads += ids.len();
        let mut sides = Vec::with_capacity(ids.len());
        for object in &objects {
            sides.push(Side::new(object.as_ref().map_or(b"".as_slice(), |object| object.data()))?);
        }
        let mut entries = Vec::with_capacity(ids.len());
        loop {
            let first = sides.iter().filter_map(|side| side.next).min_by(Entry::order);
            let Some(first) = first else { return Ok(true) };
            entries.clear();
            for side in &mut sides {
                entries.push(side.take(&first)?.map(|entry| (entry.mode, entry.id)));
            }
            if !self.entries(&first, &entries, depth)? {
                return Ok(false);
            }
        }
    }

    fn entries(&mut self, first: &Entry<'_>, found: &[Option<(u32, Id)>], depth: usize) -> Result<bool, GitError> {
        let Some((new, old)) = found.split_first() else { return Ok(true) };
        if old.contains(new) {
            return Ok(true);
        }
        let length = self.path.len();
        self.path.extend_from_slice(first.name);
        let goes_on = if first.mode == FOLDER {
            self.path.push(b'/');
            let ids: Vec<_> = found.iter().map(|entry| entry.map(|(_, id)| id)).collect();
            self.trees(&ids, depth + 1)?
        } else {
            let start = self.batch.paths.len();
            self.batch.paths.extend_from_slice(&self.path);
            let old_mode = old.first().copied().flatten().map_or(0, |(mode, _)| mode);
            let (mode, id) = new.unwrap_or((0, Id::zero()));
            self.batch.add(Modes { old: old_mode, new: mode }, id, start);
            !self.batch.is_full() || (self.full)(self.batch)
        };
        self.path.truncate(length);
        Ok(goes_on)
    }
}
