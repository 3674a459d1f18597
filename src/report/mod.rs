//! Renders an outcome: one file per format, one escaping step per target.
//!
//! A renderer gets a [`Report`], in which every piece of log text is [`Redacted`](crate::privacy::Redacted). It never
//! judges: verdict, counts and order come from the engine, and the exit code is the same in every format.

mod actions;
mod activity;
mod anchor;
mod attribution;
mod audit;
mod baseline;
mod change;
mod compared;
mod doctor;
mod effects;
mod escape;
mod evals;
mod explanation;
mod gaps;
mod github;
mod gitlab;
mod groups;
mod history;
mod html;
mod json;
mod junit;
mod lint;
mod lints;
mod markdown;
mod measured;
pub(crate) mod replay;
mod retention;
mod sarif;
mod session;
pub(crate) mod sweep;
mod text;
mod timeline;
mod tree;
mod trials;
mod validation;
mod view;
mod voices;
mod waived;

#[cfg(test)]
mod tests;

pub(crate) use attribution::attribution;
pub(crate) use baseline::{Baseline, FoundInRepository, ruleset};
pub(crate) use change::AfterMerge;
pub(crate) use compared::{DriftReport, SemanticReport, comparisons, outline, semantic};
pub(crate) use doctor::{text as examination, to_json as examination_json};
pub(crate) use effects::{EffectsEvent, EffectsReport, EffectsSession, Told};
pub(crate) use escape::{json as printable_json, terminal};
pub(crate) use evals::{EvalsPair, EvalsReport};
pub(crate) use explanation::{Explanation, explanations_json, explanations_text};
pub(crate) use history::{BacktestReport, CoverageReport, DiffReport, Frame};
pub(crate) use html::replay as replay_page;
pub(crate) use json::to_text as to_json;
pub(crate) use lints::{LintReport, lint_codes};
pub(crate) use measured::{Ceiling, Explained, Form, TokenBudget, Tree, cost, explain, stats, token_budget};
pub(crate) use retention::{RetentionReport, RetentionRow};
pub(crate) use text::{columns, gap_lines};
pub(crate) use timeline::{Done, Timeline, timeline};
pub(crate) use tree::Glyphs;
pub(crate) use trials::{TrialFailure, TrialsReport};
pub(crate) use validation::{Validated, validation};
pub(crate) use view::Report;

/// How a report is written. All of them say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
    Sarif,
    Markdown,
    /// Annotations: workflow commands of GitHub's runner.
    Github,
    Junit,
    /// GitLab's code quality report.
    Gitlab,
    Html,
}

impl Format {
    /// It says what was done in all, and what led to findings.
    pub(crate) fn tells_the_story(self) -> bool {
        match self {
            Self::Sarif | Self::Markdown => true,
            Self::Text | Self::Json | Self::Github | Self::Junit | Self::Gitlab | Self::Html => false,
        }
    }
}

/// Which of the two text forms is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `check`: findings by session and a verdict.
    Check,
    /// `audit`: every effect, in sections.
    Audit,
    /// `lint`: a line for each finding.
    Lint,
}

/// Whether text may be coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colour {
    Plain,
    Ansi,
}

/// Where a report's paths stand in the repository, and when the run was: SARIF says both.
pub(crate) struct Checkout<'a> {
    /// As the caller gave it; no clock is read.
    pub(crate) now: Option<jiff::Timestamp>,
    /// From the top of the repository to the current directory, `/` at the end; empty at the top.
    pub(crate) prefix: String,
    /// The address of the repository on its forge, where that is known: `https`, and nothing secret in it.
    pub(crate) repository: Option<String>,
    /// Bytes of a file named from the top of the repository, if it is there and not too large.
    pub(crate) read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

pub(crate) fn render(report: &Report, format: Format, style: Style, colour: Colour, checkout: &Checkout<'_>) -> String {
    match (format, style) {
        (Format::Text, Style::Check) => text::render(report, colour),
        (Format::Text, Style::Audit) => audit::render(report, colour),
        (Format::Text, Style::Lint) => lint::render(report, colour),
        (Format::Json, _) => json::render(report),
        (Format::Sarif, _) => sarif::render(report, checkout),
        (Format::Markdown, _) => markdown::render(report),
        (Format::Github, _) => github::render(report, checkout),
        (Format::Junit, _) => junit::render(report),
        (Format::Gitlab, _) => gitlab::render(report, checkout),
        (Format::Html, _) => html::render(report),
    }
}
