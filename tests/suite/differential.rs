//! The Python program whose policies we promise to keep, and we, on the same calls under the same policies: what it
//! denies, we deny, except where `tests/peer-deviations.tsv` says why not.
//!
//! The peer is found through `AGENT_STRACE_PEER`, the path of its executable in a virtual environment; `.ci/run` makes
//! one. Logs and cases are those of this repository, and more where `AGENT_STRACE_ACCEPTANCE` names a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use agent_strace_testing::corpus::{Source, data};
use serde_json::{Value, json};

use crate::world::{in_process, project, skipped};

const POLICIES: &[(&str, &str)] = &[
    (
        "allow and deny",
        r#"{
          "files": {
            "read": {"allow": ["src/**", "tests/**", "docs/**", "*.md", "*.json"], "deny": [".env", "secrets/**"]},
            "write": {"allow": ["src/**", "tests/**", "docs/**", "*.md"], "deny": [".github/**", "*.lock"]}
          },
          "commands": {
            "allow": ["git status", "git diff", "git log", "git show", "git add", "ls", "cat", "sed", "head", "tail",
                      "grep", "rg", "find", "wc", "echo", "printf", "cd", "cargo test", "go test", "npm test", "bash",
                      "gh", "python3", "curl"],
            "deny": ["rm", "git push", "sudo"]
          }
        }"#,
    ),
    (
        "deny only",
        r#"{
          "files": {
            "read": {"deny": [".env", "*.pem", "secrets/**", "*.lock"]},
            "write": {"deny": [".github/**", "*.lock", "README.md", "package.json"]}
          },
          "commands": {"deny": ["rm", "git push", "git checkout", "git reset", "curl", "sudo", "npx", "sed -i"]}
        }"#,
    ),
    ("no network", r#"{"network": {"deny_all": true, "allow": ["api.github.com", "localhost", "*.example.com"]}}"#),
];

/// Asks the peer's own evaluation; one line for each entry that it denies.
const DRIVER: &str = r#"
import json, os, sys
from agent_trace.audit import Policy, _audit_event
from agent_trace.models import EventType
from agent_trace.store import TraceStore
root = sys.argv[1]
policy = Policy.load(sys.argv[2])
store = TraceStore(root)
for session in sorted(os.listdir(root)):
    if not os.path.isdir(os.path.join(root, session)):
        continue
    for index, event in enumerate(store.load_events(session)):
        if event.event_type != EventType.TOOL_CALL:
            continue
        try:
            entries = _audit_event(event, index + 1, policy)
        except (AttributeError, TypeError):
            # It has no opinion about arguments of another shape than its own.
            continue
        for entry in entries:
            if entry.verdict == "denied":
                print(json.dumps([session, event.event_id, entry.action, entry.reason]))
"#;

struct Call {
    arguments: Value,
    directory: String,
}

/// The calls by session and event id.
type Calls = BTreeMap<(String, String), Call>;

struct Denial {
    session: String,
    event: String,
    action: String,
    reason: String,
}

#[test]
fn what_the_peer_denies_we_deny() {
    let Some(python) = peer() else { return };
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let mut calls = Calls::new();
    let logs = project().join("fixtures/logs");
    for file in &files(&logs) {
        add_log(&store, file, &mut calls);
    }
    let data = data();
    for data in &data {
        for file in &files(&data.corpus()) {
            add_log(&store, file, &mut calls);
        }
        add_cases(&store, &data.cases().join("scope-dev.jsonl"), &mut calls);
    }
    assert!(calls.len() > 50, "only {} calls were found", calls.len());
    let effects = hosts(&store);
    let rows = table();
    let mut used: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut unexplained = String::new();
    let mut denials = 0;
    for (name, policy) in POLICIES {
        let file = folder.path().join("policy.json");
        fs::write(&file, policy).unwrap();
        let ours = refused(&store, &file);
        for denial in denied_by_peer(&python, &store, &file) {
            denials += 1;
            let key = (denial.session.clone(), denial.event.clone());
            if ours.contains(&key) {
                continue;
            }
            match class(&denial, &calls[&key], effects.get(&key)) {
                Some(class) if rows.contains_key(class) => *used.entry(class).or_default() += 1,
                _ => {
                    let call = &calls[&key];
                    writeln!(unexplained, "{name}: {} ({})\n  {}", denial.action, denial.reason, call.arguments)
                        .unwrap();
                }
            }
        }
    }
    eprintln!("{} calls, {denials} denied by the peer, deviations: {used:?}", calls.len());
    assert!(denials > 0, "the peer denied nothing: it was not asked what we think");
    assert!(
        unexplained.is_empty(),
        "denied by the peer, not by us, and not in tests/peer-deviations.tsv:\n{unexplained}"
    );
    if data.iter().any(|data| data.source == Source::Outside) {
        let idle: Vec<&String> = rows.keys().filter(|row| !used.contains_key(row.as_str())).collect();
        assert!(idle.is_empty(), "tests/peer-deviations.tsv explains what never happens: {idle:?}");
    }
}

/// The interpreter that has the peer.
fn peer() -> Option<PathBuf> {
    let Some(executable) = std::env::var_os("AGENT_STRACE_PEER") else {
        skipped("nothing is compared with the peer: AGENT_STRACE_PEER names no executable of it");
        return None;
    };
    let python = Path::new(&executable).with_file_name("python3");
    assert!(python.exists(), "AGENT_STRACE_PEER: there is no {} beside it", python.display());
    Some(python)
}

/// Class → why we differ.
fn table() -> BTreeMap<String, String> {
    let text = fs::read_to_string(project().join("tests/peer-deviations.tsv")).unwrap();
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let (class, reason) = line.split_once('\t').unwrap_or_else(|| panic!("no reason: {line}"));
            (class.to_owned(), reason.to_owned())
        })
        .collect()
}

/// Which deviation a disagreement is; nothing in it is known to be one otherwise.
fn class(denial: &Denial, call: &Call, hosts: Option<&BTreeSet<String>>) -> Option<&'static str> {
    let text = call.arguments["command"].as_str().unwrap_or_default().trim_start();
    let first = text.split_whitespace().next().unwrap_or_default();
    match denial.reason.as_str() {
        "not in files.read.allow" | "not in files.write.allow" => {
            let (tool, path) = denial.action.split_once(' ')?;
            if tool.eq_ignore_ascii_case("glob") {
                return Some("names-of-files");
            }
            let path = path.replace('\\', "/");
            let directory = call.directory.replace('\\', "/");
            let inside = path.strip_prefix(&directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            if inside { Some("absolute-path-in-workspace") } else { quoted(&path) }
        }
        "denied by network.deny_all" => {
            let host = denial.action.strip_prefix("Network access ")?.to_lowercase();
            (!hosts.is_some_and(|hosts| hosts.contains(&host))).then_some("url-in-data")
        }
        "not in commands.allow" => {
            let syntax = matches!(first, "for" | "while" | "until" | "if" | "case" | "{" | "[[" | "!");
            if syntax || first.starts_with(['#', '(']) {
                Some("syntax-around-commands")
            } else if first.split_once('=').is_some_and(|(name, _)| is_name(name)) {
                Some("assignment-before-command")
            } else {
                quoted(text)
            }
        }
        _ => None,
    }
}

/// Python's way to write a text, as its decorator records arguments; a long one is cut.
fn quoted(text: &str) -> Option<&'static str> {
    text.starts_with('\'').then_some("python-literal")
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|character| character == '_' || character.is_ascii_alphanumeric())
}

fn denied_by_peer(python: &Path, store: &Path, policy: &Path) -> Vec<Denial> {
    #[expect(clippy::disallowed_methods, reason = "the peer is another program")]
    let output = Command::new(python)
        .args(["-c", DRIVER])
        .args([store, policy])
        .env("DO_NOT_TRACK", "1")
        .env("AGENT_STRACE_TELEMETRY", "0")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| {
            let [session, event, action, reason] = serde_json::from_str(line).unwrap();
            Denial { session, event, action, reason }
        })
        .collect()
}

/// The calls that an error of ours is about.
fn refused(store: &Path, policy: &Path) -> BTreeSet<(String, String)> {
    let report = run(store, &["check", "--policy", policy.to_str().unwrap(), "--format", "json"]);
    let findings = report["findings"].as_array().unwrap();
    assert!(!findings.is_empty());
    findings.iter().filter(|finding| finding["level"] == "error").filter_map(event_of).collect()
}

fn event_of(value: &Value) -> Option<(String, String)> {
    Some((value["session"].as_str()?.to_owned(), value["event_id"].as_str()?.to_owned()))
}

/// The hosts that each call connects to.
fn hosts(store: &Path) -> BTreeMap<(String, String), BTreeSet<String>> {
    let report = run(store, &["effects", "--format", "json"]);
    let mut all: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for session in report["sessions"].as_array().unwrap() {
        for event in session["events"].as_array().unwrap() {
            let key = (session["id"].as_str().unwrap().to_owned(), event["event_id"].as_str().unwrap().to_owned());
            // A word that only names a host may connect to it, and only a deny of that host speaks of it.
            let effects = event["effects"].as_array().unwrap().iter();
            let certain = effects.filter(|effect| effect["certainty"] != "possible");
            let hosts = certain.filter_map(|effect| effect["host"].as_str());
            all.entry(key).or_default().extend(hosts.map(str::to_owned));
        }
    }
    all
}

fn run(store: &Path, arguments: &[&str]) -> Value {
    let mut all = vec!["--trace-dir", store.to_str().unwrap()];
    all.extend(arguments);
    let answer = in_process(&all);
    serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {}", answer.stderr))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path
            .extension()
            .is_some_and(|extension| extension == "json" || extension == "jsonl" || extension == "ndjson")
        {
            found.push(path);
        }
    }
    found
}

/// Each log becomes one session: what its records call, in their order, whatever agent wrote them.
fn add_log(store: &Path, file: &Path, calls: &mut Calls) {
    let text = String::from_utf8_lossy(&fs::read(file).unwrap()).into_owned();
    let mut found = Found::default();
    match serde_json::from_str::<Value>(&text) {
        Ok(document) => found.walk(&document, 0),
        Err(_) => {
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).for_each(|value| found.walk(&value, 0));
        }
    }
    add_session(store, found.directory.as_deref().unwrap_or("/repo"), &found.calls, calls);
}

fn add_cases(store: &Path, file: &Path, calls: &mut Calls) {
    for line in fs::read_to_string(file).unwrap().lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let steps = match (case["tool"].as_str().unwrap(), &case["input"]) {
            ("seq", Value::Array(steps)) => {
                steps.iter().map(|step| (step[0].as_str().unwrap().to_owned(), step[1].clone())).collect()
            }
            (tool, input) => vec![(tool.to_owned(), input.clone())],
        };
        add_session(store, "/repo", &steps, calls);
    }
}

#[derive(Default)]
struct Found {
    directory: Option<String>,
    calls: Vec<(String, Value)>,
}

impl Found {
    /// Every object with a name and arguments is a call.
    fn walk(&mut self, value: &Value, depth: usize) {
        if depth > 24 {
            return;
        }
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.walk(value, depth + 1)),
            Value::Object(map) => {
                let text = |keys: &[&str]| keys.iter().find_map(|key| map.get(*key)?.as_str());
                if self.directory.is_none() {
                    self.directory = text(&["cwd"]).map(str::to_owned);
                }
                let name = text(&["name", "toolName", "tool_name", "function_name"]);
                let arguments = ["input", "arguments", "args"].iter().find_map(|key| match map.get(*key)? {
                    Value::String(text) => serde_json::from_str(text).ok().filter(Value::is_object),
                    object @ Value::Object(_) => Some(object.clone()),
                    _ => None,
                });
                if let (Some(name), Some(arguments)) = (name, arguments) {
                    let call = as_the_peer_knows_it(name, arguments);
                    if !self.calls.contains(&call) {
                        self.calls.push(call);
                    }
                }
                map.values().for_each(|value| self.walk(value, depth + 1));
            }
            _ => {}
        }
    }
}

/// Commands of all agents under the one name that the peer judges.
fn as_the_peer_knows_it(tool: &str, arguments: Value) -> (String, Value) {
    let command = match (&arguments["command"], &arguments["cmd"]) {
        (Value::String(text), _) | (_, Value::String(text)) => Some(text.clone()),
        (Value::Array(words), _) => {
            Some(words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")).filter(|text| !text.is_empty())
        }
        _ => None,
    };
    match command {
        Some(command) if tool != "PowerShell" => ("Bash".to_owned(), json!({"command": command})),
        _ => (tool.to_owned(), arguments),
    }
}

fn add_session(store: &Path, directory: &str, steps: &[(String, Value)], calls: &mut Calls) {
    if steps.is_empty() {
        return;
    }
    let id = format!("{:016x}", calls.len());
    let folder = store.join(&id);
    fs::create_dir_all(&folder).unwrap();
    let meta = json!({
        "session_id": id, "started_at": 1_700_000_000.0, "ended_at": 1_700_000_100.0, "agent_name": "claude-code",
        "attribution": {"working_dir": directory},
    });
    fs::write(folder.join("meta.json"), meta.to_string()).unwrap();
    let mut lines = String::new();
    for (at, (tool, arguments)) in steps.iter().enumerate() {
        let event = format!("{at:012x}");
        let line = json!({
            "event_type": "tool_call", "timestamp": 1_700_000_000.0, "event_id": event, "session_id": id,
            "data": {"tool_name": tool, "arguments": arguments},
        });
        writeln!(lines, "{}", ascii(&line.to_string())).unwrap();
        let call = Call { arguments: arguments.clone(), directory: directory.to_owned() };
        calls.insert((id.clone(), event), call);
    }
    fs::write(folder.join("events.ndjson"), lines).unwrap();
}

/// JSON without line separators that only Python takes for such.
fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_ascii() {
            out.push(character);
        } else {
            character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| write!(out, "\\u{unit:04x}").unwrap());
        }
    }
    out
}
