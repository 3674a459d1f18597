//! Codex: rules of its execution policy, and a permission profile for `config.toml`.
//!
//! Read for this on 2026-11-22: `codex-rs/execpolicy/README.md`, `execpolicy/src/{parser,policy}.rs`,
//! `core/src/exec_policy.rs`, `shell-command/src/{bash,command_safety/is_safe_command}.rs` of openai/codex, and
//! "Permissions" of its documentation (developers.openai.com/codex/permissions). What matters here:
//! - `prefix_rule` compares words from the first one on; alternatives stand in a list; the strictest of all rules that
//!   match counts (`forbidden`, `prompt`, `allow`). A program by its absolute path falls back to its name;
//! - a text is taken apart only where it is plain words joined by `&&`, `||`, `;` and `|`. Any redirection, expansion,
//!   assignment, subshell or `&` makes it one command, `bash -lc TEXT`, which no rule names;
//! - a command that rules allow runs **outside** of the sandbox. One that no rule names runs inside of it without a question
//!   (`approval_policy = "on-request"`; Codex 0.169.0 does not start with `"untrusted"`);
//! - the sandbox holds for whatever a command does: a profile denies reading by path or pattern, and writing below
//!   directories; hosts need its network proxy. A profile can't be used beside `sandbox_mode`.

mod config;
mod emulate;
mod export;
mod import;
mod starlark;

use std::collections::BTreeMap;
use std::fmt::Write as _;

pub(super) use emulate::Engine;
pub(super) use export::export;
pub(super) use import::read as import;

use super::escape;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    Allow,
    Prompt,
    Forbidden,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Prompt => "prompt",
            Self::Forbidden => "forbidden",
        }
    }
}

/// One `prefix_rule`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PrefixRule {
    /// Words, each with its alternatives.
    pub(super) pattern: Vec<Vec<String>>,
    pub(super) verdict: Verdict,
    pub(super) why: String,
}

/// What sandboxed commands may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Profile {
    /// Paths outside of the workspace.
    pub(super) elsewhere: BTreeMap<String, Access>,
    /// Paths and patterns below its root; `.` is the root.
    pub(super) roots: BTreeMap<String, Access>,
    pub(super) network: Network,
    pub(super) web_search: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    Deny,
}

impl Access {
    fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Deny => "deny",
        }
    }
}

/// Hosts: `None` as the base profile has it, which is off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Network {
    /// Host → whether it is allowed; empty: none is reached.
    pub(super) domains: BTreeMap<String, bool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Codex {
    pub(super) rules: Vec<PrefixRule>,
    pub(super) profile: Profile,
}

impl Codex {
    pub(super) fn rules_text(&self) -> String {
        let mut text = String::from(
            "# Rules for Codex. They are made for the profile that `agent-strace policy export --to codex-config` writes:\n\
             # what no rule names runs in the sandbox.\n",
        );
        for rule in &self.rules {
            let words = rule.pattern.iter().map(|word| match word.as_slice() {
                [only] => escape::starlark(only),
                many => list(many.iter().map(|word| escape::starlark(word))),
            });
            let example = rule.pattern.iter().filter_map(|word| word.first()).map(|word| escape::starlark(word));
            let _ = writeln!(
                text,
                "\nprefix_rule(\n    pattern = {},\n    decision = {},\n    justification = {},\n    match = [{}],\n)",
                list(words),
                escape::starlark(rule.verdict.name()),
                escape::starlark(&rule.why),
                list(example),
            );
        }
        text
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}
