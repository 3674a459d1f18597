//! The effects of a word in a role: on the path that it names, or on all paths that start as it does.

use crate::{Certainty, Kind, PathTarget, START};

use super::argument::{Arg, Known};
use super::knowledge::Role;
use super::machine::Machine;

impl Machine<'_> {
    /// `secrets/$f` starts in `secrets`, whatever the variable holds.
    pub(super) fn touch_start(&mut self, role: Role, word: &Arg) {
        let start = word.text.split('*').next().unwrap_or_default();
        let is_fixed = start.contains('/') && !start.contains(['?', '[']) && !start.trim_matches('/').is_empty();
        if word.known != Known::Partly || !is_fixed {
            return;
        }
        let text =
            if word.text.starts_with('~') && !word.tilde { format!("./{}", word.text) } else { word.text.clone() };
        let (target, certainty) = self.world.locate(&text, Certainty::Pattern);
        for kind in kinds(role).iter().map(|kind| kind(target.clone())).filter(|kind| !matches!(kind, Kind::List(_))) {
            self.emit(kind, certainty, START);
        }
    }
}

/// The effects that a word in this role has on the path that it names.
pub(super) fn kinds(role: Role) -> &'static [fn(PathTarget) -> Kind] {
    match role {
        Role::Read | Role::ReadTree | Role::Script | Role::PatternFile => &[Kind::Read],
        Role::Write | Role::WriteTree | Role::WriteInto => &[Kind::Write],
        Role::Edit => &[Kind::Read, Kind::Write],
        Role::Delete | Role::DeleteTree => &[Kind::Delete],
        Role::List | Role::ListTree | Role::Directory => &[Kind::List],
        _ => &[],
    }
}
