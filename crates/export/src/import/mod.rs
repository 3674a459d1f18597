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
pub(crate) mod say;
mod write;

use crate::{claude, paths::Start};

pub(crate) use builder::Builder;
pub use builder::Imported;
pub(crate) use engine::{GrantEngine, Order, Split};
pub use file::{Owner, Place, SettingsFault, SettingsFile};
pub(crate) use file::{SettingsReader, unknown_permissions};
pub(crate) use grant::{Entry, Grant, Kind, Matcher, Said, Unlisted};
pub use grant::{LeftOut, Weight};

/// An agent whose settings can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agent {
    ClaudeCode,
}

impl Agent {
    pub const ALL: &[Self] = &[Self::ClaudeCode];

    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
        }
    }

    /// Where its settings lie in a repository.
    pub fn usual_places(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &[".claude/settings.json", ".claude/settings.local.json"],
        }
    }

    /// Whose settings a file is by its path.
    pub fn of_path(path: &str) -> Option<Self> {
        let parts: Vec<&str> = path.rsplit('/').take(2).collect();
        let (name, folder) = (parts.first().copied()?, parts.get(1).copied().unwrap_or_default());
        match (folder, name) {
            (".claude", name) if name.starts_with("settings") => Some(Self::ClaudeCode),
            (_, name) if name.starts_with("managed-settings") => Some(Self::ClaudeCode),
            _ => None,
        }
    }
}

/// The permissions of an agent's settings files, the weakest file first.
pub fn import(agent: Agent, files: &[SettingsFile]) -> Result<Imported, SettingsFault> {
    match agent {
        Agent::ClaudeCode => claude::import(files),
    }
}
