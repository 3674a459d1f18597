//! How a program is started that a settings file names: through wrappers, by a shell, or from the net.
//!
//! A configuration says `cmd /c npx …`, `env A=1 npx …` or `bash -c "npx …"` where it means `npx …`. What is looked at
//! is what runs in the end. Nothing is run, and nothing is looked up: only what stands there counts.

mod danger;
mod options;
mod script;
#[cfg(test)]
mod tests;
mod wrappers;

pub(crate) use danger::{Danger, dangers};
pub(crate) use options::{Options, program};
pub(crate) use script::{Command, commands};

/// Wrappers in wrappers; nobody writes more.
const DEEPEST: usize = 8;

/// What runs in the end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Launch {
    /// The program and its arguments; of a script with several commands the first that brings something from outside.
    pub(crate) words: Vec<String>,
    /// With the rights of the administrator.
    pub(crate) elevated: bool,
    /// The text that a shell is given, where it is more than one command.
    pub(crate) script: Option<String>,
}

impl Launch {
    /// Of a command and its arguments, each a word.
    pub(crate) fn of(words: Vec<String>) -> Self {
        let mut launch = Self { words, ..Self::default() };
        for _ in 0..DEEPEST {
            let Some(inner) = wrappers::inner(&launch.words) else { break };
            launch.elevated |= inner.elevated;
            match inner.what {
                wrappers::What::Words(words) => launch.words = words,
                wrappers::What::Script(text) => launch.enter(text),
            }
        }
        launch
    }

    /// Of a text that a shell reads, as a whole.
    pub(crate) fn of_line(text: &str) -> Self {
        let mut launch = Self::default();
        launch.enter(text.to_owned());
        let inner = Self::of(std::mem::take(&mut launch.words));
        Self { words: inner.words, elevated: inner.elevated, script: launch.script.or(inner.script) }
    }

    /// One command is what it is; of several the text is kept, because more than a program runs.
    fn enter(&mut self, text: String) {
        let commands = commands(&text);
        let brings = |command: &&Command| wrappers::brings(&command.words);
        let chosen = commands.iter().find(brings).or_else(|| commands.last());
        self.words = chosen.map(|command| command.words.clone()).unwrap_or_default();
        let plain = commands.len() == 1 && dangers(&text).is_empty();
        if !plain && self.script.is_none() {
            self.script = Some(text);
        }
    }
}
