//! All commits of a range with their messages and the paths they change, whichever program is at hand.
//!
//! There are two backends. [`Backend::Binary`] runs the `git` program, which takes about half the time;
//! [`Backend::Library`] needs nothing but this program. They deliver the same commits with the same fields, in an order
//! that is not specified. Neither runs anything the repository names, and neither believes what hides commits:
//! replacements, grafts, commit graphs and dates.
//!
//! # What a commit changes
//!
//! One with a parent is compared with it, one without with the empty tree, and a merge with all of its parents: its
//! changes are the paths that differ from each of them, told against the first. The oldest commit of a shallow clone
//! has all its files as changes, since its parents aren't here, though [`Commit::parents`] counts them. Renames are a
//! deletion and an addition. Submodules are files of mode 160000.

mod batch;
mod binary;
mod id;
mod library;
pub(super) mod output;
pub(super) mod program;
mod range;
mod raw;
pub(super) mod trees;

#[cfg(test)]
mod tests;

pub use id::Id;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

use batch::Delivery;
use range::Selection;

pub(super) use library::Library;
pub(super) use program::Program;
pub(super) use range::Names;
pub(super) use trees::MAX_DEPTH;

use super::GitError;

/// Which commits are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Revisions {
    /// Of the history of `HEAD`, those that are dated at or after the moment, and all descendants of these.
    Since(jiff::Timestamp),
    /// `A..B` and `A...B`: what `B` has and `A` hasn't (for three dots, too: what a pull request adds). Or one revision
    /// with all its history. An empty side is `HEAD`.
    Range(String),
    /// The history of every reference (branches, tags, notes, pull requests) and of `HEAD`.
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// The `git` program where there is one that is new enough, else the library.
    Auto,
    Library,
    Binary,
}

/// A person as the commit names them, in the bytes and the encoding it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Person<'b> {
    pub name: &'b [u8],
    pub email: &'b [u8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Commit<'b> {
    pub id: Id,
    /// How many it names.
    pub parents: usize,
    pub author: Person<'b>,
    pub committer: Person<'b>,
    /// The author's date, which a rebase keeps; 0 where it can't be read.
    pub authored: i64,
    /// The committer's date; 0 where it can't be read.
    pub seconds: i64,
    /// The bytes as stored: the first MiB of them.
    pub message: &'b [u8],
    /// What the commit says its encoding is; UTF-8 where it says nothing.
    pub encoding: Option<&'b [u8]>,
    pub changes: &'b [Change<'b>],
    /// Whether these are more changes of the commit that was handed over before: one that has more than
    /// [`batch::MOST_CHANGES`] comes in parts.
    pub continued: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change<'b> {
    pub status: Status,
    /// As git writes it in octal; 0 where there was no file.
    pub(crate) old_mode: u32,
    /// 0 where the file is deleted.
    pub mode: u32,
    /// The file as it is after the commit; zero where it is deleted.
    pub id: Id,
    pub path: &'b [u8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    Added,
    Modified,
    Deleted,
    /// A file became a link or a submodule, or the other way round.
    TypeChanged,
}

impl Status {
    pub fn of(old_mode: u32, mode: u32) -> Self {
        const KIND: u32 = 0o170_000;
        match (old_mode, mode) {
            (0, _) => Self::Added,
            (_, 0) => Self::Deleted,
            _ if old_mode & KIND != mode & KIND => Self::TypeChanged,
            _ => Self::Modified,
        }
    }
}

/// How a walk went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// Commits handed over.
    pub commits: u64,
    pub backend: &'static str,
    /// Why commits of the range are missing here.
    pub cut: Option<String>,
}

/// Takes a commit and says whether to go on.
pub(crate) type Each<'e> = dyn FnMut(&Commit<'_>) -> ControlFlow<()> + 'e;

/// Where the commits come from.
pub(super) enum Source<'s> {
    Library(&'s Library),
    Binary(&'s Program),
}

/// Hands over the commits of the range. An error may come after some of them: then others are missing.
pub(super) fn commits(
    source: &Source<'_>,
    common_folder: &Path,
    revisions: &Revisions,
    each: &mut Each<'_>,
) -> Result<History, GitError> {
    let boundary = boundary(common_folder)?;
    let mut delivery = Delivery::new(each, &boundary);
    let names: &dyn Names = match source {
        Source::Library(library) => *library,
        Source::Binary(program) => *program,
    };
    let selection = Selection::resolve(names, revisions)?;
    match source {
        Source::Library(library) => library::commits(library, &selection, &boundary, &mut delivery)?,
        Source::Binary(program) => binary::commits(program, selection, &mut delivery)?,
    }
    let cut = match delivery.cut {
        0 => None,
        1 => Some("the clone is shallow and the parents of 1 commit are not here".to_owned()),
        many => Some(format!("the clone is shallow and the parents of {many} commits are not here")),
    };
    let backend = if matches!(source, Source::Library(_)) { "libgit2" } else { "git" };
    let advice = |reason: String| format!("{reason}; fetch them (`git fetch --unshallow`)");
    Ok(History { commits: delivery.commits, backend, cut: cut.map(advice) })
}

/// Commits of a shallow clone whose parents were left out.
pub(super) fn boundary(common_folder: &Path) -> Result<BTreeSet<Id>, GitError> {
    match std::fs::read(common_folder.join("shallow")) {
        Ok(list) => Ok(list.split(|byte| *byte == b'\n').filter_map(|line| Id::from_hex(line.trim_ascii())).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(_) => Err(GitError::Broken("its list of shallow commits is not readable".to_owned())),
    }
}
