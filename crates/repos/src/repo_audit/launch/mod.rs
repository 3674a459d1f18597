//! How a program is started that a settings file names: through wrappers, by a shell, or from the net.
//!
//! A configuration says `cmd /c npx …`, `env A=1 npx …` or `bash -c "npx …"` where it means `npx …`. What is looked at
//! is what runs in the end, by the evaluator that judges what agents run ([`agent_strace_effects`]): nothing is run, and nothing
//! is looked up.

mod danger;
mod options;
mod run;
#[cfg(test)]
mod tests;

pub(crate) use danger::{Danger, dangers};
pub(crate) use options::{Options, program};
pub(crate) use run::commands;

use run::Run;

/// What runs in the end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Launch {
    /// The program and its arguments; of several commands the first that brings something from outside, else the last.
    pub words: Vec<String>,
    /// With the rights of the administrator.
    pub(crate) elevated: bool,
    /// It is a text for a shell, and more than one command.
    pub(crate) is_script: bool,
    pub(crate) dangers: Vec<Danger>,
}

impl Launch {
    /// Of a command and its arguments, each a word.
    pub fn of(words: &[String]) -> Self {
        let quoted: Vec<String> = words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
        Self::of_line(&quoted.join(" "))
    }

    /// Of a text that a shell reads, as a whole.
    pub fn of_line(text: &str) -> Self {
        let run = Run::of(text);
        let dangers = danger::of(&run);
        let ends = run.ends();
        let last = || ends.last().copied();
        let chosen = ends.iter().copied().find(|words| run::brings(words)).or_else(last);
        Self {
            words: chosen.cloned().unwrap_or_default(),
            elevated: run.commands.values().any(|words| run::elevates(words)),
            is_script: ends.len() > 1 || !dangers.is_empty(),
            dangers,
        }
    }
}
