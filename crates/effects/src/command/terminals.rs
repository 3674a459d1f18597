//! Programs that start with a terminal, and what is going to be typed there.

use super::argument::{Arg, Arguments};
use super::conversations::{Manner, Source, conversations};
use super::machine::Machine;
use super::simple::Io;
use crate::Reason;
use crate::world::Terminal;

impl Machine<'_> {
    /// Reports a program that takes commands from its terminal: later calls type them, and none of them is known yet.
    pub(super) fn conversation(&mut self, words: &[Arg], io: &Io<'_>) {
        let terminal = self.world.terminal();
        if terminal == Terminal::None {
            return;
        }
        let manner = if terminal.is_kept() { Manner::Shown } else { Manner::Unseen };
        let has_keys = matches!(terminal, Terminal::Kept | Terminal::Unsaid);
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let is_typed = |source: Source| match source {
            Source::Input => terminal.is_kept() || self.context.typed || !io.input.is_connected(),
            Source::Keys => has_keys,
            Source::Terminal => terminal == Terminal::Kept,
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

    /// A command in a container has a terminal where the program is asked for one, and gets what is typed where it is asked to
    /// pass its input on.
    pub(super) fn with_terminal_of(&mut self, arguments: &Arguments, inside: impl FnOnce(&mut Machine<'_>)) {
        let before = self.world.terminal();
        let there = if asks_for_terminal(arguments) {
            before
        } else if arguments.has(&["-i", "--interactive"]) {
            before.input()
        } else {
            Terminal::None
        };
        self.world.replace_terminal(there);
        inside(self);
        self.world.replace_terminal(before);
    }
}

/// The options of a program that starts commands elsewhere ask for a terminal.
pub(super) fn asks_for_terminal(arguments: &Arguments) -> bool {
    let asks = |setting: &Arg| {
        let setting = setting.text.to_lowercase();
        setting.starts_with("requesttty") && (setting.ends_with("yes") || setting.ends_with("force"))
    };
    arguments.has(&["-t", "-tt", "--tty"]) || arguments.values(&["-o"]).any(asks)
}

/// Opened as the input, the file is a terminal.
pub(super) fn is_terminal(word: &Arg) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    word.literal().is_some_and(|path| path == "/dev/tty" || path.strip_prefix("/dev/pts/").is_some_and(is_number))
}
