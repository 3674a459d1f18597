//! How an entry of `commands.allow` can name a program.

use super::tables::{SUBCOMMANDS, WRAPPERS};
use agent_strace_effects::knowledge::Knowledge;

/// Programs that start other commands, and whose descriptions do not say so.
const STARTERS: &[&str] = &["cmd", "command", "eval", "npx", "ssh", "su", "uvx"];

/// How far an entry that holds nothing but the name of a program reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// It allows the program with any code.
    Code,
    /// It allows the program, and the commands that it starts are judged by themselves.
    Commands,
    /// It allows all subcommands, and the next word names one of them.
    Subcommands,
    Whole,
}

/// `program` is a word of a command: a name, or a path.
pub fn form(program: &str) -> Form {
    let programs = Knowledge::default();
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program).to_lowercase();
    let bare = programs.bare(&name);
    let name = programs.canonical_name(&bare);
    let entry = programs.entry(name);
    let has_language = entry.is_some_and(|entry| entry.language.is_some());
    let starts = entry.is_some_and(|entry| entry.operands.iter().any(|operand| operand.role.runs()));
    let has_subcommands = entry.is_some_and(|entry| !entry.subcommands.is_empty());
    if has_language {
        Form::Code
    } else if starts || WRAPPERS.contains(&name) || STARTERS.contains(&name) {
        Form::Commands
    } else if has_subcommands || SUBCOMMANDS.iter().any(|(program, _)| *program == name) {
        Form::Subcommands
    } else {
        Form::Whole
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, form};

    #[test]
    fn programs_have_the_form_that_their_descriptions_say() {
        for (expected, programs) in [
            (Form::Code, "sh /bin/bash Bash.EXE PowerShell.exe C:\\x\\pwsh.exe python3 node perl"),
            (Form::Commands, "cmd sudo env xargs nohup timeout nice ssh npx watch"),
            (Form::Subcommands, "git npm cargo docker"),
            (Form::Whole, "grep cat echo no-such-program"),
        ] {
            for program in programs.split(' ') {
                assert_eq!(form(program), expected, "{program}");
            }
        }
    }
}
