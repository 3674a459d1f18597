//! Shells and interpreters: programs given as text, as a file, or on standard input.

use crate::command::argument::{Arg, Arguments, Given, literals};
use crate::command::knowledge::{Language, Role, Subject};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;

impl Machine<'_> {
    pub(super) fn shell(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let mut left = call.rest.iter().peekable();
        let (mut text, mut login, mut interactive) = (false, false, false);
        let (mut only_checks, mut runs) = (false, false);
        while let Some(word) = left.peek() {
            let option = word.text.as_str();
            match word.literal() {
                Some("--rcfile" | "--init-file" | "-O" | "+O" | "-o" | "+o") => {
                    let is_file = matches!(option, "--rcfile" | "--init-file");
                    left.next();
                    if let Some(value) = left.next().filter(|_| is_file) {
                        self.path(Role::Read, value);
                        self.opaque(About::Anything, Reason::StartUpFile, &[]);
                        self.start_up_file(value, io);
                    }
                }
                Some("--") => {
                    left.next();
                    break;
                }
                Some("-") => {
                    left.next();
                }
                Some(long) if long.starts_with("--") => {
                    login |= long == "--login";
                    left.next();
                }
                Some(flags) if flags.starts_with(['-', '+']) && flags.len() > 1 => {
                    text |= flags.starts_with('-') && flags.contains('c');
                    login |= flags.contains('l');
                    interactive |= flags.contains('i');
                    only_checks |= flags.starts_with('-') && flags.contains('n');
                    // An interactive shell has no `-n`.
                    runs |= flags.starts_with('+') && flags.contains('n') || flags.contains('i');
                    let takes_name = flags.ends_with('o') || flags.ends_with('O');
                    left.next();
                    if takes_name {
                        left.next();
                    }
                }
                _ => break,
            }
        }
        let rest: Vec<Arg> = left.cloned().collect();
        let files = [
            (call.name == "zsh", "~/.zshenv"),
            (login, "~/.bash_profile ~/.bash_login ~/.profile ~/.zprofile ~/.zlogin"),
            (login || interactive, "~/.bashrc ~/.zshrc"),
        ];
        for file in files.iter().filter(|(reads, _)| *reads).flat_map(|(_, files)| files.split(' ')) {
            self.start_up_file(&Arg::exact(file), io);
        }
        if let Some(file) = rest.first().filter(|_| only_checks && !runs && !text) {
            self.path(Role::Read, file);
            return Stream::nothing();
        }
        if text {
            return self.shell_words(&rest, io);
        }
        match rest.split_first() {
            None => self.unread_input(io),
            Some((file, _)) if matches!(file.literal(), Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")) => {
                self.unread_input(io)
            }
            Some((file, arguments)) if call.rest.iter().any(|word| word.text == "-s") => {
                let mut child = io.scope.child();
                let mut positional = vec![file.clone()];
                positional.extend_from_slice(arguments);
                child.set_positional(literals(&positional));
                let input = io.input.clone();
                self.stream_program(&input, &mut Io { scope: &mut child, input: &Stream::Unknown })
            }
            Some((file, arguments)) => self.run_script(call.name, Language::Shell, file, arguments, io),
        }
    }

    /// A shell's start-up file, where this session wrote it.
    pub(crate) fn start_up_file(&mut self, file: &Arg, io: &mut Io<'_>) {
        if file.is_exact() && self.world.written(&self.world.locate_word(file).0).is_some() {
            self.run_file(file, Some(Language::Shell), &[], &[], io);
        }
    }

    /// `-c TEXT NAME ARGUMENTS…`
    fn shell_words(&mut self, rest: &[Arg], io: &mut Io<'_>) -> Stream {
        let Some((text, others)) = rest.split_first() else { return Stream::nothing() };
        let known = if let Some(known) = text.literal() {
            known.to_owned()
        } else {
            self.opaque(About::Anything, Reason::UnknownCommandText, &[]);
            match &text.likely {
                Some(likely) => likely.clone(),
                None => return Stream::Unknown,
            }
        };
        let mut child = io.scope.child();
        child.set_positional(literals(others.get(1..).unwrap_or_default()));
        if let Some(name) = others.first() {
            child.assign_field("0", name.literal());
        }
        let cwd = self.world.cwd().map(str::to_owned);
        let output = self.at_word(text, |machine| machine.shell_text(&known, &mut child, io.input));
        self.world.set_cwd(cwd);
        output
    }

    /// `interpreter FILE ARGUMENTS…`
    pub(crate) fn run_script(
        &mut self,
        interpreter: &str,
        language: Language,
        file: &Arg,
        arguments: &[Arg],
        io: &mut Io<'_>,
    ) -> Stream {
        let file = &self.resolved_module(language, file);
        if self.process_output(file).is_none() {
            self.path(Role::Read, file);
        }
        self.run_file(file, Some(language), arguments, &[interpreter, &file.text], io)
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
        let text = match content {
            Stream::Known(text) => text,
            Stream::Likely(text) => {
                self.opaque(About::Anything, Reason::UncertainScript, &[]);
                text
            }
            Stream::Names(_) | Stream::Unknown | Stream::Unconnected => {
                let written = file.is_exact() && self.world.written(&self.world.locate_word(file).0).is_some();
                if written {
                    self.opaque(About::Anything, Reason::ScriptContentUnknown, &[]);
                    self.run_parts(file, language, io);
                } else if file.is_exact() && self.process_output(file).is_none() {
                    self.opaque(About::Anything, Reason::ScriptNotWritten, vouched_by);
                } else {
                    self.opaque(About::Anything, Reason::UnknownScript, &[]);
                    self.run_matching(file, language, io);
                }
                return Stream::Unknown;
            }
        };
        let language = shebang(&text).or(language).or_else(|| by_extension(&file.text)).unwrap_or(Language::Shell);
        let cwd = self.world.cwd().map(str::to_owned);
        let output = self.through_script(file, |machine| machine.code(language, &text, arguments, io));
        self.world.set_cwd(cwd);
        output
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
            child.set_positional(literals(arguments));
            return self.shell_text(text, &mut child, io.input);
        }

        self.nested(Stream::Unknown, |machine| {
            machine.program_text(language, text, io);
            Stream::Unknown
        })
    }

    pub(super) fn interpreter(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let language = call.entry.language.unwrap_or(Language::Other);
        let words = if language == Language::Javascript { evaluated(call.rest) } else { call.rest.to_vec() };
        let arguments = Arguments::divide(call.entry, &words);
        if arguments.operands.is_empty() && asks_only(&arguments) {
            return Stream::Unknown;
        }
        let program = call.words.first().map_or("", |word| word.text.as_str());
        let mut ran = false;
        for Given { name, role, value } in &arguments.options {
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
                    ran = true;
                    let rest = after_module(call.rest);
                    self.python_module(program, value, rest, io);
                    break;
                }
                (_, "-r" | "--require" | "--import" | "--loader") if value.text.starts_with(['.', '/', '~']) => {
                    self.run_script(program, language, value, &[], io);
                }
                (_, "-jar" | "-S") => {
                    ran = true;
                    self.opaque(About::Anything, Reason::ProgramNotRead, &[program, &value.text]);
                }
                _ => {}
            }
        }
        if ran && language == Language::Ruby {
            let is_named = |given: &Given, names: &[&str]| names.contains(&given.name.as_str());
            let edits = arguments.options.iter().any(|given| is_named(given, &["-i"]));
            let reads = ["gets", "readline", "ARGF", "ARGV"]
                .iter()
                .any(|name| arguments.values(&["-e"]).any(|code| code.text.contains(name)));
            if edits || reads || arguments.has(&["-n", "-p"]) {
                for file in &arguments.operands {
                    self.path(if edits { Role::Edit } else { Role::Read }, file);
                }
            }
        }
        if ran {
            // `node -e CODE FILE`: what follows is for the code.
            return Stream::Unknown;
        }
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
            None => self.opaque(About::Anything, Reason::UnknownProgramText, &[]),
        }
    }

    /// The program is standard input.
    pub(super) fn program_on_input(&mut self, language: Language, io: &mut Io<'_>) -> Stream {
        match io.input.clone() {
            Stream::Known(text) => self.code(language, &text, &[], io),
            Stream::Likely(text) => {
                self.opaque_input(Reason::UncertainInputProgram);
                self.code(language, &text, &[], io)
            }
            Stream::Names(_) | Stream::Unknown | Stream::Unconnected => {
                self.opaque_input(Reason::UnknownInputProgram);
                Stream::Unknown
            }
        }
    }

    /// `python3 -m MODULE …`
    fn python_module(&mut self, program: &str, module: &Arg, rest: &[Arg], io: &mut Io<'_>) {
        let words: Vec<Arg> = std::iter::once(module.clone()).chain(rest.iter().cloned()).collect();
        match module.literal() {
            Some("json.tool") => {
                for (at, word) in rest.iter().filter(|word| !word.text.starts_with('-')).enumerate() {
                    self.path(if at == 0 { Role::Read } else { Role::Write }, word);
                }
            }
            Some(name @ ("py_compile" | "compileall" | "tabnanny" | "tokenize" | "ast")) => {
                for word in rest.iter().filter(|word| !word.text.starts_with('-')) {
                    self.path(if name == "compileall" { Role::ReadTree } else { Role::Read }, word);
                    let beside = word.text.rsplit_once('/').map_or(".", |(directory, _)| directory);
                    match name {
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
            Some("http.server") => {
                self.path(Role::ReadTree, &Arg::exact("."));
                self.opaque(About::Network, Reason::WaitsForConnections, &[]);
            }
            Some("timeit") => {
                let code = rest.iter().filter(|word| !word.text.starts_with('-') || word.text.starts_with("-s"));
                for text in code.filter(|word| word.literal() != Some("-s")) {
                    self.code_argument(Language::Python, text, io);
                }
            }
            Some("this" | "calendar" | "platform" | "sysconfig" | "site") => {}
            Some("base64") => self.possible_operands(&words),
            Some(name) if self.module_file(name).is_some() => {
                let file = self.module_file(name).unwrap_or_else(|| module.clone());
                self.run_file(&file, Some(Language::Python), rest, &[], io);
            }
            Some(name) => {
                let listed = self.knowledge.entry(name);
                if let Some(entry) = listed.filter(|entry| {
                    entry.connect.first().is_some_and(|host| **host == *"registry:pypi")
                        || !entry.subcommands.is_empty()
                }) {
                    // `python3 -m pip` is `pip`; a policy that allows python3 vouches for it as for any module.
                    self.data(entry, &words, 1, io);
                    return;
                }
                // `python3 -m pytest` is `pytest`.
                let unproven = listed.and_then(|entry| entry.unproven.as_ref());
                let of_project = unproven.is_some_and(|unproven| unproven.about == Subject::Project);
                let about = if of_project { self.world.about_project(&words) } else { About::Anything };
                self.opaque(about, Reason::RunsModule, &[program]);
                if self.world.has_written() {
                    self.project_scripts(name, &words, io);
                }
                self.possible_operands(&words);
            }
            None => self.opaque(About::Anything, Reason::UnknownModuleRun, &[]),
        }
    }

    /// `node ./x` runs `x.js` or `x/index.js`.
    fn resolved_module(&self, language: Language, file: &Arg) -> Arg {
        let candidates = ["", ".js", ".mjs", ".cjs", ".ts", "/index.js"];
        let mut candidates = candidates.iter().map(|ending| file.with(format!("{}{ending}", file.text)));
        let written = |file: &Arg| self.world.written(&self.world.locate_word(file).0).is_some();
        let known = language == Language::Javascript && file.is_exact() && self.world.has_written();
        candidates.find(|candidate| known && written(candidate)).unwrap_or_else(|| file.clone())
    }

    /// The file of a module, where this session wrote it into the working directory.
    fn module_file(&self, name: &str) -> Option<Arg> {
        let path = name.replace('.', "/");
        let files = [format!("{path}.py"), format!("{path}/__main__.py")].map(Arg::exact);
        files
            .into_iter()
            .find(|file| self.world.written(&self.world.locate_word(file).0).is_some_and(|text| text.is_some()))
    }

    pub(super) fn perl(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let (mut code, mut in_place, mut loops) = (Vec::new(), false, false);
        let mut backup = None;
        let mut left = call.rest.iter();
        let mut operands: Vec<Arg> = Vec::new();
        while let Some(word) = left.next() {
            let Some(flags) = word.literal().and_then(|text| text.strip_prefix('-')).filter(|flags| !flags.is_empty())
            else {
                operands.push(word.clone());
                operands.extend(left.by_ref().cloned());
                break;
            };
            if flags == "-" {
                operands.extend(left.by_ref().cloned());
                break;
            }
            let letters = flags.char_indices();
            for (at, letter) in letters {
                let attached = flags.get(at + letter.len_utf8()..).unwrap_or_default();
                match letter {
                    'e' | 'E' => {
                        let text = if attached.is_empty() { left.next().cloned() } else { Some(word.with(attached)) };
                        code.extend(text);
                        break;
                    }
                    'i' => {
                        in_place = true;
                        backup = Some(attached.to_owned()).filter(|suffix| !suffix.is_empty() && suffix != "e");
                        // `-pi -e` and `-i.bak`: what follows is a suffix, but `-pie` is a common slip for `-p -i -e`.
                        break;
                    }
                    'p' | 'n' => loops = true,
                    'M' | 'm' => {
                        // `-MList::Util=sum`, `-M-strict`
                        let module = attached.trim_start_matches('-').split('=').next().unwrap_or_default();
                        self.code_argument(Language::Perl, &word.with(format!("use {module};")), io);
                        break;
                    }
                    'I' | 'F' | 'D' | 'C' | 'x' => break,
                    _ => {}
                }
            }
        }
        let program = call.words.first().map_or("perl", |word| word.text.as_str());
        if code.is_empty() {
            return match operands.split_first() {
                None if asks_only(&Arguments::divide(call.entry, call.rest)) => Stream::Unknown,
                None => self.program_on_input(Language::Perl, io),
                Some((file, _)) if file.text == "-" => self.program_on_input(Language::Perl, io),
                Some((file, rest)) => self.run_script(program, Language::Perl, file, rest, io),
            };
        }
        for text in &code {
            self.code_argument(Language::Perl, text, io);
        }
        // `<>` reads what the operands name.
        loops |= code.iter().any(|text| text.text.contains("<>") || text.text.contains("ARGV"));
        if loops || in_place {
            for file in &operands {
                self.path(if in_place { Role::Edit } else { Role::Read }, file);
                if let Some(suffix) = backup.as_deref().filter(|_| file.is_exact()) {
                    self.path(Role::Write, &file.with(format!("{}{suffix}", file.text)));
                }
            }
        }
        Stream::Unknown
    }

    pub(super) fn deno(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let operands: Vec<&Arg> = call.rest.iter().filter(|word| !word.text.starts_with('-')).collect();
        match operands.as_slice() {
            [sub, text, ..] if sub.text == "eval" => self.code_argument(Language::Javascript, text, io),
            [sub, file, ..] if sub.text == "run" => {
                self.run_script("deno run", Language::Javascript, file, &[], io);
            }
            [sub, ..] => self.opaque(self.world.about_project(call.words), Reason::RunsBuild, &["deno", &sub.text]),
            [] => {}
        }
        Stream::Unknown
    }

    pub(super) fn bun(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        for pair in call.rest.windows(2) {
            if let [option, text] = pair
                && matches!(option.literal(), Some("-e" | "--eval" | "-p" | "--print"))
            {
                self.code_argument(Language::Javascript, text, io);
                return Stream::Unknown;
            }
        }
        let file = call.rest.iter().find(|word| !word.text.starts_with('-'));
        let after_run = call
            .rest
            .iter()
            .skip_while(|word| word.text != "run")
            .find(|word| word.text.ends_with('s') && word.text.contains('.'));
        let is_file = |word: &&Arg| by_extension(&word.text) == Some(Language::Javascript);
        if let Some(file) = after_run.filter(is_file).or(file.filter(is_file)) {
            let program = call.words.first().map_or("bun", |word| word.text.as_str()).to_owned();
            self.path(Role::Read, file);
            let mut vouchers = vec![program.as_str()];
            vouchers.extend(after_run.map(|_| "run"));
            vouchers.push(&file.text);
            return self.run_file(&file.clone(), Some(Language::Javascript), &[], &vouchers, io);
        }
        self.data(call.entry, call.words, 1, io)
    }

    pub(super) fn database(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        for option in arguments.values(&["-c", "--command", "-e", "--execute"]) {
            self.client_command(&option.text, io);
        }
        self.client_input(io);
        if !arguments.has(&["-h", "--host"]) {
            match arguments.operands.iter().find(|word| word.text.contains("://")) {
                Some(url) => self.connect(url),
                None => self.connect_to(Some("localhost"), None),
            }
        }
        self.given(call.entry, call.words, &arguments, io)
    }
}

/// `-pe CODE` and `-p -e CODE` are `-e CODE`.
fn evaluated(words: &[Arg]) -> Vec<Arg> {
    let is = |word: &Arg, names: &[&str]| word.literal().is_some_and(|text| names.contains(&text));
    let mut left = words.iter().peekable();
    let mut all = Vec::with_capacity(words.len());
    while let Some(word) = left.next() {
        if is(word, &["-pe"]) {
            all.push(word.with("-e"));
        } else if !(is(word, &["-p", "--print"]) && left.peek().is_some_and(|next| is(next, &["-e", "--eval"]))) {
            all.push(word.clone());
        }
    }
    all
}

fn asks_only(arguments: &Arguments) -> bool {
    arguments.has(&["-V", "-VV", "-v", "--version", "-h", "--help", "-version"])
}

fn after_module(words: &[Arg]) -> &[Arg] {
    let at = words
        .iter()
        .position(|word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('m'));
    let attached = at.and_then(|at| words.get(at)).is_some_and(|word| !word.text.ends_with('m'));
    at.and_then(|at| words.get(at + if attached { 1 } else { 2 }..)).unwrap_or_default()
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

fn by_extension(path: &str) -> Option<Language> {
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
        _ => return None,
    })
}
