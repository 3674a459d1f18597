//! No change turns an act that fails into one that passes unless it is said to allow more.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::policy_testing::fails;
use crate::random::{Act, Plain, acts, edits};
use agent_strace_policy::{Caller, Policy, TestCall};

fn differences(old: (&Plain, &Policy), new: (&Plain, &Policy)) -> Vec<Change> {
    changes(Version { policy: old.1, plain: &old.0.own }, Version { policy: new.1, plain: &new.0.own })
}

fn shown(act: &Act) -> String {
    let calls: Vec<String> = act.calls.iter().map(|call| format!("{} {}", call.tool, call.arguments)).collect();
    format!("{} ({:?})", calls.join("; then "), act.caller)
}

/// An entry, a longer one that vouches for more, and an act that only the longer one lets pass.
const VOUCHING: &[[&str; 3]] = &[
    ["npm", "npm run build", "npm run build"],
    ["npm run", "npm run build", "npm run build"],
    ["npm", "npm test", "npm test"],
    ["bash", "bash deploy.sh", "bash deploy.sh"],
    ["sh", "sh deploy.sh", "sh deploy.sh"],
    ["terraform", "terraform apply", "terraform apply"],
    ["git", "git rebase", "git rebase main"],
    ["git", "git stash", "git stash pop"],
    ["mise run", "mise run x", "mise run x"],
    ["mise", "mise run x", "mise run x"],
    ["docker", "docker compose", "docker compose up"],
    ["docker", "docker run", "docker run alpine ls"],
    ["go", "go run", "go run ./cmd"],
    ["go", "go generate", "go generate ./..."],
    ["go", "go test", "go test ./..."],
    ["cargo", "cargo run", "cargo run"],
    ["cargo", "cargo xtask", "cargo xtask dist"],
    ["cargo", "cargo test", "cargo test"],
    ["bun", "bun run x", "bun run x"],
    ["yarn", "yarn build", "yarn build"],
    ["pnpm", "pnpm build", "pnpm build"],
    ["python3", "python3 tools/gen.py", "python3 tools/gen.py"],
    ["node", "node x.js", "node x.js"],
    ["uv", "uv run pytest", "uv run pytest"],
    ["just", "just x", "just x"],
    ["kubectl", "kubectl apply", "kubectl apply -f x.yml"],
];

#[test]
fn an_entry_that_vouches_for_more_allows_more() {
    let contexts = [
        json!({}),
        json!({ "version": 2 }),
        json!({ "version": 2, "network": { "deny_all": true } }),
        json!({ "version": 2, "files": { "write": { "allow": ["src/**"] } } }),
    ];
    let mut seen = BTreeSet::new();
    for (context, [short, long, act]) in
        contexts.iter().flat_map(|context| VOUCHING.iter().map(move |row| (context, row)))
    {
        let plain = |entries: &[&str]| {
            let mut own = context.clone();
            own["commands"] = json!({ "allow": entries });
            Plain { own, extended: None }
        };
        let (old, new) = (plain(&[short]), plain(&[short, long]));
        let (before, after) = (old.policy().unwrap(), new.policy().unwrap());
        let fails = |policy: &Policy| fails(policy, &[TestCall::shell(act)], &Caller::default());
        let there = differences((&old, &before), (&new, &after));
        let back = differences((&new, &after), (&old, &before));
        assert!(there.iter().any(|change| change.direction.may_widen()), "{long}: {there:?}");
        assert!(back.iter().all(|change| change.direction == Direction::Narrower), "{long}: {back:?}");
        if fails(&before) && !fails(&after) {
            seen.insert((short, long));
            assert_eq!(there.first().map(|change| change.direction), Some(Direction::Wider), "{long}: {there:?}");
        }
    }
    assert!(seen.len() >= 21, "only these are seen to let an act pass: {seen:?}");
}

/// Changes that look as if they allowed less, or nothing else.
#[test]
fn what_may_allow_more_is_not_passed_over() {
    let defaults = json!({ "decision": "deny" });
    for (old, new) in [
        // Everything is refused until a list names it.
        (
            json!({ "version": 2, "defaults": defaults }),
            json!({ "version": 2, "defaults": defaults, "commands": { "allow": ["git"] } }),
        ),
        // The list vouches for an act that another list refuses.
        (
            json!({ "version": 2, "network": { "deny_all": true } }),
            json!({ "version": 2, "network": { "deny_all": true }, "commands": { "allow": ["foo"] } }),
        ),
        (
            json!({ "version": 2, "mcp": { "default": "deny" } }),
            json!({ "version": 2, "mcp": { "default": "deny", "servers": { "a": { "allow": ["x"] } } } }),
        ),
        // Without the list the default for tools of servers decides, which is another one.
        (
            json!({ "version": 2, "defaults": defaults, "mcp": { "default": "allow", "servers": { "*": { "allow": ["x"], "ask": ["y"] } } } }),
            json!({ "version": 2, "defaults": defaults, "mcp": { "default": "allow", "servers": { "*": { "ask": ["y"] } } } }),
        ),
        // Variables have no default: without the list all of them may be set.
        (
            json!({ "version": 2, "defaults": defaults, "env": { "allow_set": ["builtin:harmless-variables"] } }),
            json!({ "version": 2, "defaults": defaults }),
        ),
        (
            json!({ "version": 2, "defaults": defaults, "env": { "allow_set": ["CI"] } }),
            json!({ "version": 2, "defaults": defaults, "env": { "allow_set": [] } }),
        ),
        // A sensitive file that a list names is no error.
        (json!({}), json!({ "files": { "write": { "allow": ["**"] } } })),
        // Several words are looked for in the text of other commands, one word is not.
        (json!({ "commands": { "deny": ["rm", "rm -rf"] } }), json!({ "commands": { "deny": ["rm"] } })),
        // The price says how much the limit holds.
        (
            json!({ "version": 2, "budgets": { "cost_usd": 1 } }),
            json!({ "version": 2, "budgets": { "cost_usd": 1, "usd_per_million_tokens": { "input": 0, "output": 0, "cache_read": 0, "cache_write": 0 } } }),
        ),
        // A sensitive file is an error without the rule.
        (
            json!({ "version": 2 }),
            json!({ "version": 2, "rules": [{ "id": "R", "effect": "deny", "severity": "warning", "match": { "read": [".env"] } }] }),
        ),
        // The rule also refuses other flags of what starts the command.
        (
            json!({ "version": 2, "rules": [{ "id": "R", "effect": "allow", "match": { "exec": { "program": "uv", "only_flags": ["-q"] } } }] }),
            json!({ "version": 2 }),
        ),
    ] {
        let (old, new) = (Plain { own: old, extended: None }, Plain { own: new, extended: None });
        let changes = differences((&old, &old.policy().unwrap()), (&new, &new.policy().unwrap()));
        assert!(changes.iter().any(|change| change.direction.may_widen()), "{}: {changes:?}", new.own);
    }
}

#[test]
fn what_allows_less_is_not_taken_for_more() {
    let policy = |write: serde_json::Value, commands: serde_json::Value| json!({ "version": 2, "files": { "write": { "allow": write } }, "commands": { "allow": commands } });
    let old = policy(json!(["lib/x/**", "!builtin:instructions"]), json!(["tool *", "npm run *", "builtin:git-work"]));
    for new in [
        policy(json!(["lib/x/*.json", "!builtin:instructions"]), json!(["tool *", "npm run *", "builtin:git-work"])),
        policy(json!(["lib/x/**", "!builtin:instructions"]), json!(["tool status", "npm run *", "builtin:git-work"])),
        policy(json!(["lib/x/**", "!builtin:instructions"]), json!(["tool *", "npm run build", "builtin:git-work"])),
        policy(json!(["lib/x/**", "!builtin:instructions"]), json!(["tool *", "npm run *", "git add"])),
    ] {
        let (old, new) = (Plain { own: old.clone(), extended: None }, Plain { own: new, extended: None });
        let changes = differences((&old, &old.policy().unwrap()), (&new, &new.policy().unwrap()));
        assert!(!changes.iter().any(|change| change.direction.may_widen()), "{}: {changes:?}", new.own);
    }
    // Where less is taken out than before, a narrower entry may still allow more.
    let new = policy(json!(["lib/x/*.md"]), json!(["tool *", "npm run *", "builtin:git-work"]));
    let (old, new) = (Plain { own: old, extended: None }, Plain { own: new, extended: None });
    let changes = differences((&old, &old.policy().unwrap()), (&new, &new.policy().unwrap()));
    assert!(changes.iter().any(|change| change.direction.may_widen()), "{changes:?}");
}

/// A rule takes the place of the rule of that name in the file that the policy extends.
#[test]
fn what_a_base_states_is_not_only_added_to() {
    let base =
        json!({ "version": 2, "rules": [{ "id": "R", "effect": "deny", "match": { "exec": { "program": "rm" } } }] });
    let own =
        json!({ "version": 2, "rules": [{ "id": "r", "effect": "deny", "match": { "exec": { "program": "ls" } } }] });
    let (old, new) = (Plain::extending(json!({ "version": 2 }), &base, "base"), Plain::extending(own, &base, "base"));
    let changes = differences((&old, &old.policy().unwrap()), (&new, &new.policy().unwrap()));
    assert!(changes.iter().any(|change| change.direction == Direction::Unknown), "{changes:?}");
}

/// An entry that may forbid an act, of which a part is not known, excuses nothing that is known of it.
#[test]
fn a_deny_that_may_match_lets_nothing_pass() {
    let policy = |deny: &[&str], hosts: &[&str]| Plain {
        own: json!({
            "version": 2, "defaults": { "unresolved": "note" },
            "commands": { "allow": ["ls", "git"], "deny": deny },
            "network": { "deny_all": true, "deny": hosts },
        }),
        extended: None,
    };
    for act in ["npm run $NAME", "git fetch origin"] {
        for plain in [policy(&[], &[]), policy(&["npm run build"], &["evil.test"])] {
            let fails = fails(&plain.policy().unwrap(), &[TestCall::shell(act)], &Caller::default());
            assert!(fails, "{act}: {}", plain.own);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 300, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn what_is_not_said_to_widen_lets_no_act_pass((old, new) in edits()) {
        let (before, after) = (old.policy().unwrap(), new.policy().unwrap());
        let changes = differences((&old, &before), (&new, &after));
        let widens = changes.iter().any(|change| change.direction.may_widen());
        let same = changes.iter().all(|change| change.direction == Direction::Same);
        if !widens {
            for act in acts() {
                let failed = fails(&before, &act.calls, &act.caller);
                if failed {
                    prop_assert!(fails(&after, &act.calls, &act.caller), "{} passes newly: {:?}\n{}\n{}", shown(act), changes, old.own, new.own);
                } else if same {
                    prop_assert!(!fails(&after, &act.calls, &act.caller), "{} fails newly: {:?}\n{}\n{}", shown(act), changes, old.own, new.own);
                }
            }
        }
    }
}
