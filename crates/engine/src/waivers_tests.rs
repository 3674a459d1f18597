//! What is waived, whatever the order, and what keeps its fingerprint.

use std::collections::BTreeSet;

use proptest::prelude::*;

use agent_strace_model::finding::RuleId;

use super::tests::{conclude_block, policy, told};
use super::*;

/// Exceptions from a rule, each `(rule, match as JSON)`.
fn scope(exceptions: &[(&str, &str)]) -> String {
    let exceptions: Vec<String> = exceptions
        .iter()
        .map(|(rule, demand)| {
            format!(r#"{{"rule": "{rule}", "match": {demand}, "reason": "r", "owner": "o", "until": "2026-12-31"}}"#)
        })
        .collect();
    format!(
        r#"{{"version": 2, "files": {{"read": {{"deny": ["a/**", "a/b/*"]}}, "write": {{"deny": ["db/**"], "allow": ["src/**"]}}}},
            "commands": {{"deny": ["git push", "git"]}}, "network": {{"deny_all": true}}, "exceptions": [{}]}}"#,
        exceptions.join(", ")
    )
}

const ACTS: &[&str] = &[
    "today 2026-03-01",
    "read a/b/c",
    "read a/x",
    "write db/1.sql",
    "write docs/x",
    "write .agent-scope.json",
    "$ git push origin main",
    "$ git status",
    "fetch https://example.com/x",
];

fn findings(outcome: &Outcome) -> Vec<String> {
    let mut found: Vec<String> =
        told(outcome).map(|(_, finding)| format!("{} {}", finding.rule, finding.message)).collect();
    found.sort();
    found
}

fn run(exceptions: &[(&str, &str)]) -> Outcome {
    conclude_block(&policy(&scope(exceptions)), ACTS, &Settings::default())
}

#[test]
fn an_exception_from_one_rule_is_none_from_another() {
    let all = findings(&run(&[])).len();
    // Each names one rule of several that stand against the act: the others stay.
    for (rule, demand) in [
        ("files.read.deny[0]", r#"{"path": "a/b/c"}"#),
        ("files.read.deny[1]", r#"{"path": "a/b/c"}"#),
        ("files.write.deny[0]", r#"{"path": "db/1.sql"}"#),
        ("floor/policy", r#"{"path": ".agent-scope.json"}"#),
        ("commands.deny[0]", r#"{"command": "git push"}"#),
        ("commands.deny[1]", r#"{"command": "git push"}"#),
    ] {
        assert_eq!(findings(&run(&[(rule, demand)])).len(), all, "{rule} {demand}");
    }
    let both = [("files.read.deny[0]", r#"{"path": "a/b/c"}"#), ("files.read.deny[1]", r#"{"path": "a/b/c"}"#)];
    assert_eq!(findings(&run(&both)).len(), all - 1);
    assert_eq!(findings(&run(&[("files.read.deny[0]", r#"{"path": "a/x"}"#)])).len(), all - 1);
    let connected = findings(&run(&[("network.deny_all", r#"{"host": "example.com"}"#)]));
    let others: Vec<String> =
        findings(&run(&[])).into_iter().filter(|finding| !finding.contains("connects to `example.com`")).collect();
    assert_eq!(connected, others);
    // All of what was touched has to be covered.
    assert_eq!(findings(&run(&[("network.deny_all", r#"{"host": "*.example.com"}"#)])).len(), all);
    assert_eq!(findings(&run(&[("commands.deny[1]", r#"{"command": "git push"}"#)])).len(), all);
    assert_eq!(findings(&run(&[("commands.deny[1]", r#"{"target": "git"}"#)])).len(), all);
    assert_eq!(findings(&run(&[("commands.deny[1]", r#"{"target": "git status"}"#)])).len(), all - 1);
    // Without a clock none of them holds.
    let acts: Vec<&str> = ACTS.iter().copied().skip(1).collect();
    assert_eq!(findings(&conclude_block(&policy(&scope(&both)), &acts, &Settings::default())).len(), all);
}

#[test]
fn an_act_keeps_its_fingerprint_and_no_other_act_has_it() {
    let text = scope(&[]);
    let scope = policy(&text);
    let of = |lines: &[&str]| -> BTreeSet<String> {
        let outcome = conclude_block(&scope, lines, &Settings::default());
        told(&outcome).map(|(_, finding)| finding.fingerprint.clone()).collect()
    };
    for (act, others) in [
        ("read a/x", vec!["read a/y", "read a/b/x", "edit a/x", "$ cat a/x a/y"]),
        (
            "$ git push origin main",
            vec!["$ git push origin next", "$ git push -f origin main", "$ git pull origin main"],
        ),
        ("fetch https://example.com/x", vec!["fetch https://example.org/x", "fetch http://example.com/x"]),
        ("write db/1.sql", vec!["write db/2.sql", "$ rm db/1.sql"]),
    ] {
        let known = of(&[act]);
        assert!(!known.is_empty(), "{act}");
        let mut shifted = vec!["read src/a"; 100];
        shifted.push(act);
        assert_eq!(of(&shifted), known, "{act}: a hundred acts before it");
        assert_eq!(of(&["session other", act]), known, "{act}: in another session");
        for other in others {
            assert!(of(&[other]).difference(&known).next().is_some(), "{other} is not {act}");
        }
    }
    // The same act as another agent's tool records it.
    assert!(of(&["$ cat a/x"]).is_superset(&of(&["read a/x"])));
}

fn exception() -> impl Strategy<Value = (&'static str, &'static str)> {
    let rules = prop::sample::select(vec![
        "files.read.deny[0]",
        "files.read.deny[1]",
        "scope/read",
        "scope/write",
        "floor/policy",
        "commands.deny[0]",
        "commands.deny[1]",
        "network.deny_all",
    ]);
    let demands = prop::sample::select(vec![
        r#"{"path": "a/**"}"#,
        r#"{"path": ["a/x", ".agent-scope.json"]}"#,
        r#"{"command": "git"}"#,
        r#"{"target": "**"}"#,
        r#"{"host": "example.com"}"#,
        r#"{"session": "session"}"#,
        r#"{"path": "db/**", "session": "other"}"#,
    ]);
    (rules, demands)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_exceptions_changes_nothing_and_none_hides_another_finding(
        exceptions in prop::collection::vec(exception(), 0..5),
        turn in 0_usize..5,
    ) {
        let mut turned = exceptions.clone();
        let middle = turn.min(turned.len());
        turned.rotate_left(middle);
        let (one, other) = (run(&exceptions), run(&turned));
        prop_assert_eq!(findings(&one), findings(&other));
        prop_assert_eq!((one.verdict, one.waived.len()), (other.verdict, other.waived.len()));
        // Nothing is lost: what does not count is on record. Another rule may be named where one of two is excepted.
        let rules = |outcome: &Outcome| -> BTreeSet<(u32, RuleId)> {
            let waived = outcome.waived.iter().map(|waived| (waived.finding.event, waived.finding.rule));
            told(outcome).map(|(_, finding)| (finding.event, finding.rule)).chain(waived).collect()
        };
        let all = run(&[]);
        prop_assert!(rules(&one).is_superset(&rules(&all)));
    }
}

#[test]
fn an_exception_for_one_variable_leaves_what_else_forbids_it() {
    let scope = |exceptions: &str| {
        format!(
            r#"{{"version": 2, "env": {{"deny_set": ["LD_*", "LD_PRELOAD"], "allow_set": ["RUST_LOG"]}}, "exceptions": [{exceptions}]}}"#
        )
    };
    let except = |rule: &str| {
        format!(
            r#"{{"rule": "{rule}", "match": {{"env": "LD_PRELOAD"}}, "reason": "r", "owner": "o", "until": "2026-12-31"}}"#
        )
    };
    let failing = |exceptions: &[&str]| {
        let exceptions: Vec<String> = exceptions.iter().map(|rule| except(rule)).collect();
        let acts = ["today 2026-03-01", "$ LD_PRELOAD=/tmp/x.so ls"];
        let outcome = conclude_block(&policy(&scope(&exceptions.join(", "))), &acts, &Settings::default());
        findings(&outcome).iter().filter(|finding| finding.starts_with("scope/env")).count()
    };
    assert_eq!(failing(&[]), 1);
    assert_eq!(failing(&["env.deny_set[0]"]), 1);
    assert_eq!(failing(&["env.deny_set[0]", "env.deny_set[1]"]), 1, "it is not among those that may be set");
    assert_eq!(failing(&["env.deny_set[0]", "env.deny_set[1]", "env.allow_set"]), 0);
}
