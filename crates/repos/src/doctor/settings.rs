//! Settings of the program that are committed: what they take from a verdict.

use std::collections::BTreeSet;

use super::{Check, Held, PolicyFile, State};
use crate::repo_audit::{Document, Language, items, member, members, text};
use agent_strace_policy::config;
use agent_strace_policy::json::{Data, Value};

/// Conditions that hold for everything.
const EVERYTHING: &[&str] = &["*", "**", "/**", "**/*"];

/// `policies`: the paths of those that judge.
pub(super) fn checks(held: &Held<'_>, policies: &BTreeSet<String>) -> Vec<Check> {
    held.settings.iter().flat_map(|(path, content)| of_file(path, content, held, policies)).collect()
}

/// Why settings can't be used. Suppressions are from rules of the policy, too, so that each policy that judges is asked.
fn fault(path: &str, content: &str, held: &Held<'_>, policies: &BTreeSet<String>) -> Option<String> {
    let usable = policies.iter().filter_map(|policy| match (held.policy)(policy) {
        PolicyFile::Usable { policy, .. } => Some(policy),
        PolicyFile::Missing | PolicyFile::Broken(_) => None,
    });
    let by_policies = usable.map(|policy| config::read(path, content.as_bytes(), &policy));
    let mut all = by_policies.chain([config::read_for_repository(path, content.as_bytes())]);
    all.find_map(|read| read.err().map(|faults| faults.in_one_line()))
}

fn of_file(path: &str, content: &str, held: &Held<'_>, policies: &BTreeSet<String>) -> Vec<Check> {
    if let Some(fault) = fault(path, content, held, policies) {
        let message = format!("it can't be used, so nothing is judged: {fault}");
        return vec![Check::new("settings/there", State::Defeated, message).at(path, 1)];
    }
    let Ok(document) = Document::read(Language::Yaml, content) else { return Vec::new() };
    let mut checks = Vec::new();
    let line = |value: &Value| document.line(&value.span);
    if let Some(level) = member(&document.root, "fail_on").filter(|level| text(level) == Some("never")) {
        let message = "`fail_on: never` lets no finding fail the gate: name the level that does";
        checks.push(Check::new("gate/forgiven", State::Defeated, message).at(path, line(level)));
    }
    for waiver in member(&document.root, "suppressions").map(items).unwrap_or_default() {
        if is_general(waiver) {
            let rule = member(waiver, "rule").and_then(text).unwrap_or_default();
            let message = format!("every finding of `{rule}` is suppressed: say in `match` which ones");
            checks.push(Check::new("settings/suppressed", State::Weak, message).at(path, line(waiver)).limiting());
        }
    }
    checks
}

/// Whether a suppression holds for whatever its rule finds.
fn is_general(waiver: &Value) -> bool {
    let Some(conditions) = member(waiver, "match") else { return true };
    let is_open = |value: &Value| match &value.data {
        Data::List(all) => all.iter().filter_map(text).any(|text| EVERYTHING.contains(&text)),
        _ => text(value).is_some_and(|text| EVERYTHING.contains(&text)),
    };
    members(conditions).iter().all(|(_, value)| is_open(value))
}
