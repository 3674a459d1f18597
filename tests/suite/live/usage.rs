//! Usage of sessions that hooks record: it comes from the agent's own log.

use serde_json::{Value, json};

use super::{SESSION, after, before, check, hook, lines, rows, step};
use crate::world::World;

/// An answer in the log of the agent.
fn answer(id: &str, input: u64, output: u64, text: &str) -> String {
    let usage = json!({"input_tokens": input, "output_tokens": output});
    let content = json!([{"type": "text", "text": text}]);
    let message = json!({
        "id": id, "role": "assistant", "model": "claude-sonnet-4-5-20250929", "content": content, "usage": usage,
        "stop_reason": "end_turn",
    });
    record("assistant", &message)
}

fn record(kind: &str, message: &Value) -> String {
    json!({
        "type": kind, "uuid": message.to_string().len().to_string(), "sessionId": SESSION, "cwd": "/repo",
        "version": "2.1.332", "timestamp": "2026-10-05T09:00:00.000Z", "message": message,
    })
    .to_string()
}

fn prompt() -> String {
    record("user", &json!({"role": "user", "content": "go on"}))
}

fn write(world: &World, records: &[String]) -> String {
    world.write("log/transcript.jsonl", &(records.join("\n") + "\n"));
    world.path().join("log/transcript.jsonl").display().to_string()
}

fn stop(world: &World, transcript: &str) {
    let payload = step("Stop", &json!({"transcript_path": transcript, "last_assistant_message": "done"}));
    let answer = hook(world, &["stop"], &payload);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{}", answer.stderr);
}

/// A session with one call.
fn world() -> World {
    let world = World::empty();
    let input = json!({"command": "ls"});
    for (event, payload) in
        [("pre-tool", before("t1", "Bash", &input)), ("post-tool", after("t1", "Bash", &input, &json!("a")))]
    {
        assert_eq!(hook(&world, &[event], &payload).code, 0);
    }
    world
}

fn spent(world: &World) -> Value {
    let answer = world.run(&["stats", SESSION, "--format", "json"]);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    report["sessions"][0]["usage"].clone()
}

#[test]
fn usage_is_recorded_once_when_the_agent_waits() {
    let world = world();
    let transcript = write(&world, &[prompt(), answer("m1", 1000, 50, "a"), answer("m2", 2000, 60, "done")]);
    stop(&world, &transcript);
    let usage = spent(&world);
    assert_eq!((&usage["requests"], &usage["input"], &usage["output"]), (&2.into(), &3000.into(), &110.into()));
    let before = lines(&world, "events.ndjson").len();
    stop(&world, &transcript);
    // The message of the second step, and the sum, which says that the log holds no more.
    assert_eq!(lines(&world, "events.ndjson").len(), before + 2);
    assert_eq!(spent(&world), usage);
    let cost = world.run(&["cost", SESSION, "--format", "json"]);
    assert_eq!(cost.code, 0, "{cost:?}");
    let events = world.read(&format!(".agent-traces/{SESSION}/events.ndjson"));
    assert!(!events.contains("go on"), "no text of the log is recorded");
}

#[test]
fn usage_that_grew_counts_as_it_is_in_the_end() {
    let world = world();
    let transcript = write(&world, &[prompt(), answer("m1", 1000, 1, "a")]);
    stop(&world, &transcript);
    write(&world, &[prompt(), answer("m1", 1000, 50, "a"), answer("m2", 10, 20, "done")]);
    stop(&world, &transcript);
    let usage = spent(&world);
    assert_eq!((&usage["requests"], &usage["input"], &usage["output"]), (&2.into(), &1010.into(), &70.into()));
}

#[test]
fn sub_agents_are_counted_with_their_session() {
    let world = world();
    let transcript = write(&world, &[prompt(), answer("m1", 1000, 50, "done")]);
    let of_subagent = answer("s1", 300, 5, "done")
        .replace("\"type\":\"assistant\"", "\"type\":\"assistant\",\"isSidechain\":true,\"agentId\":\"a1\"");
    world.write("log/transcript/subagents/agent-a1.jsonl", &(of_subagent + "\n"));
    stop(&world, &transcript);
    let usage = spent(&world);
    assert_eq!((&usage["requests"], &usage["input"]), (&2.into(), &1300.into()));
}

#[test]
fn a_budget_of_a_session_that_hooks_record_is_held() {
    let world = world();
    world.write(".agent-scope.json", r#"{"version": 2, "budgets": {"cost_usd": 0.001}}"#);
    let transcript = write(&world, &[prompt(), answer("m1", 1_000, 50, "done")]);
    stop(&world, &transcript);
    let report = check(&world, &[]);
    let rules: Vec<_> = rows(&report, "findings").iter().map(|finding| &finding["rule"]).collect();
    assert!(rules.iter().any(|rule| rule.as_str().unwrap().starts_with("budget/")), "{report}");
}

#[test]
fn what_comes_after_the_last_usage_is_not_known() {
    let world = world();
    world.write(".agent-scope.json", r#"{"version": 2, "budgets": {"cost_usd": 1.0}}"#);
    let transcript = write(&world, &[prompt(), answer("m1", 1000, 50, "done")]);
    stop(&world, &transcript);
    assert_eq!(check(&world, &[])["exit_code"], 0);
    let input = json!({"command": "make"});
    for (event, payload) in
        [("pre-tool", before("t2", "Bash", &input)), ("post-tool", after("t2", "Bash", &input, &json!("a")))]
    {
        assert_eq!(hook(&world, &[event], &payload).code, 0);
    }
    assert_eq!(check(&world, &[])["exit_code"], 3, "the agent asked for more, and no usage of that is recorded");
}

#[test]
fn an_answer_that_is_not_in_the_log_yet_is_not_known() {
    let world = world();
    world.write(".agent-scope.json", r#"{"version": 2, "budgets": {"cost_usd": 1.0}}"#);
    let call = json!({"id": "m1", "role": "assistant", "model": "claude-sonnet-4-5-20250929",
        "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}],
        "usage": {"input_tokens": 1000, "output_tokens": 50}});
    let result = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a"}]});
    let records = vec![prompt(), record("assistant", &call), record("user", &result)];
    let transcript = write(&world, &records);
    stop(&world, &transcript);
    assert_eq!(check(&world, &[])["exit_code"], 3);
    write(&world, &[records, vec![answer("m2", 10, 5, "done")]].concat());
    let end = step("SessionEnd", &json!({"transcript_path": transcript, "reason": "other"}));
    assert_eq!(hook(&world, &["session-end"], &end).code, 0);
    assert_eq!(check(&world, &[])["exit_code"], 0);
    assert_eq!(spent(&world)["requests"], 2);
}

#[test]
fn answers_that_were_removed_from_the_log_are_a_gap() {
    let world = world();
    world.write(".agent-scope.json", "{}");
    let transcript = write(&world, &[prompt(), answer("m1", 1000, 50, "a"), answer("m2", 2000, 60, "done")]);
    stop(&world, &transcript);
    write(&world, &[prompt(), answer("m2", 2000, 60, "done")]);
    stop(&world, &transcript);
    stop(&world, &transcript);
    let report = check(&world, &[]);
    assert_eq!(rows(&report, "gaps").len(), 1, "{report}");
    assert!(report["gaps"].to_string().contains("no longer in the agent's own log"), "{report}");
    assert_eq!(spent(&world)["requests"], 2, "what was recorded counts");
}

#[test]
fn a_log_of_a_sub_agent_that_is_not_read_makes_the_usage_incomplete() {
    let world = world();
    world.write(".agent-scope.json", r#"{"version": 2, "budgets": {"cost_usd": 1.0}}"#);
    let transcript = write(&world, &[prompt(), answer("m1", 1000, 50, "done")]);
    world.write("log/transcript/subagents/agent-a1.jsonl", "{\"type\":\n");
    stop(&world, &transcript);
    assert_eq!(check(&world, &[])["exit_code"], 3);
}

/// An agent that goes on in another file has not used less.
#[test]
fn another_log_with_less_usage_takes_nothing_back() {
    let world = world();
    let transcript = write(&world, &[prompt(), answer("m1", 1000, 50, "a"), answer("m2", 2000, 60, "done")]);
    stop(&world, &transcript);
    world.write("log/other.jsonl", &([prompt(), answer("m3", 10, 5, "done")].join("\n") + "\n"));
    stop(&world, &world.path().join("log/other.jsonl").display().to_string());
    let usage = spent(&world);
    assert_eq!((&usage["requests"], &usage["input"]), (&3.into(), &3010.into()));
}

#[test]
fn a_user_who_stops_the_agent_asks_for_nothing() {
    let world = world();
    world.write(".agent-scope.json", r#"{"version": 2, "budgets": {"cost_usd": 1.0}}"#);
    let stopped = record(
        "user",
        &json!({"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user]"}]}),
    );
    let transcript = write(&world, &[prompt(), answer("m1", 1000, 50, "done"), stopped]);
    let end = step("SessionEnd", &json!({"transcript_path": transcript, "reason": "other"}));
    assert_eq!(hook(&world, &["session-end"], &end).code, 0);
    assert_eq!(check(&world, &[])["exit_code"], 0);
}

/// Codex keeps the logs of sub-agents beside that of the session. A fork that its user made is another session.
#[test]
fn sub_agents_of_codex_are_counted_with_their_session() {
    let world = world();
    let folder = "codex/sessions/2026/10";
    let (child, grandchild, other) = ("a1", "a2", "a3");
    let write = |day: &str, id: &str, more: Value| {
        let name = format!("{folder}/{day}/rollout-2026-10-{day}T09-00-00-{id}.jsonl");
        let mut meta =
            json!({"id": id, "timestamp": "2026-10-05T09:00:00.000Z", "cwd": "/repo", "cli_version": "0.169.0"});
        meta.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let usage = json!({"input_tokens": 1000, "cached_input_tokens": 0, "output_tokens": 50, "total_tokens": 1050});
        let said =
            json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]});
        let info = json!({"total_token_usage": usage, "last_token_usage": usage});
        let records = [
            ("session_meta", meta),
            ("turn_context", json!({"cwd": "/repo", "model": "gpt-5.5"})),
            ("response_item", said),
            ("event_msg", json!({"type": "token_count", "info": info})),
            ("event_msg", json!({"type": "task_complete", "last_agent_message": "done"})),
        ];
        let line = |(kind, payload): (&str, Value)| {
            json!({"timestamp": "2026-10-05T09:00:01.000Z", "type": kind, "payload": payload}).to_string() + "\n"
        };
        world.write(&name, &records.map(line).concat());
        world.path().join(name).display().to_string()
    };
    let spawned =
        |parent: &str| json!({"source": {"subagent": {"thread_spawn": {"parent_thread_id": parent, "depth": 1}}}});
    let transcript = write("05", SESSION, json!({"source": "exec"}));
    let _ = write("05", child, spawned(SESSION));
    let _ = write("06", grandchild, spawned(child));
    let _ = write("06", other, json!({"source": "exec", "forked_from_id": SESSION}));
    let payload = step("Stop", &json!({"transcript_path": transcript, "last_assistant_message": "done"}));
    let answer = hook(&world, &["stop", "--agent", "codex"], &payload);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let usage = spent(&world);
    assert_eq!(
        (&usage["requests"], &usage["input"], &usage["partial"]),
        (&3.into(), &3000.into(), &Value::Null),
        "{usage}"
    );
}

/// A sub-agent that has not ended may cost anything.
#[test]
fn a_sub_agent_of_codex_that_still_runs_makes_the_usage_incomplete() {
    let usage = json!({"input_tokens": 1000, "cached_input_tokens": 0, "output_tokens": 50, "total_tokens": 1050});
    let said = (
        "response_item",
        json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]}),
    );
    let counted =
        ("event_msg", json!({"type": "token_count", "info": {"total_token_usage": usage, "last_token_usage": usage}}));
    let call = (
        "response_item",
        json!({"type": "function_call", "name": "exec_command", "arguments": "{\"cmd\":\"ls\"}", "call_id": "s1"}),
    );
    let output = (
        "response_item",
        json!({"type": "function_call_output", "call_id": "s1", "output": "Process exited with code 0\nOutput:\n"}),
    );
    let ended = ("event_msg", json!({"type": "task_complete", "last_agent_message": "a"}));
    for (rest, requests, partial) in [
        (vec![said.clone(), counted.clone(), ended], 2, Value::Null),
        (vec![call.clone(), counted.clone()], 2, true.into()),
        (vec![call.clone(), counted.clone(), output], 2, true.into()),
        (vec![call], 1, true.into()),
    ] {
        let world = world();
        let write = |id: &str, source: Value, records: &[(&str, Value)]| {
            let meta = (
                "session_meta",
                json!({"id": id, "timestamp": "2026-10-05T09:00:00.000Z", "cwd": "/repo",
                "cli_version": "0.169.0", "source": source}),
            );
            let turn = ("turn_context", json!({"cwd": "/repo", "model": "gpt-5.5"}));
            let line = |(kind, payload): &(&str, Value)| {
                json!({"timestamp": "2026-10-05T09:00:01.000Z", "type": kind, "payload": payload}).to_string() + "\n"
            };
            let text: String = [meta, turn].iter().chain(records).map(line).collect();
            let name = format!("codex/sessions/2026/10/05/rollout-2026-10-05T09-00-00-{id}.jsonl");
            world.write(&name, &text);
            world.path().join(name).display().to_string()
        };
        let transcript = write(SESSION, "exec".into(), &[said.clone(), counted.clone()]);
        let spawn = json!({"subagent": {"thread_spawn": {"parent_thread_id": SESSION, "depth": 1}}});
        let _ = write("a1", spawn, &rest);
        let payload = step("Stop", &json!({"transcript_path": transcript, "last_assistant_message": "a"}));
        assert_eq!(hook(&world, &["stop", "--agent", "codex"], &payload).code, 0);
        let usage = spent(&world);
        assert_eq!((&usage["requests"], &usage["partial"]), (&requests.into(), &partial), "{rest:?}: {usage}");
        let before = lines(&world, "events.ndjson").len();
        assert_eq!(hook(&world, &["stop", "--agent", "codex"], &payload).code, 0);
        // The message of the step, and the sum of the session.
        assert_eq!(lines(&world, "events.ndjson").len(), before + 2, "{rest:?}");
    }
}
