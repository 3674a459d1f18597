use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::policy_testing::trial::tried;
use crate::policy_testing::{Fragility, total};
use crate::random::{acts, policies};

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

/// A longer entry for a command vouches for code that the command starts, a shorter one does not. Only the same words say as much.
#[test]
fn entries_that_vouch_are_not_idle() {
    let of_commands =
        |list: &str, entries: &str| found(&format!(r#"{{"version": 2, "commands": {{"{list}": [{entries}]}}}}"#));
    for [short, long] in [["npm", "npm run build"], ["git", "git rebase"], ["cargo", "cargo xtask"], ["go", "go run"]] {
        let found = of_commands("allow", &format!("{short:?}, {long:?}"));
        assert!(!found.iter().any(|lint| lint.starts_with("POL002")), "{long}: {found:?}");
    }
    let both = r#""make x", {"command": "make x", "even_if_changed": true}"#;
    assert_eq!(of_commands("allow", both), ["POL002 warning /commands/allow/0"]);
    let denied = |entries: &str| {
        of_commands("deny", entries).into_iter().filter(|lint| !lint.starts_with("POL004")).collect::<Vec<_>>()
    };
    // Only several words are looked for in the text of other commands.
    assert_eq!(denied(r#""rm", "rm -rf""#), [""; 0]);
    assert_eq!(denied(r#""git push", "git push --force""#), ["POL002 note /commands/deny/1"]);
}

/// A program that is denied says nothing against a host, which other programs reach.
#[test]
fn a_denied_program_is_nothing_against_a_host() {
    let text =
        r#"{"version": 2, "commands": {"deny": ["curl"]}, "network": {"deny_all": true, "allow": ["github.com"]}}"#;
    let found: Vec<String> = found(text).into_iter().filter(|lint| lint.starts_with("POL002")).collect();
    assert_eq!(found, [""; 0]);
}

#[test]
fn entries_that_an_exclusion_takes_out_are_named() {
    let text = r#"{"version": 2, "files": {"write": {"deny": ["~/**", ".github/**", "!/**"]}, "read": {"deny": ["secrets/key", "!secrets/**", "a"]}}}"#;
    let policy = Policy::from_bytes("scope.json", None, text.as_bytes()).unwrap_or_else(|faults| panic!("{faults}"));
    let found: Vec<String> = taken_out(&policy).into_iter().map(|lint| lint.message).collect();
    let expected = [
        "files.read.deny[0] forbids nothing: files.read.deny[1] (line 1), `!secrets/**`, takes it out of the list",
        "files.write.deny[1] forbids nothing: files.write.deny[2] (line 1), `!/**`, takes it out of the list",
    ];
    assert_eq!(found, expected);
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 300, ..ProptestConfig::with_cases(32) })]

    /// An entry that lint advises to remove can go: no act is judged otherwise without it.
    #[test]
    fn an_entry_that_can_go_changes_no_verdict(plain in policies()) {
        let policy = plain.policy().unwrap();
        let parts = plain.parts();
        let can_go = |lint: &Lint| matches!(lint.help.as_deref(), Some(idle::REMOVE | idle::REMOVE_ONE));
        for lint in idle(&policy, &parts).into_iter().filter(can_go) {
            let without = plain.without(&lint.location.pointer);
            let other = without.policy().unwrap();
            for act in acts() {
                let verdict = |policy: &Policy| {
                    let tried = tried(policy, &act.calls, &act.caller);
                    (tried.answer, tried.unresolved, tried.others.len())
                };
                prop_assert_eq!(verdict(&policy), verdict(&other), "{}: {:?}\n{}", lint.message, act, plain.own);
            }
        }
    }
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
        assert!(deny.counts().tried > 0 && deny.dead.is_none(), "{}", deny.entry.name);
        for survivor in &deny.survivors {
            writeln!(survivors, "{} {}: {}", deny.entry.name, survivor.family, shown(&survivor.calls)).unwrap();
        }
    }
    let counts = total(lints.denies.iter().map(Fragility::counts));
    assert!(counts.refused() * 1000 >= counts.tried * 990, "{counts:?}\n{survivors}");
}
