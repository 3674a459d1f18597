//! Calls that got past the hook, each kind in a log of its own.

use serde_json::{Value, json};

use super::{SESSION, before, hook, rows};
use crate::world::World;

/// An agent's own log: calls with how they ended.
fn log(calls: &[(&str, &str, &str, Option<&str>)]) -> String {
    let mut lines = Vec::new();
    let mut record = |kind: &str, agent: Option<&str>, message: Value| {
        let number = lines.len() + 1;
        let mut line = json!({
            "type": kind, "uuid": format!("u{number}"), "sessionId": SESSION, "cwd": "/repo", "version": "2.1.219",
            "timestamp": format!("2026-10-05T09:00:{number:02}.000Z"), "isSidechain": agent.is_some(), "message": message,
        });
        if let Some(agent) = agent {
            line["agentId"] = agent.into();
        }
        lines.push(line.to_string());
    };
    record("user", None, json!({"role": "user", "content": "go on"}));
    for (id, command, status, agent) in calls {
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}});
        record("assistant", *agent, json!({"id": format!("m-{id}"), "role": "assistant", "content": [call]}));
        let (text, failed) = match *status {
            "ok" => ("done", false),
            "refused by us" => (
                "PreToolUse:Bash hook error: agent-strace: the scope of this repository does not allow this call: …",
                true,
            ),
            _ => ("Exit code 1", true),
        };
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed});
        record("user", *agent, json!({"role": "user", "content": [result]}));
    }
    lines.join("\n") + "\n"
}

fn kinds(world: &World, args: &[&str]) -> (i32, Vec<(String, String)>) {
    let args: Vec<&str> = ["gaps", "log.jsonl", "--format", "json"].iter().chain(args).copied().collect();
    let answer = world.run(&args);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.stderr));
    let lapses = rows(&report, "sessions").iter().flat_map(|session| rows(session, "lapses"));
    let kind = |lapse: &Value| (lapse["kind"].as_str().unwrap().to_owned(), lapse["line"].to_string());
    (answer.code, lapses.map(kind).collect())
}

fn world(calls: &[(&str, &str)]) -> World {
    let world = World::empty();
    world.write(".agent-scope.json", r#"{"commands": {"deny": ["rm"]}}"#);
    for (id, command) in calls {
        let answer = hook(&world, &["pre-tool", "--enforce"], &before(id, "Bash", &json!({"command": command})));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
    }
    world
}

#[test]
fn a_session_whose_calls_were_all_decided_about_has_none() {
    let world = world(&[("t1", "ls"), ("t2", "rm -rf src"), ("t3", "pwd")]);
    world.write(
        "log.jsonl",
        &log(&[("t1", "ls", "ok", None), ("t2", "rm -rf src", "refused by us", None), ("t3", "pwd", "failed", None)]),
    );
    assert_eq!(kinds(&world, &[]), (0, Vec::new()));
    let answer = world.run(&["gaps", "log.jsonl"]);
    assert!(
        answer.stdout.contains("1 session: 2 calls ran, 2 were decided about, 0 got past the hook"),
        "{}",
        answer.stdout
    );
}

#[test]
fn each_way_past_the_hook_is_found() {
    let world = world(&[("t1", "ls"), ("t2", "rm -rf src"), ("t4", "pwd")]);
    let calls = [
        ("t1", "ls", "ok", None),
        ("t2", "rm -rf src", "ok", None),
        ("t3", "make", "ok", None),
        ("t4", "pwd", "ok", Some("seen")),
        ("t5", "date", "ok", Some("seen")),
        ("t6", "date", "ok", Some("unseen")),
    ];
    world.write("log.jsonl", &log(&calls));
    let (code, found) = kinds(&world, &[]);
    let found: Vec<(&str, &str)> = found.iter().map(|(kind, line)| (kind.as_str(), line.as_str())).collect();
    assert_eq!(code, 1);
    assert_eq!(
        found,
        [("ran-after-deny", "4"), ("no-decision", "6"), ("no-decision", "10"), ("unseen-subagent", "12")]
    );
}

#[test]
fn calls_that_share_an_id_are_decided_about_one_by_one() {
    let world = world(&[("t1", "rm x"), ("t1", "ls")]);
    world.write("log.jsonl", &log(&[("t1", "rm x", "ok", None), ("t1", "ls", "ok", None), ("t1", "pwd", "ok", None)]));
    let (_, found) = kinds(&world, &[]);
    let found: Vec<&str> = found.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(found, ["ran-after-deny", "no-decision"]);
}

#[test]
fn a_decision_is_about_the_call_that_the_hook_was_asked_about() {
    let world = world(&[("t1", "ls"), ("t2", "pwd")]);
    let calls = [
        ("t1", "rm x", "ok", None),
        ("t1", "ls", "ok", None),
        ("t2", "pwd; rm x", "ok", None),
        ("t2", "pwd", "ok", None),
    ];
    world.write("log.jsonl", &log(&calls));
    let missed = |line: &str| ("no-decision".to_owned(), line.to_owned());
    assert_eq!(kinds(&world, &[]), (1, vec![missed("2"), missed("6")]));
}

#[test]
fn what_the_hook_could_not_judge_is_found() {
    let world = world(&[("t1", "ls")]);
    world.write(".agent-scope.json", "{");
    let answer = hook(&world, &["pre-tool", "--enforce"], &before("t2", "Bash", &json!({"command": "rm x"})));
    assert_eq!(answer.code, 1);
    world.write("log.jsonl", &log(&[("t1", "ls", "ok", None), ("t2", "rm x", "ok", None)]));
    assert_eq!(kinds(&world, &[]), (1, vec![("not-judged".to_owned(), "4".to_owned())]));
}

#[test]
fn without_a_hook_nothing_was_decided() {
    let world = World::empty();
    world.write("log.jsonl", &log(&[("t1", "ls", "ok", None)]));
    assert_eq!(kinds(&world, &[]).1.len(), 1);
    assert!(world.run(&["gaps", "log.jsonl"]).stdout.contains("no hook of this store decided"));
    world.write("log.jsonl", "{\"type\":");
    assert_eq!(kinds(&world, &[]).0, 3, "a log that can't be read tells nothing");
}

/// Gemini gives its hooks no ids: `write` is its own log of these reads, each with how it ended.
fn gemini(world: &World, calls: &[(&str, &str)]) {
    let mut lines =
        vec![json!({"sessionId": SESSION, "projectHash": "p", "startTime": "2026-10-05T09:00:00Z", "kind": "main"})];
    for (number, (path, status)) in calls.iter().enumerate() {
        let output = if *status == "success" {
            "text"
        } else {
            "Tool execution blocked: agent-strace: the scope of this repository"
        };
        let response = json!({"functionResponse": {"id": format!("c{number}"), "name": "read_file", "response": {"output": output}}});
        let call = json!({
            "id": format!("c{number}"), "name": "read_file", "args": {"file_path": path}, "status": status,
            "result": [response], "timestamp": "2026-10-05T09:00:01Z",
        });
        let message = json!({
            "id": format!("m{number}"), "timestamp": "2026-10-05T09:00:01Z", "type": "gemini", "content": "",
            "model": "gemini-2.5-pro", "toolCalls": [call],
        });
        lines.push(message);
    }
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    world.write("log.jsonl", &(text.join("\n") + "\n"));
}

fn asked_by_gemini(reads: &[&str]) -> World {
    let world = World::empty();
    world.write(".agent-scope.json", r#"{"files": {"read": {"deny": ["secrets/**"]}}}"#);
    for path in reads {
        let payload = json!({
            "session_id": SESSION, "cwd": "/repo", "hook_event_name": "BeforeTool", "tool_name": "read_file",
            "tool_input": {"file_path": path},
        });
        let answer = hook(&world, &["pre-tool", "--agent", "gemini-cli", "--enforce"], &payload.to_string());
        assert_eq!(answer.code, 0, "{}", answer.stderr);
    }
    world
}

#[test]
fn calls_without_ids_are_joined_by_their_arguments() {
    let world = asked_by_gemini(&["secrets/a", "README.md"]);
    gemini(&world, &[("README.md", "success"), ("secrets/a", "error")]);
    assert_eq!(kinds(&world, &[]), (0, Vec::new()));
    // The same file twice, and asked about once.
    gemini(&world, &[("README.md", "success"), ("README.md", "success"), ("secrets/a", "error")]);
    assert_eq!(kinds(&world, &[]), (1, vec![("no-decision".to_owned(), "3".to_owned())]));
    gemini(&world, &[("README.md", "success"), ("secrets/a", "success")]);
    assert_eq!(kinds(&world, &[]), (1, vec![("ran-after-deny".to_owned(), "3".to_owned())]));
}

#[test]
fn arguments_out_of_which_a_secret_was_taken_are_still_the_same_call() {
    let secret = "notes A_TOKEN=ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let world = asked_by_gemini(&[secret]);
    assert!(!world.read(&format!(".agent-traces/{SESSION}/events.ndjson")).contains("ghp_"));
    gemini(&world, &[(secret, "success")]);
    assert_eq!(kinds(&world, &[]), (0, Vec::new()));
    gemini(&world, &[("other A_TOKEN=ghp_abcdefghijklmnopqrstuvwxyz0123456789", "success")]);
    assert_eq!(kinds(&world, &[]), (1, vec![("no-decision".to_owned(), "2".to_owned())]));
}

/// An agent may write the mark itself: it stands for nothing where the call is there that has it.
#[test]
fn a_mark_that_the_agent_wrote_hides_no_call() {
    let marked = "notes [REDACTED:x]";
    let world = asked_by_gemini(&[marked]);
    gemini(&world, &[("notes secrets/a", "success"), (marked, "success")]);
    assert_eq!(kinds(&world, &[]), (1, vec![("no-decision".to_owned(), "2".to_owned())]));
    gemini(&world, &[(marked, "success")]);
    assert_eq!(kinds(&world, &[]), (0, Vec::new()));
}

/// Ids are unique in a session only: what was decided about a call of the parent says nothing of one of a sub-agent.
#[test]
fn an_id_of_the_parent_hides_no_call_of_a_sub_agent() {
    let world = world(&[("t1", "ls")]);
    world.write("logs/session.jsonl", &log(&[("t1", "ls", "ok", None)]));
    world.write("logs/session/subagents/agent-a1.jsonl", &log(&[("t1", "rm -rf src", "ok", Some("a1"))]));
    let answer = world.run(&["gaps", "logs", "--format", "json"]);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.stderr));
    let past: usize = rows(&report, "sessions").iter().map(|session| rows(session, "lapses").len()).sum();
    assert_eq!((answer.code, past), (1, 1), "{report}");
}

/// A tool of others may have the name of one that touches nothing.
#[test]
fn a_harmless_name_hides_no_command() {
    let world = asked_by_gemini(&[]);
    gemini(&world, &[("README.md", "success")]);
    let text = world.read("log.jsonl").replace("read_file", "complete_task");
    world.write("log.jsonl", &text);
    assert_eq!(kinds(&world, &[]).1.len(), 1, "it names a file");
    world.write("log.jsonl", &text.replace("file_path", "result"));
    assert_eq!(kinds(&world, &[]), (0, Vec::new()));
}

/// A decision without the call that it is about speaks for no call.
#[test]
fn a_recording_that_is_lost_decides_about_nothing() {
    let world = asked_by_gemini(&["README.md"]);
    gemini(&world, &[("README.md", "success")]);
    assert_eq!(kinds(&world, &[]), (0, Vec::new()));
    std::fs::remove_file(world.path().join(format!(".agent-traces/{SESSION}/events.ndjson"))).unwrap();
    assert_eq!(kinds(&world, &[]).0, 1);
}
