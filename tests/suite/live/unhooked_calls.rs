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
    assert!(world.run(&["gaps", "log.jsonl"]).stdout.contains("no hook of this store was asked"));
    world.write("log.jsonl", "{\"type\":");
    assert_eq!(kinds(&world, &[]).0, 3, "a log that can't be read tells nothing");
}
