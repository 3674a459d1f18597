//! Sessions that repeat each other's history: each call and each answer counts once, and nothing is hidden by a copy.

use serde_json::{Value, json};

use crate::world::World;

const POLICY: &str = r#"{"files": {"read": {"deny": [".env"]}}}"#;

fn text(lines: &[Value]) -> String {
    lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n") + "\n"
}

/// A session of Claude Code in which each call is an answer of its own; `calls`: message, call, second, command.
fn claude(session: &str, calls: &[(&str, &str, u32, &str)]) -> String {
    let mut lines = Vec::new();
    for (message, call, second, command) in calls {
        let record = |role: &str, message: Value| {
            let time = format!("2026-08-01T10:00:{second:02}.000Z");
            json!({"parentUuid": null, "isSidechain": false, "cwd": "/w", "sessionId": session, "version": "2.1.217",
                "type": role, "uuid": format!("{session}-{call}-{role}"), "timestamp": time, "message": message})
        };
        let usage = json!({"input_tokens": 100, "output_tokens": second});
        let content = json!([{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}]);
        lines.push(record(
            "assistant",
            json!({"id": message, "role": "assistant", "model": "claude-opus-4-5", "content": content, "usage": usage}),
        ));
        let content = json!([{"type": "tool_result", "tool_use_id": call, "content": "ok", "is_error": false}]);
        lines.push(record("user", json!({"role": "user", "content": content})));
    }
    text(&lines)
}

/// A rollout of Codex; `fork`: of which session. Each request of `tokens` stands behind the call of the same place.
fn codex(session: &str, fork: Option<&str>, calls: &[(&str, &str)], tokens: &[u32]) -> String {
    let meta = json!({"id": session, "cwd": "/w", "cli_version": "0.145.0", "source": "cli", "forked_from_id": fork});
    let mut lines = vec![json!({"type": "session_meta", "payload": meta})];
    let mut total = 0;
    for (at, used) in tokens.iter().enumerate() {
        if let Some((id, command)) = calls.get(at) {
            let arguments = json!({"cmd": command}).to_string();
            let call = json!({"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": id});
            lines.push(json!({"type": "response_item", "payload": call}));
            let output = json!({"type": "function_call_output", "call_id": id, "output": "ok"});
            lines.push(json!({"type": "response_item", "payload": output}));
        }
        total += used;
        let usage = |tokens: u32| json!({"input_tokens": tokens, "output_tokens": 0, "total_tokens": tokens});
        let info = json!({"total_token_usage": usage(total), "last_token_usage": usage(*used)});
        lines.push(json!({"type": "event_msg", "payload": {"type": "token_count", "info": info}}));
    }
    // A fork is written at the time of the fork.
    let time = if fork.is_some() { "2026-05-02T10:00:00Z" } else { "2026-05-01T10:00:00Z" };
    for line in &mut lines {
        line["timestamp"] = time.into();
    }
    text(&lines)
}

/// Calls and tokens of all sessions together.
fn counted(logs: &[(&str, &str)]) -> (u64, u64) {
    let world = World::empty();
    for (name, log) in logs {
        world.write(name, log);
    }
    let mut requests: Vec<&str> = logs.iter().map(|(name, _)| *name).collect();
    let counts = |requests: &[&str]| {
        let answer = world.run(&[&["stats", "--format", "json"], requests].concat());
        let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
        let sessions = report["sessions"].as_array().unwrap();
        let sum = |number: &dyn Fn(&Value) -> &Value| sessions.iter().map(|one| number(one).as_u64().unwrap()).sum();
        let usage = |key: &'static str| move |one: &Value| one["usage"][key].as_u64().unwrap();
        let tokens = sessions.iter().map(|one| usage("input")(one) + usage("output")(one)).sum::<u64>();
        (sum(&|one| &one["tool_calls"]), tokens)
    };
    let forward = counts(&requests);
    requests.reverse();
    assert_eq!(forward, counts(&requests), "the order of the logs changes what is counted");
    forward
}

/// The events of the errors that `check` reports, with their session.
fn errors(logs: &[(&str, &str)]) -> Vec<String> {
    let world = World::empty();
    world.write(".agent-scope.json", POLICY);
    for (name, log) in logs {
        world.write(&format!("logs/{name}"), log);
    }
    let answer = world.run(&["check", "logs", "--format", "json"]);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    let findings = report["findings"].as_array().unwrap().iter().filter(|finding| finding["level"] == "error");
    findings.map(|finding| format!("{} {}", finding["session"].as_str().unwrap(), finding["event"])).collect()
}

#[test]
fn a_resumed_session_counts_what_is_new_in_it() {
    let first = claude("aa", &[("m1", "t1", 1, "touch a")]);
    let resumed = claude("bb", &[("m1", "t1", 1, "touch a"), ("m2", "t2", 20, "touch b")]);
    let again = claude("cc", &[("m1", "t1", 1, "touch a"), ("m2", "t2", 20, "touch b"), ("m3", "t3", 30, "touch c")]);
    assert_eq!(counted(&[("a.jsonl", &first)]), (1, 101));
    assert_eq!(counted(&[("b.jsonl", &resumed)]), (2, 221));
    assert_eq!(counted(&[("a.jsonl", &first), ("b.jsonl", &resumed)]), (2, 221));
    assert_eq!(counted(&[("a.jsonl", &first), ("b.jsonl", &resumed), ("c.jsonl", &again)]), (3, 351));
    assert_eq!(counted(&[("a.jsonl", &first), ("c.jsonl", &again)]), (3, 351));
}

#[test]
fn a_fork_counts_what_is_new_in_it() {
    let parent = codex("p0", None, &[("k1", "touch p")], &[60, 30]);
    let fork = codex("f1", Some("p0"), &[("k1", "touch p"), ("", ""), ("k2", "touch c")], &[60, 30, 40]);
    let other = codex("f2", Some("p0"), &[("k1", "touch p"), ("k3", "touch d")], &[60, 50]);
    assert_eq!(counted(&[("p.jsonl", &parent)]), (1, 90));
    assert_eq!(counted(&[("f.jsonl", &fork)]).1, 130);
    assert_eq!(counted(&[("p.jsonl", &parent), ("f.jsonl", &fork)]).1, 130);
    assert_eq!(counted(&[("p.jsonl", &parent), ("g.jsonl", &other)]), (2, 140));
    // Two forks of a session whose log is not given.
    assert_eq!(counted(&[("f.jsonl", &fork), ("g.jsonl", &other)]).1, 180);
    // A sub-agent without its parent's history may use as much as its parent did.
    let alike = codex("s1", None, &[("k9", "touch p")], &[60, 30]);
    assert_eq!(counted(&[("p.jsonl", &parent), ("s.jsonl", &alike)]), (2, 180));
}

#[test]
fn a_copy_of_a_log_counts_nothing() {
    let log = claude("aa", &[("m1", "t1", 1, "touch a"), ("m2", "t2", 2, "touch b")]);
    let longer = claude("aa", &[("m1", "t1", 1, "touch a"), ("m2", "t2", 2, "touch b"), ("m3", "t3", 3, "ls")]);
    let cut = codex("p0", None, &[("k1", "touch p")], &[60, 30]);
    let whole = codex("p0", None, &[("k1", "touch p"), ("k2", "touch q")], &[60, 30, 10]);
    assert_eq!(counted(&[("a.jsonl", &log), ("backup/b.jsonl", &log)]), (2, 203));
    assert_eq!(counted(&[("a.jsonl", &log), ("a.jsonl.bak.jsonl", &longer)]), (3, 306));
    assert_eq!(counted(&[("p.jsonl", &cut), ("copy.jsonl", &whole)]), (2, 100));
}

/// Some hosts number the calls of each session.
#[test]
fn calls_of_other_sessions_are_no_copies() {
    let one = claude("aa", &[("m1", "Bash:0", 1, "ls"), ("m2", "Bash:1", 2, "git status")]);
    let later = claude("bb", &[("m8", "Bash:0", 31, "ls"), ("m9", "Bash:1", 32, "git status")]);
    assert_eq!(counted(&[("a.jsonl", &one), ("b.jsonl", &later)]).0, 4);
    let three = |session: &str, message: &str, second: u32| {
        let calls = [("item_0", "ls"), ("item_1", "git status"), ("item_2", "npm test")];
        let messages: Vec<String> = (0..3).map(|number| format!("{message}{number}")).collect();
        let calls: Vec<_> = messages
            .iter()
            .zip(calls)
            .map(|(message, (id, command))| (message.as_str(), id, second, command))
            .collect();
        claude(session, &calls)
    };
    assert_eq!(counted(&[("a.jsonl", &three("aa", "m", 1)), ("b.jsonl", &three("bb", "n", 31))]).0, 6);
    let forged = claude("bb", &[("m1", "Bash:0", 1, "cat .env")]);
    assert_eq!(counted(&[("a.jsonl", &one), ("b.jsonl", &forged)]).0, 3);
    assert_eq!(errors(&[("a.jsonl", &one), ("b.jsonl", &forged)]), ["bb 1"]);
}

#[test]
fn a_copy_hides_no_finding() {
    let denied = [("m1", "t1", 1, "cat .env")];
    let (first, resumed) =
        (claude("aa", &denied), claude("bb", &[denied.as_slice(), &[("m2", "t2", 20, "ls")]].concat()));
    assert_eq!(errors(&[("a.jsonl", &first), ("b.jsonl", &resumed)]), ["aa 1", "bb 1"]);
    assert_eq!(errors(&[("b.jsonl", &resumed)]), ["bb 1"]);
    // The same call does something else after another one.
    let harmless = claude("aa", &[("m1", "t1", 5, "cat x")]);
    let linked = claude("bb", &[("m0", "t0", 1, "ln -s .env x"), ("m1", "t1", 5, "cat x")]);
    let found = errors(&[("a.jsonl", &harmless), ("b.jsonl", &linked)]);
    assert!(found.contains(&"bb 3".to_owned()), "{found:?}");
}
