//! Turns and steps, from logs to documents. `fixtures/turns` holds invented logs and the documents they come to;
//! real ones are in `fixtures/real` and in the folder that `AGENT_STRACE_ACCEPTANCE` names.

use std::fs;
use std::path::{Path, PathBuf};

use agent_strace_testing::corpus::{outside, shipped};
use agent_strace_testing::truth::{self, Paid};
use serde_json::Value;

use crate::world::{Answer, World, project, update};

fn fixture(name: &str) -> PathBuf {
    project().join("fixtures/turns").join(name)
}

fn inspect(view: &str, logs: &[&Path]) -> Answer {
    let logs: Vec<&str> = logs.iter().map(|log| log.to_str().unwrap()).collect();
    let mut args = vec!["inspect", "--view"];
    args.extend(view.split(' '));
    World::empty().run(&[args, logs].concat())
}

fn document(name: &str) -> Value {
    let answer = inspect("session", &[&fixture(name)]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

/// Every fixture comes to the document beside it. Where agtrace's engine reads the same log it builds the same bytes.
#[test]
fn fixtures_come_to_their_documents() {
    let names = ["claude.jsonl", "claude-subagents", "codex.jsonl", "codex-review", "gemini.json"];
    let mut wrong = Vec::new();
    for name in names {
        let answer = inspect("session", &[&fixture(name)]);
        // One log holds a result of which the call is missing.
        let is_whole = name != "codex.jsonl";
        assert_eq!((answer.code, answer.stderr.is_empty()), (if is_whole { 0 } else { 3 }, is_whole), "{name}");
        let expected = fixture(&format!("{name}.expected"));
        if update() {
            fs::write(&expected, &answer.stdout).unwrap();
        } else if fs::read_to_string(&expected).unwrap_or_default() != answer.stdout {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "differ (UPDATE_SPECS=1 rewrites them): {wrong:?}");
    for entry in fs::read_dir(fixture("")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let log = name.strip_suffix(".expected").unwrap_or(&name);
        assert!(names.contains(&log) || log == "README.md", "`{log}` is not tested");
    }
}

fn steps(document: &Value) -> impl Iterator<Item = &Value> {
    document["turns"].as_array().unwrap().iter().flat_map(|turn| turn["steps"].as_array().unwrap())
}

#[test]
fn a_steps_status_follows_its_results() {
    let document = document("claude.jsonl");
    let status: Vec<&str> = document["turns"]
        .as_array()
        .unwrap()
        .iter()
        .take(5)
        .map(|turn| turn["steps"][0]["status"].as_str().unwrap())
        .collect();
    // A message; a call without a result; calls with results; a call that failed; a thought.
    assert_eq!(status, ["done", "in_progress", "done", "failed", "in_progress"]);
}

#[test]
fn turns_open_and_close_as_their_user_meant() {
    let document = document("claude.jsonl");
    let turns = document["turns"].as_array().unwrap();
    let prompts: Vec<&str> = turns.iter().map(|turn| turn["user"]["content"]["text"].as_str().unwrap()).collect();
    assert!(!prompts.contains(&"are you there?"), "a turn in which nothing happens is none");
    assert!(!prompts.iter().any(|prompt| prompt.starts_with("[Request")), "an interruption is no turn");
    assert!(!document.to_string().contains("nobody listens"), "what follows an interruption is in no turn");
    let slash = turns.iter().find(|turn| turn["user"]["slash_command"]["name"] == "/glaze").unwrap();
    assert_eq!(slash["user"]["slash_command"]["args"], "blue thin");
    assert_eq!(slash["user"]["content"]["text"], "Glaze everything in: blue thin");
    let origin = &turns.last().unwrap()["user"]["origin"];
    assert_eq!(*origin, serde_json::json!({"type": "system_generated", "reason": "context_compaction"}));
    // Two thoughts are two steps.
    let thoughts = turns[2]["steps"].as_array().unwrap().iter().filter(|step| !step["reasoning"].is_null());
    assert_eq!(thoughts.count(), 3);
}

#[test]
fn the_size_of_a_step_is_the_largest_it_was_told() {
    let world = World::empty();
    let record = |kind: &str, id: u32, message: &str| {
        format!(
            r#"{{"type":"{kind}","uuid":"u{id}","sessionId":"s","isSidechain":false,"userType":"external","timestamp":"2026-01-01T00:00:0{id}Z","message":{message}}}"#
        )
    };
    let answer = |id: &str, block: &str, tokens: [u32; 3]| {
        let [fresh, read, output] = tokens;
        format!(
            r#"{{"id":"{id}","type":"message","role":"assistant","model":"m","content":[{block}],"usage":{{"input_tokens":{fresh},"output_tokens":{output},"cache_read_input_tokens":{read}}}}}"#
        )
    };
    let log = [
        record("user", 1, r#"{"role":"user","content":"go"}"#),
        record("assistant", 2, &answer("a", r#"{"type":"text","text":"on it"}"#, [100, 20, 50])),
        record(
            "assistant",
            3,
            &answer("b", r#"{"type":"tool_use","id":"t","name":"Bash","input":{"command":"id"}}"#, [200, 40, 100]),
        ),
    ];
    world.write("log.jsonl", &log.join("\n"));
    let answer = world.run(&["inspect", "--view", "session", "--billing", "log.jsonl"]);
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(
        document["turns"][0]["steps"][0]["usage"],
        serde_json::json!({"fresh_input": 200, "cache_creation": 0, "cache_read": 40, "output": 100})
    );
    // Both answers were paid for.
    assert_eq!(document["billing"]["total"], 510);
    assert_eq!(document["billing"]["requests"], 2);
}

#[test]
fn sub_agents_stand_behind_the_session_that_started_them() {
    let document = document("claude-subagents");
    let rows: Vec<(String, Value)> = document
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let name = one["stream_id"]["stream_data"]["agent_id"].as_str().unwrap_or("main");
            (name.to_owned(), one["spawned_by"].clone())
        })
        .collect();
    let at = |turn: u32, step: u32| serde_json::json!({"turn_index": turn, "step_index": step});
    let expected = [
        ("main", Value::Null),
        ("inline1", Value::Null),
        ("north1", at(0, 0)),
        ("lost3", Value::Null),
        ("south2", at(0, 0)),
    ];
    assert_eq!(rows, expected.map(|(name, position)| (name.to_owned(), position)));
}

#[test]
fn a_review_that_starts_within_a_tenth_of_a_second_is_its_sessions() {
    let document = document("codex-review");
    let rows: Vec<(&str, &Value)> = document
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["stream_id"]["stream_type"].as_str().unwrap(), &one["spawned_by"]))
        .collect();
    let near = serde_json::json!({"turn_index": 1, "step_index": 1});
    assert_eq!(rows, [("main", &Value::Null), ("subagent", &near), ("subagent", &Value::Null)]);
}

#[test]
fn a_cut_log_tells_what_is_whole_and_says_that_it_is_cut() {
    let whole = fs::read_to_string(fixture("codex.jsonl")).unwrap();
    let is_result = |record: &&str| !record.contains("\"nobody\"");
    let whole = whole.lines().filter(is_result).collect::<Vec<_>>().join("\n") + "\n";
    let world = World::empty();
    world.write("log.jsonl", &whole[..whole.len() - 10]);
    let answer = world.run(&["inspect", "--view", "session", "log.jsonl"]);
    assert_eq!(answer.code, 3);
    assert!(answer.stderr.contains("ends inside a record"), "{}", answer.stderr);
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(document["evidence"], serde_json::json!({"truncated": true, "gaps": 1}));
    // The last record is what is missing.
    let world = World::empty();
    let records: Vec<&str> = whole.lines().collect();
    world.write("log.jsonl", &records[..records.len() - 1].join("\n"));
    let answer = world.run(&["inspect", "--view", "session", "log.jsonl"]);
    let mut document = document;
    document.as_object_mut().unwrap().remove("evidence");
    assert_eq!(answer.code, 0);
    assert_eq!(document, serde_json::from_str::<Value>(&answer.stdout).unwrap());
}

/// What the view shows by a command's first word and a patch's first file, the gate sees whole.
#[test]
fn the_gate_sees_what_the_view_hides() {
    let log = [
        r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"/work","originator":"o","cli_version":"1","source":"cli"}}"#,
        r#"{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}}"#,
        r#"{"timestamp":"2026-01-01T00:00:02Z","type":"response_item","payload":{"type":"function_call","name":"shell_command","arguments":"{\"command\":\"cat a.txt; rm -rf build\"}","call_id":"c1"}}"#,
        r#"{"timestamp":"2026-01-01T00:00:03Z","type":"response_item","payload":{"type":"custom_tool_call","status":"completed","name":"apply_patch","call_id":"c2","input":"*** Begin Patch\n*** Update File: src/a.rs\n@@\n-a\n+b\n*** Add File: .github/workflows/evil.yml\n+on: push\n*** Delete File: LICENSE\n*** End Patch"}}"#,
        r#"{"timestamp":"2026-01-01T00:00:04Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c2","output":"{\"output\":\"failed\",\"metadata\":{\"exit_code\":1,\"duration_seconds\":0.1}}"}}"#,
    ];
    let world = World::empty();
    world.write("log.jsonl", &log.join("\n"));
    let view = world.run(&["inspect", "--view", "session", "log.jsonl"]).stdout;
    assert!(view.contains(r#""file_path": "build""#), "{view}");
    let effects = world.run(&["effects", "log.jsonl", "--format", "json"]).stdout;
    for seen in ["a.txt", "build", "src/a.rs", ".github/workflows/evil.yml", "LICENSE"] {
        assert!(effects.contains(seen), "`{seen}` is not in {effects}");
    }
    let effects: Value = serde_json::from_str(&effects).unwrap();
    let failed = effects.to_string().contains(r#""status":"error""#);
    assert!(failed, "the patch that failed is not flagged: {effects}");
}

#[test]
fn the_same_logs_come_to_the_same_bytes() {
    let logs: Vec<PathBuf> = ["claude-subagents", "codex-review", "gemini.json", "claude.jsonl"].map(fixture).into();
    let forward: Vec<&Path> = logs.iter().map(PathBuf::as_path).collect();
    let backward: Vec<&Path> = forward.iter().rev().copied().collect();
    let first = inspect("session --billing", &forward);
    // Hash maps of every run are seeded anew.
    for _ in 0..50 {
        assert_eq!(inspect("session --billing", &forward).stdout, first.stdout);
        assert_eq!(inspect("session --billing", &backward).stdout, first.stdout);
    }
}

#[test]
fn real_logs_come_to_the_documents_of_the_engine() {
    let Some(data) = outside("sessions of real logs are not assembled") else { return };
    let cases = data.cases().join("assembly");
    let mut compared = 0;
    for entry in fs::read_dir(&cases).unwrap() {
        let expected = entry.unwrap().path();
        let name = expected.file_name().unwrap().to_str().unwrap().to_owned();
        let Some(stem) = name.strip_suffix(".expected.json") else { continue };
        let log = ["jsonl", "json"].map(|extension| cases.join(format!("{stem}.{extension}")));
        let log = log.iter().find(|log| log.exists()).unwrap();
        let answer = inspect("session", &[log]);
        assert_eq!(answer.code, 0);
        assert_eq!(answer.stdout.trim_end(), fs::read_to_string(&expected).unwrap().trim_end(), "{name}");
        compared += 1;
    }
    assert!(compared >= 2, "only {compared} documents are there");
}

/// The scripted models behind the logs of this repository say what they were asked and what it cost.
#[test]
fn what_models_sent_is_paid_once() {
    let data = shipped();
    for (folder, paid) in truth::paid() {
        let answer = inspect("billing", &[&data.corpus().join(&folder)]);
        let bill: Value = serde_json::from_str(&answer.stdout).unwrap();
        let sum = |key: &str| bill["sessions"].as_array().unwrap().iter().map(|one| one[key].as_u64().unwrap()).sum();
        assert_eq!(Paid { requests: sum("requests"), tokens: sum("total") }, paid, "{folder}");
    }
}

#[test]
fn every_answer_is_paid_once() {
    let Some(data) = outside("documents of the engine are not billed") else { return };
    for (name, requests, total) in [("claude_session", 6, 99_629), ("codex_session", 7, 27_148)] {
        let log = data.cases().join(format!("assembly/{name}.jsonl"));
        let bill: Value = serde_json::from_str(&inspect("billing", &[&log]).stdout).unwrap();
        let bill = &bill["sessions"][0];
        assert_eq!((&bill["requests"], &bill["total"]), (&requests.into(), &total.into()), "{name}");
        let sum: u64 = bill["messages"].as_array().unwrap().iter().map(|one| one["total"].as_u64().unwrap()).sum();
        assert_eq!(sum, total, "{name}");
    }
    let log = data.cases().join("assembly/claude_session.jsonl");
    let document: Value = serde_json::from_str(&inspect("session", &[&log]).stdout).unwrap();
    let failed = steps(&document).flat_map(|step| step["tools"].as_array().unwrap());
    assert_eq!(failed.filter(|tool| tool["is_error"] == true).count(), 1);
}

/// Known deviation: of a result that users were not shown, the text of the response is given.
#[test]
fn a_gemini_session_has_its_turns() {
    let Some(data) = outside("no real Gemini session is assembled") else { return };
    let log = data.corpus().join("gemini-cli/lanegrid_agtrace__gemini_session.json");
    let document: Value = serde_json::from_str(&inspect("session", &[&log]).stdout).unwrap();
    assert_eq!(document["stats"]["total_turns"], 2);
    let output = document["turns"][0]["steps"][2]["tools"][0]["result"]["content"]["output"].as_str().unwrap();
    assert!(output.starts_with("Successfully created"), "{output}");
    assert!(steps(&document).all(|step| step["tools"].as_array().unwrap().iter().all(|tool| tool["duration_ms"] == 0)));
}
