//! What `eval` says of all sessions: one line for a build log, Markdown for the summary of a job.

use std::fmt::Write as _;

use super::super::escape::{markdown, shorten};
use super::row::{Status, count, rows};
use super::{EvalsReport, REASON};
use agent_strace_rules::eval::shown;
use agent_strace_secrets::redact;

/// A step may add this much to the summary of a job, and all of it is lost where it adds more.
const SUMMARY: usize = 512 << 10;

impl EvalsReport<'_> {
    /// One line for a build log.
    pub fn closing(&self) -> String {
        let (mut failed, mut unknown) = (0, 0);
        for session in self.sessions {
            let (scores, values) = rows(self, session);
            failed += count(&scores, Status::Fail) + count(&values, Status::Fail);
            unknown += count(&scores, Status::Unknown) + count(&values, Status::Unknown);
        }
        let of = if self.sessions.len() == 1 { String::new() } else { format!(" in {} sessions", self.sessions.len()) };
        match self.exit_code {
            0 if failed > 0 => format!("CI: PASS — {failed} scorer(s) failed{of}, and `--fail-on` lets them"),
            0 => format!("CI: PASS — all scorers passed{of}"),
            1 if failed > 0 => format!("CI: FAIL — {failed} scorer(s) failed{of}"),
            1 => format!("CI: FAIL — the weighted score is too low{of}"),
            _ => format!("CI: INCOMPLETE — {unknown} scorer(s) could not be judged, {} gap(s){of}", self.gaps.len()),
        }
    }

    /// A table for the summary of a job.
    pub fn markdown(&self) -> String {
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
                let before =
                    row.baseline.as_ref().map_or_else(|| "-".to_owned(), |value| shown(value, row.demand.metric));
                let why = if row.status == Status::Pass { String::new() } else { format!(": {}", row.why()) };
                let cells = [
                    row.demand.name.to_owned(),
                    row.demand.scorer.to_owned(),
                    shown(row.value, row.demand.metric),
                    row.threshold(),
                    before,
                    format!("{}{}", row.status.name(), shorten(&why, REASON)),
                ];
                let _ = writeln!(text, "| {} |", cells.map(|cell| markdown(&cell)).join(" | "));
            }
        }
        text
    }
}
