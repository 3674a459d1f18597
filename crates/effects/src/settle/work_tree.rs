//! The files that exist in the work tree of a session.
//!
//! A set names the files that exist. Who looks at the work tree sees which of them do: before a call runs, or afterwards.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use crate::{Certainty, PathTarget};

/// The work tree, as it is when somebody looks.
pub trait WorkTree: fmt::Debug + Send + Sync {
    /// What its user calls it.
    fn name(&self) -> &str;

    /// The names of its top that sessions may know: absolute and normalised.
    fn tops(&self) -> &[String];

    /// Looks for files below a directory. It counts from the top, and is empty for the top itself.
    fn look(&self, folder: &str) -> Arc<Look>;

    /// The time at which the file, or a link on the way to it, was made or changed last. It counts from the top.
    fn changed(&self, file: &str) -> Option<SystemTime>;

    /// The directories that were looked at so far, sorted.
    fn looks(&self) -> Vec<LookedAt>;
}

/// The files below a directory.
#[derive(Debug, Default)]
pub struct Look {
    /// Sorted, with paths from the top of the work tree.
    pub files: Vec<ExistingFile>,
    /// Nothing was left out: no bound was reached, and everything could be read.
    pub is_complete: bool,
    /// A link leads out of the directory.
    pub has_links: bool,
}

/// A file that exists, or a link to one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExistingFile {
    pub path: String,
    /// Where links on the way lead: from the top of the work tree, or absolute.
    pub leads_to: Option<String>,
}

/// A directory that was looked at, for reports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LookedAt {
    /// From the top of the work tree; `.` for the top itself.
    pub folder: String,
    pub files: usize,
    pub is_complete: bool,
}

impl PathTarget {
    /// The directory below which all of the files lie. `None`: they may lie anywhere.
    pub(crate) fn folder(&self, certainty: Certainty, is_inside: bool) -> Option<&str> {
        let path = self.path.as_str();
        if certainty != Certainty::Pattern {
            return Some(if path == "." { "" } else { path });
        }
        let literal = path.find(['*', '?', '[']).map_or(path, |end| path.get(..end).unwrap_or_default());
        let folder = literal.rsplit_once('/').map(|(folder, _)| folder);
        folder.or_else(|| is_inside.then_some("")).filter(|folder| !folder.is_empty() || is_inside)
    }
}
