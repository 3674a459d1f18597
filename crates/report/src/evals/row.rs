//! What became of each demand of one session.

use std::collections::BTreeSet;

use super::super::escape::terminal;
use super::super::tree::Glyphs;
use super::EvalsReport;
use agent_strace_engine::SessionOutcome;
use agent_strace_model::finding::{Family, Finding};
use agent_strace_policy::config::evals::{Bound, Criterion, Metric, Scorer};
use agent_strace_rules::eval::{Baseline, Measurement, Value, Worth, shown, worth_of_score, worth_of_value};
use agent_strace_secrets::redact;

/// What becomes of one demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Pass,
    Fail,
    /// It could not be judged.
    Unknown,
    /// It fails, and something says that this does not count.
    Waived,
}

impl Status {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Unknown => "unknown",
            Self::Waived => "waived",
        }
    }

    pub(super) fn shown(self, glyphs: Glyphs) -> String {
        let mark = match (glyphs, self) {
            (Glyphs::Ascii, _) => "",
            (_, Self::Pass) => "✓ ",
            (_, Self::Fail) => "✗ ",
            (_, Self::Unknown) => "? ",
            (_, Self::Waived) => "~ ",
        };
        format!("{mark}{}", self.name())
    }
}

/// One scorer or criterion of one session.
pub(super) struct Row<'a> {
    pub(super) demand: Demand<'a>,
    pub(super) value: &'a Value,
    pub(super) baseline: Option<Value>,
    pub(super) status: Status,
    reason: String,
}

impl Row<'_> {
    pub(super) fn score(&self) -> String {
        terminal(&shown(self.value, self.demand.metric))
    }

    pub(super) fn threshold(&self) -> String {
        shown(&self.demand.threshold, self.demand.metric)
    }

    pub(super) fn why(&self) -> String {
        match &self.baseline {
            Some(before) if self.demand.regressed => {
                format!("regressed from baseline {}", shown(before, self.demand.metric))
            }
            _ => self.reason.clone(),
        }
    }
}

/// All rows of a session: scorers, then criteria.
pub(super) fn rows<'a>(report: &'a EvalsReport<'_>, session: &'a SessionOutcome) -> (Vec<Row<'a>>, Vec<Row<'a>>) {
    let Some(assessment) = &session.assessment else { return (Vec::new(), Vec::new()) };
    let standing = standing(session);
    let scores = report.evals.scorers.iter().zip(&assessment.scores);
    let values = report.evals.criteria.iter().zip(&assessment.values);
    (
        scores
            .map(|(scorer, measured)| Row::new(report, of_scorer(report, scorer, measured), measured, &standing))
            .collect(),
        values
            .map(|(criterion, measured)| {
                Row::new(report, of_criterion(report, criterion, measured), measured, &standing)
            })
            .collect(),
    )
}

/// Names of the demands that findings stand against.
pub(super) fn standing(session: &SessionOutcome) -> BTreeSet<&str> {
    let own = |finding: &&Finding| finding.rule.family() == Family::Eval;
    let names = session.findings.iter().filter(own).filter_map(|finding| finding.policy_rule.as_ref());
    names.map(|rule| rule.id.as_str()).collect()
}

/// What is demanded by one scorer or criterion.
pub(super) struct Demand<'a> {
    pub(super) name: &'a str,
    pub(super) scorer: &'static str,
    pub(super) metric: Option<Metric>,
    pub(super) threshold: Value,
    pub(super) fail_on: Option<&'static str>,
    pub(super) own: Worth,
    pub(super) regressed: bool,
}

fn of_scorer<'a>(report: &EvalsReport<'_>, scorer: &'a Scorer, measured: &Measurement) -> Demand<'a> {
    let worse = |(baseline, tolerance): (&Baseline, f64)| baseline.score_regressed(scorer, measured, tolerance);
    Demand {
        name: &scorer.name,
        scorer: scorer.test.name(),
        metric: None,
        threshold: Value::Number(scorer.threshold),
        fail_on: None,
        own: worth_of_score(scorer, measured),
        regressed: report.baseline.is_some_and(worse),
    }
}

fn of_criterion<'a>(report: &EvalsReport<'_>, criterion: &'a Criterion, measured: &Measurement) -> Demand<'a> {
    let worse = |(baseline, tolerance): (&Baseline, f64)| baseline.value_regressed(criterion, measured, tolerance);
    Demand {
        name: &criterion.name,
        scorer: criterion.metric.name(),
        metric: Some(criterion.metric),
        threshold: match &criterion.bound {
            Bound::Number(number) => Value::Number(*number),
            Bound::Text(text) => Value::Text(text.clone()),
        },
        fail_on: Some(criterion.fail_on.name()),
        own: worth_of_value(criterion, measured),
        regressed: report.baseline.is_some_and(worse),
    }
}

impl<'a> Row<'a> {
    fn new(report: &EvalsReport<'_>, demand: Demand<'a>, measured: &'a Measurement, standing: &BTreeSet<&str>) -> Self {
        Self {
            value: &measured.value,
            baseline: report.baseline.and_then(|(baseline, _)| baseline.of_name(demand.name)),
            status: status(demand.own, demand.regressed, standing.contains(demand.name)),
            reason: redact(&measured.reason).as_str().to_owned(),
            demand,
        }
    }
}

fn status(own: Worth, regressed: bool, stands: bool) -> Status {
    match own {
        Worth::Pass if !regressed => Status::Pass,
        _ if !stands => Status::Waived,
        Worth::Unknown => Status::Unknown,
        Worth::Pass | Worth::Fail => Status::Fail,
    }
}

pub(super) fn count(rows: &[Row<'_>], status: Status) -> usize {
    rows.iter().filter(|row| row.status == status).count()
}
