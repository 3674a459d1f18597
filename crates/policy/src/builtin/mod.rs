//! Lists of paths, commands and names that policies share: `builtin:NAME` in a list stands for all entries of one.
//!
//! The entries are data. Most of them are in `lists.json`; the commands of build systems and package managers are in
//! `ecosystems.json`, which `init` reads, too: there, the id of a rule in lower case is the name of the list.

mod ecosystems;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use agent_strace_effects::Execution;
use serde::Deserialize;

use crate::command::CommandPattern;
use crate::parse::{compiled_command, compiled_exec, compiled_path};
use crate::path::{PathPattern, PathSet};

pub use ecosystems::{Ecosystem, Rule, Use, all as ecosystems};

/// The beginning of an entry that names a list.
pub const BUILTIN: &str = "builtin:";

const LISTS: &str = include_str!("lists.json");

/// Beginnings of paths below a home directory: the home of the session, and those of other users and systems.
const HOMES: &[&str] = &["~/", "//Users/*/", "//home/*/", "//root/", "//C:/Users/*/", "//D:/Users/*/"];

/// The lists of a policy in which a built-in list may be named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Holds {
    Paths,
    Commands,
    Variables,
    /// Names of tools or sub-agents.
    Names,
}

impl Holds {
    pub fn name(self) -> &'static str {
        match self {
            Self::Paths => "paths",
            Self::Commands => "commands",
            Self::Variables => "variables",
            Self::Names => "names",
        }
    }
}

/// The decision that a built-in list is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MadeFor {
    Allow,
    Deny,
}

impl MadeFor {
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
        }
    }
}

/// One built-in list.
#[derive(Debug)]
pub struct BuiltinList {
    pub name: String,
    pub made_for: MadeFor,
    pub holds: Holds,
    /// The members in one line of plain words.
    pub summary: String,
    /// The entries as a policy would write them; commands that only some options belong to are written by their words.
    pub entries: Vec<String>,
    /// Acts that the list speaks of.
    pub examples: Vec<String>,
    /// Acts that it does not speak of.
    pub counterexamples: Vec<String>,
    paths: PathSet,
    commands: Vec<CommandPattern>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    name: String,
    #[serde(rename = "for")]
    made_for: MadeFor,
    of: Holds,
    summary: String,
    /// The entries that begin with `~/` hold for the homes of all users.
    #[serde(default)]
    homes: bool,
    entries: Vec<String>,
    has: Vec<String>,
    has_not: Vec<String>,
}

static ALL: LazyLock<BTreeMap<String, BuiltinList>> = LazyLock::new(|| {
    let stored: Vec<Stored> = serde_json::from_str(LISTS).unwrap_or_default();
    let of_ecosystems =
        ecosystems().iter().flat_map(|ecosystem| ecosystem.rules.iter().map(move |rule| (ecosystem, rule)));
    let lists = stored.into_iter().map(BuiltinList::of_stored);
    let lists = lists.chain(of_ecosystems.map(|(ecosystem, rule)| BuiltinList::of_rule(ecosystem, rule)));
    lists.map(|list| (list.name.clone(), list)).collect()
});

/// All lists, by name.
pub fn builtins() -> impl Iterator<Item = &'static BuiltinList> {
    ALL.values()
}

pub fn builtin(name: &str) -> Option<&'static BuiltinList> {
    ALL.get(name)
}

impl BuiltinList {
    fn of_stored(stored: Stored) -> Self {
        let Stored { name, made_for, of, summary, homes, entries, has, has_not } = stored;
        let entries: Vec<String> =
            if homes { entries.iter().flat_map(|entry| in_homes(entry)).collect() } else { entries };
        let (mut paths, mut commands) = (PathSet::default(), Vec::new());
        match of {
            Holds::Paths => paths = path_set(&entries),
            Holds::Commands => commands.extend(entries.iter().filter_map(|text| compiled_command(text))),
            Holds::Variables | Holds::Names => {}
        }
        Self { name, made_for, holds: of, summary, entries, examples: has, counterexamples: has_not, paths, commands }
    }
}

impl BuiltinList {
    fn of_rule(ecosystem: &Ecosystem, rule: &Rule) -> Self {
        let pattern = compiled_exec(&rule.exec);
        let entries = pattern.iter().map(|(_, text)| text.clone()).collect();
        Self {
            name: rule.id.to_lowercase(),
            made_for: if rule.is.is_refused() { MadeFor::Deny } else { MadeFor::Allow },
            holds: Holds::Commands,
            summary: rule.description(&ecosystem.name),
            entries,
            examples: rule.examples.clone(),
            counterexamples: Vec::new(),
            paths: PathSet::default(),
            commands: pattern.into_iter().map(|(pattern, _)| pattern).collect(),
        }
    }

    /// How many of the entries could be read: all of them, as a test says.
    pub fn read(&self) -> usize {
        match self.holds {
            Holds::Paths => self.paths.any_of.len() + self.paths.except.len(),
            Holds::Commands => self.commands.len(),
            Holds::Variables | Holds::Names => self.entries.len(),
        }
    }

    /// The list speaks of the command.
    pub fn allows(&self, execution: &Execution) -> bool {
        self.commands.iter().any(|pattern| pattern.allows(execution))
    }

    /// One of the commands is this entry, and nothing more than its words.
    pub(crate) fn has_command(&self, entry: &str) -> bool {
        let mut commands = self.commands.iter().zip(&self.entries);
        commands.any(|(pattern, text)| text == entry && !pattern.says_more_than_words())
    }

    /// The list speaks of the file.
    pub fn has_path(&self, path: &str) -> bool {
        let names = |patterns: &[PathPattern]| patterns.iter().any(|pattern| pattern.names(path));
        names(&self.paths.any_of) && !names(&self.paths.except)
    }

    /// The set of paths that the list names: none, unless it is a list of paths.
    pub(crate) fn paths(&self) -> &PathSet {
        &self.paths
    }

    /// The commands of the list, each with the text that entries of a policy have. A command with conditions has the name of
    /// the list, because no words say what it allows.
    pub(crate) fn commands(&self) -> Vec<(String, CommandPattern)> {
        let text = |(pattern, entry): (&CommandPattern, &String)| {
            let text = if pattern.says_more_than_words() { format!("{BUILTIN}{}", self.name) } else { entry.clone() };
            (text, pattern.clone())
        };
        self.commands.iter().zip(&self.entries).map(text).collect()
    }
}

fn in_homes(entry: &str) -> Vec<String> {
    match entry.strip_prefix("~/") {
        Some(below) => HOMES.iter().map(|home| format!("{home}{below}")).collect(),
        None => vec![entry.to_owned()],
    }
}

fn path_set(entries: &[String]) -> PathSet {
    let mut set = PathSet::default();
    for entry in entries {
        let (list, text): (&mut Vec<PathPattern>, &str) = match entry.strip_prefix('!') {
            Some(text) => (&mut set.except, text),
            None => (&mut set.any_of, entry),
        };
        list.extend(compiled_path(text));
    }
    set
}
