//! The part of a call that led to an effect.

use super::commands::Command;
use super::recorded::is_notebook;
use super::spelled::Spelled;
use super::touch::Extent;
use crate::lint::edits::Edit;
use agent_strace_effects::{Certainty, Effect, Kind, PathTarget};
use agent_strace_model::Status;

/// The command that led to an effect.
pub(super) struct Cause<'e> {
    spelled: &'e Spelled<'e>,
    via: &'e str,
    /// `None`: a tool, or a redirection of the shell.
    pub(super) command: Option<Command<'e>>,
    /// The call's status tells that it happened.
    pub(super) is_sure: bool,
}

impl<'e> Cause<'e> {
    pub(super) fn of(
        effect: &'e Effect,
        effects: &'e [Effect],
        status: Option<Status>,
        spelled: &'e Spelled<'e>,
    ) -> Self {
        let parent = effect.origin.parent.and_then(|parent| effects.get(parent as usize));
        Self {
            spelled,
            via: &effect.via,
            command: parent.and_then(command_of).filter(|_| effect.via != "redirect"),
            is_sure: status == Some(Status::Ok) && parent.unwrap_or(effect).origin.told
                || parent.is_none() && !matches!(effect.kind, Kind::Execute(_)),
        }
    }

    /// The content of a file that a redirection wrote, where the words of the call hold it.
    pub(super) fn contents(&self, target: &PathTarget, certainty: Certainty) -> Option<Vec<(Edit, Extent)>> {
        let is_one = certainty == Certainty::Exact && !target.subtree && !is_notebook(&target.path);
        if is_one && self.via == "redirect" { self.spelled.contents(&target.path) } else { None }
    }
}

fn command_of(effect: &Effect) -> Option<Command<'_>> {
    match &effect.kind {
        Kind::Execute(execution) => Some(Command::of(execution)),
        _ => None,
    }
}
