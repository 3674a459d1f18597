//! What `retention` takes.

use clap::{Args, Subcommand};

use crate::cli::args::{PlainFormat, parse_now};
use agent_strace_policy::config::retention;

const EXAMPLES: &str = "\
Examples:
  agent-strace retention status                        what is there, and what exceeds the limits
  agent-strace retention check                         the same, and exit code 1 where anything does
  agent-strace retention clean --dry-run               what would be deleted
  agent-strace retention clean --max-age-days 30 --yes
  agent-strace retention clean --max-sessions 1000     only the most recent ones stay
  agent-strace retention clean --max-size-mb 500       the oldest ones go until it fits

Limits stand in `.agent-strace.yaml`:
  retention:
    max_age_days: 30
    max_sessions: 1000
    max_size_mb: 500
    on_delete: log                # `silent` logs nothing
    log_path: logs/deletions.log  # else `retention.log` in the store
    hold:                         # kept whatever the limits say
      - session: '3f9a*'
        reason: INC-42

They count in this order, each on what the one before it leaves: age, number, size. Sessions under
`hold` are kept, and so are those that may still run: without a recorded end, and active in the last
24 hours or named by a recorder. Neither counts against the number and the size.

Exit codes: 0 nothing exceeds the limits · 1 something does (`status`: 0) · 2 the configuration is
unusable, or nobody confirmed · 3 something in the store could not be looked into";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct RetentionArgs {
    #[command(subcommand)]
    pub(super) command: RetentionCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum RetentionCommand {
    /// Show what is in the store, and what exceeds the limits.
    #[command(after_help = EXAMPLES)]
    Status(JudgeArgs),
    /// Fail where the store keeps what exceeds the limits.
    #[command(after_help = EXAMPLES)]
    Check(JudgeArgs),
    /// Delete the sessions that exceed the limits.
    #[command(after_help = EXAMPLES)]
    Clean(CleanArgs),
}

/// By what is judged, and how that is told.
#[derive(Debug, Args)]
pub(super) struct JudgeArgs {
    /// The most days since a session began; before that of the configuration.
    #[arg(long, value_name = "N", value_parser = days, allow_negative_numbers = true)]
    pub(super) max_age_days: Option<u32>,

    /// The most sessions; before that of the configuration.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub(super) max_sessions: Option<u32>,

    /// The most megabytes (1024 × 1024 bytes) of all sessions; before that of the configuration.
    #[arg(long, value_name = "MB", value_parser = megabytes, allow_negative_numbers = true)]
    pub(super) max_size_mb: Option<f64>,

    /// The configuration [default: .agent-strace.yaml, if there is one].
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<String>,

    /// What time it is [default: the clock].
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    pub(super) now: Option<jiff::Timestamp>,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: PlainFormat,
}

#[derive(Debug, Args)]
pub(super) struct CleanArgs {
    /// Show what would be deleted, and delete nothing.
    #[arg(long, conflicts_with = "yes")]
    pub(super) dry_run: bool,

    /// Delete without a question; needed where nobody can be asked.
    #[arg(long, short)]
    pub(super) yes: bool,

    #[command(flatten)]
    pub(super) judge: JudgeArgs,
}

fn days(text: &str) -> Result<u32, String> {
    count(text).ok().filter(|days| retention::is_age(*days)).ok_or_else(|| WHOLE.to_owned())
}

const WHOLE: &str = "expected a whole number from 1 on: a limit that would delete everything is none";

fn count(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|count| *count > 0).ok_or_else(|| WHOLE.to_owned())
}

fn megabytes(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| retention::is_size(*number));
    number.ok_or_else(|| "expected a number of megabytes above 0: a limit that would delete everything is none".into())
}
