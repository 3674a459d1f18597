//! The judged repository, as far as it is known apart from any session.

use std::collections::BTreeSet;

use super::super::Links;
use super::super::paths;

/// The facts about the judged repository. All paths in it count from its top.
#[derive(Debug, Clone, Default)]
pub struct Repository {
    /// Symlinks that are committed.
    pub links: Links,
    /// Files at the base of the change, or at what is checked out.
    files: BTreeSet<String>,
    /// The directories of all these files, and of those that the change touches.
    folders: BTreeSet<String>,
    /// Files that the change touches.
    changed: BTreeSet<String>,
    /// The directory of the policy; empty at the top.
    policy_folder: String,
    /// The directory in which it is checked out where the judge runs.
    place: Option<String>,
    /// Directories that the caller says are its top: for sessions that ran in one, nothing else is asked.
    stated: Vec<String>,
}

impl Repository {
    /// A repository of which nothing but its committed links is known.
    pub fn of_links(links: Links) -> Self {
        Self { links, ..Self::default() }
    }

    #[must_use]
    pub fn with_files(mut self, files: impl IntoIterator<Item = String>) -> Self {
        for file in files {
            self.add_folders(&file);
            self.files.insert(file);
        }
        self
    }

    /// Adds the files that the change touches.
    #[must_use]
    pub fn with_change<'f>(mut self, files: impl IntoIterator<Item = &'f str>) -> Self {
        for file in files {
            self.add_folders(file);
            self.changed.insert(file.to_owned());
        }
        self
    }

    /// The policy lies in this directory, and its paths count from there.
    #[must_use]
    pub fn with_policy_in(self, folder: &str) -> Self {
        Self { policy_folder: folder.to_owned(), ..self }
    }

    /// It is checked out at this absolute directory.
    #[must_use]
    pub fn at(self, place: Option<&str>) -> Self {
        Self { place: place.and_then(paths::root), ..self }
    }

    /// These directories are its top, wherever a session ran.
    #[must_use]
    pub fn with_stated<'r>(self, roots: impl IntoIterator<Item = &'r str>) -> Self {
        Self { stated: roots.into_iter().filter_map(paths::root).collect(), ..self }
    }

    pub(super) fn policy_folder(&self) -> &str {
        &self.policy_folder
    }

    pub(super) fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    pub(super) fn stated(&self) -> &[String] {
        &self.stated
    }

    /// Returns whether the base or the change holds the file.
    pub(super) fn has_file(&self, path: &str) -> bool {
        self.files.contains(path) || self.changed.contains(path)
    }

    pub(super) fn has_folder(&self, path: &str) -> bool {
        self.folders.contains(path)
    }

    pub(super) fn changes(&self, path: &str) -> bool {
        self.changed.contains(path)
    }

    pub(super) fn has_changes(&self) -> bool {
        !self.changed.is_empty()
    }

    fn add_folders(&mut self, file: &str) {
        for (at, _) in file.rmatch_indices('/') {
            let Some(folder) = file.get(..at) else { return };
            // The directories above it are known with it.
            if self.folders.contains(folder) {
                return;
            }
            self.folders.insert(folder.to_owned());
        }
    }
}
