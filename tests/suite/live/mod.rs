//! The live gate: what agents' hooks record and are answered, through the program as agents run it.

mod agents;
mod answers;
mod cases;
mod commits;
mod faults;
mod folders;
mod own_log;
mod own_places;
mod setup;
mod setup_active;
mod terminals;
mod unhooked_calls;
mod usage;

use std::fs;
use std::io::Write as _;
use std::process::Child;

use serde_json::{Value, json};

use crate::world::{Answer, World};

/// The session that the helpers here speak of.
pub(crate) const SESSION: &str = "5e551011-0000-4000-8000-000000000001";

/// A step of Claude Code.
pub(crate) fn step(event: &str, more: &Value) -> String {
    let mut payload = json!({"session_id": SESSION, "cwd": "/repo", "hook_event_name": event});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    payload.to_string()
}

/// A call that is about to run.
pub(crate) fn before(id: &str, tool: &str, input: &Value) -> String {
    step("PreToolUse", &json!({"tool_name": tool, "tool_input": input, "tool_use_id": id}))
}

pub(crate) fn after(id: &str, tool: &str, input: &Value, response: &Value) -> String {
    let more = json!({"tool_name": tool, "tool_input": input, "tool_use_id": id, "tool_response": response});
    step("PostToolUse", &more)
}

pub(crate) fn hook(world: &World, args: &[&str], payload: &str) -> Answer {
    let args: Vec<&str> = ["hook"].iter().chain(args).copied().collect();
    world.run_with(&args, &[], payload)
}

/// The program at work; what it says is read by whoever waits.
fn start(world: &World, args: &[&str], payload: &str) -> Child {
    let mut child = world.start(".", args, &[]);
    let _ = child.stdin.take().unwrap().write_all(payload.as_bytes());
    child
}

/// The lines of a file of the session.
pub(crate) fn lines(world: &World, file: &str) -> Vec<Value> {
    let path = world.path().join(format!(".agent-traces/{SESSION}/{file}"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What `check` says, as JSON.
pub(crate) fn check(world: &World, args: &[&str]) -> Value {
    let args: Vec<&str> = ["check", "--format", "json"].iter().chain(args).copied().collect();
    let answer = world.run(&args);
    serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.stderr))
}

pub(crate) fn rows<'v>(report: &'v Value, list: &str) -> &'v Vec<Value> {
    report[list].as_array().unwrap_or_else(|| panic!("no `{list}`: {report}"))
}
