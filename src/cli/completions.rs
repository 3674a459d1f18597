//! `completions`: what a shell needs to complete this command line.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Streams;
use super::args::Cli;
use super::failure::Failure;
use super::output;

pub(super) const EXAMPLES: &str = "\
Examples:
  agent-strace completions bash > ~/.local/share/bash-completion/completions/agent-strace
  agent-strace completions zsh > ~/.zfunc/_agent-strace        (a folder of $fpath)
  agent-strace completions fish > ~/.config/fish/completions/agent-strace.fish
  source <(agent-strace completions bash)                      in this shell only";

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    output::print(streams.stdout, &script(args.shell))?;
    Ok(0)
}

fn script(shell: Shell) -> String {
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, &name, &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    if shell != Shell::Bash {
        return script;
    }
    // For bash the library spells the hyphen of a program's name in two ways, so that nothing is completed behind a
    // command. Where it no longer does, nothing is replaced.
    script.replace(&name.replace('-', "__subcmd__"), &name.replace('-', "__"))
}
