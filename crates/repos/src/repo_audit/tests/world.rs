//! Repositories as tests make them.

use std::collections::BTreeMap;
use std::path::Path;

use git2::{Oid, Signature, Time};

/// A repository that grows commit by commit.
pub(super) struct World {
    pub(super) folder: tempfile::TempDir,
    repository: git2::Repository,
    files: BTreeMap<String, Vec<u8>>,
    seconds: i64,
}

impl World {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let repository = git2::Repository::init(folder.path()).unwrap();
        Self { folder, repository, files: BTreeMap::new(), seconds: 1_770_000_000 }
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// For the next commit.
    pub(super) fn file(&mut self, path: &str, content: &[u8]) {
        self.files.insert(path.to_owned(), content.to_vec());
    }

    /// Commits all files. Both are `Name <email>`.
    pub(super) fn commit(&mut self, (author, committer): (&str, &str), message: &str) -> Oid {
        self.seconds += 60;
        let tree = self.tree();
        let signature = |person: &str| {
            let (name, email) = person.rsplit_once(" <").unwrap();
            Signature::new(name, email.trim_end_matches('>'), &Time::new(self.seconds, 0)).unwrap()
        };
        let tree = self.repository.find_tree(tree).unwrap();
        let parent = self.repository.head().ok().map(|head| head.peel_to_commit().unwrap());
        let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
        self.repository
            .commit(Some("HEAD"), &signature(author), &signature(committer), message, &tree, &parents)
            .unwrap()
    }

    fn tree(&self) -> Oid {
        let mut index = git2::Index::new().unwrap();
        for (path, content) in &self.files {
            let entry = git2::IndexEntry {
                ctime: git2::IndexTime::new(0, 0),
                mtime: git2::IndexTime::new(0, 0),
                dev: 0,
                ino: 0,
                mode: 0o100_644,
                uid: 0,
                gid: 0,
                file_size: 0,
                id: self.repository.blob(content).unwrap(),
                flags: 0,
                flags_extended: 0,
                path: path.as_bytes().to_vec(),
            };
            index.add(&entry).unwrap();
        }
        index.write_tree_to(&self.repository).unwrap()
    }

    /// A branch or another reference at HEAD.
    pub(super) fn reference(&self, name: &str) {
        let head = self.repository.head().unwrap().target().unwrap();
        self.repository.reference(name, head, false, "test").unwrap();
    }
}
