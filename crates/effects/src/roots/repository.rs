//! The judged repository, as far as it is known apart from any session.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use super::super::paths;
use super::super::{Contents, Links};
use super::candidates::DEPTH;

/// The facts about the judged repository. All paths in it count from its top.
#[derive(Debug, Clone, Default)]
pub struct Repository {
    /// Symlinks that are committed.
    pub links: Links,
    /// Files at the base of the change, or at what is checked out.
    files: BTreeSet<String>,
    /// The directories of all these files, and of those that the change touches.
    folders: BTreeSet<String>,
    /// Folders whose names hold capital letters, in lower case.
    lower_folders: BTreeSet<String>,
    /// The directories with the endings of the files in them.
    endings: BTreeSet<(String, String)>,
    /// Files that the change touches.
    changed: BTreeSet<String>,
    /// All of these, folded and sorted, once somebody asks.
    tracked: OnceLock<Vec<(String, String)>>,
    /// Where the program that judges the agent lies in it, once somebody asks.
    pub(super) programs: OnceLock<BTreeSet<String>>,
    /// The manifests of its packages for cargo by the names of these, once somebody asks.
    pub(super) crates: OnceLock<BTreeMap<String, BTreeSet<String>>>,
    /// The contents of these files, where they can be read.
    contents: Option<Arc<dyn Contents>>,
    /// The directory of the policy; empty at the top.
    policy_folder: String,
    /// The policy lies above the directory from which paths of the change count.
    policy_is_above: bool,
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

    /// Adds what reads the contents of committed files.
    #[must_use]
    pub fn with_contents(self, contents: Arc<dyn Contents>) -> Self {
        Self { contents: Some(contents), ..self }
    }

    pub(crate) fn contents(&self) -> Option<&dyn Contents> {
        self.contents.as_deref()
    }

    /// Its files at the base, and those that the change touches, whose paths begin so: folded as denies compare them, with the
    /// path as it is.
    pub fn tracked_below(&self, prefix: &str) -> impl Iterator<Item = (&str, &str)> {
        let all = self.tracked.get_or_init(|| {
            let files = self.files.union(&self.changed);
            let mut all: Vec<(String, String)> = files.map(|file| (paths::fold_for_deny(file), file.clone())).collect();
            all.sort();
            all
        });
        let start = all.partition_point(|(folded, _)| folded.as_str() < prefix);
        let below = all.get(start..).unwrap_or_default().iter();
        let prefix = prefix.to_owned();
        below
            .take_while(move |(folded, _)| folded.starts_with(&prefix))
            .map(|(folded, file)| (folded.as_str(), file.as_str()))
    }

    /// The policy lies in this directory, and its paths count from there.
    #[must_use]
    pub fn with_policy_in(self, folder: &str) -> Self {
        Self { policy_folder: folder.to_owned(), ..self }
    }

    /// The policy lies above the current directory, from which the files of a change count.
    #[must_use]
    pub fn with_policy_above(self) -> Self {
        Self { policy_is_above: true, ..self }
    }

    /// Returns whether paths of a change count from the same directory as the entries of the policy.
    pub fn counts_like_policy(&self) -> bool {
        self.policy_folder.is_empty() && !self.policy_is_above
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
    pub(crate) fn has_file(&self, path: &str) -> bool {
        self.files.contains(path) || self.changed.contains(path)
    }

    pub(super) fn has_folder(&self, path: &str) -> bool {
        self.folders.contains(path)
    }

    /// Like [`Self::has_folder`], for systems that take names with other capital letters for the same.
    pub(super) fn has_folder_in_any_case(&self, path: &str) -> bool {
        let lower = path.to_lowercase();
        self.folders.contains(&lower) || self.lower_folders.contains(&lower)
    }

    /// Returns whether it has the file, or the directory at the start of its way.
    pub(super) fn has_start_of(&self, path: &str) -> bool {
        self.has_file(path) || path.split_once('/').is_some_and(|(start, _)| self.has_folder(start))
    }

    /// Returns whether it has files with the same ending in the same directory.
    pub(super) fn has_like(&self, path: &str) -> bool {
        ending(path).is_some_and(|ending| self.endings.contains(&ending))
    }

    pub(super) fn has_files(&self) -> bool {
        !self.files.is_empty() || !self.changed.is_empty()
    }

    /// The ends of an absolute path that are files of the repository, the longest first, with the directory before each. A
    /// bare name says too little: every repository has a `README.md`.
    pub(super) fn tails_in<'p>(&self, path: &'p str) -> impl Iterator<Item = (&'p str, &'p str)> {
        let ends = path.match_indices('/').take(DEPTH);
        let pairs = ends.filter_map(|(at, _)| Some((path.get(..at)?, path.get(at + 1..)?)));
        pairs.filter(|(top, end)| !top.is_empty() && end.contains('/') && self.has_file(end))
    }

    /// The regular file is the same at the base and at the head of the change.
    pub fn keeps(&self, file: &str) -> bool {
        self.has_changes() && self.files.contains(file) && !self.changes(file) && !self.links.contains_key(file)
    }

    pub(super) fn changes(&self, path: &str) -> bool {
        self.changed.contains(path)
    }

    pub(super) fn has_changes(&self) -> bool {
        !self.changed.is_empty()
    }

    fn add_folders(&mut self, file: &str) {
        self.endings.extend(ending(file));
        for (at, _) in file.rmatch_indices('/') {
            let Some(folder) = file.get(..at) else { return };
            // The directories above it are known with it.
            if self.folders.contains(folder) {
                return;
            }
            if folder.contains(char::is_uppercase) {
                self.lower_folders.insert(folder.to_lowercase());
            }
            self.folders.insert(folder.to_owned());
        }
    }
}

/// The directory and the ending of a file.
fn ending(path: &str) -> Option<(String, String)> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (_, ending) = name.rsplit_once('.')?;
    Some((folder.to_owned(), ending.to_owned()))
}
