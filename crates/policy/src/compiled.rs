//! The lists of one policy text, compiled. A policy holds one, and may hold more that only narrow it.

use agent_strace_model::finding::{PolicyLocation, RuleId};

use super::Decision;
use super::command::CommandList;
use super::env::Environment;
use super::host::HostList;
use super::name::NamePattern;
use super::own_places::OwnFile;
use super::parse::{Defaults, List, Lists, Matches, Mcp, Rule, Rulebook, Stated};
use super::path::{PathList, PathSet};

#[derive(Debug, Clone, Default)]
pub(super) struct CompiledLists {
    pub(super) defaults: Defaults,
    pub(super) read: Rules<PathList>,
    pub(super) write: Rules<PathList>,
    /// `None`: what is deleted is judged as if it were written.
    pub(super) delete: Option<Rules<PathList>>,
    /// The policy has lists of its own for what is deleted, not only rules.
    pub(super) has_own_delete: bool,
    /// Rules about names alone.
    pub(super) list: Rules<PathList>,
    pub(super) commands: Rules<CommandList>,
    pub(super) network: Network,
    pub(super) env: Environment,
    /// The files of the policy itself, and what judges the agent where this machine keeps it.
    pub(super) judging: Vec<OwnFile>,
    /// Parts of the built-in floor that an exception takes away.
    pub(super) without_floor: Vec<RuleId>,
    pub(super) tools: Tools,
    /// Rules about sub-agents.
    pub(super) spawn: Rules<NameList>,
    /// The same without what forbids mildly, where anything does: a rule that only warns hides nothing that is an error.
    pub(super) firm: Option<Box<Self>>,
}

/// What is said of MCP servers.
#[derive(Debug, Clone, Default)]
pub(super) struct Tools {
    pub(super) default: Option<(Decision, PolicyLocation)>,
    pub(super) servers: Vec<ServerRules>,
}

#[derive(Debug, Clone)]
pub(super) struct ServerRules {
    pub(super) name: NamePattern,
    pub(super) rules: Rules<NameList>,
}

/// Names of tools or agents.
#[derive(Debug, Clone, Default)]
pub(super) struct NameList {
    entries: Vec<(Stated, NamePattern)>,
    /// Where the list stands, if it demands anything.
    pub(super) location: Option<PolicyLocation>,
}

impl NameList {
    fn new(list: Option<&List<NamePattern>>) -> Self {
        let Some(list) = list else { return Self::default() };
        let entries = list.entries.iter().map(|entry| (entry.stated.clone(), entry.pattern.clone())).collect();
        Self { entries, location: Some(list.location.clone()).filter(|_| !list.entries.is_empty()) }
    }

    fn add(&mut self, stated: &Stated, pattern: &NamePattern) {
        self.entries.push((stated.clone(), pattern.clone()));
        self.entries.sort_by_key(|(stated, _)| stated.rank());
    }

    /// Without the entries that are less than an error.
    fn drop_mild(&mut self) {
        self.entries.retain(|(stated, _)| stated.is_firm());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Without one entry, or without what the list demands where it is the list that stands there.
    pub(super) fn drop_location(&mut self, location: &PolicyLocation) {
        self.location.take_if(|own| own == location);
        self.entries.retain(|(stated, _)| stated.location != *location);
    }

    /// As an allow reads it.
    pub(super) fn has(&self, name: &str) -> Option<&Stated> {
        self.entries.iter().find(|(_, pattern)| pattern.is(name)).map(|(stated, _)| stated)
    }

    /// As a deny reads it.
    pub(super) fn may_have(&self, name: &str) -> Option<&Stated> {
        self.entries.iter().find(|(_, pattern)| pattern.may_be(name)).map(|(stated, _)| stated)
    }
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
    pub(super) deny_all: Option<PolicyLocation>,
    pub(super) rules: Rules<HostList>,
    /// Where the policy has a part about the network.
    pub(super) location: Option<PolicyLocation>,
}

impl<L> Rules<L> {
    /// The list of a decision.
    fn of(&mut self, decision: Decision) -> &mut L {
        match decision {
            Decision::Denied => &mut self.deny,
            Decision::Asked => &mut self.ask,
            Decision::Allowed | Decision::Unruled | Decision::Unresolved => &mut self.allow,
        }
    }
}

impl CompiledLists {
    /// With the files that the policy was read from: who is judged by them may not change them.
    pub(super) fn guarding<'p>(self, paths: impl Iterator<Item = &'p str>) -> Self {
        self.with_own(paths.map(OwnFile::of_policy).collect())
    }

    /// With more files that the agent may not change.
    pub(super) fn with_own(self, files: Vec<OwnFile>) -> Self {
        let judging: Vec<OwnFile> = self.judging.into_iter().chain(files).collect();
        let firm = self.firm.map(|firm| Box::new(Self { judging: judging.clone(), ..*firm }));
        Self { judging, firm, ..self }
    }

    pub(super) fn new(rulebook: &Rulebook) -> Self {
        let mut lists = Self::of_lists(rulebook);
        for rule in &rulebook.rules {
            lists.add(rule);
        }
        // What is deleted is also written, unless there are lists for it: rules about deletes come on top.
        let deletes = |rule: &&Rule| matches!(rule.matches, Matches::Delete(_));
        if lists.delete.is_none() && rulebook.rules.iter().any(|rule| deletes(&rule)) {
            lists.delete = Some(lists.write.clone());
        }
        if let Some(delete) = &mut lists.delete {
            for rule in rulebook.rules.iter().filter(deletes) {
                if let Matches::Delete(paths) = &rule.matches {
                    delete.of(rule.effect).add(&rule.stated, paths);
                }
            }
        }
        if rulebook.rules.iter().any(|rule| rule.effect != Decision::Allowed && !rule.stated.is_firm()) {
            lists.firm = Some(Box::new(lists.firmly()));
        }
        lists
    }

    /// Without what forbids mildly.
    fn firmly(&self) -> Self {
        let mut lists = self.clone();
        let files = [Some(&mut lists.read), Some(&mut lists.write), Some(&mut lists.list), lists.delete.as_mut()];
        for rules in files.into_iter().flatten() {
            rules.deny.drop_mild();
            rules.ask.drop_mild();
        }
        lists.commands.deny.drop_mild();
        lists.commands.ask.drop_mild();
        lists.network.rules.deny.drop_mild();
        lists.network.rules.ask.drop_mild();
        lists.env.drop_mild();
        for rules in lists.tools.servers.iter_mut().map(|server| &mut server.rules).chain([&mut lists.spawn]) {
            rules.deny.drop_mild();
            rules.ask.drop_mild();
        }
        lists
    }

    /// One rule and nothing else.
    pub(super) fn of_rule(rule: &Rule) -> Self {
        Self::new(&Rulebook { rules: vec![rule.clone()], ..Rulebook::default() })
    }

    fn add(&mut self, rule: &Rule) {
        let (stated, effect) = (&rule.stated, rule.effect);
        match &rule.matches {
            Matches::Exec(command) => self.commands.of(effect).add(stated, command),
            Matches::Read(paths) => self.read.of(effect).add(stated, paths),
            Matches::Write(paths) => self.write.of(effect).add(stated, paths),
            Matches::List(paths) => self.list.of(effect).add(stated, paths),
            // When all rules about writes are there.
            Matches::Delete(_) => {}
            Matches::Net(hosts) => {
                for host in hosts {
                    self.network.rules.of(effect).add(stated, host);
                }
            }
            Matches::Spawn(names) => {
                for name in names {
                    self.spawn.of(effect).add(stated, name);
                }
            }
            Matches::Env(variables) => {
                let list = self.env.rules.of(effect);
                list.extend(variables.iter().map(|variable| (stated.clone(), variable.clone())));
            }
            Matches::Mcp { server, tools } => {
                let mut part = ServerRules { name: NamePattern::clone(server), rules: Rules::default() };
                for tool in tools {
                    part.rules.of(effect).add(stated, tool);
                }
                self.tools.servers.push(part);
            }
        }
    }

    fn of_lists(rulebook: &Rulebook) -> Self {
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
            has_own_delete: rulebook.delete.is_some(),
            tools: rulebook.mcp.as_ref().map(tools).unwrap_or_default(),
            list: Rules::default(),
            spawn: Rules::default(),
            firm: None,
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
        location: Some(stated.location.clone()),
    }
}

fn tools(stated: &Mcp) -> Tools {
    let servers = stated.servers.iter().map(|server| ServerRules {
        name: server.name.clone(),
        rules: Rules {
            allow: NameList::new(server.lists.allow.as_ref()),
            deny: NameList::new(server.lists.deny.as_ref()),
            ask: NameList::new(server.lists.ask.as_ref()),
        },
    });
    Tools { default: stated.default.clone(), servers: servers.collect() }
}
