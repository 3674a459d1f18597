//! Builtins that change the shell itself: its directory, variables, functions and what it runs next.

use crate::{About, Certainty, Reason};
use agent_strace_shell::{Function, Scope, Script};

use super::argument::{Arg, Known, parameters};
use super::knowledge::{Language, Role};
use super::machine::{Launch, Machine};
use super::simple::Io;
use super::stream::Stream;

/// What [`Machine::builtin`] answers to.
pub(super) const NAMES: &[&str] = &[
    "cd",
    "pushd",
    "popd",
    "chdir",
    "eval",
    "source",
    ".",
    "exec",
    "command",
    "builtin",
    "noglob",
    "nocorrect",
    "trap",
    "export",
    "declare",
    "typeset",
    "readonly",
    "local",
    "unset",
    "set",
    "shift",
    "read",
    "mapfile",
    "readarray",
    "getopts",
    "let",
    "alias",
    "unalias",
];

impl Machine<'_> {
    /// Runs `name` if it is a builtin with state of its own.
    pub(crate) fn builtin(&mut self, name: &str, words: &[Arg], io: &mut Io<'_>) -> Option<Stream> {
        let rest = words.get(1..).unwrap_or_default();
        self.expanded_again(name, rest, io.scope);
        match name {
            "cd" | "pushd" | "popd" | "chdir" => self.change_directory(name, words, io),
            "eval" => return Some(self.evaluate(words, io)),
            "source" | "." => return Some(self.sourced(words, io)),
            "exec" => return Some(self.exec_builtin(words, io)),
            "command" | "builtin" => return Some(self.builtin_command(words, io)),
            "noglob" | "nocorrect" => {
                self.execute(words, Launch::Inert);
                return Some(self.command(rest, io));
            }
            "trap" => self.trapped(words, io),
            "export" | "declare" | "typeset" | "readonly" | "local" => self.declared(name, words, io),
            "unset" => self.unset(words, io.scope),
            "set" => return Some(self.set(words, io)),
            "shift" => {
                self.execute(words, Launch::Inert);
                io.scope.shift(rest.first().map_or(Some(1), |word| word.literal().and_then(|text| text.parse().ok())));
            }
            "read" => self.read_line(words, io),
            "mapfile" | "readarray" => self.read_lines(words, io),
            "printf" if rest.first().is_some_and(|word| word.text == "-v") => {
                self.execute(words, Launch::Inert);
                Self::print_to(words, io);
            }
            "jobs" if rest.first().is_some_and(|word| word.text == "-x") => {
                self.execute(words, Launch::Inert);
                return Some(self.command(rest.get(1..).unwrap_or_default(), io));
            }
            "pwd" if rest.iter().all(|word| word.literal() == Some("-L")) => {
                self.execute(words, Launch::Inert);
                return Some(self.world.cwd().map_or(Stream::Unknown, |cwd| Stream::of(format!("{cwd}\n"))));
            }
            "complete" | "bind" | "enable" | "hash" => self.unusual_builtin(name, words, io),
            "compgen" | "fc" => {
                self.unusual_builtin(name, words, io);
                return Some(Stream::Unknown);
            }
            "getopts" | "let" => self.unknown_values(words, io),
            "alias" => {
                self.execute(words, Launch::Plain);
                self.aliased(rest, io.scope);
            }
            "unalias" => {
                self.execute(words, Launch::Inert);
                for word in rest {
                    io.scope.forget_alias(&word.text);
                }
            }
            _ => return None,
        }
        Some(Stream::nothing())
    }

    /// Operands that a builtin takes for names or expressions: their subscripts are expanded once more, so
    /// `read 'a[$(rm x)]'` runs `rm`.
    fn expanded_again(&mut self, name: &str, rest: &[Arg], scope: &mut Scope) {
        let is_integer = rest.iter().any(|word| word.text.starts_with('-') && word.text.contains('i'));
        let mut flag = "";
        for word in rest {
            let Some(text) = word.literal() else { continue };
            let named = text.split_once('=').map_or(text, |(named, _)| named);
            let expression = match name {
                "declare" | "typeset" | "local" | "export" | "readonly" if is_integer => text,
                "declare" | "typeset" | "local" | "export" | "readonly" => named,
                "let" | "unset" | "read" | "mapfile" | "readarray" | "getopts" => text,
                "printf" | "test" | "[" if flag == "-v" => text,
                "wait" if flag == "-p" => text,
                _ => "",
            };
            flag = text;
            if !expression.is_empty() && (name == "let" || is_integer || expression.contains('[')) {
                agent_strace_shell::evaluate(expression, scope, self);
            }
        }
    }

    fn change_directory(&mut self, name: &str, words: &[Arg], io: &mut Io<'_>) {
        self.execute(words, Launch::Inert);
        // `pushd -n` and `popd -n` only change the stack of directories, which the walk does not follow.
        if name != "cd" && words.iter().skip(1).any(|word| word.text == "-n") {
            return io.scope.push_directory(None);
        }
        let mut operands = words.iter().skip(1).filter(|word| !(word.text.starts_with('-') && word.text.len() > 1));
        let before = self.world.cwd().map(str::to_owned);
        let globbed = self.shell.globbed_dir.take();
        match (name, operands.next()) {
            ("popd", _) => {
                let back = io.scope.pop_directory();
                self.world.set_cwd(back);
                return;
            }
            ("pushd", None) => self.world.set_cwd(None),
            (_, None) => self.world.enter("~", Certainty::Exact),
            (_, Some(word)) if word.text == "-" => {
                let back = io.scope.previous_directory();
                self.world.set_cwd(back);
            }
            (_, Some(word)) => {
                let word = word.clone();
                // Another place may be meant by a name without a path.
                let searched = io.scope.content("CDPATH").is_some() && !word.text.starts_with(['/', '.', '~']);
                if searched {
                    self.world.set_cwd(None);
                } else {
                    self.world.enter_word(&word);
                    self.shell.globbed_dir = globbed;
                    self.shell.globbed_dir = self.globbed_directory(before.as_deref(), &word);
                }
                self.shell.failed_cd_dir = before.clone().filter(|before| !self.world.surely_entered(before));
            }
        }
        if name == "pushd" {
            io.scope.push_directory(before.clone());
        }
        io.scope.leave_directory(before);
    }

    fn evaluate(&mut self, words: &[Arg], io: &mut Io<'_>) -> Stream {
        self.execute(words, Launch::Inert);
        let rest = words.get(1..).unwrap_or_default();
        let texts: Vec<&str> = rest.iter().map(Arg::best).collect();
        if !rest.iter().all(Arg::is_exact) {
            let reason = rest.iter().fold(Reason::EvaluatesUnknownText, |reason, word| self.code_of(word, reason));
            self.opaque(About::Anything, reason, &[]);
            if rest.iter().any(|word| word.known == Known::Not && word.likely.is_none()) {
                return Stream::Unknown;
            }
        }
        let input = io.input.clone();
        self.shell_text(&texts.join(" "), io.scope, &input)
    }

    fn sourced(&mut self, words: &[Arg], io: &mut Io<'_>) -> Stream {
        let Some(file) = words.get(1) else {
            self.execute(words, Launch::Inert);
            return Stream::nothing();
        };
        self.execute(words, Launch::Inert);
        let typed = matches!(file.literal(), Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"));
        if let Some(text) = self.process_output(file).or_else(|| typed.then(|| io.input.clone())) {
            return self.stream_program(&text, io);
        }
        self.path(Role::Read, file);
        self.doubt_text_of(file);
        if let Some(text) = self.world.content_of(file).text().map(str::to_owned) {
            let input = io.input.clone();
            self.through_script(file, |machine| machine.shell_text(&text, io.scope, &input))
        } else if let Stream::Foreign(provenance) = self.world.content_of(file) {
            self.foreign_code(provenance);
            Stream::Unknown
        } else if let Some(foreign) = self.foreign_file(file).filter(|_| file.is_exact()) {
            self.opaque(About::Anything, foreign, &[]);
            Stream::Unknown
        } else if file.is_exact() && self.world.is_written(&self.world.locate_word(file).0) {
            self.opaque(About::Anything, Reason::ScriptContentUnknown, &[]);
            self.run_parts(file, Some(Language::Shell), io);
            Stream::Unknown
        } else {
            let program = words.first().map_or("source", |word| word.text.as_str());
            let about = self.world.about_project(&[Arg::exact(""), file.clone()]);
            self.opaque(about, Reason::ScriptNotWritten, &[program, &file.text]);
            Stream::Unknown
        }
    }

    /// Effects of `inside` come from the script `file`.
    pub(crate) fn through_script<T>(&mut self, file: &Arg, inside: impl FnOnce(&mut Machine<'_>) -> T) -> T {
        self.through(|| format!("script {}", file.text), inside)
    }

    /// A program on a stream, run by this shell.
    pub(crate) fn stream_program(&mut self, text: &Stream, io: &mut Io<'_>) -> Stream {
        match text {
            Stream::Known(text) => self.shell_text(text, io.scope, &Stream::Unknown),
            Stream::Likely(text) => {
                self.opaque_input(Reason::UncertainInputCommands);
                self.shell_text(text, io.scope, &Stream::Unknown)
            }
            Stream::Foreign(provenance) => {
                self.foreign_input(*provenance);
                Stream::Unknown
            }
            Stream::Names(_) | Stream::Unknown | Stream::Unconnected => {
                self.opaque_input(Reason::UnknownInputCommands);
                Stream::Unknown
            }
        }
    }

    fn exec_builtin(&mut self, words: &[Arg], io: &mut Io<'_>) -> Stream {
        self.execute(words, Launch::Inert);
        let mut rest = words.get(1..).unwrap_or_default();
        while let [option, others @ ..] = rest {
            match option.literal() {
                Some("-a") => rest = others.get(1..).unwrap_or_default(),
                Some("-c" | "-l" | "-cl" | "-lc" | "--") => rest = others,
                _ => break,
            }
        }
        if rest.is_empty() { Stream::nothing() } else { self.command(rest, io) }
    }

    /// `command x`: no function, no alias.
    fn builtin_command(&mut self, words: &[Arg], io: &mut Io<'_>) -> Stream {
        let rest = words.get(1..).unwrap_or_default();
        let asks = rest
            .iter()
            .take_while(|word| word.text.starts_with('-'))
            .any(|word| matches!(word.literal(), Some("-v" | "-V" | "-pv" | "-pV")));
        self.execute(words, if asks { Launch::Inert } else { Launch::Plain });
        if asks {
            return Self::found(rest);
        }
        let skip = rest.iter().take_while(|word| matches!(word.literal(), Some("-p" | "--"))).count();
        let rest = rest.get(skip..).unwrap_or_default();
        let Some(program) = rest.first() else { return Stream::nothing() };
        let input = io.input;
        io.scope.without_function(program.literal().unwrap_or_default(), |scope| {
            self.command(rest, &mut Io { scope, input })
        })
    }

    fn trapped(&mut self, words: &[Arg], io: &mut Io<'_>) {
        self.execute(words, Launch::Inert);
        let action = words.iter().skip(1).find(|word| word.text != "--");
        let Some(action) = action else { return };
        if matches!(action.literal(), Some("-l" | "-p" | "-" | "")) || words.len() < 3 {
            return;
        }
        match action.literal() {
            Some(text) => {
                let text = text.to_owned();
                self.forked(io.scope, |machine, scope| {
                    machine.perhaps_again().shell_text(&text, scope, &Stream::Unknown)
                });
            }
            None => self.opaque(About::Anything, self.code_of(action, Reason::EvaluatesUnknownText), &[]),
        }
    }

    /// `set -x NAME VALUE` of fish, whose scripts are read as those of other shells.
    fn exported_by_fish(&mut self, flags: &str, rest: &[Arg]) {
        let exports = flags == "--export" || !flags.starts_with("--") && flags.starts_with('-') && flags.contains('x');
        let is_name = |text: &str| {
            let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
            text.chars().all(letters) && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        };
        if let [name, _, ..] = rest
            && exports
            && name.literal().is_some_and(is_name)
        {
            // To another shell these are arguments.
            self.environment(name, Certainty::Possible);
        }
    }

    fn set(&mut self, words: &[Arg], io: &mut Io<'_>) -> Stream {
        let outcome = self.context.outcome;
        self.execute(words, Launch::Inert);
        let rest = words.get(1..).unwrap_or_default();
        if rest.is_empty() {
            self.opaque(About::Reads, Reason::Variables, &[]);
            return Stream::Unknown;
        }
        let mut at = 0;
        while let Some(word) = rest.get(at) {
            match word.literal() {
                Some("--") => {
                    io.scope.set_positional(parameters(rest.get(at + 1..).unwrap_or_default()));
                    return Stream::nothing();
                }
                Some(text) if text.starts_with(['-', '+']) => {
                    self.exported_by_fish(text, rest.get(at + 1..).unwrap_or_default());
                    let named = rest.get(at + 1).filter(|_| text.contains('o')).and_then(Arg::literal);
                    outcome.strictly(text, named, io.scope);
                    if text.contains('a') || named == Some("allexport") {
                        if text.starts_with('-') {
                            io.scope.start_exporting_all();
                        } else {
                            io.scope.stop_exporting_all();
                        }
                    }
                    at += if text.contains('o') { 2 } else { 1 };
                }
                _ => {
                    io.scope.set_positional(parameters(rest.get(at..).unwrap_or_default()));
                    return Stream::nothing();
                }
            }
        }
        Stream::nothing()
    }

    /// Aliases do nothing in a script, but an interactive shell would use them later.
    fn aliased(&mut self, definitions: &[Arg], scope: &mut Scope) {
        if definitions.iter().any(|word| word.text.contains('=')) {
            self.opaque(About::Commands, Reason::AliasDefined, &[]);
        }
        for (name, text) in definitions.iter().filter_map(|word| word.after('=')) {
            scope.alias(&name, &text.text);
        }
    }

    /// What the shell runs if it takes `name` for an alias; whether it does, the text alone does not say.
    pub(crate) fn through_alias(&mut self, text: &str, words: &[Arg], io: &mut Io<'_>) {
        let script = agent_strace_shell::parse_at(text, agent_strace_shell::Home::Within(self.context.span));
        let mut scope = io.scope.clone();
        if let Some(name) = words.first() {
            scope.forget_alias(&name.text);
        }
        let input = io.input.clone();
        self.nested((), |machine| {
            if let [agent_strace_shell::Node::Simple(simple)] = script.nodes.as_slice()
                && simple.redirects.is_empty()
            {
                let mut all = machine.fields(&simple.words, &mut scope);
                all.extend(words.iter().skip(1).cloned());
                machine.command(&all, &mut Io { scope: &mut scope, input: &input });
            } else {
                machine.script(&script, &mut scope, &input);
            }
        });
    }

    /// What `which` and `command -v` print.
    pub(crate) fn found(words: &[Arg]) -> Stream {
        let mut names = words.iter().filter(|word| !word.text.starts_with('-'));
        match (names.next().and_then(Arg::literal), names.next()) {
            (Some(name), None) if name.contains('/') => Stream::Likely(format!("{name}\n")),
            (Some(name), None) => Stream::Likely(format!("/usr/bin/{name}\n")),
            _ => Stream::Unknown,
        }
    }

    /// Functions of the script, of which one runs.
    pub(crate) fn function(&mut self, function: &Function, words: &[Arg], io: &mut Io<'_>) -> Stream {
        if let [body] = function.bodies() {
            return self.function_body(body, words, io);
        }
        let bodies = function.bodies().iter();
        let input = io.input;
        let printed = self.alternatives(bodies, io.scope, |machine, body, scope| {
            machine.function_body(body, words, &mut Io { scope, input })
        });
        printed.unwrap_or(Stream::Unknown)
    }

    fn function_body(&mut self, body: &Script, words: &[Arg], io: &mut Io<'_>) -> Stream {
        let outer = io.scope.positional();
        io.scope.set_positional(parameters(words.get(1..).unwrap_or_default()));
        io.scope.enter_function();
        let input = io.input.clone();
        let output = self.nested(Stream::Unknown, |machine| machine.script(body, io.scope, &input));
        io.scope.leave_function();
        io.scope.restore_positional(outer);
        output
    }
}
