//! One session says the same wherever in the repository it was started, and whatever system it ran on.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::repository::Repository;
use crate::world::World;

const POLICY: &str = r#"{"files": {"read": {"deny": ["secrets/**", ".env"]},
    "write": {"allow": ["src/**", "infra/*.md"], "deny": ["infra/**/*.tf", "infra/*.tf"]}}}"#;

const DENIES: &str = r#"{"files": {"read": {"deny": ["secrets/**"]}, "write": {"deny": ["infra/**"]}}}"#;

/// The errors about a session whose paths lie below `top`, and that was started in `start`.
fn found(policy: &str, top: &str, start: &str) -> BTreeSet<(String, String)> {
    let separator = if top.contains('\\') { "\\" } else { "/" };
    let path = |path: &str| format!("{top}{separator}{}", path.replace('/', separator));
    let call = |tool: &'static str, name: &str| (tool, json!({"file_path": path(name), "content": "X\n"}));
    let calls = [
        call("Read", "src/a.py"),
        call("Read", "infra/README.md"),
        call("Read", "secrets/prod.yml"),
        call("Write", "src/new.py"),
        call("Write", "infra/README.md"),
        call("Write", "infra/main.tf"),
        call("Write", "infra/deep/new.tf"),
        call("Write", "docs/a.md"),
    ];
    errors(policy, start, &calls)
}

/// The rules and paths of the errors about a session with these calls.
fn errors(policy: &str, start: &str, calls: &[(&str, Value)]) -> BTreeSet<(String, String)> {
    let world = World::empty();
    let repository = Repository::new(&world, ".");
    repository.file(".agent-scope.json", policy).file("infra/main.tf", "a\n").file("src/a.py", "a\n");
    repository.file("infra/README.md", "a\n").file("secrets/prod.yml", "a\n").commit("first");
    let calls = calls.iter().map(|(tool, given)| ("tool_call", json!({"tool_name": tool, "arguments": given})));
    let events: Vec<(&str, Value)> = std::iter::once(("session_start", json!({"cwd": start}))).chain(calls).collect();
    world.session("aa11", 1_790_000_000, &events);
    let answer = world.run(&["check", "--format", "json"]);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    let findings = report["findings"].as_array().unwrap().iter().filter(|finding| finding["level"] == "error");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    findings.map(|finding| (text(&finding["rule"]), text(&finding["effect"]["path"]))).collect()
}

#[test]
fn a_session_without_a_directory_counts_from_its_files() {
    let policy = r#"{"version": 2, "files": {"write": {"allow": ["/**"], "deny": ["~/**", "secrets/**"]}}}"#;
    let write = |path: &str| ("Write", json!({"file_path": path, "content": "x"}));
    let found = |paths: &[&str]| {
        let world = World::empty();
        world.write(".agent-scope.json", policy);
        let calls = paths.iter().map(|path| write(path));
        let calls = calls.map(|(tool, arguments)| ("tool_call", json!({"tool_name": tool, "arguments": arguments})));
        world.session("aa11", 1_790_000_000, &calls.collect::<Vec<_>>());
        world.write(".agent-traces/aa11/meta.json", r#"{"session_id": "aa11", "started_at": 1790000000.0}"#);
        let answer = world.run(&["check", "--format", "json"]);
        let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
        let findings = report["findings"].as_array().unwrap().iter().filter(|finding| finding["level"] == "error");
        findings.map(|finding| finding["evidence"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (one, other) = ("/Users/dana/app/package.json", "/Users/dana/app/src/b.ts");
    assert_eq!(found(&[one, other]), [""; 0]);
    assert_eq!(found(&[one]), [one]);
    for outside in ["/Users/dana/.zshrc", "/Users/dana/app/secrets/x", "/etc/cron.d/x"] {
        assert_eq!(found(&[one, other, outside]), [outside], "{outside}");
    }
}

#[test]
fn a_command_may_go_to_the_checkout_first() {
    let bash = |command: &str| ("Bash", json!({"command": command}));
    for (looks, acts) in [
        ("cd /home/dana/rates && cat src/a.py", "cd /home/dana/rates && rm -rf infra"),
        ("cd rates; head src/a.py", "rm -rf /home/dana/rates/infra/"),
        ("git -C /home/dana/rates show HEAD src/a.py", "cat /home/dana/rates/secrets/new.yml"),
    ] {
        let found = errors(DENIES, "/home/dana", &[bash(looks), bash(acts)]);
        assert_eq!(found.len(), 1, "{looks}: {found:?}");
    }
    assert_eq!(errors(DENIES, "/home/dana", &[bash("cd other && cat README"), bash("rm -rf other/infra")]).len(), 0);
}

#[test]
fn a_session_says_the_same_from_every_folder_and_worktree() {
    let expected = found(POLICY, "/home/dana/rates", "/home/dana/rates");
    assert_eq!(expected.len(), 4, "{expected:?}");
    for (top, start) in [
        ("/home/dana/rates", "/home/dana/rates/infra"),
        ("/home/dana/rates", "/home/dana/rates/src"),
        ("/home/dana/rates", "/home/dana/rates/secrets"),
        ("/home/dana/rates", "/home/dana/rates/.claude"),
        ("/Users/dana/rates", "/Users/dana/rates/Infra"),
        ("/tmp/wt", "/tmp/wt/infra"),
        ("C:\\work\\rates", "C:\\work\\rates"),
        ("C:\\work\\rates", "C:\\work\\rates\\infra"),
        ("\\\\server\\share\\rates", "\\\\server\\share\\rates\\infra"),
    ] {
        assert_eq!(found(POLICY, top, start), expected, "{top} {start}");
    }
}

#[test]
fn a_session_that_was_started_outside_keeps_what_is_denied() {
    for start in ["/home/dana", "/", "/tmp/other", "/home/dana/rates/scratch", "/home/dana/rates/.claude/worktrees/x"] {
        let errors = found(DENIES, "/home/dana/rates", start);
        for (rule, path) in [("scope/read", "secrets/prod.yml"), ("scope/write", "infra/main.tf")] {
            assert!(errors.contains(&(rule.to_owned(), path.to_owned())), "{start}: {errors:?}");
        }
    }
}

#[test]
fn a_command_in_a_folder_judges_by_the_policy_above() {
    let world = World::empty();
    let repository = Repository::new(&world, ".");
    repository.file(".agent-scope.json", POLICY).file("infra/main.tf", "a\n").commit("first");
    let top = world.path().canonicalize().unwrap();
    let call = json!({"tool_name": "Write", "arguments": {"file_path": top.join("infra/main.tf"), "content": "X\n"}});
    world.session("aa11", 1_790_000_000, &[("session_start", json!({"cwd": top.join("infra")})), ("tool_call", call)]);
    let arguments = ["check", "--policy", "../.agent-scope.json", "../.agent-traces", "--format", "json"];
    let answer = world.run_in("infra", &arguments);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    assert_eq!(report["findings"][0]["effect"]["path"], "infra/main.tf", "{report}");
    assert_eq!(answer.code, 1);
}
