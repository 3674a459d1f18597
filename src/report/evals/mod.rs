//! What `eval` says: a table for people, a document for programs, Markdown for the summary of a job. All of them are made
//! of the same rows.

mod pair;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Serialize;

use super::escape::{markdown, shorten, terminal};
use super::history::{Missing, missing};
use super::json::to_text;
use super::text::columns;
use super::tree::Glyphs;
use crate::config::evals::{Bound, Criterion, Evals, Metric, Scorer};
use crate::engine::SessionOutcome;
use crate::eval::{Assessment, Baseline, Measurement, Value, Worth, shown, weighted, worth_of_score, worth_of_value};
use crate::finding::Finding;
use crate::model::Gap;
use crate::privacy::redact;

pub(in crate::report) use pair::Document as PairDocument;
pub(crate) use pair::EvalsPair;

/// Longest reason in a table.
const REASON: usize = 100;

/// A step may add this much to the summary of a job, and all of it is lost where it adds more.
const SUMMARY: usize = 512 << 10;

/// What sessions were measured to be.
pub(crate) struct EvalsReport<'a> {
    pub(crate) evals: &'a Evals,
    /// With how much worse is still as good.
    pub(crate) baseline: Option<(&'a Baseline, f64)>,
    pub(crate) sessions: &'a [SessionOutcome],
    /// Everything that could not be read.
    pub(crate) gaps: &'a [Gap],
    pub(crate) exit_code: u8,
}

/// What becomes of one demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Pass,
    Fail,
    /// It could not be judged.
    Unknown,
    /// It fails, and something says that this does not count.
    Waived,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Unknown => "unknown",
            Self::Waived => "waived",
        }
    }

    fn shown(self, glyphs: Glyphs) -> String {
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
struct Row<'a> {
    name: &'a str,
    scorer: &'static str,
    metric: Option<Metric>,
    value: &'a Value,
    threshold: Value,
    fail_on: Option<&'static str>,
    baseline: Option<Value>,
    own: Worth,
    regressed: bool,
    status: Status,
    reason: String,
}

impl Row<'_> {
    fn score(&self) -> String {
        terminal(&shown(self.value, self.metric))
    }

    fn threshold(&self) -> String {
        shown(&self.threshold, self.metric)
    }

    fn why(&self) -> String {
        match &self.baseline {
            Some(before) if self.regressed => format!("regressed from baseline {}", shown(before, self.metric)),
            _ => self.reason.clone(),
        }
    }
}

/// All rows of a session: scorers, then criteria.
fn rows<'a>(report: &'a EvalsReport<'_>, session: &'a SessionOutcome) -> (Vec<Row<'a>>, Vec<Row<'a>>) {
    let Some(assessment) = &session.assessment else { return (Vec::new(), Vec::new()) };
    let standing = standing(session);
    let scores = report.evals.scorers.iter().zip(&assessment.scores);
    let values = report.evals.criteria.iter().zip(&assessment.values);
    (
        scores.map(|(scorer, measured)| score_row(report, scorer, measured, &standing)).collect(),
        values.map(|(criterion, measured)| value_row(report, criterion, measured, &standing)).collect(),
    )
}

/// Names of the demands that findings stand against.
fn standing(session: &SessionOutcome) -> BTreeSet<&str> {
    let own = |finding: &&Finding| finding.rule.starts_with("eval/");
    let names = session.findings.iter().filter(own).filter_map(|finding| finding.named.as_ref());
    names.map(|named| named.id.as_str()).collect()
}

fn score_row<'a>(
    report: &EvalsReport<'_>,
    scorer: &'a Scorer,
    measured: &'a Measurement,
    standing: &BTreeSet<&str>,
) -> Row<'a> {
    let own = worth_of_score(scorer, measured);
    let regressed =
        report.baseline.is_some_and(|(baseline, tolerance)| baseline.score_regressed(scorer, measured, tolerance));
    Row {
        name: &scorer.name,
        scorer: scorer.test.name(),
        metric: None,
        value: &measured.value,
        threshold: Value::Number(scorer.threshold),
        fail_on: None,
        baseline: report.baseline.and_then(|(baseline, _)| baseline.of_name(&scorer.name)),
        own,
        regressed,
        status: status(own, regressed, standing.contains(scorer.name.as_str())),
        reason: redact(&measured.reason).as_str().to_owned(),
    }
}

fn value_row<'a>(
    report: &EvalsReport<'_>,
    criterion: &'a Criterion,
    measured: &'a Measurement,
    standing: &BTreeSet<&str>,
) -> Row<'a> {
    let own = worth_of_value(criterion, measured);
    let regressed =
        report.baseline.is_some_and(|(baseline, tolerance)| baseline.value_regressed(criterion, measured, tolerance));
    Row {
        name: &criterion.name,
        scorer: criterion.metric.name(),
        metric: Some(criterion.metric),
        value: &measured.value,
        threshold: match &criterion.bound {
            Bound::Number(number) => Value::Number(*number),
            Bound::Text(text) => Value::Text(text.clone()),
        },
        fail_on: Some(criterion.fail_on.name()),
        baseline: report.baseline.and_then(|(baseline, _)| baseline.of_name(&criterion.name)),
        own,
        regressed,
        status: status(own, regressed, standing.contains(criterion.name.as_str())),
        reason: redact(&measured.reason).as_str().to_owned(),
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

fn count(rows: &[Row<'_>], status: Status) -> usize {
    rows.iter().filter(|row| row.status == status).count()
}

impl EvalsReport<'_> {
    pub(crate) fn text(&self, glyphs: Glyphs) -> String {
        let mut text = String::new();
        for session in self.sessions {
            if !text.is_empty() {
                text.push('\n');
            }
            self.session_text(session, glyphs, &mut text);
        }
        text
    }

    fn session_text(&self, session: &SessionOutcome, glyphs: Glyphs, text: &mut String) {
        let (scores, values) = rows(self, session);
        let id = terminal(redact(&session.id).as_str());
        if !scores.is_empty() {
            let head = ["Scorer", "Score", "Threshold", "Status", "Reason"].map(str::to_owned);
            let _ = writeln!(text, "Session: {id}\n\n{}", columns(&Self::score_lines(head, &scores, glyphs)));
            let _ = write!(text, "Overall: {}/{} passed", count(&scores, Status::Pass), scores.len());
            let _ = writeln!(text, "{}", self.weighted_words(session.assessment.as_ref()));
        }
        if !values.is_empty() {
            if !scores.is_empty() {
                text.push('\n');
            }
            value_text(&id, &values, glyphs, text);
        }
    }

    fn score_lines(head: [String; 5], rows: &[Row<'_>], glyphs: Glyphs) -> Vec<[String; 5]> {
        let line = |row: &Row<'_>| {
            let reason = shorten(&terminal(&row.why()), REASON);
            [terminal(row.name), row.score(), row.threshold(), row.status.shown(glyphs), reason]
        };
        std::iter::once(head).chain(rows.iter().map(line)).collect()
    }

    fn weighted_words(&self, assessment: Option<&Assessment>) -> String {
        let Some((thresholds, assessment)) = self.evals.thresholds.as_ref().zip(assessment) else {
            return String::new();
        };
        let Some(score) = weighted(self.evals, assessment) else {
            return ", weighted score not known".to_owned();
        };
        let limits = [("pass", &thresholds.pass), ("warn", &thresholds.warn)];
        let limits: Vec<String> = limits
            .iter()
            .filter_map(|(name, limit)| limit.as_ref().map(|(limit, _)| format!("{name} from {limit:.2}")))
            .collect();
        format!(", weighted score {score:.2} ({})", limits.join(", "))
    }

    /// One line for a build log.
    pub(crate) fn closing(&self) -> String {
        let (mut failed, mut unknown) = (0, 0);
        for session in self.sessions {
            let (scores, values) = rows(self, session);
            failed += count(&scores, Status::Fail) + count(&values, Status::Fail);
            unknown += count(&scores, Status::Unknown) + count(&values, Status::Unknown);
        }
        let of = if self.sessions.len() == 1 { String::new() } else { format!(" in {} sessions", self.sessions.len()) };
        match self.exit_code {
            0 => format!("CI: PASS — all scorers passed{of}"),
            1 if failed > 0 => format!("CI: FAIL — {failed} scorer(s) failed{of}"),
            1 => format!("CI: FAIL — the weighted score is too low{of}"),
            _ => format!("CI: INCOMPLETE — {unknown} scorer(s) could not be judged, {} gap(s){of}", self.gaps.len()),
        }
    }

    /// A table for the summary of a job.
    pub(crate) fn markdown(&self) -> String {
        let mut text = format!("## Evals\n\n{}\n", markdown(&self.closing()));
        for (at, session) in self.sessions.iter().enumerate() {
            if text.len() > SUMMARY {
                let left = self.sessions.len() - at;
                let _ = writeln!(text, "\n{left} more session(s) were measured: a summary of a job holds no more.");
                break;
            }
            let (scores, values) = rows(self, session);
            let _ = writeln!(text, "\n### Session {}\n", markdown(redact(&session.id).as_str()));
            text.push_str("| Eval | Scorer | Score | Threshold | Baseline | Result |\n");
            text.push_str("| --- | --- | --- | --- | --- | --- |\n");
            for row in scores.iter().chain(&values) {
                let before = row.baseline.as_ref().map_or_else(|| "-".to_owned(), |value| shown(value, row.metric));
                let why = if row.status == Status::Pass { String::new() } else { format!(": {}", row.why()) };
                let cells = [
                    row.name.to_owned(),
                    row.scorer.to_owned(),
                    shown(row.value, row.metric),
                    row.threshold(),
                    before,
                    format!("{}{}", row.status.name(), shorten(&why, REASON)),
                ];
                let _ = writeln!(text, "| {} |", cells.map(|cell| markdown(&cell)).join(" | "));
            }
        }
        text
    }

    pub(crate) fn json(&self) -> String {
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
            regression_count: all.iter().filter(|row| row.regressed).count(),
            weighted_score: session.assessment.as_ref().and_then(|assessment| weighted(self.evals, assessment)),
            results: all.iter().map(result).collect(),
        }
    }
}

fn value_text(id: &str, rows: &[Row<'_>], glyphs: Glyphs, text: &mut String) {
    let head = ["Eval", "Score", "Threshold", "Result"].map(str::to_owned);
    let line = |row: &Row<'_>| {
        let why = if row.status == Status::Pass { String::new() } else { row.why() };
        let dash = if glyphs == Glyphs::Ascii { "-" } else { "—" };
        let why = if why.is_empty() { why } else { format!(" {dash} {}", shorten(&terminal(&why), REASON)) };
        [terminal(row.name), row.score(), row.threshold(), format!("{}{why}", row.status.name())]
    };
    let lines: Vec<[String; 4]> = std::iter::once(head).chain(rows.iter().map(line)).collect();
    let table = columns(&lines);
    let rule = rule_of(&table, glyphs);
    let (head, body) = table.split_once('\n').unwrap_or((&table, ""));
    let (failed, unknown) = (count(rows, Status::Fail), count(rows, Status::Unknown));
    let _ = writeln!(text, "Eval results: session {id}\n{rule}\n{head}\n{rule}\n{body}{rule}");
    let _ = match (failed, unknown) {
        (0, 0) => writeln!(text, "Overall: PASS ({} evals passed)", rows.len()),
        (0, _) => writeln!(text, "Overall: INCOMPLETE ({unknown}/{} evals could not be judged)", rows.len()),
        _ => writeln!(text, "Overall: FAIL ({failed}/{} evals failed)", rows.len()),
    };
}

fn result<'a>(row: &Row<'a>) -> Outcome<'a> {
    let threshold = scalar(&row.threshold);
    let (threshold, expected) =
        if row.fail_on == Some("not_equal") { (None, Some(threshold)) } else { (Some(threshold), None) };
    Outcome {
        name: row.name,
        scorer: row.scorer,
        score: scalar(row.value),
        threshold,
        expected,
        fail_on: row.fail_on,
        baseline: row.baseline.as_ref().map(scalar),
        regressed: row.regressed,
        criterion_passed: row.own == Worth::Pass,
        status: row.status.name(),
        passed: matches!(row.status, Status::Pass | Status::Waived),
        reason: row.why(),
    }
}

/// A line as long as the longest of a table.
fn rule_of(table: &str, glyphs: Glyphs) -> String {
    let width = table.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    if glyphs == Glyphs::Ascii { "-" } else { "─" }.repeat(width)
}

fn scalar(value: &Value) -> serde_json::Value {
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
pub(super) struct Document<'a> {
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
    crate::schemas::keep("eval.v1", &crate::schemas::written::<Document<'_>>());
}
