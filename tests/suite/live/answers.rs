//! What agents are answered, each in its own words, and what happens where nothing can be judged.

use serde_json::{Value, json};

use super::{SESSION, after, before, check, hook, lines, rows, step};
use crate::world::World;

const POLICY: &str = r#"{"version": 2, "files": {"read": {"deny": [".env"]}, "write": {"allow": ["src/**"]}},
    "commands": {"ask": ["git push"], "deny": ["rm"]}, "budgets": {"tool_calls": 3}}"#;

fn world() -> World {
    let world = World::empty();
    world.write(".agent-scope.json", POLICY);
    world
}

/// A call as each agent tells of it.
fn told(agent: &str, command: &str) -> String {
    let payload = match agent {
        "copilot-cli" => json!({
            "sessionId": SESSION, "timestamp": 1_790_000_000_000_u64, "cwd": "/repo", "toolName": "bash",
            "toolArgs": json!({"command": command}).to_string(),
        }),
        "cursor" => json!({
            "conversation_id": SESSION, "hook_event_name": "beforeShellExecution", "command": command, "cwd": "",
            "workspace_roots": ["/repo"],
        }),
        "gemini-cli" => json!({
            "session_id": SESSION, "hook_event_name": "BeforeTool", "cwd": "/repo", "tool_name": "run_shell_command",
            "tool_input": {"command": command},
        }),
        _ => json!({
            "session_id": SESSION, "hook_event_name": "PreToolUse", "cwd": "/repo", "tool_name": "Bash",
            "tool_input": {"command": command}, "tool_use_id": "t1",
        }),
    };
    payload.to_string()
}

#[test]
fn every_agent_is_answered_in_its_own_words() {
    let place = |agent: &str| match agent {
        "claude-code" | "codex" => "/hookSpecificOutput/permissionDecision",
        "gemini-cli" => "/decision",
        "cursor" => "/permission",
        _ => "/permissionDecision",
    };
    for agent in ["claude-code", "codex", "gemini-cli", "cursor", "copilot-cli"] {
        // Codex and Gemini can't have their users asked: what needs an approval may not run.
        let asks = if matches!(agent, "codex" | "gemini-cli") { "deny" } else { "ask" };
        for (command, expected) in [("cat .env", Some("deny")), ("git push", Some(asks)), ("ls", None)] {
            let answer = hook(&world(), &["pre-tool", "--agent", agent, "--enforce"], &told(agent, command));
            assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{agent} {command}");
            let said: Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
            assert_eq!(said.pointer(place(agent)).and_then(Value::as_str), expected, "{agent} {command}");
            assert_eq!(expected.is_none(), answer.stdout.is_empty(), "{agent}: a hook never allows");
            if command == "cat .env" {
                assert!(answer.stdout.contains("denied by files.read.deny"), "{}", answer.stdout);
            }
        }
    }
}

#[test]
fn a_hook_that_is_not_asked_to_enforce_says_nothing() {
    let world = world();
    let answer = hook(&world, &["pre-tool"], &told("claude-code", "cat .env"));
    assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (0, "", ""));
    assert_eq!(lines(&world, "events.ndjson").len(), 2);
}

#[test]
fn what_is_denied_is_an_attempt_and_what_ran_all_the_same_is_not() {
    let world = world();
    let input = json!({"command": "cat .env"});
    let answer = hook(&world, &["pre-tool", "--enforce"], &before("t1", "Bash", &input));
    assert!(answer.stdout.contains("\"deny\""));
    assert_eq!(check(&world, &[])["findings"][0]["level"], "note");
    let answer = hook(&world, &["post-tool"], &after("t1", "Bash", &input, &json!({"stdout": "A=1"})));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert_eq!(check(&world, &[])["findings"][0]["level"], "error");
}

#[test]
fn what_earlier_calls_did_counts() {
    let world = world();
    for (id, command) in [("t1", "cp .env notes.txt"), ("t2", "ln -s .env link")] {
        let _ = hook(&world, &["pre-tool"], &before(id, "Bash", &json!({"command": command})));
    }
    let answer = hook(&world, &["pre-tool", "--enforce"], &before("t3", "Read", &json!({"file_path": "/repo/link"})));
    assert!(answer.stdout.contains("files.read.deny"), "{}", answer.stdout);
    // The fourth call is one too many.
    let answer = hook(&world, &["pre-tool", "--enforce"], &before("t4", "Bash", &json!({"command": "ls"})));
    assert!(answer.stdout.contains("budget/exceeded"), "{}", answer.stdout);
}

#[test]
fn a_secret_is_judged_and_never_written() {
    let world = world();
    let token = ["gh", "p_", "016C7e5d9Kd2bV4nQxRzYtLmWsHjFa2zk9Pq"].concat();
    let input = json!({"file_path": "/repo/src/a.rs", "content": format!("let token = \"{token}\";")});
    let answer = hook(&world, &["pre-tool", "--enforce"], &before("t1", "Write", &input));
    assert!(answer.stdout.contains("secret/"), "{} {}", answer.stdout, answer.stderr);
    assert!(!answer.stdout.contains(&token));
    let _ = hook(&world, &["user-prompt"], &step("UserPromptSubmit", &json!({"prompt": format!("use {token}")})));
    let _ = hook(
        &world,
        &["pre-tool", "--redact-pattern", "ATTEST=[a-f0-9]{8}"],
        &before("t2", "Bash", &json!({"command": "ATTEST=0123abcd ls"})),
    );
    for file in ["events.ndjson", "decisions.ndjson", "recorder.json", "meta.json"] {
        let text = world.read(&format!(".agent-traces/{SESSION}/{file}"));
        assert!(!text.contains(&token) && !text.contains("0123abcd"), "{file}");
    }
    assert!(world.read(&format!(".agent-traces/{SESSION}/events.ndjson")).contains("[REDACTED:"));
    let world = self::world();
    let _ = hook(
        &world,
        &["user-prompt", "--no-redact"],
        &step("UserPromptSubmit", &json!({"prompt": format!("use {token}")})),
    );
    assert!(world.read(&format!(".agent-traces/{SESSION}/events.ndjson")).contains(&token), "as it was asked for");
}

/// What can't be judged passes with a word about it, unless it was asked that it does not.
#[test]
fn what_cannot_be_judged_is_denied_only_where_that_is_asked_for() {
    let broken = [
        (".agent-scope.json", r#"{"files": {"read": {"deny": ".env"}}}"#),
        (".agent-strace.yaml", "suppressions: 5\n"),
        (".agent-strace-lint.json", "{"),
    ];
    for (file, text) in broken {
        for fail_closed in [false, true] {
            let world = world();
            world.write(file, text);
            let args = ["pre-tool", "--enforce", "--fail-closed"];
            let answer =
                hook(&world, &args[..2 + usize::from(fail_closed)], &before("t1", "Bash", &json!({"command": "ls"})));
            assert_eq!(answer.stderr.lines().count(), 1, "{file}: {}", answer.stderr);
            assert_eq!(answer.code, i32::from(!fail_closed), "{file}");
            assert_eq!(
                answer.stdout.contains("\"permissionDecision\":\"deny\""),
                fail_closed,
                "{file}: {}",
                answer.stdout
            );
            let decided = lines(&world, "decisions.ndjson");
            assert_eq!(decided[0]["decision"], "error");
            assert_eq!(decided[0]["enforced"], fail_closed);
        }
    }
    let world = World::empty();
    let answer = hook(&world, &["pre-tool", "--enforce"], &before("t1", "Bash", &json!({"command": "ls"})));
    assert_eq!(answer.code, 1);
    assert!(answer.stderr.contains("there is no policy"), "{}", answer.stderr);
    let answer = hook(
        &world,
        &["pre-tool", "--enforce", "--allow-no-policy"],
        &before("t2", "Write", &json!({"file_path": "/repo/.claude/settings.json", "content": "{}"})),
    );
    assert!(answer.stdout.contains("floor/"), "{}", answer.stdout);
}

#[test]
fn what_is_no_step_of_a_session_never_stops_an_agent() {
    let payloads = [
        "",
        "nothing",
        "[]",
        "{}",
        r#"{"session_id":"a"}"#,
        r#"{"hook_event_name":"PreToolUse"}"#,
        "{\"session_id\":\"a\",\"hook_event_name\":\"Strange\"}",
    ];
    for payload in payloads {
        let world = world();
        let answer = hook(&world, &["--enforce"], payload);
        assert_eq!(
            (answer.code, answer.stdout.as_str(), answer.stderr.lines().count()),
            (1, "", 1),
            "{payload}: {}",
            answer.stderr
        );
        let answer = hook(&world, &["--enforce", "--fail-closed"], payload);
        assert_eq!(answer.code, 0);
        assert!(answer.stdout.contains("\"deny\""), "{payload}");
    }
    // A word that is none would be the end of every call: other programs take exit code 2 for a refusal.
    for args in [
        &["hook", "pre-tol"][..],
        &["hook", "pre-tool", "--agent", "nobody"],
        &["hook", "pre-tool", "--enforced"],
        &["hook", "pre-tool", "--fail-closed"],
    ] {
        let answer = world().run_with(args, &[], &before("t1", "Bash", &json!({"command": "ls"})));
        assert_eq!((answer.code, answer.stdout.as_str()), (1, ""), "{args:?}: {}", answer.stderr);
    }
    let answer = world().run_with(&["hook", "pre-tool", "--enforce", "--fail-closed", "--polcy", "x"], &[], "{}");
    assert_eq!(answer.code, 2, "what was asked to fail closed does, also where its own command line is wrong");
}

#[test]
fn decisions_are_chained() {
    let world = world();
    for id in ["t1", "t2", "t3"] {
        let _ = hook(&world, &["pre-tool", "--enforce"], &before(id, "Bash", &json!({"command": "ls"})));
    }
    let answer = world.run(&["gaps", SESSION, "--format", "json"]);
    let joined: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert!(rows(&joined["sessions"][0], "damaged").is_empty(), "{joined}");
    let path = format!(".agent-traces/{SESSION}/decisions.ndjson");
    let text = world.read(&path);
    let without: Vec<&str> = text.lines().enumerate().filter(|(at, _)| *at != 1).map(|(_, line)| line).collect();
    world.write(&path, &(without.join("\n") + "\n"));
    let answer = world.run(&["gaps", SESSION]);
    assert_eq!(answer.code, 1);
    assert!(answer.stdout.contains("decisions.ndjson:2: it does not carry the digest"), "{}", answer.stdout);
}
