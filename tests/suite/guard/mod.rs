//! `guard` and `watch` with real processes: what hangs, what ignores signals, what leaves its group, what breaks a rule.
//!
//! Tests wait for events and never measure how soon they come: machines are slow. After [`PATIENCE`] they report a hang.

mod ends;
mod rules;
mod sending;
mod tail;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::schemas;
use crate::world::World;

/// The time after which a test reports a hang.
pub(crate) const PATIENCE: Duration = Duration::from_mins(10);

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_agent-strace");

/// Waits until something is true.
pub(crate) fn wait_for(what: &str, is_true: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_true() {
        assert!(began.elapsed() < PATIENCE, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until the command of a test has written a whole line to a file. A shell makes the file before it writes the line.
pub(crate) fn wait_for_line(world: &World, file: &str) {
    let path = world.path().join(file);
    wait_for(file, || fs::read_to_string(&path).is_ok_and(|text| text.ends_with('\n')));
}

/// A shell script that says these steps to `hook`, and goes on.
pub(crate) fn agent(session: &str, steps: &[Value], then: &str) -> String {
    let mut script = String::new();
    for step in steps {
        let mut payload = json!({"session_id": session, "cwd": "/repo"});
        payload.as_object_mut().unwrap().extend(step.as_object().unwrap().clone());
        let name = match payload["hook_event_name"].as_str().unwrap() {
            "SessionStart" => "session-start",
            "UserPromptSubmit" => "user-prompt",
            "PreToolUse" => "pre-tool",
            "SessionEnd" => "session-end",
            other => panic!("{other}"),
        };
        writeln!(script, "cat <<'END' | '{PROGRAM}' hook {name} || exit 99\n{payload}\nEND").unwrap();
    }
    script + then + "\n"
}

pub(crate) fn started() -> Value {
    json!({"hook_event_name": "SessionStart", "source": "startup"})
}

pub(crate) fn bash(id: &str, command: &str) -> Value {
    json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": command}})
}

/// The program at work, in the background. What it says goes to the file `said`.
pub(crate) fn start(world: &World, args: &[&str]) -> Child {
    #[expect(clippy::disallowed_methods, reason = "the suite runs the program itself")]
    let mut command = Command::new(PROGRAM);
    command.args(args).current_dir(world.path()).env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin");
    let said = fs::File::create(world.path().join("said")).unwrap();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said).spawn().unwrap()
}

/// The exit code of a program that has to end by itself.
pub(crate) fn end(mut child: Child) -> Option<i32> {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if began.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            panic!("it did not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn signal(signal: &str, to: &str) {
    #[expect(clippy::disallowed_methods, reason = "signals are sent as users send them")]
    let status = Command::new("sh").args(["-c", &format!("kill -{signal} {to}")]).status().unwrap();
    assert!(status.success(), "{signal} {to}");
}

/// The state of a process (`R`, `S`, `T`, `Z`), as the system tells it.
pub(crate) fn state(pid: &str) -> Option<char> {
    let text = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).ok()?;
    text.rsplit_once(')')?.1.trim_start().chars().next()
}

pub(crate) fn is_gone(pid: &str) -> bool {
    matches!(state(pid), None | Some('Z' | 'X'))
}

pub(crate) fn post_mortem(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let document: Value = serde_json::from_str(&text).unwrap();
    let validator = schemas::validator("watchdog-postmortem.v1");
    assert_eq!(schemas::faults(&validator, &document), Vec::<String>::new(), "{text}");
    document
}
