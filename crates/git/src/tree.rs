//! Every file of a revision, and the bytes of each.

use std::path::Path;

use git2::{ErrorCode, ObjectType, Oid, Repository, Tree};

use super::{GitError, LINK_MODE, broken, open, path_in_repository};

/// Folders below the top.
const MAX_DEPTH: usize = 64;
/// Files and folders of one revision. One folder may be in a tree many times.
const MAX_ENTRIES: usize = 1_000_000;

/// A file of a revision, not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Below what was asked for; empty where that is the file itself.
    pub path: String,
    pub kind: TreeKind,
    pub size: u64,
    /// Its object, in hex.
    pub id: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeKind {
    File,
    Link,
    /// A submodule.
    Repository,
    /// The repository was cloned without it.
    Missing,
}

/// All files of `revision` at and below `path`, which counts from the top.
pub fn files(start: &Path, revision: &str, path: &str) -> Result<Vec<TreeFile>, GitError> {
    let repository = open(start)?;
    let tree = repository
        .revparse_single(revision)
        .and_then(|object| object.peel_to_tree())
        .map_err(|_| GitError::NoRevision(revision.to_owned()))?;
    let mut walk = Walk { repository: &repository, files: Vec::new(), folders: 0 };
    if path.is_empty() {
        walk.tree(&tree, "", 0)?;
        return Ok(walk.files);
    }
    let entry = tree.get_path(Path::new(path)).map_err(|error| match error.code() {
        ErrorCode::NotFound => GitError::NoFile { revision: revision.to_owned(), path: path.to_owned() },
        _ => broken(&error),
    })?;
    walk.entry(String::new(), &entry, 0)?;
    Ok(walk.files)
}

struct Walk<'r> {
    repository: &'r Repository,
    files: Vec<TreeFile>,
    folders: usize,
}

impl Walk<'_> {
    fn tree(&mut self, tree: &Tree<'_>, prefix: &str, depth: usize) -> Result<(), GitError> {
        self.folders += 1;
        if depth > MAX_DEPTH || self.files.len() + self.folders > MAX_ENTRIES {
            return Err(GitError::TooLarge { path: prefix.to_owned() });
        }
        for entry in tree {
            let name = String::from_utf8_lossy(entry.name_bytes());
            let path = if prefix.is_empty() { name.into_owned() } else { format!("{prefix}/{name}") };
            self.entry(path, &entry, depth)?;
        }
        Ok(())
    }

    fn entry(&mut self, path: String, entry: &git2::TreeEntry<'_>, depth: usize) -> Result<(), GitError> {
        let id = entry.id();
        let kind = match entry.kind() {
            Some(ObjectType::Tree) => {
                let tree = self.repository.find_tree(id).map_err(|error| broken(&error))?;
                return self.tree(&tree, &path, depth + 1);
            }
            Some(ObjectType::Blob) if entry.filemode() == LINK_MODE => TreeKind::Link,
            Some(ObjectType::Blob) => TreeKind::File,
            _ => TreeKind::Repository,
        };
        let header = || self.repository.odb().and_then(|odb| odb.read_header(id));
        let (kind, size) = match kind {
            TreeKind::File => header().map_or((TreeKind::Missing, 0), |(size, _)| (kind, size as u64)),
            other => (other, 0),
        };
        self.files.push(TreeFile { path, kind, size, id: id.to_string() });
        Ok(())
    }
}

/// The files that git tracks at and below a folder, by their paths from there, without links and submodules. `None`: the
/// folder is in no repository.
pub fn tracked(start: &Path) -> Result<Option<Vec<String>>, GitError> {
    let repository = match open(start) {
        Ok(repository) => repository,
        Err(GitError::NoRepository(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let prefix = path_in_repository(&repository, start, ".").map_or_else(|_| String::new(), |path| format!("{path}/"));
    let index = repository.index().map_err(|error| broken(&error))?;
    let plain = index.iter().filter(|entry| entry.mode & 0o170_000 == 0o100_000);
    let paths = plain.filter_map(|entry| {
        let path = String::from_utf8(entry.path).ok()?;
        path.strip_prefix(&prefix).map(str::to_owned)
    });
    Ok(Some(paths.collect()))
}

/// The bytes of an object that [`files`] named.
pub fn object(start: &Path, id: &str) -> Result<Vec<u8>, GitError> {
    let repository = open(start)?;
    let id = Oid::from_str(id).map_err(|error| broken(&error))?;
    let blob = repository.find_blob(id).map_err(|error| broken(&error))?;
    Ok(blob.content().to_vec())
}
