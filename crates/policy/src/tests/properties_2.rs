//! What holds for every policy of version 2.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use super::*;

fn path_text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "(/|~/|//)?(\\*\\*|[ab*?.]{1,3})(/(\\*\\*|[ab*?.]{1,3})){0,2}",
        1 => "![ab*]{1,2}(/[ab*]{1,2})?",
        1 => Just("label:one".to_owned()),
        1 => Just("label:two".to_owned()),
    ]
}

fn command_text() -> impl Strategy<Value = String> {
    let word = select(vec!["git", "push", "rm", "-f", "--force", "a", "b*", "*", "log"]);
    proptest::collection::vec(word, 1..4).prop_map(|words| words.join(" "))
}

fn host_text() -> impl Strategy<Value = String> {
    let hosts =
        ["a.example", "*.example", "b.a.example", "*", "10.0.0.0/8", "10.1.2.3", "a.example:443", "registry:npm"];
    select(hosts.map(str::to_owned).to_vec())
}

fn name_text() -> impl Strategy<Value = String> {
    select(["get_a", "get_*", "*", "set-a", "A_B"].map(str::to_owned).to_vec())
}

/// `allow`, `deny` and `ask`, each there or not.
fn lists(entry: impl Strategy<Value = String> + 'static) -> impl Strategy<Value = Value> {
    let list = proptest::option::of(proptest::collection::vec(entry.boxed(), 0..4)).boxed();
    (list.clone(), list.clone(), list).prop_map(|(allow, deny, ask)| {
        let mut lists = Map::new();
        for (name, list) in [("allow", allow), ("deny", deny), ("ask", ask)] {
            if let Some(list) = list {
                lists.insert(name.to_owned(), json!(list));
            }
        }
        Value::Object(lists)
    })
}

/// A rule without its id.
fn rule() -> impl Strategy<Value = Value> {
    let matches = prop_oneof![
        ("read|write|delete|list", path_text()).prop_map(|(kind, path)| json!({ (kind): [path] })),
        host_text().prop_map(|host| json!({ "net": [host] })),
        name_text().prop_map(|tool| json!({ "mcp": { "server": "one", "tools": [tool] } })),
        name_text().prop_map(|name| json!({ "env": [name] })),
        name_text().prop_map(|name| json!({ "spawn": [name] })),
        (select(vec!["git", "rm", "*"]), proptest::option::of(select(vec!["-f", "--force"])))
            .prop_map(|(program, flag)| json!({ "exec": { "program": program, "any_flag": flag.into_iter().collect::<Vec<_>>() } })),
    ];
    (matches, select(vec!["deny", "ask", "allow"]), select(vec!["error", "warning", "note"])).prop_map(
        |(matches, effect, severity)| match effect {
            "allow" => json!({ "effect": effect, "match": matches }),
            _ => json!({ "effect": effect, "severity": severity, "match": matches }),
        },
    )
}

fn document() -> impl Strategy<Value = Value> {
    let files = (lists(path_text()), lists(path_text()), proptest::option::of(lists(path_text())));
    let labels = proptest::collection::vec("[ab*?.]{1,3}(/[ab*]{1,2})?", 2..3);
    let decision = proptest::option::of(select(vec!["allow", "ask", "deny"]));
    let unresolved = proptest::option::of(select(vec!["deny", "warn", "note"]));
    let rules = proptest::collection::vec(rule(), 0..4);
    let names = lists(name_text());
    (files, lists(command_text()), (lists(host_text()), any::<bool>()), names, rules, labels, decision, unresolved)
        .prop_map(
            |((read, write, delete), commands, (mut network, deny_all), tools, rules, labels, decision, unresolved)| {
                network["deny_all"] = json!(deny_all);
                let rules: Vec<Value> = rules
                    .into_iter()
                    .zip(1..)
                    .map(|(mut rule, number)| {
                        rule["id"] = json!(format!("R-{number}"));
                        rule
                    })
                    .collect();
                let mut document = json!({
                    "version": 2,
                    "labels": { "one": [labels[0]], "two": [labels[1]] },
                    "files": { "read": read, "write": write },
                    "commands": commands, "network": network,
                    "mcp": { "servers": { "one": tools.clone(), "t*": tools } },
                    "rules": rules,
                    "defaults": {},
                });
                if let Some(delete) = delete {
                    document["files"]["delete"] = delete;
                }
                for (key, value) in [("decision", decision), ("unresolved", unresolved)] {
                    if let Some(value) = value {
                        document["defaults"][key] = json!(value);
                    }
                }
                document
            },
        )
}

fn any_effect() -> impl Strategy<Value = Effect> {
    let certainty = select(vec![Certainty::Exact, Certainty::Possible, Certainty::Pattern]);
    let path = "(~/|/)?[ab.]{1,2}(/[ab*.]{1,2}){0,2}";
    let file = (path, any::<bool>(), 0..4).prop_map(|(path, subtree, kind)| {
        let target = PathTarget { path, subtree };
        match kind {
            0 => Kind::Read(target),
            1 => Kind::Write(target),
            2 => Kind::Delete(target),
            _ => Kind::List(target),
        }
    });
    let words = proptest::collection::vec(select(vec!["git", "push", "rm", "-f", "--force", "a", "?x"]), 1..4);
    let run = words.prop_map(|words| command(&words.join(" ")).kind);
    let hosts = select(vec!["a.example", "b.a.example", "10.1.2.3", "registry:npm", "*.example", "-"]);
    let connect = (hosts, proptest::option::of(select(vec![443, 80]))).prop_map(|(host, port)| {
        let host = (host != "-").then(|| host.to_owned());
        Kind::Connect(Connection { host, port, scheme: None })
    });
    let tool = (proptest::option::of(select(vec!["one", "two"])), select(vec!["get_a", "set_a", "x"]))
        .prop_map(|(server, tool)| Kind::Tool { server: server.map(str::to_owned), tool: tool.to_owned() });
    let name = select(vec!["A_B", "get_a", "*"]).prop_map(|name| Kind::Env { name: name.to_owned() });
    let spawn = proptest::option::of(select(vec!["get_a", "set_a"]))
        .prop_map(|agent| Kind::Spawn { agent: agent.map(str::to_owned) });
    (prop_oneof![5 => file, 2 => run, 2 => connect, 1 => tool, 1 => name, 1 => spawn], certainty)
        .prop_map(|(kind, certainty)| effect(kind, certainty))
}

fn read(document: &Value) -> Option<Policy> {
    Policy::from_bytes("scope.json", None, document.to_string().as_bytes()).ok()
}

/// What a reader of the report sees of it; which of several entries that say the same is named, is no verdict.
fn verdict(policy: &Policy, effect: &Effect) -> (Decision, &'static str, Level) {
    let found = decide(policy, effect, Some("/repo"));
    (found.decision, found.rule.as_str(), found.level)
}

fn is_reported(policy: &Policy, effect: &Effect) -> Option<Level> {
    let (decision, _, level) = verdict(policy, effect);
    matches!(decision, Decision::Denied | Decision::Asked | Decision::Unresolved).then_some(level)
}

/// Every list the other way round.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().rev().map(reversed).collect(),
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), reversed(value))).collect(),
        other => other.clone(),
    }
}

/// Other ids and labels.
fn renamed(document: &Value) -> Value {
    let text = document.to_string();
    let text = text.replace("\"R-", "\"Z-").replace("label:one", "label:zz").replace("\"one\":[\"", "\"zz\":[\"");
    serde_json::from_str(&text).unwrap()
}

/// The lists that have an `allow` with an entry: without one, an allow demands where nothing did.
fn with_allow(value: &Value, pointer: &str, found: &mut Vec<String>) {
    let Value::Object(members) = value else { return };
    for (key, value) in members {
        let below = format!("{pointer}/{key}");
        match value {
            Value::Array(items) if key == "allow" && !items.is_empty() => found.push(below),
            _ => with_allow(value, &below, found),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 1 << 20, ..ProptestConfig::default() })]

    #[test]
    fn order_and_names_change_no_verdict(document in document(), effects in proptest::collection::vec(any_effect(), 8)) {
        let Some(policy) = read(&document) else { return Err(TestCaseError::reject("not a policy")) };
        for other in [reversed(&document), renamed(&document)] {
            let other = read(&other);
            prop_assert!(other.is_some(), "{document:#}");
            for effect in &effects {
                let other = other.as_ref().map(|other| verdict(other, effect));
                prop_assert_eq!(Some(verdict(&policy, effect)), other, "{:?}\n{:#}", effect, document);
            }
        }
    }

    /// Neither an entry of a list that demands already, nor a rule that allows.
    #[test]
    fn an_allow_more_never_adds_a_finding_in_version_2(
        document in document(),
        at in any::<prop::sample::Index>(),
        (path, command, host, name) in (path_text(), command_text(), host_text(), name_text()),
        mut more in rule(),
        effects in proptest::collection::vec(any_effect(), 8),
    ) {
        let Some(before) = read(&document) else { return Err(TestCaseError::reject("not a policy")) };
        let mut after = document.clone();
        more["id"] = json!("R-NEW");
        let mut pointers = Vec::new();
        with_allow(&document, "", &mut pointers);
        if more["effect"] == "allow" {
            after["rules"].as_array_mut().unwrap().push(more);
        } else if !pointers.is_empty() {
            let pointer = at.get(&pointers);
            let kind = pointer.split('/').nth(1).unwrap();
            let entry = match kind { "files" => &path, "commands" => &command, "network" => &host, _ => &name };
            // It takes out of a list what others put in.
            prop_assume!(!entry.starts_with('!'));
            after.pointer_mut(pointer).unwrap().as_array_mut().unwrap().push(json!(entry));
        }
        let Some(after) = read(&after) else { return Err(TestCaseError::reject("not a policy")) };
        for effect in &effects {
            let (one, other) = (is_reported(&before, effect), is_reported(&after, effect));
            prop_assert!(other <= one, "{:?}: {:?}, then {:?}\n{:#}", effect, one, other, document);
        }
    }
}
