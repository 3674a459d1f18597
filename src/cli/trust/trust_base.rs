//! Where the files that judge are read from: the disk, or a revision of a repository.

use std::path::Path;

use agent_strace_git::{Blob, GitError};

/// The disk, or a revision, as the source of the files that judge.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct TrustBase<'a> {
    /// A directory in the repository, or the repository itself.
    pub(super) folder: &'a Path,
    /// `None`: the disk.
    pub(in crate::cli) revision: Option<&'a str>,
    /// As the user calls the revision.
    pub(super) name: &'a str,
    /// Paths count from the top of the repository, not from the current directory.
    pub(super) from_top: bool,
}

impl<'a> TrustBase<'a> {
    /// A revision of the repository around the current directory; `None`: the disk.
    pub(in crate::cli) fn at(revision: Option<&'a str>) -> Self {
        Self { folder: Path::new("."), revision, name: revision.unwrap_or_default(), from_top: false }
    }

    /// A file of a revision.
    pub(in crate::cli) fn read(&self, revision: &str, path: &str) -> Result<Blob, GitError> {
        if self.from_top {
            agent_strace_git::read_top(self.folder, revision, path)
        } else {
            agent_strace_git::read_blob(self.folder, revision, path)
        }
    }

    /// The revision as reports name it, with its commit.
    pub(in crate::cli) fn shown(&self, commit: &str) -> String {
        format!("{} ({})", self.name, commit.get(..12).unwrap_or(commit))
    }

    /// As the user calls the revision.
    pub(in crate::cli) fn name(&self) -> &'a str {
        self.name
    }

    /// The directory that git objects are looked for from.
    pub(in crate::cli) fn folder(&self) -> &'a Path {
        self.folder
    }

    /// Whether there are directories above the current one that may hold files that judge.
    pub(in crate::cli) fn is_top(&self) -> bool {
        self.from_top
    }
}
