//! Directories in which Claude Code starts a session again.

use crate::Log;

/// Records as `user DIRECTORY[@BRANCH]`, `text DIRECTORY`, `call DIRECTORY` and `result DIRECTORY`.
fn restarts(records: &[&str]) -> Vec<(u32, String)> {
    let lines: Vec<String> = records.iter().map(|record| line(record)).collect();
    let log = Log::new("log", lines.join("\n").into_bytes());
    let reading = log.read();
    assert!(reading.gaps.is_empty(), "{:?}", reading.gaps);
    let restarts = &reading.sessions[0].evidence.restarts;
    restarts.iter().map(|restart| (restart.event, restart.directory.to_string())).collect()
}

fn line(record: &str) -> String {
    let (kind, cwd) = record.split_once(' ').unwrap();
    let (cwd, branch) = cwd.split_once('@').unwrap_or((cwd, "fix/status"));
    let (role, content) = match kind {
        "user" => ("user", serde_json::json!("go on")),
        "text" => ("assistant", serde_json::json!([{"type": "text", "text": "done"}])),
        "call" => {
            let input = serde_json::json!({"command": "ls"});
            ("assistant", serde_json::json!([{"type": "tool_use", "id": "t1", "name": "Bash", "input": input}]))
        }
        "result" => ("user", serde_json::json!([{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}])),
        other => panic!("{other}"),
    };
    let message = serde_json::json!({"role": role, "content": content});
    serde_json::json!({"type": role, "uuid": "u", "sessionId": "s", "cwd": cwd, "version": "2.1.0", "gitBranch": branch, "message": message})
        .to_string()
}

#[test]
fn a_directory_that_changes_between_prompts_is_a_new_start() {
    let there = ["user /w/a", "call /w/a", "result /w/a", "text /w/a", "user /w/b", "call /w/b"];
    assert_eq!(restarts(&there), [(5, "/w/b".to_owned())]);
}

#[test]
fn a_directory_that_a_call_may_have_changed_is_none() {
    for moved in [
        ["user /w/a", "call /w/a", "result /w/a", "user /w/b"],
        ["user /w/a", "call /w/a", "result /w/b", "text /w/b"],
        ["user /w/a", "text /w/a", "user /w/a", "call /w/a"],
        // Another branch may be one of another repository, and each repository may have a branch of this name.
        ["user /w/a", "text /w/a", "user /w/b@other", "call /w/b@other"],
        ["user /w/a@main", "text /w/a@main", "user /w/b@main", "call /w/b@main"],
    ] {
        assert_eq!(restarts(&moved), [], "{moved:?}");
    }
}
