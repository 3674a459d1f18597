//! Files that a shell or an interpreter runs: what they hold, and in which language.

use agent_strace_shell::Provenance;

use crate::command::argument::{Arg, parameters};
use crate::command::knowledge::{Language, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

/// Endings of sources that are compiled to programs.
const SOURCES: &[&str] =
    &["c", "cc", "cpp", "cxx", "m", "rs", "go", "zig", "nim", "d", "v", "cr", "swift", "f90", "cs", "odin"];

/// Whether the session is known to have made a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Built {
    /// A command of it wrote the file.
    Here,
    Perhaps,
}

/// Where builds put programs.
fn is_of_build(path: &str) -> bool {
    let holders = ["target", "build", "out", "bin", "dist", "zig-out", "bazel-bin", ".build", "cmake-build-debug"];
    path.split('/').rev().skip(1).any(|holder| holders.contains(&holder)) && !path.starts_with(['/', '~'])
}

impl Machine<'_> {
    /// `interpreter FILE ARGUMENTS…`
    pub(crate) fn run_script(
        &mut self,
        interpreter: &str,
        language: Language,
        file: &Arg,
        arguments: &[Arg],
        io: &mut Io<'_>,
    ) -> Stream {
        if file.text.contains("://") && !file.text.starts_with("file:") {
            self.connect(file);
            self.foreign_code(Provenance::Network);
            return Stream::Unknown;
        }
        let file = &self.resolved_module(language, file);
        if self.process_output(file).is_none() {
            self.path(Role::Read, file);
        }
        let output = self.run_file(file, Some(language), arguments, &[interpreter, &file.text], io);
        if !arguments.is_empty() {
            self.application_code(&[std::slice::from_ref(file), arguments].concat(), io);
        }
        output
    }

    /// The file that runs may hold a text that is not known.
    pub(crate) fn doubt_text_of(&mut self, file: &Arg) {
        if file.is_exact() && self.world.is_uncertain(&self.world.locate_word(file).0) {
            self.opaque(About::Anything, Reason::ScriptContentUnknown, &[]);
        }
    }

    /// Runs a file: what this session wrote into it, or something opaque that a policy may vouch for.
    pub(crate) fn run_file(
        &mut self,
        file: &Arg,
        language: Option<Language>,
        arguments: &[Arg],
        vouched_by: &[&str],
        io: &mut Io<'_>,
    ) -> Stream {
        let content = self.process_output(file).unwrap_or_else(|| self.world.content_of(file));
        if file.is_exact() {
            self.world.ask_for(&self.world.locate_word(file).0.path);
        }
        self.doubt_text_of(file);
        let text = match content {
            Stream::Known(text) => text,
            Stream::Likely(text) => {
                self.opaque(About::Anything, Reason::UncertainScript, &[]);
                text
            }
            Stream::Foreign(provenance) => {
                self.foreign_code(provenance);
                return Stream::Unknown;
            }
            Stream::Names(_) | Stream::Unknown | Stream::Unconnected => {
                let written = file.is_exact() && self.world.is_written(&self.world.locate_word(file).0);
                let foreign = self.foreign_file(file);
                if written {
                    if let (Some(foreign), true) = (&foreign, self.is_edited_script(file)) {
                        self.opaque(About::Anything, foreign.clone(), &[]);
                    } else if self.is_edited_script(file) {
                        self.opaque(self.about_script(file, language), Reason::ScriptEdited, vouched_by);
                    } else {
                        self.opaque(About::Anything, Reason::ScriptContentUnknown, &[]);
                    }
                    self.run_parts(file, language, io);
                    self.run_sources(file, Built::Here, io);
                } else if let Some(foreign) = foreign.filter(|_| file.is_exact()) {
                    self.opaque(About::Anything, foreign, &[]);
                } else if file.is_exact() && self.process_output(file).is_none() {
                    if self.world.is_in_written_directory(&self.world.locate_word(file).0) {
                        self.opaque(About::Anything, Reason::ScriptContentUnknown, &[]);
                    } else {
                        self.opaque(self.about_script(file, language), Reason::ScriptNotWritten, vouched_by);
                    }
                    self.run_sources(file, Built::Perhaps, io);
                } else {
                    self.opaque(About::Anything, Reason::UnknownScript, &[]);
                    self.run_matching(file, language, io);
                }
                return Stream::Unknown;
            }
        };
        let language = shebang(&text).or(language).or_else(|| by_extension(&file.text)).unwrap_or(Language::Shell);
        let cwd = self.world.cwd().map(str::to_owned);
        let output = self.in_directory_of(file, |machine| {
            machine.through_script(file, |machine| machine.code(language, &text, arguments, io))
        });
        self.world.set_cwd(cwd);
        output
    }

    /// The session put only recorded texts into a script of the repository.
    fn is_edited_script(&self, file: &Arg) -> bool {
        let target = self.world.locate_word(file).0;
        self.world.is_recorded(&target)
            && !self.world.is_in_fetched_directory(&target)
            && !self.world.is_in_written_directory(&target)
    }

    fn about_script(&self, file: &Arg, language: Option<Language>) -> About {
        // A bare name may be that of a program, wherever it lies, unless the interpreter opens what it is given.
        let opens = matches!(language, Some(Language::Javascript | Language::Php | Language::Python));
        let is_file = opens || file.text.contains(['/', '.', '\\']);
        let about = self.world.about_project(&[Arg::exact(""), file.clone()]);
        if is_file { about } else { About::Elsewhere }
    }

    /// Programs look for modules beside their own file.
    pub(crate) fn in_directory_of<T>(&mut self, file: &Arg, inside: impl FnOnce(&mut Self) -> T) -> T {
        let directory =
            file.literal().and_then(|path| path.rsplit_once('/')).map(|(directory, _)| directory.to_owned());
        let outer = std::mem::replace(&mut self.shell.program_directory, directory);
        let done = inside(self);
        self.shell.program_directory = outer;
        done
    }

    /// Sources of the session that a program may have been compiled from.
    fn run_sources(&mut self, file: &Arg, built: Built, io: &mut Io<'_>) {
        let (target, _) = self.world.locate_word(file);
        if !self.world.has_written() || target.path.contains('.') && target.path.rsplit('/').next() != Some("a.out") {
            return;
        }
        let stem = target.path.rsplit('/').next().unwrap_or_default().to_owned();
        let is_output = built == Built::Here || stem == "a.out" || is_of_build(&target.path);
        for (path, text) in self.world.written_with_extension(SOURCES) {
            let name = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(stem, _)| stem);
            if is_output || name == stem {
                self.compiled_text(&Arg::exact(path), &text, io);
            }
        }
    }

    /// Scripts that this session wrote and that `file`, a pattern, may mean.
    fn run_matching(&mut self, file: &Arg, language: Option<Language>, io: &mut Io<'_>) {
        let (pattern, _) = self.world.locate_word(file);
        if file.is_exact() || pattern.path.trim_matches(['*', '/']).is_empty() {
            return;
        }
        for (path, text) in self.world.written_matching(&pattern.path) {
            let language = language.or_else(|| by_extension(&path)).unwrap_or(Language::Shell);
            self.guessed(|machine| machine.run_text(&Arg::exact(path), language, &text, io));
        }
    }

    /// The text of a file in the language that its name says.
    pub(crate) fn run_text_of(&mut self, file: &Arg, text: &str, io: &mut Io<'_>) {
        self.run_text(file, by_extension(&file.text).unwrap_or(Language::Shell), text, io);
    }

    fn run_text(&mut self, file: &Arg, language: Language, text: &str, io: &mut Io<'_>) {
        let language = shebang(text).unwrap_or(language);
        self.through_script(file, |machine| machine.code(language, text, &[], io));
    }

    /// What the session put into a file of which it does not know the rest.
    pub(crate) fn run_parts(&mut self, file: &Arg, language: Option<Language>, io: &mut Io<'_>) {
        let parts = self.world.parts(&self.world.locate_word(file).0).to_vec();
        let first = parts.iter().find_map(|part| shebang(part));
        let language = first.or(language).or_else(|| by_extension(&file.text)).unwrap_or(Language::Shell);
        let cwd = self.world.cwd().map(str::to_owned);
        for part in parts {
            self.guessed(|machine| {
                machine.through_script(file, |machine| machine.code(language, &part, &[], io));
            });
            self.world.set_cwd(cwd.clone());
        }
    }

    /// Program text in a language.
    pub(crate) fn code(&mut self, language: Language, text: &str, arguments: &[Arg], io: &mut Io<'_>) -> Stream {
        if language == Language::Shell {
            let mut child = io.scope.child();
            child.set_positional(parameters(arguments));
            return self.shell_text(text, &mut child, io.input);
        }
        if language == Language::Cmd {
            return self.cmd_text(text, arguments, io);
        }
        self.nested(Stream::Unknown, |machine| {
            machine.runs_decoded(text);
            // A shell that the program starts may read what its connection brings.
            let typed = Stream::Foreign(Provenance::Socket);
            let input = if opens_socket(text) && io.input.text().is_none() { &typed } else { io.input };
            machine.program_text(language, text, &mut Io { scope: io.scope, input });
            Stream::Unknown
        })
    }

    /// `node ./x` runs `x.js` or `x/index.js`.
    pub(crate) fn resolved_module(&self, language: Language, file: &Arg) -> Arg {
        let candidates = ["", ".js", ".mjs", ".cjs", ".ts", "/index.js"];
        let mut candidates = candidates.iter().map(|ending| file.with(format!("{}{ending}", file.text)));
        let written = |file: &Arg| self.world.is_written(&self.world.locate_word(file).0);
        let known = language == Language::Javascript && file.is_exact() && self.world.has_written();
        candidates.find(|candidate| known && written(candidate)).unwrap_or_else(|| file.clone())
    }
}

/// The text of a program opens a connection by itself.
fn opens_socket(text: &str) -> bool {
    let calls = ["socket.socket", "socket.create_connection", "use Socket", "IO::Socket", "fsockopen", "TCPSocket"];
    let calls = calls.into_iter().chain(["net.Socket", "net.connect", "net.createConnection", "stream_socket_client"]);
    let calls = calls.chain([
        "require(\"net\")",
        "require('net')",
        "from 'net'",
        "from \"net\"",
        "Deno.connect",
        "Bun.connect",
    ]);
    calls.into_iter().any(|call| text.contains(call))
}

/// The language that `#!` names.
fn shebang(text: &str) -> Option<Language> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let mut name = words.next()?;
    if name == "env" {
        name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let entry = crate::command::knowledge::builtin(name);
    Some(entry.and_then(|entry| entry.language).unwrap_or(Language::Other))
}

/// The language that a file's name says.
pub(crate) fn by_extension(path: &str) -> Option<Language> {
    let (_, extension) = path.rsplit('/').next()?.rsplit_once('.')?;
    Some(match extension {
        "sh" | "bash" | "zsh" | "ksh" | "bats" => Language::Shell,
        "py" | "pyw" => Language::Python,
        "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "tsx" | "jsx" => Language::Javascript,
        "pl" | "pm" => Language::Perl,
        "rb" => Language::Ruby,
        "php" => Language::Php,
        "awk" => Language::Awk,
        "ps1" => Language::Powershell,
        "bat" | "cmd" => Language::Cmd,
        _ => return None,
    })
}
