//! Renders an outcome: one file per format, one escaping step per target.
//!
//! A renderer gets a [`Report`], in which every piece of log text is [`Redacted`](agent_strace_secrets::Redacted). It never
//! judges: verdict, counts and order come from the engine, and the exit code is the same in every format.
//!
//! This crate must not read logs, files or the clock. Start with [`Report`], then `text` or `sarif`; `escape` has one
//! escaping step for each target.

mod actions;
mod activity;
mod alerts;
mod anchor;
mod attribution;
mod audit;
mod baseline;
mod causes;
mod change;
mod command_line;
mod compared;
mod doctor;
mod effects;
mod entry_decisions;
mod escape;
mod evals;
mod explanation;
mod finding;
mod gaps;
mod github;
mod gitlab;
mod groups;
mod history;
mod html;
mod ids;
mod json;
mod junit;
mod lint;
mod lints;
mod location;
mod markdown;
mod measured;
mod mutants;
mod next_step;
mod order;
mod overview;
mod paint;
pub mod replay;
pub mod repo_audit;
mod retention;
mod sarif;
mod session;
mod table;
mod text;
mod timeline;
mod tree;
mod trials;
mod validation;
mod view;
mod waived;
mod work_tree;
mod wrap;

#[cfg(test)]
mod tests;

pub use attribution::attribution;
pub use baseline::{Baseline, FoundInRepository, ruleset};
pub use change::AfterMerge;
pub use command_line::{RunOptions, RunSessions};
pub use compared::{DriftReport, SemanticReport, comparisons, outline, semantic};
pub use doctor::{text as examination, to_json as examination_json};
pub use effects::{EffectInput, EffectsEvent, EffectsReport, EffectsSession};
pub use escape::{json as printable_json, terminal};
pub use evals::{EvalsPair, EvalsReport};
pub use explanation::{Explanation, explanations_json, explanations_text};
pub use history::{BacktestReport, CoverageReport, DiffReport, Frame};
pub use html::replay as replay_page;
pub use json::to_text as to_json;
pub use lints::{LintReport, lint_codes};
pub use measured::{Ceiling, Explained, Form, TokenBudget, Tree, cost, explain, stats, token_budget};
pub use mutants::MutantsReport;
pub use retention::{RetentionReport, RetentionRow};
pub use table::columns;
pub use text::gap_lines;
pub use timeline::{Done, Timeline, timeline};
pub use tree::Glyphs;
pub use trials::{FailedCase, TrialFailure, TrialsReport};
pub use validation::{Validated, validation};
pub use view::Report;
pub use wrap::{wrapped, wrapped_rows};

/// The forms in which a report is written; users choose one by its name.
pub trait OutputFormat: Copy + Send + Sync + 'static {
    const ALL: &'static [Self];

    fn name(self) -> &'static str;

    fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.name() == name)
    }
}

/// The output formats of the gate. All of them carry the same information.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
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

impl OutputFormat for Format {
    const ALL: &'static [Self] =
        &[Self::Text, Self::Json, Self::Sarif, Self::Markdown, Self::Github, Self::Junit, Self::Gitlab, Self::Html];

    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Sarif => "sarif",
            Self::Markdown => "markdown",
            Self::Github => "github",
            Self::Junit => "junit",
            Self::Gitlab => "gitlab",
            Self::Html => "html",
        }
    }
}

impl Format {
    /// It lists all actions of a session, and the steps that led to findings.
    pub fn tells_the_story(self) -> bool {
        match self {
            Self::Sarif | Self::Markdown => true,
            Self::Text | Self::Json | Self::Github | Self::Junit | Self::Gitlab | Self::Html => false,
        }
    }
}

/// Which of the two text forms is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `check`: findings by cause, each of them where there are few, and a verdict.
    Check,
    /// The same with every finding.
    CheckEach,
    /// `audit`: every effect, in sections.
    Audit,
    /// `lint`: a line for each finding.
    Lint,
}

/// Whether text may be coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    Plain,
    Ansi,
}

/// Where a report's paths stand in the repository, and when the run was: SARIF says both.
pub struct Checkout {
    /// As the caller gave it; no clock is read.
    pub now: Option<jiff::Timestamp>,
    /// From the top of the repository to the current directory, `/` at the end; empty at the top.
    pub prefix: String,
    /// The address of the repository on its forge, where that is known: `https`, and nothing secret in it.
    pub repository: Option<String>,
    /// The command that judged: uploads of one command close no alerts of another.
    pub command: &'static str,
    /// The address of this program's own repository; empty as long as it has none.
    pub home: &'static str,
}

pub fn render(report: &Report, format: Format, style: Style, colour: Colour, checkout: &Checkout) -> String {
    match (format, style) {
        (Format::Text, Style::Check) => text::render(report, text::Listing::Few, colour),
        (Format::Text, Style::CheckEach) => text::render(report, text::Listing::Each, colour),
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
