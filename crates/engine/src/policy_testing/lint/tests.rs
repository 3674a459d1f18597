use std::fmt::Write as _;

use super::*;
use crate::policy_testing::fragile::score;

fn linted(text: &str) -> Lints {
    let policy = Policy::from_bytes("scope.json", None, text.as_bytes()).unwrap_or_else(|faults| panic!("{faults}"));
    let now = "2026-03-01T00:00:00Z".parse().unwrap();
    lint(&policy, &Parts::read(text).unwrap(), Some(now))
}

fn found(text: &str) -> Vec<String> {
    let lints = linted(text).found;
    lints.iter().map(|lint| format!("{} {} {}", lint.code.id, lint.level.name(), lint.location.pointer)).collect()
}

#[test]
fn codes_are_found_where_they_stand() {
    let text = r#"{
  "files": { "read": { "allow": ["secrets/public/**", "/home/ana/x"], "deny": ["secrets/**", "secrets/**"] } },
  "commands": { "allow": ["git", "python3", "xargs", "git status", "cargo test"] },
  "network": { "allow": ["api.example"] }
}"#;
    let expected = [
        "POL002 warning /files/read/allow/0",
        "POL006 warning /files/read/allow/1",
        "POL002 warning /files/read/deny/1",
        "POL003 warning /commands/allow/0",
        "POL003 warning /commands/allow/1",
        "POL003 note /commands/allow/2",
        "POL002 note /commands/allow/3",
        "POL005 error /network/allow/0",
    ];
    let found: Vec<String> = found(text).into_iter().filter(|lint| !lint.starts_with("POL004")).collect();
    assert_eq!(found, expected);
}

#[test]
fn everything_is_more_than_the_repository() {
    let all = |read: &str| found(&format!(r#"{{"version": 2, "files": {{"read": {{"allow": ["{read}"]}}}}}}"#));
    assert_eq!(all("**"), ["POL006 warning /files/read/allow/0"]);
    assert_eq!(all("/**"), [""; 0]);
}

/// Whatever says that an entry is in vain is named, with its line.
#[test]
fn entries_in_vain_are_told_why() {
    let text = r#"{"version": 2,
  "files": {"read": {"allow": ["docs/**", "docs/api/**"], "ask": ["docs/api/**", ".env"], "deny": [".env"]},
            "write": {"allow": ["src/**", ".agent-scope.json"]}},
  "commands": {"allow": ["git status", "git push"]},
  "network": {"deny_all": true, "allow": ["*.example.com", "api.example.com"]},
  "rules": [
    {"id": "PUSH", "effect": "deny", "match": {"exec": {"program": "git", "subcommand": "push"}}},
    {"id": "PUSH-DRY", "effect": "allow", "match": {"exec": {"program": "git", "subcommand": "push", "any_flag": "--dry-run"}}}]
}"#;
    let policy = Policy::from_bytes("scope.json", None, text.as_bytes()).unwrap_or_else(|faults| panic!("{faults}"));
    let lints = idle(&policy, &Parts::read(text).unwrap());
    let found: Vec<String> = lints.iter().map(|lint| format!("{} {}", lint.level.name(), lint.message)).collect();
    let expected = [
        "note files.read.allow[1] adds nothing to files.read.allow[0] (line 2), `docs/**`",
        "warning what files.read.allow[1] allows, such as Read `docs/api/deep`, is held back for an approval by files.read.ask[0]",
        "warning what files.read.ask[1] asks for, such as Read `.env`, is denied by files.read.deny[0]",
        "warning what files.write.allow[1] allows, such as Write `.agent-scope.json`, is denied by floor/policy",
        "warning what commands.allow[1] allows, such as `git push`, is denied by PUSH",
        "note network.allow[1] adds nothing to network.allow[0] (line 5), `*.example.com`",
        "warning what PUSH-DRY allows, such as `git push --dry-run`, is denied by PUSH",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_policy_without_fault_has_no_lint() {
    let text = r#"{"version": 2, "files": {"write": {"allow": ["src/**"]}}, "commands": {"allow": ["git status", "cargo test"]},
        "network": {"deny_all": true, "allow": ["registry:cargo"]}}"#;
    assert_eq!(found(text), [""; 0]);
}

#[test]
fn codes_are_told_apart() {
    let mut ids: Vec<&str> = CODES.iter().map(|code| code.id).collect();
    ids.dedup();
    assert!(ids.is_sorted() && ids.len() == CODES.len());
}

/// What a policy with allow lists denies stays denied in every disguise.
#[test]
fn denies_hold_in_every_disguise() {
    let text = r#"{"version": 2,
        "files": {"read": {"allow": ["src/**", "*.md"], "deny": [".env", "secrets/**", "~/.ssh/**"]}, "write": {"allow": ["src/**"], "deny": [".github/**", "*.lock"]}},
        "commands": {"allow": ["cargo test", "git status", "git log", "ls", "cat", "grep", "echo", "find", "curl", "python3"], "deny": ["rm -rf", "git push", "sudo", "npm publish"]},
        "network": {"deny_all": true, "allow": ["api.github.com", "localhost"]}}"#;
    let lints = linted(text);
    let mut survivors = String::new();
    for deny in &lints.denies {
        assert!(deny.tried > 0 && deny.dead.is_none(), "{}: {}", deny.entry.name, deny.tried);
        for survivor in &deny.survivors {
            writeln!(survivors, "{} {}: {}", deny.entry.name, survivor.family, shown(&survivor.calls)).unwrap();
        }
    }
    assert!(score(&lints.denies).unwrap() >= 990, "{:?}\n{survivors}", score(&lints.denies));
}
