//! Any call with any arguments, and any bytes as a log.
#![no_main]

use std::ffi::OsString;

use libfuzzer_sys::fuzz_target;

const TOOLS: &[&str] =
    &["Bash", "Read", "Write", "Edit", "Glob", "WebFetch", "apply_patch", "shell", "Task", "mcp__files__read", "powershell"];

fuzz_target!(|bytes: &[u8]| {
    judged(bytes);
    let Some((tool, rest)) = bytes.split_first() else { return };
    let tool = TOOLS[usize::from(*tool) % TOOLS.len()];
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let arguments: serde_json::Value = serde_json::from_str(text).unwrap_or_else(|_| {
        serde_json::json!({"command": text, "file_path": text, "url": text, "pattern": text, "input": text, "content": text})
    });
    let start = serde_json::json!({
        "event_type": "session_start", "timestamp": 1.0, "event_id": "0", "session_id": "fuzz", "data": {"cwd": "/repo"},
    });
    let call = serde_json::json!({
        "event_type": "tool_call", "timestamp": 1.0, "event_id": "1", "session_id": "fuzz",
        "data": {"tool_name": tool, "arguments": arguments},
    });
    judged(format!("{start}\n{call}\n{call}\n").as_bytes());
});

fn judged(log: &[u8]) {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let args = ["agent-strace", "check", "-", "--format", "json", "--allow-no-policy"].map(OsString::from);
    agent_strace::run(args, &mut &*log, &mut stdout, &mut stderr);
    // A panic inside becomes a gap that says so.
    assert!(!String::from_utf8_lossy(&stdout).contains("internal error"), "{}", String::from_utf8_lossy(&stdout));
}
