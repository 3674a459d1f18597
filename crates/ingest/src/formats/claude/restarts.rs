//! Directories in which the host starts a session again: its user resumes it in another work tree, or in a directory that
//! has moved.

use std::borrow::Cow;

use agent_strace_model::{EventKind, Restart, Session};

#[derive(Debug, Default)]
pub(super) struct Restarts<'a> {
    /// The directory of the last record.
    directory: Option<Cow<'a, str>>,
    /// No record since the last call names a directory, so that the call may have moved the session.
    may_have_moved: bool,
}

impl<'a> Restarts<'a> {
    /// Notes a record of the main conversation, which added the session's events from the index `first` on.
    pub(super) fn note(&mut self, directory: Option<Cow<'a, str>>, session: &mut Session<'a>, first: usize) {
        let added = session.events.get(first..).unwrap_or_default();
        let Some((directory, event)) = directory.zip(added.first()) else { return };
        let is_other = self.directory.as_ref().is_some_and(|known| *known != directory);
        if is_other && !self.may_have_moved {
            let restart = Restart { event: event.number, directory: directory.clone() };
            session.restarts.push(restart);
        }
        let acts =
            |kind: &EventKind<'_>| matches!(kind, EventKind::Call(_) | EventKind::Copied(_) | EventKind::Result(_));
        self.may_have_moved = added.iter().any(|event| acts(&event.kind));
        self.directory = Some(directory);
    }
}
