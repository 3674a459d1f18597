//! Logs that unmodified clients wrote against a scripted model: what is read equals what the model sent and what the
//! client did.
//!
//! `ground-truth.json` of each client holds the calls, requests and tokens. How calls ended and how many prompts a user
//! typed follows from the scripts, and stands in the table here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agent_strace_testing::corpus::outside;
use serde_json::Value;

use crate::world::World;

/// One client's logs, and what they have to show.
struct Client {
    folder: &'static str,
    /// The logs below it.
    logs: &'static str,
    /// Calls beside those that the model sent, and why.
    added: (usize, &'static str),
    /// How many calls did not end well, by their status.
    ended: &'static [(&'static str, usize)],
    prompts: Prompts,
}

/// What the user's prompts are held against.
enum Prompts {
    Typed(usize),
    /// Texts of the host are still read as prompts.
    NotHeld,
}

const SAME: (usize, &str) = (0, "");

const CLIENTS: &[Client] = &[
    Client {
        folder: "codex-0.169.0-gpt-5.5",
        logs: "native",
        added: SAME,
        ended: &[("error", 7)],
        prompts: Prompts::NotHeld,
    },
    Client {
        folder: "codex-0.169.0-enforce",
        logs: "native",
        added: SAME,
        ended: &[("denied", 10), ("error", 1), ("interrupted", 3)],
        prompts: Prompts::NotHeld,
    },
    Client {
        folder: "codex-0.169.0-code-mode-enforce",
        logs: "native",
        added: (9, "each call of a script is one of its own"),
        ended: &[("denied", 2), ("error", 3)],
        prompts: Prompts::NotHeld,
    },
    Client {
        folder: "gemini-cli-0.61.0",
        logs: "native",
        added: SAME,
        ended: &[("error", 11)],
        prompts: Prompts::Typed(1),
    },
    Client {
        folder: "gemini-cli-0.61.0-enforce",
        logs: "native",
        added: SAME,
        ended: &[("denied", 13), ("error", 4)],
        prompts: Prompts::Typed(1),
    },
    Client {
        folder: "copilot-cli-1.0.102",
        logs: "native",
        added: (1, "the client itself reads the output of a shell in the background"),
        ended: &[("error", 7)],
        prompts: Prompts::NotHeld,
    },
    Client {
        folder: "copilot-cli-1.0.102-enforce",
        logs: "native",
        added: SAME,
        ended: &[("denied", 12), ("error", 2)],
        prompts: Prompts::NotHeld,
    },
    Client {
        folder: "kimi-code-2.1.0",
        logs: "native",
        added: SAME,
        ended: &[("error", 8)],
        prompts: Prompts::Typed(2),
    },
    Client {
        folder: "qwen-code-0.24.4",
        logs: "native/chats",
        added: SAME,
        ended: &[("denied", 2), ("error", 6)],
        prompts: Prompts::Typed(1),
    },
];

/// The JSON that a command prints about a client's logs.
fn report(world: &World, arguments: &[&str], logs: &Path) -> Value {
    let mut all = arguments.to_vec();
    all.extend([logs.to_str().unwrap(), "--format", "json"]);
    let answer = world.run(&all);
    serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{all:?}: {answer:?}"))
}

fn sessions(report: &Value) -> &Vec<Value> {
    report["sessions"].as_array().unwrap()
}

fn sum(report: &Value, number: impl Fn(&Value) -> u64) -> u64 {
    sessions(report).iter().map(number).sum()
}

/// All tokens that a provider counts, each once.
fn tokens_sent(usage: &Value) -> u64 {
    let number = |key: &str| usage[key].as_u64();
    let parts = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    let total = number("total_tokens").or_else(|| number("totalTokenCount"));
    total.unwrap_or_else(|| parts.iter().filter_map(|key| number(key)).sum())
}

fn differences(folder: &Path, client: &Client) -> Vec<String> {
    let truth: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("ground-truth.json")).unwrap()).unwrap();
    let (world, logs) = (World::empty(), folder.join(client.logs));
    let stats = report(&world, &["stats"], &logs);
    let effects = report(&world, &["effects"], &logs);
    let mut ended: BTreeMap<String, usize> = BTreeMap::new();
    let mut calls = 0;
    for event in sessions(&effects).iter().flat_map(|session| session["events"].as_array().unwrap()) {
        // A file that a record names outside of a call has no tool.
        if event["tool"].is_null() {
            continue;
        }
        calls += 1;
        if event["status"] != "ok" {
            *ended.entry(event["status"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    let told = |key: &str| sum(&stats, |session| session[key].as_u64().unwrap());
    let used = |key: &str| sum(&stats, |session| session["usage"][key].as_u64().unwrap());
    let tokens = ["input", "output", "cache_read", "cache_write"].iter().map(|key| used(key)).sum::<u64>();
    let sent = usize::try_from(truth["calls_sent"].as_u64().unwrap()).unwrap();
    let wanted: BTreeMap<String, usize> =
        client.ended.iter().map(|(status, count)| ((*status).to_owned(), *count)).collect();
    let mut wrong = Vec::new();
    let mut hold = |what: &str, got: String, wanted: String| {
        if got != wanted {
            wrong.push(format!("{}: {what}: {got}, not {wanted}", client.folder));
        }
    };
    hold("calls", calls.to_string(), (sent + client.added.0).to_string());
    hold("calls of `stats`", told("tool_calls").to_string(), calls.to_string());
    hold("statuses", format!("{ended:?}"), format!("{wanted:?}"));
    let denied = wanted.get("denied").copied().unwrap_or_default();
    hold("refused attempts of `stats`", told("refused").to_string(), denied.to_string());
    // The chats of Qwen Code tell the calls of its agents, but what these used only their own logs.
    if client.folder.starts_with("qwen") {
        return wrong;
    }
    hold("requests", used("requests").to_string(), truth["requests"].to_string());
    hold("tokens", tokens.to_string(), tokens_sent(&truth["usage_sent"]).to_string());
    if let Prompts::Typed(typed) = client.prompts {
        hold("turns", told("turns").to_string(), typed.to_string());
    }
    wrong
}

#[test]
fn what_clients_did_is_what_is_read() {
    let Some(data) = outside("logs of real clients are not held against what their models sent") else { return };
    let clients: PathBuf = data.folder.join("clients");
    let wrong: Vec<String> =
        CLIENTS.iter().flat_map(|client| differences(&clients.join(client.folder), client)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for client in CLIENTS {
        assert!(client.added.0 == 0 || !client.added.1.is_empty(), "{}: more calls without a reason", client.folder);
    }
}

/// A client whose hooks refused calls: none of them is an error, and what was let through passes.
#[test]
fn refused_calls_of_clients_are_attempts() {
    let Some(data) = outside("refused calls of real clients are not judged") else { return };
    let policy =
        r#"{"version": 2, "files": {"read": {"deny": [".env", "secrets/**"]}, "write": {"deny": [".github/**"]}}}"#;
    for (folder, refused) in
        [("codex-0.169.0-code-mode-enforce", 2), ("gemini-cli-0.61.0-enforce", 13), ("copilot-cli-1.0.102-enforce", 12)]
    {
        let world = World::empty();
        world.write(".agent-scope.json", policy);
        let report = report(&world, &["check"], &data.folder.join("clients").join(folder).join("native"));
        let summary = &report["summary"];
        assert_eq!(summary["findings"]["error"], 0, "{folder}: {report}");
        assert_eq!((&summary["attempts"], &summary["gaps"]), (&refused.into(), &0.into()), "{folder}");
    }
}

/// A stream that starts a sub-agent and does not print its calls can't pass.
#[test]
fn a_sub_agent_whose_calls_are_not_printed_is_missing() {
    let Some(data) = outside("streams of real clients are not judged") else { return };
    let streams = ["qwen-code-0.24.4/stream-subagent-only/qwonly.jsonl", "gemini-cli-0.61.0-enforce/stream/gme.jsonl"];
    for stream in streams {
        let world = World::empty();
        world.write(".agent-scope.json", r#"{"files": {"read": {"deny": ["secrets/**"]}}}"#);
        let report = report(&world, &["check"], &data.folder.join("clients").join(stream));
        let rules: Vec<_> = report["findings"].as_array().unwrap().iter().map(|finding| &finding["rule"]).collect();
        assert_eq!(report["exit_code"], 3, "{stream}: {rules:?}");
        assert!(rules.iter().any(|rule| *rule == "evidence/missing-subagent"), "{stream}: {rules:?}");
    }
}
