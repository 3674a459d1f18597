//! The directory that a shell is in after `cd se*`: the glob is all that is known of it.

use crate::{Certainty, PathTarget, paths};

use super::argument::{Arg, Known};
use super::knowledge::Role;
use super::machine::Machine;
use super::reached::Reached;

/// Longer paths are not followed. Systems allow none.
const LONGEST: usize = 4096;

/// Directories with more wildcards are not followed.
const WILDCARDS: usize = 8;

impl Machine<'_> {
    /// `cd se*; cat key` reads `se*/key`.
    pub(super) fn touch_in_globbed(&mut self, role: Role, word: &Arg, meant: &PathTarget, via: &'static str) {
        let directory = self.shell.globbed_dir.as_deref().filter(|_| self.world.cwd().is_none());
        let name = match word.known {
            Known::Exact if !is_absolute(word) => paths::escaped(&word.text),
            Known::Glob if !is_absolute(word) => word.text.clone(),
            _ => return,
        };
        let Some(path) = directory.map(|directory| format!("{directory}/{name}")) else { return };
        let (target, certainty) = self.world.locate(&path, Certainty::Pattern);
        let target = PathTarget { subtree: meant.subtree, ..target };
        self.touch(role, &target, certainty, via, Reached::Anywhere);
    }

    /// The glob of the directory in which `cd` leaves the shell, where one of its words was a glob.
    pub(super) fn globbed_directory(&self, before: Option<&str>, word: &Arg) -> Option<String> {
        let text = match word.known {
            Known::Exact => paths::escaped(&word.text),
            Known::Glob => word.text.clone(),
            Known::Partly | Known::Not => return None,
        };
        let known = before.filter(|_| word.known == Known::Glob).map(paths::escaped);
        let directory = if is_absolute(word) {
            (word.known == Known::Glob).then_some(text)
        } else {
            let above = known.or_else(|| self.shell.globbed_dir.clone().filter(|_| before.is_none()));
            above.map(|above| format!("{above}/{text}"))
        };
        directory.filter(|directory| directory.len() <= LONGEST && directory.matches('*').count() <= WILDCARDS)
    }
}

fn is_absolute(word: &Arg) -> bool {
    word.tilde || word.text.starts_with('/')
}
