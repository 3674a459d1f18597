//! Sessions that evals judge, in one line each.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::world::{Answer, World};

pub(crate) type Events = Vec<(&'static str, Value)>;

/// Every call has an id of its own, which its result names.
static CALLS: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn called(tool: &str, arguments: &Value, is_error: bool) -> Events {
    let id = format!("call-{}", CALLS.fetch_add(1, Ordering::Relaxed));
    vec![
        ("tool_call", json!({"tool_name": tool, "tool_use_id": id, "arguments": arguments})),
        ("tool_result", json!({"tool_name": tool, "tool_use_id": id, "result": "said", "is_error": is_error})),
    ]
}

pub(crate) fn done(tool: &str, arguments: &Value) -> Events {
    called(tool, arguments, false)
}

pub(crate) fn ran(command: &str) -> Events {
    done("Bash", &json!({"command": command}))
}

pub(crate) fn read(path: &str) -> Events {
    done("Read", &json!({"file_path": path}))
}

pub(crate) fn write(path: &str) -> Events {
    done("Write", &json!({"file_path": path, "content": "x"}))
}

pub(crate) fn end() -> Events {
    vec![("session_end", json!({"exit_code": 0}))]
}

/// A call with what its host said of it.
pub(crate) fn answered(tool: &str, arguments: &Value, said: &str) -> Events {
    let mut events = done(tool, arguments);
    events[1].1["result"] = json!(said);
    events
}

/// One session by a configuration.
pub(crate) fn world(evals: &str, events: &[Events]) -> World {
    let world = World::empty();
    world.write(".agent-evals.yaml", evals).session("5e5510", 1_790_000_000, &events.concat());
    world
}

pub(crate) fn refused(answer: &Answer, wanted: &str) {
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{answer:?}");
    assert!(answer.stderr.lines().any(|line| line.starts_with("error: ")), "{answer:?}");
    assert!(answer.stderr.contains(wanted), "{answer:?}");
}
