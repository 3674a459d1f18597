//! Describes a change of a policy entry by entry, in words: may agents do more or less?
//!
//! The answer is on the safe side: a change that is not known to allow nothing new is said to allow more, perhaps.

use std::collections::BTreeSet;

use serde_json::Value;

use agent_strace_policy::{EntryView, Policy};

use super::lists::{Ground, Group, KindLists, Lists, Pair};
use super::sections::{self, Side};
use super::{rules, vouching};

/// One difference between two policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// `added`, `removed` or `changed`.
    pub kind: Kind,
    /// The entry as the policy that has it calls it (`commands.deny[2]`), the list, or the section.
    pub name: String,
    /// The pattern; empty for a whole list or section.
    pub text: String,
    pub direction: Direction,
    /// One sentence without a full stop.
    pub meaning: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Added,
    Removed,
    Changed,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
        }
    }
}

/// What a change does to what agents may do. Ordered as reports list them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    Wider,
    /// It is not known to allow nothing new.
    Unknown,
    Narrower,
    /// Other entries say the same.
    Same,
}

impl Direction {
    pub fn name(self) -> &'static str {
        match self {
            Self::Wider => "wider",
            Self::Unknown => "unknown",
            Self::Narrower => "narrower",
            Self::Same => "same",
        }
    }

    /// It may allow something that was not allowed.
    pub fn may_widen(self) -> bool {
        matches!(self, Self::Wider | Self::Unknown)
    }
}

/// One policy: its entries, and its file as plain JSON.
#[derive(Clone, Copy)]
pub struct Version<'p> {
    pub policy: &'p Policy,
    pub plain: &'p Value,
}

/// Everything that differs, first the changes that widen, in the order of entries.
pub fn changes(old: Version<'_>, new: Version<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    of_lists(old, new, &mut changes);
    rules::compare(old, new, &mut changes);
    let (before, after) = (pointers(old.policy), pointers(new.policy));
    let sides = (Side { version: old, entries: &before }, Side { version: new, entries: &after });
    sections::compare(sides.0, sides.1, &mut changes);
    if combines_files(old.policy) || combines_files(new.policy) {
        for change in changes.iter_mut().filter(|change| change.direction != Direction::Wider) {
            change.direction = Direction::Unknown;
        }
    }
    vouching::prove(old, new, &mut changes);
    changes.sort_by_key(|change| change.direction);
    changes
}

fn of_lists(old: Version<'_>, new: Version<'_>, changes: &mut Vec<Change>) {
    let (before, after) = (Lists::new(old.policy), Lists::new(new.policy));
    let groups: BTreeSet<&Group> = before.kinds.keys().chain(after.kinds.keys()).collect();
    let nothing = KindLists::default();
    for group in groups {
        let old_lists = before.kinds.get(group).unwrap_or(&nothing);
        let new_lists = after.kinds.get(group).unwrap_or(&nothing);
        let grounds = (Ground::new(old.policy, &before, group), Ground::new(new.policy, &after, group));
        Pair { scope: &group.scope, old: (old_lists, grounds.0), new: (new_lists, grounds.1) }.compare(changes);
    }
}

/// The policy extends a floor and a base. Their entries may stand in each other's place, which is not followed here.
fn combines_files(policy: &Policy) -> bool {
    let extends = policy.identity().map_or(&[][..], |identity| &identity.extends);
    extends.iter().any(agent_strace_policy::Extended::is_floor) && extends.iter().any(|file| !file.is_floor())
}

fn pointers(policy: &Policy) -> BTreeSet<&str> {
    let own = policy.entries().filter(|entry| entry.location.file.is_none());
    own.map(|entry| entry.location.pointer.as_str()).collect()
}

impl Change {
    pub(super) fn of(kind: Kind, entry: &EntryView, direction: Direction, meaning: String) -> Self {
        Self { kind, name: entry.name.clone(), text: entry.text.clone(), direction, meaning }
    }
}
