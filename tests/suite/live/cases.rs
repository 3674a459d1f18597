//! What is denied while an agent works is what `check` fails afterwards, case by case.

use std::collections::BTreeSet;
use std::fs;

use agent_strace_testing::corpus::{Data, data};
use serde_json::{Value, json};

use super::{before, check, hook, lines, rows};
use crate::cases::{Case, load};
use crate::world::World;

/// The first call that is worth an error, by its place, and everything that is said of it.
type First = Option<(usize, BTreeSet<(String, String)>)>;

#[test]
fn live_and_afterwards_agree_on_every_case() {
    for data in data() {
        all_agree(&data);
    }
}

fn all_agree(data: &Data) {
    let policy = fs::read_to_string(data.cases().join("scope-policy.json")).unwrap();
    let mut wrong = Vec::new();
    let cases = load(&data.cases().join("scope-dev.jsonl"));
    assert!(cases.len() > 100, "cases are missing");
    for case in &cases {
        let (live, afterwards) = (live(case, &policy), afterwards(case, &policy));
        if live != afterwards && !names_own_place(case) {
            wrong.push(format!("{}: live {live:?}\n  afterwards {afterwards:?}", case.id));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// The call names a folder that holds the program of the hook, which only the hook knows of.
fn names_own_place(case: &Case) -> bool {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_agent-strace"));
    let folders = program.ancestors().filter_map(std::path::Path::to_str).filter(|folder| *folder != "/");
    let mut words =
        case.calls.iter().filter_map(|(_, input)| input["command"].as_str()).flat_map(str::split_whitespace);
    let folders: Vec<&str> = folders.collect();
    words.any(|word| folders.contains(&word.trim_end_matches('/')))
}

/// Calls are asked about until one is denied: the others would not have been made.
fn live(case: &Case, policy: &str) -> First {
    let world = World::empty();
    world.write(".agent-scope.json", policy);
    for (place, (tool, input)) in case.calls.iter().enumerate() {
        let answer =
            hook(&world, &["pre-tool", "--enforce", "--fail-closed"], &before(&format!("c{place}"), tool, input));
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{}", case.id);
        let decided = lines(&world, "decisions.ndjson");
        let last = decided.last().unwrap();
        let is_denied = answer.stdout.contains("\"permissionDecision\":\"deny\"");
        assert_eq!(is_denied, last["decision"] == "deny", "{}: {last}", case.id);
        if is_denied {
            return Some((place, said(rows(last, "judged"))));
        }
        assert!(matches!(last["decision"].as_str(), Some("pass" | "context")), "{}: {last}", case.id);
    }
    None
}

fn afterwards(case: &Case, policy: &str) -> First {
    let world = World::empty();
    world.write(".agent-scope.json", policy);
    let calls = case.calls.iter().enumerate();
    let calls = calls.map(|(place, (tool, input))| {
        (
            "tool_call",
            json!({"tool_name": tool, "arguments": input, "tool_use_id": format!("c{place}"), "cwd": "/repo"}),
        )
    });
    let events: Vec<(&str, Value)> = std::iter::once(("session_start", json!({"cwd": "/repo"}))).chain(calls).collect();
    world.session("5e551011", 1_790_000_000, &events);
    let report = check(&world, &[]);
    let findings = rows(&report, "findings");
    let errors = findings.iter().filter(|finding| finding["level"] == "error" && finding["event"] != 0);
    let first = errors.filter_map(|finding| finding["event"].as_u64()).min()?;
    let of_it: Vec<Value> = findings.iter().filter(|finding| finding["event"] == first).cloned().collect();
    Some((usize::try_from(first).unwrap() - 2, said(&of_it)))
}

fn said(findings: &[Value]) -> BTreeSet<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    findings.iter().map(|finding| (text(&finding["rule"]), text(&finding["fingerprint"]))).collect()
}
