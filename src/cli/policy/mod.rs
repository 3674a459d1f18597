//! `policy`: work with a scope, one file per command.

pub(in crate::cli) mod args;
mod fmt;
mod test;
mod validate;

use std::path::Path;

use super::Streams;
use super::environment::Environment;
use super::failure::Failure;
use args::{PolicyArgs, PolicyCommand};

pub(in crate::cli) fn run(
    _trace_dir: &Path,
    args: &PolicyArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    match &args.command {
        PolicyCommand::Validate(args) => validate::run(args, environment, streams),
        PolicyCommand::Fmt(args) => fmt::run(args, environment, streams),
        PolicyCommand::Test(args) => test::run(args, environment, streams),
    }
}
