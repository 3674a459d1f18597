//! Hook policies and prices come from where the policy comes from, and from every directory above.

use serde_json::json;

use crate::world::World;

const SCOPE: &str = r#"{"version": 2}"#;

/// A repository with one session of two calls, whose one commit holds these files.
fn repository(files: &[(&str, &str)]) -> World {
    let world = World::empty();
    let repository = git2::Repository::init(world.path()).unwrap();
    let mut top = repository.treebuilder(None).unwrap();
    for (name, text) in files.iter().chain([&(".agent-scope.json", SCOPE)]) {
        top.insert(name, repository.blob(text.as_bytes()).unwrap(), 0o100_644).unwrap();
        world.write(name, text);
    }
    let tree = repository.find_tree(top.write().unwrap()).unwrap();
    let author = git2::Signature::new("a", "a@example.com", &git2::Time::new(1, 0)).unwrap();
    repository.commit(Some("HEAD"), &author, &author, "one", &tree, &[]).unwrap();
    drop((top, tree));
    let read = |path: &str| ("tool_call", json!({"tool_name": "Read", "arguments": {"file_path": path}}));
    world.session("5e5510", 1_790_000_000, &[read("a.md"), read("b.md")]);
    world
}

#[test]
fn a_change_does_not_loosen_the_hook_policy_that_it_is_judged_by() {
    let world = repository(&[(".claw-policy.json", r#"{"budget": {"maxToolCalls": 1}, "denyTools": ["read"]}"#)]);
    world.write(".claw-policy.json", "{}");
    let loose = world.run(&["check", "5e5510"]);
    assert!(!loose.stdout.contains("budget/exceeded"), "{loose:?}");
    let strict = world.run(&["check", "5e5510", "--policy-ref", "HEAD"]);
    assert_eq!(strict.code, 1, "{strict:?}");
    for said in ["(2 > 1)", "calls the tool `Read`: .claw-policy.json denies `read`"] {
        assert!(strict.stdout.contains(said), "{said}: {strict:?}");
    }
    // A manifest that the change adds is not that of the base either.
    world.write(".codex-policy.json", "{,}");
    assert_eq!(world.run(&["check", "5e5510", "--policy-ref", "HEAD"]).code, 1);
    assert_eq!(world.run(&["check", "5e5510"]).code, 2);
}

#[test]
fn manifests_of_the_directories_above_hold_up_to_the_top_of_the_repository() {
    let world = repository(&[(".claw-hooks.json", r#"{"budget": {"max_tool_calls": 1}}"#)]);
    world
        .write("packages/app/.agent-scope.json", SCOPE)
        .write("packages/app/.codex-policy.json", r#"{"trusted": true}"#);
    let check = ["--trace-dir", "../../.agent-traces", "check", "5e5510"];
    let answer = world.run_in("packages/app", &check);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stdout.contains("budget.max_tool_calls of ../../.claw-hooks.json allows 1"), "{answer:?}");
    let note = "judged by the hook policies too: `.codex-policy.json`, `../../.claw-hooks.json`";
    assert!(answer.stderr.contains(note), "{answer:?}");
    let report = world.run_in("packages/app", &[&check[..], &["--format", "json"]].concat());
    let report: serde_json::Value = serde_json::from_str(&report.stdout).unwrap();
    let manifests = report["hook_policies"].as_array().unwrap();
    let paths: Vec<_> = manifests.iter().map(|manifest| manifest["path"].as_str().unwrap()).collect();
    assert_eq!(paths, [".codex-policy.json", "../../.claw-hooks.json"]);
    assert!(manifests.iter().all(|manifest| manifest["sha256"].as_str().unwrap().len() == 64), "{manifests:?}");
    let committed = world.run_in(
        "packages/app",
        &[&check[..], &["--policy", "../../.agent-scope.json", "--policy-ref", "HEAD"]].concat(),
    );
    assert!(committed.stdout.contains("../../.claw-hooks.json allows 1"), "{committed:?}");
}

#[cfg(unix)]
#[test]
#[expect(clippy::disallowed_methods, reason = "makes a pipe, which the standard library can't")]
fn what_is_no_file_is_neither_waited_for_nor_absent() {
    let configured = [
        ".agent-scope.json",
        ".agent-strace.yaml",
        ".agent-strace-lint.json",
        ".agent-evals.yaml",
        ".claw-policy.json",
        ".codex-policy.json",
        ".claw-hooks.json",
    ];
    let named = [("--prices", "prices.json"), ("--baseline", "known.json"), ("--policy", "policy.json")];
    let named = named.into_iter().map(|(option, name)| (name, vec!["check", "5e5510", option, name]));
    let cases = configured.into_iter().map(|name| (name, vec!["check", "5e5510"])).chain(named);
    let world = repository(&[]);
    for (name, command) in cases {
        let path = world.path().join(name);
        let kept = std::fs::read(&path).ok();
        for (kind, said) in [("pipe", "it is not a regular file"), ("link", "it is a link that leads to no file")] {
            drop(std::fs::remove_file(&path));
            match kind {
                "pipe" => assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success()),
                _ => std::os::unix::fs::symlink("nowhere", &path).unwrap(),
            }
            let answer = world.run(&command);
            assert_eq!(answer.code, 2, "{name} is a {kind}: {answer:?}");
            assert!(answer.stderr.contains(name) && answer.stderr.contains(said), "{name} is a {kind}: {answer:?}");
        }
        std::fs::remove_file(&path).unwrap();
        if let Some(bytes) = kept {
            std::fs::write(&path, bytes).unwrap();
        }
    }
}

#[test]
fn a_manifest_that_its_runtime_would_not_read_is_none() {
    for text in ["{\"denyTools\": [\"read\"] // no reading\n}", "\u{feff}{\"denyTools\": [\"read\"]}"] {
        let world = repository(&[(".codex-policy.json", text)]);
        for command in [&["check", "5e5510"][..], &["check", "5e5510", "--policy-ref", "HEAD"]] {
            let answer = world.run(command);
            assert_eq!(answer.code, 2, "{text}: {answer:?}");
            assert!(answer.stderr.contains("is no JSON"), "{text}: {answer:?}");
        }
    }
}

#[test]
fn prices_come_from_the_revision_of_the_policy() {
    let table = |price: &str| {
        format!(
            r#"{{"version": 1, "models": [{{"model": "m", "window": 9, "input": {price}, "output": 0, "source": "s", "date": "2026-01-01"}}]}}"#
        )
    };
    let world = repository(&[("prices.json", &table("10"))]);
    world.write("prices.json", &table("0"));
    world.write(".agent-scope.json", r#"{"version": 2, "budgets": {"cost_usd": 1}}"#);
    world.session(
        "5e5511",
        1_790_000_000,
        &[
            ("llm_response", json!({"model": "m", "input_tokens": 200_000, "output_tokens": 1})),
            ("tool_call", json!({"tool_name": "Read", "arguments": {"file_path": "a.md"}})),
        ],
    );
    let disk = world.run(&["check", "5e5511", "--prices", "prices.json"]);
    assert!(!disk.stdout.contains("budget/exceeded"), "{disk:?}");
    world.write("prices.json", &table("10"));
    let dear = world.run(&["check", "5e5511", "--prices", "prices.json"]);
    assert!(dear.stdout.contains("the session cost 2.0000 USD"), "{dear:?}");
    // Without a price nothing is known to be within the limit.
    let unknown = world.run(&["check", "5e5511"]);
    assert_eq!(unknown.code, 3, "{unknown:?}");
    assert!(unknown.stdout.contains("there is no price for the model `m`"), "{unknown:?}");
    let base = world.run(&["check", "5e5511", "--prices", "nowhere.json", "--policy-ref", "HEAD"]);
    assert_eq!(base.code, 2, "{base:?}");
}
