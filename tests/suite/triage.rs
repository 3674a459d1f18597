//! `replay`, `explain`, `why`, `annotate`: what they say is what the gate says, and nothing of a log gets through raw.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::world::World;

/// The lines behind a mark, up to the next one that is not indented as deep, without their indentation.
fn block(text: &str, mark: &str) -> String {
    let lines = text.lines().skip_while(|line| !line.contains(mark)).skip(1);
    let lines: Vec<&str> = lines.map_while(|line| line.strip_prefix("      ")).collect();
    assert!(!lines.is_empty(), "{mark} in {text}");
    lines.join("\n") + "\n"
}

fn filled(entry: &str) -> String {
    entry.replace("WHY", "INC-1").replace("@WHO", "@ana").replace("YYYY-MM-DD", "2027-01-31")
}

#[test]
fn the_suppression_that_explain_proposes_suppresses_that_finding_alone() {
    let world = World::demo();
    let now = ["--now", "2026-10-01T00:00:00Z"];
    let check = || {
        let answer = world.run(&[&["check", "7c9e", "--format", "json"], &now[..]].concat());
        let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
        let findings = report["findings"].as_array().unwrap();
        let rules: Vec<String> = findings.iter().map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect();
        (rules, report["summary"]["suppressed"].as_u64().unwrap())
    };
    let explain = |rule: &str| world.run(&[&["explain", rule], &now[..]].concat());
    let (before, _) = check();
    let story = explain("b218979244f5");
    assert_eq!(story.code, 0, "{story:?}");
    world.write(".agent-strace.yaml", &filled(&block(&story.stdout, "in .agent-strace.yaml:")));
    let (after, suppressed) = check();
    // The push to the remote is another finding of the rule.
    let mut rest = before;
    let first = rest.iter().position(|rule| rule == "scope/network").unwrap();
    rest.remove(first);
    assert_eq!((after, suppressed), (rest, 1));
    assert_eq!(explain("b218979244f5").code, 2);
    // What stands behind a finding is told.
    let story = explain("scope/read");
    assert!(story.stdout.contains("scope/sensitive stands then"), "{story:?}");
    world.write(".agent-strace.yaml", &filled(&block(&story.stdout, "in .agent-strace.yaml:")));
    let (after, suppressed) = check();
    assert!(suppressed == 1 && after.contains(&"scope/sensitive".to_owned()), "{after:?}");
}

#[test]
fn the_exception_that_explain_proposes_is_one_of_the_policy() {
    let world = World::empty();
    world.write(".agent-scope.json", r#"{"version": 2}"#);
    let call = json!({"tool_name": "Write", "arguments": {"file_path": ".agent-scope.json", "content": "{}"}});
    world.session("s1", 1_790_000_000, &[("tool_call", call)]);
    let now = ["--now", "2026-10-01T00:00:00Z"];
    let story = world.run(&[&["explain", "floor/policy"], &now[..]].concat());
    assert_eq!(story.code, 0, "{story:?}");
    let entry = filled(&block(&story.stdout, "`exceptions` of a policy"));
    world.write(".agent-scope.json", &format!("{{\"version\": 2, \"exceptions\": [{entry}]}}"));
    let gone = world.run(&[&["explain", "floor/policy"], &now[..]].concat());
    assert_eq!((gone.code, gone.stderr.contains("does not count: exception until 2027-01-31")), (2, true), "{gone:?}");
}

/// One evaluator: every finding of `check` stands in `replay` at its event, and no other.
#[test]
fn replay_shows_the_findings_of_check_at_their_events() {
    let world = World::demo();
    for session in ["7c9e02b6411fa8d4", "20ab41c07d5e9f13", "logs/codex.jsonl", "logs/claude-code.jsonl"] {
        let report = world.run(&["check", session, "--format", "json"]);
        let report: Value = serde_json::from_str(&report.stdout).unwrap();
        let found = report["findings"].as_array().unwrap().iter().map(|finding| {
            let fingerprint = finding["fingerprint"].as_str().unwrap();
            (finding["event"].as_u64().unwrap(), fingerprint[..12].to_owned())
        });
        let found: BTreeSet<(u64, String)> = found.collect();
        let replay = world.run(&["replay", session]);
        assert_eq!(replay.code, 0, "{replay:?}");
        let (mut event, mut shown) = (0, BTreeSet::new());
        for line in replay.stdout.lines() {
            if let Some(rest) = line.strip_prefix(" #") {
                event = rest.trim_start().split(' ').next().unwrap().parse().unwrap();
            }
            if let Some(fingerprint) = line.trim_start().strip_prefix("explain ") {
                shown.insert((event, fingerprint.to_owned()));
            }
        }
        assert_eq!(shown, found, "{session}");
        for (_, fingerprint) in found {
            let story = world.run(&["explain", "--finding", &fingerprint, "--session", session]);
            assert_eq!(story.code, 0, "{story:?}");
        }
    }
}

/// Every number that `replay` shows can be asked about, and leads back to a beginning.
#[test]
fn every_event_of_a_replay_has_a_chain() {
    let world = World::demo();
    for number in 1..=14_u64 {
        let answer = world.run(&["why", "7c9e", &number.to_string(), "--format", "json"]);
        assert_eq!(answer.code, 0, "{answer:?}");
        let document: Value = serde_json::from_str(&answer.stdout).unwrap();
        let chain = document["chain"].as_array().unwrap();
        let numbers: Vec<u64> = chain.iter().map(|step| step["event"].as_u64().unwrap()).collect();
        assert!(numbers.is_sorted_by(|left, right| left < right), "{numbers:?}");
        assert_eq!((numbers.last(), &document["event"]), (Some(&number), &json!(number)));
        assert_eq!(chain[0]["link"], Value::Null);
    }
}

const SECRET: &str = "AKIAIOSFODNN7EXAMPLQ";

/// Logs and notes are written by agents and attackers.
#[test]
fn nothing_of_a_log_gets_through_raw() {
    let world = World::empty();
    let hostile = format!("\u{1b}[2J\u{202e}\n::error ::x\n##[group]y {SECRET}");
    world.write(".agent-scope.json", r#"{"files": {"read": {"allow": ["src/**"]}}, "commands": {"allow": ["ls"]}}"#);
    world.session(
        "s1",
        1_790_000_000,
        &[
            ("user_prompt", json!({"prompt": hostile})),
            ("assistant_response", json!({"text": format!("AKIA**IOSFODNN7EXAMPLQ** {hostile}")})),
            ("tool_call", json!({"tool_name": hostile, "tool_use_id": "a", "arguments": {"command": hostile}})),
            ("tool_result", json!({"tool_name": hostile, "tool_use_id": "a", "is_error": true, "result": hostile})),
            ("tool_call", json!({"tool_name": "Read", "tool_use_id": "b", "arguments": {"file_path": hostile}})),
            ("tool_result", json!({"tool_name": "Read", "tool_use_id": "b", "result": hostile})),
            ("tool_call", json!({"tool_name": "x", "arguments": {hostile.clone(): [1], "b": hostile}})),
            ("decision", json!({"choice": hostile})),
            ("session_end", json!({"status": "failed", "reason": hostile})),
        ],
    );
    let meta = json!({
        "session_id": "s1", "started_at": 1_790_000_000, "agent_name": hostile, "parent_session_id": hostile,
        "attribution": {"working_dir": "/w", "os_user": hostile, "git_branch": hostile},
    });
    world.write(".agent-traces/s1/meta.json", &meta.to_string());
    let noted = world.run(&[
        "annotate",
        "s1",
        "3",
        "--note",
        &hostile,
        "--label",
        &hostile,
        "--author",
        &hostile,
        "--now",
        "2026-10-01T00:00:00Z",
    ]);
    assert_eq!(noted.code, 0, "{noted:?}");
    let all = world.run(&["check", "s1", "--format", "json"]);
    let report: Value = serde_json::from_str(&all.stdout).unwrap();
    let fingerprints = report["findings"].as_array().unwrap().iter();
    let fingerprints: Vec<String> =
        fingerprints.map(|finding| finding["fingerprint"].as_str().unwrap().to_owned()).collect();
    assert!(fingerprints.len() > 2, "{report}");
    let fixed: [&[&str]; 12] = [
        &["replay", "s1"],
        &["replay", "s1", "--tree"],
        &["replay", "s1", "--expand-subagents"],
        &["replay", "s1", "--around", "#3"],
        &["explain", "s1"],
        &["explain", "s1", "--format", "json"],
        &["why", "s1", "5"],
        &["why", "s1", "9", "--format", "json"],
        &["timeline", "s1"],
        &["show", "s1"],
        &["annotate", "s1", "--list"],
        &["explain", "scope/command"],
    ];
    let stories = fingerprints.iter().map(|fingerprint| vec!["explain", fingerprint.as_str()]);
    for args in fixed.iter().map(|args| args.to_vec()).chain(stories) {
        let answer = world.run(&args);
        assert!([0, 2, 3].contains(&answer.code), "{args:?}: {answer:?}");
        for text in [&answer.stdout, &answer.stderr] {
            assert!(!text.contains(SECRET), "{args:?}: {text}");
            assert!(!text.contains(['\u{1b}', '\u{202e}']) && !text.contains("##["), "{args:?}: {text}");
            assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{args:?}: {text}");
        }
    }
}

/// Notes beside the events are neither logs nor evidence, wherever they are found.
#[test]
fn notes_change_no_verdict() {
    let world = World::demo();
    let run = |args: &[&str]| world.run(&[&["check"], args].concat());
    let before = [run(&[]), run(&[".agent-traces"])];
    for event in ["3", "5"] {
        let noted = world.run(&["annotate", "7c9e", event, "--note", "x", "--now", "2026-10-01T00:00:00Z"]);
        assert_eq!(noted.code, 0, "{noted:?}");
    }
    assert_eq!(before, [run(&[]), run(&[".agent-traces"])]);
    let id = world.run(&["annotate", "7c9e", "--list"]).stdout;
    let id = id.split("note ").nth(1).unwrap().split(':').next().unwrap();
    assert_eq!(world.run(&["annotate", "7c9e", "12", "--delete", id]).code, 0);
    assert_eq!(world.run(&["annotate", "7c9e", "--list"]).stdout.lines().count(), 1);
}

/// Sessions that name each other as their parents are each shown once, however deep.
#[test]
fn families_without_an_end_are_shown_once() {
    let world = World::empty();
    for (id, parent) in [("a1", "c3"), ("b2", "a1"), ("c3", "b2"), ("d4", "d4")] {
        world.session(id, 1_790_000_000, &[("user_prompt", json!({"prompt": format!("of {id}")}))]);
        let meta = json!({"session_id": id, "started_at": 1_790_000_000, "parent_session_id": parent});
        world.write(&format!(".agent-traces/{id}/meta.json"), &meta.to_string());
    }
    for id in ["a1", "d4"] {
        let answer = world.run(&["replay", id, "--expand-subagents"]);
        assert_eq!(answer.code, 0, "{answer:?}");
        assert_eq!(answer.stdout.matches(&format!("\"of {id}\"")).count(), 1, "{answer:?}");
        assert_eq!(world.run(&["replay", id, "--tree"]).code, 0);
    }
    // Deeper than is shown: named, not dropped.
    let mut parent = String::new();
    for depth in 0..12 {
        let id = format!("deep{depth:02}");
        world.session(&id, 1_790_000_000, &[("user_prompt", json!({"prompt": "x"}))]);
        let meta = json!({"session_id": id, "started_at": 1_790_000_000, "parent_session_id": parent});
        world.write(&format!(".agent-traces/{id}/meta.json"), &meta.to_string());
        parent = id;
    }
    let answer = world.run(&["replay", "deep00", "--expand-subagents"]);
    assert!(
        answer.stdout.contains("session deep08") && answer.stdout.contains("`agent-strace replay deep09` shows it"),
        "{answer:?}"
    );
    let tree = world.run(&["replay", "deep00", "--tree"]).stdout;
    assert!(tree.contains("deep11") && tree.contains("12 sessions"), "{tree}");
}
