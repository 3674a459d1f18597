//! `cpio` and `pax`, which take the names of what they pack from standard input.

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;

/// Names of an input that are looked at.
const NAMES: usize = 10_000;

impl Machine<'_> {
    pub(super) fn cpio(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        self.options(&arguments, io);
        let cwd = self.world.cwd().map(str::to_owned);
        for directory in arguments.values(&["-D", "--directory"]) {
            self.path(Role::List, directory);
            self.world.enter_word(directory);
        }
        let output = if call.name == "pax" { self.pax(&arguments, io) } else { self.cpio_mode(&arguments, io) };
        self.world.set_cwd(cwd);
        output
    }

    fn cpio_mode(&mut self, arguments: &Arguments, io: &Io<'_>) -> Stream {
        let lists = arguments.has(&["-t", "--list"]);
        if arguments.has(&["-o", "--create"]) {
            self.archive(arguments, &["-F", "--file", "-O"], Role::Write);
            self.packed(io);
            return Stream::Unknown;
        }
        if arguments.has(&["-p", "--pass-through"]) {
            self.packed(io);
            for directory in &arguments.operands {
                self.path(Role::WriteTree, directory);
            }
            return Stream::nothing();
        }
        self.archive(arguments, &["-F", "--file", "-I", "-E", "--pattern-file"], Role::Read);
        if arguments.has(&["--to-stdout"]) {
            return io.input.decoded();
        }
        if !lists {
            self.path(Role::WriteTree, &Arg::exact("."));
        }
        Stream::Unknown
    }

    fn pax(&mut self, arguments: &Arguments, io: &Io<'_>) -> Stream {
        let (reads, writes) = (arguments.has(&["-r"]), arguments.has(&["-w"]));
        let (names, target) = match arguments.operands.split_last() {
            Some((target, names)) if reads && writes => (names, Some(target)),
            _ => (arguments.operands.as_slice(), None),
        };
        if writes {
            for name in names {
                self.path(Role::ReadTree, name);
            }
            if names.is_empty() {
                self.packed(io);
            }
        }
        match (reads, writes) {
            (true, true) => target.into_iter().for_each(|target| self.path(Role::WriteTree, target)),
            (true, false) => {
                self.archive(arguments, &["-f"], Role::Read);
                self.path(Role::WriteTree, &Arg::exact("."));
            }
            (false, true) => self.archive(arguments, &["-f"], Role::Write),
            (false, false) => self.archive(arguments, &["-f"], Role::Read),
        }
        Stream::Unknown
    }

    fn archive(&mut self, arguments: &Arguments, names: &[&str], role: Role) {
        for file in arguments.values(names) {
            self.path(role, file);
        }
    }

    /// Reads the files that the input names.
    fn packed(&mut self, io: &Io<'_>) {
        let Some(text) = io.input.text().map(str::to_owned) else {
            self.opaque(About::Reads, Reason::InputPacked, &[]);
            return;
        };
        for name in self.at_most(NAMES, text.split(['\n', '\0']).filter(|name| !name.is_empty())) {
            self.path(Role::ReadTree, &Arg::exact(name));
        }
    }
}
