use std::collections::BTreeMap;

use super::*;
use crate::hex;

use agent_strace_model::finding::RuleId;
use sha2::{Digest as _, Sha256};

/// Files by path; `@PATH` in a text stands for the digest of that file, which has to come before.
fn files(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for (path, text) in files {
        let mut text = (*text).to_owned();
        for (other, bytes) in &found {
            text = text.replace(&format!("@{other}"), &hex(&Sha256::digest(bytes)));
        }
        found.insert((*path).to_owned(), text);
    }
    found
}

fn read_policy(path: &str, all: &[(&str, &str)]) -> Result<Policy, Diagnostics> {
    let all = files(all);
    let read_file = |path: &str| {
        all.get(path).map(|text| text.clone().into_bytes()).ok_or_else(|| "there is no such file".to_owned())
    };
    Policy::from_source(path, None, all[path].as_bytes(), &read_file)
}

fn decisions(policy: &Policy, effects: &[&str]) -> Vec<String> {
    effects
        .iter()
        .map(|text| {
            let found = match text.strip_prefix("run ") {
                Some(words) => decide(policy, &command(words), None),
                None => decide(policy, &file_effect(text), None),
            };
            let file = found.location.as_ref().and_then(|location| location.file.as_deref()).unwrap_or("-");
            format!("{text}: {} ({file})", found.decision.name())
        })
        .collect()
}

const ORG: (&str, &str) = (
    ".github/org.json",
    r#"{"files": {"read": {"deny": ["secrets/**"]}, "write": {"allow": ["src/**", "docs/**"]}}, "commands": {"deny": ["git push"]}}"#,
);

#[test]
fn a_floor_can_only_be_narrowed() {
    let own = r#"{"version": 2,
        "extends": [{"path": ".github/org.json", "sha256": "@.github/org.json", "role": "floor"}],
        "files": {"read": {"allow": ["**"]}, "write": {"allow": ["src/**", "build/**"]}},
        "commands": {"allow": ["git push", "git status"]}}"#;
    let policy = read_policy("scope.json", &[ORG, ("scope.json", own)]).unwrap();
    let found = decisions(
        &policy,
        &[
            "read secrets/a",
            "read src/a",
            "write src/a",
            "write docs/a",
            "write build/a",
            "run git push",
            "run git status",
            "run ls",
        ],
    );
    assert_eq!(
        found,
        [
            "read secrets/a: denied (.github/org.json)",
            "read src/a: allowed (-)",
            "write src/a: allowed (-)",
            "write docs/a: denied (-)",
            "write build/a: denied (.github/org.json)",
            "run git push: denied (.github/org.json)",
            "run git status: allowed (-)",
            "run ls: denied (-)",
        ]
    );
    let extends: Vec<_> = policy.identity().unwrap().extends.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(extends, [".github/org.json"]);
}

#[test]
fn what_a_policy_does_not_state_its_base_states() {
    let base = r#"{"version": 2,
        "files": {"read": {"deny": ["a"]}, "write": {"deny": ["b"]}, "delete": {"deny": ["c"]}},
        "commands": {"allow": ["ls", "cat"]}, "network": {"deny_all": true},
        "sessions": {"deny": {"branch": ["main"]}}, "evidence": {"minimum": "E1", "repositories": ["acme/old"]}}"#;
    let own = r#"{"version": 2, "extends": [{"path": "../base.json", "sha256": "@base.json", "role": "base"}],
        "files": {"write": {"deny": ["d"]}}, "commands": {"deny": ["cat"]}, "network": {"deny_all": false},
        "sessions": {"deny": {"agent": ["x"]}}}"#;
    let policy = read_policy("team/scope.json", &[("base.json", base), ("team/scope.json", own)]).unwrap();
    let found = decisions(&policy, &["read a", "write b", "write d", "run ls", "run cat", "run rm"]);
    assert_eq!(
        found,
        [
            "read a: denied (base.json)",
            "write b: allowed (-)",
            "write d: denied (-)",
            "run ls: allowed (base.json)",
            "run cat: denied (-)",
            "run rm: denied (base.json)",
        ]
    );
    let connection = effect(
        Kind::Connect(Connection { host: Some("example.com".to_owned()), port: None, scheme: None }),
        Certainty::Exact,
    );
    assert_eq!(decide(&policy, &connection, None).decision, Decision::Allowed, "`deny_all` is stated anew");
    assert!(policy.evidence().minimum().is_some());
    assert_eq!(policy.evidence().repositories(), ["acme/old"]);
    let breaches = |branch: &'static str, agent: &'static str| {
        policy
            .sessions()
            .breaches(|field| match field.name() {
                "branch" => vec![branch],
                "agent" => vec![agent],
                _ => vec![],
            })
            .len()
    };
    assert_eq!((breaches("main", "y"), breaches("dev", "x"), breaches("dev", "y")), (1, 1, 0));
}

#[test]
fn a_floor_holds_over_all_levels_and_demands_its_own() {
    let floor = r#"{"version": 2, "files": {"read": {"deny": ["x"]}},
        "evidence": {"minimum": "E2", "rules": {"evidence/rewound": "error"}, "repositories": ["acme/old"]},
        "sessions": {"allow": {"agent": ["codex"]}}}"#;
    let team = r#"{"version": 2, "extends": [{"path": "floor.json", "sha256": "@org/floor.json", "role": "floor"}],
        "files": {"read": {"allow": ["**"]}}}"#;
    let own = r#"{"version": 2, "extends": [{"path": "org/team.json", "sha256": "@org/team.json", "role": "base"}],
        "files": {"read": {"allow": ["x", "y"]}},
        "evidence": {"minimum": "E1", "rules": {"evidence/rewound": "note"}, "repositories": ["acme/older"]},
        "sessions": {"allow": {"agent": ["*"]}}}"#;
    let all = [("org/floor.json", floor), ("org/team.json", team), ("scope.json", own)];
    let policy = read_policy("scope.json", &all).unwrap();
    assert_eq!(decisions(&policy, &["read x", "read y"]), ["read x: denied (org/floor.json)", "read y: allowed (-)"]);
    assert_eq!(policy.evidence().minimum().unwrap().0.name(), "E2");
    assert_eq!(policy.evidence().repositories(), ["acme/older", "acme/old"]);
    assert_eq!(policy.evidence().weight(RuleId::EvidenceRewound).0.level(), agent_strace_model::finding::Level::Error);
    assert_eq!(policy.sessions().breaches(|field| if field.name() == "agent" { vec!["amp"] } else { vec![] }).len(), 1);
}

#[test]
fn who_is_judged_may_not_change_a_file_that_judges() {
    let own =
        r#"{"version": 2, "extends": [{"path": ".github/org.json", "sha256": "@.github/org.json", "role": "floor"}]}"#;
    let policy = read_policy(
        "gate/scope.json",
        &[("gate/.github/org.json", ORG.1), ("gate/scope.json", &own.replace("@.github", "@gate/.github"))],
    )
    .unwrap();
    for path in ["gate/scope.json", "gate/.github/org.json", "GATE/Scope.json"] {
        assert_eq!(decide(&policy, &file_effect(&format!("write {path}")), None).rule, RuleId::FloorPolicy, "{path}");
    }
    assert_ne!(decide(&policy, &file_effect("write src/scope.rs"), None).rule, RuleId::FloorPolicy);
}

#[test]
fn what_can_not_be_extended_is_a_fault_at_its_place() {
    let with = |extension: &str| {
        let own = format!("{{\"version\": 2,\n\"extends\": [{extension}]}}");
        let base = ("one.json", r#"{"files": {"read": {"deny": ["a"]}}}"#);
        let told = ("told.json", r#"{"version": 2, "programs": {"x": {"operands": ["read"]}}}"#);
        let broken = ("broken.json", "{\n\"files\": 1}");
        let all = [base, broken, told, ORG, ("scope.json", own.as_str())];
        read_policy("scope.json", &all).map(|_| ()).unwrap_err().to_string()
    };
    let zeros = "0".repeat(64);
    let floor = r#"{"path": ".github/org.json", "sha256": "@.github/org.json", "role": "floor"}"#;
    let cases = [
        (
            format!(r#"{{"path": "one.json", "sha256": "{zeros}", "role": "floor"}}"#),
            "another file than the one that was pinned",
        ),
        (
            format!(r#"{{"path": "none.json", "sha256": "{zeros}", "role": "floor"}}"#),
            "can't be read: there is no such file",
        ),
        (format!(r#"{{"path": "/etc/org.json", "sha256": "{zeros}", "role": "floor"}}"#), "not a relative path"),
        (format!(r#"{{"path": "https://example.com/org.json", "sha256": "{zeros}", "role": "floor"}}"#), "is no file"),
        (r#"{"path": "one.json", "sha256": "12", "role": "floor"}"#.to_owned(), "no SHA-256 digest"),
        (r#"{"path": "one.json", "sha256": "@one.json", "role": "flor"}"#.to_owned(), "did you mean `floor`?"),
        (r#"{"path": "one.json", "sha256": "@one.json", "role": "base"}"#.to_owned(), "a policy of version 1"),
        (r#"{"path": "one.json", "sha256": "@one.json"}"#.to_owned(), "`role` is missing"),
        (format!("{floor}, {floor}"), "extended twice"),
        (
            format!(r#"{floor}, {{"path": "told.json", "sha256": "@told.json", "role": "base"}}"#),
            "can't stand beside a floor",
        ),
    ];
    for (extension, expected) in cases {
        let faults = with(&extension);
        assert!(faults.starts_with("scope.json:2:"), "{faults}");
        assert!(faults.contains(expected), "{expected}: {faults}");
    }
    let inside = with(r#"{"path": "broken.json", "sha256": "@broken.json", "role": "floor"}"#);
    assert!(inside.starts_with("broken.json:2:10:"), "{inside}");
}
