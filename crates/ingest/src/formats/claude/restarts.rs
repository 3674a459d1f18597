//! Directories in which the host starts a session again: its user resumes it in another work tree, or in a directory that
//! has moved. The records name the branch that each directory has checked out, and only the same branch shows the same
//! repository. Any repository has branches such as `main`.

use std::borrow::Cow;

use agent_strace_model::evidence::Restart;
use agent_strace_model::{EventKind, Session};

/// Branches that many repositories have.
const COMMON: &[&str] = &["HEAD", "dev", "develop", "main", "master", "next", "release", "staging", "trunk"];

/// The directory of a record, and the branch that is checked out there.
pub(super) struct Place<'a> {
    pub(super) directory: Option<Cow<'a, str>>,
    pub(super) branch: Option<Cow<'a, str>>,
}

#[derive(Debug, Default)]
pub(super) struct Restarts<'a> {
    /// The directory of the last record.
    directory: Option<Cow<'a, str>>,
    branch: Option<Cow<'a, str>>,
    /// No record since the last call names a directory, so that the call may have moved the session.
    may_have_moved: bool,
}

impl<'a> Restarts<'a> {
    /// Notes a record of the main conversation, which added the session's events from the index `first` on.
    pub(super) fn note(&mut self, place: Place<'a>, session: &mut Session<'a>, first: usize) {
        let Place { directory, branch } = place;
        let added = session.events.get(first..).unwrap_or_default();
        let Some((directory, event)) = directory.zip(added.first()) else { return };
        let is_other = self.directory.as_ref().is_some_and(|known| *known != directory);
        let is_known = |branch: &Cow<'_, str>| !branch.is_empty() && !COMMON.contains(&branch.as_ref());
        let is_same = branch == self.branch && branch.as_ref().is_some_and(is_known);
        if is_other && is_same && !self.may_have_moved {
            let restart = Restart { event: event.number, directory: directory.clone() };
            session.evidence.restarts.push(restart);
        }
        let acts =
            |kind: &EventKind<'_>| matches!(kind, EventKind::Call(_) | EventKind::Copied(_) | EventKind::Result(_));
        self.may_have_moved = added.iter().any(|event| acts(&event.kind));
        (self.directory, self.branch) = (Some(directory), branch);
    }
}
