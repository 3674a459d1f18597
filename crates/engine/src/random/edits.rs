//! Small changes of a policy: people change an entry or two at a time.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::entries::{commands, hosts, paths, rule, tools, variables};
use super::{Plain, defaults, named, policies};

/// Names of lists.
const LISTS: &[&str] = &["allow", "allow", "deny", "ask"];

/// One thing that an author does to a policy.
#[derive(Debug, Clone)]
enum Edit {
    /// Adds an entry to a list, which may be a new one.
    Add(String, Value),
    /// Replaces a part, or adds it.
    Set(String, Value),
    /// Removes what stands at one of the places that are there.
    Remove(prop::sample::Index),
    /// Adds or replaces a rule.
    Rule(usize, Value),
    /// Removes an entry of a list and puts another in its place.
    Replace(prop::sample::Index, Value),
}

/// A policy, and what became of it. Both can be read.
pub(crate) fn edits() -> BoxedStrategy<(Plain, Plain)> {
    let edits = proptest::collection::vec(edit(), 1..3);
    let edited = (policies(), edits).prop_filter_map("it can be read", |(old, edits)| {
        let mut new = old.clone();
        for edit in edits {
            apply(&mut new.own, edit)?;
        }
        new.policy()?;
        (new.own != old.own).then_some((old, new))
    });
    prop_oneof![12 => edited, 1 => (policies(), policies())].boxed()
}

fn edit() -> BoxedStrategy<Edit> {
    let at = |part: &'static str, names: &'static [&'static str]| {
        let prefix = prop::sample::select(vec!["", "", "", "", "/agents/main", "/agents/subagent:*"]);
        (prefix, prop::sample::select(names)).prop_map(move |(prefix, name)| format!("{prefix}{part}/{name}"))
    };
    prop_oneof![
        8 => (at("/commands", LISTS), commands()).prop_map(|(list, entry)| Edit::Add(list, entry)),
        2 => (at("/files/read", LISTS), paths()).prop_map(|(list, entry)| Edit::Add(list, entry)),
        2 => (at("/files/write", LISTS), paths()).prop_map(|(list, entry)| Edit::Add(list, entry)),
        1 => (at("/files/delete", LISTS), paths()).prop_map(|(list, entry)| Edit::Add(list, entry)),
        3 => (at("/network", LISTS), hosts()).prop_map(|(list, entry)| Edit::Add(list, entry)),
        1 => (at("/env", &["allow_set", "deny_set"]), variables()).prop_map(|(list, entry)| Edit::Add(list, entry)),
        2 => (at("/mcp/servers/github", LISTS), tools()).prop_map(|(list, entry)| Edit::Add(list, entry)),
        1 => any::<bool>().prop_map(|all| Edit::Set("/network/deny_all".to_owned(), json!(all))),
        1 => defaults().prop_map(|defaults| Edit::Set("/defaults".to_owned(), defaults)),
        1 => prop::sample::select(vec![json!({ "tool_calls": 1 }), json!({ "tool_calls": 5, "network_hosts": 1 })])
            .prop_map(|budgets| Edit::Set("/budgets".to_owned(), budgets)),
        3 => (1..4usize, rule()).prop_map(|(number, rule)| Edit::Rule(number, rule)),
        12 => any::<prop::sample::Index>().prop_map(Edit::Remove),
        2 => (any::<prop::sample::Index>(), commands()).prop_map(|(at, entry)| Edit::Replace(at, entry)),
    ]
    .boxed()
}

fn apply(own: &mut Value, edit: Edit) -> Option<()> {
    match edit {
        Edit::Add(list, entry) => {
            let list = made(own, &list)?;
            if list.is_null() {
                *list = json!([]);
            }
            list.as_array_mut()?.push(entry);
        }
        Edit::Set(part, value) => *made(own, &part)? = value,
        Edit::Rule(number, rule) => {
            let rules = made(own, "/rules")?;
            if rules.is_null() {
                *rules = json!([]);
            }
            let rules = rules.as_array_mut()?;
            let rule = named(rule, number);
            match rules.iter_mut().find(|known| known["id"] == rule["id"]) {
                Some(known) => *known = rule,
                None => rules.push(rule),
            }
        }
        Edit::Remove(index) => {
            let all = places(own);
            remove(own, all.get(index.index(all.len().max(1)))?)?;
        }
        Edit::Replace(index, entry) => {
            let all: Vec<String> = places(own).into_iter().filter(|place| place.contains("/commands/")).collect();
            *own.pointer_mut(all.get(index.index(all.len().max(1)))?)? = entry;
        }
    }
    Some(())
}

/// Removes what stands there; `None`: nothing does.
pub(super) fn remove(own: &mut Value, pointer: &str) -> Option<()> {
    let (above, last) = pointer.rsplit_once('/')?;
    match own.pointer_mut(above)? {
        Value::Array(items) => drop(items.remove(last.parse().ok()?)),
        Value::Object(members) => drop(members.remove(&last.replace("~1", "/").replace("~0", "~"))),
        _ => return None,
    }
    Some(())
}

/// The value there; what is on the way to it is made.
fn made<'v>(own: &'v mut Value, pointer: &str) -> Option<&'v mut Value> {
    let mut at = own;
    for step in pointer.split('/').skip(1) {
        if at.is_null() {
            *at = json!({});
        }
        at = at.as_object_mut()?.entry(step).or_insert(Value::Null);
    }
    Some(at)
}

/// Everything that can be removed: members and items at any depth, but for the version.
fn places(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(value, "", &mut found);
    found.retain(|place| place != "/version" && !place.starts_with("/extends/"));
    found
}

fn collect(value: &Value, above: &str, found: &mut Vec<String>) {
    let mut add = |key: &str, value: &Value| {
        let pointer = format!("{above}/{}", key.replace('~', "~0").replace('/', "~1"));
        found.push(pointer.clone());
        collect(value, &pointer, found);
    };
    match value {
        Value::Array(items) => items.iter().enumerate().for_each(|(index, item)| add(&index.to_string(), item)),
        Value::Object(members) => members.iter().for_each(|(key, value)| add(key, value)),
        _ => {}
    }
}
