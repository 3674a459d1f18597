//! Carries what one session left behind into the session that comes after it.

use std::sync::{Arc, PoisonError};

use super::aliases::Original;
use super::written::Written;
use super::{ENTRIES, World, paths};
use crate::Certainty;

/// Bytes of contents that a session hands on. The run keeps them for every session at once; a file beyond them has an unknown
/// content.
const CONTENTS: usize = 512 * 1024;

/// Files and other names of files that a session left behind.
#[derive(Debug, Clone, Default)]
pub struct Left {
    root: Option<String>,
    written: Vec<(String, Arc<Written>)>,
    aliases: Vec<(String, Vec<Original>)>,
    /// The session made more than it could keep.
    forgetful: bool,
    /// An act of the session may have changed the programs or settings with which a shell starts.
    prepared: bool,
    /// An act of the session may have brought in code of others.
    has_code_of_others: bool,
}

impl Left {
    pub fn is_empty(&self) -> bool {
        self.written.is_empty()
            && self.aliases.is_empty()
            && !self.forgetful
            && !self.prepared
            && !self.has_code_of_others
    }

    /// Returns whether a later session may meet what is left without running a program that it names: through a link, or
    /// through a file that git, a shell or the search for programs reads by itself.
    pub fn acts_by_itself(&self) -> bool {
        let is_read_by_others = |path: &str| {
            let mut folders = path.split('/').rev().skip(1);
            path.starts_with("~/.") || folders.any(|folder| folder.starts_with('.') || folder.ends_with("bin"))
        };
        self.forgetful
            || self.aliases.iter().any(|(_, originals)| originals.iter().any(Original::is_link))
            || self.written.iter().any(|(path, _)| is_read_by_others(path))
    }
}

/// Files that a session hands on as those that it ran.
const ASKED: usize = 1024;

/// Returns whether others decide by this file what a program does that reads it by itself.
fn is_recipe(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.split('/').any(|part| matches!(part, "hooks" | ".husky" | ".bin")) || RECIPES.contains(&name)
}

/// Files that programs read by themselves to decide what to run.
const RECIPES: &[&str] = &[
    "package.json",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "justfile",
    "Justfile",
    "Taskfile.yml",
    "Rakefile",
    "conftest.py",
    "setup.py",
    "setup.cfg",
    "pyproject.toml",
    "tox.ini",
    "noxfile.py",
    "build.rs",
    "build.gradle",
    "build.gradle.kts",
    "pom.xml",
    "composer.json",
    "deno.json",
    ".envrc",
];

/// A path of a session as the whole machine has it.
fn absolute(root: Option<&str>, path: &str) -> String {
    let is_inside = !path.starts_with(['/', '~', '*']) && path.as_bytes().get(1) != Some(&b':');
    match root.filter(|_| is_inside) {
        Some(root) => format!("{}/{path}", root.trim_end_matches('/')),
        None => path.to_owned(),
    }
}

/// Normalises a path, with one name for all home directories.
fn on_machine(root: Option<&str>, path: &str) -> String {
    paths::in_home(&absolute(root, path)).into_owned()
}

impl Left {
    /// The files that were written, by their names on the whole machine, and whether a program may read each by itself.
    pub fn files(&self) -> impl Iterator<Item = (String, bool)> {
        self.written.iter().map(|(path, _)| (on_machine(self.root.as_deref(), path), is_recipe(path)))
    }

    /// The directory from which the paths of the session count, as [`Self::files`] names what lies in it.
    pub fn directory(&self) -> Option<String> {
        self.root.as_deref().map(|root| on_machine(Some(root), root))
    }
}

impl World {
    /// A file ran that the session may not have written.
    pub(crate) fn ask_for(&self, path: &str) {
        let mut asked = self.asked_for.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.len() < ASKED && !self.holds(path) {
            asked.insert(path.to_owned());
        }
    }

    /// Files that ran, and that the session may not have written, by their names on the whole machine.
    pub(crate) fn asked_for(&self) -> Vec<String> {
        let asked = self.asked_for.lock().unwrap_or_else(PoisonError::into_inner);
        asked.iter().map(|path| on_machine(self.root.as_deref(), path)).collect()
    }

    /// Returns what the session has left behind.
    pub(crate) fn left(&self) -> Left {
        let mut room = CONTENTS;
        let hand_on = |(path, written): (&str, &Arc<Written>)| {
            let fits = written.length() <= room;
            room -= if fits { written.length() } else { 0 };
            (path.to_owned(), if fits { Arc::clone(written) } else { Arc::default() })
        };
        Left {
            root: self.root.clone(),
            written: self.written.iter().map(hand_on).collect(),
            aliases: self.aliases.iter().map(|(alias, originals)| (alias.to_owned(), originals.clone())).collect(),
            forgetful: self.forgetful,
            prepared: self.prepared,
            has_code_of_others: self.has_code_of_others,
        }
    }

    /// Takes over what an earlier session left behind. Somebody else may have changed a file since, so each file may also hold
    /// a text that nobody recorded.
    pub(crate) fn inherit(&mut self, left: &Left) {
        for (path, written) in &left.written {
            let path = self.as_here(left, path);
            let known = self.content(&path);
            let either = known.map_or_else(|| written.uncertain(), |known| known.or(Some(written)).uncertain());
            self.has_others |= !either.others().is_empty();
            self.put_at(&path, either);
        }
        let room = ENTRIES.saturating_sub(self.aliases.len());
        self.prepared |= left.prepared;
        self.has_code_of_others |= left.has_code_of_others;
        self.forgetful |= left.forgetful || left.aliases.len() > room;
        for (alias, originals) in left.aliases.iter().take(room) {
            let alias = self.as_here(left, alias);
            let originals = originals.iter().map(|original| original.moved(|path| self.as_here(left, path)));
            let originals: Vec<Original> = originals.collect();
            self.add_alias(&alias, originals);
        }
    }

    /// Returns a path of the earlier session as this one names it.
    fn as_here(&self, left: &Left, path: &str) -> String {
        let Some(root) = left.root.as_deref().filter(|root| Some(*root) != self.root.as_deref()) else {
            return path.to_owned();
        };
        self.locate(&absolute(Some(root), path), Certainty::Exact).0.path
    }
}
