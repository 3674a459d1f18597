//! Runs `python3 -m MODULE`: modules of the standard library, of the session, and those that are programs of their own.

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::{Entry, Language, OptionRole, Role, purpose_of};
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
                self.served(rest);
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
            Some(name @ ("pdb" | "trace" | "cProfile" | "profile")) => self.observed(program, name, rest, io),
            Some("sqlite3") => {
                let words: Vec<Arg> = std::iter::once(module.clone()).chain(rest.iter().cloned()).collect();
                let entry = Entry::named("sqlite3");
                self.sqlite(Call { entry: &entry, name: "sqlite3", words: &words, rest }, io);
            }
            Some(name @ ("zipfile" | "tarfile" | "zipapp")) => self.packed_by_module(name, rest),
            Some("netrc") => self.path(Role::Read, &Arg::exact("~/.netrc")),
            Some("this" | "calendar" | "platform" | "sysconfig" | "site") => {}
            Some("base64") => self.possible_operands(&words),
            Some(name) => match (self.module_file(name), role_of_operands(name)) {
                (Some(file), _) => {
                    self.run_file(&file, Some(Language::Python), rest, &[], io);
                }
                (None, Some(role)) => {
                    let purpose = std::mem::replace(&mut self.context.purpose, purpose_of(name));
                    // Behind a host, there are ports, names of users and files of the host.
                    let most = if role == Role::Host { 1 } else { rest.len() };
                    for word in rest.iter().filter(|word| !word.text.starts_with('-')).take(most) {
                        self.role(role, word, io);
                        if name == "gzip" {
                            self.packed_by_gzip(word);
                        }
                    }
                    self.context.purpose = purpose;
                    // A client does what the host or its input says, and `venv` starts the pip that Python brings.
                    if role == Role::Host {
                        self.opaque(About::Anything, Reason::RunsModule, &[program]);
                    } else if name == "venv" {
                        self.opaque(About::Project, Reason::RunsModule, &[program]);
                    }
                }
                (None, None) => self.module_program(program, name, &words, io),
            },
            None => self.opaque(About::Anything, Reason::UnknownModuleRun, &[]),
        }
    }

    /// The directories that `http.server` shows to others.
    fn served(&mut self, words: &[Arg]) {
        let directory = |(at, word): (usize, &Arg)| match word.text.as_str() {
            "-d" | "--directory" => words.get(at + 1).cloned(),
            text => text.strip_prefix("--directory=").or_else(|| text.strip_prefix("-d")).map(|path| word.with(path)),
        };
        let mut directories: Vec<Arg> = words.iter().enumerate().filter_map(directory).collect();
        if directories.is_empty() {
            directories.push(Arg::exact("."));
        }
        for directory in &directories {
            self.path(Role::ReadTree, directory);
        }
        self.opaque(About::Network, Reason::WaitsForConnections, &[]);
    }

    /// Which of the operands are archives, and which are packed or unpacked to, depends on the option.
    fn packed_by_module(&mut self, module: &str, words: &[Arg]) {
        let operands: Vec<&Arg> = words.iter().filter(|word| !word.text.starts_with('-')).collect();
        for word in &operands {
            self.possible_path(Role::ReadTree, word);
            self.possible_path(Role::WriteTree, word);
        }
        let unpacks = words.iter().any(|word| matches!(word.text.as_str(), "-e" | "--extract"));
        if module == "tarfile" && unpacks && operands.len() == 1 {
            self.path(Role::WriteTree, &Arg::exact("."));
        }
    }

    /// A program that runs under a debugger or a profiler.
    fn observed(&mut self, program: &str, observer: &str, words: &[Arg], io: &mut Io<'_>) {
        let arguments = Arguments::divide(&options_of_observer(observer), words);
        self.options(&arguments, io);
        if observer == "pdb" {
            // A command of the debugger is a statement where it is no other one.
            for text in arguments.values(&["-c", "--command"]) {
                self.code_argument(Language::Python, &text.with(text.text.trim_start_matches('!')), io);
            }
            if io.input.is_connected() {
                self.program_on_input(Language::Python, io);
            }
        }
        let module = arguments.command.split_first();
        let module = module.or_else(|| arguments.operands.split_first().filter(|_| arguments.has(&["--module"])));
        match (module, arguments.operands.split_first()) {
            (Some((module, rest)), _) => {
                self.nested((), |machine| machine.python_module(program, module, rest, io));
            }
            (None, Some((file, rest))) => {
                self.run_script(program, Language::Python, file, rest, io);
            }
            (None, None) if words.is_empty() => {}
            (None, None) => self.runs_project(words, Reason::RunsModule, &[program], &[]),
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
        self.runs_project(words, Reason::RunsModule, &[program], &[name]);
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
        "gzip" | "quopri" | "dis" | "symtable" | "mimetypes" | "difflib" | "filecmp" | "modulefinder" => Role::Read,
        "random" | "getopt" | "locale" | "textwrap" => Role::Value,
        _ => return None,
    })
}

/// The options of a module that runs another program. What follows the program is for that one.
fn options_of_observer(module: &str) -> Entry {
    let mut entry = Entry { stops: true, ..Entry::default() };
    let mut option = |names: &'static str, role| {
        entry.options.insert(names.into(), OptionRole { role, attached: false });
    };
    match module {
        "pdb" => {
            option("-c --command", Role::Text);
            option("-p --pid", Role::Value);
            option("-m", Role::Argv);
        }
        "trace" => {
            option("-f --file", Role::Edit);
            option("-C --coverdir", Role::WriteTree);
            option("--ignore-module --ignore-dir", Role::Value);
        }
        _ => {
            option("-o --outfile", Role::Write);
            option("-s --sort", Role::Value);
            option("-m", Role::Argv);
        }
    }
    entry
}

/// The words behind `-m MODULE`.
pub(super) fn after_module(words: &[Arg]) -> &[Arg] {
    let at = words
        .iter()
        .position(|word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('m'));
    let attached = at.and_then(|at| words.get(at)).is_some_and(|word| !word.text.ends_with('m'));
    at.and_then(|at| words.get(at + if attached { 1 } else { 2 }..)).unwrap_or_default()
}
