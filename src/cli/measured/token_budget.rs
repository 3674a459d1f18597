//! `token-budget`: how full the model's context was.

use std::path::Path;

use clap::Args;

use super::super::Streams;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::output;
use super::MeasuredArgs;
use super::prices::PricesArgs;
use agent_strace_report::{Ceiling, TokenBudget};

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace token-budget                                 the latest session
  agent-strace token-budget abc123 --model claude-3-5-sonnet
  agent-strace token-budget abc123 --model gpt-4o --warn-at 75
  agent-strace token-budget abc123 --limit 100000 --fail-at 90    for CI: exit code 1 from 90% on

Each request is held against the limit by itself, because each one sends the whole conversation
again; the last one says how full the context is. Tokens that a cache gave back count.";

#[derive(Debug, Args)]
pub(in crate::cli) struct TokenBudgetArgs {
    #[command(flatten)]
    measured: MeasuredArgs,

    /// Hold requests against this model's limit, whatever the log says.
    #[arg(long, value_name = "MODEL", conflicts_with = "limit")]
    model: Option<String>,

    /// Limits that count before those of this build: a file of prices.
    #[arg(long, value_name = "FILE")]
    prices: Option<String>,

    /// Hold requests against so many tokens.
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// Mark requests from this share of the limit on, in percent [default: 90].
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    warn_at: Option<u64>,

    /// The same as a part of one: `0.9`.
    #[arg(long, value_name = "PART", value_parser = part, conflicts_with = "warn_at")]
    warning_threshold: Option<u64>,

    /// Exit code 1 if any request took this share of the limit, in percent.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    fail_at: Option<u64>,
}

/// Where requests are marked, in tenths of a percent.
const WARN_AT: u64 = 900;

/// A share in percent as tenths of a percent.
fn percent(text: &str) -> Result<u64, String> {
    let number = text.trim_end_matches('%').parse::<f64>().ok().filter(|number| (0.0..=100.0).contains(number));
    number.map(|number| tenths(number * 10.0)).ok_or_else(|| "expected a share in percent, from 0 to 100".to_owned())
}

/// A part of one as tenths of a percent.
fn part(text: &str) -> Result<u64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.map(|number| tenths(number * 1000.0)).ok_or_else(|| "expected a part of one, from 0 to 1".to_owned())
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between 0 and 1000")]
fn tenths(share: f64) -> u64 {
    share.round() as u64
}

pub(in crate::cli) fn run(
    trace_dir: &Path,
    args: &TokenBudgetArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let stated = PricesArgs::of(args.prices.as_deref(), args.model.as_deref()).stated(environment.colour)?;
    let measured = args.measured.measure(trace_dir, stated.pricing(), environment, streams)?;
    let warn_at = args.warn_at.or(args.warning_threshold).unwrap_or(WARN_AT);
    let ceiling = Ceiling { model: args.model.as_deref(), limit: args.limit, warn_at };
    let budgets: Vec<TokenBudget<'_>> =
        measured.profiles.iter().map(|profile| TokenBudget::new(profile, ceiling)).collect();
    let form = args.measured.form(&measured.gaps, environment);
    output::print(streams.stdout, &agent_strace_report::token_budget(&budgets, warn_at, form))?;
    let code = measured.concluded(streams);
    let unknown: Vec<String> = budgets.iter().filter_map(TokenBudget::unknown).collect();
    for why in &unknown {
        output::note(streams.stderr, &format!("warning: {why}"));
    }
    let broken: Vec<String> =
        args.fail_at.iter().flat_map(|most| budgets.iter().filter_map(|budget| budget.breaks(*most))).collect();
    for breach in &broken {
        output::note(streams.stderr, &format!("FAIL: {breach}"));
    }
    if !broken.is_empty() {
        return Ok(1);
    }
    Ok(if unknown.is_empty() { code } else { 3 })
}
