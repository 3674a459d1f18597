//! Tests of a policy: its own ones, and cases from a file, one a line.

use rayon::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use super::trial::{Tried, tried};
use agent_strace_policy::{Answer, Caller, Policy, TestCall, nearest};

/// What has to be answered to some calls.
#[derive(Debug)]
pub struct Case {
    /// As its author calls it, else by its index.
    pub name: String,
    /// 1-based, in the file it stands in.
    pub line: u32,
    pub calls: Vec<TestCall>,
    pub caller: Caller,
    pub expect: Answer,
    pub rule: Option<String>,
}

/// A line that is no case.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct CaseError {
    line: u32,
    reason: String,
}

/// A case with what came of it.
pub struct Checked {
    pub case: Case,
    pub tried: Tried,
    pub mismatch: Option<Mismatch>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mismatch {
    Answer,
    /// The answer is right, and something else gave it.
    Rule,
}

/// Whether a call that has to be denied may be unresolved instead, as long as the gate refuses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    Exact,
    Refused,
}

/// The tests that stand in the policy.
pub fn inline(policy: &Policy) -> Vec<Case> {
    let tests = policy.tests().iter().enumerate();
    tests
        .map(|(index, test)| Case {
            name: test.name.clone().unwrap_or_else(|| format!("tests[{index}]")),
            line: test.location.line,
            calls: test.calls.clone(),
            caller: test.caller.clone(),
            expect: test.expect,
            rule: test.rule.clone(),
        })
        .collect()
}

/// One line of a case file; what it says beside this is for people.
#[derive(Deserialize)]
struct Line {
    #[serde(alias = "id")]
    name: Option<String>,
    tool: Option<String>,
    #[serde(default)]
    input: Value,
    seq: Option<Vec<(String, Value)>>,
    cwd: Option<String>,
    agent: Option<String>,
    subagent: Option<String>,
    mode: Option<String>,
    expect: String,
    rule: Option<String>,
}

pub fn cases_of(text: &str) -> Result<Vec<Case>, CaseError> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(line, text)| case(line, text).map_err(|reason| CaseError { line, reason })).collect()
}

fn case(line: u32, text: &str) -> Result<Case, String> {
    let read: Line = serde_json::from_str(text).map_err(|error| format!("not a case: {error}"))?;
    let expect = Answer::named(&read.expect).ok_or_else(|| {
        let near = nearest(&read.expect, Answer::NAMES).map(|near| format!("; did you mean `{near}`?"));
        format!("`expect` is none of {}{}", Answer::NAMES.join(", "), near.unwrap_or_default())
    })?;
    let steps = match (read.tool, read.seq) {
        (None, Some(steps)) => steps,
        (Some(tool), None) if tool == "seq" => serde_json::from_value(read.input)
            .map_err(|_| "the input of `seq` is no list of calls, each a list of tool and input".to_owned())?,
        (Some(tool), None) => vec![(tool, read.input)],
        _ => return Err("a case needs `tool` and `input`, or `seq`".to_owned()),
    };
    Ok(Case {
        name: read.name.unwrap_or_else(|| format!("line {line}")),
        line,
        calls: steps.iter().map(|(tool, input)| TestCall::new(tool, input)).collect(),
        caller: Caller { cwd: read.cwd, agent: read.agent, subagent: read.subagent, mode: read.mode },
        expect,
        rule: read.rule,
    })
}

/// All of them, in their order.
pub fn check(policy: &Policy, cases: Vec<Case>, strictness: Strictness) -> Vec<Checked> {
    cases.into_par_iter().map(|case| check_one(policy, case, strictness)).collect()
}

fn check_one(policy: &Policy, case: Case, strictness: Strictness) -> Checked {
    let tried = tried(policy, &case.calls, &case.caller);
    let both_refuse = strictness == Strictness::Refused
        && tried.fails()
        && matches!(
            (case.expect, tried.answer),
            (Answer::Deny, Answer::Unresolved) | (Answer::Unresolved, Answer::Deny)
        );
    let mismatch = if tried.answer != case.expect && !both_refuse {
        Some(Mismatch::Answer)
    } else if case.rule.as_ref().is_some_and(|rule| !tried.decided_by().contains(rule)) {
        Some(Mismatch::Rule)
    } else {
        None
    };
    Checked { case, tried, mismatch }
}
