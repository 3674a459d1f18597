//! Programs that start with a terminal, and what is going to be typed there.

use super::argument::{Arg, Arguments};
use super::conversations::{Manner, Source, conversations};
use super::machine::Machine;
use super::simple::Io;
use crate::Reason;
use crate::world::Terminal;

/// Files that stand for the terminal, or for the standard input as it is.
const TERMINALS: &[&str] = &["/dev/tty", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/dev/stdout", "/dev/stderr"];

impl Machine<'_> {
    /// What is going to be typed into a program is as little known as the input of a shell that has none yet.
    pub(super) fn conversation(&mut self, words: &[Arg], io: &Io<'_>) {
        let (manner, is_kept) = match self.world.terminal() {
            Terminal::None => return,
            Terminal::Unsaid => (Manner::Unseen, false),
            Terminal::Kept => (Manner::Shown, true),
        };
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let is_typed = |source: Source| match source {
            Source::Input => is_kept || !io.input.is_connected(),
            Source::Keys => true,
            Source::Terminal => is_kept,
        };
        if conversations(&texts, manner).any(is_typed) {
            self.opaque_input(Reason::UnknownInputCommands);
        }
    }

    /// A variable names a pager or an editor, which gets the terminal of the program that starts it.
    pub(super) fn pager_or_editor(&mut self, value: Option<&Arg>) {
        let words: Vec<&str> = value.map(|value| value.text.split_whitespace().collect()).unwrap_or_default();
        if self.world.terminal() == Terminal::Kept && conversations(&words, Manner::Shown).next().is_some() {
            self.opaque_input(Reason::UnknownInputCommands);
        }
    }

    /// A command in a container or on another host has a terminal where the program is asked for one.
    pub(super) fn with_terminal_of(&mut self, arguments: &Arguments, inside: impl FnOnce(&mut Machine<'_>)) {
        let before = self.world.terminal();
        if !arguments.has(&["-t", "-tt", "--tty"]) {
            self.world.replace_terminal(Terminal::None);
        }
        inside(self);
        self.world.replace_terminal(before);
    }

    /// Opened as the input, the file is the terminal of the call.
    pub(super) fn is_terminal(&self, word: &Arg) -> bool {
        let is_one = |path: &str| TERMINALS.contains(&path) || path.starts_with("/dev/pts/");
        self.world.terminal() != Terminal::None && word.literal().is_some_and(is_one)
    }
}
