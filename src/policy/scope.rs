//! The lists of one policy text, compiled. A policy holds one, and may hold more that only narrow it.

use crate::finding::{PolicyPlace, RuleId};

use super::command::CommandList;
use super::env::Environment;
use super::host::HostList;
use super::parse::{Defaults, Lists, Rulebook};
use super::path::{OwnRule, PathList, PathSet, is_anchored};

#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    pub(super) defaults: Defaults,
    pub(super) read: Rules<PathList>,
    pub(super) write: Rules<PathList>,
    /// `None`: what is deleted is judged as if it were written.
    pub(super) delete: Option<Rules<PathList>>,
    pub(super) commands: Rules<CommandList>,
    pub(super) network: Network,
    pub(super) env: Environment,
    /// The files of the policy itself.
    pub(super) judging: Vec<OwnRule>,
    /// Parts of the built-in floor that an exception takes away.
    pub(super) without_floor: Vec<RuleId>,
}

/// What is said of one kind of effect.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules<L> {
    pub(super) allow: L,
    pub(super) deny: L,
    pub(super) ask: L,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Network {
    /// Where `deny_all` is true.
    pub(super) deny_all: Option<PolicyPlace>,
    pub(super) rules: Rules<HostList>,
    /// Where the policy has a part about the network.
    pub(super) place: Option<PolicyPlace>,
}

impl Scope {
    /// With the files that the policy was read from: who is judged by them may not change them.
    pub(super) fn guarding<'p>(self, paths: impl Iterator<Item = &'p str>) -> Self {
        Self { judging: paths.filter(|path| !is_anchored(path)).map(OwnRule::of_file).collect(), ..self }
    }

    pub(super) fn new(rulebook: &Rulebook) -> Self {
        Self {
            defaults: rulebook.defaults.clone(),
            read: paths(&rulebook.read),
            write: paths(&rulebook.write),
            delete: rulebook.delete.as_ref().map(paths),
            commands: Rules {
                allow: CommandList::new(rulebook.commands.allow.as_ref()),
                deny: CommandList::new(rulebook.commands.deny.as_ref()),
                ask: CommandList::new(rulebook.commands.ask.as_ref()),
            },
            env: rulebook.env.clone(),
            network: rulebook.network.as_ref().map(network).unwrap_or_default(),
            judging: Vec::new(),
            without_floor: Vec::new(),
        }
    }
}

fn paths(lists: &Lists<PathSet>) -> Rules<PathList> {
    Rules {
        allow: PathList::new(lists.allow.as_ref()),
        deny: PathList::new(lists.deny.as_ref()),
        ask: PathList::new(lists.ask.as_ref()),
    }
}

fn network(stated: &super::parse::Network) -> Network {
    Network {
        deny_all: stated.deny_all.clone(),
        rules: Rules {
            allow: HostList::new(stated.lists.allow.as_ref()),
            deny: HostList::new(stated.lists.deny.as_ref()),
            ask: HostList::new(stated.lists.ask.as_ref()),
        },
        place: Some(stated.place.clone()),
    }
}
