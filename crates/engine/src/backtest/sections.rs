//! Sections of a policy that are no lists of entries: whether anything in them differs.

use std::collections::BTreeSet;

use serde_json::Value;

use super::change::{Change, Direction, Kind, Version};

/// Sections in which the order of a list means nothing, at any depth. That of the lists of others stays: in a sequence
/// and in what a program does with its operands it means something.
const ORDERLESS: &[&str] = &[
    "files",
    "commands",
    "network",
    "mcp",
    "env",
    "agents",
    "labels",
    "sessions",
    "evidence",
    "exceptions",
    "extends",
];
/// Sections that judge nothing.
const IDLE: &[&str] = &["$schema", "tests", "provenance"];

/// `is_entry`: whether a pointer is that of an entry of the old and of the new policy.
pub(super) fn compare(old: Side<'_>, new: Side<'_>, changes: &mut Vec<Change>) {
    let none = serde_json::Map::new();
    let members = |side: Side<'_>| side.version.plain.as_object().cloned().unwrap_or_else(|| none.clone());
    let (before, after) = (members(old), members(new));
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        let pointer = format!("/{name}");
        let rest = |members: &serde_json::Map<String, Value>, side: Side<'_>| {
            members.get(name).and_then(|value| side.rest(value, &pointer))
        };
        let (before, after) = (rest(&before, old), rest(&after, new));
        if before != after && !IDLE.contains(&name.as_str()) {
            let (direction, meaning) = match (name.as_str(), before.as_ref(), after.as_ref()) {
                ("exceptions", before, after) if holds(before, after) => {
                    (Direction::Narrower, "fewer exceptions are accepted".to_owned())
                }
                ("sequences" | "budgets", before, after) if forbids_more((old, before), (new, after)) => {
                    (Direction::Narrower, format!("`{name}` forbids more than before"))
                }
                _ => (Direction::Unknown, meaning(name)),
            };
            let kind = match (before, after) {
                (None, _) => Kind::Added,
                (_, None) => Kind::Removed,
                _ => Kind::Changed,
            };
            changes.push(Change { kind, name: name.clone(), text: String::new(), direction, meaning });
        }
    }
    changes.extend(without_network(old, new));
}

/// Without a section `network` an unknown connection weighs less, where the policy says what becomes of the rest.
fn without_network(old: Side<'_>, new: Side<'_>) -> Option<Change> {
    let has = |side: Side<'_>| side.version.plain.get("network").is_some();
    let policy = new.version.policy;
    let states = policy.default_decision().is_some() || policy.weighs_unresolved();
    (has(old) && !has(new) && states).then(|| Change {
        kind: Kind::Removed,
        name: "network".to_owned(),
        text: String::new(),
        direction: Direction::Unknown,
        meaning: "`network` is gone: a connection whose host is not known weighs less".to_owned(),
    })
}

/// The new side states everything that the old one states, and more. Prices say how much a limit of costs holds, and what a
/// policy states replaces what its base states.
fn forbids_more((old, before): (Side<'_>, Option<&Value>), (new, after): (Side<'_>, Option<&Value>)) -> bool {
    let prices = |value: Option<&Value>| value.and_then(|value| value.get("usd_per_million_tokens")).cloned();
    holds(after, before) && prices(before) == prices(after) && !old.extends() && !new.extends()
}

/// Everything in `part` is in `whole`, too.
fn holds(whole: Option<&Value>, part: Option<&Value>) -> bool {
    match (whole, part) {
        (_, None) => true,
        (Some(Value::Array(whole)), Some(Value::Array(part))) => part.iter().all(|item| whole.contains(item)),
        (Some(Value::Object(whole)), Some(Value::Object(part))) => {
            part.iter().all(|(key, value)| whole.get(key) == Some(value))
        }
        _ => false,
    }
}

/// One policy's file, and where its entries stand.
#[derive(Clone, Copy)]
pub(super) struct Side<'p> {
    pub(super) version: Version<'p>,
    pub(super) entries: &'p BTreeSet<&'p str>,
}

impl Side<'_> {
    fn extends(self) -> bool {
        self.version.policy.identity().is_some_and(|identity| !identity.extends.is_empty())
    }

    /// What is left of a value without the entries that are compared one by one; `None`: nothing.
    fn rest(self, value: &Value, pointer: &str) -> Option<Value> {
        match value {
            Value::Bool(true) if self.entries.contains(pointer) => None,
            Value::Bool(false) if pointer == "/network/deny_all" => None,
            Value::Number(number) if pointer == "/version" => {
                Some(value.clone()).filter(|_| number.as_u64() != Some(1))
            }
            Value::Array(items) => {
                let mut rest: Vec<Value> = items
                    .iter()
                    .enumerate()
                    .filter(|(index, item)| {
                        let own = format!("{pointer}/{index}");
                        // An entry of `commands.allow` may be an object.
                        let is_entry = item.is_string() || is_rule(pointer) || pointer.ends_with("/commands/allow");
                        !(self.entries.contains(own.as_str()) && is_entry)
                    })
                    .map(|(_, item)| item.clone())
                    .collect();
                if ORDERLESS.contains(&section(pointer)) {
                    rest.sort_by_cached_key(ToString::to_string);
                    rest.dedup();
                }
                (!rest.is_empty()).then_some(Value::Array(rest))
            }
            Value::Object(members) => {
                let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
                let rest = members.iter().filter_map(|(key, value)| {
                    let rest = self.rest(value, &format!("{pointer}/{}", escaped(key)));
                    // With a list of its own, even an empty one, deletes are no longer judged as writes.
                    let own =
                        (pointer.ends_with("/files") && key == "delete").then(|| Value::Object(serde_json::Map::new()));
                    Some((key.clone(), rest.or(own)?))
                });
                let rest: serde_json::Map<String, Value> = rest.collect();
                (!rest.is_empty()).then_some(Value::Object(rest))
            }
            other => Some(other.clone()),
        }
    }
}

/// Rules are compared by their ids.
fn is_rule(pointer: &str) -> bool {
    pointer == "/rules"
}

/// The first part of a pointer.
fn section(pointer: &str) -> &str {
    pointer.split('/').nth(1).unwrap_or_default()
}

fn meaning(name: &str) -> String {
    match name {
        "programs" => "`programs` changed: what commands are taken to do may differ".to_owned(),
        "evidence" => "`evidence` changed: what is missing in a log may weigh otherwise".to_owned(),
        "sessions" => "`sessions` changed: other sessions may be accepted".to_owned(),
        "version" => "`version` changed: every pattern is read by other rules".to_owned(),
        "files" => "`files` changed: deletes may be judged by another list".to_owned(),
        "defaults" => "`defaults` changed: what no entry names may be judged otherwise".to_owned(),
        "labels" => "`labels` changed: entries with `label:` may mean other paths".to_owned(),
        "extends" => "`extends` changed: other policies may hold beside this one".to_owned(),
        "exceptions" => "`exceptions` changed: other findings may be accepted".to_owned(),
        other => format!("`{other}` changed, and it is not known to allow nothing new"),
    }
}
