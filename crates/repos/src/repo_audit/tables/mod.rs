//! Which tool leaves which traces: data in the `*.json` files of `tools/`, one table per tool.
//!
//! A signal says what is compared (`kind` and its fields), how sure it is, and carries examples: `plants`, which have to
//! be found, and `spares`, which look alike and must not be. Tests plant all of them in repositories; they are no part of
//! the program's memory. Adding a tool is adding a table and a line in [`FILES`].
//!
//! | kind | compared with |
//! |---|---|
//! | `file` | paths of files |
//! | `setting` | keys (dotted) and values of configuration files |
//! | `package` | names in manifests and lockfiles of an ecosystem, and in commands that install them |
//! | `extension`, `feature` | ids of editor extensions, of features of development containers |
//! | `action` | `uses:` of workflows |
//! | `command` | the first words of commands in CI steps, scripts and Dockerfiles |
//! | `trailer`, `identity`, `message` | commits: trailers, authors and committers, lines of the message |
//! | `branch`, `ref` | names of branches (without the remote's), full names of references |
//! | `ignored` | lines of files that say what is ignored |
//!
//! `needle` is a literal that every matching text contains, in lower case: most texts are passed over by it alone.

mod compile;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use serde::Deserialize;

pub(crate) use compile::{Pattern, Tables};

pub(crate) use compile::SignalId;

/// How sure a signal makes that the tool is in use. Ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// A hint.
    Weak,
    /// It points to the tool; people or other tools may leave it, too.
    Likely,
    /// Only this tool leaves it.
    Confirmed,
}

impl Confidence {
    pub fn name(self) -> &'static str {
        match self {
            Self::Weak => "weak",
            Self::Likely => "likely",
            Self::Confirmed => "confirmed",
        }
    }
}

/// A tool and its traces.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Lower case.
    pub id: String,
    /// As its vendor writes it.
    pub name: String,
    pub vendor: String,
    /// Other names that people use.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// It is no tool of its own: whoever reads what it is about vouches for it.
    #[serde(default)]
    pub generic: bool,
    /// Tools that read it.
    #[serde(default)]
    pub(crate) read_by: Vec<String>,
    pub signals: Vec<Signal>,
}

/// One trace.
#[derive(Debug, Deserialize)]
pub struct Signal {
    #[serde(flatten)]
    pub form: Form,
    pub confidence: Confidence,
    /// Which product of the family it is of.
    #[serde(default)]
    pub surface: Option<String>,
    #[cfg(test)]
    #[serde(default)]
    pub(crate) plants: Vec<String>,
    #[cfg(test)]
    #[serde(default)]
    pub(crate) spares: Vec<String>,
}

/// What is compared, and with what.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Form {
    File { glob: String },
    Setting { r#in: String, key: String, value: Option<String> },
    Package { ecosystem: Ecosystem, name: String },
    Extension { name: String },
    Feature { name: String },
    Action { name: String },
    Command { words: Vec<String> },
    Trailer { key: String, value: String, needle: String },
    Identity { email: Option<String>, name: Option<String>, needle: String, role: Option<Role> },
    Message { pattern: String, needle: String },
    Branch { glob: String },
    Ref { glob: String },
    Ignored { pattern: String, needle: String },
}

impl Form {
    /// As tables and reports name it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::File { .. } => "file",
            Self::Setting { .. } => "setting",
            Self::Package { .. } => "package",
            Self::Extension { .. } => "extension",
            Self::Feature { .. } => "feature",
            Self::Action { .. } => "action",
            Self::Command { .. } => "command",
            Self::Trailer { .. } => "trailer",
            Self::Identity { .. } => "identity",
            Self::Message { .. } => "message",
            Self::Branch { .. } => "branch",
            Self::Ref { .. } => "ref",
            Self::Ignored { .. } => "ignored",
        }
    }
}

/// Whose packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ecosystem {
    Npm,
    Pypi,
    Cargo,
    Go,
    Gem,
    Nuget,
    Maven,
    Docker,
    Brew,
    GithubRelease,
}

/// Whose name stands on a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Author,
    Committer,
}

macro_rules! tables {
    ($($id:literal),* $(,)?) => {
        /// Every table, by the id of its tool.
        const FILES: &[(&str, &str)] = &[$(($id, include_str!(concat!("../tools/", $id, ".json")))),*];
    };
}

tables!(
    "agents-md",
    "ai-attribution",
    "aider",
    "amazon-q",
    "amp",
    "antigravity",
    "augment",
    "claude-code",
    "cline",
    "coderabbit",
    "codex",
    "cody",
    "continue",
    "copilot",
    "crush",
    "cursor",
    "devin",
    "droid",
    "entire",
    "gemini-cli",
    "gh-aw",
    "git-ai",
    "goose",
    "jules",
    "junie",
    "kilo-code",
    "kiro",
    "opencode",
    "openhands",
    "qwen-code",
    "replit",
    "roo-code",
    "specstory",
    "sweep",
    "tabnine",
    "trae",
    "warp",
    "windsurf",
    "zed",
);

static TABLES: LazyLock<Result<Tables, String>> = LazyLock::new(|| Tables::new(FILES));

/// All tables, ready to be compared; what is wrong with them.
pub fn tables() -> Result<&'static Tables, &'static str> {
    TABLES.as_ref().map_err(String::as_str)
}
