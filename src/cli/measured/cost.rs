//! `cost`: what sessions cost, phase by phase.

use std::path::Path;

use clap::Args;

use super::super::Streams;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::output;
use super::{MeasuredArgs, PricesArgs};
use agent_strace_metrics::Basis;
use agent_strace_metrics::money::Unpriced;

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace cost                                   the latest session, by recorded usage and model
  agent-strace cost abc123 --model opus               the same tokens at another model's prices
  agent-strace cost abc123 --input-price 3.0 --output-price 15.0
  agent-strace cost --all --format json
  agent-strace cost --prices contract.json            your own prices before those of this build

Usage counts as the provider reported it, each answer once, with cache reads and writes at their
own rates. A log that records none is estimated from the length of what was said, and says so.
A model without a price is named and costs neither nothing nor what another one costs: the exit
code is 3 then. A phase is what was done from one prompt to the next; it failed if it ended in a
failure that was not made good.";

#[derive(Debug, Args)]
pub(in crate::cli) struct CostArgs {
    #[command(flatten)]
    measured: MeasuredArgs,

    #[command(flatten)]
    prices: PricesArgs,
}

pub(in crate::cli) fn run(
    trace_dir: &Path,
    args: &CostArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let stated = args.prices.stated(environment.colour)?;
    let measured = args.measured.measure(trace_dir, stated.pricing(), environment, streams)?;
    let form = args.measured.form(&measured.gaps, environment);
    output::print(streams.stdout, &agent_strace_report::cost(&measured.profiles, form))?;
    let code = measured.concluded(streams);
    let incomplete = measured.profiles.iter().filter(|profile| profile.cost.basis == Basis::Incomplete);
    let why: Vec<&Unpriced> = incomplete.flat_map(|profile| &profile.cost.why).collect();
    if why.iter().any(|why| **why != Unpriced::Partial) {
        output::note(
            streams.stderr,
            "warning: not everything has a price: `--prices FILE`, `--model` or the four `--…-price` options state one",
        );
    }
    if why.contains(&&Unpriced::Partial) {
        output::note(streams.stderr, "warning: a log does not tell all tokens of every answer: it cost more");
    }
    Ok(if why.is_empty() { code } else { 3 })
}
