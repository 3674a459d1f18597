//! `policy validate`: everything that is wrong with a policy, at once.

use super::super::Streams;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::output;
use super::super::policy_file;
use super::args::ValidateArgs;
use crate::report;

pub(super) fn run(args: &ValidateArgs, environment: Environment, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let default = [policy_file::DEFAULT.to_owned()];
    let files = if args.files.is_empty() { &default[..] } else { &args.files };
    let colour = environment.colour && !args.no_color;
    let mut code = 0;
    for file in files {
        match policy_file::load_named(file, colour) {
            Ok(policy) => {
                let version = policy.identity().map_or(1, |identity| identity.version);
                output::print(streams.stdout, &format!("{}: valid, version {version}\n", report::terminal(file)))?;
            }
            Err(failure) => code = failure.report(streams.stderr),
        }
    }
    Ok(code)
}
