//! Command lines that run no command: they ask for help, or something is wrong with them.

use std::ffi::OsString;
use std::io::Write;

use clap::CommandFactory as _;

use super::args::Cli;
use super::environment::Environment;
use super::{Streams, features};

/// The exit code for a usage error.
const REFUSED: u8 = 2;

/// Prints help, or the error of a command line, and returns the exit code.
pub(super) fn answer(
    error: &clap::Error,
    args: &[OsString],
    environment: Environment,
    streams: &mut Streams<'_>,
) -> u8 {
    if let Some(failure) = features::left_out(error) {
        failure.report(streams.stderr);
        return refusal(args);
    }
    let text = error.render();
    let text = if environment.colour { text.ansi().to_string() } else { text.to_string() };
    // Help and version go to standard output and are fine; everything else is a usage error.
    let (stream, code): (&mut dyn Write, u8) =
        if error.use_stderr() { (streams.stderr, refusal(args)) } else { (streams.stdout, 0) };
    // The exit code stays the same where the reader has closed the stream.
    let _ = stream.write_all(text.as_bytes());
    code
}

/// The exit code for a usage error. Agents take 2 for a refusal of their call, so `hook` has 1, which they show and pass
/// over, unless it was told to fail closed.
fn refusal(args: &[OsString]) -> u8 {
    let has = |option: &str| args.iter().any(|arg| arg == option);
    let fails_closed = has("--enforce") && has("--fail-closed");
    if command(args) == Some("hook") && !fails_closed { 1 } else { REFUSED }
}

/// The command that a command line names, however wrong the rest of it is: the first word that is one. Options before it
/// belong to every command, and the value of one that has a mistake in its name is no command.
fn command(args: &[OsString]) -> Option<&str> {
    let program = Cli::command();
    let is_command = |word: &str| features::has_command(word) || program.find_subcommand(word).is_some();
    let takes_value = |word: &str| {
        let name = word.strip_prefix("--");
        name.is_some() && program.get_arguments().any(|arg| arg.get_long() == name && arg.get_action().takes_values())
    };
    let mut words = args.iter().skip(1).map(|word| word.to_str().unwrap_or(""));
    while let Some(word) = words.next() {
        if takes_value(word) {
            words.next();
        } else if is_command(word) {
            return Some(word);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        std::iter::once("agent-strace").chain(line.split_whitespace()).map(Into::into).collect()
    }

    #[test]
    fn a_usage_error_of_a_hook_stops_no_agent() {
        for line in [
            "hook pre-tol",
            "hook pre-tool --enforced",
            "hook --help --bogus",
            "--trace-dir store hook --bogus",
            "--trace-dir=store hook --bogus",
            "--trace-dir check hook --bogus",
            "--trce-dir store hook",
            "--trce-dir=store hook",
            "hook --bogus check",
        ] {
            assert_eq!(refusal(&words(line)), 1, "{line}");
        }
    }

    #[test]
    fn any_other_usage_error_is_a_refusal() {
        for line in [
            "",
            "--bogus",
            "bogus",
            "check hook --bogus",
            "check --bogus hook",
            "record --name hook --bogus",
            "--trace-dir hook check --bogus",
            "--trace-dir hook",
            "hook pre-tool --enforce --fail-closed --polcy x",
            "hooks",
        ] {
            assert_eq!(refusal(&words(line)), 2, "{line}");
        }
    }
}
