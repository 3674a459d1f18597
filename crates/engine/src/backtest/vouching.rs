//! Tries new entries for commands out: does an example fail by the old policy and pass by the new one?

use agent_strace_policy::{Caller, Decision, EntryView, Parts, Subject};

use super::change::{Change, Direction, Kind, Version};
use super::words;
use crate::policy_testing::{examples, fails};

/// Changes that may allow more and are seen to do so allow more.
pub(super) fn prove(old: Version<'_>, new: Version<'_>, changes: &mut [Change]) {
    let is_open = |change: &&mut Change| (change.kind, change.direction) == (Kind::Added, Direction::Unknown);
    let mut open = changes.iter_mut().filter(is_open).peekable();
    if open.peek().is_none() {
        return;
    }
    let Some(parts) = Parts::read(&new.plain.to_string()) else { return };
    for change in open {
        let entry = new.policy.entries().find(|entry| is_about(entry, change));
        let newly = entry.filter(|entry| {
            let caller = Caller::default();
            let passes_newly = |calls: &Vec<_>| fails(old.policy, calls, &caller) && !fails(new.policy, calls, &caller);
            examples(entry, &parts).iter().any(passes_newly)
        });
        if let Some(entry) = newly {
            change.direction = Direction::Wider;
            change.meaning = words::added(entry);
        }
    }
}

fn is_about(entry: &EntryView, change: &Change) -> bool {
    (entry.subject, entry.decision) == (Subject::Command, Decision::Allowed)
        && entry.location.file.is_none()
        && entry.name == change.name
        && entry.text == change.text
}
