//! Built-in lists that a generated policy names: sessions that used one of a list make the others likely. Data, and how it is
//! read.

use std::collections::{BTreeMap, BTreeSet};

use agent_strace_effects::{Execution, Kind};
use agent_strace_policy::builtin::{BUILTIN, BuiltinList, Use, builtin, ecosystems};
use agent_strace_policy::{Decision, Policy};

use super::kin;
use super::observe::Observation;
use super::plan::{self, Basis, Planned, Slot};
use super::purpose::Purpose;

/// The observation that adds a list to a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joins {
    /// A session used one of its members.
    WithMember,
    /// A session used anything of the same kind.
    WithAny,
}

struct Join {
    name: &'static str,
    slot: fn() -> Slot,
    joins: Joins,
    purpose: Purpose,
}

const fn join(name: &'static str, slot: fn() -> Slot, joins: Joins, purpose: Purpose) -> Join {
    Join { name, slot, joins, purpose }
}

const COMMANDS: fn() -> Slot = || Slot::Commands;

/// Entries for files judge all that these commands read and write, and a policy denies the forms that lose work.
const JOINS: &[Join] = &[
    join("viewers", COMMANDS, Joins::WithAny, Purpose::Look),
    join("git-read", COMMANDS, Joins::WithAny, Purpose::Look),
    join("powershell-viewers", COMMANDS, Joins::WithMember, Purpose::Look),
    join("file-work", COMMANDS, Joins::WithMember, Purpose::Change),
    join("git-work", COMMANDS, Joins::WithMember, Purpose::Change),
    join("gh-read", COMMANDS, Joins::WithMember, Purpose::Forge),
    join("node-text", COMMANDS, Joins::WithMember, Purpose::Text),
    join("python-text", COMMANDS, Joins::WithMember, Purpose::Text),
    join("shell-text", COMMANDS, Joins::WithMember, Purpose::Text),
    join("harmless-variables", || Slot::Env, Joins::WithAny, Purpose::Other),
    // Each agent has its own name for the search of its provider.
    join("web-search", || Slot::Mcp("provider:web-search".to_owned()), Joins::WithMember, Purpose::Other),
];

/// The purpose of the commands of a built-in list.
pub(super) fn purpose_of(name: &str) -> Purpose {
    JOINS.iter().find(|join| join.name == name).map_or(Purpose::Build, |join| join.purpose)
}

/// Puts built-in lists in the place of their members.
pub(super) fn complete(entries: &mut Vec<Planned>, observations: &[&Observation]) {
    drop_passing(entries, observations);
    kin::complete(entries);
    for join in JOINS {
        if let Some(list) = builtin(join.name) {
            join.complete(list, entries);
        }
    }
    for list in of_ecosystems() {
        take_covered(list, entries, observations);
    }
    for (slot, text, basis) in always() {
        let list = text.strip_prefix(BUILTIN).and_then(builtin);
        let is_member = |entry: &Planned| {
            let is_listed = list.is_some_and(|list| list.entries.contains(&entry.text));
            entry.slot == slot && (entry.text == text || is_listed)
        };
        let support =
            entries.iter().filter(|entry| is_member(entry)).flat_map(|entry| &entry.support).copied().collect();
        entries.retain(|entry| !is_member(entry));
        entries.push(Planned { slot, text, support, basis });
    }
}

const ORIGIN: &str = "the repository's own remote";

/// Entries that every policy has: tools that show what is there or read instructions, sub-agents,
/// whose calls are judged like the rest, and the remote that the repository comes from.
fn always() -> [(Slot, String, Basis); 3] {
    let named = |name: &str| format!("{BUILTIN}{name}");
    [
        (Slot::Mcp("*".to_owned()), named("agent-tools"), Basis::Builtin("agent-tools")),
        (Slot::Network, "remote:origin".to_owned(), Basis::Kin(ORIGIN)),
        (Slot::Spawn, named("subagents"), Basis::Builtin("subagents")),
    ]
}

/// A program that is not known, and that one call ran, is no reason for an entry.
fn drop_passing(entries: &mut Vec<Planned>, observations: &[&Observation]) {
    let program = |entry: &Planned| entry.text.split(' ').next().unwrap_or_default().to_owned();
    let mut calls: BTreeMap<String, usize> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.basis == Basis::Stranger) {
        let done = entry.support.iter().filter_map(|index| observations.get(*index)).map(|one| one.calls.done.len());
        *calls.entry(program(entry)).or_default() += done.sum::<usize>();
    }
    entries
        .retain(|entry| entry.basis != Basis::Stranger || calls.get(&program(entry)).is_some_and(|calls| *calls > 1));
}

impl Join {
    fn complete(&self, list: &'static BuiltinList, entries: &mut Vec<Planned>) {
        let slot = (self.slot)();
        let is_member = |entry: &Planned| entry.slot == slot && list.entries.contains(&entry.text);
        let members: BTreeSet<usize> =
            entries.iter().filter(|entry| is_member(entry)).flat_map(|entry| &entry.support).copied().collect();
        let mut of_slot = entries.iter().filter(|entry| entry.slot == slot).flat_map(|entry| &entry.support);
        let support = match self.joins {
            Joins::WithAny if members.is_empty() => of_slot.next().copied().into_iter().collect(),
            Joins::WithAny | Joins::WithMember => members,
        };
        if support.is_empty() {
            return;
        }
        entries.retain(|entry| !is_member(entry));
        let text = format!("{BUILTIN}{}", list.name);
        entries.push(Planned { slot, text, support, basis: Basis::Builtin(&list.name) });
    }
}

/// The lists of the usual commands of build systems. A session that installs the packages of a lock file is no reason for a list
/// that adds packages.
fn of_ecosystems() -> impl Iterator<Item = &'static BuiltinList> {
    let rules = ecosystems().iter().flat_map(|ecosystem| &ecosystem.rules);
    let usual = rules.filter(|rule| matches!(rule.is, Use::Work | Use::Run));
    usual.filter_map(|rule| builtin(&rule.id.to_lowercase()))
}

/// Some commands of a list have conditions, so the acts decide: an entry goes if the list allows all acts behind it.
fn take_covered(list: &'static BuiltinList, entries: &mut Vec<Planned>, observations: &[&Observation]) {
    let done = |index: &usize| observations.get(*index).filter(|observation| !observation.calls.done.is_empty());
    let of_commands = entries.iter().filter(|entry| entry.slot == Slot::Commands).flat_map(|entry| &entry.support);
    let mut covered: BTreeMap<usize, &Execution> = of_commands
        .filter_map(|index| match &done(index)?.effect.kind {
            Kind::Execute(execution) if list.allows(execution) => Some((*index, execution)),
            _ => None,
        })
        .collect();
    if covered.is_empty() {
        return;
    }
    let text = format!("{BUILTIN}{}", list.name);
    let policy = format!("{{\"version\": 2, \"commands\": {{\"allow\": [\"{text}\"]}}}}");
    let Ok(policy) = Policy::from_bytes(&text, None, policy.as_bytes()) else { return };
    for observation in observations.iter().filter(|observation| observation.around.is_some()) {
        let judged = policy.judge(&observation.effect, &plan::context(observation));
        if let Some(cause) = observation.cause().filter(|_| judged.decision != Decision::Allowed) {
            covered.retain(|_, execution| execution.argv != cause.argv);
        }
    }
    let support: BTreeSet<usize> = covered.into_keys().collect();
    if support.is_empty() {
        return;
    }
    entries.retain(|entry| {
        entry.slot != Slot::Commands || entry.basis != Basis::Seen || !entry.support.is_subset(&support)
    });
    entries.push(Planned { slot: Slot::Commands, text, support, basis: Basis::Builtin(&list.name) });
}
