//! What `audit` of the Python tool of this name gets wrong, and must not be wrong here: one test per defect.
//!
//! A defect is *open* (a pass although it must fail), *false* (a failure although all is well), or a crash. Each test
//! runs the whole program on a session made for it.

mod generating;
mod judging;
mod reading;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::world::{Answer, World};

/// The policy of the other tool's README.
fn readme_policy() -> Value {
    json!({
        "files": {
            "read": {"allow": ["src/**", "tests/**"], "deny": [".env"]},
            "write": {"allow": ["src/**"], "deny": [".github/**"]}
        },
        "commands": {"allow": ["pytest", "uv run", "cat"], "deny": ["curl", "wget", "rm -rf"]},
        "network": {"deny_all": true, "allow": ["localhost"]}
    })
}

/// Nothing but denies: what no entry names is allowed.
fn deny_policy(commands: &[&str]) -> Value {
    json!({"commands": {"deny": commands}})
}

fn call(tool: &str, arguments: &Value) -> (&'static str, Value) {
    ("tool_call", json!({"tool_name": tool, "arguments": arguments}))
}

fn bash(command: &str) -> (&'static str, Value) {
    call("Bash", &json!({"command": command}))
}

fn read(path: &str) -> (&'static str, Value) {
    call("Read", &json!({"file_path": path}))
}

fn world(policy: &Value, events: &[(&'static str, Value)]) -> World {
    let world = World::empty();
    world.write(".agent-scope.json", &policy.to_string()).session("5e5510", 1_790_000_000, events);
    world
}

/// Rules of the error findings, by event.
fn errors(world: &World, args: &[&str]) -> BTreeMap<u64, Vec<String>> {
    let answer = world.run(&[args, &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    let mut errors: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for finding in report["findings"].as_array().unwrap() {
        if finding["level"] == "error" {
            let rule = finding["rule"].as_str().unwrap().to_owned();
            errors.entry(finding["event"].as_u64().unwrap()).or_default().push(rule);
        }
    }
    assert_eq!(answer.code, i32::from(!errors.is_empty()), "{answer:?}");
    errors
}

/// Every event has to be an error.
fn all_fail(policy: &Value, events: &[(&'static str, Value)]) {
    let errors = errors(&world(policy, events), &["audit"]);
    let passed: Vec<_> =
        events.iter().zip(1_u64..).filter(|(_, number)| !errors.contains_key(number)).map(|(event, _)| event).collect();
    assert!(passed.is_empty(), "these pass: {passed:#?}");
}

/// No event may be an error.
fn all_pass(policy: &Value, events: &[(&'static str, Value)]) {
    let errors = errors(&world(policy, events), &["audit"]);
    assert!(errors.is_empty(), "these fail: {errors:#?}");
}

fn refused(answer: &Answer) {
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{answer:?}");
    assert!(answer.stderr.starts_with("error: "), "{answer:?}");
}
