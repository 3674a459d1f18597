//! The files of one commit, as readers of pipelines ask for them.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;

use agent_strace_git::{GitError, Repository, RevisionFiles};
use agent_strace_repos::pipelines::{Content, Contents, Tree, text_of};

/// Bytes of texts that are kept for another read.
const KEPT: usize = 32 << 20;

/// Contents of one revision. The repository is opened once.
pub(in crate::cli) struct CommitFiles<'c> {
    folder: &'c Path,
    revision: &'c str,
    /// `Err`: why nothing can be read.
    files: OnceCell<Result<RevisionFiles, String>>,
    known: RefCell<BTreeMap<String, Content>>,
    kept: Cell<usize>,
}

impl<'c> CommitFiles<'c> {
    pub(in crate::cli) fn new(folder: &'c Path, revision: &'c str) -> Self {
        Self { folder, revision, files: OnceCell::new(), known: RefCell::default(), kept: Cell::new(0) }
    }

    fn read_anew(&self, path: &str) -> Content {
        let open = || RevisionFiles::open(self.folder, self.revision).map_err(|error| error.to_string());
        match self.files.get_or_init(open) {
            Err(reason) => Content::Unreadable(reason.clone()),
            Ok(files) => match files.read_top(path) {
                Ok(blob) => text_of(blob.bytes),
                Err(GitError::NoFile { .. }) => Content::Missing,
                Err(error) => Content::Unreadable(error.to_string()),
            },
        }
    }
}

impl Contents for CommitFiles<'_> {
    fn read(&self, path: &str) -> Content {
        if let Some(content) = self.known.borrow().get(path) {
            return content.clone();
        }
        let content = self.read_anew(path);
        let kept = self.kept.get() + if let Content::Text(text) = &content { text.len() } else { 0 };
        if kept <= KEPT {
            self.kept.set(kept);
            self.known.borrow_mut().insert(path.to_owned(), content.clone());
        }
        content
    }
}

/// Contents of one revision, with the paths of all files.
pub(in crate::cli) struct CommitTree<'c> {
    files: CommitFiles<'c>,
    paths: Vec<String>,
}

impl<'c> CommitTree<'c> {
    pub(in crate::cli) fn new(files: CommitFiles<'c>) -> Result<Self, GitError> {
        let listed = Repository::open(files.folder)?.paths(files.revision)?;
        // CI looks for no name that is not UTF-8.
        let paths = listed.into_iter().filter_map(|file| String::from_utf8(file.path).ok());
        let mut paths: Vec<String> = paths.collect();
        paths.sort_unstable();
        Ok(Self { files, paths })
    }

    /// For a commit whose files can't be listed.
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
