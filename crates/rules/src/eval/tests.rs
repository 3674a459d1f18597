use std::collections::{BTreeMap, BTreeSet};

use super::*;
use agent_strace_metrics::{Basis, Cost};
use agent_strace_model::finding::Level::{Error, Note, Warning};
use agent_strace_model::finding::RuleId;
use agent_strace_policy::config::evals::{self, Estimates};

fn read(text: &str) -> Evals {
    evals::read(".agent-evals.yaml", text.as_bytes()).unwrap_or_else(|faults| panic!("{faults}"))
}

fn gate(fail_on: &str, threshold: &str) -> Evals {
    let key = if fail_on == "not_equal" { "expected" } else { "threshold" };
    read(&format!("evals: [{{name: a, scorer: tool_call_count, fail_on: {fail_on}, {key}: {threshold}}}]"))
}

#[test]
fn every_comparison_fails_where_it_says() {
    let fails = |fail_on: &str| {
        let evals = gate(fail_on, "2");
        let criterion = evals.criteria.first().unwrap();
        [1.0, 2.0, 3.0].map(|value| worth_of_value(criterion, &Measurement::new(value, "")) == Worth::Fail)
    };
    assert_eq!(fails("above"), [false, false, true]);
    assert_eq!(fails("at_or_above"), [false, true, true]);
    assert_eq!(fails("below"), [true, false, false]);
    assert_eq!(fails("at_or_below"), [true, true, false]);
    assert_eq!(fails("equal"), [false, true, false]);
    assert_eq!(fails("not-equal".replace('-', "_").as_str()), [true, false, true]);
    let evals = gate("above", "2");
    let criterion = evals.criteria.first().unwrap();
    assert_eq!(worth_of_value(criterion, &Measurement::unknown("")), Worth::Unknown);
    assert_eq!(worth_of_value(criterion, &Measurement::new(f64::NAN, "")), Worth::Unknown);
}

#[test]
fn weights_count_and_what_is_not_known_is_no_score() {
    let evals = read("scorers: [{type: no_errors, weight: 3}, {type: tests_ran}, {type: llm_judge, weight: 0}]");
    let assessment = |scores: [Measurement; 3]| Assessment { scores: scores.into(), ..Assessment::default() };
    let known = assessment([Measurement::new(1.0, ""), Measurement::new(0.0, ""), Measurement::unknown("")]);
    assert_eq!(weighted(&evals, &known), Some(0.75));
    let unknown = assessment([Measurement::unknown(""), Measurement::new(1.0, ""), Measurement::new(1.0, "")]);
    assert_eq!(weighted(&evals, &unknown), None);
    let strange = assessment([Measurement::new(f64::NAN, ""), Measurement::new(1.0, ""), Measurement::new(1.0, "")]);
    assert_eq!(weighted(&evals, &strange), None);
}

/// Worse by more than the tolerance, and by more than a change that says nothing.
#[test]
fn a_regression_is_worse_by_more_than_is_tolerated() {
    let evals = |fail_on: &str| {
        let bound = if fail_on == "not_equal" { "expected" } else { "threshold" };
        let text = format!("evals: [{{name: a, scorer: duration_seconds, fail_on: {fail_on}, {bound}: 500}}]");
        read(&text)
    };
    let regressed = |fail_on: &str, before: f64, now: f64, tolerance: f64| {
        let evals = evals(fail_on);
        let baseline = Baseline::read(&format!("{{\"a\": {before}}}"), &evals).unwrap();
        baseline.value_regressed(evals.criteria.first().unwrap(), &Measurement::new(now, ""), tolerance)
    };
    assert!(!regressed("above", 100.0, 100.9, 0.0), "less than a second");
    assert!(regressed("above", 100.0, 102.0, 0.0));
    assert!(!regressed("above", 100.0, 109.0, 0.1));
    assert!(regressed("above", 100.0, 111.0, 0.1));
    assert!(!regressed("above", 100.0, 1.0, 0.0), "better");
    assert!(regressed("below", 100.0, 90.0, 0.0));
    assert!(!regressed("below", 100.0, 110.0, 0.0));
    assert!(regressed("equal", 100.0, 500.0, 0.5), "what must not be");
    assert!(
        !regressed("equal", 500.0, 100.0, 0.0) && !regressed("equal", 100.0, 90.0, 0.0),
        "no longer, and never was"
    );
    assert!(regressed("not_equal", 480.0, 470.0, 0.5), "farther from what is wanted");
    assert!(!regressed("not_equal", 470.0, 480.0, 0.0) && !regressed("not_equal", 480.0, 500.0, 0.0), "nearer");
    assert!(regressed("above", 0.0, 2.0, 0.0));
}

#[test]
fn a_baseline_of_several_sessions_is_the_worst_of_them() {
    let evals = read(
        "scorers: [{type: no_errors}]\nevals: [{name: calls, scorer: tool_call_count, fail_on: above, threshold: 9}, \
         {name: end, scorer: session_status, fail_on: not_equal, expected: completed}]",
    );
    let of = |score: f64, calls: f64, end: &str| Assessment {
        scores: vec![Measurement::new(score, "")],
        values: vec![
            Measurement::new(calls, ""),
            Measurement { value: Value::Text(end.to_owned()), ..Measurement::unknown("") },
        ],
        ..Assessment::default()
    };
    let (one, other) = (of(1.0, 2.0, "completed"), of(0.5, 7.0, "completed"));
    let baseline = Baseline::of(&evals, &[("a", &one), ("b", &other)]).unwrap();
    let text = serde_json::to_string(&baseline).unwrap();
    assert_eq!(
        text,
        r#"{"version":1,"sessions":2,"scores":{"calls":7.0,"end":"completed","no_errors":0.5},"scorers":{"calls":"tool_call_count","end":"session_status","no_errors":"no_errors"}}"#
    );
    assert!(Baseline::read(&text, &evals).is_ok());
    let other = text.replace("\"calls\":\"tool_call_count\"", "\"calls\":\"error_count\"");
    let said = Baseline::read(&other, &evals).unwrap_err().to_string();
    assert_eq!(
        said,
        "its value of `calls` is one of `error_count`, and the evals measure `tool_call_count` by that name"
    );
    // Words that differ have no worst one.
    let failed = of(1.0, 2.0, "failed");
    assert!(Baseline::of(&evals, &[("a", &one), ("b", &failed)]).is_err());
}

/// A finding counts by its level and its rule, or by a family of rules.
#[test]
fn findings_are_counted_by_level_and_rule() {
    let evals = read(
        "scorers: [{type: max_findings, name: all}, {type: max_findings, name: scope, rules: [scope/], level: note}, \
         {type: max_findings, name: one, rules: [scope/read], max: 1}]",
    );
    let finding = |rule, level| Finding { event: 3, ..Finding::of_rule(rule, level, String::new(), String::new()) };
    let found = [
        finding(RuleId::ScopeRead, Error),
        finding(RuleId::ScopeRead, Error),
        finding(RuleId::ScopeTool, Note),
        finding(RuleId::LintToolLoop, Warning),
        finding(RuleId::EvalScorer, Error),
    ];
    let mut assessment = Assessment { scores: vec![Measurement::unknown(""); 3], ..Assessment::default() };
    settle(&evals, &mut assessment, &found.iter().collect::<Vec<_>>());
    let reasons: Vec<&str> = assessment.scores.iter().map(|score| score.reason.as_str()).collect();
    assert_eq!(reasons, ["2 findings, at most 0", "3 findings, at most 0", "2 findings, at most 1"]);
    assert_eq!(
        assessment.scores.iter().map(Measurement::number).collect::<Vec<_>>(),
        [Some(0.0), Some(0.0), Some(0.5)]
    );
}

/// As `cost` says them: a half is rounded up, and no amount becomes another one on its way through a double.
#[test]
fn amounts_are_the_ones_of_cost() {
    let reason = |amount: u128, most: f64| {
        let cost = Cost { amount, basis: Basis::Recorded, why: BTreeSet::new(), prices: BTreeMap::new() };
        numbers::cost_under(&cost, most, Estimates::Refuse).reason
    };
    assert_eq!(reason(18_150_000_000, 10.0), "$0.0182 recorded, at most $10.0000");
    assert_eq!(reason(0, 0.00005), "$0.0000 recorded, at most $0.0001");
    assert_eq!(reason(60_000_000_000_000, 0.1), "$60.0000 recorded, at most $0.1000");
    assert!(reason(1, f64::MAX).starts_with("$0.0000 recorded, at most $"), "no limit is too large to be said");
    let number = |dollars: f64| shown(&Value::Number(dollars), Some(Metric::CostUsd));
    assert_eq!([0.01815, 0.0, 9.5, -0.25].map(number), ["$0.0182", "$0.0000", "$9.5000", "-$0.2500"]);
}
