//! The keys `files`, `commands` and `network`: the lists that judge, at the root or in a part for some agents.

use crate::builtin::{BUILTIN, builtin};
use crate::grammar;

use super::pattern::{self, Pattern};
use super::{Data, Document, Entry, Key, List, Lists, Network, Parser, Rulebook, Stated, Value, Version, dotted};

/// The code that an entry for a command vouches for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Vouching {
    Unchanged,
    EvenIfChanged,
}

impl Parser<'_> {
    /// Reads one key of a rulebook; `false` where it is none of its keys. `above`: the pointer of the object it is in.
    pub(super) fn rulebook(&mut self, key: &str, value: &Value, above: &str, rulebook: &mut Rulebook) -> bool {
        let pointer = format!("{above}/{key}");
        match key {
            "defaults" => rulebook.defaults = self.defaults(value, &pointer),
            "files" => self.files(value, &pointer, rulebook),
            "commands" => rulebook.commands = self.lists(value, &pointer),
            "network" => rulebook.network = self.network(value, &pointer),
            "env" if self.version == Version::Two => rulebook.env = self.env(value, &pointer),
            "mcp" => rulebook.mcp = self.mcp(value, &pointer),
            "rules" => self.rules(value, &pointer, &mut rulebook.rules),
            _ => return false,
        }
        true
    }

    fn files(&mut self, value: &Value, pointer: &str, rulebook: &mut Rulebook) {
        let known = grammar::FILES.keys(self.version);
        let Some(members) = self.members(value, pointer, &grammar::FILES) else { return };
        for (key, value) in members {
            let pointer = format!("{pointer}/{}", key.name);
            match key.name.as_str() {
                "read" => rulebook.read = self.lists(value, &pointer),
                "write" => rulebook.write = self.lists(value, &pointer),
                "delete" if known.contains(&"delete") => {
                    rulebook.delete = Some(self.lists(value, &pointer));
                }
                _ => {}
            }
        }
    }

    fn lists<P: Pattern>(&mut self, value: &Value, pointer: &str) -> Lists<P> {
        let mut lists = Lists::default();
        let Some(members) = self.members(value, pointer, P::LISTS) else { return lists };
        for (key, value) in members {
            self.one_of_lists(&key.name, value, pointer, &mut lists);
        }
        lists
    }

    pub(super) fn one_of_lists<P: Pattern>(&mut self, key: &str, value: &Value, above: &str, lists: &mut Lists<P>) {
        if !P::LISTS.keys(self.version).contains(&key) {
            return;
        }
        let list = match key {
            "allow" => &mut lists.allow,
            "deny" => &mut lists.deny,
            "ask" => &mut lists.ask,
            _ => return,
        };
        *list = self.list(value, &format!("{above}/{key}"));
    }

    fn network(&mut self, value: &Value, pointer: &str) -> Option<Network> {
        let members = self.members(value, pointer, &grammar::NETWORK)?;
        let location = self.locator.location(value.span.start, pointer);
        let mut network = Network { deny_all: None, states_deny_all: false, lists: Lists::default(), location };
        for (key, value) in members {
            let below = format!("{pointer}/{}", key.name);
            network.states_deny_all |= key.name == "deny_all";
            match (key.name.as_str(), &value.data) {
                ("deny_all", Data::Bool(true)) => {
                    network.deny_all = Some(self.locator.location(value.span.start, &below));
                }
                ("deny_all", Data::Bool(false)) => {}
                ("deny_all", _) => self.wrong_type(value, &below, "`true` or `false`"),
                (name, _) => self.one_of_lists(name, value, pointer, &mut network.lists),
            }
        }
        Some(network)
    }

    pub(super) fn list<P: Pattern>(&mut self, value: &Value, pointer: &str) -> Option<List<P>> {
        let Data::List(items) = &value.data else {
            self.wrong_type(value, pointer, "a list of strings");
            return None;
        };
        let location = self.locator.location(value.span.start, pointer);
        let mut entries = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let is_allow = pointer.ends_with("/allow");
            let pointer = format!("{pointer}/{index}");
            let stated = match &item.data {
                Data::Text(text) => Some((text.as_str(), item, Vouching::Unchanged)),
                Data::Object(_) if is_allow && P::VOUCHES => self.command_entry(item, &pointer),
                _ => {
                    self.wrong_type(item, &pointer, "a string");
                    None
                }
            };
            let Some((text, value, vouching)) = stated else { continue };
            match pattern::readable(text).and_then(|text| P::members(self, text)) {
                Ok(members) => {
                    let stated = Stated::entry(self.locator.location(item.span.start, &pointer));
                    let named = text.trim().trim_start_matches('!').strip_prefix(BUILTIN);
                    let builtin = named.and_then(builtin);
                    entries.extend(members.into_iter().map(|(text, pattern)| {
                        let changed =
                            if vouching == Vouching::EvenIfChanged { pattern.even_if_changed() } else { None };
                        let pattern = changed.unwrap_or(pattern);
                        Entry { text, pattern, stated: stated.clone(), builtin: builtin.map(|list| list.name.as_str()) }
                    }));
                }
                Err((message, help)) => self.faults.push(value.span.clone(), &pointer, message, help),
            }
        }
        if let Some(first) = items.first().filter(|_| entries.len() >= items.len())
            && entries.iter().all(|entry: &Entry<P>| entry.pattern.is_exclusion())
        {
            let message = format!("`{}` names nothing: all its entries leave something out", dotted(pointer));
            let help = "give it an entry without `!`, or remove it".to_owned();
            self.faults.push(first.span.clone(), pointer, message, Some(help));
        }
        Some(List { entries, location })
    }

    /// `{"command": "npm test", "even_if_changed": true}`: the words, where they stand, and what the entry vouches for.
    fn command_entry<'v>(&mut self, value: &'v Value, pointer: &str) -> Option<(&'v str, &'v Value, Vouching)> {
        if self.version == Version::One {
            let message = format!("`{}` is an object: such entries belong to version 2", dotted(pointer));
            let help = "add `\"version\": 2` to the policy, or write the command as a string".to_owned();
            self.faults.push(value.span.clone(), pointer, message, Some(help));
            return None;
        }
        let members = self.members(value, pointer, &grammar::COMMAND_ENTRY)?;
        let (mut command, mut vouching) = (None, Vouching::Unchanged);
        for (key, member) in &members {
            let below = format!("{pointer}/{}", key.name);
            match (key.name.as_str(), &member.data) {
                ("command", Data::Text(text)) => command = Some((text.as_str(), *member)),
                ("command", _) => self.wrong_type(member, &below, "a string"),
                ("even_if_changed", Data::Bool(true)) => vouching = Vouching::EvenIfChanged,
                ("even_if_changed", Data::Bool(false)) => {}
                ("even_if_changed", _) => self.wrong_type(member, &below, "`true` or `false`"),
                _ => {}
            }
        }
        if !members.iter().any(|(key, _)| key.name == "command") {
            let message = format!("`{}` names no command", dotted(pointer));
            let help = "add `\"command\": \"npm test\"`".to_owned();
            self.faults.push(value.span.clone(), pointer, message, Some(help));
        }
        command.map(|(text, member)| (text, member, vouching))
    }

    /// A list of hosts that decides nothing: without `deny_all` every host may be reached.
    pub(super) fn idle_hosts(&mut self, members: &[(&Key, &Value)], document: &Document) {
        let Some((_, Value { data: Data::Object(network), .. })) =
            members.iter().find(|(key, _)| key.name == "network")
        else {
            return;
        };
        let has = |name: &str| network.iter().find(|(key, _)| key.name == name);
        let Some((_, list)) =
            has("allow").filter(|(_, list)| matches!(&list.data, Data::List(hosts) if !hosts.is_empty()))
        else {
            return;
        };
        // A base or a floor may say the rest.
        let is_said = has("deny_all").is_some()
            || document.rulebook.defaults.decision.is_some()
            || members.iter().any(|(key, _)| key.name == "extends");
        if self.version == Version::Two && !is_said {
            let message = "`network.allow` decides nothing: every other host may be reached, too".to_owned();
            let help = "add `\"deny_all\": true` to `network`, or `false` where that is meant".to_owned();
            self.faults.push(list.span.clone(), "/network/allow", message, Some(help));
        }
    }
}
