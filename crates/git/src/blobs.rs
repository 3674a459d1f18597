//! The contents that revisions hold, by their objects: whether bytes from anywhere are a file of theirs.

use std::collections::HashSet;
use std::io::{self, Read};
use std::path::Path;

use git2::{ObjectType, Oid};
use sha1_smol::Sha1;

use super::commits::{Backend, Revisions};
use super::tree::{TreeKind, files};
use super::{GitError, broken};

/// Bytes that are hashed at once.
const PIECE: usize = 64 << 10;

/// Files of some revisions, by content and, of the head, by path.
#[derive(Debug, Default)]
pub struct Blobs {
    ids: HashSet<Oid>,
    paths: HashSet<String>,
    /// Their files are in a repository of their own, so that only their place is known.
    submodules: HashSet<String>,
}

impl Blobs {
    /// The files of `head`, and the contents of the files of `base` and of every commit that only the head has.
    pub fn of_change(start: &Path, base: Option<&str>, head: &str) -> Result<Self, GitError> {
        let mut blobs = Self::default();
        blobs.add(start, head, Paths::Keep)?;
        let Some(base) = base else { return Ok(blobs) };
        blobs.add(start, base, Paths::Ignore)?;
        let range = Revisions::Range(format!("{base}..{head}"));
        let mut fault = None;
        let mut add = |commit: &super::Commit<'_>| {
            for change in commit.changes {
                match Oid::from_str(&change.id.to_string()) {
                    Ok(id) => _ = blobs.ids.insert(id),
                    Err(error) => fault = Some(broken(&error)),
                }
            }
            std::ops::ControlFlow::Continue(())
        };
        // Where the history is cut short, the change itself is a gap.
        super::Repository::open(start)?.commits(&range, Backend::Library, &mut add)?;
        fault.map_or(Ok(blobs), Err)
    }

    fn add(&mut self, start: &Path, revision: &str, paths: Paths) -> Result<(), GitError> {
        for file in files(start, revision, "")? {
            let names = match file.kind {
                TreeKind::Link => continue,
                TreeKind::Repository => &mut self.submodules,
                TreeKind::File | TreeKind::Missing => {
                    self.ids.insert(Oid::from_str(&file.id).map_err(|error| broken(&error))?);
                    &mut self.paths
                }
            };
            if paths == Paths::Keep {
                names.insert(file.path);
            }
        }
        Ok(())
    }

    /// Returns true if a file of the revisions has exactly these bytes, or had them before a checkout changed its line ends.
    pub fn hold(&self, bytes: &[u8]) -> bool {
        if bytes.is_empty() {
            return false;
        }
        let is_known = |bytes: &[u8]| Oid::hash_object(ObjectType::Blob, bytes).is_ok_and(|id| self.ids.contains(&id));
        is_known(bytes) || with_plain_line_ends(bytes).is_some_and(|plain| is_known(&plain))
    }

    /// Whether the change holds a file of `length` bytes with the content that `reader` gives. It keeps no more than a piece.
    pub fn hold_stream(&self, reader: &mut dyn Read, length: u64) -> io::Result<bool> {
        let mut hash = Sha1::new();
        hash.update(format!("blob {length}\0").as_bytes());
        let mut buffer = vec![0; PIECE];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => hash.update(buffer.get(..read).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let id = Oid::from_bytes(&hash.digest().bytes());
        Ok(length > 0 && id.is_ok_and(|id| self.ids.contains(&id)))
    }

    /// Returns true if the head has a file at this path, in whatever folder it was checked out: a checkout may write its bytes in
    /// another way than they are committed. What is below a submodule of the head is taken for a file of it.
    pub fn have_path(&self, path: &str) -> bool {
        let path = normal(path);
        let below = path.match_indices('/').filter_map(|(at, _)| path.get(at + 1..)).filter(|rest| rest.contains('/'));
        self.paths.contains(&path)
            || folders(&path).any(|folder| self.submodules.contains(folder))
            || below.clone().any(|rest| self.paths.contains(rest))
            // A folder of one name may be anywhere.
            || below.flat_map(folders).any(|folder| folder.contains('/') && self.submodules.contains(folder))
    }
}

/// Without parts that lead nowhere. What leaves the current folder is named from where it leads to.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

/// The folders that a path leads through.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').filter_map(|(at, _)| path.get(..at))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Paths {
    Keep,
    Ignore,
}

/// `None`: they are plain already.
fn with_plain_line_ends(bytes: &[u8]) -> Option<Vec<u8>> {
    bytes.windows(2).any(|pair| pair == b"\r\n").then(|| {
        let next = bytes.iter().skip(1).map(Some).chain([None]);
        let kept = bytes.iter().zip(next).filter(|(byte, next)| !(**byte == b'\r' && *next == Some(&b'\n')));
        kept.map(|(byte, _)| *byte).collect()
    })
}
