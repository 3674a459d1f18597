//! `record` and `record-http`: bytes pass as they are, and what was said is in the store.

mod bytes;
mod enforce;
mod events;
mod http;
mod http_world;
mod signals;

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;

use serde_json::Value;

use crate::world::World;

/// What came of a run.
struct Ran {
    stdout: Vec<u8>,
    stderr: String,
    status: ExitStatus,
}

impl Ran {
    fn code(&self) -> i32 {
        self.status.code().expect("ended by a signal")
    }

    fn lines(&self) -> Vec<Value> {
        let text = std::str::from_utf8(&self.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
    }
}

fn command(world: &World, args: &[&str]) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the suite runs the program itself")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_agent-strace"));
    command.args(args).current_dir(world.path()).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// `agent-strace record OPTIONS -- sh -c SCRIPT`, which is given these chunks and then nothing more.
fn record(world: &World, options: &[&str], script: &str, chunks: &[&[u8]]) -> Ran {
    let mut args = vec!["record"];
    args.extend(options);
    args.extend(["--", "sh", "-c", script]);
    talk(command(world, &args).spawn().unwrap(), chunks)
}

/// Gives chunks to a program and waits for what comes of it.
fn talk(mut child: Child, chunks: &[&[u8]]) -> Ran {
    let mut stdin = child.stdin.take().unwrap();
    let chunks: Vec<Vec<u8>> = chunks.iter().map(|chunk| chunk.to_vec()).collect();
    let writing = thread::spawn(move || {
        for chunk in chunks {
            // A server that does not read its input closes it; that is its right.
            if stdin.write_all(&chunk).is_err() {
                return;
            }
        }
    });
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let errors = thread::spawn(move || {
        let mut stderr = String::new();
        err.read_to_string(&mut stderr).unwrap();
        stderr
    });
    let mut stdout = Vec::new();
    out.read_to_end(&mut stdout).unwrap();
    writing.join().unwrap();
    Ran { stdout, stderr: errors.join().unwrap(), status: child.wait().unwrap() }
}

/// The one session of the store, event by event.
fn events(world: &World) -> Vec<Value> {
    let text = fs::read_to_string(folder(world).join("events.ndjson")).unwrap();
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let validator = crate::schemas::validator("store-event");
    for event in &events {
        assert_eq!(crate::schemas::faults(&validator, event), Vec::<String>::new(), "{event}");
    }
    events
}

fn folder(world: &World) -> std::path::PathBuf {
    let folders: Vec<_> =
        fs::read_dir(world.path().join(".agent-traces")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let folders: Vec<_> = folders.into_iter().filter(|path| path.is_dir()).collect();
    assert_eq!(folders.len(), 1, "{folders:?}");
    folders.into_iter().next().unwrap()
}

/// Everything in the store, as one text.
fn stored(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            text += &stored(&path);
        } else {
            text += &String::from_utf8_lossy(&fs::read(path).unwrap());
        }
    }
    text
}

/// A server that answers each line with the next line of a file; `-` is no answer.
fn answering(world: &World, answers: &[&str]) -> String {
    world.write("answers", &(answers.join("\n") + "\n"));
    "exec 3<answers; while read -r line; do printf '%s\\n' \"$line\" >>seen; \
     if read -r answer <&3 && [ \"$answer\" != - ]; then printf '%s\\n' \"$answer\"; fi; done"
        .to_owned()
}

/// What reached the server.
fn seen(world: &World) -> String {
    fs::read_to_string(world.path().join("seen")).unwrap_or_default()
}

fn call(id: &str, tool: &str, arguments: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\",\"arguments\":{arguments}}}}}\n"
    )
}

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["event_type"].as_str().unwrap()).collect()
}
