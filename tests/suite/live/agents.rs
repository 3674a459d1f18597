//! `fixtures/hooks/AGENT`: what an agent tells its hooks, and its own log of the same session. Hooks are run as `setup` has
//! the agent run them.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{SESSION, after, before, check, hook, rows, setup};
use crate::world::{World, project};

/// Findings that only one of the two has, and why.
const DIFFERENT: &[(&str, &str)] = &[
    // Gemini's log has no working directory: of paths in it nobody knows that they lie in the project, and one that is
    // allowed there is not allowed.
    ("gemini-cli", "035c7384bae232c0a92b17ac0b8c9cd5"),
    // The same write, of a path in the project and of one that is not known to lie there.
    ("gemini-cli", "c8f26f425abb0b8da776168f05f0e0c8"),
    ("gemini-cli", "483a9c53477f1587d26e6b18d84a0375"),
];

#[test]
fn what_hooks_record_gets_the_verdict_of_the_agents_own_log() {
    let mut seen = 0;
    for folder in fs::read_dir(project().join("fixtures/hooks")).unwrap() {
        let folder = folder.unwrap().path();
        let agent = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let world = World::demo();
        fs::remove_dir_all(world.path().join(".agent-traces")).unwrap();
        run_all(&world, &agent, &folder);
        let log = transcript(&folder);
        let recorded = verdict(&check(&world, &[]), &agent);
        let own = verdict(&check(&world, &[log.to_str().unwrap()]), &agent);
        assert_eq!(recorded, own, "{agent}");
        seen += 1;
    }
    assert_eq!(seen, 7, "agents are missing");
}

#[test]
fn results_find_their_calls() {
    let folder = project().join("fixtures/hooks/claude-code");
    let world = World::demo();
    fs::remove_dir_all(world.path().join(".agent-traces")).unwrap();
    run_all(&world, "claude-code", &folder);
    let answer = world.run(&["effects", "--format", "json"]);
    let effects: Value = serde_json::from_str(&answer.stdout).unwrap();
    let statuses: Vec<&str> =
        rows(&effects["sessions"][0], "events").iter().map(|event| event["status"].as_str().unwrap()).collect();
    // Two runs of one command at once: the first one fails, although the second one's result comes first.
    assert_eq!(statuses, ["ok", "ok", "error", "ok", "ok", "ok", "denied"]);
}

/// Findings by rule and fingerprint, with the level: where they stand differs, as logs have other records beside calls.
fn verdict(report: &Value, agent: &str) -> BTreeMap<(String, String), String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let different = |finding: &&Value| {
        DIFFERENT.iter().any(|(of, fingerprint)| *of == agent && finding["fingerprint"].as_str() == Some(fingerprint))
    };
    assert!(rows(report, "gaps").is_empty(), "{agent}: {}", report["gaps"]);
    let found = rows(report, "findings").iter().filter(|finding| !different(finding));
    found.map(|finding| ((text(&finding["rule"]), text(&finding["fingerprint"])), text(&finding["level"]))).collect()
}

fn transcript(folder: &Path) -> PathBuf {
    let logs = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    logs.into_iter().find(|path| path.file_stem().unwrap() == "transcript").unwrap()
}

/// Runs what `setup --write` has put into the agent's settings, as a shell would.
fn run_all(world: &World, agent: &str, folder: &Path) {
    // Kimi Code has hooks of its user only.
    let scope: &[&str] = if agent == "kimi" { &["--global"] } else { &[] };
    let (code, stdout, stderr) = setup::run(world, &[&["--write", "--agent", agent], scope].concat());
    assert_eq!(code, 0, "{stderr}");
    let settings = settings(&world.read(&stdout.split(": ").nth(1).unwrap().replace('~', "home")));
    let log = transcript(folder);
    for line in fs::read_to_string(folder.join("hooks.jsonl")).unwrap().lines() {
        let step: Value = serde_json::from_str(line).unwrap();
        let command = command(&settings, step["event"].as_str().unwrap());
        let mut payload = step["payload"].clone();
        for key in ["transcript_path", "transcriptPath"] {
            if payload[key].is_string() {
                payload[key] = log.to_str().unwrap().into();
            }
        }
        shell(world, &command, &payload.to_string());
    }
}

/// JSON, or the tables of a file in TOML.
fn settings(text: &str) -> Value {
    let of_toml = || serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
    serde_json::from_str(text).unwrap_or_else(|_| of_toml())
}

fn command(settings: &Value, event: &str) -> String {
    let hooks = &settings["hooks"];
    let of_event = |hooks: &Vec<Value>| hooks.iter().find(|hook| hook["event"] == event).cloned().unwrap();
    let entry = hooks.as_array().map_or_else(|| hooks[event][0].clone(), of_event);
    let found = [&entry["command"], &entry["bash"], &entry["hooks"][0]["command"]];
    found.into_iter().find_map(Value::as_str).unwrap_or_else(|| panic!("no command: {entry}")).to_owned()
}

fn shell(world: &World, command: &str, payload: &str) {
    let program = Path::new(env!("CARGO_BIN_EXE_agent-strace")).parent().unwrap();
    let path = format!("{}:/usr/bin:/bin", program.display());
    #[expect(clippy::disallowed_methods, reason = "agents run their hooks by a shell")]
    let mut child = Command::new("sh")
        .args(["-c", command])
        .current_dir(world.path())
        .env_clear()
        .env("PATH", path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.0.is_empty() && said.1.is_empty(), "{command}: {said:?}");
}

/// Kimi reports a call that its hook refused as one that failed.
#[test]
fn a_refused_call_that_is_reported_as_failed_is_an_attempt() {
    let told = |words: &str| {
        let world = World::empty();
        world.write(".agent-scope.json", r#"{"commands": {"deny": ["rm"]}}"#);
        let call = |event: &str, more: Value| {
            let mut payload = json!({
                "session_id": SESSION, "cwd": "/repo", "hook_event_name": event, "tool_name": "Bash",
                "tool_call_id": "t1", "tool_input": {"command": "rm -rf src"},
            });
            payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            payload.to_string()
        };
        let answer = hook(&world, &["pre-tool", "--agent", "kimi", "--enforce"], &call("PreToolUse", json!({})));
        assert!(answer.stdout.contains("deny"), "{answer:?}");
        let failed = call("PostToolUseFailure", json!({"error": {"code": "internal", "message": words}}));
        assert_eq!(hook(&world, &["post-tool-failure", "--agent", "kimi"], &failed).code, 0);
        check(&world, &[])["summary"].clone()
    };
    let summary = told("agent-strace: the scope of this repository does not allow this call");
    assert_eq!((&summary["attempts"], &summary["findings"]["error"]), (&1.into(), &0.into()), "{summary}");
    let summary = told("agent-strace: the scope of this repository\nCommand failed with exit code: 1.");
    assert_eq!((&summary["attempts"], &summary["findings"]["error"]), (&0.into(), &1.into()), "{summary}");
    let summary = told("rm: cannot remove 'src'");
    assert_eq!((&summary["attempts"], &summary["findings"]["error"]), (&0.into(), &1.into()), "{summary}");
}

/// `check` finds nothing missing in a session that hooks record, before the agent ends it.
#[test]
fn a_recording_of_hooks_lacks_nothing_before_its_end() {
    for agent in ["claude-code", "cursor", "gemini-cli"] {
        let world = World::empty();
        world.write(".agent-scope.json", "{}");
        let input = json!({"command": "ls"});
        for (step, payload) in [
            ("pre-tool", before("t1", "Bash", &input)),
            ("post-tool", after("t1", "Bash", &input, &json!({"stdout": "a"}))),
        ] {
            let answer = hook(&world, &[step, "--agent", agent], &payload);
            assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{agent}");
        }
        let answer = world.run(&["check"]);
        assert_eq!(answer.code, 0, "{agent}: {}", answer.stdout);
    }
}
