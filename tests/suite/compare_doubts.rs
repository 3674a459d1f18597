//! Comparisons that said more than the logs tell.

use serde_json::{Value, json};

use crate::eval_world::{Events, called, end, ran, refused};
use crate::world::World;

/// A call of which no end is recorded.
fn silent(command: &str) -> Events {
    let id = format!("silent-{command}");
    vec![("tool_call", json!({"tool_name": "Bash", "tool_use_id": id, "arguments": {"command": command}}))]
}

fn failed(command: &str) -> Events {
    called("Bash", &json!({"command": command}), true)
}

fn spent() -> Events {
    let usage = json!({"input_tokens": 1_000, "output_tokens": 1});
    vec![("assistant_response", json!({"text": "x", "model": "claude-haiku-4-5", "usage": usage}))]
}

/// Calls without a result may have failed: they win nothing.
#[test]
fn a_session_without_results_had_no_fewer_errors() {
    let compared = |first: &[Events], second: &[Events]| {
        let world = World::empty();
        for (id, at, events) in [("aaaa", 1_790_000_000, first), ("bbbb", 1_790_001_000, second)] {
            world.session(id, at, &[events, &[spent(), end()]].concat().concat());
        }
        let gate = world.run(&["compare", "aaaa", "bbbb", "--fail-on-regression"]);
        (gate.code, gate.stdout)
    };
    let (code, text) = compared(&[failed("a"), ran("b")], &[silent("a"), silent("b"), ran("c")]);
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("errors are not compared: 2 calls have no recorded result"), "{text}");
    assert!(!text.contains("errors fewer") && !text.contains("error fewer"), "{text}");
    assert_eq!(compared(&[failed("a"), failed("b")], &[silent("a"), silent("b"), silent("c"), silent("d")]).0, 3);
    assert_eq!(compared(&[failed("a"), failed("b")], &[silent("a"), silent("c"), ran("b")]).0, 0);
    assert_eq!(compared(&[ran("a"), silent("b"), silent("c")], &[failed("a"), failed("b")]).0, 3);
    assert_eq!(
        compared(&[ran("a"), silent("b"), vec![("user_prompt", json!({"prompt": "x"}))]], &[failed("a"), failed("b")])
            .0,
        1
    );
    assert_eq!(compared(&[ran("a")], &[ran("a")]).0, 0);
}

/// Six sessions of a day each.
fn sessions(world: &World, prefix: &str, from: u32, events: &[Events]) {
    for at in 0..6 {
        world.session(&format!("{prefix}{at}"), from + at * 86_400, &[events, &[end()]].concat().concat());
    }
}

/// The rate of errors is that of calls whose end is known.
#[test]
fn calls_without_an_end_are_no_part_of_the_rate_of_errors() {
    let world = World::empty();
    sessions(&world, "aaa", 1_790_000_000, &[ran("a"), ran("b")]);
    sessions(&world, "bbb", 1_795_000_000, &[silent("a"), silent("b")]);
    let answer = world.run(&["drift", "--format", "json"]);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!((answer.code, &report["lost_dimensions"]), (3, &json!(["error_rate", "retry_rate"])), "{answer:?}");
    assert!(world.run(&["drift"]).stdout.contains("Told by one side only: error_rate, retry_rate"));
}

/// A dimension that is far away is named, however little it weighs.
#[test]
fn a_dimension_that_the_mean_hides_is_named() {
    let world = World::empty();
    sessions(&world, "aaa", 1_790_000_000, &[ran("a"), ran("b")]);
    sessions(&world, "bbb", 1_795_000_000, &[failed("a"), failed("b")]);
    let answer = world.run(&["drift", "--format", "json", "--threshold", "0.4"]);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!((answer.code, &report["high_dimensions"]), (0, &json!(["error_rate"])), "{answer:?}");
    assert!(world.run(&["drift", "--threshold", "0.4"]).stdout.contains("High by itself: error_rate 0."));
}

/// A fingerprint that counts no session has nothing to compare with.
#[test]
fn a_fingerprint_that_counts_nobody_is_refused() {
    let world = World::empty();
    sessions(&world, "aaa", 1_790_000_000, &[ran("a"), ran("b")]);
    assert_eq!(world.run(&["drift", "--save-baseline", "kept.json"]).code, 3, "three on either side");
    assert_eq!(world.run(&["drift", "--baseline", "kept.json"]).code, 0);
    let mut kept: Value = serde_json::from_str(&world.read("kept.json")).unwrap();
    for (_, summary) in kept["dimensions"].as_object_mut().unwrap() {
        summary["classes"] = json!([0, 0, 0, 0, 0, 0]);
    }
    world.write("kept.json", &kept.to_string());
    let wanted = "the classes of `blast_radius` do not count every session";
    refused(&world.run(&["drift", "--baseline", "kept.json"]), wanted);
}
