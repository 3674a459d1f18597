//! `policy`: work with a policy, one file per command.

pub(in crate::cli) mod args;
mod backtest;
mod builtins;
mod coverage;
mod diff;
mod drift;
mod explain;
mod export;
mod fmt;
mod generate;
mod history;
mod import;
mod lint;
mod settings_files;
mod test;
mod validate;

use std::path::Path;

use super::Streams;
use super::environment::Environment;
use super::failure::Failure;
use args::{PolicyArgs, PolicyCommand};

pub(in crate::cli) fn run(
    trace_dir: &Path,
    args: &PolicyArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let Some(command) = &args.command else {
        return generate::run(trace_dir, &args.generate, &args::names(), environment, streams);
    };
    match command {
        PolicyCommand::Validate(args) => validate::run(args, environment, streams),
        PolicyCommand::Fmt(args) => fmt::run(args, environment, streams),
        PolicyCommand::Explain(args) => explain::run(trace_dir, args, environment, streams),
        PolicyCommand::Lint(args) => lint::run(args, environment, streams),
        PolicyCommand::Test(args) => test::run(args, environment, streams),
        PolicyCommand::Backtest(args) => backtest::run(trace_dir, args, environment, streams),
        PolicyCommand::Diff(args) => diff::run(trace_dir, args, environment, streams),
        PolicyCommand::Builtins(args) => builtins::run(args, streams),
        PolicyCommand::Coverage(args) => coverage::run(trace_dir, args, environment, streams),
        PolicyCommand::Export(args) => export::run(trace_dir, args, environment, streams),
        PolicyCommand::Import(args) => import::run(args, environment, streams),
        PolicyCommand::Drift(args) => drift::run(args, environment, streams),
    }
}
