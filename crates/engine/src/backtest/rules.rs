//! Rules of two policies, compared by their ids.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use agent_strace_policy::{Decision, EntryView, Policy};

use super::change::{Change, Direction, Kind, Version};
use super::words;

pub(super) fn compare(old: Version<'_>, new: Version<'_>, changes: &mut Vec<Change>) {
    let (before, after) = (entries(old.policy), entries(new.policy));
    let (old_rules, new_rules) = (stated(old.plain), stated(new.plain));
    let ids: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for id in ids {
        let (kind, entry, rule) = match (old_rules.get(id), new_rules.get(id)) {
            (before, after) if before == after => continue,
            (Some(rule), None) if !after.contains_key(id) => (Kind::Removed, before.get(id), rule),
            (None, Some(rule)) if !before.contains_key(id) => (Kind::Added, after.get(id), rule),
            // A rule of an extended file stood in its place, or does so from now on.
            (Some(rule), _) | (_, Some(rule)) => (Kind::Changed, after.get(id).or(before.get(id)), rule),
            (None, None) => continue,
        };
        changes.extend(entry.map(|entry| of_rule(kind, entry, rule)));
    }
}

/// The entries of rules by the ids of their rules, as ids are compared.
fn entries(policy: &Policy) -> BTreeMap<String, &EntryView> {
    let entries = policy.entries().filter_map(|entry| Some((entry.policy_rule.as_ref()?.id.to_lowercase(), entry)));
    let mut first = BTreeMap::new();
    for (id, entry) in entries {
        first.entry(id).or_insert(entry);
    }
    first
}

/// The rules that the file states, without the keys that judge nothing.
fn stated(plain: &Value) -> BTreeMap<String, Value> {
    let rules = plain.get("rules").and_then(Value::as_array).into_iter().flatten();
    let judging = |rule: &Value| {
        let mut rule = rule.clone();
        if let Some(members) = rule.as_object_mut() {
            members.retain(|key, _| !matches!(key.as_str(), "owner" | "reason" | "examples"));
        }
        rule
    };
    rules.filter_map(|rule| Some((rule.get("id")?.as_str()?.to_lowercase(), judging(rule)))).collect()
}

fn of_rule(kind: Kind, entry: &EntryView, rule: &Value) -> Change {
    let id = entry.policy_rule.as_ref().map_or(entry.name.as_str(), |rule| rule.id.as_str());
    // A rule that only warns of a sensitive file speaks instead of the built-in rule, for which it is an error.
    let is_mild = rule.get("severity").is_some_and(|severity| severity != "error");
    let direction = match (kind, entry.decision) {
        (Kind::Changed, _) => Direction::Unknown,
        (Kind::Added, Decision::Denied | Decision::Asked) if is_mild => Direction::Unknown,
        // The rule also refuses other flags where several rules have to allow a command together.
        (Kind::Removed, Decision::Allowed) if rule.pointer("/match/exec/only_flags").is_some() => Direction::Unknown,
        (Kind::Added, Decision::Allowed) => Direction::Wider,
        (Kind::Removed, Decision::Allowed) | (Kind::Added, _) => Direction::Narrower,
        (Kind::Removed, _) => Direction::Wider,
    };
    let meaning = match kind {
        Kind::Changed => format!("the rule `{id}` says something else now: {}", words::rule(entry)),
        Kind::Added if is_mild => {
            format!("the rule `{id}` is new: {}; it only warns, and may take the place of an error", words::rule(entry))
        }
        Kind::Added => format!("the rule `{id}` is new: {}", words::rule(entry)),
        Kind::Removed => format!("the rule `{id}` is gone: {}", words::rule(entry)),
    };
    Change { kind, name: id.to_owned(), text: entry.text.clone(), direction, meaning }
}
