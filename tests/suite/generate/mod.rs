//! A generated policy holds what it promises: it judges its own sessions clean but for what it listed for review, and
//! it refuses what they did not do.

mod kinds;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use agent_strace_testing::corpus::{Data, data, outside};
use serde_json::{Value, json};

use crate::world::{Answer, World, in_process, project};

/// The logs of each agent.
fn agents(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.is_dir());
    found.sort();
    found
}

/// What makes two effects the same in reports.
fn act(effect: &Value) -> String {
    let parts = ["kind", "path", "argv", "host", "server", "tool", "reason", "name"].map(|key| effect[key].to_string());
    parts.join(" ")
}

/// What the policy that is generated from logs refuses in them, and did not list. `None`: there is nothing to generate.
fn unlisted(log: &Path, world: &World) -> Option<Vec<String>> {
    let log = log.to_str().unwrap();
    let Answer { code, stdout: told, stderr } = in_process(&["policy", log, "--format", "json"]);
    assert!(matches!(code, 0 | 3), "{log}: {code} {stderr}");
    let told: Value = serde_json::from_str(&told).ok()?;
    let policy = world.path().join("scope.json");
    fs::write(&policy, told["policy"].to_string()).unwrap();
    let listed: BTreeSet<String> = told["review"].as_array().unwrap().iter().map(|item| act(&item["effect"])).collect();
    let Answer { stdout: report, stderr, .. } =
        in_process(&["check", log, "--policy", policy.to_str().unwrap(), "--format", "json"]);
    let report: Value = serde_json::from_str(&report).unwrap_or_else(|_| panic!("{log}: {stderr}"));
    let of_scope = |finding: &&Value| {
        let rule = finding["rule"].as_str().unwrap();
        finding["level"] == "error" && (rule.starts_with("scope/") || rule.starts_with("floor/"))
    };
    let findings = report["findings"].as_array().unwrap().iter().filter(of_scope);
    let unlisted = findings.filter(|finding| !listed.contains(&act(&finding["effect"])));
    Some(unlisted.map(|finding| format!("{log}: {} {}", finding["rule"], finding["message"])).collect())
}

fn all_clean(folder: &Path, at_least: usize) {
    let world = World::empty();
    let (mut generated, mut wrong) = (0, Vec::new());
    for log in agents(folder) {
        if let Some(unlisted) = unlisted(&log, &world) {
            generated += 1;
            wrong.extend(unlisted);
        }
    }
    assert!(wrong.is_empty(), "refused, and not listed for review:\n{}", wrong.join("\n"));
    assert!(generated >= at_least, "only {generated} folders made a policy");
}

#[test]
fn its_own_sessions_are_clean_but_for_what_it_listed() {
    all_clean(&project().join("fixtures/logs"), 20);
}

#[test]
fn real_sessions_are_clean_but_for_what_was_listed() {
    for data in data() {
        all_clean(&data.corpus(), data.either(8, 15));
    }
}

/// A session of the native store with one call for each case, in `/repo`.
fn session(store: &Path, id: &str, calls: &[(String, Value)]) {
    let folder = store.join(id);
    fs::create_dir_all(&folder).unwrap();
    let meta = json!({"session_id": id, "started_at": 1_700_000_000.0, "agent_name": "claude-code",
        "attribution": {"working_dir": "/repo"}});
    fs::write(folder.join("meta.json"), meta.to_string()).unwrap();
    let mut lines = String::new();
    for (number, (tool, arguments)) in calls.iter().enumerate() {
        let event = json!({"event_type": "tool_call", "timestamp": 1_700_000_000, "event_id": format!("{number:012}"),
            "session_id": id, "data": {"tool_name": tool, "arguments": arguments}});
        writeln!(lines, "{event}").unwrap();
    }
    fs::write(folder.join("events.ndjson"), lines).unwrap();
}

fn calls(case: &Value) -> Vec<(String, Value)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    match &case["input"] {
        Value::Array(steps) if case["tool"] == "seq" => {
            steps.iter().map(|step| (text(&step[0]), step[1].clone())).collect()
        }
        input => vec![(text(&case["tool"]), input.clone())],
    }
}

/// The benign cases as sessions make a policy; it refuses every case that has to be refused.
#[test]
fn what_the_sessions_did_not_do_is_refused() {
    for data in data() {
        benign_refuse_hostile(&data);
    }
}

fn benign_refuse_hostile(data: &Data) {
    let text = fs::read_to_string(data.cases().join("scope-dev.jsonl")).unwrap();
    let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let world = World::empty();
    let (benign, hostile) = (world.path().join("benign"), world.path().join("hostile"));
    for case in &cases {
        let store = if case["expect"] == "allow" { &benign } else { &hostile };
        session(store, case["id"].as_str().unwrap(), &calls(case));
    }
    let policy = world.path().join("scope.json");
    let (policy, benign, hostile) = (policy.to_str().unwrap(), benign.to_str().unwrap(), hostile.to_str().unwrap());
    let Answer { code, stderr, .. } = in_process(&["--trace-dir", benign, "policy", "--output", policy]);
    assert_eq!(code, 0, "{stderr}");
    let Answer { stdout: report, stderr, .. } =
        in_process(&["--trace-dir", hostile, "check", "--policy", policy, "--format", "json"]);
    let report: Value = serde_json::from_str(&report).unwrap_or_else(|_| panic!("{stderr}"));
    let passed: Vec<&str> = report["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|session| session["verdict"] != "fail")
        .map(|session| session["id"].as_str().unwrap())
        .filter(|id| !HARMLESS.contains(id))
        .collect();
    assert!(passed.is_empty(), "the generated policy lets pass: {passed:#?}\n{}", fs::read_to_string(policy).unwrap());
}

/// A policy that lets agents read the repository lets them read placeholders of secrets, list its names, search it, and read
/// it as a whole. Where nothing shows that a denied file is among the files, a search is noted and the rest is a warning. One
/// from sessions that searched the web lets agents search it.
const HARMLESS: &[&str] =
    &["F16-path-forms-18", "F16-path-forms-20", "F16-path-forms-21", "F26-record-shapes-12", "F21-network-46"];

/// Policies made from real sessions, wide as they are, refuse what no session did.
#[test]
fn what_real_sessions_did_not_do_is_refused() {
    let Some(data) = outside("no policy of many sessions of one project is held against the cases") else { return };
    let text = fs::read_to_string(data.cases().join("scope-dev.jsonl")).unwrap();
    let cases = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let world = World::empty();
    let hostile = world.path().join("hostile");
    let hostile_cases: Vec<Value> = cases.filter(|case| case["expect"] != "allow").collect();
    for case in &hostile_cases {
        session(&hostile, case["id"].as_str().unwrap(), &calls(case));
    }
    for project in ["PackmindHub_context", "entireio_skills", "chikachow_cyspbot"] {
        let mut args = vec!["policy".to_owned(), "--min-sessions".to_owned(), "5".to_owned()];
        for agent in ["claude-code", "codex"] {
            let logs = fs::read_dir(data.corpus().join(agent)).unwrap().map(|entry| entry.unwrap().path());
            let own = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(project);
            args.extend(logs.filter(own).map(|path| path.to_str().unwrap().to_owned()));
        }
        let policy = world.path().join(format!("{project}.json"));
        args.extend(["--output".to_owned(), policy.to_str().unwrap().to_owned()]);
        let Answer { code, stderr, .. } = in_process(&args.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(code, 0, "{project}: {stderr}");
        let (traces, policy) = (hostile.to_str().unwrap(), policy.to_str().unwrap());
        let Answer { stdout: report, stderr, .. } =
            in_process(&["--trace-dir", traces, "check", "--policy", policy, "--format", "json"]);
        let report: Value = serde_json::from_str(&report).unwrap_or_else(|_| panic!("{project}: {stderr}"));
        let sessions = report["sessions"].as_array().unwrap();
        assert_eq!(sessions.len(), hostile_cases.len());
        let passed = sessions.iter().filter(|session| session["verdict"] != "fail");
        let passed: Vec<&str> = passed.map(|session| session["id"].as_str().unwrap()).collect();
        let harmful: Vec<&&str> = passed.iter().filter(|id| !HARMLESS.contains(id)).collect();
        assert!(harmful.is_empty(), "{project} lets pass: {harmful:#?}");
    }
}

/// What was refused stays refused where all around it is allowed, and a call without a subcommand allows none.
#[test]
fn a_wide_entry_leaves_out_what_was_refused() {
    let store = tempfile::tempdir().unwrap();
    let write = |path: &str| ("Write".to_owned(), json!({ "file_path": path, "content": "x" }));
    let shell = |command: &str| ("Bash".to_owned(), json!({ "command": command }));
    session(store.path(), "one", &[write("src/a.rs"), write("src/b.rs"), shell("git --version")]);
    session(store.path(), "two", &[write("src/c.rs"), shell("git status"), shell("git branch")]);
    let asked = json!({"type": "assistant", "sessionId": "three", "cwd": "/repo", "uuid": "u1", "timestamp":
        "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": [{"type": "tool_use", "id": "t1",
        "name": "Write", "input": {"file_path": "/repo/src/kept.rs", "content": "x"}}]}});
    let refused = json!({"type": "user", "sessionId": "three", "cwd": "/repo", "uuid": "u2", "timestamp":
        "2026-01-01T00:00:01Z", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1",
        "is_error": true, "content": "Claude requested permissions to write to /repo/src/kept.rs, but you haven't granted \
        it yet."}]}});
    let log = store.path().join("three.jsonl");
    fs::write(&log, format!("{asked}\n{refused}\n")).unwrap();
    let (one, two, log) = (store.path().join("one"), store.path().join("two"), log.to_str().unwrap());
    let Answer { code, stdout: told, stderr: errors } =
        in_process(&["policy", one.to_str().unwrap(), two.to_str().unwrap(), log, "--format", "json"]);
    assert_eq!(code, 0, "{errors}");
    let told: Value = serde_json::from_str(&told).unwrap();
    let text = |pointer: &str| told["policy"].pointer(pointer).unwrap().to_string();
    let commands = text("/commands/allow");
    assert!(commands.contains("\"git --version\"") && !commands.contains("\"git\""), "{commands}");
    assert!(text("/commands/deny").contains("\"builtin:git-lossy\""), "{commands}");
    let written = text("/files/write/allow");
    assert!(written.contains("src/**/*.rs") && written.contains("!src/kept.rs"), "{written}\n{told}");
}

/// `--min-sessions` asks for evidence, `--seen-in` for entries.
#[test]
fn too_few_sessions_make_no_policy() {
    let store = tempfile::tempdir().unwrap();
    let shell = |command: &str| ("Bash".to_owned(), json!({ "command": command }));
    session(store.path(), "one", &[shell("pytest")]);
    session(store.path(), "two", &[shell("pytest"), shell("ruff check")]);
    let traces = store.path().to_str().unwrap();
    let Answer { code, stdout: told, stderr: errors } =
        in_process(&["--trace-dir", traces, "policy", "--min-sessions", "3"]);
    assert_eq!((code, told.as_str()), (3, ""), "{errors}");
    assert!(errors.contains("in 2 sessions only"), "{errors}");
    let Answer { code, stdout: told, .. } =
        in_process(&["--trace-dir", traces, "policy", "--min-sessions", "2", "--seen-in", "2", "--format", "json"]);
    assert_eq!(code, 0);
    let told: Value = serde_json::from_str(&told).unwrap();
    let allowed = told["policy"]["commands"]["allow"].as_array().unwrap();
    assert!(allowed.contains(&json!("builtin:pytest")) && !allowed.contains(&json!("builtin:python")), "{allowed:?}");
}

#[test]
fn the_same_sessions_make_the_same_bytes() {
    let logs = project().join("fixtures/logs/claude");
    let logs = logs.to_str().unwrap();
    assert_eq!(in_process(&["policy", logs]), in_process(&["policy", logs]));
}

/// What a policy has already is not added to it once more: sub-agents, families of programs, everything.
#[test]
fn merging_the_same_sessions_changes_nothing() {
    let store = tempfile::tempdir().unwrap();
    let shell = |command: &str| ("Bash".to_owned(), json!({ "command": command }));
    let agent =
        |kind: &str| ("Task".to_owned(), json!({ "subagent_type": kind, "prompt": "look", "description": "x" }));
    let calls = [
        shell("cat src/a.rs | sort | uniq -c | head -5 | tail -2"),
        shell("grep -c x src/a.rs"),
        shell("ls src"),
        shell("git log --oneline"),
        shell("cargo test"),
        agent("look around"),
        agent("look.around"),
        agent("look-around"),
    ];
    session(store.path(), "one", &calls);
    let elsewhere = tempfile::tempdir().unwrap();
    let (traces, policy) = (store.path().to_str().unwrap(), elsewhere.path().join("scope.json"));
    let policy = policy.to_str().unwrap();
    let Answer { code, stderr: errors, .. } = in_process(&["--trace-dir", traces, "policy", "--output", policy]);
    assert_eq!(code, 0, "{errors}");
    let before = fs::read_to_string(policy).unwrap();
    assert!(before.contains("\"look-around\"") && before.contains("\"look.around\""), "{before}");
    assert!(before.contains("\"builtin:viewers\"") && before.contains("\"builtin:cargo\""), "{before}");
    let Answer { code, stderr: errors, .. } =
        in_process(&["--trace-dir", traces, "policy", "--merge", "--output", policy]);
    assert_eq!(code, 0, "{errors}");
    assert_eq!(fs::read_to_string(policy).unwrap(), before);
}

/// Names that no entry can say, or that would mean something else in a list.
#[test]
fn tools_with_odd_names_are_left_to_people() {
    let names = [
        "mcp__\n# H1\n- [x] list",
        "mcp____run",
        "mcp__a__",
        "mcp__*__run",
        "mcp__{a,b}__run",
        "mcp__ __run",
        "mcp__a__!b",
        "mcp__a__label:secret",
        "mcp__a\u{1b}[0m__run",
        "!run",
        "label:secret",
        " ",
        "\u{0}",
        "mcp__!a__run",
    ];
    for name in names {
        let world = World::empty();
        world.session("s1", 1_790_000_000, &[("tool_call", json!({"tool_name": name, "arguments": {"x": 1}}))]);
        let answer = world.run(&["policy"]);
        assert!(matches!(answer.code, 0 | 3), "{name:?}: {answer:?}");
        assert!(
            !answer.stdout.contains("\"*\": {\n        \"allow\": [\"run\""),
            "{name:?} allows any server: {answer:?}"
        );
    }
}
