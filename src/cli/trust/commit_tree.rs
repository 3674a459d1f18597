//! The files of one commit, as readers of pipelines ask for them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use agent_strace_git::{GitError, Repository};
use agent_strace_repos::pipelines::{Content, Contents, Tree, text_of};

/// Contents that are read once.
pub(in crate::cli) struct CommitFiles<'c> {
    folder: &'c Path,
    revision: &'c str,
    known: RefCell<BTreeMap<String, Content>>,
}

impl<'c> CommitFiles<'c> {
    pub(in crate::cli) fn new(folder: &'c Path, revision: &'c str) -> Self {
        Self { folder, revision, known: RefCell::default() }
    }
}

impl Contents for CommitFiles<'_> {
    fn read(&self, path: &str) -> Content {
        if let Some(content) = self.known.borrow().get(path) {
            return content.clone();
        }
        let content = match agent_strace_git::read_top(self.folder, self.revision, path) {
            Ok(blob) => text_of(blob.bytes),
            Err(GitError::NoFile { .. }) => Content::Missing,
            Err(error) => Content::Unreadable(error.to_string()),
        };
        self.known.borrow_mut().insert(path.to_owned(), content.clone());
        content
    }
}

/// The same, with the paths of all files.
pub(in crate::cli) struct CommitTree<'c> {
    files: CommitFiles<'c>,
    paths: Vec<String>,
}

impl<'c> CommitTree<'c> {
    pub(in crate::cli) fn new(files: CommitFiles<'c>) -> Result<Self, GitError> {
        let listed = Repository::open(files.folder)?.paths(files.revision)?;
        // A name that is not UTF-8 is none that CI looks for.
        let paths = listed.into_iter().filter_map(|file| String::from_utf8(file.path).ok());
        let mut paths: Vec<String> = paths.collect();
        paths.sort_unstable();
        Ok(Self { files, paths })
    }

    /// Of a commit whose files can't be listed.
    pub(in crate::cli) fn without_paths(files: CommitFiles<'c>) -> Self {
        Self { files, paths: Vec::new() }
    }
}

impl Contents for CommitTree<'_> {
    fn read(&self, path: &str) -> Content {
        self.files.read(path)
    }
}

impl Tree for CommitTree<'_> {
    fn paths(&self) -> &[String] {
        &self.paths
    }
}
