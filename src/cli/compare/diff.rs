//! `diff`: two sessions phase by phase, number by number, or by what came of them.

use std::path::Path;

use clap::Args;

use super::super::Streams;
use super::super::args::PlainFormat;
use super::super::environment::Environment;
use super::super::eval;
use super::super::failure::Failure;
use super::super::measured::PricesArgs;
use super::super::output;
use super::{form, tell, two};
use agent_strace_metrics::compare::Pair;
use agent_strace_report::{EvalsPair, SemanticReport};

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace diff abc123 def456                        phase by phase: commands, files, outcomes
  agent-strace diff abc123 def456 --compare              number by number, as `compare`
  agent-strace diff abc123 def456 --semantic             by what came of them
  agent-strace diff abc123 def456 --semantic --eval-config .agent-evals.yaml --format json";

#[derive(Debug, Args)]
pub(in crate::cli) struct DiffArgs {
    /// The session of before: an id or an unambiguous prefix in the store, or a log of any agent.
    #[arg(value_name = "A")]
    first: String,

    /// The session of now.
    #[arg(value_name = "B")]
    second: String,

    /// Number by number.
    #[arg(long, conflicts_with = "semantic")]
    compare: bool,

    /// By what came of them, not by the order of events.
    #[arg(long)]
    semantic: bool,

    /// With --semantic: the scores of both by this file.
    #[arg(long, value_name = "FILE", requires = "semantic")]
    eval_config: Option<String>,

    /// Prices that count before those of this build: a file of the shape that `agent-strace schema prices` shows.
    #[arg(long, value_name = "FILE")]
    prices: Option<String>,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PlainFormat,
}

pub(in crate::cli) fn run(
    trace_dir: &Path,
    args: &DiffArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let sessions = [args.first.as_str(), args.second.as_str()];
    let scores = match &args.eval_config {
        Some(file) => Some(eval::both(trace_dir, sessions, file, args.prices.as_deref(), environment, streams)?),
        None => None,
    };
    let stated = PricesArgs::of(args.prices.as_deref(), None).stated(environment.colour)?;
    let (profiles, gaps) = two(trace_dir, sessions, stated.pricing(), environment, streams)?;
    let [first, second] = profiles.as_slice() else { return Ok(3) };
    let (pair, form) = (Pair { first, second }, form(args.format, &gaps, environment));
    let text = if args.compare {
        agent_strace_report::comparisons(&[pair], form)
    } else if args.semantic {
        let evals = scores.as_ref().map(|(evals, one, other)| EvalsPair { evals, first: one, second: other });
        agent_strace_report::semantic(&SemanticReport { pair, evals }, form)
    } else {
        agent_strace_report::outline(first, second, form)
    };
    output::print(streams.stdout, &text)?;
    tell(&gaps, streams);
    Ok(if gaps.is_empty() { 0 } else { 3 })
}
