//! `policy coverage`: which calls no rule speaks of, and which entries speak of no call.

use std::path::Path;

use clap::Args;

use super::super::Streams;
use super::super::args::PlainFormat;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::output;
use super::args::PolicyFileArgs;
use super::backtest;
use super::history::{self, HistoryArgs};
use agent_strace_engine::backtest::{Rules, Uncovered};
use agent_strace_report::{CoverageReport, Frame};

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace policy coverage                           the policy of this directory on the whole store
  agent-strace policy coverage --show-uncovered --days 30
  agent-strace policy coverage --min 90                  for CI: exit code 1 if less is covered

Entries that allowed nothing are candidates to remove. A deny that stopped nothing may just as well
have kept agents from trying.";

#[derive(Debug, Args)]
pub(in crate::cli) struct CoverageArgs {
    /// Sessions: an id or an unambiguous prefix in the store, a log, a folder or an archive of logs of any agent,
    /// `git:REV[:PATH]`, `entire[:WHICH]`, or `-` [default: all in the store].
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,

    #[command(flatten)]
    file: PolicyFileArgs,

    #[command(flatten)]
    history: HistoryArgs,

    /// List the calls that no rule speaks of.
    #[arg(long)]
    show_uncovered: bool,

    /// Exit code 1 if a rule speaks of less than PCT percent of all calls.
    #[arg(long, value_name = "PCT", value_parser = history::parse_percent)]
    min: Option<f64>,
}

pub(super) fn run(
    trace_dir: &Path,
    args: &CoverageArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let policy = backtest::policy(&args.file, args.history.coloured(environment))?;
    let past = args.history.select(trace_dir, &args.sessions, environment, streams)?;
    let days = past.days;
    let rules = Rules::new(&policy);
    let list = if args.show_uncovered { Uncovered::List } else { Uncovered::Count };
    let (tally, gaps) = backtest::judge(past, &policy, &rules, &args.file, list);
    let breaches: Vec<String> = args.min.and_then(|least| backtest::too_little(&tally, least)).into_iter().collect();
    let exit_code = history::exit_code(&breaches, &gaps, tally.sessions);
    let frame = Frame { days, gaps: &gaps, breaches: &breaches, exit_code };
    let report = CoverageReport { frame, policy: &policy, rules: &rules, tally: &tally, list };
    let text = match args.history.format {
        PlainFormat::Text => environment.fitted_rows(report.text(history::glyphs(environment))),
        PlainFormat::Json => report.json(),
    };
    output::print(streams.stdout, &text)?;
    history::tell(trace_dir, &gaps, tally.sessions, streams);
    Ok(exit_code)
}
