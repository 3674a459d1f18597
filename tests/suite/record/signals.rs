//! Signals reach the server, and the session is closed whatever ends it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Child;
use std::time::{Duration, Instant};

use super::{command, events};
use crate::guard::{PATIENCE, wait_for};
use crate::world::World;

/// Starts a server that says `ready`, sends a signal to the recorder, and waits: the exit code.
fn end_by(world: &World, signal: &str, script: &str) -> i32 {
    let args = ["record", "--quiet", "--", "sh", "-c", script];
    let mut child = command(world, &args).spawn().unwrap();
    // The client stays connected all the while.
    let _stdin = child.stdin.take();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    kill(signal, &child);
    let code = wait(&mut child).code().expect("ended by a signal");
    out.read_to_string(&mut line).unwrap();
    code
}

pub(super) fn kill(signal: &str, child: &Child) {
    #[expect(clippy::disallowed_methods, reason = "signals are sent by the program that people send them by")]
    let sent = std::process::Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

pub(super) fn wait(child: &mut Child) -> std::process::ExitStatus {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if began.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("it did not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn signals_are_handed_on_and_the_session_ends_properly() {
    let cases = [
        ("TERM", "exec sleep 60", 143),
        ("INT", "exec sleep 60", 130),
        ("HUP", "exec sleep 60", 129),
        // The server decides.
        ("TERM", "trap 'exit 9' TERM; while :; do sleep 0.05; done", 9),
    ];
    for (signal, script, wanted) in cases {
        let world = World::empty();
        let script = match script.strip_prefix("trap") {
            Some(rest) => {
                let (trap, rest) = rest.split_once(';').unwrap();
                format!("trap{trap}; echo ready;{rest}")
            }
            None => format!("echo ready; {script}"),
        };
        assert_eq!(end_by(&world, signal, &script), wanted, "{signal} {script}");
        let recorded = events(&world);
        let end = recorded.last().unwrap();
        assert_eq!(
            (end["event_type"].as_str(), end["data"]["exit_code"].as_i64()),
            (Some("session_end"), Some(wanted.into()))
        );
        assert_eq!(world.run(&["effects"]).code, 0);
    }
}

#[test]
fn a_recorder_that_is_killed_leaves_what_it_recorded() {
    let world = World::empty();
    let script = "read -r line; echo ready; cat >/dev/null";
    let args = ["record", "--quiet", "--name", "sh", "--", "sh", "-c", script];
    let mut child = command(&world, &args).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, super::call("1", "read_file", r#"{"path":"a"}"#).as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let path = super::folder(&world).join("events.ndjson");
    wait_for("the call in the store", || fs::read_to_string(&path).unwrap().contains("read_file"));
    child.kill().unwrap();
    child.wait().unwrap();
    let answer = world.run(&["effects"]);
    assert!(answer.stdout.contains("read_file of sh"), "{}", answer.stdout);
    // Nothing says that it ended.
    let answer = world.run(&["check", "--allow-no-policy"]);
    assert_eq!(answer.code, 3, "{}", answer.stdout);
    assert!(answer.stdout.contains("the recording has no end"), "{}", answer.stdout);
}
