//! The registry of tools, read from the JSON files beside this one.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::names;
use crate::About;

const TOOLS: &[&str] = &[
    include_str!("files.json"),
    include_str!("search.json"),
    include_str!("commands.json"),
    include_str!("network.json"),
    include_str!("agents.json"),
    include_str!("harmless.json"),
];

/// What a tool does with its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Action {
    Nothing,
    /// It shows what a command that was started before has printed.
    Output,
    /// It acts on the agent or its host: a tool effect, nothing more is known.
    Tool,
    Read,
    #[serde(rename = "read many")]
    ReadMany,
    Write,
    #[serde(rename = "write fixed")]
    WriteFixed,
    Edit,
    Delete,
    Move,
    Copy,
    List,
    Glob,
    Grep,
    /// An argument names the action.
    Select,
    Patch,
    Command,
    PowerShell,
    /// Keys typed into a program that runs already.
    Input,
    Code,
    #[serde(rename = "code mode")]
    CodeMode,
    Fetch,
    #[serde(rename = "search web")]
    SearchWeb,
    Connect,
    Spawn,
    /// A text for the model, in which the host runs commands.
    Skill,
    /// Arguments name an MCP server and its tool.
    Mcp,
    /// Arguments hold calls of other tools.
    Several,
    /// A program with arguments: `runs`, then the operands in the order of their names.
    Program,
    /// A picture or report, saved where an argument says so.
    Screenshot,
    /// Code that runs in a web page.
    #[serde(rename = "page script")]
    PageScript,
    /// It does something of a kind, and nothing says on what.
    Unproven,
}

/// The serialised form of [`About`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Subject {
    #[default]
    Anything,
    Reads,
    Writes,
    Network,
}

impl From<Subject> for About {
    fn from(subject: Subject) -> Self {
        match subject {
            Subject::Anything => Self::Anything,
            Subject::Reads => Self::Reads,
            Subject::Writes => Self::Writes,
            Subject::Network => Self::Network,
        }
    }
}

/// The option that an argument stands for.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Flag {
    /// This one, where the argument is `true`, with the value where it is a text; an empty one: the argument is data.
    Named(String),
    /// It depends on the value; of values that are not listed, none.
    ByValue(BTreeMap<String, String>),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(super) struct Entry {
    pub(super) does: Action,
    pub(super) names: Vec<&'static str>,
    /// Argument names that differ from the role's usual ones.
    #[serde(default)]
    pub(super) arguments: BTreeMap<&'static str, Vec<&'static str>>,
    /// For [`Action::Select`].
    #[serde(default)]
    pub(super) choices: BTreeMap<String, Action>,
    /// For [`Action::Code`]: the program and option that take the code.
    #[serde(default)]
    pub(super) runs: Vec<String>,
    /// For [`Action::Program`]: arguments → the options that they stand for. Any other one that is `true` is an option of
    /// its own name.
    #[serde(default)]
    pub(super) flags: BTreeMap<&'static str, Flag>,
    /// For [`Action::WriteFixed`].
    #[serde(default)]
    pub(super) writes: Vec<String>,
    /// For [`Action::Connect`]: a host glob.
    #[serde(default)]
    pub(super) connects: Option<String>,
    /// For [`Action::SearchWeb`]: the provider of the model runs it, and calls it by this name.
    #[serde(default)]
    pub(super) provider: Option<String>,
    /// For [`Action::SearchWeb`]: it opens pages, too.
    #[serde(default)]
    pub(super) fetches: bool,
    /// For [`Action::Unproven`]: the kind.
    #[serde(default)]
    pub(super) about: Subject,
    /// Without the arguments it asks for, it does nothing of note.
    #[serde(default)]
    pub(super) optional: bool,
    /// For [`Action::Command`]: it does not wait for what it starts.
    #[serde(default)]
    pub(super) detaches: bool,
    /// For [`Action::Command`]: it is a POSIX shell on every system.
    #[serde(default)]
    pub(super) posix: bool,
    /// For [`Action::Mcp`]: the tool's name where no argument gives it.
    #[serde(default, rename = "as tool")]
    pub(super) as_tool: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct ToolFile {
    #[serde(rename = "about")]
    _about: String,
    tools: Vec<&'static RawValue>,
}

/// What an entry is found by.
#[derive(Debug, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
struct Names {
    names: Vec<&'static str>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Vocabulary {
    #[serde(default, rename = "about")]
    _about: &'static str,
    roles: HashMap<&'static str, Vec<&'static str>>,
    containers: Vec<&'static str>,
    #[serde(rename = "kinds of files")]
    file_kinds: HashSet<&'static str>,
    #[serde(rename = "mcp servers")]
    pub(super) servers: Vec<String>,
    /// Tools that type into a terminal, or keep one shell for all calls.
    #[serde(rename = "living shells")]
    pub(super) living_shells: Vec<String>,
    /// Where the text of the skill or command lies that is called `*`.
    #[serde(rename = "skill files")]
    pub(super) skill_files: Vec<String>,
}

/// Whether an argument, plainly spelled, is one of these.
fn has(keys: &[&str], key: &str) -> bool {
    keys.iter().any(|own| names::is(own, key))
}

/// An entry as it is told, and read once it is asked for: a process that looks at one call needs one of them.
#[derive(Debug)]
struct Lazy {
    told: &'static RawValue,
    entry: OnceLock<Option<Entry>>,
}

impl Lazy {
    fn entry(&self) -> Option<&Entry> {
        self.entry.get_or_init(|| serde_json::from_str(self.told.get()).ok()).as_ref()
    }
}

#[derive(Debug, Default)]
pub(super) struct Registry {
    entries: Vec<Lazy>,
    /// Each name with its first letter, plainly spelled, and the index of its entry: most names are not the one by that.
    names: Vec<(Option<u8>, &'static str, usize)>,
    pub(super) vocabulary: Vocabulary,
}

/// The data is part of the program and a test loads it. Should it ever be broken, the registry is empty, every tool is
/// unknown, and nothing is allowed that was not before.
pub(super) static REGISTRY: LazyLock<Registry> = LazyLock::new(|| load().unwrap_or_default());

pub(super) fn load() -> Result<Registry, String> {
    let vocabulary = serde_json::from_str(include_str!("arguments.json")).map_err(|error| error.to_string())?;
    let mut registry = Registry { vocabulary, ..Registry::default() };
    for text in TOOLS {
        let file: ToolFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
        for told in file.tools {
            let at = registry.entries.len();
            let Names { names } = serde_json::from_str(told.get()).map_err(|error| error.to_string())?;
            registry.names.extend(names.into_iter().map(|name| (first(name), name, at)));
            registry.entries.push(Lazy { told, entry: OnceLock::new() });
        }
    }
    Ok(registry)
}

/// The first letter of a name, plainly spelled; `None`: it is none of ASCII.
fn first(name: &str) -> Option<u8> {
    let first = name.chars().find(|character| character.is_alphanumeric())?;
    u8::try_from(first.to_ascii_lowercase()).ok().filter(u8::is_ascii)
}

impl Registry {
    pub(super) fn find(&self, name: &str) -> Option<&Entry> {
        let plain = names::plain(name);
        let first = first(&plain);
        let mut same = self.names.iter().filter(|(letter, ..)| *letter == first);
        let (_, _, at) = same.find(|(_, name, _)| names::is(name, &plain))?;
        self.entries.get(*at)?.entry()
    }

    /// Entries that can't be read, and names that stand at two of them.
    #[cfg(test)]
    pub(super) fn broken(&self) -> Vec<&'static str> {
        let unread = self.entries.iter().filter(|lazy| lazy.entry().is_none()).map(|lazy| lazy.told.get());
        let is_double = |(_, name, at): &&(Option<u8>, &str, usize)| {
            self.names.iter().any(|(_, other, index)| index != at && names::plain(other) == names::plain(name))
        };
        unread.chain(self.names.iter().filter(is_double).map(|(_, name, _)| *name)).collect()
    }

    /// Whether an argument has a role for a tool.
    pub(super) fn is(&self, entry: &Entry, role: &str, key: &str) -> bool {
        match entry.arguments.get(role) {
            Some(keys) => has(keys, key),
            None => self.has_role(role, key),
        }
    }

    pub(super) fn has_role(&self, role: &str, key: &str) -> bool {
        self.vocabulary.roles.get(role).is_some_and(|keys| has(keys, key))
    }

    /// Whether a tool's own arguments may lie within this one.
    pub(super) fn is_container(&self, key: &str) -> bool {
        has(&self.vocabulary.containers, key)
    }

    /// Whether a name's extension is one that files have and directories don't.
    pub(super) fn is_file_name(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => {
                self.vocabulary.file_kinds.contains(extension.to_ascii_lowercase().as_str())
            }
            _ => false,
        }
    }
}
