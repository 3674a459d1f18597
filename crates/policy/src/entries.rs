//! Every entry of a policy by name: for whoever counts, explains, formats or tests entries.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agent_strace_model::finding::{PolicyEntry, PolicyLocation, PolicyRule};

use super::builtin::BUILTIN;
use super::command::CommandPattern;
use super::env::Name;
use super::parse::{List, Lists, Matches, Rulebook, dotted, is_named};
use super::{Decision, Policy};

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    Read,
    Write,
    Delete,
    Command,
    Network,
    Env,
    Tool,
    List,
    Spawn,
}

impl Subject {
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
            Self::Command => "command",
            Self::Network => "network",
            Self::Env => "env",
            Self::Tool => "mcp",
            Self::List => "list",
            Self::Spawn => "spawn",
        }
    }
}

/// One entry of a list, or one rule.
#[derive(Debug, Clone)]
pub struct EntryView {
    /// JSON pointer, and where it stands.
    pub location: PolicyLocation,
    /// `commands.deny[2]`, or the id of a rule.
    pub name: String,
    pub subject: Subject,
    /// What it decides where it matches: allowed, denied or asked.
    pub decision: Decision,
    /// The pattern, in its comparable form.
    pub text: String,
    pub policy_rule: Option<Arc<PolicyRule>>,
    /// Of an entry that allows commands: it also vouches for code that the session changed.
    pub even_if_changed: bool,
    /// Of a rule about commands: entries of a list that say some of what it says, for engines that know lists only.
    pub forms: Vec<String>,
    /// The built-in list that the policy names there.
    pub builtin: Option<&'static str>,
}

/// The words of entries, looked up by where they are.
#[derive(Debug)]
pub struct EntryTexts<'p> {
    policy: &'p Policy,
    by_location: BTreeMap<(Option<&'p str>, &'p str), &'p EntryView>,
    shown: BTreeMap<(&'p str, Option<String>), Arc<PolicyEntry>>,
}

impl<'p> EntryTexts<'p> {
    pub fn new(policy: &'p Policy) -> Self {
        let by_location = policy.entries().filter(|entry| entry.text != "*" || !entry.name.ends_with("deny_all"));
        let by_location = by_location.map(|entry| ((entry.location.file.as_deref(), &*entry.location.pointer), entry));
        Self { policy, by_location: by_location.collect(), shown: BTreeMap::new() }
    }

    /// The entry there; `path`: what it judged, which tells the pattern of a label. A list as a whole has no words.
    pub fn at(&mut self, location: &PolicyLocation, path: Option<&str>) -> Option<Arc<PolicyEntry>> {
        let entry = *self.by_location.get(&(location.file.as_deref(), &*location.pointer))?;
        let pattern = self.policy.members_of(entry).zip(path).and_then(|(patterns, path)| {
            patterns.iter().find(|text| !text.starts_with('!') && is_named(text, path)).cloned()
        });
        let text = || Arc::new(PolicyEntry { text: entry.text.clone(), pattern: pattern.clone() });
        Some(Arc::clone(self.shown.entry((entry.text.as_str(), pattern.clone())).or_insert_with(text)))
    }
}

pub(super) fn of(rulebook: &Rulebook) -> Vec<EntryView> {
    let mut entries = Vec::new();
    of_lists(Subject::Read, &rulebook.read, &mut entries);
    of_lists(Subject::Write, &rulebook.write, &mut entries);
    if let Some(lists) = &rulebook.delete {
        of_lists(Subject::Delete, lists, &mut entries);
    }
    let from = entries.len();
    of_lists(Subject::Command, &rulebook.commands, &mut entries);
    let allowed = rulebook.commands.allow.iter().flat_map(|list| &list.entries);
    let vouching: BTreeSet<&str> = allowed
        .filter(|entry| entry.pattern.is_even_if_changed())
        .map(|entry| entry.stated.location.pointer.as_str())
        .collect();
    for entry in entries.iter_mut().skip(from) {
        entry.even_if_changed = vouching.contains(entry.location.pointer.as_str());
    }
    with_forms(rulebook.commands.deny.as_ref(), &mut entries);
    with_forms(rulebook.commands.ask.as_ref(), &mut entries);
    if let Some(network) = &rulebook.network {
        entries.extend(network.deny_all.iter().map(|location| EntryView {
            name: dotted(&location.pointer),
            location: location.clone(),
            subject: Subject::Network,
            decision: Decision::Denied,
            text: "*".to_owned(),
            policy_rule: None,
            even_if_changed: false,
            forms: Vec::new(),
            builtin: None,
        }));
        of_lists(Subject::Network, &network.lists, &mut entries);
    }
    of_names(rulebook.env.denied(), Decision::Denied, &mut entries);
    of_names(rulebook.env.allowed(), Decision::Allowed, &mut entries);
    for server in rulebook.mcp.iter().flat_map(|mcp| &mcp.servers) {
        of_lists(Subject::Tool, &server.lists, &mut entries);
    }
    entries.extend(rulebook.rules.iter().map(|rule| {
        EntryView {
            name: rule
                .stated
                .policy_rule
                .as_ref()
                .map_or_else(|| dotted(&rule.stated.location.pointer), |rule| rule.id.clone()),
            location: rule.stated.location.clone(),
            subject: subject(&rule.matches),
            decision: rule.effect,
            text: rule.text.clone(),
            policy_rule: rule.stated.policy_rule.clone(),
            even_if_changed: false,
            forms: match &rule.matches {
                Matches::Exec(pattern) if rule.stated.is_firm() => pattern.forms(),
                _ => Vec::new(),
            },
            builtin: None,
        }
    }));
    entries
}

/// Members of built-in lists have conditions as rules have.
fn with_forms(list: Option<&List<CommandPattern>>, entries: &mut [EntryView]) {
    let members = list.into_iter().flat_map(|list| &list.entries).filter(|entry| entry.builtin.is_some());
    for member in members.filter(|member| member.text.starts_with(BUILTIN)) {
        let pointer = &member.stated.location.pointer;
        let view = entries.iter_mut().find(|view| view.location.pointer == *pointer && view.text == member.text);
        if let Some(view) = view {
            view.forms = member.pattern.forms();
        }
    }
}

/// The members of a built-in list as the one entry that names it.
pub(super) fn by_place(members: &[EntryView]) -> Vec<EntryView> {
    let mut entries: Vec<EntryView> = Vec::with_capacity(members.len());
    for member in members {
        let Some(name) = member.builtin else {
            entries.push(member.clone());
            continue;
        };
        if !entries.last().is_some_and(|last| last.builtin.is_some() && last.location == member.location) {
            // A list that takes its members away from another one has a `!` before it.
            let not = if member.text.starts_with('!') { "!" } else { "" };
            entries.push(EntryView { text: format!("{not}{BUILTIN}{name}"), forms: Vec::new(), ..member.clone() });
        }
    }
    entries
}

fn of_names(names: &[Name], decision: Decision, entries: &mut Vec<EntryView>) {
    entries.extend(names.iter().map(|name| EntryView {
        name: dotted(&name.stated.location.pointer),
        location: name.stated.location.clone(),
        subject: Subject::Env,
        decision,
        text: name.text.clone(),
        policy_rule: None,
        even_if_changed: false,
        forms: Vec::new(),
        builtin: name.builtin,
    }));
}

fn subject(matches: &Matches) -> Subject {
    match matches {
        Matches::Exec(_) => Subject::Command,
        Matches::Read(_) => Subject::Read,
        Matches::Write(_) => Subject::Write,
        Matches::Delete(_) => Subject::Delete,
        Matches::List(_) => Subject::List,
        Matches::Net(_) => Subject::Network,
        Matches::Mcp { .. } => Subject::Tool,
        Matches::Spawn(_) => Subject::Spawn,
        Matches::Env(_) => Subject::Env,
    }
}

fn of_lists<P>(subject: Subject, lists: &Lists<P>, entries: &mut Vec<EntryView>) {
    let lists = [(&lists.deny, Decision::Denied), (&lists.ask, Decision::Asked), (&lists.allow, Decision::Allowed)];
    for (list, decision) in lists {
        let list = list.as_ref().map_or(&[][..], |list: &List<P>| &list.entries);
        entries.extend(list.iter().map(|entry| EntryView {
            name: dotted(&entry.stated.location.pointer),
            location: entry.stated.location.clone(),
            subject,
            decision,
            text: entry.text.clone(),
            policy_rule: entry.stated.policy_rule.clone(),
            even_if_changed: false,
            forms: Vec::new(),
            builtin: entry.builtin,
        }));
    }
}
