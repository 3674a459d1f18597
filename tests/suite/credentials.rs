//! A credential that a log carries among the agent's settings: it is told that there is one, and no output holds it.

use std::fs;
use std::path::Path;

use agent_strace_report::{Format, OutputFormat};
use serde_json::{Value, json};

use crate::world::World;

/// Nothing that a detector of secrets would know.
const KEY: &str = "plainly-mine-0001";

/// Logs of formats that carry settings, each with the keys that lead to the credential.
fn logs() -> Vec<(&'static str, Value, &'static str)> {
    let call = json!({"role": "assistant", "content": "", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\": \"a.md\"}"}}]});
    let messages =
        json!([{"role": "user", "content": "Look."}, call, {"role": "tool", "tool_call_id": "c1", "content": "ok"}]);
    let config = format!("{{\"model\": {{\"api_key\": \"{KEY}\"}}}}");
    let step = json!({"action": "ls", "observation": "a.md", "response": "", "thought": "", "state": "{}"});
    let replay = format!("{{\"agent\": {{\"model\": {{\"name\": \"m\", \"api_key\": \"{KEY}\"}}}}}}");
    vec![
        (
            "claw.json",
            json!({"session_id": "claw", "model_config": {"model": "m", "api_key": KEY, "headers": {"Authorization": format!("Bearer {KEY}")}},
                   "runtime_config": {"cwd": "/w"}, "messages": messages, "tool_calls": 7}),
            "model_config.api_key",
        ),
        (
            "hermes.json",
            json!({"session_id": "hermes", "session_start": "2026-01-01", "platform": "cli", "last_updated": "2026-01-01",
                   "model_config": config, "messages": messages}),
            "model_config.model.api_key",
        ),
        (
            "mini.traj.json",
            json!({"trajectory_format": "mini-swe-agent-1", "messages": messages,
                   "info": {"model_stats": {}, "config": {"model": {"model_name": "m", "model_kwargs": {"api_key": KEY}}}}}),
            "info.config.model.model_kwargs.api_key",
        ),
        (
            "swe.traj",
            json!({"trajectory": [step], "history": [], "info": {}, "replay_config": replay}),
            "replay_config.agent.model.api_key",
        ),
        (
            "atif.json",
            json!({"schema_version": "ATIF-v1.6", "session_id": "atif", "agent": {"name": "a", "version": "1", "extra": {"apiKey": KEY}},
                   "steps": [{"step_id": 1, "source": "user", "message": "Look."}]}),
            "agent.extra.apiKey",
        ),
    ]
}

#[test]
fn a_credential_in_a_log_is_told_of_and_never_shown() {
    for (name, log, key) in logs() {
        let world = World::empty();
        world.write(name, &serde_json::to_string_pretty(&log).unwrap()).write(".agent-scope.json", r#"{"version": 2}"#);
        let check = world.run(&["check", name]);
        let said = format!("secret/log-settings  the log holds a credential of the agent in clear, at `{key}`");
        assert!(check.stdout.contains(&said), "{name}: {check:?}");
        every_output(&world, name);
        nowhere(world.path(), &world.path().join(name));
    }
}

fn every_output(world: &World, name: &str) {
    let gates = ["check", "audit", "lint"]
        .into_iter()
        .flat_map(|verb| Format::ALL.iter().map(move |format| vec![verb, name, "--format", format.name()]));
    let others = ["effects", "cost", "token-budget", "stats"];
    let others =
        others.into_iter().flat_map(|verb| ["text", "json"].map(|format| vec![verb, name, "--format", format]));
    let more: [&[&str]; 10] = [
        &["inspect", name, "--view", "session"],
        &["import", name],
        &["import", name, "--redact"],
        &["list"],
        &["list", "--format", "json"],
        &["compare", name, name, "--format", "json"],
        &["diff", name, name],
        &["policy"],
        &["policy", "backtest", name],
        &["policy", "coverage", name],
    ];
    let mut ran = 0;
    for arguments in gates.chain(others).chain(more.map(<[&str]>::to_vec)) {
        let answer = world.run(&arguments);
        ran += i32::from(answer.code != 2);
        assert!(!answer.stdout.contains(KEY) && !answer.stderr.contains(KEY), "{arguments:?}: {answer:?}");
    }
    assert!(ran > 28, "{name}: only {ran} commands ran");
}

/// What was written beside the log holds it neither.
fn nowhere(folder: &Path, except: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            nowhere(&path, except);
        } else if path != except {
            assert!(!fs::read_to_string(&path).unwrap().contains(KEY), "{}", path.display());
        }
    }
}
