//! `export` in the language of OpenTelemetry, to a server that takes nothing but what the protocol allows.

mod langfuse;
mod metrics;
mod sending;
mod server;
mod traces;

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::world::World;

/// A session with all that a trace has words for: a call that failed, one that was refused, one without an end, a
/// sub-agent, requests to the model, a decision.
pub(super) fn session() -> World {
    let world = World::empty();
    let meta = json!({
        "session_id": "0a11ce0a11ce0a11", "started_at": 1_790_000_000.0, "agent_name": "claude-code",
        "attribution": {"working_dir": "/home/dana/rates", "git_branch": "add-rates"},
    });
    world.write(".agent-traces/0a11ce0a11ce0a11/meta.json", &meta.to_string());
    world.write(".agent-traces/0a11ce0a11ce0a11/events.ndjson", &(events().join("\n") + "\n"));
    world
}

/// A line of the store. A time has more digits than a floating-point number keeps.
fn event(id: &str, time: &str, kind: &str, parent: Option<&str>, data: &Value) -> String {
    let mut event = json!({"event_type": kind, "event_id": id, "session_id": "0a11ce0a11ce0a11", "data": data});
    if let Some(parent) = parent {
        event["parent_id"] = json!(parent);
    }
    event.to_string().replacen('{', &format!("{{\"timestamp\":{time},"), 1)
}

fn events() -> Vec<String> {
    let token = ["ghp", "x7Qm2LrT9vBnC4kWz8HsY1pDfG6jE3aR5uXo"].join("_");
    vec![
        event("e1", "1790000000.5", "session_start", None, &json!({"cwd": "/home/dana/rates"})),
        event("e2", "1790000001.123456", "user_prompt", None, &json!({"prompt": format!("use {token} to fix it")})),
        event("e3", "1790000002.0", "llm_request", None, &json!({"model": "claude-opus-4-6"})),
        event(
            "e4",
            "1790000003.25",
            "llm_response",
            None,
            &json!({"model": "claude-opus-4-6", "usage": {
                "input_tokens": 10, "output_tokens": 7, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 3,
            }}),
        ),
        event(
            "e5",
            "1790000004.123456789",
            "tool_call",
            None,
            &json!({"tool_name": "Bash", "arguments": {"command": "cargo test", "description": "run the tests"}}),
        ),
        event("e6", "1790000006.623456789", "tool_result", Some("e5"), &json!({"tool_name": "Bash", "result": "ok"})),
        event(
            "e7",
            "1790000007.0",
            "tool_call",
            None,
            &json!({"tool_name": "Read", "arguments": {"file_path": "src/a.rs"}}),
        ),
        event("e8", "1790000007.5", "error", Some("e7"), &json!({"tool_name": "Read", "error": "no such file"})),
        event(
            "e9",
            "1790000008.0",
            "tool_call",
            None,
            &json!({"tool_name": "Write", "arguments": {"file_path": "b.rs", "content": "x"}}),
        ),
        event("e10", "1790000009.0", "decision", None, &json!({"choice": "stop here", "reason": "it is late"})),
        event(
            "e11",
            "1790000009.5",
            "tool_call",
            None,
            &json!({"tool_name": "Grep", "agent_id": "scout", "arguments": {"pattern": "rate", "path": "src"}}),
        ),
        event("e12", "1790000009.75", "tool_result", Some("e11"), &json!({"tool_name": "Grep", "result": "src/a.rs"})),
        event("e13", "1790000010.0", "assistant_response", None, &json!({"text": "Done."})),
    ]
}

/// Lower-case digits, as ids are written.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// All spans of a document.
pub(super) fn spans(document: &Value) -> Vec<&Value> {
    let resources = document["resourceSpans"].as_array().unwrap();
    let scopes = resources.iter().flat_map(|resource| resource["scopeSpans"].as_array().unwrap());
    scopes.flat_map(|scope| scope["spans"].as_array().unwrap()).collect()
}

pub(super) fn named<'a>(spans: &[&'a Value], name: &str) -> &'a Value {
    let found: Vec<_> = spans.iter().filter(|span| span["name"] == name).collect();
    assert_eq!(found.len(), 1, "{name} in {:?}", spans.iter().map(|span| &span["name"]).collect::<Vec<_>>());
    found[0]
}

/// The value of an attribute, as JSON has it.
pub(super) fn attribute<'a>(of: &'a Value, key: &str) -> Option<&'a Value> {
    let found: Vec<_> = of["attributes"].as_array()?.iter().filter(|attribute| attribute["key"] == key).collect();
    assert!(found.len() < 2, "{key} occurs twice");
    found.first()?["value"].as_object()?.values().next()
}
