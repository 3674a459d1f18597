//! What happens to a store when hooks are many, are killed, or can't write.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::{SESSION, after, before, check, hook, lines, rows, start, step};
use crate::world::World;

const RECORDER: &str = ".agent-traces/5e551011-0000-4000-8000-000000000001/recorder.json";
const EVENTS: &str = ".agent-traces/5e551011-0000-4000-8000-000000000001/events.ndjson";

#[test]
fn fifty_hooks_at_once_lose_nothing() {
    let world = World::empty();
    world.write(".agent-scope.json", r#"{"commands": {"deny": ["rm"]}}"#);
    let input = |number: u32| json!({"command": format!("ls {number}")});
    let calls: Vec<_> = (0..50)
        .map(|number| {
            start(&world, &["hook", "pre-tool", "--enforce"], &before(&format!("t{number}"), "Bash", &input(number)))
        })
        .collect();
    for call in calls {
        let output = call.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let results: Vec<_> = (0..50)
        .map(|number| {
            start(&world, &["hook", "post-tool"], &after(&format!("t{number}"), "Bash", &input(number), &json!("ok")))
        })
        .collect();
    for result in results {
        assert!(result.wait_with_output().unwrap().status.success());
    }
    assert_eq!(lines(&world, "events.ndjson").len(), 101, "a start, 50 calls and 50 results");
    let decided: BTreeSet<String> =
        lines(&world, "decisions.ndjson").iter().map(|line| line["tool_use_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(decided.len(), 50);
    let report = check(&world, &["--allow-no-policy"]);
    assert_eq!(report["summary"]["tool_calls"], 50);
    assert_eq!(report["sessions"][0]["evidence"]["chain"], "intact", "{}", report["sessions"][0]);
    assert_eq!(report["verdict"], "pass", "{report}");
}

/// Whenever a hook is killed: what others wrote is there, and what comes after is recorded.
#[test]
fn a_hook_that_is_killed_leaves_a_store_that_can_be_read() {
    let world = World::empty();
    world.write(".agent-scope.json", r#"{"commands": {"deny": ["rm"]}}"#);
    let mut written = 0;
    for number in 0..40_u64 {
        let input = json!({"command": format!("ls {}", "x".repeat(20_000))});
        // Who judges notes what it recorded only when it is done.
        let options: &[&str] = if number % 2 == 0 { &[] } else { &["--enforce"] };
        let args = [&["hook", "pre-tool"], options].concat();
        let mut child = start(&world, &args, &before(&format!("k{number}"), "Bash", &input));
        std::thread::sleep(Duration::from_micros(number * 800));
        let _ = child.kill();
        let _ = child.wait();
        let answer = hook(&world, &["pre-tool"], &before(&format!("t{number}"), "Bash", &json!({"command": "ls"})));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        written += 1;
    }
    let ids: Vec<String> = fs::read_to_string(world.path().join(EVENTS))
        .unwrap()
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|line| Some(line["data"]["tool_use_id"].as_str()?.to_owned()))
        .collect();
    let survivors = ids.iter().filter(|id| id.starts_with('t')).count();
    assert_eq!(survivors, written, "every hook that was not killed is recorded");
    let report = check(&world, &[]);
    assert_ne!(report["sessions"][0]["evidence"]["chain"], "broken", "{}", report["sessions"][0]);
}

/// A record cut at any byte is a gap, and the next one is whole.
#[test]
fn a_line_that_was_cut_off_is_told() {
    let world = World::empty();
    world.write(".agent-scope.json", r#"{"commands": {"deny": ["rm"]}}"#);
    let call = |id: &str| before(id, "Bash", &json!({"command": "ls"}));
    let _ = hook(&world, &["pre-tool"], &call("t1"));
    let (whole, recorder) = (world.read(EVENTS), world.read(RECORDER));
    let first = whole.find('\n').unwrap() + 1;
    for cut in [first + 1, first + 40, whole.len() - 2, whole.len() - 1] {
        world.write(EVENTS, &whole[..cut]).write(RECORDER, &recorder);
        let answer = hook(&world, &["pre-tool"], &call("t2"));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let text = world.read(EVENTS);
        let is_damaged = cut < whole.len() - 1;
        assert_eq!(text.lines().count(), if is_damaged { 4 } else { 3 }, "{cut}: {text}");
        for id in ["t1", "t2"] {
            let _ = hook(&world, &["post-tool"], &after(id, "Bash", &json!({"command": "ls"}), &json!("ok")));
        }
        let report = check(&world, &[]);
        assert_eq!(!rows(&report, "gaps").is_empty(), is_damaged, "{cut}: {report}");
        assert_ne!(report["sessions"][0]["evidence"]["chain"], "broken", "{cut}: {}", report["sessions"][0]);
    }
}

#[test]
fn an_end_that_is_missing_is_told() {
    let world = World::empty();
    world.write(".agent-scope.json", r#"{"commands": {"deny": ["rm"]}}"#);
    for id in ["t1", "t2", "t3"] {
        let _ = hook(&world, &["pre-tool"], &before(id, "Bash", &json!({"command": "ls"})));
    }
    let whole = world.read(EVENTS);
    let lines: Vec<&str> = whole.lines().collect();
    world.write(EVENTS, &(lines[..3].join("\n") + "\n"));
    let report = check(&world, &[]);
    assert_eq!(report["verdict"], "incomplete");
    assert!(report["gaps"].to_string().contains("4 events were recorded, 3 are there"), "{}", report["gaps"]);
    // Another end: the digest of the last one is not what the recorder saw.
    let other = lines[3].replace("\"ls\"", "\"ls -l\"");
    world.write(EVENTS, &([&lines[..3], &[other.as_str()]].concat().join("\n") + "\n"));
    assert_eq!(check(&world, &[])["sessions"][0]["evidence"]["chain"], "broken");
}

/// A recording that is whole is whole for who reads it on its way, too.
#[test]
fn what_is_exported_is_as_whole_as_the_recording() {
    let world = World::empty();
    let _ = hook(&world, &["pre-tool"], &before("t1", "Bash", &json!({"command": "ls"})));
    let _ = hook(&world, &["post-tool"], &after("t1", "Bash", &json!({"command": "ls"}), &json!("ok")));
    let answer = world.run(&["export", "--format", "otlp"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    assert!(!answer.stdout.contains("recorder.json"), "{}", answer.stdout);
}

/// Whoever records next writes down what is lost, and does not make it whole by going on.
#[test]
fn what_was_lost_stays_told_when_the_session_goes_on() {
    type Harm = fn(&World, &[&str]);
    let harms: [(&str, Harm); 6] = [
        ("4 events had been recorded, and 2 were there", |world, lines| {
            world.write(EVENTS, &(lines[..2].join("\n") + "\n"));
        }),
        ("4 events had been recorded, and 0 were there", |world, _| {
            world.write(EVENTS, "");
        }),
        ("4 events had been recorded, and 0 were there", |world, _| {
            fs::remove_file(world.path().join(EVENTS)).unwrap();
        }),
        ("event 4 is not the one that had been recorded", |world, lines| {
            let other = lines[3].replace("\"ls t3\"", "\"ls t3 -l\"");
            world.write(EVENTS, &([&lines[..3], &[other.as_str()]].concat().join("\n") + "\n"));
        }),
        ("how far the recording had got is not known", |world, lines| {
            world.write(EVENTS, &(lines[..2].join("\n") + "\n"));
            fs::remove_file(world.path().join(RECORDER)).unwrap();
        }),
        ("how far the recording had got is not known", |world, lines| {
            world.write(EVENTS, &(lines[..2].join("\n") + "\n")).write(RECORDER, "{}");
        }),
    ];
    for (told, harm) in harms {
        let world = World::empty();
        world.write(".agent-scope.json", r#"{"commands": {"deny": ["rm"]}}"#);
        let call = |id: &str| before(id, "Bash", &json!({"command": format!("ls {id}")}));
        for id in ["t1", "t2", "t3"] {
            let _ = hook(&world, &["pre-tool"], &call(id));
        }
        // The calls have not ended yet.
        let report = check(&world, &[]);
        assert_eq!(rows(&report, "gaps").len(), 1, "{report}");
        let text = world.read(EVENTS);
        harm(&world, &text.lines().collect::<Vec<_>>());
        assert_ne!(check(&world, &[])["verdict"], "pass", "{told}");
        for id in ["t4", "t5"] {
            assert_eq!(hook(&world, &["pre-tool"], &call(id)).code, 0);
        }
        let report = check(&world, &[]);
        assert_eq!(report["verdict"], "incomplete", "{told}");
        assert!(report["gaps"].to_string().contains(told), "{told}: {}", report["gaps"]);
        let gaps = world.read(EVENTS).matches("is not recorded").count();
        assert_eq!(gaps, 1, "it is written down once");
        assert!(world.read(EVENTS).contains("\"ls t5\""), "the session goes on");
    }
}

/// Files can't grow (`ulimit -f`), as on a disk that is full.
#[test]
fn a_full_disk_is_told_in_one_line_and_stops_nobody() {
    let world = World::empty();
    world.write(".agent-scope.json", r#"{"commands": {"deny": ["rm"]}}"#);
    let _ = hook(&world, &["session-start"], &step("SessionStart", &json!({"source": "startup"})));
    let before_it = world.read(EVENTS);
    let payload = before("t1", "Bash", &json!({"command": format!("ls {}", "x".repeat(2_000))}));
    for (options, code, denies) in [("", 1, false), ("--enforce", 1, false), ("--enforce --fail-closed", 0, true)] {
        let script = format!("trap '' XFSZ; ulimit -f 1; exec \"$0\" hook pre-tool {options}");
        let (status, stdout, stderr) = script_with(&world, &script, &payload);
        assert_eq!(status, code, "{options}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{options}: {stderr}");
        assert!(stderr.contains("not recorded") && stderr.contains("events.ndjson"), "{stderr}");
        assert_eq!(stdout.contains("\"deny\""), denies, "{options}: {stdout}");
        assert_eq!(world.read(EVENTS), before_it, "half of an event is none");
    }
}

#[test]
fn a_store_that_cannot_be_written_is_told_in_one_line_and_stops_nobody() {
    let world = World::empty();
    world.write(".agent-scope.json", r#"{"commands": {"deny": ["rm"]}}"#);
    // Whoever may write anywhere can't write through what is no folder.
    world.write(".agent-traces", "");
    let payload = before("t1", "Bash", &json!({"command": "ls"}));
    for (args, code, denies) in [
        (&["pre-tool"][..], 1, false),
        (&["pre-tool", "--enforce"], 1, false),
        (&["pre-tool", "--enforce", "--fail-closed"], 0, true),
        (&["post-tool"], 1, false),
    ] {
        let answer = hook(&world, args, &payload);
        assert_eq!((answer.code, answer.stderr.lines().count()), (code, 1), "{args:?}: {}", answer.stderr);
        assert_eq!(answer.stdout.contains("\"deny\""), denies, "{args:?}");
    }
}

/// Copilot denies a call whose hook ends with any other exit code than 0.
#[test]
fn a_recording_that_fails_does_not_stop_copilot() {
    let world = World::empty();
    world.write(".agent-scope.json", r#"{"commands": {"deny": ["rm"]}}"#).write(".agent-traces", "");
    let payload = json!({
        "sessionId": SESSION, "timestamp": 1_790_000_000_000_u64, "cwd": "/repo", "toolName": "bash",
        "toolArgs": json!({"command": "ls"}).to_string(),
    });
    for (options, denies) in [(&[][..], false), (&["--enforce"], false), (&["--enforce", "--fail-closed"], true)] {
        let args = [&["pre-tool", "--agent", "copilot-cli"], options].concat();
        let answer = hook(&world, &args, &payload.to_string());
        assert_eq!((answer.code, answer.stderr.lines().count()), (0, 1), "{options:?}: {}", answer.stderr);
        assert_eq!(answer.stdout.contains("\"deny\""), denies, "{options:?}: {}", answer.stdout);
    }
}

/// Nothing is ever written through a link out of the store.
#[cfg(unix)]
#[test]
fn links_in_the_store_are_not_followed() {
    let outside = World::empty();
    outside.write("events.ndjson", "");
    let world = World::empty();
    fs::create_dir_all(world.path().join(".agent-traces")).unwrap();
    std::os::unix::fs::symlink(outside.path(), world.path().join(format!(".agent-traces/{SESSION}"))).unwrap();
    let answer = hook(&world, &["pre-tool"], &before("t1", "Bash", &json!({"command": "ls"})));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert_eq!(outside.read("events.ndjson"), "");
    assert!(world.path().join(format!(".agent-traces/{SESSION}.2/events.ndjson")).is_file());
}

fn script_with(world: &World, script: &str, payload: &str) -> (i32, String, String) {
    #[expect(clippy::disallowed_methods, reason = "a shell limits what the program may write")]
    let mut child = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_agent-strace")])
        .current_dir(world.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(payload.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}
