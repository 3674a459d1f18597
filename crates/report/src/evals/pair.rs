//! The scores of two sessions beside each other.

use serde::Serialize;

use super::super::escape::terminal;
use super::super::json::to_text;
use super::super::table::{columns, rule};
use super::super::tree::Glyphs;
use super::document::scalar;
use agent_strace_engine::SessionOutcome;
use agent_strace_policy::config::evals::{Evals, Metric};
use agent_strace_rules::eval::{Measurement, Value, shown, weighted};
use agent_strace_secrets::redact;

/// Two sessions, measured alike.
pub struct EvalsPair<'a> {
    pub evals: &'a Evals,
    pub first: &'a SessionOutcome,
    pub second: &'a SessionOutcome,
}

/// One scorer or criterion of both.
struct Row<'a> {
    name: &'a str,
    scorer: &'static str,
    metric: Option<Metric>,
    first: &'a Value,
    second: &'a Value,
}

impl Row<'_> {
    fn delta(&self) -> Option<f64> {
        match (self.first, self.second) {
            (Value::Number(first), Value::Number(second)) => Some(second - first),
            _ => None,
        }
    }

    fn change(&self) -> String {
        match self.delta() {
            Some(0.0) => "(same)".to_owned(),
            Some(delta) => format!("{delta:+.2}"),
            None if self.first == self.second => "(same)".to_owned(),
            None => String::new(),
        }
    }
}

impl EvalsPair<'_> {
    fn rows(&self) -> Vec<Row<'_>> {
        let (Some(first), Some(second)) = (&self.first.assessment, &self.second.assessment) else {
            return Vec::new();
        };
        let both = |one: &'_ [Measurement], other: &'_ [Measurement]| one.len().min(other.len());
        let scores = self.evals.scorers.iter().take(both(&first.scores, &second.scores));
        let scores = scores.zip(first.scores.iter().zip(&second.scores)).map(|(scorer, (first, second))| Row {
            name: &scorer.name,
            scorer: scorer.test.name(),
            metric: None,
            first: &first.value,
            second: &second.value,
        });
        let values = self.evals.criteria.iter().zip(first.values.iter().zip(&second.values));
        let values = values.map(|(criterion, (first, second))| Row {
            name: &criterion.name,
            scorer: criterion.metric.name(),
            metric: Some(criterion.metric),
            first: &first.value,
            second: &second.value,
        });
        scores.chain(values).collect()
    }

    /// With a and b first: the ids, which tell them apart.
    pub fn text(&self, glyphs: Glyphs) -> String {
        let (first, second) = (terminal(redact(&self.first.id).as_str()), terminal(redact(&self.second.id).as_str()));
        let head = ["Scorer".to_owned(), first, second, "Change".to_owned()];
        let lines: Vec<[String; 4]> = std::iter::once(head)
            .chain(self.rows().iter().map(|row| {
                let shown = |value: &Value| terminal(&shown(value, row.metric));
                [terminal(row.name), shown(row.first), shown(row.second), row.change()]
            }))
            .collect();
        let table = columns(&lines);
        let (head, body) = table.split_once('\n').unwrap_or((&table, ""));
        let rule = rule(&table, glyphs);
        format!("{head}\n{rule}\n{body}")
    }

    pub fn json(&self) -> String {
        to_text(&self.document())
    }

    pub fn document(&self) -> Document {
        let score = |session: &SessionOutcome| weighted(self.evals, session.assessment.as_ref()?);
        Document {
            schema_version: 1,
            session_a: redact(&self.first.id).as_str().to_owned(),
            session_b: redact(&self.second.id).as_str().to_owned(),
            weighted_score_a: score(self.first),
            weighted_score_b: score(self.second),
            results: self
                .rows()
                .iter()
                .map(|row| Outcome {
                    name: row.name.to_owned(),
                    scorer: row.scorer,
                    score_a: scalar(row.first),
                    score_b: scalar(row.second),
                    delta: row.delta(),
                })
                .collect(),
        }
    }
}

/// What `agent-strace eval compare` measured.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace eval compare, version 1"))]
pub struct Document {
    schema_version: u32,
    session_a: String,
    session_b: String,
    weighted_score_a: Option<f64>,
    weighted_score_b: Option<f64>,
    results: Vec<Outcome>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Outcome {
    name: String,
    /// The type of a scorer, or the metric of a criterion.
    scorer: &'static str,
    /// A score from 0 to 1, or the number or word that a criterion looks at; `null` where it is not known.
    score_a: serde_json::Value,
    score_b: serde_json::Value,
    /// Of b above a, where both are numbers.
    delta: Option<f64>,
}

#[test]
fn the_schema_is_that_of_the_types() {
    agent_strace_testing::schemas::keep("eval-compare.v1", &agent_strace_testing::schemas::written::<Document>());
}
