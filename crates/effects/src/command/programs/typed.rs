//! Programs that read commands of their own from standard input.

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;

/// Commands of one input that are looked at.
const MOST: usize = 1_000;

impl Machine<'_> {
    /// `xmllint --shell FILE` reads commands such as `load FILE`.
    pub(super) fn xmllint(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        if arguments.has(&["--shell"]) {
            match io.input.clone() {
                Stream::Known(text) => {
                    for line in self.at_most(MOST, text.lines()) {
                        self.xml_command(line.trim());
                    }
                }
                Stream::Unconnected => {}
                _ => self.opaque(About::Anything, Reason::UnknownInputCommands, &[]),
            }
        }
        self.given(call.entry, call.words, &arguments, io)
    }

    /// `telnet` without a host reads commands: `!command`, `open HOST`. With one, they stand behind its escape character.
    pub(super) fn telnet(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        const ESCAPE: char = '\u{1d}';
        let arguments = Arguments::divide(call.entry, call.rest);
        if let Some(text) = io.input.text().map(str::to_owned) {
            let connected = !arguments.operands.is_empty();
            for line in self.at_most(MOST, text.lines().filter(|line| !connected || line.starts_with(ESCAPE))) {
                let line = line.trim_start_matches(ESCAPE).trim();
                if let Some(command) = line.strip_prefix('!') {
                    self.command_text(&Arg::exact(command), io);
                } else if let Some((_, host)) = line.split_once(' ').filter(|(name, _)| "open".starts_with(name)) {
                    self.connect_host(&Arg::exact(host.split_whitespace().next().unwrap_or(host)), None, None);
                }
            }
        }
        self.given(call.entry, call.words, &arguments, io)
    }

    fn xml_command(&mut self, line: &str) {
        let Some((name, file)) = line.split_once(' ') else { return };
        match name {
            "load" | "relaxng" => self.path(Role::Read, &Arg::exact(file.trim())),
            "save" | "write" => self.path(Role::Write, &Arg::exact(file.trim())),
            _ => {}
        }
    }
}
