//! What agents are answered, each in its own words, and what happens where nothing can be judged.

use serde_json::{Value, json};

use super::{SESSION, after, before, check, hook, lines, rows, step};
use crate::repository::Repository;
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
        "claude-code" | "codex" | "qwen-code" | "kimi" => "/hookSpecificOutput/permissionDecision",
        "gemini-cli" => "/decision",
        "cursor" => "/permission",
        _ => "/permissionDecision",
    };
    for agent in ["claude-code", "codex", "gemini-cli", "cursor", "copilot-cli", "qwen-code", "kimi"] {
        // These can't have their users asked: what needs an approval may not run.
        let asks = if matches!(agent, "codex" | "gemini-cli" | "kimi") { "deny" } else { "ask" };
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

/// A limit that was passed keeps everything from running that comes after it, however it was passed.
#[test]
fn who_spent_too_much_may_do_nothing_more() {
    let call = |id: &str, subagent: Option<&str>| {
        let more = json!({"tool_name": "Bash", "tool_input": {"command": format!("ls {id}")}, "tool_use_id": id});
        let mut more = more.as_object().unwrap().clone();
        more.extend(subagent.map(|name| ("agent_id".to_owned(), Value::from(name))));
        step("PreToolUse", &more.into())
    };
    let denies = |world: &World, args: &[&str], id: &str, subagent: Option<&str>| {
        let answer = hook(world, &[&["pre-tool"], args].concat(), &call(id, subagent));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        answer.stdout.contains("budget/exceeded")
    };
    // The fourth one is denied or, where nobody enforces, runs.
    for first in [&["--enforce"][..], &[]] {
        let world = world();
        for id in ["t1", "t2", "t3", "t4"] {
            let denied = denies(&world, first, id, None);
            assert_eq!(denied, id == "t4" && !first.is_empty(), "{id}");
        }
        for id in ["t5", "t6"] {
            assert!(denies(&world, &["--enforce"], id, None), "{id} after {first:?}");
        }
    }
    // What its user asked is spent, too, and no call spends it.
    let world = World::empty();
    world.write(".agent-scope.json", r#"{"version": 2, "budgets": {"session_turns": 1}}"#);
    for (prompt, over) in [("go", false), ("go on", true)] {
        let _ = hook(&world, &["user-prompt"], &step("UserPromptSubmit", &json!({"prompt": prompt})));
        for id in ["a", "b"] {
            assert_eq!(denies(&world, &["--enforce"], &format!("{prompt}{id}"), None), over, "{prompt}");
        }
    }
    // A sub-agent spends its own.
    let world = World::empty();
    world.write(".agent-scope.json", r#"{"version": 2, "budgets": {"per_subagent": {"tool_calls": 1}}}"#);
    for (id, subagent, over) in [
        ("t1", Some("a"), false),
        ("t2", Some("a"), true),
        ("t3", Some("a"), true),
        ("t4", None, false),
        ("t5", Some("b"), false),
        ("t6", Some("a"), true),
    ] {
        assert_eq!(denies(&world, &["--enforce"], id, subagent), over, "{id}");
    }
}

/// What is a finding about several calls keeps the last of them from running.
#[test]
fn what_is_one_too_often_is_told_at_the_last() {
    let world = World::empty();
    world.write(".agent-scope.json", "{}");
    world.write(".agent-strace-lint.json", r#"{"tool-loop": {"threshold": 3, "level": "ERROR"}}"#);
    let mut denied = Vec::new();
    for id in ["t1", "t2", "t3", "t4"] {
        let answer = hook(&world, &["pre-tool", "--enforce"], &before(id, "Bash", &json!({"command": "ls"})));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        denied.push(answer.stdout.contains("lint/tool-loop"));
    }
    assert_eq!(denied, [false, false, true, true]);
}

/// The scope of a revision judges, whatever the work tree says.
#[test]
fn the_policy_of_a_revision_is_not_that_of_the_work_tree() {
    let world = World::empty();
    let repository = Repository::new(&world, "repo");
    repository.file(".agent-scope.json", POLICY).commit("scope").file(".agent-scope.json", r#"{"version": 2}"#);
    let cwd = world.path().join("repo");
    let payload = |id: &str| {
        let mut payload: Value = serde_json::from_str(&before(id, "Bash", &json!({"command": "cat .env"}))).unwrap();
        payload["cwd"] = cwd.to_str().unwrap().into();
        payload.to_string()
    };
    for (args, denies) in [(&["--policy-ref", "main"][..], true), (&[], false)] {
        let args = [&["hook", "pre-tool", "--enforce"], args].concat();
        let answer = world.spawn("repo", &args, &[], &payload("t1"));
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
        assert_eq!(answer.stdout.contains("denied by files.read.deny"), denies, "{args:?}: {}", answer.stdout);
    }
    let args = ["hook", "pre-tool", "--enforce", "--fail-closed", "--policy-ref", "nowhere"];
    let answer = world.spawn("repo", &args, &[], &payload("t2"));
    assert!(answer.stdout.contains("\"deny\"") && answer.stderr.contains("nowhere"), "{answer:?}");
}

/// Whatever its own log says: who was told of the end of a call knows that it ran.
#[test]
fn a_refusal_that_the_agent_wrote_down_hides_nothing() {
    let world = world();
    let input = json!({"command": "cat .env"});
    let with_log = |event: &str, more: Value| {
        let mut payload: Value = serde_json::from_str(&step(event, &more)).unwrap();
        payload["transcript_path"] = world.path().join("log.jsonl").to_str().unwrap().into();
        payload.to_string()
    };
    let record = |kind: &str, content: Value| {
        let message = json!({"id": "m1", "role": kind, "content": [content]});
        let refused = if kind == "user" { json!("user-rejected") } else { Value::Null };
        json!({"type": kind, "uuid": kind, "sessionId": SESSION, "cwd": "/repo", "version": "2.1.219",
            "timestamp": "2026-10-05T09:00:01.000Z", "message": message, "toolDenialKind": refused})
        .to_string()
    };
    let call = record("assistant", json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": input}));
    let text = "The user doesn't want to proceed with this tool use. The tool use was rejected";
    let result = json!({"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": text});
    world.write("log.jsonl", &format!("{call}\n{}\n", record("user", result)));
    let _ = hook(&world, &["pre-tool"], &before("t1", "Bash", &input));
    for _ in 0..2 {
        let _ = hook(&world, &["user-prompt"], &with_log("UserPromptSubmit", json!({"prompt": "and?"})));
    }
    let refusals = || lines(&world, "events.ndjson").iter().filter(|line| line["event_type"] == "error").count();
    assert_eq!(refusals(), 1, "a refusal is recorded once");
    assert_eq!(check(&world, &[])["findings"][0]["level"], "note");
    let _ = hook(&world, &["post-tool"], &after("t1", "Bash", &input, &json!({"stdout": "A=1"})));
    assert_eq!(check(&world, &[])["findings"][0]["level"], "error");
}

/// An id is what the agent says it is: another call under the same one is another call.
#[test]
fn an_id_that_is_used_again_hides_no_call() {
    let world = world();
    let command = |text: &str| json!({"command": text});
    let pre = |text: &str| hook(&world, &["pre-tool", "--enforce"], &before("t1", "Bash", &command(text)));
    let post = |text: &str| hook(&world, &["post-tool"], &after("t1", "Bash", &command(text), &json!("ok")));
    let _ = (pre("ls"), pre("ls"), post("ls"), post("ls"));
    assert_eq!(lines(&world, "events.ndjson").len(), 3, "told twice of one call");
    assert!(pre("cat .env").stdout.contains("files.read.deny"));
    // It ran with other arguments than it was told to.
    let _ = (pre("pwd"), post("rm x"));
    let report = check(&world, &[]);
    let found: Vec<&str> = rows(&report, "findings").iter().map(|found| found["rule"].as_str().unwrap()).collect();
    assert!(found.contains(&"scope/command") && found.contains(&"scope/read"), "{found:?}");
    assert_eq!(report["summary"]["tool_calls"], 4, "ls, cat, pwd, rm");
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
