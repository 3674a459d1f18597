//! Settings of the program that are committed: what they take from a verdict.

use super::{Check, Held, State};
use crate::repo_audit::{Document, Language, items, member, members, text};
use agent_strace_policy::config;
use agent_strace_policy::json::{Data, Value};

/// Conditions that hold for everything.
const EVERYTHING: &[&str] = &["*", "**", "/**", "**/*"];

pub(super) fn checks(held: &Held<'_>) -> Vec<Check> {
    held.settings.iter().flat_map(|(path, content)| of_file(path, content)).collect()
}

fn of_file(path: &str, content: &str) -> Vec<Check> {
    if let Err(faults) = config::read_for_repository(path, content.as_bytes()) {
        let message = format!("it can't be used, so nothing is judged: {}", faults.in_one_line());
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
