//! What `eval` says to programs. Version 1, additive changes only.

use serde::Serialize;

use super::super::gaps::{Missing, missing};
use super::super::json::to_text;
use super::EvalsReport;
use super::row::{Row, Status, count, rows, standing};
use agent_strace_engine::SessionOutcome;
use agent_strace_rules::eval::{Value, Worth, weighted};
use agent_strace_secrets::redact;

impl EvalsReport<'_> {
    pub fn json(&self) -> String {
        to_text(&self.document())
    }

    fn document(&self) -> Document<'_> {
        let sessions: Vec<Measured<'_>> = self.sessions.iter().map(|session| self.session_document(session)).collect();
        let sum = |part: fn(&Measured<'_>) -> usize| sessions.iter().map(part).sum();
        Document {
            schema_version: 1,
            passed: self.exit_code == 0,
            exit_code: self.exit_code,
            config: Some(self.evals.file.as_str()).filter(|file| !file.is_empty()),
            pass_count: sum(|session| session.pass_count),
            fail_count: sum(|session| session.fail_count),
            unknown_count: sum(|session| session.unknown_count),
            regression_count: sum(|session| session.regression_count),
            gaps: missing(self.gaps),
            sessions,
        }
    }

    fn session_document<'s>(&'s self, session: &'s SessionOutcome) -> Measured<'s> {
        let (mut all, values) = rows(self, session);
        all.extend(values);
        let gone = [Status::Pass, Status::Waived];
        let below = standing(session).contains("thresholds");
        Measured {
            session_id: redact(&session.id).as_str().to_owned(),
            passed: !below && all.iter().all(|row| gone.contains(&row.status)),
            pass_count: count(&all, Status::Pass),
            fail_count: count(&all, Status::Fail),
            unknown_count: count(&all, Status::Unknown),
            regression_count: all.iter().filter(|row| row.demand.regressed).count(),
            weighted_score: session.assessment.as_ref().and_then(|assessment| weighted(self.evals, assessment)),
            results: all.iter().map(result).collect(),
        }
    }
}

fn result<'a>(row: &Row<'a>) -> Outcome<'a> {
    let threshold = scalar(&row.demand.threshold);
    let (threshold, expected) =
        if row.demand.fail_on == Some("not_equal") { (None, Some(threshold)) } else { (Some(threshold), None) };
    Outcome {
        name: row.demand.name,
        scorer: row.demand.scorer,
        score: scalar(row.value),
        threshold,
        expected,
        fail_on: row.demand.fail_on,
        baseline: row.baseline.as_ref().map(scalar),
        regressed: row.demand.regressed,
        criterion_passed: row.demand.own == Worth::Pass,
        status: row.status.name(),
        passed: matches!(row.status, Status::Pass | Status::Waived),
        reason: row.why(),
    }
}

pub(super) fn scalar(value: &Value) -> serde_json::Value {
    match value {
        Value::Number(number) => serde_json::json!(number),
        Value::Text(text) => serde_json::json!(redact(text).as_str()),
        Value::Unknown => serde_json::Value::Null,
    }
}

/// What `agent-strace eval` measured.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace eval, version 1"))]
struct Document<'a> {
    schema_version: u32,
    passed: bool,
    /// As the process's: 0, 1, or 3 where something could not be judged or read.
    exit_code: u8,
    /// `null`: no file, only `no_errors` holds.
    config: Option<&'a str>,
    pass_count: usize,
    fail_count: usize,
    unknown_count: usize,
    regression_count: usize,
    sessions: Vec<Measured<'a>>,
    gaps: Vec<Missing>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Measured<'a> {
    session_id: String,
    passed: bool,
    pass_count: usize,
    fail_count: usize,
    unknown_count: usize,
    regression_count: usize,
    /// Of the scorers by their weights; `null` where one is not known.
    weighted_score: Option<f64>,
    results: Vec<Outcome<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Outcome<'a> {
    name: &'a str,
    /// The type of a scorer, or the metric of a criterion.
    scorer: &'static str,
    /// A score from 0 to 1, or the number or word that a criterion looks at; `null` where it is not known.
    score: serde_json::Value,
    threshold: Option<serde_json::Value>,
    expected: Option<serde_json::Value>,
    fail_on: Option<&'static str>,
    baseline: Option<serde_json::Value>,
    regressed: bool,
    /// Without a look at the baseline.
    criterion_passed: bool,
    /// `pass`, `fail`, `unknown` or `waived`.
    status: &'static str,
    passed: bool,
    reason: String,
}

#[test]
fn the_schema_is_that_of_the_types() {
    agent_strace_testing::schemas::keep("eval.v1", &agent_strace_testing::schemas::written::<Document<'_>>());
}
