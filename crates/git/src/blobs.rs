//! The contents that revisions hold, by their objects: whether bytes from anywhere are a file of theirs.

use std::collections::HashSet;
use std::path::Path;

use git2::{ObjectType, Oid, Repository, Tree};

use super::commits::{Backend, Revisions};
use super::{GitError, LINK_MODE, broken, commit_of, open};

/// Folders below the top.
const MAX_DEPTH: usize = 64;
/// Files of all revisions together.
const MAX_FILES: usize = 4_000_000;

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
        let repository = open(start)?;
        let mut blobs = Self::default();
        blobs.add(&repository, head, Paths::Keep)?;
        let Some(base) = base else { return Ok(blobs) };
        blobs.add(&repository, base, Paths::Ignore)?;
        let range = Revisions::Range(format!("{base}..{head}"));
        let mut add = |commit: &super::Commit<'_>| {
            let ids = commit.changes.iter().filter_map(|change| Oid::from_str(&change.id.to_string()).ok());
            blobs.ids.extend(ids);
            std::ops::ControlFlow::Continue(())
        };
        // Where the history is cut short, the change itself is a gap.
        super::Repository::open(start)?.commits(&range, Backend::Library, &mut add)?;
        Ok(blobs)
    }

    fn add(&mut self, repository: &Repository, revision: &str, paths: Paths) -> Result<(), GitError> {
        let tree = commit_of(repository, revision)?.tree().map_err(|error| broken(&error))?;
        self.tree(repository, &tree, "", paths, 0)
    }

    fn tree(
        &mut self,
        repository: &Repository,
        tree: &Tree<'_>,
        prefix: &str,
        paths: Paths,
        depth: usize,
    ) -> Result<(), GitError> {
        if depth > MAX_DEPTH || self.ids.len() > MAX_FILES {
            return Err(GitError::TooManyFiles(prefix.to_owned()));
        }
        for entry in tree {
            let name = String::from_utf8_lossy(entry.name_bytes());
            match entry.kind() {
                Some(ObjectType::Tree) => {
                    let below = repository.find_tree(entry.id()).map_err(|error| broken(&error))?;
                    self.tree(repository, &below, &format!("{prefix}{name}/"), paths, depth + 1)?;
                }
                Some(ObjectType::Blob) if entry.filemode() != LINK_MODE => {
                    self.ids.insert(entry.id());
                    if paths == Paths::Keep {
                        self.paths.insert(format!("{prefix}{name}"));
                    }
                }
                Some(ObjectType::Commit) if paths == Paths::Keep => {
                    self.submodules.insert(format!("{prefix}{name}"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether a file of the revisions holds exactly these bytes, or did before a checkout wrote its line ends another way.
    pub fn hold(&self, bytes: &[u8]) -> bool {
        if bytes.is_empty() {
            return false;
        }
        let is_known = |bytes: &[u8]| Oid::hash_object(ObjectType::Blob, bytes).is_ok_and(|id| self.ids.contains(&id));
        is_known(bytes) || with_plain_line_ends(bytes).is_some_and(|plain| is_known(&plain))
    }

    /// Whether the head has a file at this path, in whatever folder it was checked out: a checkout may write its bytes in
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
