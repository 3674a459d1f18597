//! `--format junit`: a suite for the run and one for each session, a test for each rule that found something in it.
//!
//! Findings about the gate come first, then suites, tests and findings in the order of all formats.
//!
//! A page of our own: a library would bring a clock, random numbers and a second XML escaping step for a dozen tags.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::escape::{shorten, xml};
use super::groups::gaps;
use super::order;
use super::text::{counted, policy_shown};
use super::view::{Report, ShownFinding, ShownSession};

/// Suites, and findings that a test lists.
const SUITES: usize = 1_000;
const LISTED: usize = 20;
const LONGEST: usize = 500;

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Passed,
    /// It could not be judged.
    Error,
    Failure,
}

/// A test: what a rule said of a session.
struct Case {
    name: String,
    end: End,
    /// Unescaped, one line each.
    lines: Vec<String>,
}

struct Suite {
    name: String,
    cases: Vec<Case>,
}

pub(super) fn render(report: &Report) -> String {
    let mut sessions: Vec<&ShownSession> = report.sessions.iter().collect();
    // A session without findings comes after those that have some.
    sessions.sort_by_cached_key(|session| {
        let worst = session.findings.iter().map(order::rank).min();
        (worst.is_none(), worst)
    });
    let (listed, beyond) = sessions.split_at(sessions.len().min(SUITES));
    let mut suites = vec![of_run(report, beyond)];
    suites.extend(listed.iter().map(|session| of_session(report, session)));
    let head = counts(suites.iter().flat_map(|suite| &suite.cases));
    let mut text = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"agent-strace\" {head}>\n");
    for suite in &suites {
        let _ = writeln!(text, "  <testsuite name=\"{}\" {}>", attribute(&suite.name), counts(suite.cases.iter()));
        for case in &suite.cases {
            push_case(&mut text, &suite.name, case);
        }
        text.push_str("  </testsuite>\n");
    }
    text + "</testsuites>\n"
}

fn counts<'c>(cases: impl Iterator<Item = &'c Case>) -> String {
    let (mut tests, mut failures, mut errors) = (0, 0, 0);
    for case in cases {
        tests += 1;
        failures += usize::from(case.end == End::Failure);
        errors += usize::from(case.end == End::Error);
    }
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"")
}

fn push_case(text: &mut String, suite: &str, case: &Case) {
    let _ = write!(text, "    <testcase name=\"{}\" classname=\"{}\"", attribute(&case.name), attribute(suite));
    let Some(first) = case.lines.first() else {
        text.push_str("/>\n");
        return;
    };
    let lines: Vec<String> = case.lines.iter().map(|line| format!("- {}", xml(&shorten(line, LONGEST)))).collect();
    let lines = lines.join("\n");
    let element = match case.end {
        End::Passed => format!("<system-out>\n{lines}\n</system-out>"),
        End::Error => outcome("error", case, first, &lines),
        End::Failure => outcome("failure", case, first, &lines),
    };
    let _ = write!(text, ">\n      {element}\n    </testcase>\n");
}

fn outcome(element: &str, case: &Case, first: &str, lines: &str) -> String {
    let (kind, message) = (attribute(&case.name), attribute(first));
    format!("<{element} type=\"{kind}\" message=\"{message}\">\n{lines}\n</{element}>")
}

fn attribute(text: &str) -> String {
    xml(&shorten(text, LONGEST))
}

fn of_session(report: &Report, session: &ShownSession) -> Suite {
    let name = format!("session {} ({})", session.id.as_str(), session.agent.as_str());
    let mut cases = of_rules(report, session.findings.iter(), session.source.as_str());
    if cases.is_empty() {
        cases.push(Case { name: "judged".to_owned(), end: End::Passed, lines: Vec::new() });
    }
    Suite { name, cases }
}

fn of_rules<'f>(report: &Report, findings: impl Iterator<Item = &'f ShownFinding>, source: &str) -> Vec<Case> {
    let mut findings: Vec<&ShownFinding> = findings.collect();
    findings.sort_by_key(|finding| (Reverse(end_of(report, finding)), order::rank(finding)));
    let mut by_rule: Vec<(&str, Vec<&ShownFinding>)> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in findings {
        let rule = finding.rule.as_str();
        let place = *places.entry(rule).or_insert_with(|| {
            by_rule.push((rule, Vec::new()));
            by_rule.len() - 1
        });
        if let Some((_, of_rule)) = by_rule.get_mut(place) {
            of_rule.push(finding);
        }
    }
    by_rule.into_iter().map(|(rule, findings)| of_rule(report, rule, &findings, source)).collect()
}

/// The end of the test of a finding.
fn end_of(report: &Report, finding: &ShownFinding) -> End {
    match finding.is_incomplete() {
        true => End::Error,
        false if report.fails(finding) => End::Failure,
        false => End::Passed,
    }
}

/// `findings`: what made the test end as it does comes first.
fn of_rule(report: &Report, rule: &str, findings: &[&ShownFinding], source: &str) -> Case {
    let end = findings.first().map_or(End::Passed, |finding| end_of(report, finding));
    let mut lines: Vec<String> = findings.iter().take(LISTED).map(|finding| line(report, finding, source)).collect();
    if findings.len() > LISTED {
        lines.push(format!("and {}", counted(findings.len() - LISTED, "more finding")));
    }
    Case { name: rule.to_owned(), end, lines }
}

fn line(report: &Report, finding: &ShownFinding, source: &str) -> String {
    let level = if finding.is_incomplete() { "incomplete" } else { finding.level.name() };
    let event = if finding.is_whole() { String::new() } else { format!(" (event {})", finding.event) };
    let source = finding.file.as_ref().map_or(source, |file| file.as_str());
    let at = if source.is_empty() { String::new() } else { format!(", {source}:{}", finding.line) };
    let policy = finding.policy.as_ref().filter(|location| !report.file(location).is_empty());
    let by = policy.map(|location| format!(", by {}:{}", report.file(location), location.line)).unwrap_or_default();
    format!("{level}: {}{event}{at}{by}", finding.said())
}

/// What is about no session: what was judged by, exceptions, what could not be read, and sessions beyond the cap.
fn of_run(report: &Report, beyond: &[&ShownSession]) -> Suite {
    let mut cases = of_rules(report, report.of_change.iter().chain(&report.remarks), "");
    cases.push(Case { name: format!("judged {}", policy_shown(report)), end: End::Passed, lines: Vec::new() });
    cases.extend(gaps(report).map(|gaps| Case { name: "evidence".to_owned(), end: End::Error, lines: vec![gaps] }));
    if !beyond.is_empty() {
        let bad = beyond.iter().filter(|session| session.verdict != agent_strace_engine::Verdict::Pass).count();
        let said = format!("{} not listed, {bad} of them not passed", counted(beyond.len(), "more session"));
        let end = if bad > 0 { End::Failure } else { End::Passed };
        cases.push(Case { name: "sessions that are not listed".to_owned(), end, lines: vec![said] });
    }
    Suite { name: "the run".to_owned(), cases }
}
