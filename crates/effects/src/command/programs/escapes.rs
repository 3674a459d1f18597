//! Programs with commands of their own that start others: `dc`, `ip netns exec`, debuggers, database clients.

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::{Entry, Language, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;

impl Machine<'_> {
    /// `dc -e '!command'`
    pub(super) fn dc(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut left = call.rest.iter();
        let mut texts: Vec<String> = io.input.text().map(str::to_owned).into_iter().collect();
        while let Some(word) = left.next() {
            match word.literal() {
                Some("-e" | "--expression") => texts.extend(left.next().map(|word| word.text.clone())),
                Some("-f" | "--file") => {
                    if let Some(file) = left.next() {
                        self.path(Role::Read, file);
                        texts.extend(self.world.content_of(file).text().map(str::to_owned));
                    }
                }
                Some(text) if text.starts_with("--expression=") => {
                    texts.push(text.trim_start_matches("--expression=").to_owned());
                }
                Some(text) if text.starts_with('-') && text.len() > 1 => {
                    texts.extend(text.strip_prefix("-e").map(str::to_owned));
                }
                _ => {
                    self.path(Role::Read, word);
                    texts.extend(self.world.content_of(word).text().map(str::to_owned));
                }
            }
        }
        for line in texts.iter().flat_map(|text| text.lines()) {
            if let Some((_, command)) = line.split_once('!').filter(|(_, rest)| !rest.starts_with(['<', '>', '='])) {
                self.command_text(&Arg::exact(command), io);
            }
        }
        Stream::Unknown
    }

    /// `#(command)` and the like in a word: what stands between `open` and its closing parenthesis runs.
    pub(super) fn embedded_commands(&mut self, word: &Arg, open: &str, io: &mut Io<'_>) {
        const MOST: usize = 16;
        for part in word.text.split(open).skip(1).take(MOST) {
            let mut depth = 1_usize;
            let end = part.find(|letter| {
                depth = match letter {
                    '(' => depth.saturating_add(1),
                    ')' => depth.saturating_sub(1),
                    _ => depth,
                };
                depth == 0
            });
            self.command_text(&word.with(part.get(..end.unwrap_or(part.len())).unwrap_or(part)), io);
        }
    }

    /// `rpm --eval '%(command)'`: macros run commands.
    pub(super) fn rpm(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        for word in call.rest.iter().filter(|word| word.text.contains('%')) {
            self.embedded_commands(word, "%(", io);
            if word.text.contains("%{lua:") {
                self.opaque(About::Anything, Reason::ProgramTextNotRead, &[]);
                self.guess_commands(word);
            }
        }
        let arguments = Arguments::divide(call.entry, call.rest);
        self.given(call.entry, call.words, &arguments, io)
    }

    /// `runuser -u USER -- COMMAND…` starts a command, `runuser USER -c TEXT` a shell.
    pub(super) fn runuser(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let names_user = call
            .rest
            .iter()
            .any(|word| word.text.starts_with("--user") || word.text.starts_with("-u") && !word.text.starts_with("--"));
        if names_user {
            return self.sudo(call, io);
        }
        let arguments = Arguments::divide(&Entry { stops: false, ..call.entry.clone() }, call.rest);
        self.options(&arguments, io);
        // `-` and the user; what is left over goes to the user's shell.
        let mut others = arguments.operands.iter().filter(|word| word.text != "-").skip(1);
        if let Some(script) = others.next() {
            self.run_script("sh", Language::Shell, script, &[], io);
        } else if !arguments.has(&["-c", "--command", "--session-command"]) {
            return self.unread_input(io);
        }
        Stream::Unknown
    }

    /// `ip netns exec NAME COMMAND…`, `ip -batch FILE`
    pub(super) fn ip(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        for pair in call.rest.windows(2) {
            if let [option, file] = pair
                && matches!(option.literal(), Some("-b" | "-batch" | "--batch"))
            {
                self.path(Role::Read, file);
                self.opaque(About::Anything, Reason::CommandFile, &[]);
            }
        }
        let at = call.rest.iter().position(|word| word.text == "exec");
        match at.and_then(|at| call.rest.get(at + 2..)) {
            Some(command) if !command.is_empty() => self.command(command, io),
            _ => Stream::Unknown,
        }
    }

    /// `strace -o '|command'` gives what it prints to a command.
    pub(super) fn traced(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        for output in arguments.values(&["-o", "--output", "--log-file"]) {
            if output.text.starts_with(['|', '!']) {
                self.command_text(&output.with(output.text.trim_start_matches(['|', '!'])), io);
            }
        }
        for file in arguments.values(&["-F"]) {
            self.path(Role::Read, file);
        }
        self.given(call.entry, call.words, &arguments, io)
    }

    /// `gdb -ex 'shell command'`, `gdb --eval-command='shell command'`, `lldb -o '…'`
    pub(super) fn debugger(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        for (at, option) in call.rest.iter().enumerate() {
            let Some(name) = option.literal().filter(|text| text.starts_with('-')) else { continue };
            let (name, attached) = match name.split_once('=') {
                Some((name, value)) => (name, Some(option.with(value))),
                None => (name, None),
            };
            let Some(text) = attached.or_else(|| call.rest.get(at + 1).cloned()) else { continue };
            match name {
                "-ex"
                | "--ex"
                | "-iex"
                | "-eval-command"
                | "--eval-command"
                | "-o"
                | "-O"
                | "--one-line"
                | "--init-eval-command"
                | "--early-init-eval-command"
                | "-eiex" => {
                    self.client_command(&text.text, io);
                }
                "-x" | "--command" | "-s" | "--source" | "-S" => {
                    self.path(Role::Read, &text);
                    self.opaque(About::Anything, Reason::CommandFile, &[]);
                }
                _ => {}
            }
        }
        self.client_input(io);
        let arguments = Arguments::divide(call.entry, call.rest);
        let output = self.given(call.entry, call.words, &arguments, io);
        let starts = |word: &Arg| matches!(word.literal(), Some("--args" | "-args" | "--"));
        if let Some(at) = call.rest.iter().position(starts) {
            self.guess_argv(call.rest.get(at + 1..).unwrap_or_default());
        }
        output
    }

    /// `coredumpctl debug --debugger=PROGRAM --debugger-arguments=TEXT`
    pub(super) fn core_dump(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        let last = |names: &'static [&'static str]| arguments.values(names).last();
        let (program, text) = (last(&["--debugger"]), last(&["-A", "--debugger-arguments"]));
        if let Some(first) = program.or(text) {
            let program = program.map_or("gdb", |word| word.text.as_str());
            let text = text.map_or("", |word| word.text.as_str());
            self.command_text(&first.with(format!("{program} {text}").trim_end()), io);
        }
        self.given(call.entry, call.words, &arguments, io)
    }

    /// Lines that a client reads from its input.
    pub(super) fn client_input(&mut self, io: &mut Io<'_>) {
        if let Some(text) = io.input.text().map(str::to_owned) {
            for line in text.lines() {
                self.client_command(line, io);
            }
        }
    }

    /// Commands of debuggers and database clients that start others or name files.
    pub(super) fn client_command(&mut self, text: &str, io: &mut Io<'_>) {
        let text = text.trim();
        let run = ["shell ", "!", "\\!", "\\\\!", ".shell ", ".system ", "system ", "platform shell "];
        let reads = [".read ", ".import ", "\\i ", "\\ir ", "source "];
        let writes = [".output ", ".once ", ".log ", ".backup ", ".save ", "\\o ", "tee "];
        let behind = |starts: &[&str]| {
            starts.iter().find_map(|start| text.strip_prefix(start)).map(str::trim).filter(|rest| !rest.is_empty())
        };
        let first =
            |rest: &str| rest.split_whitespace().next().unwrap_or_default().trim_matches(['\'', '"']).to_owned();
        // `pipe DEBUGGER-COMMAND | SHELL-COMMAND`
        let piped = behind(&["pipe ", "| "]).and_then(|rest| rest.split_once('|')).map(|(_, command)| command);
        if let Some(command) = behind(&run).or(piped) {
            self.command_text(&Arg::exact(command), io);
        } else if let Some(rest) = behind(&reads) {
            self.path(Role::Read, &Arg::exact(first(rest)));
        } else if let Some(rest) = behind(&writes) {
            match rest.strip_prefix('|') {
                Some(command) => {
                    self.command_text(&Arg::exact(command), io);
                }
                None => self.path(Role::Write, &Arg::exact(first(rest))),
            }
        } else if let Some(rest) = behind(&["\\copy "]) {
            let words: Vec<&str> = rest.split_whitespace().collect();
            for pair in words.windows(2) {
                match pair {
                    [word, file] if word.eq_ignore_ascii_case("from") => {
                        self.path(Role::Read, &Arg::exact(first(file)));
                    }
                    [word, file] if word.eq_ignore_ascii_case("to") => {
                        self.path(Role::Write, &Arg::exact(first(file)));
                    }
                    _ => {}
                }
            }
        } else {
            self.statement_files(text);
            self.guess_strings(text);
        }
    }

    /// Files that functions of a database statement name.
    pub(super) fn statement_files(&mut self, text: &str) {
        for (name, role) in [("readfile(", Role::Read), ("writefile(", Role::Write)] {
            for part in text.split(name).skip(1) {
                let quoted = part.trim_start().strip_prefix('\'').and_then(|rest| rest.split('\'').next());
                match quoted {
                    Some(file) => self.path(role, &Arg::exact(file)),
                    None => self.path(role, &Arg::unknown("a value of the statement")),
                }
            }
        }
    }
}
