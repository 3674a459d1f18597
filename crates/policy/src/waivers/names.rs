//! The rules that there are: built in, and of a policy.

use std::collections::BTreeMap;

use crate::json::{Data, Value};
use crate::parse::{nearest, push_part};
use agent_strace_model::finding::Level;

use super::Origin;

/// Built-in rules that an exception may be from. A test holds it equal to the rules that there are.
pub const BUILT_IN: &[&str] = &[
    "budget/exceeded",
    "budget/unrecorded",
    "coverage/no-session",
    "coverage/unexplained-change",
    "coverage/unmerged-write",
    "eval/criterion",
    "eval/regression",
    "eval/score",
    "eval/scorer",
    "eval/unjudged",
    "floor/agent-settings",
    "floor/gate",
    "floor/hooks",
    "floor/policy",
    "floor/trace-store",
    "gate/tampering",
    "hooks/denied-tool",
    "lint/blind-edit",
    "lint/budget-proximity",
    "lint/context-saturation",
    "lint/denied-attempts",
    "lint/error-retry-loop",
    "lint/large-blind-edit",
    "lint/no-output",
    "lint/permission-bypass",
    "lint/post-compaction-regression",
    "lint/reasoning-spiral",
    "lint/redundant-read",
    "lint/tool-loop",
    "lint/unfinished-session",
    "lint/unverified-change",
    "lint/weakened-tests",
    "mcp/server-poisoned",
    "mcp/tool-changed",
    "pii/card",
    "pii/cloud-account",
    "pii/email",
    "pii/home-path",
    "pii/iban",
    "pii/ip",
    "pii/mac",
    "pii/national-id",
    "pii/personal",
    "pii/phone",
    "pii/user-name",
    "repo/approval-expired",
    "repo/auto-approve",
    "repo/gate-disabled",
    "repo/hidden-text",
    "repo/hook-command",
    "repo/permission-bypass",
    "repo/server-floating",
    "repo/server-poisoned",
    "repo/server-undeclared",
    "repo/server-unsafe",
    "repo/server-unused",
    "repo/unapproved-endpoint",
    "repo/unapproved-server",
    "repo/unapproved-tool",
    "repo/unknown-endpoint",
    "repo/wide-allow",
    "retention/age",
    "retention/count",
    "retention/size",
    "retention/unreadable",
    "scope/approval",
    "scope/command",
    "scope/delete",
    "scope/env",
    "scope/network",
    "scope/read",
    "scope/sensitive",
    "scope/session",
    "scope/tool",
    "scope/unresolved",
    "scope/write",
    "secret/authorization",
    "secret/keyed-secret",
    "secret/log-settings",
    "secret/password",
    "secret/private-key",
    "secret/url-credentials",
    "secret/vendor-token",
    "secret/web-token",
    "sequence/policy",
    "sequence/secret-egress",
];

/// What the gate itself rests on, and files that hold credentials: only an exception of the policy covers them.
const OF_THE_POLICY: &[&str] = &["floor/", "gate/", "scope/sensitive"];

/// What may cover findings of a built-in rule at least: a suppression, or only an exception of the policy; `None`: nothing.
pub fn covered_by(rule: &str) -> Option<Origin> {
    let of_the_policy = OF_THE_POLICY.iter().any(|family| rule.starts_with(family));
    BUILT_IN.contains(&rule).then_some(if of_the_policy { Origin::Exception } else { Origin::Suppression })
}

/// Keys of a policy whose parts are rules.
const JUDGING: &[&str] =
    &["files", "commands", "network", "mcp", "env", "agents", "budgets", "sequences", "rules", "sessions", "defaults"];

/// The rules of a policy by name, with their levels: its entries, its lists, and what has an id.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeMap<String, Level>);

/// What is wrong with a name, and what to do about it.
type Fault = (String, Option<String>);

impl Names {
    /// Of a policy as it was read.
    pub(crate) fn of(root: &Value) -> Self {
        let mut names = Self::default();
        let Data::Object(members) = &root.data else { return names };
        for (key, value) in members.iter().filter(|(key, _)| JUDGING.contains(&key.name.as_str())) {
            names.collect(value, &mut key.name.clone(), Level::Error);
        }
        names
    }

    /// `name`: of the value, as people say it.
    fn collect(&mut self, value: &Value, name: &mut String, above: Level) {
        let length = name.len();
        let mut level = above;
        match &value.data {
            Data::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    push_part(name, &index.to_string());
                    self.collect(item, name, level);
                    name.truncate(length);
                }
            }
            Data::Object(members) => {
                let text = |name: &str| {
                    members.iter().find_map(|(key, value)| match &value.data {
                        Data::Text(text) if key.name == name => Some(text.as_str()),
                        _ => None,
                    })
                };
                level = match text("severity") {
                    Some("warning") => Level::Warning,
                    Some("note") => Level::Note,
                    _ => level,
                };
                self.0.extend(text("id").map(|id| (id.to_owned(), level)));
                for (key, value) in members {
                    push_part(name, &key.name);
                    self.collect(value, name, level);
                    name.truncate(length);
                }
            }
            _ => {}
        }
        // An object is no rule, unless it stands in a list of rules.
        let named = !matches!(value.data, Data::Object(_)) || name.ends_with(']');
        if named {
            self.0.insert(name.clone(), level);
        }
    }

    /// With those of a base.
    pub(crate) fn inherit(&mut self, base: Self) {
        for (name, level) in base.0 {
            self.0.entry(name).or_insert(level);
        }
    }

    /// The level of a rule of the policy; an error for one that is built in, of which others know.
    pub(crate) fn level(&self, rule: &str, origin: Origin) -> Result<Level, Fault> {
        if let Some(level) = self.0.get(rule) {
            return Ok(*level);
        }
        let of_the_policy = OF_THE_POLICY.iter().any(|family| rule.starts_with(family));
        if BUILT_IN.contains(&rule) {
            return match origin {
                Origin::Suppression if of_the_policy => Err((
                    format!("`{rule}` can't be suppressed here"),
                    Some("only an exception of the policy covers it: `exceptions` of `.agent-scope.json`".to_owned()),
                )),
                _ => Ok(Level::Error),
            };
        }
        Err(match rule.split_once('/') {
            Some(("evidence", _)) => (
                format!("`{rule}` can't be excepted: what is missing was not judged"),
                Some("`evidence.rules` of the policy says what missing evidence weighs".to_owned()),
            ),
            Some(("policy", _)) => (
                format!("`{rule}` can't be excepted: it is about exceptions"),
                Some("remove or renew the exception".to_owned()),
            ),
            _ => (format!("there is no rule {}", crate::diagnostics::quoted(rule)), Some(self.suggestion(rule))),
        })
    }

    fn suggestion(&self, rule: &str) -> String {
        let own = self.0.keys().map(String::as_str);
        let candidates: Vec<&str> = own.chain(BUILT_IN.iter().copied()).collect();
        match nearest(rule, &candidates) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "a rule is an entry of the policy (`files.read.deny[0]`), the id of one of its rules, or built in \
                     (`agent-strace rules` lists those)"
                .to_owned(),
        }
    }
}
