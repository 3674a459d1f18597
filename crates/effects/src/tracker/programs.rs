//! The program that judges the agent, in a folder that is deleted or replaced as a whole: the call names the folder alone.

use std::collections::BTreeSet;

use super::Committed;
use crate::command::gate;
use crate::paths::fold_for_deny;
use crate::{Certainty, Effect, Effects, Kind, PathTarget, World, glob};

/// Where the session put the program in the workspace, or may have put it.
#[derive(Debug, Default)]
pub(super) struct Programs {
    put: BTreeSet<String>,
}

impl Programs {
    /// Remembers the files that a call wrote under the name of the program. A call that unpacks or copies something of this name
    /// into a folder may have put it there.
    pub(super) fn note(&mut self, effects: &[Effect]) {
        let mut names_it = None;
        for effect in effects {
            let Kind::Write(target) = &effect.kind else { continue };
            if gate::is_program(&target.path) {
                self.put.insert(target.path.clone());
            } else if target.subtree && *names_it.get_or_insert_with(|| effects.iter().any(is_named)) {
                self.put.insert(format!("{}/{}", target.path, gate::NAME));
            }
        }
    }

    /// Adds the program to what a call deletes or replaces, where it is known to lie in a folder that the call names.
    pub(super) fn name(&self, effects: &mut Effects, committed: &Committed, world: &World) {
        if !effects.iter().any(is_folder) {
            return;
        }
        let tracked = committed.repository.gate_programs().iter();
        let tracked = tracked.map(|file| committed.place(file, world).path);
        let known: BTreeSet<String> = tracked.chain(self.put.iter().cloned()).collect();
        let taken = |effect: &Effect| {
            let target = effect.kind.path()?.clone();
            let inside = known.iter().filter(move |file| holds(&target, effect.certainty, file));
            Some(inside.map(|file| lost(effect, file)).collect::<Vec<_>>())
        };
        let lost: Vec<Effect> = effects.iter().filter(|effect| is_folder(effect)).filter_map(taken).flatten().collect();
        if !lost.is_empty() {
            effects.to_mut().extend(lost);
        }
    }
}

/// Returns the act on the program in the folder, which the session is known to have.
fn lost(effect: &Effect, file: &str) -> Effect {
    let certainty = if effect.certainty == Certainty::Possible { Certainty::Possible } else { Certainty::Exact };
    let lost = effect.on(PathTarget::new(file), certainty);
    Effect { gathered: None, inside: false, via: "folder".into(), ..lost }
}

/// A word of a command names the program.
fn is_named(effect: &Effect) -> bool {
    let Kind::Execute(execution) = &effect.kind else { return false };
    execution.argv.iter().skip(1).any(|word| gate::names(&word.text))
}

/// A folder is deleted, or all files of one are.
fn is_folder(effect: &Effect) -> bool {
    let Kind::Delete(target) = &effect.kind else { return false };
    let is_spelled = target.path != "." && !target.path.starts_with('*');
    is_spelled && (target.subtree || effect.certainty == Certainty::Pattern)
}

fn holds(target: &PathTarget, certainty: Certainty, file: &str) -> bool {
    let (folder, file) = (fold_for_deny(&target.path), fold_for_deny(file));
    match (certainty, target.subtree) {
        (Certainty::Pattern, true) => glob::matches(&format!("{folder}/**"), &file),
        (Certainty::Pattern, false) => glob::matches(&folder, &file),
        _ => file.strip_prefix(folder.as_str()).is_some_and(|below| below.starts_with('/')),
    }
}
