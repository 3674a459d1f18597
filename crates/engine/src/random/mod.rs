//! Random policies and a fixed pool of acts, for tests that compare policies.

mod acts;
mod edits;
mod entries;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use agent_strace_policy::{Parts, Policy};

pub(crate) use acts::{Act, acts};
pub(crate) use edits::edits;
use entries::{commands, hosts, paths, rule, servers, tools, variables};

/// The file that some of the policies extend.
const EXTENDED: &str = "base.json";

/// A policy as its file has it, with the file that it extends.
#[derive(Debug, Clone)]
pub(crate) struct Plain {
    pub(crate) own: Value,
    pub(crate) extended: Option<Value>,
}

impl Plain {
    /// A policy of version 2 that extends another one; `role`: `floor` or `base`.
    pub(crate) fn extending(mut own: Value, extended: &Value, role: &str) -> Self {
        let digest = Sha256::digest(extended.to_string().as_bytes());
        let digest = digest.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
        own["extends"] = json!([{ "path": EXTENDED, "sha256": digest, "role": role }]);
        Self { own, extended: Some(extended.clone()) }
    }

    pub(crate) fn policy(&self) -> Option<Policy> {
        let text = self.own.to_string();
        let extended = self.extended.as_ref().map(Value::to_string);
        let read = |path: &str| match &extended {
            Some(text) if path == EXTENDED => Ok(text.clone().into_bytes()),
            _ => Err("there is no such file".to_owned()),
        };
        Policy::from_source(".agent-scope.json", None, text.as_bytes(), &read).ok()
    }

    /// The policy without what stands there.
    pub(crate) fn without(&self, pointer: &str) -> Self {
        let mut other = self.clone();
        edits::remove(&mut other.own, pointer).unwrap();
        other
    }

    pub(crate) fn parts(&self) -> Parts {
        Parts::read(&self.own.to_string()).unwrap()
    }
}

fn lists<S: Strategy<Value = Value> + 'static>(entry: fn() -> S, version: u64) -> BoxedStrategy<Value> {
    let list = move || proptest::option::weighted(0.4, proptest::collection::vec(entry(), 0..4));
    (list(), list(), list())
        .prop_map(move |(allow, deny, ask)| {
            let ask = ask.filter(|_| version == 2);
            let named = [("allow", allow), ("deny", deny), ("ask", ask)];
            named
                .into_iter()
                .filter_map(|(name, list)| Some((name.to_owned(), json!(list?))))
                .collect::<Map<_, _>>()
                .into()
        })
        .boxed()
}

/// `files`, `commands`, `network`, and what version 2 has beside them.
fn rulebook(version: u64) -> BoxedStrategy<Map<String, Value>> {
    let files = (lists(paths, version), lists(paths, version), proptest::option::weighted(0.3, lists(paths, version)));
    let network = (lists(hosts, version), proptest::option::weighted(0.6, any::<bool>()));
    let mcp = (
        proptest::option::weighted(0.4, prop::sample::select(vec!["allow", "deny", "ask"])),
        proptest::collection::btree_map(servers(), lists(tools, version), 0..3),
    );
    let env = (
        proptest::option::weighted(0.3, proptest::collection::vec(variables(), 0..3)),
        proptest::option::weighted(0.3, proptest::collection::vec(variables(), 0..3)),
    );
    let there = proptest::collection::vec(prop::bool::weighted(0.6), 5);
    (files, lists(commands, version), network, mcp, env, there)
        .prop_map(
            move |(
                (read, write, delete),
                commands,
                (mut network, deny_all),
                (default, servers),
                (allow, deny),
                there,
            )| {
                let mut book = Map::new();
                let mut files = json!({ "read": read, "write": write });
                if let Some(delete) = delete.filter(|_| version == 2) {
                    files["delete"] = delete;
                }
                if version == 1 {
                    network.as_object_mut().unwrap().retain(|key, _| key == "allow");
                }
                if let Some(deny_all) = deny_all {
                    network["deny_all"] = json!(deny_all);
                }
                let mut env = Map::new();
                env.extend(allow.map(|list| ("allow_set".to_owned(), json!(list))));
                env.extend(deny.map(|list| ("deny_set".to_owned(), json!(list))));
                let mut mcp = json!({ "servers": servers });
                if let Some(default) = default {
                    mcp["default"] = json!(default);
                }
                let parts =
                    [("files", files), ("commands", commands), ("network", network), ("mcp", mcp), ("env", env.into())];
                for ((name, part), there) in parts.into_iter().zip(there) {
                    if there && (version == 2 || !matches!(name, "mcp" | "env")) {
                        book.insert(name.to_owned(), part);
                    }
                }
                book
            },
        )
        .boxed()
}

fn defaults() -> BoxedStrategy<Value> {
    let level = || prop::sample::select(vec!["deny", "warn", "note"]);
    let classes = proptest::collection::btree_map(
        prop::sample::select(vec!["delegated", "state", "changed", "unknown"]),
        level(),
        1..3,
    );
    let unresolved = prop_oneof![level().prop_map(|level| json!(level)), classes.prop_map(|classes| json!(classes))];
    let decision = prop::sample::select(vec!["allow", "ask", "deny"]);
    let unknown = prop::sample::select(vec!["allow", "ask", "deny", "unresolved"]);
    let option = |value: Option<Value>, name: &str| value.map(|value| (name.to_owned(), value));
    (
        proptest::option::weighted(0.5, decision),
        proptest::option::weighted(0.4, unresolved),
        proptest::option::weighted(0.3, unknown),
    )
        .prop_map(move |(decision, unresolved, unknown)| {
            let decision = decision.map(|decision| json!(decision));
            let unknown = unknown.map(|unknown| json!(unknown));
            let all = [option(decision, "decision"), option(unresolved, "unresolved"), option(unknown, "unknown_tool")];
            Value::Object(all.into_iter().flatten().collect())
        })
        .boxed()
}

fn version_2() -> BoxedStrategy<Value> {
    let labels =
        proptest::collection::vec(prop::sample::select(vec![".env", "src/a.rs", "secrets/**", "!.env", "a"]), 1..3);
    let part = proptest::option::weighted(
        0.2,
        (prop::sample::select(vec!["main", "subagent:*", "mode:plan", "agent:claude-code"]), rulebook(2)),
    );
    let demands = prop::sample::select(vec![
        json!({}),
        json!({}),
        json!({}),
        json!({ "evidence": { "minimum": "E2" } }),
        json!({ "budgets": { "tool_calls": 1 } }),
        json!({ "budgets": { "network_hosts": 1, "cost_usd": 1 } }),
        json!({ "sequences": [{ "id": "SEQ-1", "deny": ["read .env", "net"] }] }),
        json!({ "exceptions": [{ "rule": "scope/read", "match": { "path": ".env" }, "reason": "a test", "owner": "@a", "until": "2030-01-01" }] }),
    ]);
    let rules = proptest::collection::vec(rule(), 0..3);
    (rulebook(2), proptest::option::weighted(0.25, defaults()), labels, rules, part, demands)
        .prop_map(|(book, defaults, labels, rules, part, demands)| {
            let mut own = book;
            own.insert("version".to_owned(), json!(2));
            own.insert("labels".to_owned(), json!({ "x": labels }));
            own.extend(defaults.map(|defaults| ("defaults".to_owned(), defaults)));
            let rules: Vec<Value> = (1..).zip(rules).map(|(number, rule)| named(rule, number)).collect();
            if !rules.is_empty() {
                own.insert("rules".to_owned(), json!(rules));
            }
            if let Some((selector, book)) = part {
                own.insert("agents".to_owned(), json!({ selector: book }));
            }
            own.extend(demands.as_object().unwrap().clone());
            Value::Object(own)
        })
        .boxed()
}

fn named(mut rule: Value, number: usize) -> Value {
    rule["id"] = json!(format!("R-{number}"));
    rule
}

fn version_1() -> BoxedStrategy<Value> {
    rulebook(1).prop_map(Value::Object).boxed()
}

/// A policy that can be read.
pub(crate) fn policies() -> BoxedStrategy<Plain> {
    let role = proptest::option::weighted(0.15, (version_2(), prop::sample::select(vec!["floor", "base"])));
    let own = prop_oneof![3 => version_2(), 1 => version_1()];
    (own, role)
        .prop_map(|(own, role)| match role {
            Some((extended, role)) if own.get("version").is_some() => Plain::extending(own, &extended, role),
            _ => Plain { own, extended: None },
        })
        .prop_filter("it can be read", |plain| plain.policy().is_some())
        .boxed()
}
