//! `drift` and `compare` on sessions that are made to differ.

use serde_json::{Value, json};

use crate::world::World;

const DAY: u32 = 86_400;
/// 2026-09-21.
const START: u32 = 1_790_000_000;

/// So many sessions, one a day: reads that go well, or commands that fail.
fn sessions(world: &World, name: &str, first_day: u32, count: u32, tool: &str) {
    for at in 0..count {
        let fails = tool == "Bash";
        let mut events = Vec::new();
        for call in 0..4 {
            let id = format!("{name}-{at}-{call}");
            let input = if fails {
                json!({"command": format!("false {call}")})
            } else {
                json!({"file_path": format!("{call}")})
            };
            events.push(("tool_call", json!({"tool_name": tool, "tool_use_id": id, "arguments": input})));
            events
                .push(("tool_result", json!({"tool_name": tool, "tool_use_id": id, "result": "x", "is_error": fails})));
        }
        events.push(("session_end", json!({"exit_code": 0})));
        world.session(&format!("{name}{at}"), START + DAY * (first_day + at), &events);
    }
}

fn drift(world: &World, args: &[&str]) -> (Value, i32) {
    let answer = world.run(&[&["drift", "--format", "json"], args].concat());
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    assert_eq!(report["exit_code"], answer.code);
    (report, answer.code)
}

#[test]
fn sessions_that_behave_alike_do_not_drift_and_others_do() {
    let world = World::empty();
    sessions(&world, "a", 0, 6, "Read");
    let (few, code) = drift(&world, &[]);
    assert_eq!((code, &few["overall_score"], &few["label"]), (3, &Value::Null, &json!("insufficient evidence")));
    sessions(&world, "b", 10, 6, "Read");
    let (same, code) = drift(&world, &[]);
    assert_eq!((code, &same["overall_score"], &same["baseline_sessions"]), (0, &json!(0.0), &json!(6)));
    sessions(&world, "c", 20, 12, "Bash");
    let (other, code) = drift(&world, &[]);
    assert_eq!((code, &other["exceeded"], &other["label"]), (1, &json!(true), &json!("high")), "{other}");
    let dimension = |name: &str| {
        let all = other["dimensions"].as_array().unwrap();
        all.iter().find(|dimension| dimension["name"] == name).unwrap()["score"].as_f64().unwrap()
    };
    assert!(dimension("tool_mix") > 0.99 && dimension("error_rate") > 0.2, "{other}");
    assert!(dimension("decision_depth") < 0.01, "{other}");
    // Who sees nothing wrong in that says so.
    assert_eq!(drift(&world, &["--threshold", "1"]).1, 0);
}

/// Row drift-doc: saving a baseline does not keep the command from judging.
#[test]
fn drift_doc() {
    let world = World::empty();
    sessions(&world, "a", 0, 6, "Read");
    sessions(&world, "b", 10, 6, "Bash");
    assert_eq!(drift(&world, &["--save-baseline", "b.json"]).1, 1);
    let saved: Value = serde_json::from_str(&world.read("b.json")).unwrap();
    assert_eq!((&saved["sessions"], world.read("b.json").len() < 2048), (&json!(12), true));
    // With a baseline all sessions are of now, not half of them.
    let (now, code) = drift(&world, &["--baseline", "b.json"]);
    assert_eq!((code, &now["current_sessions"], &now["overall_score"]), (0, &json!(12), &json!(0.0)));
}

#[test]
fn ranges_are_days_and_nothing_is_compared_with_itself() {
    let world = World::empty();
    sessions(&world, "a", 0, 6, "Read");
    sessions(&world, "b", 10, 6, "Bash");
    let before = ["--baseline-range", "2026-09-21:2026-09-26"];
    let (report, code) = drift(&world, &before);
    assert_eq!((code, &report["baseline_sessions"], &report["current_sessions"]), (1, &json!(6), &json!(6)));
    let (report, code) = drift(&world, &["--current", "2026-10-01:2026-10-31"]);
    assert_eq!((code, &report["baseline_sessions"], &report["current_sessions"]), (1, &json!(6), &json!(6)));
    let (report, code) = drift(&world, &["--current", "2026-10-01:2026-10-03"]);
    assert_eq!((code, &report["current_sessions"]), (3, &json!(3)));
    for range in ["2026-10-01", "2026-10-02:2026-10-01", "x:y"] {
        assert_eq!(world.run(&["drift", "--current", range]).code, 2, "{range}");
    }
}

/// A session without times is of now or of before: nobody knows, and nobody guesses.
#[test]
fn a_session_without_times_is_missing_evidence() {
    let world = World::empty();
    sessions(&world, "a", 0, 12, "Read");
    world.write(
        "log.jsonl",
        "{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n",
    );
    assert_eq!(drift(&world, &[]).1, 0);
    assert_eq!(world.run(&["import", "log.jsonl"]).code, 0);
    let (report, code) = drift(&world, &[]);
    let gaps = report["gaps"].as_array().unwrap();
    assert_eq!((code, gaps.len()), (3, 1), "{report}");
    let text = world.run(&["drift"]).stdout;
    assert!(
        text.ends_with("threshold 0.2, and some of the evidence is missing\n") && text.contains("INCOMPLETE: drift"),
        "{text}"
    );
}

#[test]
fn the_later_session_is_worse_and_ci_hears_of_it() {
    let world = World::empty();
    sessions(&world, "good", 0, 1, "Read");
    sessions(&world, "bad", 1, 1, "Bash");
    let answer = world.run(&["compare", "--fail-on-regression"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stdout.contains("Verdict: good0 was 4 errors fewer"), "{answer:?}");
    assert_eq!(world.run(&["compare", "bad0", "good0", "--fail-on-regression"]).code, 0);
    let several = world.run(&["compare", "--last", "3"]);
    assert_eq!(several.code, 2, "{several:?}");
    sessions(&world, "more", 2, 1, "Read");
    let json = world.run(&["compare", "--last", "3", "--format", "json"]);
    assert_eq!(serde_json::from_str::<Value>(&json.stdout).unwrap().as_array().unwrap().len(), 2);
}
