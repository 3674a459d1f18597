//! The files of one commit, as readers of pipelines ask for them.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use agent_strace_git::{GitError, Repository, RevisionFiles, Special};
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

    fn files(&self) -> &Result<RevisionFiles, String> {
        let open = || RevisionFiles::open(self.folder, self.revision).map_err(|error| error.to_string());
        self.files.get_or_init(open)
    }

    fn read_anew(&self, path: &str) -> Content {
        match self.files() {
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

    fn read_lossily(&self, path: &str) -> Content {
        match self.files() {
            Err(reason) => Content::Unreadable(reason.clone()),
            Ok(files) => match files.read_top(path) {
                Ok(blob) => Content::Text(String::from_utf8_lossy(&blob.bytes).into_owned()),
                Err(GitError::NoFile { .. }) => Content::Missing,
                Err(error) => Content::Unreadable(error.to_string()),
            },
        }
    }

    /// What can't be looked up is read as a file, and that fails with the reason.
    fn special(&self, path: &str) -> Option<Special> {
        self.files().as_ref().ok()?.special(path).ok().flatten()
    }
}

/// Contents of one revision, with the paths of all files.
pub(in crate::cli) struct CommitTree<'c> {
    files: CommitFiles<'c>,
    paths: Vec<String>,
    /// Those that are links or submodules.
    special: BTreeSet<String>,
}

/// The kind of an entry in its mode: a plain file.
const PLAIN: u32 = 0o100_000;

impl<'c> CommitTree<'c> {
    pub(in crate::cli) fn new(files: CommitFiles<'c>) -> Result<Self, GitError> {
        let listed = Repository::open(files.folder)?.paths(files.revision)?;
        let (mut paths, mut special) = (Vec::new(), BTreeSet::new());
        for file in listed {
            // CI looks for no name that is not UTF-8.
            let Ok(path) = String::from_utf8(file.path) else { continue };
            if file.mode & 0o170_000 != PLAIN {
                special.insert(path.clone());
            }
            paths.push(path);
        }
        paths.sort_unstable();
        Ok(Self { files, paths, special })
    }

    /// For a commit whose files can't be listed.
    pub(in crate::cli) fn without_paths(files: CommitFiles<'c>) -> Self {
        Self { files, paths: Vec::new(), special: BTreeSet::new() }
    }
}

impl Contents for CommitTree<'_> {
    fn read(&self, path: &str) -> Content {
        self.files.read(path)
    }

    fn special(&self, path: &str) -> Option<Special> {
        self.special.get(path).and_then(|path| self.files.special(path))
    }
}

impl Tree for CommitTree<'_> {
    fn paths(&self) -> &[String] {
        &self.paths
    }
}
