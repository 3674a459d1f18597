//! Where the files that judge are read from: the disk, or a revision of a repository.

use std::path::Path;

use agent_strace_git::{Blob, GitError};

/// The disk, or a revision.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Ground<'a> {
    /// A directory in the repository, or the repository itself.
    folder: &'a Path,
    /// `None`: the disk.
    pub(in crate::cli) revision: Option<&'a str>,
    /// As the user calls the revision.
    name: &'a str,
    /// Paths count from the top of the repository, not from the current directory.
    from_top: bool,
}

impl<'a> Ground<'a> {
    /// A revision of the repository around the current directory; `None`: the disk.
    pub(in crate::cli) fn at(revision: Option<&'a str>) -> Self {
        Self { folder: Path::new("."), revision, name: revision.unwrap_or_default(), from_top: false }
    }

    pub(super) fn new((folder, from_top): (&'a Path, bool), revision: Option<(&'a str, &'a str)>) -> Self {
        let (revision, name) = revision.map_or((None, ""), |(name, commit)| (Some(commit), name));
        Self { folder, revision, name, from_top }
    }

    /// A file of a revision.
    pub(in crate::cli) fn read(&self, revision: &str, path: &str) -> Result<Blob, GitError> {
        if self.from_top {
            agent_strace_git::read_top(self.folder, revision, path)
        } else {
            agent_strace_git::read_blob(self.folder, revision, path)
        }
    }

    /// The revision as reports name it, with the commit that it stands for.
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
