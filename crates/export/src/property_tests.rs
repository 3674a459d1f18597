//! Exports of random policies, held against random calls.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::tests::{TARGETS, session};
use super::{compare, export};
use agent_strace_policy::Policy;

const PATHS: &[&str] = &[
    ".env",
    "*.lock",
    "src/**",
    "/src/*.rs",
    "src/**/*.ts",
    "docs",
    "**/secrets/**",
    "~/notes/**",
    "~/.ssh",
    "//var/x/**",
    "//tmp/**",
    "/**",
    "**",
    "a/[bc].md",
    "x?.txt",
    "!src/gen/**",
    "README.md",
];
const COMMANDS: &[&str] = &[
    "git",
    "git push",
    "git push --force",
    "git status",
    "rm",
    "rm -rf",
    "npm run build",
    "npm run *",
    "cargo test",
    "cat",
    "curl",
    "make",
    "*",
];
const HOSTS: &[&str] = &["docs.rs", "*.github.com", "10.0.0.0/8", "registry:npm", "evil.example", "localhost:8080"];
const TOOLS: &[&str] = &["get_issue", "delete_*", "*"];
const FILES: &[&str] = &[
    ".env",
    "sub/.env",
    "Cargo.lock",
    "src/a.rs",
    "src/b/c.rs",
    "src/b/c.ts",
    "src/gen/x.ts",
    "docs/x.md",
    "docs",
    "deep/secrets/key",
    "/home/dana/notes/x",
    "~/notes/x",
    "notes/x",
    "~/.ssh/id",
    "/var/x/y",
    "var/x/y",
    "/tmp/x",
    "tmp/x",
    "a/b.md",
    "x1.txt",
    "README.md",
    "../out",
    "src/../.env",
    "/etc/passwd",
];
const TEXTS: &[&str] = &[
    "git push",
    "git push origin main --force",
    "git -C . push",
    "git status",
    "git commit -m x",
    "rm x",
    "rm -rf build",
    "rm -fr build",
    "/bin/rm x",
    "npm run build",
    "npm run deploy",
    "npm publish",
    "cargo test --all",
    "cat .env",
    "cat src/a.rs",
    "curl https://evil.example",
    "curl https://docs.rs/x",
    "make",
    "make x",
    "echo x > src/a.rs",
    "echo x > .env",
    "ls && rm x",
    "ls; git push",
    "echo $(rm x)",
    "sh -c 'rm x'",
    "sudo rm x",
    "FOO=1 git push",
    "find . -delete",
    "git status | xargs rm",
    "timeout 5 git push",
    "cp .env /tmp/x",
    "tee ~/notes/x",
    "unknown-tool x",
];

fn some(texts: &'static [&'static str]) -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(texts), 0..4)
}

/// Lists of one kind; empty ones are left out, as `[]` and no list are not the same.
fn lists(texts: &'static [&'static str]) -> impl Strategy<Value = Value> {
    (some(texts), some(texts), some(texts)).prop_map(|(allow, ask, deny)| {
        let mut lists = serde_json::Map::new();
        for (name, list) in [("allow", allow), ("ask", ask), ("deny", deny)] {
            if !list.is_empty() {
                lists.insert(name.to_owned(), json!(list));
            }
        }
        Value::Object(lists)
    })
}

fn policies() -> impl Strategy<Value = Value> {
    let files = (lists(PATHS), lists(PATHS), prop::option::of(lists(PATHS)));
    (files, lists(COMMANDS), lists(HOSTS), any::<bool>(), lists(TOOLS)).prop_map(
        |((read, write, delete), commands, mut network, deny_all, tools)| {
            let mut files = json!({ "read": read, "write": write });
            if let (Some(delete), Some(members)) = (delete, files.as_object_mut()) {
                members.insert("delete".to_owned(), delete);
            }
            if let (true, Some(members)) = (deny_all, network.as_object_mut()) {
                members.insert("deny_all".to_owned(), json!(true));
            }
            json!({
                "version": 2,
                "files": files,
                "commands": commands,
                "network": network,
                "mcp": { "servers": { "github": tools } }
            })
        },
    )
}

fn calls() -> impl Strategy<Value = (&'static str, Value)> {
    let file = || prop::sample::select(FILES);
    prop_oneof![
        file().prop_map(|path| ("Read", json!({ "file_path": path }))),
        file().prop_map(|path| ("Write", json!({ "file_path": path, "content": "" }))),
        prop::sample::select(TEXTS).prop_map(|text| ("Bash", json!({ "command": text }))),
        prop::sample::select(HOSTS).prop_map(|host| ("WebFetch", json!({ "url": format!("https://{host}/x") }))),
        prop::sample::select(&["mcp__github__get_issue", "mcp__github__delete_repo", "mcp__other__x"][..])
            .prop_map(|tool| (tool, json!({}))),
        Just(("WebSearch", json!({ "query": "x" }))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Wherever an engine is weaker than the policy, the export says so.
    #[test]
    fn no_export_is_wider_than_the_policy(value in policies(), calls in prop::collection::vec(calls(), 8..16)) {
        // Some lists contradict themselves, which is a fault.
        let policy = Policy::from_bytes("scope.json", None, value.to_string().as_bytes());
        prop_assume!(policy.is_ok());
        let policy = policy.unwrap();
        for target in TARGETS {
            let export = export(&policy, target);
            for (tool, input) in &calls {
                let compared = compare(&export, &policy, &session(tool, input), &Arc::default());
                prop_assert_eq!(
                    compared.agreement.unlisted, 0,
                    "{:?} {} {}: {:?}\n{}\n{}", target, tool, input, compared.differences, value, export.text
                );
            }
        }
    }
}
