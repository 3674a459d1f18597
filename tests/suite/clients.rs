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
    /// How many calls did not end well, by their status.
    ended: &'static [(&'static str, usize)],
    apart: Apart,
}

/// The difference between what the logs hold and what the model sent, with its reason.
struct Apart {
    calls: i64,
    requests: i64,
    tokens: i64,
    why: &'static str,
}

/// Prompts that users typed in each of the scripts: the model and other agents said the rest.
const TYPED: u64 = 1;

const SAME: Apart = Apart { calls: 0, requests: 0, tokens: 0, why: "" };

/// A title is asked for beside the conversation, with the same script: the client keeps neither the request nor its calls.
const NO_TITLE: &str = "the client asks for a title, and records nothing of that request";

const CLIENTS: &[Client] = &[
    Client { folder: "claude-code-2.1.210", logs: "native", ended: &[("denied", 4), ("error", 6)], apart: SAME },
    Client { folder: "claude-code-2.1.210-gaps-spoof", logs: "native", ended: &[("error", 1)], apart: SAME },
    Client { folder: "claude-code-2.1.332", logs: "native", ended: &[("denied", 1), ("error", 6)], apart: SAME },
    Client {
        folder: "claude-code-2.1.332-enforce",
        logs: "native",
        ended: &[("denied", 19), ("error", 1)],
        apart: SAME,
    },
    Client { folder: "claude-code-2.1.332-hooks", logs: "native", ended: &[("denied", 2), ("error", 6)], apart: SAME },
    Client { folder: "codex-0.169.0-gpt-5.5", logs: "native", ended: &[("error", 7)], apart: SAME },
    Client {
        folder: "codex-0.169.0-enforce",
        logs: "native",
        ended: &[("denied", 10), ("error", 1), ("interrupted", 3)],
        apart: SAME,
    },
    Client {
        folder: "codex-0.169.0-code-mode-enforce",
        logs: "native",
        ended: &[("denied", 2), ("error", 3)],
        apart: Apart { calls: 9, requests: 0, tokens: 0, why: "each call of a script is one of its own" },
    },
    Client { folder: "gemini-cli-0.61.0", logs: "native", ended: &[("error", 11)], apart: SAME },
    Client { folder: "gemini-cli-0.61.0-enforce", logs: "native", ended: &[("denied", 13), ("error", 4)], apart: SAME },
    Client {
        folder: "copilot-cli-1.0.102",
        logs: "native",
        ended: &[("error", 7)],
        apart: Apart {
            calls: 1,
            requests: 0,
            tokens: 0,
            why: "the client itself reads the output of a shell in the background",
        },
    },
    Client {
        folder: "copilot-cli-1.0.102-enforce",
        logs: "native",
        ended: &[("denied", 12), ("error", 2)],
        apart: SAME,
    },
    Client {
        folder: "hermes-0.19.0",
        logs: "export",
        ended: &[("error", 3)],
        apart: Apart {
            calls: 0,
            requests: -11,
            tokens: -1434,
            why: "the export tells one sum of the conversation, and nothing of single requests or of the one for a title",
        },
    },
    Client { folder: "kimi-code-2.1.0", logs: "native", ended: &[("error", 8)], apart: SAME },
    Client { folder: "mini-swe-agent-2.4.6", logs: "mini.traj.json", ended: &[("error", 3)], apart: SAME },
    Client {
        folder: "opencode-1.18.33",
        logs: "export",
        ended: &[("error", 7)],
        apart: Apart { calls: -3, requests: -1, tokens: -1350, why: NO_TITLE },
    },
    Client { folder: "pi-0.73.1", logs: "native", ended: &[("error", 4)], apart: SAME },
    Client { folder: "pi-0.73.1", logs: "stream", ended: &[("error", 4)], apart: SAME },
    Client {
        folder: "qwen-code-0.24.4",
        logs: "native",
        ended: &[("denied", 2), ("error", 9)],
        apart: Apart {
            calls: 0,
            requests: 4,
            tokens: 5472,
            why: "a sub-agent of another session, whose chat is not there, made the same calls under the same ids",
        },
    },
];

/// Calls that stand in the log of a session and in that of its sub-agent: `effects` shows each log as it is.
const REPEATED: &[(&str, u64)] = &[("qwen-code-0.24.4", 8)];

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
    let sent = |number: u64, apart: i64| number.checked_add_signed(apart).unwrap().to_string();
    let number = |key: &str| truth[key].as_u64().unwrap();
    let apart = &client.apart;
    let wanted: BTreeMap<String, usize> =
        client.ended.iter().map(|(status, count)| ((*status).to_owned(), *count)).collect();
    let mut wrong = Vec::new();
    let mut hold = |what: &str, got: String, wanted: String| {
        if got != wanted {
            wrong.push(format!("{}: {what}: {got}, not {wanted}", client.folder));
        }
    };
    hold("calls", told("tool_calls").to_string(), sent(number("calls_sent"), apart.calls));
    let repeated = REPEATED.iter().find(|(folder, _)| *folder == client.folder).map_or(0, |(_, calls)| *calls);
    hold("calls of `effects`", calls.to_string(), (told("tool_calls") + repeated).to_string());
    hold("statuses", format!("{ended:?}"), format!("{wanted:?}"));
    let denied = wanted.get("denied").copied().unwrap_or_default();
    hold("refused attempts of `stats`", told("refused").to_string(), denied.to_string());
    hold("requests", used("requests").to_string(), sent(number("requests"), apart.requests));
    hold("tokens", tokens.to_string(), sent(tokens_sent(&truth["usage_sent"]), apart.tokens));
    hold("turns", told("turns").to_string(), TYPED.to_string());
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
        let Apart { calls, requests, tokens, why } = &client.apart;
        assert!([calls, requests, tokens] == [&0; 3] || !why.is_empty(), "{}: no reason", client.folder);
    }
    let known: Vec<_> = CLIENTS.iter().map(|client| client.folder).collect();
    for entry in std::fs::read_dir(&clients).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        let is_known = known.iter().any(|known| name.to_str() == Some(known));
        assert!(is_known || !path.join("ground-truth.json").exists(), "{} is not held", path.display());
    }
}

/// A client whose hooks refused calls: none of them is an error, and what was let through passes.
#[test]
fn refused_calls_of_clients_are_attempts() {
    let Some(data) = outside("refused calls of real clients are not judged") else { return };
    let policy =
        r#"{"version": 2, "files": {"read": {"deny": [".env", "secrets/**"]}, "write": {"deny": [".github/**"]}}}"#;
    let clients = [
        ("claude-code-2.1.332-enforce", 19),
        ("codex-0.169.0-code-mode-enforce", 2),
        ("gemini-cli-0.61.0-enforce", 13),
        ("copilot-cli-1.0.102-enforce", 12),
    ];
    for (folder, refused) in clients {
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
    let streams = [
        "qwen-code-0.24.4/stream-subagent-only/qwonly.jsonl",
        "gemini-cli-0.61.0-enforce/stream/gme.jsonl",
        // Only that the agent waits for it is printed.
        "codex-0.169.0-code-mode-enforce/exec-json/cxcode.jsonl",
    ];
    for stream in streams {
        let world = World::empty();
        world.write(".agent-scope.json", r#"{"files": {"read": {"deny": ["secrets/**"]}}}"#);
        let report = report(&world, &["check"], &data.folder.join("clients").join(stream));
        let rules: Vec<_> = report["findings"].as_array().unwrap().iter().map(|finding| &finding["rule"]).collect();
        assert_eq!(report["exit_code"], 3, "{stream}: {rules:?}");
        assert!(rules.iter().any(|rule| *rule == "evidence/missing-subagent"), "{stream}: {rules:?}");
    }
}

/// The way past the hook, and the tool.
type Past = (&'static str, &'static str);

/// Calls of clients past their hooks, by client and store: the ones that were made on purpose, and no other.
const PAST_THE_HOOK: &[(&str, &str, &[Past])] = &[
    ("claude-code-2.1.332-enforce", "store", &[]),
    // It has no hook for text that is typed into a shell.
    ("codex-0.169.0-enforce", "store", &[("no-decision", "write_stdin")]),
    ("codex-0.169.0-code-mode-enforce", "store", &[]),
    ("gemini-cli-0.61.0-enforce", "store", &[]),
    ("copilot-cli-1.0.102-enforce", "store", &[]),
    // A hook that could not run, and a call that prints a refusal of its own.
    ("claude-code-2.1.210-gaps-spoof", "none", &[("no-decision", "Bash"), ("no-decision", "Bash")]),
];

#[test]
fn calls_of_clients_past_their_hooks_are_found() {
    let Some(data) = outside("logs of real clients are not joined with what their hooks decided") else { return };
    for (folder, store, expected) in PAST_THE_HOOK {
        let folder = data.folder.join("clients").join(folder);
        let store = folder.join(store).join(".agent-traces");
        let world = World::empty();
        let report = report(&world, &["--trace-dir", store.to_str().unwrap(), "gaps"], &folder.join("native"));
        let past = sessions(&report).iter().flat_map(|session| session["lapses"].as_array().unwrap());
        let past: Vec<_> = past.map(|past| (past["kind"].as_str().unwrap(), past["tool"].as_str().unwrap())).collect();
        assert_eq!(past, *expected, "{}: {report}", folder.display());
        assert_eq!(sum(&report, |session| session["unknown_calls"].as_u64().unwrap()), 0, "{}", folder.display());
        assert_eq!(report["exit_code"], i32::from(!expected.is_empty()), "{}", folder.display());
    }
}
