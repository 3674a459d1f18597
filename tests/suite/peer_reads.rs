//! The Python program whose store we write reads what is imported: the same calls, requests, tokens and errors.

use std::path::PathBuf;
use std::process::Command;

use agent_strace_testing::corpus::outside;
use serde_json::Value;

use crate::world::{World, project, skipped};

/// What the peer makes of a store.
const DRIVER: &str = r#"
import json, os, sys
from agent_trace.models import EventType
from agent_trace.store import TraceStore
store = TraceStore(sys.argv[1])
for meta in store.list_sessions():
    events = store.load_events(meta.session_id)
    calls = {e.event_id: e for e in events if e.event_type == EventType.TOOL_CALL}
    linked = [e.duration_ms for e in events if e.parent_id in calls]
    print(json.dumps({
        "id": meta.session_id, "calls": len(calls), "counted": meta.tool_calls, "requests": meta.llm_requests,
        "tokens": meta.total_tokens, "errors": meta.errors, "linked": linked,
        "objects": all(isinstance(e.data.get("arguments", {}), dict) for e in calls.values()),
        "asked": sum(e.event_type == EventType.LLM_REQUEST for e in events),
    }))
"#;

fn read(store: &str, world: &World) -> Option<Vec<Value>> {
    let Some(executable) = std::env::var_os("AGENT_STRACE_PEER") else {
        skipped("nobody but us reads what is imported: AGENT_STRACE_PEER names no executable of the peer");
        return None;
    };
    let python = PathBuf::from(executable).parent().unwrap().join("python");
    #[expect(clippy::disallowed_methods, reason = "the peer is another program")]
    let output = Command::new(python).args(["-c", DRIVER, store]).current_dir(world.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

#[test]
fn the_peer_reads_every_imported_fixture() {
    let world = World::empty();
    let logs = project().join("fixtures/logs");
    let answer = world.run(&["import", &logs.to_string_lossy()]);
    assert_eq!(answer.code, 3, "there are damaged logs among them: {}", answer.stderr);
    let listed = world.run(&["list", "--format", "json"]);
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    let listed = listed["sessions"].as_array().unwrap();
    assert!(listed.len() > 40, "{} sessions", listed.len());
    let Some(read) = read(".agent-traces", &world) else { return };
    assert_eq!(read.len(), listed.len());
    for session in &read {
        let ours = listed.iter().find(|ours| ours["id"] == session["id"]).unwrap();
        assert_eq!(session["calls"], ours["tool_calls"], "{session}");
        assert_eq!(session["counted"], ours["tool_calls"].as_u64().unwrap(), "{session}");
        assert_eq!(session["tokens"], ours["tokens"], "{session}");
        assert_eq!(session["objects"], true, "{session}");
    }
}

#[test]
fn the_sample_session_has_its_sums_and_links() {
    let Some(data) = outside("the sample session is not imported") else { return };
    let world = World::empty();
    let log = data.cases().join("assembly/claude_session.jsonl");
    assert_eq!(world.run(&["import", &log.to_string_lossy()]).code, 0);
    let Some(read) = read(".agent-traces", &world) else { return };
    let [session] = read.as_slice() else { panic!("{read:?}") };
    let expected = serde_json::json!({
        "calls": 4, "counted": 4, "requests": 6, "asked": 6, "tokens": 99_629, "errors": 1, "objects": true,
        "linked": [4192, 2983, 4584, 2658],
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&session[key], value, "{key}");
    }
}
