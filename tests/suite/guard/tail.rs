//! `watch`.

use std::fs;

use serde_json::{Value, json};

use super::{agent, bash, end, is_gone, post_mortem, signal, start, started, state, wait_for, wait_for_line};
use crate::world::{World, project};

const RULES: &str = r#"[
  { "condition": "cost_usd", "threshold": 0.50, "action": "kill" },
  { "condition": "file_path", "glob": "**/production.env", "action": "kill" },
  { "condition": "files_modified", "threshold": 30, "action": "pause" }
]"#;

/// A session that has ended.
fn ended(world: &World) {
    let call =
        json!({"tool_name": "Bash", "arguments": {"command": "echo x > deploy/production.env"}, "tool_use_id": "t"});
    let result = json!({"tool_name": "Bash", "tool_use_id": "t", "result": "ok"});
    let events = [("tool_call", call), ("tool_result", result), ("session_end", json!({}))];
    world.session("abc123", 1_790_000_000, &events);
}

#[test]
fn what_was_recorded_before_counts() {
    let world = World::empty();
    ended(&world);
    world.write("rules.yaml", "- {condition: file_path, glob: '**/production.env', action: alert}\n");
    for session in [vec!["watch", "abc1"], vec!["watch"]] {
        let args: Vec<&str> = session.into_iter().chain(["--rules", "rules.yaml"]).collect();
        let answer = world.run(&args);
        assert_eq!(answer.code, 1, "{}", answer.stderr);
        assert!(answer.stderr.contains("was changed in event 1 (rules.yaml:1) [abc123]\n"), "{}", answer.stderr);
        assert!(answer.stderr.contains("the session has ended"), "{}", answer.stderr);
    }
    world.write("rules.yaml", "- {condition: file_path, glob: '**/other.env', action: alert}\n");
    assert_eq!(world.run(&["watch", "abc123", "--rules", "rules.yaml"]).code, 0);
    assert_eq!(world.run(&["watch", "nope"]).code, 2);
    assert_eq!(World::empty().run(&["watch"]).code, 3);
}

/// How long it took is recorded: it took three seconds.
#[test]
fn the_time_of_a_session_that_has_ended_is_the_recorded_one() {
    let world = World::empty();
    ended(&world);
    let run = |timeout: &str| world.run(&["watch", "--timeout", timeout, "abc123"]).code;
    assert_eq!((run("1s"), run("1h")), (1, 0));
}

#[test]
fn without_a_process_nothing_is_promised() {
    let world = World::empty();
    ended(&world);
    world.write(".watch-rules.json", RULES);
    for args in [
        vec!["watch", "--timeout", "30m", "--on-violation", "kill", "abc123"],
        vec!["watch", "--budget", "5.00", "--on-violation", "pause", "abc123"],
        vec!["watch", "--rules", ".watch-rules.json", "abc123"],
        vec!["watch", "--timeout", "30m", "--on-death", "true", "abc123"],
    ] {
        let answer = world.run(&args);
        assert_eq!(answer.code, 2, "{args:?}: {}", answer.stderr);
        assert!(answer.stderr.contains("guard -- CMD") && answer.stderr.contains("--pid"), "{}", answer.stderr);
    }
    let gone = world.run(&["watch", "--timeout", "30m", "--on-violation", "kill", "--pid", "4194303", "abc123"]);
    assert_eq!(gone.code, 2, "{}", gone.stderr);
    let dry = world.run(&["watch", "--rules", ".watch-rules.json", "--dry-run", "abc123"]);
    assert_eq!(dry.code, 1, "{}", dry.stderr);
    assert!(dry.stderr.contains("would kill the agent"), "{}", dry.stderr);
}

/// An agent that tells its hook what it does, and then hangs.
fn hanging(world: &World) -> std::process::Child {
    // A shell is nobody's agent: the program itself has a name of its own.
    world.write(
        "agent",
        &format!(
            "#!/bin/sh\n{}",
            agent("s-1", &[started(), bash("t1", "echo x > a")], "echo $$ > pid\nsleep 1000 & wait")
        ),
    );
    #[expect(clippy::disallowed_methods, reason = "an agent that somebody else started")]
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "chmod +x agent && exec ./agent"]).current_dir(world.path());
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin");
    command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null());
    let child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
    wait_for_line(world, "pid");
    child
}

/// Nothing of it is left behind by a test.
fn stop(child: &mut std::process::Child) {
    let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", child.id())).unwrap_or_default();
    child.kill().unwrap();
    child.wait().unwrap();
    children.split_whitespace().for_each(|pid| signal("KILL", pid));
}

#[cfg(target_os = "linux")]
#[test]
fn the_recorded_process_is_killed_with_what_it_started() {
    let world = World::empty();
    let mut child = hanging(&world);
    let pid = world.read("pid");
    let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", pid.trim())).unwrap();
    let answer =
        world.run(&["watch", "--timeout", "1s", "--on-violation", "kill", "--on-death", "cp {post_mortem_path} copy"]);
    assert_eq!(answer.code, 1, "{}", answer.stderr);
    // Its parent is this test.
    child.wait().unwrap();
    assert!(children.split_whitespace().all(is_gone), "{children}");
    let document = post_mortem(&world.path().join(".agent-traces/s-1/watchdog-postmortem.json"));
    assert_eq!(post_mortem(&world.path().join("copy")), document);
    assert_eq!(document["session_id"], "s-1");
}

/// What is recorded is all there will be: it is judged, and nobody is waited for.
#[cfg(target_os = "linux")]
#[test]
fn an_agent_that_was_gone_before_is_not_waited_for() {
    let world = World::empty();
    let mut child = hanging(&world);
    stop(&mut child);
    world.write("rules.yaml", "- {condition: file_path, glob: 'a', action: kill}\n");
    for (args, code) in [(&["--timeout", "1h"][..], 0), (&["--rules", "rules.yaml", "--dry-run"], 1)] {
        let args = [&["watch"], args].concat();
        assert_eq!(end(start(&world, &args)), Some(code), "{}", world.read("said"));
        assert!(world.read("said").contains("the agent is gone"), "{}", world.read("said"));
    }
    assert!(world.read("said").contains("would kill the agent"), "{}", world.read("said"));
}

/// Another process may have the number by now.
#[cfg(target_os = "linux")]
#[test]
fn a_number_that_was_used_again_is_not_hit() {
    let world = World::empty();
    let mut child = hanging(&world);
    let path = ".agent-traces/s-1/meta.json";
    let mut meta: Value = serde_json::from_str(&world.read(path)).unwrap();
    assert_eq!(meta["attribution"]["pid"], world.read("pid").trim());
    let started = meta["attribution"]["process_started"].as_str().unwrap().to_owned();
    for other in [format!("{started}1"), format!("x{started}")] {
        meta["attribution"]["process_started"] = other.into();
        world.write(path, &meta.to_string());
        let answer = world.run(&["watch", "--timeout", "1s", "--on-violation", "kill"]);
        assert_eq!(answer.code, 2, "{}", answer.stderr);
    }
    assert!(!is_gone(&world.read("pid")));
    stop(&mut child);
}

#[cfg(target_os = "linux")]
#[test]
fn the_pause_button_needs_nothing_but_a_watch() {
    let world = World::empty();
    let mut child = hanging(&world);
    let pid = world.read("pid");
    let watch = start(&world, &["watch"]);
    world.write(".agent-traces/.pause-request", "");
    wait_for("the pause", || state(&pid) == Some('T'));
    fs::remove_file(world.path().join(".agent-traces/.pause-request")).unwrap();
    wait_for("the end of the pause", || state(&pid) != Some('T'));
    signal("INT", &watch.id().to_string());
    assert_eq!(end(watch), Some(0), "{}", world.read("said"));
    assert!(!is_gone(&pid), "the agent goes on");
    stop(&mut child);
}

#[cfg(target_os = "linux")]
#[test]
fn it_ends_when_the_agent_is_gone() {
    let world = World::empty();
    let mut child = hanging(&world);
    let watch =
        start(&world, &["watch", "--timeout", "1h", "--on-violation", "kill", "--pid", world.read("pid").trim()]);
    wait_for("the watch", || world.read("said").contains("session s-1"));
    stop(&mut child);
    assert_eq!(end(watch), Some(0), "{}", world.read("said"));
    assert!(world.read("said").contains("the agent is gone"), "{}", world.read("said"));
}

#[test]
fn alerts_may_go_to_a_file() {
    let world = World::empty();
    ended(&world);
    let answer = world.run(&["watch", "--timeout", "1s", "--on-violation", "file", "abc123"]);
    assert_eq!(answer.code, 1, "{}", answer.stderr);
    assert!(!answer.stderr.contains("DurationWatcher"), "{}", answer.stderr);
    let log = world.read(".agent-traces/alerts.log");
    assert!(log.ends_with("Z  DurationWatcher: 1s elapsed\n"), "{log}");
}

/// Their file is read like every other: what is wrong with it is told.
#[test]
fn the_configuration_of_the_python_tool_is_taken() {
    let world = World::empty();
    ended(&world);
    world.write("watch.json", r#"{"watchers": {"duration": {"max_minutes": 0.02}}}"#);
    let answer = world.run(&["watch", "--config", "watch.json", "abc123"]);
    assert_eq!(answer.code, 1, "{}", answer.stderr);
    world.write("watch.json", r#"{"watchers": {"duraton": {"max_minutes": 0.02}}}"#);
    let answer = world.run(&["watch", "--config", "watch.json", "abc123"]);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
    assert!(answer.stderr.contains("did you mean `duration`?"), "{}", answer.stderr);
}

/// The rules that the README shows can be used as they stand.
#[test]
fn the_rules_of_the_readme_are_valid() {
    let text = fs::read_to_string(project().join("README.md")).unwrap();
    let start = "<!-- rules: read by tests/suite/guard/tail.rs -->\n```yaml\n";
    let (_, rest) = text.split_once(start).expect("a file of rules");
    let world = World::empty();
    ended(&world);
    world.write("rules.yaml", rest.split_once("```").unwrap().0);
    let answer = world.run(&["watch", "--rules", "rules.yaml", "--dry-run", "abc123"]);
    assert_eq!(answer.code, 1, "{}", answer.stderr);
}
