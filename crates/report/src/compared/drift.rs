//! `drift`: whether agents behave otherwise than they did.

use std::fmt::Write as _;

use serde::Serialize;

use super::super::gaps::{Missing, missing};
use super::super::json::to_text;
use super::super::measured::Form;
use super::super::tree::Glyphs;
use super::table;
use agent_strace_metrics::compare::{Dimension, Drift, Fingerprint, LEAST, Summary};
use agent_strace_model::Gap;

/// Sessions of now beside those of before.
pub struct DriftReport<'a> {
    pub before: &'a Fingerprint,
    pub now: &'a Fingerprint,
    pub drift: &'a Drift,
    /// From which score on it is too much.
    pub threshold: f64,
    pub exit_code: u8,
}

impl DriftReport<'_> {
    pub fn write(&self, form: Form<'_>) -> String {
        match form {
            Form::Text(glyphs) => self.text(glyphs),
            Form::Json(gaps) => to_text(&self.document(gaps)),
        }
    }

    /// Up to half of the threshold nothing is worth a look.
    fn label(&self, score: f64) -> &'static str {
        if score >= self.threshold {
            "high"
        } else if score >= self.threshold / 2.0 {
            "moderate"
        } else {
            "stable"
        }
    }

    fn text(&self, glyphs: Glyphs) -> String {
        let head = ["Dimension", "Score", "Drift", "Before", "Now"].map(str::to_owned);
        let row = |dimension: &Dimension| {
            let score = dimension.score.map_or_else(|| "n/a".to_owned(), |score| format!("{score:.3}"));
            let label = dimension.score.map_or("too few sessions", |score| self.label(score));
            let mean = |summary: &Summary| format!("{:.2}", summary.mean);
            let (before, now) = match &dimension.summaries {
                Some((before, now)) => (mean(before), mean(now)),
                None => (String::new(), String::new()),
            };
            [dimension.name.to_owned(), score, label.to_owned(), before, now]
        };
        let rows: Vec<[String; 5]> = std::iter::once(head).chain(self.drift.dimensions.iter().map(row)).collect();
        let counted = |count: usize| if count == 1 { "1 session".to_owned() } else { format!("{count} sessions") };
        let (now, before) = (counted(self.now.sessions), counted(self.before.sessions));
        let mut text = format!("Behaviour of {now} beside {before} of before\n");
        text.push_str(&table(&rows, glyphs));
        let _ = match self.drift.overall {
            Some(score) => {
                let (verdict, but) = match self.exit_code {
                    0 => ("PASS", ""),
                    1 => ("FAIL", ""),
                    _ => ("INCOMPLETE", ", and some of the evidence is missing"),
                };
                writeln!(text, "{verdict}: drift {score:.3} ({}), threshold {}{but}", self.label(score), self.threshold)
            }
            None => writeln!(
                text,
                "INSUFFICIENT EVIDENCE: {before} of before and {now} of now, at least {LEAST} are needed on either side"
            ),
        };
        let high = |dimension: &Dimension| format!("{} {:.3}", dimension.name, dimension.score.unwrap_or(0.0));
        for (words, named) in [
            ("High by itself", self.drift.above(self.threshold).map(high).collect::<Vec<_>>()),
            ("Told by one side only", self.drift.lost().map(|dimension| dimension.name.to_owned()).collect()),
        ] {
            if !named.is_empty() {
                let _ = writeln!(text, "{words}: {}", named.join(", "));
            }
        }
        text
    }

    fn document(&self, gaps: &[Gap]) -> Document {
        let dimensions = self.drift.dimensions.iter().map(|dimension| Scored {
            name: dimension.name,
            score: dimension.score,
            label: dimension.score.map(|score| self.label(score)),
            baseline: dimension.summaries.as_ref().map(|(before, _)| Numbers::of(before)),
            current: dimension.summaries.as_ref().map(|(_, now)| Numbers::of(now)),
        });
        Document {
            schema_version: 1,
            exit_code: self.exit_code,
            overall_score: self.drift.overall,
            threshold: self.threshold,
            exceeded: self.drift.overall.map(|score| score >= self.threshold),
            label: self.drift.overall.map_or("insufficient evidence", |score| self.label(score)),
            baseline_sessions: self.before.sessions,
            current_sessions: self.now.sessions,
            least_sessions: LEAST,
            dimensions: dimensions.collect(),
            high_dimensions: self.drift.above(self.threshold).map(|dimension| dimension.name).collect(),
            lost_dimensions: self.drift.lost().map(|dimension| dimension.name).collect(),
            gaps: missing(gaps),
        }
    }
}

/// What `agent-strace drift` tells.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace drift, version 1"))]
pub(super) struct Document {
    schema_version: u32,
    /// As the process's: 0, 1, or 3 where there is too little to tell.
    exit_code: u8,
    /// From 0 to 1; `null` where there are too few sessions on either side.
    overall_score: Option<f64>,
    threshold: f64,
    exceeded: Option<bool>,
    /// `stable`, `moderate`, `high` or `insufficient evidence`.
    label: &'static str,
    baseline_sessions: usize,
    current_sessions: usize,
    /// Sessions that are needed on either side.
    least_sessions: usize,
    dimensions: Vec<Scored>,
    /// Those that reach the threshold by themselves, however little they weigh in the overall score.
    high_dimensions: Vec<&'static str>,
    /// Those that only one side tells.
    lost_dimensions: Vec<&'static str>,
    gaps: Vec<Missing>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Scored {
    name: &'static str,
    score: Option<f64>,
    label: Option<&'static str>,
    /// `null` of the mix of tools.
    baseline: Option<Numbers>,
    current: Option<Numbers>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Numbers {
    mean: f64,
    p50: f64,
    p95: f64,
}

impl Numbers {
    fn of(summary: &Summary) -> Self {
        Self { mean: summary.mean, p50: summary.p50, p95: summary.p95 }
    }
}
