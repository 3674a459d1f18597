use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use super::session::judge_session;
use super::*;
use crate::effects::Links;
use crate::finding::Level;
use crate::model::{Arguments, Dialect, Event, EventKind, Origin, Session, ToolCall};
use crate::policy::Policy;
use crate::rules;

/// `$ cmd`, `read path`, `write path`, `edit path`, `fetch url`; a leading `refused ` marks a call that never ran.
pub(crate) fn session(lines: &[&str]) -> Session<'static> {
    let events = lines.iter().zip(1..).map(|(line, number)| event(line, number)).collect();
    Session {
        id: Cow::Borrowed("session"),
        root: Some(Cow::Borrowed("/repo")),
        events,
        ..Session::new(&DIALECT, "session.jsonl")
    }
}

static DIALECT: Dialect = Dialect::new("claude-code", "claude-code").shell_stays();

fn event(line: &str, number: u32) -> Event<'static> {
    let (status, line) = line.strip_prefix("refused ").map_or((Status::Ok, line), |rest| (Status::Denied, rest));
    let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
    let (tool, arguments) = match verb {
        "$" => ("Bash", serde_json::json!({"command": rest})),
        "read" => ("Read", serde_json::json!({"file_path": rest})),
        "write" => ("Write", serde_json::json!({"file_path": rest, "content": ""})),
        "edit" => ("Edit", serde_json::json!({"file_path": rest, "old_string": "a", "new_string": "b"})),
        "fetch" => ("WebFetch", serde_json::json!({"url": rest, "prompt": ""})),
        other => panic!("`{other}` is not a verb of a session block"),
    };
    let call = ToolCall {
        call_id: None,
        tool: Cow::Borrowed(tool),
        arguments: Arguments::Json(Cow::Owned(arguments.to_string())),
        cwd: None,
        status,
        subagent: None,
    };
    Event { number, id: None, line: number, time: None, origin: Origin::default(), kind: EventKind::Call(call) }
}

fn policy(text: &str) -> Policy {
    Policy::from_bytes("scope.json", None, text.as_bytes()).unwrap_or_else(|faults| panic!("{faults}"))
}

fn judge(policy: &Policy, lines: &[&str]) -> SessionOutcome {
    judge_session(&session(lines), Vec::new(), policy, Entries::Drop, &Links::new())
}

fn specs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/rules")
}

#[test]
fn every_case_of_every_spec_reports_what_it_says() {
    let update = std::env::var_os("UPDATE_SPECS").is_some();
    let mut wrong = String::new();
    for rule in rules::all() {
        let path = specs().join(rule.id.replace('/', "-") + ".md");
        let text = std::fs::read_to_string(&path).unwrap();
        let (expected, fires) = with_findings(&text, rule.id);
        if expected != text {
            if update {
                std::fs::write(&path, expected).unwrap();
            } else {
                writeln!(wrong, "--- {}: found\n{expected}", path.display()).unwrap();
            }
        }
        assert!(fires, "no case of {} reports it", rule.id);
    }
    assert!(wrong.is_empty(), "specs differ (UPDATE_SPECS=1 rewrites them):\n{wrong}");
}

/// The spec with its findings blocks as they are now, and whether the rule itself was among them.
fn with_findings(text: &str, id: &str) -> (String, bool) {
    let (mut written, mut fires) = (String::new(), false);
    let mut block: Option<&str> = None;
    let (mut scope, mut acts) = ("{}", Vec::new());
    for line in text.lines() {
        match (block, line) {
            (None, "```session" | "```findings") => {
                block = Some(line);
                if line == "```session" {
                    acts.clear();
                } else {
                    written.push_str("```findings\n");
                    for finding in judge(&policy(scope), &acts).findings {
                        fires |= finding.rule == id;
                        let (event, level) = (finding.event, finding.level.name());
                        writeln!(written, "{event}: {level} {}: {}", finding.rule, finding.message).unwrap();
                    }
                    continue;
                }
            }
            (Some(_), "```") => block = None,
            (Some("```findings"), _) => continue,
            (Some(_), _) => match line.strip_prefix("policy ") {
                Some(text) => scope = text,
                None => acts.push(line),
            },
            (None, _) => {}
        }
        written.push_str(line);
        written.push('\n');
    }
    (written, fires)
}

#[test]
fn rules_are_sorted_and_each_has_one_spec_with_the_four_headings() {
    let ids: Vec<&str> = rules::all().iter().map(|rule| rule.id).collect();
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(ids, sorted);
    let listed: BTreeSet<String> = ids.iter().map(|id| id.replace('/', "-") + ".md").collect();
    let there: BTreeSet<String> =
        specs().read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(listed, there, "the slice and the folder of specs");
    for rule in rules::all() {
        let headings: Vec<&str> = rule.spec.lines().filter(|line| line.starts_with('#')).collect();
        let title = format!("# `{}`", rule.id);
        let wanted = [&title, "## What it does", "## Why it matters", "## How to fix", "## Cases"];
        assert_eq!(headings, wanted, "{}", rule.id);
        assert!(rule.summary.starts_with(char::is_lowercase) && !rule.summary.ends_with('.'), "{}", rule.id);
    }
}

#[test]
fn attempts_are_notes() {
    let outcome = judge(&policy(r#"{"files": {"read": {"deny": ["x"]}}}"#), &["refused read x"]);
    assert_eq!(outcome.attempts, 1);
    let finding = outcome.findings.first().unwrap();
    assert_eq!(
        (finding.level, finding.message.as_str()),
        (Level::Note, "attempt: reads `x`: denied by files.read.deny")
    );
}

#[test]
fn the_verdict_follows_threshold_gaps_and_baseline() {
    let scope = policy(r#"{"files": {"read": {"deny": ["x"]}}}"#);
    let gap = || Gap { file: "a".to_owned(), line: None, reason: "cut".to_owned() };
    let run = |lines: &[&str], gaps: Vec<Gap>, settings: &Settings| {
        let judged = judge_session(&session(lines), gaps, &scope, Entries::Drop, &Links::new());
        conclude(None, vec![judged], Vec::new(), settings).verdict
    };
    let usual = Settings::default();
    assert_eq!(run(&["read y"], vec![], &usual), Verdict::Pass);
    assert_eq!(run(&["read y"], vec![gap()], &usual), Verdict::Incomplete);
    assert_eq!(run(&["read x"], vec![gap()], &usual), Verdict::Fail);
    assert_eq!(run(&["refused read x"], vec![], &usual), Verdict::Pass);
    let strict = Settings { fail_on: FailOn::Level(Level::Note), ..Settings::default() };
    assert_eq!(run(&["refused read x"], vec![], &strict), Verdict::Fail);
    let never = Settings { fail_on: FailOn::Never, ..Settings::default() };
    assert_eq!(run(&["read x"], vec![], &never), Verdict::Pass);
    assert_eq!(run(&["read x"], vec![gap()], &never), Verdict::Incomplete);
    let known = judge(&scope, &["read x"]).findings.iter().map(|finding| finding.fingerprint.clone()).collect();
    let based = Settings { baseline: known, ..Settings::default() };
    assert_eq!(run(&["read x"], vec![], &based), Verdict::Pass);
    assert_eq!(
        run(&["edit a", "read x"], vec![], &based),
        Verdict::Pass,
        "a finding keeps its fingerprint when it moves"
    );
    assert_eq!(conclude(None, vec![], vec![], &usual).verdict, Verdict::Incomplete);
}
