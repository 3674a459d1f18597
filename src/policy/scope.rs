//! The lists of one policy text, compiled. A policy holds one, and may hold more that only narrow it.

use crate::finding::PolicyPlace;

use super::command::CommandList;
use super::host::HostList;
use super::parse::{Lists, Rulebook};
use super::path::PathList;

#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) read: PathRules,
    pub(super) write: PathRules,
    /// `None`: what is deleted is judged as if it were written.
    pub(super) delete: Option<PathRules>,
    pub(super) commands: CommandRules,
    pub(super) network: Option<Network>,
}

#[derive(Debug, Default)]
pub(super) struct PathRules {
    pub(super) allow: PathList,
    pub(super) deny: PathList,
    pub(super) ask: PathList,
}

#[derive(Debug, Default)]
pub(super) struct CommandRules {
    pub(super) allow: CommandList,
    pub(super) deny: CommandList,
    pub(super) ask: CommandList,
}

#[derive(Debug)]
pub(super) struct Network {
    /// Where `deny_all` is true.
    pub(super) deny_all: Option<PolicyPlace>,
    pub(super) allow: HostList,
    pub(super) deny: HostList,
    pub(super) ask: HostList,
    pub(super) place: PolicyPlace,
}

impl Scope {
    pub(super) fn new(rulebook: &Rulebook) -> Self {
        Self {
            read: PathRules::new(&rulebook.read),
            write: PathRules::new(&rulebook.write),
            delete: rulebook.delete.as_ref().map(PathRules::new),
            commands: CommandRules {
                allow: CommandList::new(rulebook.commands.allow.as_ref()),
                deny: CommandList::new(rulebook.commands.deny.as_ref()),
                ask: CommandList::new(rulebook.commands.ask.as_ref()),
            },
            network: rulebook.network.as_ref().map(|network| Network {
                deny_all: network.deny_all.clone(),
                allow: HostList::new(network.lists.allow.as_ref()),
                deny: HostList::new(network.lists.deny.as_ref()),
                ask: HostList::new(network.lists.ask.as_ref()),
                place: network.place.clone(),
            }),
        }
    }
}

impl PathRules {
    fn new(lists: &Lists) -> Self {
        Self {
            allow: PathList::new(lists.allow.as_ref()),
            deny: PathList::new(lists.deny.as_ref()),
            ask: PathList::new(lists.ask.as_ref()),
        }
    }

    /// No list has an entry.
    pub(super) fn is_silent(&self) -> bool {
        self.allow.is_empty() && self.forbids_nothing()
    }

    pub(super) fn forbids_nothing(&self) -> bool {
        self.deny.is_empty() && self.ask.is_empty()
    }
}
