//! Build runners, `cmake`, `npx`, and `openssl`.

use crate::command::argument::{Arg, Arguments, Known};
use crate::command::knowledge::{Language, Role, agent_of_package};
use crate::command::machine::{Launch, Machine};
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Certainty, Reason};

use super::Call;
use super::wrappers::is_name;

impl Machine<'_> {
    /// `go list -m MODULE@VERSION`, `go run PACKAGE@VERSION`: the program fetches a module that is named with a version.
    pub(super) fn go_module(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        let names_version = |word: &Arg| word.text.contains('@') && !word.text.starts_with(['.', '/']);
        let fetches = match call.words.get(1).and_then(Arg::literal) {
            Some("list") => arguments.operands.iter().any(names_version) || arguments.has(&["-u", "-versions"]),
            Some("run") => arguments.operands.first().is_some_and(names_version),
            _ => false,
        };
        if fetches {
            self.connect_to(Some("registry:go"), None);
        }
        self.given(call.entry, call.words, &arguments, io)
    }

    pub(super) fn npx(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        for text in arguments.values(&["-c", "--call"]) {
            self.command_text(text, io);
        }
        let Some(package) = arguments.operands.first() else { return Stream::Unknown };
        for package in arguments.values(&["-p", "--package"]).chain([package]) {
            self.node_package_from_elsewhere(package);
        }
        let name = package.text.clone();
        let installed = self.knowledge.entry(&name).is_some();
        if !installed {
            self.connect_to(Some("registry:npm"), None);
        }
        self.planted_package(&arguments.operands, io);
        // `npx NAME`, `npm exec NAME`.
        let own = call.words.len().saturating_sub(call.rest.len());
        let mut vouchers: Vec<&str> = call.words.iter().take(own).map(|word| word.text.as_str()).collect();
        vouchers.push(&name);
        if installed && !arguments.has(&["-p", "--package"]) {
            let local = |word: &Arg| matches!(word.literal(), Some("--no-install" | "--no" | "--offline"));
            if !call.rest.iter().any(local) {
                self.opaque(About::Project, Reason::FetchesPackage, &vouchers);
            }
            return self.command(&arguments.operands, io);
        }
        if let ("degit" | "tiged" | "giget" | "gitpick", [_, _, directory, ..]) =
            (name.split('@').next().unwrap_or_default(), arguments.operands.as_slice())
        {
            self.world.fetched_directory(directory);
        }
        // The package decides what runs; its words may still name a program that a policy denies.
        self.execute(&arguments.operands, Launch::Embedding);
        self.opaque(About::Anything, Reason::RunsPackage, &vouchers);
        self.possible_operands(&arguments.operands);
        // `npx -p PACKAGE AGENT`: the first operand is the program.
        let mut named = arguments.values(&["-p", "--package"]).filter_map(|package| agent_of_package(&package.text));
        if let Some(agent) = agent_of_package(&name).or_else(|| named.find(|agent| *agent == name)) {
            let rest = arguments.operands.iter().skip(1).cloned();
            self.command(&std::iter::once(Arg::exact(agent)).chain(rest).collect::<Vec<_>>(), io);
        }
        Stream::Unknown
    }

    /// Runs a program that the session put where `npx` looks for one, here and in the directories above.
    fn planted_package(&mut self, words: &[Arg], io: &mut Io<'_>) {
        const LEVELS: usize = 8;
        let Some((name, arguments)) = words.split_first() else { return };
        let Some(name) = name.literal().filter(|name| !name.contains(['/', '@'])) else { return };
        for level in 0..LEVELS {
            let file = Arg::exact(format!("{}node_modules/.bin/{name}", "../".repeat(level)));
            let (target, _) = self.world.locate_word(&file);
            if self.world.is_written(&target) {
                self.own_program(&std::iter::once(file).chain(arguments.iter().cloned()).collect::<Vec<_>>(), io);
                return;
            }
            self.world.ask_for(&target.path);
        }
    }

    /// `uvx NAME`, `pipx run NAME`: a package runs, or the interpreter of that name with its program.
    pub(super) fn package_run(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        let output = self.given(call.entry, call.words, &arguments, io);
        let Some((package, rest)) = arguments.operands.split_first() else { return output };
        // `python@3.12`
        let name = package.literal().and_then(|text| text.split(['@', '=']).next()).unwrap_or_default();
        let language = self.knowledge.entry(name).and_then(|entry| entry.language);
        if language.is_none_or(|language| language == Language::Other) {
            return output;
        }
        let words: Vec<Arg> = std::iter::once(package.with(name)).chain(rest.iter().cloned()).collect();
        self.command(&words, io)
    }

    /// `make`, `just` and the like: the project says what runs; a file named by option is read, too.
    pub(super) fn build(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let program = call.words.first().map_or("", |word| word.text.as_str()).to_owned();
        if matches!(call.name, "make" | "gmake") {
            let home = self.world.cwd().map(str::to_owned);
            let arguments = Arguments::divide(call.entry, call.rest);
            for directory in arguments.values(&["-C", "--directory"]) {
                self.project_code(directory);
                self.world.enter_word(directory);
            }
            for file in arguments.values(&["-f", "--file", "--makefile"]) {
                if file.text != "/dev/stdin" {
                    self.project_code(file);
                }
                self.path(Role::Read, file);
            }
            self.world.set_cwd(home);
            for word in call.rest {
                let Some((name, value)) = word.after('=').filter(|(name, _)| is_name(name)) else { continue };
                // What recipes run gets the variables of the command line.
                self.environment(&word.with(name.as_str()), Certainty::Exact);
                if name == "SHELL" {
                    self.env_injection("SHELL", Some(&value), io.scope);
                }
                self.guess_commands(&value);
            }
        }
        let home = self.world.cwd().map(str::to_owned);
        let arguments = Arguments::divide(call.entry, call.rest);
        self.options(&arguments, io);
        self.world.set_cwd(home);
        self.runs_project(call.words, Reason::RunsBuild, &[&program], &[]);
        // `just --shell PROGRAM --shell-arg WORD`
        if let Some(shell) = arguments.values(&["--shell"]).next() {
            let words = std::iter::once(shell).chain(arguments.values(&["--shell-arg"]));
            self.command(&words.cloned().collect::<Vec<_>>(), io);
        }
        self.application_code(call.words, io);
        let starts = |word: &Arg| matches!(word.literal(), Some("--" | "exec" | "x" | "shell"));
        if let Some(at) = call.rest.iter().position(starts) {
            // `tox exec -- COMMAND`, `lerna exec COMMAND`
            let behind = call.rest.get(at + 1..).unwrap_or_default();
            let dashes = behind.iter().take_while(|word| word.text == "--").count();
            let command = behind.get(dashes..).unwrap_or_default();
            let inner = command.get(1).is_some_and(|word| word.text == "--");
            // `stack exec PROGRAM -- ARGUMENTS`: the dashes are the runner's.
            let command = command.iter().enumerate().filter(|(at, _)| !inner || *at != 1);
            self.guess_argv(&command.map(|(_, word)| word.clone()).collect::<Vec<_>>());
        }
        if !arguments.command.is_empty() {
            return self.command(&arguments.command, io);
        }
        Stream::Unknown
    }

    /// `cmake -E copy a b` is what `cp a b` is.
    pub(super) fn cmake(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let tool = call.rest.iter().position(|word| word.literal() == Some("-E"));
        let Some([name, rest @ ..]) = tool.and_then(|at| call.rest.get(at + 1..)) else {
            let arguments = Arguments::divide(call.entry, call.rest);
            return self.given(call.entry, call.words, &arguments, io);
        };
        let command = match name.literal() {
            Some("copy" | "copy_if_different" | "copy_if_newer") => "cp",
            Some("copy_directory" | "copy_directory_if_different" | "copy_directory_if_newer") => "cp -r",
            Some("rm") => "rm",
            Some("remove") => "rm -f",
            Some("remove_directory") => "rm -r",
            Some("make_directory") => "mkdir -p",
            Some("rename") => "mv",
            Some("touch" | "touch_nocreate") => "touch",
            Some("cat") => "cat",
            Some("create_symlink") => "ln -s",
            Some("create_hardlink") => "ln",
            Some("compare_files") => "cmp",
            Some("md5sum" | "sha1sum" | "sha224sum" | "sha256sum" | "sha384sum" | "sha512sum") => "sha256sum",
            Some("tar") => "tar",
            Some("env") => "env",
            Some("chdir") => "env -C",
            Some("time") => "time",
            Some("echo" | "echo_append" | "sleep" | "capabilities" | "environment" | "true" | "false") => {
                return Stream::Unknown;
            }
            _ => {
                self.possible_operands(call.words);
                return Stream::Unknown;
            }
        };
        let words: Vec<Arg> = command.split(' ').map(Arg::exact).chain(rest.iter().cloned()).collect();
        self.command(&words, io)
    }

    /// `HOST:PORT`
    fn tls(&mut self, word: &Arg) {
        let (host, port) = word.text.rsplit_once(':').unwrap_or((&word.text, ""));
        self.connect_host(&word.with(host), port.parse().ok(), Some("tls"));
    }

    pub(super) fn openssl(&mut self, call: Call<'_>, io: &Io<'_>) -> Stream {
        let mut left = call.rest.iter();
        let sub = left.next().map_or("", |word| word.text.as_str());
        let mut read_any = false;
        while let Some(word) = left.next() {
            match word.literal() {
                Some(
                    "-in" | "-inkey" | "-CAfile" | "-CA" | "-CAkey" | "-key" | "-cert" | "-config" | "-extfile"
                    | "-passin" | "-kfile" | "-verify" | "-signature" | "-sign" | "-prverify" | "-certfile" | "-rand"
                    | "-untrusted" | "-CApath" | "-pass" | "-passout",
                ) => {
                    let Some(value) = left.next() else { break };
                    let is_pass = word.text.starts_with("-pass");
                    match value.after(':') {
                        Some((kind, file)) if is_pass && kind == "file" => self.path(Role::Read, &file),
                        _ if is_pass => {}
                        _ => self.path(Role::Read, value),
                    }
                }
                Some("-out" | "-keyout" | "-CAserial" | "-writerand" | "-sigout") => {
                    if let Some(value) = left.next() {
                        self.path(Role::Write, value);
                    }
                }
                Some("-connect" | "-host" | "-proxy") => {
                    if let Some(value) = left.next() {
                        self.tls(value);
                    }
                }
                Some("-url") => {
                    if let Some(url) = left.next() {
                        self.connect(url);
                    }
                }
                Some("-provider" | "-engine" | "-provider-path") => {
                    left.next();
                    self.opaque(About::Anything, Reason::LoadsCode, &[]);
                }
                Some(text) if text.starts_with('-') => {}
                _ if matches!(sub, "dgst" | "sha1" | "sha256" | "sha512" | "md5" | "verify" | "base64")
                    || word.known != Known::Exact =>
                {
                    read_any = true;
                    self.path(Role::Read, word);
                }
                _ if sub == "s_client" => self.tls(word),
                _ => {}
            }
        }
        let input = if read_any { &Stream::Unknown } else { io.input };
        self.openssl_output(call, input)
    }
}
