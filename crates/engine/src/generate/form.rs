//! How an entry of `commands.allow` can name a program.

use super::tables::{SUBCOMMANDS, WRAPPERS};
use agent_strace_effects::knowledge::Knowledge;

/// Programs whose operands are a command, and whose description does not say so.
const RUNNERS: &[&str] = &[
    "busybox", "chroot", "cmd", "command", "doas", "eval", "nice", "setsid", "ssh", "su", "sudo", "time", "timeout",
    "watch",
];

/// How far an entry that holds nothing but the name of a program reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// It allows whatever the program is given: other commands, or code.
    Anything,
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
    let runs =
        entry.is_some_and(|entry| entry.language.is_some() || entry.operands.iter().any(|operand| operand.role.runs()));
    let has_subcommands = entry.is_some_and(|entry| !entry.subcommands.is_empty());
    if runs || WRAPPERS.contains(&name) || RUNNERS.contains(&name) {
        Form::Anything
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
    fn an_entry_for_an_interpreter_or_a_wrapper_allows_anything() {
        for program in [
            "sh",
            "/bin/bash",
            "Bash.EXE",
            "PowerShell.exe",
            "C:\\x\\pwsh.exe",
            "cmd",
            "python3",
            "node",
            "perl",
            "sudo",
            "env",
            "xargs",
            "nohup",
            "timeout",
            "ssh",
        ] {
            assert_eq!(form(program), Form::Anything, "{program}");
        }
        for program in ["git", "npm", "cargo", "docker"] {
            assert_eq!(form(program), Form::Subcommands, "{program}");
        }
        for program in ["grep", "cat", "echo", "no-such-program"] {
            assert_eq!(form(program), Form::Whole, "{program}");
        }
    }
}
