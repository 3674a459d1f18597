//! Commands that another program starts later, elsewhere or among other things: timetables, units, macros, bridges.

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;

use super::Call;

/// Lines of a timetable, and calls of macros, that are looked at.
const MOST: usize = 1_000;

impl Machine<'_> {
    /// `crontab FILE`, `crontab -`: the lines of the timetable are commands.
    pub(super) fn crontab(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        let file = arguments.operands.first().filter(|file| file.text != "-");
        let table = file.map_or_else(|| io.input.clone(), |file| self.world.content_of(file));
        if let Some(text) = table.text().map(str::to_owned) {
            for command in self.at_most(MOST, text.lines().filter_map(scheduled)) {
                self.command_text(&Arg::exact(command), io);
            }
        }
        self.given(call.entry, call.words, &arguments, io)
    }

    /// `systemd-run -p ExecStartPre=COMMAND PROGRAM…`
    pub(super) fn systemd_run(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        for property in arguments.values(&["-p", "--property", "--timer-property", "--path-property"]) {
            if let Some((_, command)) = property.after('=').filter(|(name, _)| name.starts_with("Exec")) {
                self.command_text(&command.with(command.text.trim_start_matches(['-', '+', '!', '@', ':'])), io);
            }
        }
        self.loose_wrapper(call, io)
    }

    /// `m4`: `syscmd` runs its argument, `include` reads it.
    pub(super) fn macros(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        let mut texts: Vec<String> = io.input.text().map(str::to_owned).into_iter().collect();
        texts.extend(arguments.values(&["-D", "--define"]).map(|word| word.text.clone()));
        for file in &arguments.operands {
            texts.extend(self.world.content_of(file).text().map(str::to_owned));
        }
        for text in &texts {
            for (name, argument) in self.at_most(MOST, calls(text)) {
                if name.ends_with("include") {
                    self.path(Role::Read, &Arg::exact(argument));
                } else {
                    self.command_text(&Arg::exact(argument), io);
                }
            }
        }
        self.given(call.entry, call.words, &arguments, io)
    }

    /// `sg GROUP COMMAND`; without a command, a shell that reads its input.
    pub(super) fn group_session(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        if arguments.operands.len() < 2 && !arguments.has(&["-c", "--command"]) {
            return self.unread_input(io);
        }
        self.given(call.entry, call.words, &arguments, io)
    }

    /// `websocat ADDRESS ADDRESS`: an address is a URL, a file or a command.
    pub(super) fn websocat(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut arguments = Arguments::divide(call.entry, call.rest);
        let addresses = std::mem::take(&mut arguments.operands);
        for address in addresses {
            match address.after(':') {
                Some((kind, command)) if matches!(kind.as_str(), "cmd" | "sh-c") => {
                    self.command_text(&command, io);
                }
                Some((kind, program)) if kind == "exec" => self.role(Role::Program, &program, io),
                Some((kind, file)) if kind == "readfile" => self.path(Role::Read, &file),
                Some((kind, file)) if matches!(kind.as_str(), "writefile" | "appendfile") => {
                    self.path(Role::Write, &file);
                }
                _ if address.text == "-" => {}
                _ => arguments.operands.push(address),
            }
        }
        self.given(call.entry, call.words, &arguments, io)
    }
}

/// The command of a line of a timetable.
fn scheduled(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let is_time = |letter: char| letter.is_ascii_digit() || matches!(letter, '*' | '@');
    let fields = if line.starts_with('@') { 1 } else { 5 };
    let mut rest = line.starts_with(is_time).then_some(line)?;
    for _ in 0..fields {
        rest = rest.split_once(char::is_whitespace)?.1.trim_start();
    }
    (!rest.is_empty()).then_some(rest)
}

/// Calls of the macros of `m4` that read files or run commands, each with its argument.
fn calls(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut left = text;
    std::iter::from_fn(move || {
        loop {
            let at = left.find('(')?;
            let (before, behind) = (left.get(..at)?, left.get(at + 1..)?);
            left = behind;
            let name = ["esyscmd", "syscmd", "sinclude", "include"].into_iter().find(|name| before.ends_with(name));
            if let Some(name) = name {
                let argument = behind.split([')', '\'', '\n']).next().unwrap_or_default();
                return Some((name, argument.trim_start_matches('`')));
            }
        }
    })
}
