use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::lines::{policy, session};
use crate::{Entries, JudgementCache, judge_guarded};
use agent_strace_model::finding::{Level, RuleId};

fn differences(old: &Value, new: &Value) -> Vec<Change> {
    let (before, after) = (policy(old), policy(new));
    changes(Version { policy: &before, plain: old }, Version { policy: &after, plain: new })
}

/// One change in one line.
fn told(old: &Value, new: &Value) -> Vec<String> {
    let told = |change: &Change| format!("{}: {} ({})", change.direction.name(), change.meaning, change.name);
    differences(old, new).iter().map(told).collect()
}

fn tally(plain: &Value, lines: &[String]) -> Tally {
    let policy = policy(plain);
    let mut tally = Tally::default();
    let rules = Rules::new(&policy);
    let policy = BacktestPolicy { cache: &JudgementCache::new(&policy), rules: &rules };
    add_session(&mut tally, &session(lines), policy, &Arc::default(), Uncovered::List);
    tally
}

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

#[test]
fn a_call_is_counted_once_at_the_strictest_that_speaks_of_it() {
    let plain = json!({
        "files": {"read": {"allow": ["src/**", "**"], "deny": [".env"]}},
        "commands": {"allow": ["cat", "git status"], "deny": ["git push"]},
    });
    let calls = lines(&[
        "$ cat src/a",
        "$ cat .env && git push",
        "$ ls",
        "$ cat src/a $X",
        "refused read .env",
        "todo x",
        "write .agent-scope.json",
    ]);
    let tally = tally(&plain, &calls);
    let policy = policy(&plain);
    let rules = Rules::new(&policy);
    let counts = |name: &str| {
        let at = rules.entries().iter().position(|entry| entry.name == name).unwrap();
        tally
            .rules
            .get(&Decider::Entry(at))
            .map_or((0, 0, 0), |counts| (counts.matched, counts.would_block, counts.spoke))
    };
    assert_eq!(counts("commands.allow[0]"), (1, 0, 3));
    assert_eq!(counts("files.read.deny[0]"), (1, 0, 2), "it spoke of the call that another entry is counted for");
    assert_eq!(counts("commands.deny[0]"), (1, 1, 1));
    assert_eq!((tally.tool_calls, tally.attempts, tally.blocked, tally.blocked_unresolved), (7, 1, 4, 1));
    let built_in = tally.rules.get(&Decider::BuiltIn(RuleId::FloorPolicy)).unwrap();
    assert_eq!((built_in.matched, built_in.would_block), (1, 1));
    let default = tally.rules.get(&Decider::Default).unwrap();
    assert_eq!((default.matched, default.would_block), (2, 1), "`ls` is not listed, a list of tasks touches nothing");
    assert_eq!(tally.covered, 4);
    assert_eq!(tally.uncovered.len(), 3);
}

#[test]
fn entries_that_decided_nothing_are_idle() {
    let plain = json!({"commands": {"allow": ["cat", "ls", "cargo"], "deny": ["rm"]}});
    let tally = tally(&plain, &lines(&["$ cat x; ls", "refused $ rm x"]));
    let policy = policy(&plain);
    let rules = Rules::new(&policy);
    let idle: Vec<&str> = tally.idle(&rules).iter().map(|at| rules.entries()[*at].name.as_str()).collect();
    assert_eq!(idle, ["commands.allow[2]"]);
}

#[test]
fn what_a_change_means_is_said_in_words() {
    let read = |lists: Value| json!({"files": {"read": lists}});
    let run = |lists: Value| json!({"commands": lists});
    for (old, new, expected) in [
        (
            run(json!({"allow": ["ls"]})),
            run(json!({"allow": ["ls", "npm publish"]})),
            vec!["wider: agents may now run `npm publish` (commands.allow[1])"],
        ),
        (
            read(json!({"deny": [".env", "secrets/**"]})),
            read(json!({"deny": [".env"]})),
            vec!["wider: `secrets/**` is no longer denied for reading (files.read.deny[1])"],
        ),
        (
            read(json!({"deny": ["secrets/**", "secrets/keys/*.pem"]})),
            read(json!({"deny": ["secrets/**"]})),
            vec![
                "same: nothing changes for `secrets/keys/*.pem` for reading: `secrets/**` denies it as well \
                 (files.read.deny[1])",
            ],
        ),
        (
            run(json!({"deny": ["rm"]})),
            run(json!({"deny": ["rm"], "allow": ["ls", "cat"]})),
            vec!["narrower: agents may run only what is listed: `ls`, `cat` (commands.allow)"],
        ),
        (
            run(json!({"deny": ["rm"], "allow": ["ls", "cat"]})),
            run(json!({"deny": ["rm"], "allow": []})),
            vec!["wider: agents may run every command that is not denied (commands.allow)"],
        ),
        (
            run(json!({"allow": ["git status"], "deny": ["git push"]})),
            run(json!({"allow": ["git status", "git push --tags"], "deny": ["git push"]})),
            vec!["same: nothing changes for `git push --tags` as a command: `git push` is denied (commands.allow[1])"],
        ),
        (
            json!({"network": {"deny_all": true, "allow": ["a.example"]}}),
            json!({"network": {"deny_all": false, "allow": ["a.example"]}}),
            vec!["wider: agents may connect to every host that is not denied (network.deny_all)"],
        ),
        (
            json!({"network": {"deny_all": true, "allow": ["*.a.example"]}}),
            json!({"network": {"deny_all": true, "allow": ["*.a.example", "b.a.example", "b.example"]}}),
            vec![
                "wider: agents may now connect to `b.example` (network.allow[2])",
                "same: nothing changes for `b.a.example` as a host: `*.a.example` allows it as well (network.allow[1])",
            ],
        ),
        (
            json!({"programs": {}}),
            json!({"evidence": {"rules": {"evidence/rewound": "note"}}}),
            vec!["unknown: `evidence` changed: what is missing in a log may weigh otherwise (evidence)"],
        ),
        (
            json!({"version": 2, "files": {"write": {"deny": ["a"]}}}),
            json!({"version": 2, "files": {"write": {"deny": ["a"]}, "delete": {}}}),
            vec!["unknown: `files` changed: deletes may be judged by another list (files)"],
        ),
        (
            json!({"version": 2, "commands": {"ask": ["git push"]}}),
            json!({"version": 2, "commands": {"deny": ["git push"]}}),
            vec![
                "narrower: agents may no longer run `git push`: it is denied (commands.deny[0])",
                "same: agents may not run `git push` at all: it is denied where it needed an approval (commands.ask[0])",
            ],
        ),
    ] {
        assert_eq!(told(&old, &new), expected, "{old} → {new}");
    }
}

/// Patterns that may hold, touch or miss one another.
fn paths() -> impl Strategy<Value = Vec<&'static str>> {
    let texts = ["src/**", "src/a/**", "src/a/b.rs", "*.md", ".env", "**/.env", "secrets/**", "docs/*.md", "/etc/**"];
    prop::sample::subsequence(texts.to_vec(), 0..5)
}

fn commands() -> impl Strategy<Value = Vec<&'static str>> {
    let texts = ["cat", "git", "git push", "git push --force", "git status", "rm", "rm -rf", "curl", "ls *", "echo"];
    prop::sample::subsequence(texts.to_vec(), 0..6)
}

fn hosts() -> impl Strategy<Value = Vec<&'static str>> {
    let texts = ["*.example.com", "api.example.com", "example.com", "api.example.com:443", "registry:npm"];
    prop::sample::subsequence(texts.to_vec(), 0..4)
}

fn policies() -> impl Strategy<Value = Value> {
    let lists = (paths(), paths(), paths(), paths(), commands(), commands(), any::<bool>(), hosts());
    lists.prop_map(|(read, no_read, write, no_write, run, no_run, deny_all, hosts)| {
        json!({
            "files": {
                "read": {"allow": read, "deny": no_read},
                "write": {"allow": write, "deny": no_write},
            },
            "commands": {"allow": run, "deny": no_run},
            "network": {"deny_all": deny_all, "allow": hosts},
        })
    })
}

fn calls() -> impl Strategy<Value = Vec<String>> {
    let texts = [
        "$ cat src/a/b.rs",
        "$ cat .env",
        "$ git push --force origin main",
        "$ git status",
        "$ rm -rf src",
        "$ ls -la",
        "$ curl https://api.example.com/x",
        "$ curl http://example.com",
        "$ grep -r key .",
        "$ cat src/*",
        "$ $CMD x",
        "$ cd src && cat a/b.rs > docs/a.md",
        "$ echo \"$(cat secrets/k)\"",
        "read secrets/a",
        "read src/.env",
        "read README.md",
        "read /etc/passwd",
        "write src/a/c.rs",
        "write docs/x.md",
        "write .agent-scope.json",
        "fetch https://api.example.com/",
        "refused $ rm -rf /",
        "todo x",
        "$ npm install",
        "$ ls | xargs rm",
    ];
    prop::collection::vec(prop::sample::select(texts.to_vec()).prop_map(str::to_owned), 1..12)
}

/// The same with every list turned around.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().rev().cloned().collect()),
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), reversed(value))).collect(),
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_policy_differs_from_none_of_its_permutations(plain in policies()) {
        prop_assert!(differences(&plain, &plain).is_empty());
        let turned = reversed(&plain);
        prop_assert!(differences(&plain, &turned).is_empty(), "{:?}", differences(&plain, &turned));
    }

    #[test]
    fn counts_add_up_and_blocked_calls_are_those_that_check_fails_for(plain in policies(), calls in calls()) {
        let tally = tally(&plain, &calls);
        prop_assert_eq!(tally.tool_calls, calls.len());
        prop_assert_eq!(tally.rules.values().map(|counts| counts.matched).sum::<usize>(), calls.len());
        prop_assert_eq!(tally.rules.values().map(|counts| counts.would_block).sum::<usize>(), tally.blocked);
        prop_assert!(tally.rules.values().all(|counts| counts.spoke >= counts.matched));
        prop_assert_eq!(tally.uncovered.len(), tally.tool_calls - tally.covered);
        let checked = judge_guarded(&session(&calls), Vec::new(), &policy(&plain), Entries::Drop, &Arc::default());
        let failing = checked.findings.iter().filter(|finding| finding.level == Level::Error);
        let failing: BTreeSet<u32> = failing.map(|finding| finding.event).collect();
        prop_assert_eq!(tally.blocked, failing.len());
    }

    #[test]
    fn what_is_not_said_to_widen_lets_no_call_through(old in policies(), new in policies(), calls in calls()) {
        let (before, after) = (policy(&old), policy(&new));
        let (old_rules, new_rules) = (Rules::new(&before), Rules::new(&after));
        let (before, after) = (JudgementCache::new(&before), JudgementCache::new(&after));
        let shared = compare_session(
            &session(&calls),
            BacktestPolicy { cache: &before, rules: &old_rules },
            BacktestPolicy { cache: &after, rules: &new_rules },
            &Arc::default(),
            Programs::Shared,
        );
        prop_assert_eq!(shared.old.blocked + shared.new_blocks.tool_calls,
            shared.new.blocked + shared.blocks_removed.tool_calls);
        prop_assert_eq!(shared.new.blocked, tally(&new, &calls).blocked);
        let changes = differences(&old, &new);
        if !changes.iter().any(|change| change.direction.may_widen()) {
            prop_assert_eq!(shared.blocks_removed.tool_calls, 0, "{:?}", changes);
        }
        if changes.iter().all(|change| change.direction == Direction::Same) {
            prop_assert_eq!(shared.new_blocks.tool_calls, 0, "{:?}", changes);
        }
    }
}
