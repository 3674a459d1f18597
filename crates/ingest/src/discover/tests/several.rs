//! Files of one session: copies of its log, and what lies beside it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{All, ask, names, write};
use crate::discover::{Found, Machine, Selection, Wanted, on_machine};

const START: &str =
    r#"{"type":"session","version":3,"id":"ID","timestamp":"2026-02-24T09:00:00Z","cwd":"/home/ann/claw"}"#;

fn call(id: &str, command: &str) -> String {
    format!(
        r#"{{"type":"message","id":"m{id}","timestamp":"2026-02-24T09:00:03Z","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"{id}","name":"exec","arguments":{{"command":"{command}"}}}}]}}}}"#
    )
}

fn log(id: &str, calls: &[(&str, &str)]) -> String {
    let calls = calls.iter().map(|(id, command)| call(id, command));
    std::iter::once(START.replace("ID", id)).chain(calls).map(|line| line + "\n").collect()
}

const TRAJECTORY: &str = r#"{"traceSchema":"openclaw-trajectory","schemaVersion":1,"type":"trace.artifacts","ts":"2026-02-24T09:00:04Z","sessionId":"a","workspaceDir":"/home/ann/claw","data":{"toolMetas":[],"messagingToolSentTargets":[{"tool":"message","to":"ben"}]}}"#;
const POINTER: &str = r#"{"traceSchema":"openclaw-trajectory-pointer","schemaVersion":1,"sessionId":"a","runtimeFile":"a.trajectory.jsonl"}"#;

/// A home with two sessions, one of which lies there five times.
fn home(root: &Path) {
    let folder = root.join(".openclaw/agents/main/sessions");
    let whole = log("a", &[("k1", "ls"), ("k2", "make")]);
    write(&folder, "a.jsonl", &whole);
    write(&folder, "a.trajectory.jsonl", TRAJECTORY);
    write(&folder, "a.trajectory-path.json", POINTER);
    write(&folder, "a.checkpoint.1-2.jsonl", &log("a", &[("k1", "ls")]));
    write(&folder, "a.jsonl.bak-7-1777698061643", &whole);
    write(&folder, "a.jsonl.reset.2026-02-25T05-00-14.009Z", &log("a", &[("k0", "rm -rf old")]));
    write(&folder, "b.jsonl.deleted.2026-02-25T05-00-14.009Z", &log("b", &[("k9", "ls")]));
    write(&folder, "sessions.json", r#"{"agent:main:main":{"sessionId":"a","updatedAt":1}}"#);
}

/// The sessions that were found, with their agents and the commands in them.
fn told(found: &Found) -> Vec<String> {
    let mut told = Vec::new();
    for source in &found.sources {
        let mut all = All::default();
        source.read(&mut all);
        assert!(all.gaps.is_empty(), "{:?}", all.gaps);
        for log in &all.logs {
            let reading = log.read();
            assert!(reading.gaps.is_empty(), "{:?}", reading.gaps);
            for session in &reading.sessions {
                let calls: Vec<_> = session.calls().filter_map(|(_, call)| call.call_id.as_deref()).collect();
                let sent = session.calls().filter(|(_, call)| call.tool == "message").count();
                told.push(format!("{} {}: {} and {sent} sent", session.agent, session.id, calls.join(" ")));
            }
        }
    }
    told.sort();
    told
}

const EXPECTED: &[&str] = &["openclaw a: k0 and 0 sent", "openclaw a: k1 k2 and 1 sent", "openclaw b: k9 and 0 sent"];

#[test]
fn a_home_holds_each_session_once_and_every_call_of_its_copies() {
    let root = TempDir::new().unwrap();
    home(root.path());
    let variables = BTreeMap::from([("HOME", root.path().to_path_buf())]);
    let machine = Machine { variables, project: root.path().join("none") };
    let wanted = Wanted { agents: vec!["openclaw".to_owned()], since: None };
    let found = on_machine(&machine, &wanted);
    assert!(found.gaps.is_empty(), "{:?}", found.gaps);
    assert_eq!(told(&found), EXPECTED);
    assert!(on_machine(&machine, &Wanted { agents: vec!["claude-code".to_owned()], since: None }).sources.is_empty());
}

/// The log was deleted, and what it told is left in its copy and in the trajectory.
#[test]
fn a_trajectory_tells_nothing_twice_beside_a_copy() {
    let root = TempDir::new().unwrap();
    write(root.path(), "a.jsonl.deleted.2026-02-25T05-00-14.009Z", &log("a", &[("k1", "ls")]));
    write(root.path(), "a.trajectory.jsonl", &TRAJECTORY.replace(r#"[{"tool":"message","to":"ben"}]"#, "[]"));
    let found = ask(root.path(), &[root.path().to_str().unwrap()], Selection::All).unwrap();
    assert_eq!(told(&found), ["pi a: k1 and 0 sent"]);
}

#[test]
fn a_folder_is_read_as_a_home_is() {
    let root = TempDir::new().unwrap();
    home(root.path());
    let found = ask(root.path(), &[root.path().to_str().unwrap()], Selection::All).unwrap();
    assert!(found.gaps.is_empty(), "{:?}", found.gaps);
    assert_eq!(told(&found), EXPECTED);
}

#[test]
fn a_file_beside_a_log_that_cannot_be_read_is_a_gap() {
    let root = TempDir::new().unwrap();
    write(root.path(), "a.jsonl", &log("a", &[("k1", "ls")]));
    fs::write(root.path().join("a.trajectory.jsonl"), b"{\"traceSchema\":\"\xff\"}").unwrap();
    let found = ask(root.path(), &[root.path().join("a.jsonl").to_str().unwrap()], Selection::All).unwrap();
    assert_eq!(names(root.path(), &found), ["a.jsonl"]);
    let log = found.sources[0].load().unwrap();
    let gaps: Vec<_> = log.read().gaps.iter().map(|gap| gap.kind.to_string()).collect();
    assert!(gaps.iter().any(|gap| gap.contains("a.trajectory.jsonl` beside it: it is not UTF-8")), "{gaps:?}");
}

/// A call in a file that is named like one beside a log is in a session, or a gap says that it is not.
#[test]
fn a_file_beside_a_log_hides_no_call() {
    let claude = |padding: usize| {
        let call = r#"{"type":"assistant","uuid":"u2","sessionId":"c","cwd":"/p","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"z","name":"Bash","input":{"command":"rm -rf src"}}]}}"#;
        let text = format!(
            r#"{{"type":"user","uuid":"u1","sessionId":"c","cwd":"/p","message":{{"role":"user","content":"{}"}}}}"#,
            "x".repeat(padding)
        );
        format!("{text}\n{call}\n")
    };
    let unknown = r#"{"cwd":"/p","tool_calls":[{"id":"z","function":{"name":"bash","arguments":"{\"command\":\"rm -rf src\"}"}}]}"#;
    for (name, text) in [
        ("a.trajectory.jsonl", claude(1)),
        ("a.meta.json", claude(1)),
        ("a.meta.json", claude(100_000)),
        ("a.json", unknown.to_owned()),
    ] {
        let root = TempDir::new().unwrap();
        write(root.path(), "a.jsonl", &log("a", &[("k1", "ls")]));
        write(root.path(), name, &text);
        let found = ask(root.path(), &[root.path().to_str().unwrap()], Selection::All).unwrap();
        let mut all = All::default();
        found.sources.iter().for_each(|source| source.read(&mut all));
        let mut is_seen = !found.gaps.is_empty() || !all.gaps.is_empty();
        for log in &all.logs {
            let reading = log.read();
            is_seen |= !reading.gaps.is_empty();
            is_seen |= reading
                .sessions
                .iter()
                .flat_map(agent_strace_model::Session::calls)
                .any(|(_, call)| call.call_id.as_deref() == Some("z"));
        }
        assert!(is_seen, "{name}");
    }
}
