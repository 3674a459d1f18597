//! Where the program that judges the agent lies in the repository, as far as committed files tell.

use std::collections::BTreeSet;

use super::super::command::gate;
use super::Repository;

/// Files in which the repository may call the program: settings and hooks have hidden names, recipes lie at the top.
const FILES: usize = 1000;
/// Bytes of them that are looked at.
const BYTES: usize = 8 << 20;
/// Taken for the place of the program where the files are too many to look at.
const USUAL: &str = "bin/agent-strace";

impl Repository {
    /// The files of its own that are called like the program, and those that its settings, hooks, workflows and recipes call so.
    pub(crate) fn gate_programs(&self) -> &BTreeSet<String> {
        self.programs.get_or_init(|| {
            let tracked = self.tracked_below("").map(|(_, file)| file);
            let mut programs: BTreeSet<String> =
                tracked.filter(|file| gate::is_program(file)).map(str::to_owned).collect();
            programs.extend(self.called_programs());
            programs
        })
    }

    fn called_programs(&self) -> BTreeSet<String> {
        let mut called = BTreeSet::new();
        let Some(contents) = self.contents() else { return called };
        let mut left = BYTES;
        let recipes = self.tracked_below("").filter(|(file, _)| !file.contains('/') && gate::is_recipe(file));
        for (at, (_, file)) in self.tracked_below(".").chain(recipes).enumerate() {
            for content in contents.of(file) {
                let Some(rest) = left.checked_sub(content.len()).filter(|_| at < FILES) else {
                    called.insert(USUAL.to_owned());
                    return called;
                };
                left = rest;
                called.extend(gate::called_in(&String::from_utf8_lossy(&content)));
            }
        }
        called
    }
}
