//! Permissions of agents' own settings, as a policy, and an honest account of what the two languages don't share.
//!
//! A settings file is read into [`Grant`]s: one for each entry, with what the agent compares and what a policy says. Two rules
//! keep an import from opening anything: what the policy allows is never more than what the agent allows, and what the
//! agent refuses or asks about is refused or asked about. What can't be said is listed with its place and its reason.
//!
//! A reader of an agent must take nothing for granted about a key that it does not know: it names each key that looks like
//! a permission.

mod builder;
mod engine;
mod file;
mod grant;
mod pattern;
pub(crate) mod say;
mod write;

use crate::{Target, claude, codex, copilot, cursor, gemini, opencode, qwen, vscode};

pub use builder::Imported;
pub(crate) use builder::{Builder, Source};
pub(crate) use engine::{GrantEngine, Order, Split};
pub use file::{Owner, Place, SettingsFault, SettingsFile};
pub(crate) use file::{SettingsReader, check_size, unknown_permissions};
pub(crate) use grant::{Entry, Grant, Kind, Matcher, Said, Unlisted};
pub use grant::{LeftOut, Weight};
pub(crate) use pattern::command as expression;

/// An agent whose settings can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agent {
    ClaudeCode,
    OpenCode,
    Cursor,
    VsCode,
    Copilot,
    Codex,
    Gemini,
    Qwen,
}

impl Agent {
    pub const ALL: &[Self] = &[
        Self::ClaudeCode,
        Self::OpenCode,
        Self::Cursor,
        Self::Codex,
        Self::Gemini,
        Self::VsCode,
        Self::Copilot,
        Self::Qwen,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::OpenCode => "opencode",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Copilot => "copilot",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
        }
    }

    /// Where its settings lie in a repository, the weakest first.
    pub fn usual_places(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &[".claude/settings.json", ".claude/settings.local.json"],
            Self::OpenCode => {
                &["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"]
            }
            Self::Cursor => &[".cursor/cli.json", ".cursor/permissions.json"],
            Self::VsCode => &[".vscode/settings.json"],
            Self::Copilot => &[],
            Self::Codex => &[".codex/config.toml", ".codex/rules/*.rules"],
            Self::Gemini => &[".gemini/settings.json", ".gemini/policies/*.toml"],
            Self::Qwen => &[".qwen/settings.json"],
        }
    }

    /// The language of an export for it. Rules of Qwen Code are those of Claude Code.
    pub fn target(self) -> Target {
        match self {
            Self::ClaudeCode | Self::Qwen => Target::ClaudeCode,
            Self::OpenCode => Target::OpenCode,
            Self::Cursor => Target::Cursor,
            Self::VsCode => Target::VsCode,
            Self::Copilot => Target::Copilot,
            Self::Codex => Target::CodexConfig,
            Self::Gemini => Target::Gemini,
        }
    }

    /// Whose settings a file is by its path.
    pub fn of_path(path: &str) -> Option<Self> {
        let parts: Vec<&str> = path.rsplit('/').take(2).collect();
        let (name, folder) = (parts.first().copied()?, parts.get(1).copied().unwrap_or_default());
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        match (folder, name) {
            (".claude", name) if name.starts_with("settings") && ending == "json" => Some(Self::ClaudeCode),
            (_, name) if name.starts_with("managed-settings") => Some(Self::ClaudeCode),
            (_, "opencode.json" | "opencode.jsonc") => Some(Self::OpenCode),
            (".cursor", "cli.json" | "cli-config.json" | "permissions.json") => Some(Self::Cursor),
            (".vscode" | "User", "settings.json") => Some(Self::VsCode),
            (_, "permissions-config.json") => Some(Self::Copilot),
            (".codex", "config.toml") => Some(Self::Codex),
            ("rules", _) if ending == "rules" => Some(Self::Codex),
            (".gemini", "settings.json") => Some(Self::Gemini),
            ("policies", _) if ending == "toml" => Some(Self::Gemini),
            (".qwen", "settings.json") => Some(Self::Qwen),
            _ => None,
        }
    }
}

/// The permissions of an agent's settings files, the weakest file first.
pub fn import(agent: Agent, files: &[SettingsFile]) -> Result<Imported, SettingsFault> {
    match agent {
        Agent::ClaudeCode => claude::import(files),
        Agent::OpenCode => opencode::import(files),
        Agent::Cursor => cursor::import(files),
        Agent::VsCode => vscode::import(files),
        Agent::Copilot => copilot::import(files),
        Agent::Codex => codex::import(files),
        Agent::Gemini => gemini::import(files),
        Agent::Qwen => qwen::import(files),
    }
}
