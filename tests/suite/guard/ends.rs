//! How what `guard` runs ends.

use std::time::Instant;

use serde_json::Value;

use super::{end, is_gone, post_mortem, signal, start, wait_for_line};
use crate::world::{World, skipped, there};

#[test]
fn what_hangs_and_says_nothing_is_killed_in_time() {
    let world = World::empty();
    let began = Instant::now();
    let answer = world.run(&["guard", "--timeout", "2s", "--", "sleep", "1000"]);
    let took = began.elapsed().as_secs_f64();
    assert_eq!(answer.code, 124, "{}", answer.stderr);
    assert!(took >= 2.0, "{took}");
    let document = post_mortem(&world.path().join(".agent-traces/watchdog-postmortem.json"));
    let elapsed = document["elapsed_seconds"].as_f64().unwrap();
    assert!((2.0..=took).contains(&elapsed), "{document}");
    assert_eq!(document["reason"], "DurationWatcher: 2s elapsed");
    for unknown in ["session_id", "cost_at_death", "last_tool_call", "last_llm_response"] {
        assert_eq!(document[unknown], Value::Null, "{unknown}");
    }
}

#[test]
fn what_ignores_the_first_signal_is_killed_by_the_second() {
    let world = World::empty();
    let script = "trap '' TERM HUP INT; echo $$ > pid; while :; do sleep 0.1; done";
    let began = Instant::now();
    let answer = world.run(&["guard", "--timeout", "5s", "--grace", "1s", "--", "sh", "-c", script]);
    assert_eq!(answer.code, 124, "{}", answer.stderr);
    assert!(began.elapsed().as_secs_f64() >= 6.0, "it had a second to end by itself");
    assert!(is_gone(&world.read("pid")), "{}", answer.stderr);
}

#[test]
fn one_that_ends_by_itself_has_the_time_for_it() {
    let world = World::empty();
    let script = "trap 'echo saved > saved; exit 0' TERM; while :; do sleep 0.1; done";
    let answer = world.run(&["guard", "--timeout", "5s", "--grace", "30s", "--", "sh", "-c", script]);
    assert_eq!((answer.code, world.read("saved").as_str()), (124, "saved\n"), "{}", answer.stderr);
}

#[test]
fn nothing_that_it_started_is_left() {
    let world = World::empty();
    let script =
        "(trap '' TERM; sleep 1000 & echo $! > a; (sleep 1000 & echo $! > b); wait) & sleep 1000 & echo $! > c; wait";
    let answer = world.run(&["guard", "--timeout", "5s", "--grace", "1s", "--", "sh", "-c", script]);
    assert_eq!(answer.code, 124, "{}", answer.stderr);
    for file in ["a", "b", "c"] {
        assert!(is_gone(&world.read(file)), "{file}: {}", answer.stderr);
    }
}

/// A daemon is in a group and a session of its own, and its parent is gone.
#[cfg(target_os = "linux")]
#[test]
fn what_left_the_group_is_not_left_either() {
    if !there("setsid") {
        return skipped("daemons of guarded agents: there is no `setsid`");
    }
    let world = World::empty();
    let script = "(setsid sh -c 'echo $$ > daemon; trap \"\" TERM; while :; do sleep 0.1; done' &); sleep 1000";
    let answer = world.run(&["guard", "--timeout", "5s", "--grace", "1s", "--", "sh", "-c", script]);
    assert_eq!(answer.code, 124, "{}", answer.stderr);
    assert!(is_gone(&world.read("daemon")), "{}", answer.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn what_goes_on_after_a_good_end_is_told() {
    let world = World::empty();
    let answer = world.run(&["guard", "--", "sh", "-c", "sleep 1000 >&- 2>&- & echo $! > pid"]);
    let pid = world.read("pid");
    signal("KILL", pid.trim());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stderr.contains(&format!("goes on unwatched: {} (", pid.trim())), "{}", answer.stderr);
}

#[test]
fn the_exit_code_is_that_of_the_command() {
    let world = World::empty();
    world.write("plain", "no program");
    for (command, code) in [
        (vec!["sh", "-c", "exit 0"], 0),
        (vec!["sh", "-c", "exit 7"], 7),
        (vec!["sh", "-c", "kill -9 $$"], 137),
        (vec!["sh", "-c", "kill -TERM $$"], 143),
        (vec!["./absent"], 127),
        (vec!["./plain"], 126),
    ] {
        let args: Vec<&str> = ["guard", "--timeout", "1h", "--"].into_iter().chain(command).collect();
        let answer = world.run(&args);
        assert_eq!(answer.code, code, "{args:?}: {}", answer.stderr);
    }
}

#[test]
fn arguments_and_output_are_the_commands_own() {
    let world = World::empty();
    let answer = world.run(&["guard", "--", "printf", "%s|", "--timeout", "a b", "$HOME", "-x"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, "--timeout|a b|$HOME|-x|"), "{}", answer.stderr);
}

#[test]
fn signals_are_handed_on() {
    for (name, code) in [("TERM", 3), ("INT", 4), ("HUP", 5)] {
        let world = World::empty();
        let script =
            "trap 'exit 3' TERM; trap 'exit 4' INT; trap 'exit 5' HUP; echo > ready; while :; do sleep 0.1; done";
        let guard = start(&world, &["guard", "--grace", "30s", "--", "sh", "-c", script]);
        wait_for_line(&world, "ready");
        signal(name, &guard.id().to_string());
        assert_eq!(end(guard), Some(code), "{name}: {}", world.read("said"));
    }
}

/// Who ends `guard` ends what it runs, which has no say in it.
#[test]
fn it_does_not_outlive_the_guard() {
    let world = World::empty();
    let script = "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done";
    let guard = start(&world, &["guard", "--grace", "1s", "--", "sh", "-c", script]);
    wait_for_line(&world, "pid");
    signal("TERM", &guard.id().to_string());
    assert_eq!(end(guard), Some(137), "{}", world.read("said"));
    assert!(is_gone(&world.read("pid")));
}

#[test]
fn bad_usage_runs_nothing() {
    let world = World::empty();
    for args in [
        vec!["--timeout", "5x"],
        vec!["--timeout", "0s"],
        vec!["--budget", "much"],
        vec!["--max-context-pct", "0"],
        vec!["--on-violation", "explode"],
        vec!["--rules", "absent.json"],
        vec!["--policy", "absent.json"],
    ] {
        let args: Vec<&str> = ["guard"].into_iter().chain(args).chain(["--", "touch", "ran"]).collect();
        let answer = world.run(&args);
        assert_eq!(answer.code, 2, "{args:?}: {}", answer.stderr);
        assert!(!world.path().join("ran").exists(), "{args:?}");
    }
    assert_eq!(world.run(&["guard"]).code, 2);
}
