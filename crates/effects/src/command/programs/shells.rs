//! Runs shells as programs: `sh -c TEXT`, `bash FILE`, text on standard input, and the start-up files they read.

use crate::command::argument::{Arg, parameters};
use crate::command::knowledge::{Language, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;

/// The options that a shell was started with.
#[derive(Debug, Default)]
struct Invocation {
    /// `-c`: the first operand is the text to run.
    text: bool,
    login: bool,
    interactive: bool,
    /// `-n`: commands are read and not run.
    only_checks: bool,
    /// `+n`, a name that may unset `-n`, or an interactive shell, which has no `-n`.
    runs: bool,
}

impl Invocation {
    /// A group of one-letter options.
    fn set(&mut self, flags: &str) {
        self.text |= flags.starts_with('-') && flags.contains('c');
        self.login |= flags.contains('l');
        self.interactive |= flags.contains('i');
        self.only_checks |= flags.starts_with('-') && flags.contains('n');
        self.runs |= flags.starts_with('+') && flags.contains('n') || flags.contains('i');
    }

    /// `-o NAME`, `+o NAME`: both spellings of `exec` decide whether commands run.
    fn set_named(&mut self, name: Option<&Arg>) {
        let is_other = |name: &str| !name.replace('_', "").to_ascii_lowercase().ends_with("exec");
        self.runs |= !name.and_then(Arg::literal).is_some_and(is_other);
    }

    /// The files that the shell reads before anything else.
    fn start_up_files(&self, shell: &str) -> Vec<&'static str> {
        let files = [
            (shell == "zsh", "~/.zshenv"),
            (self.login, "~/.bash_profile ~/.bash_login ~/.profile ~/.zprofile ~/.zlogin ~/.bash_logout ~/.zlogout"),
            (self.interactive && shell.ends_with("ksh"), "~/.kshrc ~/.mkshrc"),
            (shell == "fish", "~/.config/fish/config.fish"),
            (self.login || self.interactive, "~/.bashrc ~/.zshrc"),
        ];
        files.into_iter().filter(|(reads, _)| *reads).flat_map(|(_, files)| files.split(' ')).collect()
    }
}

impl Machine<'_> {
    pub(super) fn shell(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let (invocation, rest) = self.shell_options(call.rest, io);
        for file in invocation.start_up_files(call.name) {
            self.start_up_file(&Arg::exact(file), io);
        }
        if let Some(file) = io.scope.exports("BASH_ENV").then(|| io.scope.value("BASH_ENV").best()).flatten() {
            self.start_up_file(&Arg::exact(file), io);
        }
        let only_checks = invocation.only_checks && !invocation.runs && !invocation.text;
        // A word that is not known may be an option that turns the check off.
        if only_checks && rest.first().is_none_or(Arg::is_exact) {
            rest.first().into_iter().for_each(|file| self.path(Role::Read, file));
            return Stream::nothing();
        }
        if invocation.text {
            return self.shell_words(rest, io);
        }
        match rest.split_first() {
            None => self.unread_input(io),
            Some((file, _)) if matches!(file.literal(), Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")) => {
                self.unread_input(io)
            }
            Some(_) if call.rest.iter().any(|word| word.text == "-s") => {
                let mut child = io.scope.child();
                child.set_positional(parameters(rest));
                let input = io.input.clone();
                self.stream_program(&input, &mut Io { scope: &mut child, input: &Stream::Unknown })
            }
            Some((file, arguments)) => self.run_script(call.name, Language::Shell, file, arguments, io),
        }
    }

    /// The options of a shell, and the words behind them.
    fn shell_options<'w>(&mut self, words: &'w [Arg], io: &mut Io<'_>) -> (Invocation, &'w [Arg]) {
        let mut invocation = Invocation::default();
        let mut left = words;
        while let [word, rest @ ..] = left {
            let behind_value = rest.get(1..).unwrap_or_default();
            match word.literal() {
                Some("--rcfile" | "--init-file") => {
                    left = behind_value;
                    if let Some(file) = rest.first() {
                        self.path(Role::Read, file);
                        self.opaque(About::Anything, Reason::StartUpFile, &[]);
                        self.start_up_file(file, io);
                    }
                }
                Some("--" | "-") => return (invocation, rest),
                Some(long) if long.starts_with("--") => {
                    invocation.login |= long == "--login";
                    left = rest;
                }
                Some(flags) if flags.starts_with(['-', '+']) && flags.len() > 1 => {
                    invocation.set(flags);
                    let takes_name = flags.contains(['o', 'O']);
                    if takes_name {
                        invocation.set_named(rest.first());
                    }
                    left = if takes_name { behind_value } else { rest };
                }
                _ => break,
            }
        }
        (invocation, left)
    }

    /// A shell's start-up file, where this session wrote it.
    pub(crate) fn start_up_file(&mut self, file: &Arg, io: &mut Io<'_>) {
        if self.process_output(file).is_some()
            || file.is_exact() && self.world.is_written(&self.world.locate_word(file).0)
        {
            self.run_file(file, Some(Language::Shell), &[], &[], io);
        }
    }

    /// `-c TEXT NAME ARGUMENTS…`
    fn shell_words(&mut self, rest: &[Arg], io: &mut Io<'_>) -> Stream {
        let Some((text, others)) = rest.split_first() else { return Stream::nothing() };
        let known = if let Some(known) = text.literal() {
            known.to_owned()
        } else {
            self.opaque(About::Anything, self.code_of(text, Reason::UnknownCommandText), &[]);
            match &text.likely {
                Some(likely) => likely.clone(),
                None => return Stream::Unknown,
            }
        };
        let mut child = io.scope.child();
        child.set_positional(parameters(others.get(1..).unwrap_or_default()));
        if let Some(name) = parameters(others.get(..1).unwrap_or_default()).pop() {
            child.assign("0", name);
        }
        let cwd = self.world.cwd().map(str::to_owned);
        let output = self.at_word(text, |machine| machine.shell_text(&known, &mut child, io.input));
        self.world.set_cwd(cwd);
        output
    }
}
