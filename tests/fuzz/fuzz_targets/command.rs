//! Any text as a shell command: effects, and a verdict by a policy.
#![no_main]

use std::ffi::OsString;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

const POLICY: &str = r#"{
  "files": {"read": {"allow": ["src/**"], "deny": [".env", "**/secret*"]}, "write": {"allow": ["src/**"], "deny": [".github/**"]}},
  "commands": {"allow": ["cat", "git status", "echo *"], "deny": ["rm -rf", "git push"]},
  "network": {"deny_all": true, "allow": ["*.example.com"]}
}"#;

fn policy() -> &'static OsString {
    static POLICY_FILE: OnceLock<OsString> = OnceLock::new();
    POLICY_FILE.get_or_init(|| {
        let path = std::env::temp_dir().join(format!("agent-strace-fuzz-{}.json", std::process::id()));
        std::fs::write(&path, POLICY).unwrap();
        path.into_os_string()
    })
}

fuzz_target!(|text: &str| {
    let command = serde_json::json!({
        "event_type": "tool_call", "timestamp": 1_790_200_000.0, "event_id": "1", "session_id": "fuzz",
        "data": {"tool_name": "Bash", "arguments": {"command": text}},
    });
    let log = format!("{}\n{command}\n", r#"{"event_type":"session_start","timestamp":1790200000.0,"event_id":"0","session_id":"fuzz","data":{"cwd":"/repo"}}"#);
    let args = ["agent-strace", "check", "-", "--format", "json", "--policy"].map(OsString::from);
    let args: Vec<OsString> = args.into_iter().chain([policy().clone()]).collect();
    let answer = || {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let code = agent_strace::run(args.clone(), &mut log.as_bytes(), &mut stdout, &mut stderr);
        (code, stdout, stderr)
    };
    let (code, stdout, stderr) = answer();
    // What can't be judged is said, never an error of usage, and a panic inside becomes a gap: neither may happen.
    assert!(code < 2, "exit code {code}: {}", String::from_utf8_lossy(&stderr));
    assert!(!String::from_utf8_lossy(&stdout).contains("internal error"));
    assert_eq!(answer().1, stdout);
});
