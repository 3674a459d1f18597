//! Interpreters of programming languages run programs that are text, a file, or standard input.

use crate::command::argument::{Arg, Arguments, Given};
use crate::command::knowledge::{Language, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;
use super::python::after_module;

impl Machine<'_> {
    pub(super) fn interpreter(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        if let Some(goal) = package_goal(call) {
            self.runs_project(call.words, Reason::RunsBuild, &[call.name, goal], &[]);
            return Stream::Unknown;
        }
        let language = call.entry.language.unwrap_or(Language::Other);
        let words = if language == Language::Javascript { evaluated(call.rest) } else { call.rest.to_vec() };
        let arguments = Arguments::divide(call.entry, &words);
        // To Python `-v` says what is loaded.
        let traces = language == Language::Python && !arguments.has(&["-V", "-VV", "--version", "-h", "--help"]);
        if arguments.operands.is_empty() && !traces && asks_only(&arguments) {
            return Stream::Unknown;
        }
        let cwd = self.world.cwd().map(str::to_owned);
        for directory in arguments.values(&["-C"]).filter(|_| language == Language::Ruby) {
            self.world.enter_word(directory);
        }
        let output = self.interpreted(language, call, &arguments, io);
        self.world.set_cwd(cwd);
        output
    }

    fn interpreted(&mut self, language: Language, call: Call<'_>, arguments: &Arguments, io: &mut Io<'_>) -> Stream {
        let program = call.words.first().map_or("", |word| word.text.as_str());
        let ran = self.interpreter_options(language, program, call.rest, arguments, io);
        if !ran {
            let output = self.interpreted_operand(language, program, arguments, io);
            if call.entry.operands.iter().any(|operand| operand.role == Role::Argv) {
                // What it interprets are programs of a machine.
                self.guess_argv(&arguments.operands);
            }
            return output;
        }
        if language == Language::Ruby {
            self.ruby_operands(arguments);
            self.ruby_utility(arguments, io);
        }
        // `node -e CODE FILE`: what follows is for the code.
        Stream::Unknown
    }

    /// Runs what options name; returns whether that is the program.
    fn interpreter_options(
        &mut self,
        language: Language,
        program: &str,
        words: &[Arg],
        arguments: &Arguments,
        io: &mut Io<'_>,
    ) -> bool {
        let mut ran = false;
        for Given { name, role, value, .. } in &arguments.options {
            let Some(value) = value else { continue };
            match (role, name.as_str()) {
                (Some(Role::Code), _) => {
                    ran = true;
                    self.code_argument(language, value, io);
                }
                (Some(Role::Script), _) => {
                    ran = true;
                    self.run_script(program, language, value, &arguments.operands, io);
                }
                (_, "-m") if language == Language::Python => {
                    self.python_module(program, value, after_module(words), io);
                    return true;
                }
                (_, "-r" | "--require" | "--import" | "--loader" | "--experimental-loader")
                    if value.text.starts_with(['.', '/', '~']) =>
                {
                    self.run_script(program, language, value, &[], io);
                }
                (_, "-r" | "--require" | "--import" | "--loader" | "--experimental-loader") => {
                    self.preloaded(language, value, io);
                }
                (_, "-jar" | "-S") => {
                    ran = true;
                    if let Some(provenance) = self.world.content_of(value).provenance() {
                        self.foreign_code(provenance);
                    }
                    let words = [Arg::exact(program), value.clone()];
                    self.runs_project(&words, Reason::ProgramNotRead, &[program, &value.text], &[]);
                }
                (Some(role @ (Role::Command | Role::Config)), _) => self.role(*role, value, io),
                (Some(role), _) if role.is_of_files() => self.path(*role, value),
                _ => {}
            }
        }
        ran
    }

    /// A module that is loaded before the program: its text is given as a URL, or it reads `.env`.
    fn preloaded(&mut self, language: Language, module: &Arg, io: &mut Io<'_>) {
        if self.world.has_written() && !self.written_module(language, &module.text, io) {
            self.modules_elsewhere(language, &module.text, io);
        }
        if let Some(code) = module.text.strip_prefix("data:") {
            self.opaque(About::Anything, Reason::ProgramTextNotRead, &[]);
            self.guess_commands(&module.with(code));
        } else if module.text.starts_with("dotenv") {
            self.path(Role::Read, &Arg::exact(".env"));
        } else if module.text.contains("://") {
            self.connect(module);
            self.opaque(About::Anything, Reason::LoadsCode, &[]);
        }
    }

    /// `ruby -ne CODE FILE`: the code reads the operands, or edits them in place.
    fn ruby_operands(&mut self, arguments: &Arguments) {
        let edits = arguments.has(&["-i"]);
        let reads = ["gets", "readline", "ARGF", "ARGV"]
            .iter()
            .any(|name| arguments.values(&["-e"]).any(|code| code.text.contains(name)));
        if edits || reads || arguments.has(&["-n", "-p"]) {
            for file in &arguments.operands {
                self.path(if edits { Role::Edit } else { Role::Read }, file);
            }
        }
    }

    /// `ruby -run -e NAME WORD…`: the library `un` has the commands of a shell, and a server of files.
    fn ruby_utility(&mut self, arguments: &Arguments, io: &mut Io<'_>) {
        if !arguments.values(&["-r"]).any(|library| library.text == "un") {
            return;
        }
        let Some(name) = arguments.values(&["-e"]).next() else { return };
        match name.literal() {
            Some("httpd") => {
                let root = arguments.operands.first().cloned().unwrap_or_else(|| Arg::exact("."));
                self.path(Role::ReadTree, &root);
                self.opaque(About::Network, Reason::WaitsForConnections, &[]);
            }
            Some("cp" | "ln" | "mv" | "rm" | "mkdir" | "rmdir" | "install" | "chmod" | "touch") => {
                let operands = arguments.operands.iter().filter(|word| word.text != "--");
                let words: Vec<Arg> = std::iter::once(name).chain(operands).cloned().collect();
                self.command(&words, io);
            }
            _ => {}
        }
    }

    /// The program is the first operand, or standard input.
    fn interpreted_operand(
        &mut self,
        language: Language,
        program: &str,
        arguments: &Arguments,
        io: &mut Io<'_>,
    ) -> Stream {
        match arguments.operands.split_first() {
            None if arguments.has(&["--test", "--check", "-n", "--syntax-check", "-l", "-c"]) => Stream::Unknown,
            None => self.program_on_input(language, io),
            Some((file, _)) if matches!(file.literal(), Some("-" | "/dev/stdin")) => {
                self.program_on_input(language, io)
            }
            Some((file, rest)) => {
                let checks = arguments.has(&["--check"]) || language == Language::Php && arguments.has(&["-l"]);
                if checks {
                    self.path(Role::Read, file);
                    return Stream::Unknown;
                }
                self.run_script(program, language, file, rest, io)
            }
        }
    }

    /// Program text as an argument.
    pub(super) fn code_argument(&mut self, language: Language, text: &Arg, io: &mut Io<'_>) {
        match text.literal() {
            Some(text) => {
                self.code(language, text, &[], io);
            }
            None => self.opaque(About::Anything, self.code_of(text, Reason::UnknownProgramText), &[]),
        }
    }

    /// The program is standard input.
    pub(crate) fn program_on_input(&mut self, language: Language, io: &mut Io<'_>) -> Stream {
        match io.input.clone() {
            Stream::Known(text) => self.code(language, &text, &[], io),
            Stream::Likely(text) => {
                self.opaque_input(Reason::UncertainInputProgram);
                self.code(language, &text, &[], io)
            }
            Stream::Foreign(provenance) => {
                self.foreign_input(provenance);
                Stream::Unknown
            }
            Stream::Names(_) | Stream::Unknown | Stream::Unconnected => {
                self.opaque_input(Reason::UnknownInputProgram);
                Stream::Unknown
            }
        }
    }
}

/// `-p -e CODE` is `-e CODE`.
fn evaluated(words: &[Arg]) -> Vec<Arg> {
    let is = |word: &Arg, names: &[&str]| word.literal().is_some_and(|text| names.contains(&text));
    let mut left = words.iter().peekable();
    let mut all = Vec::with_capacity(words.len());
    while let Some(word) = left.next() {
        if !(is(word, &["-p", "--print"]) && left.peek().is_some_and(|next| is(next, &["-e", "--eval"]))) {
            all.push(word.clone());
        }
    }
    all
}

/// It is asked for its version or its options, and runs nothing. Many print the version and run their program all the same.
pub(super) fn asks_only(arguments: &Arguments) -> bool {
    let has_program = arguments.options.iter().any(|option| {
        let is_program = matches!(option.role, Some(Role::Code | Role::Script)) || option.name == "-m";
        is_program && option.value.is_some()
    });
    arguments.has(&["-VV", "--version", "--help", "-version"]) || !has_program && arguments.has(&["-V", "-v", "-h"])
}

/// `swift build`: the interpreter is the package manager of its language, too.
fn package_goal(call: Call<'_>) -> Option<&str> {
    let goal = call.rest.first()?.literal()?;
    (call.name == "swift" && matches!(goal, "build" | "package" | "run" | "test")).then_some(goal)
}
