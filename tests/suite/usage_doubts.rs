//! What a log doesn't tell of its tokens, or tells so that nobody can read it, is never nothing: each of these cost too
//! little once, or would have.

use serde_json::{Value, json};

use crate::world::World;

/// An answer in a log of Claude Code: its message, the request, and what it used.
fn answer(message: &str, request: &str, usage: &Value) -> Value {
    json!({
        "type": "assistant", "sessionId": "5e55", "uuid": format!("{message}-{request}"), "requestId": request,
        "timestamp": "2026-10-01T10:00:00Z", "cwd": "/p",
        "message": {"id": message, "role": "assistant", "model": "claude-sonnet-4-5", "usage": usage,
            "content": [{"type": "text", "text": "done"}]},
    })
}

fn prompt() -> Value {
    json!({"type": "user", "sessionId": "5e55", "uuid": "u", "timestamp": "2026-10-01T09:59:00Z", "cwd": "/p",
        "message": {"role": "user", "content": "do it"}})
}

fn used(input: &Value, output: &Value) -> Value {
    json!({"input_tokens": input, "output_tokens": output})
}

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| record.to_string() + "\n").collect()
}

/// The cost as told, its basis, and the exit code.
fn cost(log: &str) -> (Value, String, i32) {
    let world = World::empty();
    world.write("log.jsonl", log);
    let answer = world.run(&["cost", "log.jsonl", "--format", "json"]);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    let session = &report["sessions"][0];
    (session["known_cost_usd"].clone(), session["basis"].as_str().unwrap().to_owned(), answer.code)
}

/// What a policy with a budget of dollars says: the rules that spoke, and the exit code.
fn checked(log: &str, budget: &str) -> (Vec<String>, i32) {
    let world = World::empty();
    world.write("log.jsonl", log);
    let policy = format!("{{\"version\": 2, \"budgets\": {{{budget}}}}}");
    world.write(".agent-scope.json", &policy);
    let answer = world.run(&["check", "log.jsonl", "--format", "json"]);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    let findings = report["findings"].as_array().unwrap();
    (findings.iter().map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect(), answer.code)
}

fn incomplete(log: &str) {
    let (known, basis, code) = cost(log);
    assert_eq!((basis.as_str(), code), ("incomplete", 3), "{known} {log}");
    for budget in ["\"cost_usd\": 100", "\"total_tokens\": 100000000"] {
        let (rules, code) = checked(log, budget);
        assert!(code == 3 && rules.iter().any(|rule| rule.starts_with("budget/")), "{budget}: {rules:?} {code} {log}");
    }
}

fn recorded(log: &str, dollars: f64) {
    assert_eq!(cost(log), (json!(dollars), "recorded".to_owned(), 0), "{log}");
    let (rules, _) = checked(log, "\"cost_usd\": 100");
    assert!(!rules.iter().any(|rule| rule.starts_with("budget/")), "{rules:?} {log}");
}

#[test]
fn counts_that_cannot_be_read_are_not_nothing() {
    let first = answer("a", "r1", &used(&json!(1000), &json!(1000)));
    for count in [json!("900000"), json!(-1), json!(1e30), json!(0.5), json!([1]), json!(true), Value::Null] {
        incomplete(&lines(&[prompt(), first.clone(), answer("b", "r2", &used(&count, &json!(10)))]));
        incomplete(&lines(&[prompt(), first.clone(), answer("b", "r2", &used(&json!(10), &count))]));
    }
    // A writer that has only fractional numbers.
    let whole = used(&json!(100_000.0), &json!(0.0));
    recorded(&lines(&[prompt(), answer("a", "r1", &whole)]), 0.3);
}

#[test]
fn answers_without_usage_beside_others_with_it() {
    let told = used(&json!(100_000), &json!(0));
    incomplete(&lines(&[prompt(), answer("a", "r1", &told), answer("b", "r2", &Value::Null)]));
    incomplete(&lines(&[prompt(), answer("a", "r1", &Value::Null), answer("b", "r2", &told)]));
    incomplete(&lines(&[prompt(), answer("a", "r1", &told), answer("b", "r2", &json!("12"))]));
    // The same message once more.
    recorded(&lines(&[prompt(), answer("a", "r1", &told), answer("a", "r1", &Value::Null)]), 0.3);
    recorded(&lines(&[prompt(), answer("a", "r1", &Value::Null), answer("a", "r1", &told)]), 0.3);
    // Every request sends something.
    incomplete(&lines(&[prompt(), answer("a", "r1", &used(&json!(0), &json!(9)))]));
    // Where nothing is told of any, nothing is recorded at all.
    let (_, basis, _) = cost(&lines(&[prompt(), answer("a", "r1", &Value::Null)]));
    assert_eq!(basis, "estimated");
}

/// Some hosts give the same id to every message.
#[test]
fn one_id_for_many_answers_is_many_answers() {
    let told = used(&json!(100_000), &json!(0));
    recorded(&lines(&[prompt(), answer("m", "r1", &told), answer("m", "r1", &told)]), 0.3);
    recorded(&lines(&[prompt(), answer("m", "r1", &told), answer("m", "r2", &told)]), 0.6);
    let anonymous = |usage: &Value| {
        let mut record = answer("m", "r", usage);
        record.as_object_mut().unwrap().remove("requestId");
        record
    };
    recorded(&lines(&[prompt(), anonymous(&told), anonymous(&told)]), 0.3);
    recorded(&lines(&[prompt(), anonymous(&told), anonymous(&used(&json!(100_001), &json!(0)))]), 0.600_003);
}

/// The end of a run without a list of its models.
#[test]
fn what_only_the_end_of_a_run_tells_is_counted() {
    let stream = |records: &[Value]| {
        let init = json!({"type": "system", "subtype": "init", "session_id": "5e55", "cwd": "/p",
            "model": "claude-sonnet-4-5", "tools": ["Bash"]});
        let end = json!({"type": "result", "subtype": "success", "is_error": false, "session_id": "5e55",
            "result": "done", "num_turns": 1, "usage": used(&json!(100_000), &json!(0))});
        let all: Vec<Value> = [init].into_iter().chain(records.iter().cloned()).chain([end]).collect();
        lines(&all)
    };
    let said = |input: u64| {
        json!({"type": "assistant", "session_id": "5e55", "message": {"id": "m", "role": "assistant",
            "model": "claude-sonnet-4-5", "content": [{"type": "text", "text": "ok"}],
            "usage": used(&json!(input), &json!(0))}})
    };
    recorded(&stream(&[said(50_000)]), 0.3);
    recorded(&stream(&[]), 0.3);
}

fn copilot(records: &[(&str, Value)]) -> String {
    let start = (
        "session.start",
        json!({"sessionId": "cp", "version": 1, "producer": "copilot-agent",
        "copilotVersion": "1.0.70", "selectedModel": "gpt-5-mini", "context": {"cwd": "/p"}}),
    );
    let mut text = String::new();
    for (at, (kind, data)) in [start].iter().chain(records).enumerate() {
        let time = format!("2026-10-01T10:00:{at:02}Z");
        let record = json!({"type": kind, "data": data, "id": format!("e{at}"), "timestamp": time, "parentId": null});
        text.push_str(&(record.to_string() + "\n"));
    }
    text
}

/// Messages tell what came back, and only the end of a run what was sent.
#[test]
fn what_was_sent_is_known_when_a_run_ended() {
    let said = |id: &str| {
        ("assistant.message", json!({"messageId": id, "content": "ok", "outputTokens": 0, "model": "gpt-5-mini"}))
    };
    let shutdown = (
        "session.shutdown",
        json!({"shutdownType": "routine", "modelMetrics": {"gpt-5-mini": {
        "requests": {"count": 1}, "usage": {"inputTokens": 4_000_000, "outputTokens": 0}}}}),
    );
    let resume = ("session.resume", json!({"sessionId": "cp"}));
    recorded(&copilot(&[said("a"), shutdown.clone()]), 1.0);
    incomplete(&copilot(&[said("a")]));
    incomplete(&copilot(&[said("a"), shutdown.clone(), resume.clone(), said("b")]));
    incomplete(&copilot(&[said("a"), resume.clone(), said("b"), shutdown.clone()]));
    recorded(&copilot(&[said("a"), shutdown.clone(), resume, said("b"), shutdown]), 2.0);
    let empty = ("session.shutdown", json!({"shutdownType": "error", "modelMetrics": {}}));
    incomplete(&copilot(&[said("a"), empty]));
}

/// The fullest request may be the one that nobody can judge.
#[test]
fn a_request_that_cannot_be_held_against_a_limit() {
    let run = |records: &[Value]| {
        let world = World::empty();
        world.write("log.jsonl", &lines(records));
        world.run(&["token-budget", "log.jsonl", "--fail-at", "90"]).code
    };
    let small = |id: &str| answer(id, id, &used(&json!(1000), &json!(10)));
    let mut foreign = answer("x", "x", &used(&json!(900_000), &json!(10)));
    foreign["message"]["model"] = json!("in-house-7b");
    assert_eq!(run(&[prompt(), small("a"), small("b")]), 0);
    assert_eq!(run(&[prompt(), foreign, small("b")]), 3);
    assert_eq!(run(&[prompt(), answer("x", "x", &Value::Null), small("b")]), 3);
    assert_eq!(run(&[prompt(), answer("x", "x", &used(&json!(0), &json!(10))), small("b")]), 3);
    // Above what is known of its model.
    assert_eq!(run(&[prompt(), answer("x", "x", &used(&json!(9_000_000), &json!(10))), small("b")]), 3);
}

/// Spans of agents sum up those in them, which may have other models.
#[test]
fn spans_of_agents_are_sums() {
    let span = |id: &str, parent: &str, attributes: &[(&str, Value)]| {
        let attributes: Vec<Value> = attributes
            .iter()
            .map(|(key, value)| match value {
                Value::String(text) => json!({"key": key, "value": {"stringValue": text}}),
                number => json!({"key": key, "value": {"intValue": number.to_string()}}),
            })
            .collect();
        json!({"traceId": "t", "spanId": id, "parentSpanId": parent, "name": "s", "startTimeUnixNano": "1790000000000000000",
            "endTimeUnixNano": "1790000001000000000", "attributes": attributes})
    };
    let log = |spans: &[Value]| json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).to_string();
    let asked = |operation: &str, model: &str, input: u64| {
        vec![
            ("gen_ai.operation.name", json!(operation)),
            ("gen_ai.request.model", json!(model)),
            ("gen_ai.usage.input_tokens", json!(input)),
            ("gen_ai.usage.output_tokens", json!(0)),
        ]
    };
    let chat = |id: &str, model: &str| span(id, "outer", &asked("chat", model, 100_000));
    let agent =
        |id: &str, parent: &str, input: u64| span(id, parent, &asked("invoke_agent", "claude-sonnet-4-5", input));
    recorded(&log(&[chat("a", "claude-sonnet-4-5"), chat("b", "claude-opus-4-5"), agent("outer", "", 200_000)]), 0.8);
    // Nested ones are parts of the outer one.
    recorded(&log(&[agent("inner", "tool", 100_000), span("tool", "outer", &[]), agent("outer", "", 100_000)]), 0.3);
    recorded(&log(&[chat("a", "claude-sonnet-4-5"), agent("outer", "", 200_000)]), 0.6);
    // What a cache gave back and took in is input, too.
    let mut cached = asked("chat", "claude-sonnet-4-5", 100_000);
    cached.push(("gen_ai.usage.cache_read.input_tokens", json!(50_000)));
    cached.push(("gen_ai.usage.cache_creation.input_tokens", json!(50_000)));
    recorded(&log(&[span("a", "", &cached)]), 0.2025);
}
