//! `policy validate`: everything that is wrong with policies, at once.

use super::super::Streams;
use super::super::args::PlainFormat;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::output;
use super::super::policy_file;
use super::args::ValidateArgs;
use crate::policy::{Diagnostics, Policy};
use crate::report;

pub(super) fn run(args: &ValidateArgs, environment: Environment, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let colour = environment.colour && !args.no_color;
    let mut read: Vec<(String, Result<Policy, Diagnostics>)> = Vec::new();
    for file in policy_file::named_or_default(&args.files) {
        let policy = policy_file::read_named(&file);
        read.push((file, policy));
    }
    if args.format == PlainFormat::Json {
        output::print(streams.stdout, &report::validation(&read))?;
    }
    let mut code = 0;
    for (file, policy) in &read {
        match policy {
            Err(_) if args.format == PlainFormat::Json => code = 2,
            Err(faults) => code = policy_file::unusable(file, faults, colour).report(streams.stderr),
            Ok(_) if args.format == PlainFormat::Json => {}
            Ok(policy) => {
                let version = policy.identity().map_or(1, |identity| identity.version);
                output::print(streams.stdout, &format!("{}: valid, version {version}\n", report::terminal(file)))?;
            }
        }
    }
    Ok(code)
}
