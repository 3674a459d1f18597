//! Settings files as teams write them: the policy of each stands beside it, and allows no call that the agent does not.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::act;
use super::answer::Answer;
use super::exported_policy::{ROOT, judged_call};
use super::import::{Agent, Imported, Owner, SettingsFile, Weight, import};
use agent_strace_policy::Policy;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/permissions")
}

struct Call {
    tool: String,
    input: Value,
}

fn calls() -> Vec<Call> {
    let text = fs::read_to_string(folder().join("calls.jsonl")).unwrap();
    let call = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        Call { tool: value["tool"].as_str().unwrap().to_owned(), input: value["input"].clone() }
    };
    text.lines().map(call).collect()
}

/// The settings of one agent, without the snapshots beside them.
fn settings(agent: Agent) -> Vec<SettingsFile> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder().join(agent.name())).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let file = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let owner = match name.as_str() {
            name if name.contains("managed") => Owner::Machine,
            name if name.contains("user.") || name.contains("policy.") => Owner::User,
            _ => Owner::Project,
        };
        SettingsFile { path: name, text: fs::read_to_string(path).unwrap(), owner }
    };
    paths.iter().map(file).filter(|file| !file.path.ends_with(".policy.txt")).collect()
}

/// The policy, what it leaves out, and the answers of both to each call that the policy allows or the agent does.
fn shown(imported: &Imported, calls: &[Call]) -> (String, Vec<String>) {
    let policy = Policy::from_bytes("imported", None, imported.text.as_bytes())
        .unwrap_or_else(|faults| panic!("{faults}\n{}", imported.text));
    let mut text = imported.text.clone();
    text.push_str("\n== left out\n");
    for left in &imported.left_out {
        writeln!(text, "{} {}: {}: {}", left.weight.name(), left.place, left.entry, left.reason).unwrap();
    }
    text.push_str("\n== calls: agent, policy\n");
    let mut wider = Vec::new();
    for call in calls {
        let act = act::of(&call.tool, &call.input);
        let Some((agent, _)) = super::verify::answer(&imported.engine, &act, ROOT, &[]) else { continue };
        let judged = judged_call(&policy, &call.tool, &call.input);
        let answer = judged.iter().map(Answer::of).max().unwrap_or(Answer::Allow);
        writeln!(text, "{:<5} {:<5} {} {}", agent.name(), answer.name(), call.tool, act.subject()).unwrap();
        // An entry that is listed as missing is known to be wider.
        let listed = call.tool == "Bash"
            && act.subject().contains('>')
            && imported.left_out.iter().any(|left| left.weight == Weight::Missing);
        if answer < agent && !listed {
            wider.push(format!("{} {}: agent {}, policy {}", call.tool, act.subject(), agent.name(), answer.name()));
        }
    }
    (text, wider)
}

/// The policy goes back to the agent's language: whatever that file lets pass beyond the policy is listed.
fn round_trip(agent: Agent, path: &str, imported: &Imported, calls: &[Call]) {
    let policy = Policy::from_bytes("imported", None, imported.text.as_bytes()).unwrap();
    let export = super::export(&policy, agent.target());
    for call in calls {
        let session = super::tests::session(&call.tool, &call.input);
        let compared = super::compare(&export, &policy, &session, &Arc::default());
        assert_eq!(compared.agreement.unlisted, 0, "{} {path}: {:?}", agent.name(), compared.differences);
    }
}

#[test]
fn the_policy_of_settings_is_never_wider_than_the_agent() {
    let calls = calls();
    let mut wider = Vec::new();
    let mut stale = Vec::new();
    for agent in Agent::ALL {
        let files = settings(*agent);
        assert!(files.len() >= 4, "{agent:?}");
        for file in files {
            let path = file.path.clone();
            let imported = import(*agent, &[file]).unwrap_or_else(|fault| panic!("{}: {fault}", agent.name()));
            let (text, found) = shown(&imported, &calls);
            round_trip(*agent, &path, &imported, &calls);
            wider.extend(found.into_iter().map(|line| format!("{}/{path}: {line}", agent.name())));
            let snapshot = folder().join(agent.name()).join(format!("{path}.policy.txt"));
            if std::env::var_os("UPDATE_SPECS").is_some() {
                fs::write(&snapshot, &text).unwrap();
            } else if fs::read_to_string(&snapshot).ok().as_deref() != Some(&*text) {
                stale.push(format!("{}/{path}", agent.name()));
            }
        }
    }
    assert!(wider.is_empty(), "the policy lets pass what the agent does not:\n{}", wider.join("\n"));
    assert!(stale.is_empty(), "set UPDATE_SPECS to write them anew: {}", stale.join(", "));
}
