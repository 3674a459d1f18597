//! The registry of tools, read from the JSON files beside this one.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use super::names;
use crate::effects::About;

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
    /// For [`Action::WriteFixed`].
    #[serde(default)]
    pub(super) writes: Vec<String>,
    /// For [`Action::Connect`]: a host glob.
    #[serde(default)]
    pub(super) connects: Option<String>,
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
    /// For [`Action::Mcp`]: the tool's name where no argument gives it.
    #[serde(default, rename = "as tool")]
    pub(super) as_tool: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct ToolFile {
    #[serde(rename = "about")]
    _about: String,
    tools: Vec<Entry>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Vocabulary {
    #[serde(default, rename = "about")]
    _about: String,
    #[serde(deserialize_with = "plain_sets")]
    roles: BTreeMap<String, BTreeSet<String>>,
    #[serde(deserialize_with = "plain_set")]
    containers: BTreeSet<String>,
    #[serde(rename = "kinds of files")]
    file_kinds: BTreeSet<String>,
    #[serde(rename = "mcp servers")]
    pub(super) servers: Vec<String>,
}

fn plain_sets<'de, D: serde::Deserializer<'de>>(source: D) -> Result<BTreeMap<String, BTreeSet<String>>, D::Error> {
    let sets = BTreeMap::<String, Vec<String>>::deserialize(source)?;
    Ok(sets
        .into_iter()
        .map(|(role, keys)| (role, keys.iter().map(|key| names::plain(key).into_owned()).collect()))
        .collect())
}

fn plain_set<'de, D: serde::Deserializer<'de>>(source: D) -> Result<BTreeSet<String>, D::Error> {
    Ok(Vec::<String>::deserialize(source)?.iter().map(|key| names::plain(key).into_owned()).collect())
}

#[derive(Debug, Default)]
pub(super) struct Registry {
    entries: Vec<Entry>,
    by_name: HashMap<Cow<'static, str>, usize>,
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
        for entry in file.tools {
            let at = registry.entries.len();
            for name in entry.names.iter().copied() {
                let previous = registry.by_name.insert(names::plain(name), at);
                if previous.is_some_and(|previous| previous != at) {
                    return Err(format!("`{name}` is registered twice"));
                }
            }
            registry.entries.push(entry);
        }
    }
    Ok(registry)
}

impl Registry {
    pub(super) fn find(&self, name: &str) -> Option<&Entry> {
        let at = self.by_name.get(names::plain(name).as_ref())?;
        self.entries.get(*at)
    }

    /// Whether an argument has a role for a tool.
    pub(super) fn is(&self, entry: &Entry, role: &str, key: &str) -> bool {
        match entry.arguments.get(role) {
            Some(keys) => keys.iter().any(|own| names::plain(own) == key),
            None => self.has_role(role, key),
        }
    }

    pub(super) fn has_role(&self, role: &str, key: &str) -> bool {
        self.vocabulary.roles.get(role).is_some_and(|keys| keys.contains(key))
    }

    /// Whether a tool's own arguments may lie within this one.
    pub(super) fn is_container(&self, key: &str) -> bool {
        self.vocabulary.containers.contains(key)
    }

    /// Whether a name's extension is one that files have and directories don't.
    pub(super) fn is_file_name(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => {
                self.vocabulary.file_kinds.contains(&extension.to_ascii_lowercase())
            }
            _ => false,
        }
    }
}
