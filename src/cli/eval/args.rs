//! What `eval` and its commands take.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::super::args::{FailOn, WantedArgs, parse_now};
use super::compare::CompareArgs;
use super::dataset::DatasetArgs;

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace eval                                      the latest session in the store
  agent-strace eval abc123 --format json                 by an unambiguous prefix of its id
  agent-strace eval ci                                   for CI: every session, by .agent-evals.yaml
  agent-strace eval gate --baseline evals.json --tolerance 0.1
  agent-strace eval compare abc123 def456
  agent-strace eval dataset auto --filter has-errors --since 7d

A session passes when every scorer reaches its threshold and every eval holds; with --baseline also
when none is worse than it was. `--save-baseline` changes no exit code. What a log does not record
can't be judged: then the exit code is 3, never 0. `agent-strace rules eval/scorer` lists the
scorers, `agent-strace rules eval/criterion` the metrics. `check` judges the same file.";

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(in crate::cli) struct EvalArgs {
    #[command(subcommand)]
    pub(super) command: Option<EvalCommand>,

    #[command(flatten)]
    pub(super) run: RunArgs,
}

#[derive(Debug, Subcommand)]
pub(super) enum EvalCommand {
    /// Score sessions: the latest, named ones, or all.
    #[command(after_help = EXAMPLES)]
    Run(RunArgs),
    /// Score every session in scope, for CI: the table goes to standard error.
    #[command(after_help = EXAMPLES)]
    Ci(RunArgs),
    /// The same where a file of evals is demanded.
    #[command(after_help = EXAMPLES)]
    Gate(RunArgs),
    /// Show the scores of two sessions beside each other.
    Compare(CompareArgs),
    /// Collect sessions that are worth keeping, for regression suites.
    #[command(after_help = super::dataset::EXAMPLES)]
    Dataset(DatasetArgs),
}

/// By what sessions are measured.
#[derive(Debug, Default, Args)]
pub(super) struct Judged {
    /// The evals [default: .agent-evals.yaml].
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<String>,

    /// The policy whose findings are counted [default: .agent-scope.json if there is one].
    #[arg(long, value_name = "FILE")]
    pub(super) policy: Option<String>,

    /// Read evals, policy, suppressions and baseline from this git revision, not from disk.
    #[arg(long, value_name = "REV")]
    pub(super) policy_ref: Option<String>,

    /// Prices that count before those of this build: a file of the shape that `agent-strace schema prices` shows.
    #[arg(long, value_name = "FILE")]
    pub(super) prices: Option<String>,

    /// What judges said that ask a model (`llm_judge`), as JSON by session and scorer: this build asks none. It is read
    /// from disk, so let the job write it, not the change that is judged.
    #[arg(long, value_name = "FILE")]
    pub(super) verdicts: Option<String>,

    /// When this runs: suppressions are held against its day in UTC [default: the clock].
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    pub(super) now: Option<jiff::Timestamp>,

    /// No colours; `NO_COLOR` does the same.
    #[arg(long)]
    pub(super) no_color: bool,
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// Sessions: an id or an unambiguous prefix in the store, a log, a folder or an archive of logs of any agent,
    /// `git:REV[:PATH]`, `entire[:WHICH]`, or `-` [default: the latest; of `ci` and `gate` all].
    #[arg(value_name = "SESSION", conflicts_with = "all")]
    pub(super) sessions: Vec<String>,

    /// Every session in the store.
    #[arg(long)]
    pub(super) all: bool,

    #[command(flatten)]
    pub(super) wanted: WantedArgs,

    #[command(flatten)]
    pub(super) judged: Judged,

    /// Values of before: what is worse fails. One that lacks a name is no baseline: exit code 2.
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<String>,

    /// Write the values of now, the worst of all sessions, to a file that --baseline takes; the exit code stays.
    #[arg(long, value_name = "FILE")]
    pub(super) save_baseline: Option<PathBuf>,

    /// How much worse is still as good: of a score in points, of a number as a part of it.
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = parse_tolerance)]
    pub(super) tolerance: f64,

    /// The lowest level that fails: below `thresholds.pass` is a warning.
    #[arg(long, value_name = "LEVEL", default_value = "error")]
    pub(super) fail_on: FailOn,

    /// Add a table to the summary of the job, or write it to eval-summary.md in the store.
    #[arg(long)]
    pub(super) github_summary: bool,

    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub(super) format: TableFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TableFormat {
    #[value(alias = "text")]
    Table,
    Json,
}

/// One and more would let a score of 0 pass.
fn parse_tolerance(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..1.0).contains(number));
    number.ok_or_else(|| "expected a share from 0 to less than 1, e.g. `0.05`".to_owned())
}
