//! Gemini CLI: rules of its policy engine, a TOML file.
//!
//! Read for this on 2026-11-22: `docs/reference/{policy-engine,tools}.md`, `packages/core/src/policy/{policy-engine,
//! toml-loader,utils,stable-stringify}.ts`, `policies/{read-only,write}.toml` and `utils/shell-utils.ts` of
//! google-gemini/gemini-cli. What matters here:
//! - the rule with the highest priority decides; the file's numbers (0 to 999) count within its tier, and a user's file
//!   stands above what ships with the program;
//! - `argsPattern` is a regular expression over the arguments as JSON with sorted keys. A rule whose pattern is longer
//!   than 2,048 characters, or has a group with a quantifier before another quantified group, is dropped: patterns here
//!   have no quantified group at all, and no `(?`;
//! - a shell text is first matched as a whole, from its start; a deny stands. Then every command in it is matched by
//!   itself, also inside of substitutions: the strictest counts. A redirection turns allow into a question; what can't
//!   be parsed is asked about;
//! - without a rule: reading tools run, known reading commands run, the rest is asked about. Build files are always
//!   asked about;
//! - a workspace's own rules may be ignored by the program, and names of servers with `_` are not matched: rules belong
//!   into the user's folder.

mod emulate;
mod export;
mod import;
mod pattern;

use std::fmt::Write as _;

pub(super) use emulate::Engine;
pub(super) use export::export;
pub(super) use import::read as import;

use super::escape;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    Allow,
    Ask,
    Deny,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask_user",
            Self::Deny => "deny",
        }
    }
}

/// What of a call a rule compares.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Condition {
    None,
    /// `argsPattern`
    Arguments(String),
    /// `commandPrefix`
    Prefix(String),
    /// `commandRegex`
    Command(String),
}

/// One `[[rule]]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rule {
    /// 0 to 999; sorted by it.
    pub(super) priority: u16,
    pub(super) verdict: Verdict,
    pub(super) tools: Vec<String>,
    /// `mcpName`
    pub(super) server: Option<String>,
    pub(super) condition: Condition,
    pub(super) why: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rules(pub(super) Vec<Rule>);

impl Rules {
    pub(super) fn text(&self) -> String {
        let mut text = String::from("# Rules for Gemini CLI, for a file in `~/.gemini/policies/`.\n");
        for rule in &self.0 {
            let tools = match rule.tools.as_slice() {
                [only] => escape::toml(only),
                many => format!("[{}]", many.iter().map(|tool| escape::toml(tool)).collect::<Vec<_>>().join(", ")),
            };
            let _ = write!(text, "\n[[rule]]\ntoolName = {tools}\n");
            if let Some(server) = &rule.server {
                let _ = writeln!(text, "mcpName = {}", escape::toml(server));
            }
            let _ = match &rule.condition {
                Condition::None => Ok(()),
                Condition::Arguments(pattern) => writeln!(text, "argsPattern = {}", escape::toml(pattern)),
                Condition::Prefix(prefix) => writeln!(text, "commandPrefix = {}", escape::toml(prefix)),
                Condition::Command(pattern) => writeln!(text, "commandRegex = {}", escape::toml(pattern)),
            };
            let _ = writeln!(text, "decision = {}\npriority = {}", escape::toml(rule.verdict.name()), rule.priority);
            if rule.verdict == Verdict::Deny {
                let _ = writeln!(text, "denyMessage = {}", escape::toml(&rule.why));
            }
        }
        text
    }
}
