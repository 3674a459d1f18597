//! What `lint` of the Python tool of this name gets wrong, and must not be wrong here: one test per defect, in its store.

use serde_json::{Value, json};

use crate::world::{Answer, World};

type Event = (&'static str, Value);

fn call(tool: &str, arguments: &Value) -> Event {
    ("tool_call", json!({"tool_name": tool, "arguments": arguments}))
}

fn bash(command: &str) -> Event {
    call("Bash", &json!({"command": command}))
}

fn read(path: &str) -> Event {
    call("Read", &json!({"file_path": path}))
}

fn ok(tool: &str) -> Event {
    ("tool_result", json!({"tool_name": tool, "result": "ok"}))
}

fn prompt(text: &str) -> Event {
    ("user_prompt", json!({"prompt": text}))
}

fn said(text: &str) -> Event {
    ("assistant_response", json!({"text": text}))
}

/// Every session ends, unless a test is about one that does not.
fn ended(events: &[Event]) -> Vec<Event> {
    let start = ("session_start", json!({"cwd": "/p"}));
    let end = ("session_end", json!({"exit_code": 0}));
    [start].into_iter().chain(events.iter().cloned()).chain([end]).collect()
}

fn world(events: &[Event]) -> World {
    let world = World::empty();
    world.session("5e5510", 1_790_000_000, events);
    world
}

fn lint(events: &[Event]) -> Vec<String> {
    told(&world(events).run(&["lint", "--format", "json"]))
}

/// The lint rules that spoke, sorted.
fn told(answer: &Answer) -> Vec<String> {
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    let findings = report["findings"].as_array().unwrap();
    let mut rules: Vec<String> = findings.iter().map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect();
    rules.sort();
    rules.dedup();
    rules
}

fn speaks(rule: &str, events: &[Event]) {
    let told = lint(&ended(events));
    assert!(told.contains(&rule.to_owned()), "{rule} is silent: {told:?}");
}

fn silent(rule: &str, events: &[Event]) {
    let told = lint(&ended(events));
    assert!(!told.contains(&rule.to_owned()), "{rule} speaks");
}

fn refused(answer: &Answer) {
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{answer:?}");
    assert!(answer.stderr.contains("error: "), "{answer:?}");
}

#[test]
fn lint_loop_fn_results_between_calls_end_no_loop() {
    let events: Vec<Event> = (0..40).flat_map(|_| [bash("npm test"), ok("Bash")]).collect();
    speaks("lint/tool-loop", &events);
}

#[test]
fn lint_loop_fp_parallel_reads_of_different_files_are_no_loop() {
    let events: Vec<Event> = ["a", "b", "c", "d", "e", "f"].map(read).into();
    silent("lint/tool-loop", &events);
}

#[test]
fn lint_spiral_fp_one_answer_in_three_records_is_one() {
    let request = ("llm_request", json!({"model": "m"}));
    let response = ("llm_response", json!({"model": "m", "input_tokens": 10, "output_tokens": 5}));
    silent("lint/reasoning-spiral", &[prompt("hi"), request, response, said("hello")]);
}

/// An editor writes an answer in pieces, each on lines of its own.
#[test]
fn pieces_of_one_answer_are_one() {
    let pieces: Vec<Value> = (0..5).map(|piece| json!({"value": format!("piece {piece} ")})).collect();
    let request =
        json!({"requestId": "r1", "timestamp": 1_772_442_000_000_u64, "message": {"text": "hi"}, "response": pieces});
    let log = json!({"version": 3, "responderUsername": "GitHub Copilot", "sessionId": "chat", "requests": [request]});
    let world = World::empty();
    world.write("chat.json", &serde_json::to_string_pretty(&log).unwrap());
    let answer = world.run(&["lint", "chat.json"]);
    assert!(answer.stdout.contains("No issues found"), "{}{}", answer.stdout, answer.stderr);
}

#[test]
fn lint_spiral_fp2_questions_and_answers_are_no_spiral() {
    let turns: Vec<Event> = (0..3).flat_map(|_| [prompt("and this?"), said("that")]).collect();
    silent("lint/reasoning-spiral", &turns);
    let spiral: Vec<Event> = (0..4).flat_map(|_| [("llm_request", json!({})), ("llm_response", json!({}))]).collect();
    speaks("lint/reasoning-spiral", &spiral);
}

#[test]
fn lint_budget_dead_recorded_usage_is_held_against_a_configured_budget() {
    let used = json!({"model": "claude-opus-4-1", "input_tokens": 3_200_000, "output_tokens": 10});
    let world = world(&ended(&[("llm_response", used), read("a")]));
    world.write(".agent-strace-lint.json", r#"{"budget-proximity": {"budget_dollars": 5}}"#);
    let answer = world.run(&["lint", "--format", "json"]);
    assert!(told(&answer).contains(&"lint/budget-proximity".to_owned()), "{answer:?}");
    assert_eq!(answer.code, 1);
    // A budget of the policy is one, too; and a cost that nobody knows is no pass.
    world.write(".agent-strace-lint.json", "{}");
    world.write(".agent-scope.json", r#"{"version": 2, "budgets": {"cost_usd": 5}}"#);
    assert!(told(&world.run(&["lint", "--format", "json"])).contains(&"lint/budget-proximity".to_owned()));
    let unknown = json!({"model": "no-such-model", "input_tokens": 3_200_000, "output_tokens": 10});
    let world = self::world(&ended(&[("llm_response", unknown), read("a")]));
    world.write(".agent-strace-lint.json", r#"{"budget-proximity": {"budget_dollars": 5}}"#);
    assert_eq!(world.run(&["lint"]).code, 3);
}

#[test]
fn lint_context_fp_many_prompts_fill_no_single_request() {
    let events: Vec<Event> = (0..30).map(|_| prompt(&"x".repeat(22_000))).collect();
    silent("lint/context-saturation", &events);
    let full = json!({"model": "claude-sonnet-4-5", "input_tokens": 170_000, "output_tokens": 10});
    speaks("lint/context-saturation", &[("llm_response", full)]);
}

#[test]
fn lint_redundant_fp_pages_of_a_file_are_not_the_same() {
    let page = |offset: u32| call("Read", &json!({"file_path": "a.py", "offset": offset, "limit": 100}));
    silent("lint/redundant-read", &[page(1), page(101), page(201), page(301)]);
}

#[test]
fn lint_redundant_fn_one_file_has_many_names_and_many_readers() {
    let view = call("View", &json!({"path": "/p/a.py"}));
    let mcp = call("mcp__filesystem__read_file", &json!({"path": "/p/a.py"}));
    speaks("lint/redundant-read", &[read("a.py"), read("./a.py"), read("/p/a.py")]);
    speaks("lint/redundant-read", &[read("a.py"), view, bash("cat a.py")]);
    speaks("lint/redundant-read", &[bash("cat ./a.py"), mcp, bash("cat src/../a.py")]);
}

/// A call with its id, and how it ended.
fn answered(id: &str, command: &str, failed: bool) -> [Event; 2] {
    let called = json!({"tool_name": "Bash", "tool_use_id": id, "arguments": {"command": command}});
    let result = json!({"tool_name": "Bash", "tool_use_id": id, "result": "exit 1", "is_error": failed});
    [("tool_call", called), ("tool_result", result)]
}

#[test]
fn lint_error_fp_unrelated_failures_are_no_retries() {
    let mut events = Vec::new();
    for number in 0..203 {
        let failed = matches!(number, 20 | 90 | 160);
        events.extend(answered(&format!("c{number}"), &format!("ls {number}"), failed));
    }
    silent("lint/error-retry-loop", &events);
    let retries: Vec<Event> = (0..3).flat_map(|number| answered(&format!("r{number}"), "npm test", true)).collect();
    speaks("lint/error-retry-loop", &retries);
}

#[test]
fn lint_error_misattr_errors_belong_to_their_own_call() {
    let mut events = Vec::new();
    for number in 0..4 {
        let [called, result] = answered(&format!("b{number}"), "npm test", true);
        // The call of another tool stands between a call and its error.
        events.extend([called, read("a"), result]);
    }
    let world = world(&ended(&events));
    let report: Value = serde_json::from_str(&world.run(&["lint", "--format", "json"]).stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["rule"] == "lint/error-retry-loop").unwrap();
    assert!(found["message"].as_str().unwrap().starts_with("\"Bash\" failed 4 times"), "{found}");
}

#[test]
fn lint_nooutput_fp_files_are_written_in_many_ways() {
    let patch = "*** Begin Patch\n*** Add File: a\n+b\n*** End Patch";
    for written in [
        call("apply_patch", &json!({"input": patch})),
        call("mcp__fs__write_file", &json!({"path": "a", "content": "b"})),
        call("NotebookEdit", &json!({"notebook_path": "a.ipynb", "new_source": "b"})),
        bash("cat > a <<'X'\nb\nX"),
    ] {
        silent("lint/no-output", &[written]);
    }
    speaks("lint/no-output", &[read("a"), bash("ls")]);
}

#[test]
fn lint_nooutput_fn_a_session_that_did_not_end_is_told() {
    let told = lint(&[("session_start", json!({"cwd": "/p"})), read("a"), ok("Read")]);
    assert_eq!(told, ["lint/unfinished-session"]);
    let failed = ("session_end", json!({"reason": "error: model overloaded"}));
    let told = lint(&[("session_start", json!({"cwd": "/p"})), bash("echo a > b"), ok("Bash"), failed]);
    assert_eq!(told, ["lint/unfinished-session"]);
}

#[test]
fn nonobj_data_that_is_no_object_is_evidence_that_is_missing() {
    let answer = world(&ended(&[("tool_call", json!(["Bash"])), bash("echo a > b")])).run(&["lint"]);
    assert_eq!(answer.code, 3, "{answer:?}");
    assert!(!answer.stdout.contains("No issues"), "{answer:?}");
}

#[test]
fn lint_null_args_of_one_call_switch_off_no_rule() {
    let null = ("tool_call", json!({"tool_name": "Read", "arguments": null}));
    speaks("lint/redundant-read", &[null, read("a"), read("a"), read("a")]);
}

#[test]
fn lint_threshold_str_and_other_faults_of_the_file_are_refused() {
    let world = world(&ended(&[read("a")]));
    for (text, said) in [
        (r#"{"tool-loop": {"threshold": "3"}}"#, "whole number"),
        (r#"{"tool-loop": {"level": "loud"}}"#, "no level"),
        (r#"{"tool-loop": {"threshold": 3},}"#, "trailing comma"),
        (r#"{"tool-lop": {"threshold": 3}}"#, "did you mean `tool-loop`?"),
    ] {
        world.write(".agent-strace-lint.json", text);
        let answer = world.run(&["lint"]);
        refused(&answer);
        assert!(answer.stderr.contains(said), "{answer:?}");
        refused(&world.run(&["check", "--allow-no-policy"]));
    }
    refused(&world.run(&["lint", "--config", "nope.json"]));
}

#[test]
fn lint_level_case_is_no_way_out_of_strict() {
    let world = world(&ended(&[bash("echo a > b"), read("a"), read("a"), read("a")]));
    world.write(".agent-strace-lint.json", r#"{"redundant-read": {"level": "error"}}"#);
    let answer = world.run(&["lint"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stdout.contains("1 error(s)"), "{answer:?}");
}

#[test]
fn lint_all_abort_one_corrupt_session_takes_no_other_with_it() {
    let world = world(&ended(&[bash("echo a > b")]));
    world.session("c0ff33", 1_790_000_100, &ended(&[read("a"), read("a"), read("a"), bash("echo a > b")]));
    world.write(".agent-traces/bad000/meta.json", "{").write(".agent-traces/bad000/events.ndjson", "{\"event_type\"\n");
    let answer = world.run(&["lint", "--all", "--format", "json"]);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(answer.code, 3, "{answer:?}");
    assert!(told(&answer).contains(&"lint/redundant-read".to_owned()));
    assert!(!report["gaps"].as_array().unwrap().is_empty());
}

#[test]
fn lint_since_bad_is_a_usage_error() {
    let answer = world(&ended(&[read("a")])).run(&["lint", "--all", "--since", "yesterday"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{answer:?}");
}

#[test]
fn lint_json_is_one_object_for_one_session_and_for_several() {
    let world = world(&ended(&[read("a")]));
    world.session("c0ff33", 1_790_000_100, &ended(&[read("b")]));
    for args in [&["lint", "--format", "json"][..], &["lint", "--all", "--format", "json"]] {
        let report: Value = serde_json::from_str(&world.run(args).stdout).unwrap();
        assert!(report["findings"].is_array() && report["sessions"].is_array(), "{report}");
    }
}
