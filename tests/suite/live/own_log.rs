//! Ends of calls that only the agent's own log tells.

use serde_json::{Value, json};

use super::{SESSION, check, hook, lines, rows, step};
use crate::world::World;

/// A session of Codex, whose steps tell of no exit code.
struct Codex {
    world: World,
}

/// A call in the log of Codex: its id, its command and its exit code.
type Logged<'l> = (&'l str, &'l str, u32);

impl Codex {
    fn new() -> Self {
        let world = World::empty();
        world.write(".agent-scope.json", r#"{"version": 2, "files": {"read": {"deny": [".env"]}}}"#);
        Self { world }
    }

    fn tell(&self, event: &str, step: &str, more: &Value) {
        let mut payload: Value = serde_json::from_str(&super::step(step, more)).unwrap();
        let log = format!("codex/sessions/2026/10/05/rollout-2026-10-05T09-00-00-{SESSION}.jsonl");
        payload["transcript_path"] = self.world.path().join(log).to_str().unwrap().into();
        assert_eq!(hook(&self.world, &[event, "--agent", "codex"], &payload.to_string()).code, 0);
    }

    fn before(&self, id: &str, command: &str) {
        let call = json!({"tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": command}});
        self.tell("pre-tool", "PreToolUse", &call);
    }

    fn after(&self, id: &str, command: &str) {
        let call = json!({"tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": command},
            "tool_response": "output"});
        self.tell("post-tool", "PostToolUse", &call);
    }

    fn stop(&self) {
        self.tell("stop", "Stop", &json!({"last_assistant_message": "done"}));
    }

    fn log(&self, id: &str, source: &Value, calls: &[Logged<'_>]) {
        let line = |kind: &str, payload: Value| {
            json!({"timestamp": "2026-10-05T09:00:01.000Z", "type": kind, "payload": payload}).to_string() + "\n"
        };
        let meta = json!({"id": id, "timestamp": "2026-10-05T09:00:00.000Z", "cwd": "/repo", "cli_version": "0.169.0",
            "originator": "codex_exec", "source": source});
        let mut text = line("session_meta", meta);
        for (id, command, code) in calls {
            let arguments = json!({"cmd": command}).to_string();
            let call = json!({"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": id});
            let output = format!("Chunk ID: a\nProcess exited with code {code}\nOutput:\noutput\n");
            let output = json!({"type": "function_call_output", "call_id": id, "output": output});
            text += &(line("response_item", call) + &line("response_item", output));
        }
        let said =
            json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]});
        text += &line("response_item", said);
        self.world.write(&format!("codex/sessions/2026/10/05/rollout-2026-10-05T09-00-00-{id}.jsonl"), &text);
    }

    fn statuses(&self) -> Vec<String> {
        let answer = self.world.run(&["effects", "--format", "json", &format!(".agent-traces/{SESSION}")]);
        let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
        let calls = rows(&report["sessions"][0], "events").iter();
        calls.map(|call| call["status"].as_str().unwrap().to_owned()).collect()
    }
}

#[test]
fn a_call_that_failed_in_the_agents_own_log_has_failed() {
    let codex = Codex::new();
    codex.tell("user-prompt", "UserPromptSubmit", &json!({"prompt": "test it"}));
    for (id, command) in [("c1", "make test"), ("c2", "ls")] {
        codex.before(id, command);
        codex.after(id, command);
    }
    // Codex tells of no end of a patch that does not apply.
    codex.before("c3", "false");
    codex.log(SESSION, &"exec".into(), &[("c1", "make test", 2), ("c2", "ls", 0), ("c3", "false", 1)]);
    assert_eq!(codex.statuses(), ["ok", "ok", "missing"]);
    for _ in 0..2 {
        codex.stop();
        assert_eq!(codex.statuses(), ["error", "ok", "error"]);
    }
    let failures = lines(&codex.world, "events.ndjson").into_iter().filter(|line| line["event_type"] == "error");
    let failures: Vec<Value> = failures.collect();
    assert_eq!(failures.len(), 2, "a failure is recorded once");
    assert!(failures.iter().all(|failure| failure["data"]["tool_name"] == "Bash"), "as the steps call it");
    assert!(failures.iter().all(|failure| failure.get("duration_ms").is_none()), "how long it took is not known");
    // What is written down late is no answer that the model left out.
    let lint = codex.world.run(&["lint", "--strict", "--format", "json", &format!(".agent-traces/{SESSION}")]);
    assert!(!lint.stdout.contains("lint/unfinished-session"), "{}", lint.stdout);
}

/// Whoever may write that log may write that a call failed which runs.
#[test]
fn a_step_that_comes_later_is_heard() {
    let codex = Codex::new();
    codex.before("c1", "cat .env");
    codex.log(SESSION, &"exec".into(), &[("c1", "cat .env", 1)]);
    codex.stop();
    assert_eq!(codex.statuses(), ["error"]);
    codex.after("c1", "cat .env");
    let results = lines(&codex.world, "events.ndjson").into_iter().filter(|line| line["event_type"] == "tool_result");
    assert_eq!(results.count(), 1);
    assert_eq!(check(&codex.world, &[])["findings"][0]["level"], "error");
}

/// A name that several calls have says of none of them that it failed.
#[test]
fn an_id_says_nothing_of_another_call() {
    let codex = Codex::new();
    for (id, command) in [("c1", "ls"), ("c2", "make"), ("c2", "pwd")] {
        codex.before(id, command);
        codex.after(id, command);
    }
    codex.log(SESSION, &"exec".into(), &[("c1", "ls", 0), ("c2", "make", 2)]);
    // A sub-agent has ids of its own.
    let spawn = json!({"subagent": {"thread_spawn": {"parent_thread_id": SESSION, "depth": 1}}});
    codex.log("a1", &spawn, &[("c1", "make", 2)]);
    codex.stop();
    assert_eq!(codex.statuses(), ["ok", "ok", "ok"]);
    let mut call: Value = serde_json::from_str(&step(
        "PostToolUse",
        &json!({"tool_name": "Bash", "tool_use_id": "c1",
        "tool_input": {"command": "make"}, "tool_response": "output", "agent_id": "a1"}),
    ))
    .unwrap();
    call["transcript_path"] = Value::Null;
    assert_eq!(hook(&codex.world, &["post-tool", "--agent", "codex"], &call.to_string()).code, 0);
    codex.stop();
    assert_eq!(codex.statuses(), ["ok", "ok", "ok", "error"]);
}
