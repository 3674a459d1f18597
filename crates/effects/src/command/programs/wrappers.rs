//! Programs that run another command: `env`, `sudo`, `flock`, `watch`, `script`.

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::{Language, Role};
use crate::command::machine::{Launch, Machine};
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;

/// The directories of a search path that stand before one which is not known.
fn known_places<'v>(name: &str, value: &'v Arg) -> Option<&'v str> {
    let known = value.text.split("**").next().filter(|_| name == "PATH")?;
    let known = known.rsplit_once(':').map_or("", |(places, _)| places);
    Some(known).filter(|places| !places.is_empty())
}

impl Machine<'_> {
    pub(super) fn env(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut words: std::collections::VecDeque<Arg> = call.rest.iter().cloned().collect();
        let cwd = self.world.cwd().map(str::to_owned);
        let mut scope = io.scope.clone();
        while let Some(word) = words.front().cloned() {
            let text = word.text.as_str();
            if let Some(split) = split_string(&word) {
                words.pop_front();
                let value = match split {
                    Split::Attached(text) => Some(text),
                    Split::Next => words.pop_front(),
                };
                let Some(value) = value else { break };
                match value.literal() {
                    Some(text) => {
                        self.split_words(text, &mut scope).into_iter().rev().for_each(|word| words.push_front(word));
                    }
                    None => self.opaque(About::Anything, Reason::UnknownCommandText, &[]),
                }
            } else if matches!(word.literal(), Some("-u" | "--unset" | "-C" | "--chdir" | "--argv0" | "-P" | "-a")) {
                words.pop_front();
                let value = words.pop_front();
                if let Some(directory) = value.filter(|_| matches!(text, "-C" | "--chdir")) {
                    self.world.enter_word(&directory);
                }
            } else if let Some(directory) = text.strip_prefix("--chdir=") {
                self.world.enter_word(&word.with(directory));
                words.pop_front();
            } else if text.starts_with('-') && word.is_exact() {
                words.pop_front();
            } else if let Some((name, value)) = word.after('=').filter(|(name, _)| is_name(name)) {
                self.exported(&word.with(name.as_str()), Some(&value), &mut scope);
                scope.assign_field(&name, value.literal().or_else(|| known_places(&name, &value)));
                scope.export(&name);
                words.pop_front();
            } else {
                break;
            }
        }
        let command: Vec<Arg> = words.into();
        let output = if command.is_empty() {
            self.opaque(About::Reads, Reason::Environment, &[]);
            Stream::Unknown
        } else {
            self.command(&command, &mut Io { scope: &mut scope, input: io.input })
        };
        self.world.set_cwd(cwd);
        output
    }

    /// Words of `env -S TEXT`: split and unquoted like a shell does, nearly.
    pub(crate) fn split_words(&mut self, text: &str, scope: &mut agent_strace_shell::Scope) -> Vec<Arg> {
        let home = self.home(text);
        let script = agent_strace_shell::parse_at(text, home);
        let mut words = Vec::new();
        for node in &script.nodes {
            if let agent_strace_shell::Node::Simple(simple) = node {
                words.extend(simple.assignments.iter().map(|assignment| Arg::exact(format!("{}=", assignment.name))));
                words.extend(self.fields(&simple.words, scope));
            }
        }
        if script.nodes.len() != 1 || !script.problems.is_empty() || words.is_empty() {
            words = text.split_whitespace().map(Arg::exact).collect();
        }
        words
    }

    pub(super) fn sudo(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        self.options(&arguments, io);
        let skip = arguments.operands.iter().take_while(|word| word.after('=').is_some_and(|(name, _)| is_name(&name)));
        let skip = skip.count();
        for word in arguments.operands.iter().take(skip) {
            if let Some((name, value)) = word.after('=') {
                self.exported(&word.with(name.as_str()), Some(&value), io.scope);
            }
        }
        let command = arguments.operands.get(skip..).unwrap_or_default();
        if command.is_empty() {
            if arguments.has(&["-i", "-s", "--login", "--shell"]) {
                return self.unread_input(io);
            }
            return Stream::nothing();
        }
        if arguments.has(&["-e", "--edit"]) {
            for file in command {
                self.path(Role::Edit, file);
            }
            return Stream::nothing();
        }
        self.command(command, io)
    }

    /// A shell or interpreter that reads its program from standard input.
    pub(crate) fn unread_input(&mut self, io: &mut Io<'_>) -> Stream {
        let input = io.input.clone();
        let mut child = io.scope.child();
        self.stream_program(&input, &mut Io { scope: &mut child, input: &Stream::Unknown })
    }

    /// A wrapper whose options we do not all know: what follows the last thing that looks like an option runs.
    pub(super) fn loose_wrapper(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let after_dashes = call.rest.iter().position(|word| word.literal() == Some("--"));
        let after_dashes = after_dashes.filter(|at| !self.is_of_program(call, *at, io));
        let command: Vec<Arg> = if let Some(at) = after_dashes {
            let own = call.rest.get(..at).unwrap_or_default();
            self.options(&Arguments::divide(call.entry, own), io);
            call.rest.get(at + 1..).unwrap_or_default().to_vec()
        } else {
            let arguments = Arguments::divide(call.entry, call.rest);
            self.options(&arguments, io);
            let skip = call.entry.operands.iter().take_while(|operand| operand.role != Role::Argv).count();
            arguments.operands.get(skip..).unwrap_or_default().to_vec()
        };
        let program = call.words.first().map_or("", |word| word.text.as_str());
        if command.is_empty() {
            if call.entry.unproven.is_some() {
                self.unproven(call.entry, call.words);
            } else {
                self.opaque(About::Anything, Reason::ProgramNotNamed, &[program]);
            }
            return Stream::Unknown;
        }
        if after_dashes.is_none() && !matches!(call.name, "corepack" | "uv") {
            // An option's value may have been taken for the program, or the program for a value: any word may be it.
            self.execute(call.words, Launch::Embedding);
        }
        match command.split_first() {
            Some((script, _)) if call.name == "uv" && script.literal() == Some("-") => {
                self.program_on_input(Language::Python, io)
            }
            Some((script, arguments)) if call.name == "uv" && script.text.contains("://") => {
                self.run_script("uv run", Language::Python, script, arguments, io)
            }
            _ => self.command(&command, io),
        }
    }

    /// The `--` at this place belongs to the program that runs: what stands before it is known (`fakeroot rm -- FILE`), and
    /// what stands behind it is not. Where both are known, either may be the program.
    fn is_of_program(&mut self, call: Call<'_>, at: usize, io: &mut Io<'_>) -> bool {
        let (before, after) = call.rest.split_at_checked(at).unwrap_or((call.rest, &[]));
        let skip = call.entry.operands.iter().take_while(|operand| operand.role != Role::Argv).count();
        let operands = Arguments::divide(call.entry, before).operands;
        let command: Vec<Arg> = operands.into_iter().skip(skip).chain(after.iter().cloned()).collect();
        let is_known = |word: Option<&Arg>| word.and_then(Arg::literal).is_some_and(|name| self.knowledge.lists(name));
        let (starts, follows) = (is_known(command.first()), is_known(after.get(1)));
        if starts && follows {
            let cwd = self.world.cwd().map(str::to_owned);
            self.guessed(|machine| machine.command(&command, io));
            self.world.set_cwd(cwd);
        }
        starts && !follows
    }

    pub(super) fn watch(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        if arguments.has(&["-x", "--exec"]) {
            return self.command(&arguments.operands, io);
        }
        self.joined(&arguments.operands, io)
    }

    /// Words that are joined and given to a shell.
    pub(super) fn joined(&mut self, words: &[Arg], io: &mut Io<'_>) -> Stream {
        if words.is_empty() {
            return Stream::nothing();
        }
        if words.iter().all(Arg::is_exact) {
            let text: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            return self.command_text(&Arg::exact(text.join(" ")), io);
        }
        self.command(words, io)
    }

    pub(super) fn flock(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        self.options(&arguments, io);
        let Some((lock, command)) = arguments.operands.split_first() else { return Stream::nothing() };
        if lock.literal().is_none_or(|text| !text.chars().all(|digit| digit.is_ascii_digit())) {
            self.path(Role::Write, lock);
        }
        match command {
            [option, text, ..] if matches!(option.literal(), Some("-c" | "--command")) => self.command_text(text, io),
            [] => Stream::nothing(),
            words => self.command(words, io),
        }
    }

    pub(super) fn script_recorder(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut left = call.rest.iter();
        let (mut file, mut ran) = (None, false);
        while let Some(word) = left.next() {
            match word.literal() {
                Some("-I" | "-O" | "-B" | "-T" | "--log-in" | "--log-out" | "--log-io" | "--log-timing") => {
                    if let Some(log) = left.next() {
                        self.path(Role::Write, log);
                    }
                }
                Some("-o" | "-E" | "-m") => {
                    left.next();
                }
                // A time to BSD; to others what follows it is the file.
                Some("-t") => {
                    let is_time = |word: &&Arg| word.text.chars().all(|letter| letter.is_ascii_digit());
                    if left.as_slice().first().as_ref().is_some_and(is_time) {
                        left.next();
                    }
                }
                Some(text) if text.starts_with("--command=") => {
                    ran = true;
                    let command = word.with(text.trim_start_matches("--command="));
                    self.command_text(&command, io);
                }
                Some(text)
                    if text == "--command"
                        || text.starts_with('-') && !text.starts_with("--") && text.ends_with('c') =>
                {
                    ran = true;
                    if let Some(command) = left.next() {
                        self.command_text(command, io);
                    }
                }
                Some(text) if text.starts_with('-') => {}
                _ if file.is_none() => {
                    file = Some(word);
                    self.path(Role::Write, word);
                }
                // BSD: the command follows the file.
                _ => {
                    ran = true;
                    let rest: Vec<Arg> = std::iter::once(word).chain(left.by_ref()).cloned().collect();
                    self.command(&rest, io);
                }
            }
        }
        if file.is_none() {
            self.path(Role::Write, &Arg::exact("typescript"));
        }
        if !ran {
            return self.unread_input(io);
        }
        Stream::Unknown
    }

    pub(super) fn at(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        if call.rest.iter().any(|word| matches!(word.literal(), Some("-l" | "-r" | "-d" | "-c"))) {
            return Stream::Unknown;
        }
        for pair in call.rest.windows(2) {
            if let [option, file] = pair
                && option.literal() == Some("-f")
            {
                self.path(Role::Read, file);
                let text = self.world.content_of(file);
                let mut child = io.scope.child();
                return self.stream_program(&text, &mut Io { scope: &mut child, input: &Stream::Unknown });
            }
        }
        self.unread_input(io)
    }

    /// `agent-strace setup` prints the settings, and writes them where it is told to.
    pub(super) fn hook_setup(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let changes = call.rest.iter().any(|word| matches!(word.literal(), Some("--write" | "--remove")));
        if changes {
            let home = if call.rest.iter().any(|word| word.text == "--global") { "~/" } else { "" };
            for file in [
                ".claude/settings.json",
                ".codex/hooks.json",
                ".gemini/settings.json",
                ".cursor/hooks.json",
                ".github/hooks/agent-strace.json",
            ] {
                self.path(Role::Edit, &Arg::exact(format!("{home}{file}")));
            }
        }
        let arguments = Arguments::divide(call.entry, call.rest);
        self.options(&arguments, io);
        Stream::Unknown
    }
}

/// How `env` was given text to split.
enum Split {
    Attached(Arg),
    /// The text is the next word.
    Next,
}

/// `-S`, `-vS`, `--split-string`.
fn split_string(word: &Arg) -> Option<Split> {
    let text = word.literal()?;
    if let Some(value) = text.strip_prefix("--split-string") {
        return Some(value.strip_prefix('=').map_or(Split::Next, |value| Split::Attached(word.with(value))));
    }
    let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    let (before, after) = letters.split_once('S')?;
    let flags_only = before.chars().all(|letter| matches!(letter, 'i' | 'v' | '0'));
    let attached = || if after.is_empty() { Split::Next } else { Split::Attached(word.with(after)) };
    flags_only.then(attached)
}

pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '%'))
}
