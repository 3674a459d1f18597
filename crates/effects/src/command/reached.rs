//! Files that a command names, and files that a program gathers itself.

use crate::{Certainty, Effect, Kind, PathTarget};

use super::argument::{Arg, Known};
use super::knowledge::Role;
use super::machine::Machine;

/// The way in which a program gets at files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reached {
    /// A word names them, or nothing is known of them.
    Named,
    /// It finds those that exist, below a directory or by a glob that may lead anywhere.
    Anywhere,
    /// It finds those that exist below a directory of the workspace.
    Inside,
}

impl Machine<'_> {
    /// All that lies below a directory is deleted with it.
    pub(super) fn way_to(&self, role: Role, word: &Arg, target: &PathTarget, certainty: Certainty) -> Reached {
        let deletes = matches!(role, Role::Delete | Role::DeleteTree);
        let gathers = word.known == Known::Glob || target.subtree && !deletes && word.is_exact();
        match certainty {
            Certainty::Possible => Reached::Named,
            _ if !gathers => Reached::Named,
            _ if !word.tilde && self.world.starts_inside(&word.text) => Reached::Inside,
            _ => Reached::Anywhere,
        }
    }

    /// Emits an effect on files that the program gathers itself.
    pub(super) fn emit_gathered(&mut self, kind: Kind, certainty: Certainty, via: &'static str, reached: Reached) {
        let via = self.emitter.via(self.context.via, via);
        let unsure = self.context.guessed || self.context.perhaps;
        let certainty = if unsure { certainty.guessed() } else { certainty };
        let gathered = Some(self.context.purpose);
        let inside = reached == Reached::Inside;
        self.emitter.emit(Effect { kind, certainty, via, gathered, inside, origin: self.origin() });
    }
}
