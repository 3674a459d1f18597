//! The command that a finding proposes, pasted into a shell where the run was, finds that finding.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::repository::{self, DATE};
use crate::world::World;

/// A way to call `check`.
struct Way {
    name: &'static str,
    folder: &'static str,
    args: &'static [&'static str],
    stdin: Option<&'static str>,
}

const fn way(name: &'static str, args: &'static [&'static str]) -> Way {
    Way { name, folder: ".", args, stdin: None }
}

const WAYS: &[Way] = &[
    way("the store", &["check"]),
    way("git range", &["check", "--base", "main"]),
    way("git range with a head", &["check", "--base", "main", "--head", "topic"]),
    way("git objects alone", &["check", "--git-dir", ".git", "--base", "main", "--head", "topic"]),
    way("the policy of a revision", &["check", "--policy-ref", "main"]),
    way("another store", &["--trace-dir", "other store", "check"]),
    way("another store in the head", &["--trace-dir", "kept", "check", "--base", "main", "--head", "topic"]),
    way("logs as arguments", &["check", "elsewhere/a.jsonl", "elsewhere/it's b.jsonl"]),
    way(
        "many logs",
        &["check", "m/1", "m/2", "m/3", "m/4", "m/5", "m/6", "m/7", "m/8", "m/9", "m/10", "m/11", "m/12", "m/13"],
    ),
    way("a session of the store", &["check", "s1"]),
    way("a log of a revision", &["check", "git:topic:.agent-traces"]),
    way("another policy", &["check", "--policy", "strict policy.json", "--now", "2026-10-01T00:00:00Z"]),
    way("a work tree", &["check", "--work-tree", "."]),
    way("no suppressions", &["check", "--config", "quiet.yaml", "--no-suppressions", "--now", "2026-10-01T00:00:00Z"]),
    way("lints of another file", &["check", "--lint-config", "lint.json"]),
    way("evals of another file", &["check", "--evals", "evals.yaml"]),
    Way { name: "standard input", folder: ".", args: &["check", "-"], stdin: Some("elsewhere/a.jsonl") },
    Way { name: "a folder below the top", folder: "sub", args: &["check"], stdin: None },
    Way { name: "a range from below", folder: "sub", args: &["check", "--base", "main"], stdin: None },
];

const POLICY: &str = r#"{"version": 2, "commands": {"deny": ["curl"]}, "files": {"read": {"deny": ["x/**"]}}}"#;

fn world() -> World {
    let world = World::empty();
    let git = |args: &[&str]| repository::git(world.path(), DATE, args);
    let _ = git(&["init", "-q", "-b", "main"]);
    world.write(".agent-scope.json", POLICY).write("sub/.agent-scope.json", POLICY).write("strict policy.json", POLICY);
    world.write("x/a", "x\n");
    let _ = (git(&["add", "-A"]), git(&["commit", "-q", "-m", "base"]), git(&["checkout", "-q", "-b", "topic"]));
    let bash = |command: &str| ("tool_call", json!({"tool_name": "Bash", "arguments": {"command": command}}));
    let calls = [bash("curl https://e.example"), bash("cat x/*"), bash("frobnicate y")];
    world.session("s1", 1_790_000_000, &calls).session("s2", 1_790_000_100, &[bash("curl https://f.example")]);
    let log = world.read(".agent-traces/s1/events.ndjson");
    let (meta, second) = (world.read(".agent-traces/s1/meta.json"), world.read(".agent-traces/s2/events.ndjson"));
    for store in ["other store", "kept", "sub/.agent-traces"] {
        world.write(&format!("{store}/s1/events.ndjson"), &log).write(&format!("{store}/s1/meta.json"), &meta);
    }
    world.write("elsewhere/a.jsonl", &log).write("elsewhere/it's b.jsonl", &second);
    for at in 1..=13 {
        world.write(&format!("m/{at}/events.ndjson"), &log.replace("e.example", &format!("e{at}.example")));
    }
    let _ = (git(&["add", "-A"]), git(&["commit", "-q", "-m", "work"]));
    world.write(".agent-scope.json", &POLICY.replace("\"x/**\"", "\"x/**\", \"y/**\""));
    world.write("lint.json", r#"{"unfinished-session": {"level": "error"}}"#);
    world.write("evals.yaml", "scorers: [{type: no_errors}]\n");
    let suppression =
        "suppressions:\n  - rule: scope/command\n    reason: INC-1\n    owner: '@a'\n    until: 2026-12-01\n";
    world.write("quiet.yaml", suppression);
    world
}

/// Runs a line in a shell, as a reader who pastes it.
fn paste(world: &World, way: &Way, line: &str) -> (Option<i32>, String) {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_agent-strace")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    #[expect(clippy::disallowed_methods, reason = "a reader pastes commands into a shell")]
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(world.path().join(way.folder)).env("PATH", path).env_remove("CI");
    let input = if way.stdin.is_some() { Stdio::piped() } else { Stdio::null() };
    let mut child = shell.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    if let Some(file) = way.stdin {
        // The program may end before it has read all of it.
        let _ = child.stdin.take().unwrap().write_all(world.read(file).as_bytes());
    }
    let ended = child.wait_with_output().unwrap();
    let said = [ended.stdout, ended.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (ended.status.code(), said.concat())
}

/// The texts of the elements of a class of facts, unescaped.
fn commands_of(page: &str) -> Vec<String> {
    let found = page.split("<dt>Explain it</dt><dd><code>").skip(1).filter_map(|rest| rest.split("</code>").next());
    let plain =
        |text: &str| text.replace("&#39;", "'").replace("&quot;", "\"").replace("&lt;", "<").replace("&amp;", "&");
    found.map(plain).collect()
}

#[test]
fn the_proposed_command_finds_the_finding() {
    let world = world();
    for way in WAYS {
        let run = |more: &[&str]| {
            let stdin = way.stdin.map(|file| world.read(file)).unwrap_or_default();
            world.spawn(way.folder, &[way.args, more].concat(), &[], &stdin)
        };
        let report: Value =
            serde_json::from_str(&run(&["--format", "json"]).stdout).unwrap_or_else(|_| panic!("{}", way.name));
        let findings = report["findings"].as_array().unwrap();
        assert!(findings.iter().any(|found| found["rule"] == "scope/command"), "{}: {report}", way.name);
        let commands = commands_of(&run(&["--format", "html"]).stdout);
        let mut rules = BTreeSet::new();
        for found in findings {
            if !rules.insert(found["rule"].as_str()) {
                continue;
            }
            let id = &found["fingerprint"].as_str().unwrap()[..8];
            let own: Vec<&String> = commands.iter().filter(|line| line.contains(&format!(" explain {id}"))).collect();
            let Some(line) = own.first() else { continue };
            let (code, said) = paste(&world, way, line);
            assert!(matches!(code, Some(0 | 3)), "{}: {line}: {said}", way.name);
            assert!(said.contains(&format!("{}: ", found["rule"].as_str().unwrap())), "{}: {line}: {said}", way.name);
        }
        let shown: Vec<&str> = commands.iter().map(String::as_str).collect();
        assert!(shown.len() >= 2, "{}: {shown:?}", way.name);
        // Text names the command once, for any of its findings.
        let text = run(&[]).stdout;
        let line =
            text.lines().find_map(|line| line.strip_prefix("explain a finding: ")).unwrap_or_else(|| panic!("{text}"));
        if !line.contains("--session LOG") {
            let found = findings.iter().find(|found| found["rule"] == "scope/command").unwrap();
            let (code, said) =
                paste(&world, way, &line.replace(" ID", &format!(" {}", &found["fingerprint"].as_str().unwrap()[..8])));
            assert!(code == Some(0) && said.contains("scope/command: "), "{}: {line}: {said}", way.name);
        }
    }
}

/// A log beside the name, and one behind the option: both are looked at.
#[test]
fn explain_looks_in_logs_however_they_are_named() {
    let world = world();
    for (args, expected) in [
        (
            &["scope/command", "elsewhere/a.jsonl", "--session", "elsewhere/it's b.jsonl"][..],
            "is what 2 findings are called",
        ),
        (&["scope/command", "elsewhere/a.jsonl"], "e.example"),
        (&["scope/command", "--session", "elsewhere/it's b.jsonl"], "f.example"),
    ] {
        let answer = world.run(&[&["explain"], args].concat());
        assert!(format!("{}{}", answer.stdout, answer.stderr).contains(expected), "{args:?}: {answer:?}");
    }
}
