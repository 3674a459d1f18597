//! `policy validate`: everything that is wrong with policies, at once.

use super::super::Streams;
use super::super::args::PlainFormat;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::output;
use super::super::policy_file;
use super::args::ValidateArgs;
use agent_strace_engine::policy_testing::lint;
use agent_strace_report::Validated;

pub(super) fn run(args: &ValidateArgs, environment: Environment, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let colour = environment.colour && !args.no_color;
    let mut files = Vec::new();
    for file in args.policies.or_default() {
        let read = policy_file::read_named(&file);
        let idle = match &read {
            Ok(policy) => lint::in_vain(policy, &policy_file::parts_of(&file, streams.stdin, colour)?),
            Err(_) => Vec::new(),
        };
        files.push(Validated { file, read, idle });
    }
    if args.format == PlainFormat::Json {
        output::print(streams.stdout, &agent_strace_report::validation(&files))?;
        return Ok(if files.iter().all(|file| file.read.is_ok()) { 0 } else { 2 });
    }
    let mut code = 0;
    for validated in &files {
        if let Err(faults) = &validated.read {
            code = policy_file::unusable(&validated.file, faults, colour).report(streams.stderr);
        } else if let Some(text) = validated.text() {
            output::print(streams.stdout, &text)?;
        }
    }
    Ok(code)
}
