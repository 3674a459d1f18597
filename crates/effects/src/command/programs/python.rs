//! Runs `python3 -m MODULE`: modules of the standard library, of the session, and those that are programs of their own.

use crate::command::argument::Arg;
use crate::command::knowledge::{Entry, Language, Role, Subject};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::{About, Reason};

use super::Call;

impl Machine<'_> {
    /// `python3 -m MODULE …`
    pub(super) fn python_module(&mut self, program: &str, module: &Arg, rest: &[Arg], io: &mut Io<'_>) {
        let words: Vec<Arg> = std::iter::once(module.clone()).chain(rest.iter().cloned()).collect();
        match module.literal() {
            Some("json.tool") => {
                for (at, word) in rest.iter().filter(|word| !word.text.starts_with('-')).enumerate() {
                    self.path(if at == 0 { Role::Read } else { Role::Write }, word);
                }
            }
            Some(name @ ("py_compile" | "compileall" | "tabnanny" | "tokenize" | "ast")) => {
                self.python_sources(name, rest);
            }
            Some("http.server") => {
                let named = rest.windows(2).find_map(|pair| match pair {
                    [option, directory] if matches!(option.text.as_str(), "-d" | "--directory") => {
                        Some(directory.clone())
                    }
                    _ => None,
                });
                self.path(Role::ReadTree, &named.unwrap_or_else(|| Arg::exact(".")));
                self.opaque(About::Network, Reason::WaitsForConnections, &[]);
            }
            Some("timeit") => {
                let code = rest.iter().filter(|word| !word.text.starts_with('-') || word.text.starts_with("-s"));
                for text in code.filter(|word| word.literal() != Some("-s")) {
                    self.code_argument(Language::Python, text, io);
                }
            }
            Some("code" | "asyncio") if rest.is_empty() => {
                self.program_on_input(Language::Python, io);
            }
            Some("pdb" | "trace" | "cProfile" | "profile") => self.observed(program, rest, io),
            Some("sqlite3") => {
                let words: Vec<Arg> = std::iter::once(module.clone()).chain(rest.iter().cloned()).collect();
                let entry = Entry::named("sqlite3");
                self.sqlite(Call { entry: &entry, name: "sqlite3", words: &words, rest }, io);
            }
            // Which of the operands are archives, and which are packed or unpacked to, depends on the option.
            Some("zipfile" | "tarfile" | "zipapp") => {
                for word in rest.iter().filter(|word| !word.text.starts_with('-')) {
                    self.possible_path(Role::ReadTree, word);
                    self.possible_path(Role::WriteTree, word);
                }
            }
            Some("this" | "calendar" | "platform" | "sysconfig" | "site") => {}
            Some("base64") => self.possible_operands(&words),
            Some(name) => match (self.module_file(name), role_of_operands(name)) {
                (Some(file), _) => {
                    self.run_file(&file, Some(Language::Python), rest, &[], io);
                }
                (None, Some(role)) => {
                    for word in rest.iter().filter(|word| !word.text.starts_with('-')) {
                        self.role(role, word, io);
                        if name == "gzip" {
                            self.packed_by_gzip(word);
                        }
                    }
                    if name == "venv" {
                        // It starts pip in the new environment.
                        self.opaque(About::Anything, Reason::RunsModule, &[program]);
                    }
                }
                (None, None) => self.module_program(program, name, &words, io),
            },
            None => self.opaque(About::Anything, Reason::UnknownModuleRun, &[]),
        }
    }

    /// A program that runs under a debugger or a profiler.
    fn observed(&mut self, program: &str, words: &[Arg], io: &mut Io<'_>) {
        let mut left = words.iter();
        while let Some(word) = left.next() {
            match word.literal() {
                // A command of the debugger is a statement where it is no other one.
                Some("-c" | "--command") => {
                    if let Some(text) = left.next() {
                        self.code_argument(Language::Python, &text.with(text.text.trim_start_matches('!')), io);
                    }
                }
                Some("-o" | "--outfile" | "-f" | "--file" | "-C" | "--coverdir") => {
                    if let Some(file) = left.next() {
                        self.path(Role::Edit, file);
                    }
                }
                Some("-s" | "--sort") => {
                    left.next();
                }
                Some("-m") => {
                    if let Some(module) = left.next() {
                        return self.python_module(program, module, left.as_slice(), io);
                    }
                }
                Some(text) if text.starts_with('-') => {}
                _ => {
                    self.run_script(program, Language::Python, word, left.as_slice(), io);
                    return;
                }
            }
        }
    }

    fn packed_by_gzip(&mut self, word: &Arg) {
        let other = word.text.strip_suffix(".gz").map_or_else(|| format!("{}.gz", word.text), str::to_owned);
        self.path(Role::Write, &word.with(other));
    }

    /// Modules that read source files, and may keep what they compile.
    fn python_sources(&mut self, module: &str, words: &[Arg]) {
        for word in words.iter().filter(|word| !word.text.starts_with('-')) {
            self.path(if module == "compileall" { Role::ReadTree } else { Role::Read }, word);
            let beside = word.text.rsplit_once('/').map_or(".", |(directory, _)| directory);
            match module {
                "py_compile" => self.path(Role::Write, &Arg::glob(format!("{beside}/__pycache__/*.pyc"))),
                "compileall" => {
                    for made in ["*.pyc", "__pycache__"] {
                        self.path(Role::Write, &Arg::glob(format!("{}/**/{made}", word.text)));
                    }
                }
                _ => {}
            }
        }
    }

    /// A module that is a program of its own.
    fn module_program(&mut self, program: &str, name: &str, words: &[Arg], io: &mut Io<'_>) {
        let listed = self.knowledge.entry(name);
        if let Some(entry) = listed.filter(|entry| {
            entry.connect.first().is_some_and(|host| **host == *"registry:pypi") || !entry.subcommands.is_empty()
        }) {
            // `python3 -m pip` is `pip`; a policy that allows python3 vouches for it as for any module.
            self.data(entry, words, 1, io);
            return;
        }
        // `python3 -m pytest` is `pytest`.
        let unproven = listed.and_then(|entry| entry.unproven.as_ref());
        let of_project = unproven.is_some_and(|unproven| unproven.about == Subject::Project);
        let about = if of_project { self.world.about_project(words) } else { About::Anything };
        self.opaque(about, Reason::RunsModule, &[program]);
        if self.world.has_written() {
            self.project_scripts(name, words, io);
        }
        self.possible_operands(words);
    }

    /// The file of a module, where this session wrote it into the working directory.
    fn module_file(&self, name: &str) -> Option<Arg> {
        let path = name.replace('.', "/");
        let files = [format!("{path}.py"), format!("{path}/__main__.py")].map(Arg::exact);
        files
            .into_iter()
            .find(|file| self.world.written(&self.world.locate_word(file).0).is_some_and(|text| text.is_some()))
    }
}

/// What modules of the standard library that are programs do with their operands.
fn role_of_operands(module: &str) -> Option<Role> {
    Some(match module {
        "ftplib" | "telnetlib" | "poplib" | "imaplib" | "nntplib" => Role::Host,
        "webbrowser" => Role::Url,
        "venv" => Role::WriteTree,
        "gzip" | "quopri" | "pickle" | "pickletools" | "dis" | "symtable" | "pyclbr" | "mimetypes" | "difflib"
        | "filecmp" | "netrc" | "idlelib" | "modulefinder" => Role::Read,
        "lib2to3" => Role::Edit,
        "random" | "inspect" | "getopt" | "locale" | "textwrap" => Role::Value,
        _ => return None,
    })
}

/// The words behind `-m MODULE`.
pub(super) fn after_module(words: &[Arg]) -> &[Arg] {
    let at = words
        .iter()
        .position(|word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('m'));
    let attached = at.and_then(|at| words.get(at)).is_some_and(|word| !word.text.ends_with('m'));
    at.and_then(|at| words.get(at + if attached { 1 } else { 2 }..)).unwrap_or_default()
}
