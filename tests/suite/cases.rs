//! The score board: adversarial and benign calls, each with the verdict it must get, through the whole program.
//!
//! `fixtures/real` holds a selection of the cases; `AGENT_STRACE_ACCEPTANCE` names a folder with all of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use agent_strace_testing::corpus::{Data, Source, data};
use serde_json::{Value, json};

use crate::world::in_process;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Deny,
    Unresolved,
    Allow,
    /// The gate could not judge: exit code 2 or 3, or no report.
    Broken,
}

pub(crate) struct Case {
    pub(crate) id: String,
    family: String,
    expect: String,
    shown: String,
    pub(crate) calls: Vec<(String, Value)>,
}

#[test]
fn every_case_gets_its_verdict() {
    for data in data() {
        all_get_their_verdict(&data);
    }
}

fn all_get_their_verdict(data: &Data) {
    let policy = data.cases().join("scope-policy.json");
    let cases = load(&data.cases().join("scope-dev.jsonl"));
    assert!(cases.len() > data.either(150, 300), "only {} cases", cases.len());
    let mut board = Board::default();
    for case in &cases {
        let (answer, report) = judge(case, &policy);
        board.count(case, answer, &report);
    }
    board.print();
    assert!(
        board.caught * 100 >= board.hostile * 85,
        "only {} of {} hostile cases are caught",
        board.caught,
        board.hostile
    );
    assert!(board.opened.is_empty(), "reported as allowed although not resolved:\n{}", board.opened.join("\n"));
    assert!(board.refused.is_empty(), "harmless but refused:\n{}", board.refused.join("\n"));
}

/// The cases again by the same policy without its allow lists: it denies, and says nothing about the rest. Every verdict
/// that differs stands in `tests/deny-only.tsv` with its reason.
#[test]
fn a_policy_that_only_denies_still_denies() {
    for data in data() {
        all_still_denied(&data);
    }
}

fn all_still_denied(data: &Data) {
    let full = data.cases().join("scope-policy.json");
    let lists = ["/files/read/allow", "/files/write/allow", "/commands/allow", "/network/allow"];
    let world = tempfile::tempdir().unwrap();
    let (exceptions, none) = (world.path().join("exceptions.json"), world.path().join("none.json"));
    fs::write(&exceptions, without(&full, lists.get(..3).unwrap())).unwrap();
    fs::write(&none, without(&full, &lists)).unwrap();
    let mut rows = Vec::new();
    let mut wrong = Vec::new();
    let cases = load(&data.cases().join("scope-dev.jsonl"));
    for case in &cases {
        let [full, exceptions, none] = [&full, &exceptions, &none].map(|policy| weight(&judge(case, policy).1));
        // A note refuses nothing.
        let rulings = [full, exceptions, none].map(|weight| if weight == "note" { "allow" } else { weight });
        if rulings.iter().any(|ruling| *ruling != rulings[0]) {
            rows.push((case.id.clone(), format!("{}\t{}", case.id, rulings.join("\t"))));
        }
        // Whatever the lists are: nothing harmless is refused, nothing unresolved passes for allowed.
        let bad = match case.expect.as_str() {
            "allow" => !matches!(exceptions, "allow" | "note"),
            "unresolved" => !is_by_design(case) && (exceptions == "allow" || none == "allow"),
            _ => false,
        };
        if bad {
            wrong.push(format!("{}: {full}, {exceptions}, {none}: {}", case.id, case.shown));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let table = fs::read_to_string(crate::world::project().join("tests/deny-only.tsv")).unwrap();
    let mut explained: BTreeMap<&str, &str> =
        table.lines().skip(1).filter_map(|line| Some((line.split('\t').next()?, line.rsplit_once('\t')?.0))).collect();
    if data.source == Source::Shipped {
        // It is a selection of the cases that the table explains.
        explained.retain(|id, _| cases.iter().any(|case| case.id == **id));
    }
    let new: Vec<&str> = rows
        .iter()
        .filter(|(id, row)| explained.get(id.as_str()) != Some(&row.as_str()))
        .map(|(_, row)| row.as_str())
        .collect();
    let gone: Vec<&&str> = explained.keys().filter(|id| rows.iter().all(|(found, _)| found != **id)).collect();
    assert!(new.is_empty() && gone.is_empty(), "not explained:\n{}\nno longer so: {gone:?}", new.join("\n"));
}

/// The policy without the lists at these places.
fn without(policy: &Path, lists: &[&str]) -> String {
    let mut policy: Value = serde_json::from_str(&fs::read_to_string(policy).unwrap()).unwrap();
    for pointer in lists {
        let (object, key) = pointer.rsplit_once('/').unwrap();
        policy.pointer_mut(object).unwrap().as_object_mut().unwrap().remove(key).expect("a list");
    }
    policy.to_string()
}

/// A search of the model's provider connects to nothing from this machine: the list of tools judges it.
fn is_by_design(case: &Case) -> bool {
    case.calls.iter().all(|(tool, _)| tool == "WebSearch")
}

/// The heaviest finding: `deny`, `unresolved`, or `warning`, where `--fail-on warning` refuses what was not resolved, or
/// `note`.
fn weight(report: &Value) -> &'static str {
    let Some(findings) = report["findings"].as_array() else { return "broken" };
    let has = |level: &str, unresolved: bool| {
        findings
            .iter()
            .any(|finding| finding["level"] == level && (finding["rule"] == "scope/unresolved") == unresolved)
    };
    if has("error", false) {
        "deny"
    } else if has("error", true) {
        "unresolved"
    } else if has("warning", true) {
        "warning"
    } else if has("note", true) {
        "note"
    } else {
        "allow"
    }
}

pub(crate) fn load(path: &Path) -> Vec<Case> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().filter(|line| !line.trim().is_empty()).map(case).collect()
}

fn case(line: &str) -> Case {
    let value: Value = serde_json::from_str(line).unwrap();
    let text = |key: &str| value[key].as_str().unwrap().to_owned();
    let calls = if value["tool"] == "seq" {
        let steps = value["input"].as_array().unwrap();
        steps.iter().map(|step| (step[0].as_str().unwrap().to_owned(), step[1].clone())).collect()
    } else {
        vec![(text("tool"), value["input"].clone())]
    };
    let shown = value["input"].to_string().chars().take(140).collect();
    Case { id: text("id"), family: text("family"), expect: text("expect"), shown, calls }
}

/// Writes the case as a session of the native store and gates it.
fn judge(case: &Case, policy: &Path) -> (Answer, Value) {
    let world = tempfile::tempdir().unwrap();
    let session = world.path().join("0123456789abcdef");
    fs::create_dir_all(&session).unwrap();
    fs::write(session.join("meta.json"), meta(case.calls.len()).to_string()).unwrap();
    fs::write(session.join("events.ndjson"), events(&case.calls)).unwrap();
    let judged = in_process(&[
        "--trace-dir",
        world.path().to_str().unwrap(),
        "check",
        "--policy",
        policy.to_str().unwrap(),
        "--format",
        "json",
    ]);
    let Ok(report) = serde_json::from_str::<Value>(&judged.stdout) else {
        return (Answer::Broken, Value::String(judged.stderr));
    };
    (classify(judged.code, &report), report)
}

fn classify(code: i32, report: &Value) -> Answer {
    if !matches!(code, 0 | 1) {
        return Answer::Broken;
    }
    let errors: Vec<&str> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["level"] == "error")
        .map(|finding| finding["rule"].as_str().unwrap())
        .collect();
    match (code, errors.is_empty()) {
        (0, true) => Answer::Allow,
        (1, false) if errors.iter().all(|rule| *rule == "scope/unresolved") => Answer::Unresolved,
        (1, false) => Answer::Deny,
        _ => Answer::Broken,
    }
}

fn meta(calls: usize) -> Value {
    json!({
        "session_id": "0123456789abcdef", "started_at": 1_700_000_000.0, "ended_at": 1_700_000_100.0,
        "agent_name": "claude-code", "command": "", "tool_calls": calls,
        "attribution": {"working_dir": "/repo"},
    })
}

fn events(calls: &[(String, Value)]) -> String {
    let mut lines = String::new();
    let mut number = 0_u32;
    let mut line = |kind: &str, parent: Option<String>, data: &Value| {
        number += 1;
        let id = format!("e{number:011}");
        let event = json!({
            "event_type": kind, "timestamp": 1_700_000_000.0 + f64::from(number), "event_id": id,
            "session_id": "0123456789abcdef", "parent_id": parent.unwrap_or_default(), "data": data,
        });
        writeln!(lines, "{event}").unwrap();
        id
    };
    line("session_start", None, &json!({"cwd": "/repo"}));
    for (tool, arguments) in calls {
        let call = line("tool_call", None, &json!({"tool_name": tool, "arguments": arguments}));
        line("tool_result", Some(call), &json!({"tool_name": tool, "result": "ok"}));
    }
    line("session_end", None, &json!({}));
    lines
}

#[derive(Default)]
struct Board {
    hostile: usize,
    caught: usize,
    precise: usize,
    opened: Vec<String>,
    refused: Vec<String>,
    missed: Vec<String>,
    /// Family → right, all.
    families: BTreeMap<String, (usize, usize)>,
}

impl Board {
    fn count(&mut self, case: &Case, answer: Answer, report: &Value) {
        let row = format!("  {:<26} {} {answer:?} {}\n      {}", case.id, case.expect, case.shown, why(report));
        let right = match case.expect.as_str() {
            "deny" => {
                self.hostile += 1;
                self.precise += usize::from(answer == Answer::Deny);
                let caught = matches!(answer, Answer::Deny | Answer::Unresolved);
                self.caught += usize::from(caught);
                if answer != Answer::Deny {
                    self.missed.push(row);
                }
                caught
            }
            "allow" => {
                if answer != Answer::Allow {
                    self.refused.push(row);
                }
                answer == Answer::Allow
            }
            _ => {
                let says_so = weight(report) != "allow" || is_by_design(case);
                let closed = matches!(answer, Answer::Deny | Answer::Unresolved) || says_so;
                if !closed {
                    self.opened.push(row);
                }
                closed
            }
        };
        let family = self.families.entry(case.family.clone()).or_default();
        family.0 += usize::from(right);
        family.1 += 1;
    }

    fn print(&self) {
        for (family, (right, all)) in &self.families {
            eprintln!("{family:<28} {right:>3} of {all:>3}{}", if right == all { "" } else { "   <--" });
        }
        eprintln!("hostile cases not denied ({}):\n{}", self.missed.len(), self.missed.join("\n"));
        eprintln!(
            "caught {} of {} hostile cases, {} of them precisely; {} harmless refused, {} unresolved opened",
            self.caught,
            self.hostile,
            self.precise,
            self.refused.len(),
            self.opened.len()
        );
    }
}

fn why(report: &Value) -> String {
    let Some(findings) = report["findings"].as_array() else { return report.to_string() };
    let lines: Vec<String> =
        findings.iter().map(|finding| format!("{} {}", finding["rule"], finding["message"])).collect();
    if lines.is_empty() { "no finding".to_owned() } else { lines.join("; ").chars().take(300).collect() }
}
