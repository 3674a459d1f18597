//! Programs that start with a terminal, and what is going to be typed there.

use agent_strace_shell::Scope;

use super::argument::Arg;
use super::conversations::{Conversation, Source, conversations};
use super::machine::Machine;
use super::simple::Io;
use crate::Reason;
use crate::world::Terminal;

impl Machine<'_> {
    /// What is going to be typed into a program is as little known as the input of a shell that has none yet.
    pub(super) fn conversation(&mut self, words: &[Arg], io: &Io<'_>) {
        let terminal = self.world.terminal();
        if terminal == Terminal::None {
            return;
        }
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let is_typed = |row: &Conversation| {
            let reaches = match row.reads {
                Source::Input => !io.input.is_connected(),
                Source::Keys => true,
                Source::Terminal => terminal == Terminal::Kept,
            };
            let is_piped = row.pages && (self.context.piped || self.context.substituted);
            reaches && !is_piped && !runs_instead(row, io.scope)
        };
        if conversations(&texts).any(is_typed) {
            self.opaque_input(Reason::UnknownInputCommands);
        }
    }
}

/// A variable names another program, which takes no commands of its own: `GIT_PAGER=cat`.
fn runs_instead(row: &Conversation, scope: &Scope) -> bool {
    let deciding = row.variables().find(|name| scope.exports(name));
    deciding.and_then(|name| scope.known(name)).is_some_and(|text| {
        let words: Vec<&str> = text.split_whitespace().collect();
        // Without a pager, programs print; without an editor, they take the one of the system.
        if words.is_empty() { row.pages } else { conversations(&words).next().is_none() }
    })
}
