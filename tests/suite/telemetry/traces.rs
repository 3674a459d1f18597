//! What a trace holds.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::server::strict;
use super::{attribute, hex, named, session, spans};
use crate::world::{World, project};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;

pub(super) fn exported(world: &World, args: &[&str]) -> Value {
    let answer = world.run(&[&["export"], args].concat());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let _: ExportTraceServiceRequest = strict(&answer.stdout);
    serde_json::from_str(&answer.stdout).unwrap()
}

fn hashed(seed: &str, digits: usize) -> String {
    hex(&Sha256::digest(seed))[..digits].to_owned()
}

fn nanos(span: &Value) -> (u64, u64) {
    let time = |key: &str| span[key].as_str().unwrap().parse().unwrap();
    (time("startTimeUnixNano"), time("endTimeUnixNano"))
}

#[test]
fn a_call_and_its_result_are_one_span_with_exact_times() {
    let document = exported(&session(), &["0a11ce", "--format", "otlp"]);
    let spans = spans(&document);
    let names: Vec<&str> = spans.iter().map(|span| span["name"].as_str().unwrap()).collect();
    let expected =
        ["agent-session (claude-code)", "tool/Bash", "tool/Read", "tool/Write", "invoke_agent scout", "tool/Grep"];
    assert_eq!(names, expected);
    let bash = named(&spans, "tool/Bash");
    assert_eq!(nanos(bash), (1_790_000_004_123_456_789, 1_790_000_006_623_456_789));
    assert_eq!(bash["traceId"], hashed("0a11ce0a11ce0a11", 32));
    assert_eq!(bash["spanId"], hashed("e5", 16));
    assert_eq!(bash["parentSpanId"], hashed("root-0a11ce0a11ce0a11", 16));
    assert_eq!(bash["kind"], 1);
    for (key, value) in [
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "Bash"),
        ("gen_ai.tool.call.id", "e5"),
        ("gen_ai.tool.call.arguments", r#"{"command":"cargo test","description":"run the tests"}"#),
        ("tool.input.command", "cargo test"),
        ("tool.output", "ok"),
    ] {
        assert_eq!(attribute(bash, key), Some(&json!(value)), "{key}");
    }
    assert_eq!(bash["status"], Value::Null);
}

#[test]
fn what_failed_was_refused_or_never_ended_says_so() {
    let document = exported(&session(), &["0a11ce", "--format", "otlp"]);
    let spans = spans(&document);
    let read = named(&spans, "tool/Read");
    assert_eq!(read["status"], json!({"message": "no such file", "code": 2}));
    assert_eq!(attribute(read, "error.type"), Some(&json!("tool_error")));
    let exception = &read["events"][0];
    assert_eq!((&exception["name"], &exception["timeUnixNano"]), (&json!("exception"), &json!("1790000007500000000")));
    assert_eq!(attribute(exception, "exception.message"), Some(&json!("no such file")));
    let write = named(&spans, "tool/Write");
    assert_eq!(nanos(write), (1_790_000_008_000_000_000, 1_790_000_008_000_000_000));
    assert_eq!(attribute(write, "agent_strace.tool.status"), Some(&json!("missing")));
    assert_eq!(attribute(write, "agent_strace.time_basis"), Some(&json!("no-end")));
    let root = named(&spans, "agent-session (claude-code)");
    assert_eq!(root["status"]["code"], 2);
    assert_eq!(root["parentSpanId"], "");
    assert_eq!(nanos(root), (1_790_000_000_000_000_000, 1_790_000_010_000_000_000));
}

#[test]
fn prompts_replies_and_requests_are_events_of_the_root_or_spans() {
    let world = session();
    let document = exported(&world, &["0a11ce", "--format", "otlp"]);
    let all = spans(&document);
    let root = named(&all, "agent-session (claude-code)");
    let events: Vec<&str> =
        root["events"].as_array().unwrap().iter().map(|event| event["name"].as_str().unwrap()).collect();
    assert_eq!(events, ["user_prompt", "llm_response", "decision", "assistant_response"]);
    assert_eq!(attribute(&root["events"][0], "prompt"), Some(&json!("use [REDACTED:github-token] to fix it")));
    assert_eq!(root["events"][0]["timeUnixNano"], "1790000001123456000");

    let document = exported(&world, &["0a11ce", "--format", "otlp-genai"]);
    let all = spans(&document);
    let root = named(&all, "gen_ai.agent.session (claude-code)");
    assert_eq!(attribute(root, "gen_ai.operation.name"), Some(&json!("invoke_agent")));
    assert_eq!(attribute(root, "gen_ai.agent.id"), Some(&json!("0a11ce0a11ce0a11")));
    let asked = named(&all, "gen_ai.client.operation");
    assert_eq!(nanos(asked), (1_790_000_002_000_000_000, 1_790_000_003_250_000_000));
    assert_eq!((&asked["kind"], &asked["parentSpanId"]), (&json!(3), &root["spanId"]));
    for (key, value) in [
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.provider.name", "anthropic"),
        ("gen_ai.request.model", "claude-opus-4-6"),
        ("gen_ai.usage.input_tokens", "18"),
        ("gen_ai.usage.output_tokens", "7"),
        ("gen_ai.usage.cache_read.input_tokens", "5"),
        ("gen_ai.usage.cache_creation.input_tokens", "3"),
    ] {
        assert_eq!(attribute(asked, key), Some(&json!(value)), "{key}");
    }
    assert_eq!(attribute(root, "gen_ai.usage.input_tokens"), None, "the sum would count twice");
    named(&all, "gen_ai.tool.call/Bash");
}

#[test]
fn sub_agents_are_below_who_started_them() {
    let document = exported(&session(), &["0a11ce", "--format", "otlp-genai"]);
    let all = spans(&document);
    let scout = named(&all, "invoke_agent scout");
    assert_eq!(named(&all, "gen_ai.tool.call/Grep")["parentSpanId"], scout["spanId"]);
    assert_eq!(scout["parentSpanId"], named(&all, "gen_ai.agent.session (claude-code)")["spanId"]);
    assert_eq!(nanos(scout), (1_790_000_009_500_000_000, 1_790_000_009_750_000_000));
}

/// The call that started a sub-agent is told by its result.
#[test]
fn a_sub_agent_is_below_the_call_that_started_it() {
    let world = World::empty();
    let usage = json!({"input_tokens": 10, "output_tokens": 5});
    let call = |id: &str, name: &str, input: Value| {
        json!({"id": format!("m{id}"), "role": "assistant", "model": "claude-opus-4-6", "usage": usage,
            "content": [{"type": "tool_use", "id": id, "name": name, "input": input}]})
    };
    let result =
        |id: &str| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "x"}]});
    let mut lines = vec![
        ("assistant", false, call("s1", "Task", json!({"prompt": "look", "subagent_type": "Explore"}))),
        ("assistant", true, call("s2", "Grep", json!({"pattern": "x"}))),
        ("user", true, result("s2")),
        ("user", false, result("s1")),
    ]
    .into_iter()
    .enumerate()
    .map(|(at, (kind, is_side, message))| {
        let mut line = json!({"type": kind, "uuid": format!("u{at}"), "sessionId": "5e551017", "cwd": "/home/dana/rates",
            "timestamp": format!("2026-05-01T10:00:0{at}.000Z"), "isSidechain": is_side, "message": message});
        if is_side {
            line["agentId"] = json!("a1");
        }
        line
    })
    .collect::<Vec<_>>();
    lines[3]["toolUseResult"] = json!({"agentId": "a1", "totalToolUseCount": 1, "status": "completed"});
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    world.write("log.jsonl", &(lines.join("\n") + "\n"));
    let document = exported(&world, &["log.jsonl", "--format", "otlp"]);
    let all = spans(&document);
    let explore = named(&all, "invoke_agent Explore");
    assert_eq!(explore["parentSpanId"], named(&all, "tool/Task")["spanId"]);
    assert_eq!(named(&all, "tool/Grep")["parentSpanId"], explore["spanId"]);
    assert_eq!(attribute(explore, "gen_ai.agent.id"), Some(&json!("a1")));
}

/// What we read of what we write is the session: the same calls, in the same way, at the same times.
#[test]
fn an_export_reads_as_the_session() {
    let world = session();
    for format in ["otlp", "otlp-genai"] {
        let answer = world.run(&["export", "0a11ce", "--format", format, "--output", "trace.json"]);
        assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{}", answer.stderr);
        let effects = |session: &str| {
            let answer = world.run(&["effects", session, "--format", "json"]);
            let document: Value = serde_json::from_str(&answer.stdout).unwrap();
            let events = document["sessions"][0]["events"].as_array().unwrap().clone();
            let kept = |event: &Value| {
                let paths = event["effects"].as_array().unwrap().iter();
                let paths: Vec<String> =
                    paths.map(|effect| format!("{} {} {}", effect["kind"], effect["path"], effect["argv"])).collect();
                (event["tool"].clone(), event["status"].clone(), paths.join(", ").replace("/home/dana/rates/", ""))
            };
            events.iter().map(kept).collect::<Vec<_>>()
        };
        assert_eq!(effects("trace.json"), effects("0a11ce"), "{format}");
    }
}

/// Spans of every log that is shipped, in both forms: ids are unique, parents are there, nothing ends before it begins.
#[test]
fn every_trace_is_a_tree() {
    let folder = project().join("fixtures/logs");
    let world = World::empty();
    let mut traces = 0;
    for agent in std::fs::read_dir(&folder).unwrap() {
        for log in std::fs::read_dir(agent.unwrap().path()).into_iter().flatten() {
            let path = log.unwrap().path();
            let Some(path) = path.to_str().filter(|_| path.is_file()) else { continue };
            let answer = world.run(&["export", path, "--format", "otlp-genai"]);
            let Ok(document) = serde_json::from_str::<Value>(&answer.stdout) else {
                assert_ne!(answer.code, 0, "{path}");
                continue;
            };
            traces += 1;
            hold_tree(&spans(&document), path);
        }
    }
    assert!(traces > 20, "{traces} traces");
}

fn hold_tree(spans: &[&Value], path: &str) {
    let id = |span: &Value| (span["traceId"].as_str().unwrap().to_owned(), span["spanId"].as_str().unwrap().to_owned());
    let ids: std::collections::BTreeSet<_> = spans.iter().map(|span| id(span)).collect();
    assert_eq!(ids.len(), spans.len(), "{path}: an id occurs twice");
    for span in spans {
        let parent = span["parentSpanId"].as_str().unwrap();
        let is_there = parent.is_empty() || ids.contains(&(id(span).0, parent.to_owned()));
        assert!(is_there, "{path}: {} has no parent", span["name"]);
        let (start, end) = nanos(span);
        assert!(0 < start && start <= end, "{path}: {}", span["name"]);
    }
}

#[test]
fn a_session_without_times_is_refused_and_one_without_some_says_so() {
    let world = World::empty();
    world.write("none.jsonl", "{\"event_type\":\"tool_call\",\"event_id\":\"1\",\"session_id\":\"s\",\"data\":{\"tool_name\":\"Read\",\"arguments\":{\"file_path\":\"a\"}}}\n");
    let answer = world.run(&["export", "none.jsonl", "--format", "otlp"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (3, ""));
    assert!(answer.stderr.contains("recorded no times"), "{}", answer.stderr);
    let timed = "{\"event_type\":\"user_prompt\",\"timestamp\":1790000000.5,\"event_id\":\"0\",\"session_id\":\"s\",\"data\":{\"prompt\":\"x\"}}\n";
    world.write("some.jsonl", &(timed.to_owned() + &world.read("none.jsonl")));
    let answer = world.run(&["export", "some.jsonl", "--format", "otlp"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stderr.contains("1 event has no time"), "{}", answer.stderr);
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    let all = spans(&document);
    let read = named(&all, "tool/Read");
    assert_eq!(read["startTimeUnixNano"], "1790000000500000000");
    assert_eq!(attribute(read, "agent_strace.time_basis"), Some(&json!("neighbour")));
}

#[test]
fn anonymized_traces_hold_nobody() {
    let world = session();
    let answer = world.run(&["export", "0a11ce", "--anonymize", "--format", "otlp-genai"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(!answer.stdout.contains("dana") && !answer.stdout.contains("add-rates"), "{}", answer.stdout);
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    let resource = &document["resourceSpans"][0]["resource"];
    assert_eq!(attribute(resource, "agent_strace.anonymized"), Some(&json!(true)));
    assert!(answer.stderr.contains("Redacted:"), "{}", answer.stderr);
}

/// Sessions that know of each other have links.
#[test]
fn a_child_session_is_linked_to_its_parent() {
    let world = session();
    let meta = json!({"session_id": "c1d0c1d0c1d0c1d0", "started_at": 1_790_000_020.0, "agent_name": "codex",
        "parent_session_id": "0a11ce0a11ce0a11"});
    world.write(".agent-traces/c1d0c1d0c1d0c1d0/meta.json", &meta.to_string());
    let line = json!({"event_type": "user_prompt", "timestamp": 1_790_000_020.0, "event_id": "c1",
        "session_id": "c1d0c1d0c1d0c1d0", "data": {"prompt": "look"}});
    world.write(".agent-traces/c1d0c1d0c1d0c1d0/events.ndjson", &format!("{line}\n"));
    let document = exported(&world, &["c1d0", "--format", "otlp"]);
    let link = &spans(&document)[0]["links"][0];
    assert_eq!(link["traceId"], hashed("0a11ce0a11ce0a11", 32));
    assert_eq!(link["spanId"], hashed("root-0a11ce0a11ce0a11", 16));
}

/// All sessions since some time are traces of one document.
#[test]
fn several_sessions_are_several_traces() {
    let world = World::demo();
    let document = exported(&world, &["--since", "2026-01-01", "--format", "otlp", "--now", "2026-12-01T00:00:00Z"]);
    let traces: std::collections::BTreeSet<_> =
        spans(&document).iter().map(|span| span["traceId"].as_str().unwrap().to_owned()).collect();
    assert_eq!(traces.len(), 2);
}
