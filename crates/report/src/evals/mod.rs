//! What `eval` says: a table for people, a document for programs, Markdown for the summary of a job. All of them are made
//! of the same rows.

mod document;
mod pair;
mod row;
mod summary;

use std::fmt::Write as _;

use super::escape::{shorten, terminal};
use super::table::{columns, rule};
use super::tree::Glyphs;
use agent_strace_engine::SessionOutcome;
use agent_strace_model::Gap;
use agent_strace_policy::config::evals::Evals;
use agent_strace_rules::eval::{Assessment, Baseline, weighted};
use agent_strace_secrets::redact;
use row::{Row, Status, count, rows};

pub(crate) use pair::Document as PairDocument;
pub use pair::EvalsPair;

/// Longest reason in a table.
const REASON: usize = 100;

/// What sessions were measured to be.
pub struct EvalsReport<'a> {
    pub evals: &'a Evals,
    /// With how much worse is still as good.
    pub baseline: Option<(&'a Baseline, f64)>,
    pub sessions: &'a [SessionOutcome],
    /// Everything that could not be read.
    pub gaps: &'a [Gap],
    pub exit_code: u8,
}

impl EvalsReport<'_> {
    pub fn text(&self, glyphs: Glyphs) -> String {
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
            [terminal(row.demand.name), row.score(), row.threshold(), row.status.shown(glyphs), reason]
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
}

fn value_text(id: &str, rows: &[Row<'_>], glyphs: Glyphs, text: &mut String) {
    let head = ["Eval", "Score", "Threshold", "Result"].map(str::to_owned);
    let line = |row: &Row<'_>| {
        let why = if row.status == Status::Pass { String::new() } else { row.why() };
        let dash = if glyphs == Glyphs::Ascii { "-" } else { "—" };
        let why = if why.is_empty() { why } else { format!(" {dash} {}", shorten(&terminal(&why), REASON)) };
        [terminal(row.demand.name), row.score(), row.threshold(), format!("{}{why}", row.status.name())]
    };
    let lines: Vec<[String; 4]> = std::iter::once(head).chain(rows.iter().map(line)).collect();
    let table = columns(&lines);
    let rule = rule(&table, glyphs);
    let (head, body) = table.split_once('\n').unwrap_or((&table, ""));
    let (failed, unknown) = (count(rows, Status::Fail), count(rows, Status::Unknown));
    let _ = writeln!(text, "Eval results: session {id}\n{rule}\n{head}\n{rule}\n{body}{rule}");
    let _ = match (failed, unknown) {
        (0, 0) => writeln!(text, "Overall: PASS ({} evals passed)", rows.len()),
        (0, _) => writeln!(text, "Overall: INCOMPLETE ({unknown}/{} evals could not be judged)", rows.len()),
        _ => writeln!(text, "Overall: FAIL ({failed}/{} evals failed)", rows.len()),
    };
}
