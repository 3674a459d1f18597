//! Claude Code: the `permissions` of `settings.json`.
//!
//! Read for this on 2026-11-22: "Configure permissions" and "Settings" of the Claude Code documentation
//! (code.claude.com/docs/en/permissions, …/settings). What matters here:
//! - deny, then ask, then allow: the first list with a match decides, however specific its rule is;
//! - `Bash(git push *)` is a pattern over one command: `*` is any text, and ` *` at the end also nothing. A text is
//!   split at `&&`, `||`, `;`, `|`, `|&`, `&` and line ends, and every part has to be allowed by itself. `timeout`,
//!   `time`, `nice`, `nohup`, `stdbuf`, `command`, `builtin`, `noglob` and a bare `xargs` before a command are stripped,
//!   so are assignments for deny and ask. What can't be parsed is asked about;
//! - some commands run without a rule (`cat`, `ls`, `grep`, `find`, reading forms of `git`, …);
//! - `Read(…)` and `Edit(…)` take patterns as `.gitignore` has them: `//x` absolute, `~/x` at home, `/x` from the
//!   project's root. They hold for the file tools, for redirections, and for `cat`, `head`, `tail` and `sed`;
//! - what no rule names is asked about, or refused with `"defaultMode": "dontAsk"`; reading inside of the working
//!   directory needs no rule.

mod emulate;
mod import;
mod rules;

use serde_json::json;

use super::exported_policy::ExportedPolicy;
use super::residual::Residual;

pub(super) use emulate::Engine;
pub(super) use import::{RuleImport, read as import};

/// What happens to a call that no rule names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Ask,
    /// `dontAsk`
    Refuse,
    /// `bypassPermissions`
    Pass,
}

/// The part of `settings.json` that is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) mode: Mode,
    pub(super) allow: Vec<String>,
    pub(super) ask: Vec<String>,
    pub(super) deny: Vec<String>,
}

impl Settings {
    pub(super) fn text(&self) -> String {
        let mut permissions = serde_json::Map::new();
        if self.mode == Mode::Refuse {
            permissions.insert("defaultMode".to_owned(), json!("dontAsk"));
        }
        for (name, list) in [("allow", &self.allow), ("ask", &self.ask), ("deny", &self.deny)] {
            if !list.is_empty() {
                permissions.insert(name.to_owned(), json!(list));
            }
        }
        let mut text = serde_json::to_string_pretty(&json!({ "permissions": permissions })).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The settings of a text that [`Self::text`] wrote.
    #[cfg(test)]
    pub(super) fn parse(text: &str) -> Option<Self> {
        let value: serde_json::Value = serde_json::from_str(text).ok()?;
        let permissions = value.get("permissions")?;
        let list = |name: &str| -> Vec<String> {
            permissions
                .get(name)
                .and_then(serde_json::Value::as_array)
                .map(|list| list.iter().filter_map(|rule| rule.as_str().map(str::to_owned)).collect())
                .unwrap_or_default()
        };
        let refuses = permissions.get("defaultMode").is_some_and(|mode| mode == "dontAsk");
        let mode = if refuses { Mode::Refuse } else { Mode::Ask };
        Some(Self { mode, allow: list("allow"), ask: list("ask"), deny: list("deny") })
    }
}

pub(super) fn export(exported: &ExportedPolicy<'_>) -> (Settings, Vec<Residual>) {
    rules::settings(exported)
}
