//! Files of a revision, commits of a history and the files that a change touches, read as git objects.
//!
//! Nothing is checked out, and no hook or configuration runs. This crate must not know sessions or policies. Start with
//! [`Repository`] and [`change_set`].

mod blobs;
mod branches;
pub mod change_set;
mod commits;
mod diff;
mod history;
mod picked;
mod repository;
mod tree;

#[cfg(test)]
mod tests;

pub use blobs::Blobs;
pub use branches::{MergedInto, default_branches, merged_into};
pub use commits::{Backend, Change, Commit, Id, Person, Revisions, Status};
pub use diff::{
    ChangedFile, Hunk, changed_files, commit_and_parents, ends, grown_from, holds, is_behind, is_branch_name,
};
pub use history::{references, subject, trailers};
pub use picked::Picks;
pub use repository::{Objects, PathOfTree, Repository};
pub use tree::{TreeFile, TreeKind, files, object, tracked};

use std::collections::BTreeMap;
use std::path::Path;

use git2::{ErrorCode, ObjectType, RepositoryOpenFlags, TreeWalkMode, TreeWalkResult};

/// A policy is small. What is larger is not read.
const LARGEST: usize = 4 << 20;

const LINK_MODE: i32 = 0o120_000;

/// A file of a revision.
#[derive(Debug, PartialEq, Eq)]
pub struct Blob {
    pub bytes: Vec<u8>,
    /// The commit the revision stands for, in hex.
    pub commit: String,
}

/// Commits looked at for trailers: the newest ones.
const MAX_COMMITS: usize = 50_000;

/// Why a file can't be had from a revision. None of these may be taken for "there is no policy".
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("not in a git repository: `{0}`")]
    NoRepository(String),
    #[error("git refuses the repository: it belongs to another user")]
    Owner,
    #[error("its objects are named by SHA-256, and this version reads repositories with SHA-1 only")]
    Sha256,
    #[error("the revision `{0}` is not in the repository")]
    NoRevision(String),
    #[error("the revision `{revision}` has no file `{path}`")]
    NoFile { revision: String, path: String },
    #[error("`{0}` is not a plain file in that revision (links and folders are refused)")]
    NotAFile(String),
    #[error("`{0}` leaves the repository or is not a relative path")]
    BadPath(String),
    #[error("`{path}` is larger than {LARGEST} bytes in that revision")]
    TooLarge { path: String },
    #[error(
        "the history of `{0}` is cut short here, so commits of it are missing; fetch it all (`git fetch --unshallow`)"
    )]
    Shallow(String),
    #[error("`{0}` holds more than {MAX_COMMITS} commits; name a shorter range")]
    TooLong(String),
    #[error("`{0}` holds too many files to be looked through")]
    TooManyFiles(String),
    #[error("objects are not in the repository: {0}; fetch all of it or clone it anew, without a filter")]
    Missing(String),
    #[error("this repository can only be read through the `git` program, which is not here: {0}; install git")]
    Unsupported(String),
    #[error("no `git` program that is new enough is in the search path; install git 2.30 or later")]
    NoProgram,
    #[error("the repository can't be read: {0}")]
    Broken(String),
}

/// Reads `path`, given relative to `start`, as it is in `revision` of the repository around `start`.
pub fn read_blob(start: &Path, revision: &str, path: &str) -> Result<Blob, GitError> {
    let repository = open(start)?;
    let commit = commit_of(&repository, revision)?;
    let inside = path_in_repository(&repository, start, path)?;
    blob_of(&repository, revision, &commit, inside)
}

/// The same of a path that counts from the top of the repository.
pub fn read_top(start: &Path, revision: &str, path: &str) -> Result<Blob, GitError> {
    let repository = open(start)?;
    let commit = commit_of(&repository, revision)?;
    blob_of(&repository, revision, &commit, path.to_owned())
}

/// The files of one revision, for many reads: the repository is opened once.
pub struct RevisionFiles {
    repository: git2::Repository,
    revision: String,
    commit: git2::Oid,
}

/// A path of a revision that holds no plain file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Special {
    /// A symlink, with its target as it is stored.
    Link(String),
    /// A commit of another repository.
    Submodule,
}

impl RevisionFiles {
    pub fn open(start: &Path, revision: &str) -> Result<Self, GitError> {
        let repository = open(start)?;
        let commit = commit_of(&repository, revision)?.id();
        Ok(Self { repository, revision: revision.to_owned(), commit })
    }

    /// The link or the submodule at a path from the top; `None`: anything else, or nothing.
    pub fn special(&self, path: &str) -> Result<Option<Special>, GitError> {
        let commit = self.repository.find_commit(self.commit).map_err(|error| broken(&error))?;
        let tree = commit.tree().map_err(|error| broken(&error))?;
        let entry = match tree.get_path(Path::new(path)) {
            Ok(entry) => entry,
            Err(error) if error.code() == ErrorCode::NotFound => return Ok(None),
            Err(error) => return Err(broken(&error)),
        };
        if entry.kind() == Some(ObjectType::Commit) {
            return Ok(Some(Special::Submodule));
        }
        if entry.filemode() != LINK_MODE {
            return Ok(None);
        }
        let blob = self.repository.find_blob(entry.id()).map_err(|error| broken(&error))?;
        Ok(Some(Special::Link(String::from_utf8_lossy(blob.content()).into_owned())))
    }

    /// Reads a file by its path from the top, like [`read_top`].
    pub fn read_top(&self, path: &str) -> Result<Blob, GitError> {
        let commit = self.repository.find_commit(self.commit).map_err(|error| broken(&error))?;
        blob_of(&self.repository, &self.revision, &commit, path.to_owned())
    }
}

/// Where a work tree stands, as far as that can be told.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Standing {
    pub branch: Option<String>,
    pub commit: Option<String>,
    /// Of the remote `origin`, as it is configured.
    pub remote: Option<String>,
    /// The top of the work tree.
    pub top: Option<String>,
}

/// What is checked out at `start`: nothing of it where no repository is there.
pub fn standing(start: &Path) -> Standing {
    let Ok(repository) = open(start) else { return Standing::default() };
    let head = repository.head().ok();
    let branch =
        head.as_ref().filter(|head| head.is_branch()).and_then(|head| head.shorthand().ok().map(str::to_owned));
    let commit = head.and_then(|head| head.peel_to_commit().ok()).map(|commit| commit.id().to_string());
    let remote = repository.find_remote("origin").ok().and_then(|remote| remote.url().ok().map(str::to_owned));
    let top = repository.workdir().and_then(Path::to_str).map(|top| top.trim_end_matches('/').to_owned());
    Standing { branch, commit, remote, top }
}

/// The addresses of all remotes of the repository around `start`, in the order of their names.
pub fn remotes(start: &Path) -> Result<Vec<String>, GitError> {
    let repository = open(start)?;
    let listed = repository.remotes().map_err(|error| broken(&error))?;
    let names: Result<Vec<Option<&str>>, git2::Error> = listed.iter().collect();
    let mut names: Vec<&str> = names.map_err(|error| broken(&error))?.into_iter().flatten().collect();
    names.sort_unstable();
    let address = |name| {
        let remote = repository.find_remote(name).map_err(|error| broken(&error))?;
        Ok(String::from_utf8_lossy(remote.url_bytes()).into_owned())
    };
    names.into_iter().map(address).collect()
}

fn commit_of<'r>(repository: &'r git2::Repository, revision: &str) -> Result<git2::Commit<'r>, GitError> {
    let object = repository.revparse_single(revision).and_then(|object| object.peel_to_commit());
    object.map_err(|_| GitError::NoRevision(revision.to_owned()))
}

fn blob_of(
    repository: &git2::Repository,
    revision: &str,
    commit: &git2::Commit<'_>,
    inside: String,
) -> Result<Blob, GitError> {
    let tree = commit.tree().map_err(|error| broken(&error))?;
    let entry = tree.get_path(Path::new(&inside)).map_err(|error| match error.code() {
        ErrorCode::NotFound => GitError::NoFile { revision: revision.to_owned(), path: inside.clone() },
        _ => broken(&error),
    })?;
    if entry.kind() != Some(ObjectType::Blob) || entry.filemode() == LINK_MODE {
        return Err(GitError::NotAFile(inside));
    }
    let blob = repository.find_blob(entry.id()).map_err(|error| broken(&error))?;
    if blob.size() > LARGEST {
        return Err(GitError::TooLarge { path: inside });
    }
    Ok(Blob { bytes: blob.content().to_vec(), commit: commit.id().to_string() })
}

/// What a revision holds, by paths from where it was looked for. A name that is not UTF-8 can't stand in a log either.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Symlinks, with their targets as stored.
    pub links: BTreeMap<String, String>,
    /// All other files.
    pub files: Vec<String>,
}

/// The files of `revision` at and below `start`, or all of them.
pub fn layout(start: &Path, revision: &str, from_top: bool) -> Result<Layout, GitError> {
    let repository = open(start)?;
    let commit = repository
        .revparse_single(revision)
        .and_then(|object| object.peel_to_commit())
        .map_err(|_| GitError::NoRevision(revision.to_owned()))?;
    let mut tree = commit.tree().map_err(|error| broken(&error))?;
    if !from_top && let Ok(inside) = path_in_repository(&repository, start, ".") {
        let Ok(entry) = tree.get_path(Path::new(&inside)) else { return Ok(Layout::default()) };
        tree = repository.find_tree(entry.id()).map_err(|error| broken(&error))?;
    }
    let mut layout = Layout::default();
    let mut failed = None;
    let walked = tree.walk(TreeWalkMode::PreOrder, |folder, entry| {
        if entry.filemode() == LINK_MODE {
            let name = String::from_utf8_lossy(entry.name_bytes());
            match repository.find_blob(entry.id()) {
                Ok(blob) => {
                    let target = String::from_utf8_lossy(blob.content()).into_owned();
                    layout.links.insert(format!("{folder}{name}"), target);
                }
                Err(error) => failed = Some(broken(&error)),
            }
        } else if entry.kind() == Some(ObjectType::Blob)
            && let Ok(name) = entry.name()
        {
            layout.files.push(format!("{folder}{name}"));
        }
        TreeWalkResult::Ok
    });
    walked.map_err(|error| broken(&error))?;
    failed.map_or(Ok(layout), Err)
}

/// Searches upwards. The check that the repository belongs to this user stays on, and no variable of the environment
/// redirects the search.
fn open(start: &Path) -> Result<git2::Repository, GitError> {
    let none: [&Path; 0] = [];
    git2::Repository::open_ext(start, RepositoryOpenFlags::empty(), none).map_err(|error| match error.code() {
        ErrorCode::NotFound => GitError::NoRepository(start.display().to_string()),
        ErrorCode::Owner => GitError::Owner,
        _ if error.message().contains("unknown object format") => GitError::Sha256,
        _ => broken(&error),
    })
}

/// `start/path` as git names it: relative to the top of the work tree, `/` between components.
fn path_in_repository(repository: &git2::Repository, start: &Path, path: &str) -> Result<String, GitError> {
    let bad = || GitError::BadPath(path.to_owned());
    let absolute = std::path::absolute(start.join(path)).map_err(|_| bad())?;
    let relative = match repository.workdir() {
        None => Path::new(path).to_path_buf(),
        Some(top) => {
            let folder = start.canonicalize().map_err(|_| bad())?;
            let tail = if Path::new(path).is_absolute() { absolute } else { folder.join(path) };
            let top = top.canonicalize().map_err(|_| bad())?;
            tail.strip_prefix(&top).map_err(|_| bad())?.to_path_buf()
        }
    };
    let mut parts: Vec<&str> = Vec::new();
    for component in relative.components() {
        match component {
            std::path::Component::Normal(name) => parts.push(name.to_str().ok_or_else(bad)?),
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                parts.pop().ok_or_else(bad)?;
            }
            _ => return Err(bad()),
        }
    }
    if parts.is_empty() { Err(bad()) } else { Ok(parts.join("/")) }
}

fn broken(error: &git2::Error) -> GitError {
    GitError::Broken(error.message().lines().next().unwrap_or("git gives no reason").to_owned())
}
