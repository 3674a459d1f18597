//! `policy fmt`: policies in their one style, in place.

use std::io::Read;
use std::path::Path;

use super::super::Streams;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::{output, policy_file};
use super::args::FmtArgs;
use agent_strace_policy::format::{self, Comments};
use agent_strace_report::terminal;

/// What happens to the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutputMode {
    Write,
    Print,
    Check,
}

pub(super) fn run(args: &FmtArgs, environment: Environment, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let colour = environment.colour && !args.no_color;
    let comments = if args.strip_comments { Comments::Strip } else { Comments::Keep };
    let mut code = 0;
    for file in args.policies.or_default() {
        let mode = match (args.check, args.stdout || file == "-") {
            (true, _) => OutputMode::Check,
            (false, true) => OutputMode::Print,
            (false, false) => OutputMode::Write,
        };
        match one(&file, comments, mode, colour, streams.stdin) {
            Ok((text, answer)) => {
                output::print(streams.stdout, &text)?;
                code = code.max(answer);
            }
            // The others are formatted all the same.
            Err(failure) => code = code.max(failure.report(streams.stderr)),
        }
    }
    Ok(code)
}

/// What is printed about one file, and its part of the exit code.
fn one(
    file: &str,
    comments: Comments,
    mode: OutputMode,
    colour: bool,
    stdin: &mut dyn Read,
) -> Result<(String, u8), Failure> {
    let text = policy_file::text_of(file, stdin, colour)?;
    let formatted =
        format::format(file, &text, comments).map_err(|faults| policy_file::unusable(file, &faults, colour))?;
    let shown = terminal(file);
    Ok(match (mode, formatted == text) {
        (OutputMode::Print, _) => (formatted, 0),
        (_, true) => (format!("{shown}: is in style\n"), 0),
        (OutputMode::Check, false) => {
            (format!("{shown}: is not in style; `agent-strace policy fmt {shown}` changes it\n"), 1)
        }
        (OutputMode::Write, false) => {
            output::write(Path::new(file), &formatted)?;
            (format!("{shown}: formatted\n"), 0)
        }
    })
}
