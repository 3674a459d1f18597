//! Deno and Bun have subcommands, where other runtimes of JavaScript are plain interpreters.

use crate::Reason;
use crate::command::argument::{Arg, Arguments, Known};
use crate::command::knowledge::{Entry, Language, Role, agent_of_package};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;

use super::Call;
use super::scripts::by_extension;

impl Machine<'_> {
    /// `npm pkg set scripts.test='jest'` writes `package.json`.
    pub(super) fn package_settings(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        let directory = arguments.values(&["--prefix", "-C"]).last();
        let file = directory.map_or(Arg::exact("package.json"), |place| {
            let place = place.with(place.text.trim_end_matches('/'));
            place.with(format!("{}/package.json", place.text))
        });
        let (act, pairs) = match arguments.operands.split_first() {
            Some((act, pairs)) if act.text != "get" => (act, pairs),
            _ => {
                self.path(Role::Read, &file);
                return Stream::Unknown;
            }
        };
        let packages: Vec<&Arg> = arguments.values(&["-w", "--workspace"]).collect();
        let all = is_on(&arguments, &["--workspaces", "--ws", "-ws"]);
        let is_listed = !all && !packages.is_empty() && packages.iter().all(|package| names_directory(package));
        for package in packages {
            let manifest = package.with(format!("{}/package.json", package.text.trim_end_matches('/')));
            if names_directory(package) {
                self.package_fields(&manifest, act, pairs);
            } else {
                self.possible_path(Role::Edit, &manifest);
            }
        }
        // A workspace that is given by its name may lie anywhere. It counts as the root.
        if !is_listed || is_on(&arguments, &["--include-workspace-root", "-iwr"]) {
            self.package_fields(&file, act, pairs);
        }
        let is_elsewhere = !is_listed && (all || arguments.has(&["-w", "--workspace"]));
        let sets_script = |pair: &Arg| act.text == "set" && (!pair.is_exact() || pair.text.starts_with("scripts"));
        if is_elsewhere && pairs.iter().any(sets_script) || pairs.iter().any(|pair| pair.known == Known::Not) {
            self.unproven(call.entry, call.words);
        }
        for place in arguments.values(&["--userconfig", "--globalconfig"]) {
            self.role(Role::Read, place, io);
        }
        Stream::Unknown
    }

    /// Fields of a manifest are set or deleted.
    fn package_fields(&mut self, file: &Arg, act: &Arg, pairs: &[Arg]) {
        let (target, _) = self.world.locate_word(file);
        let before = self.world.take_written(&target);
        self.path(Role::Edit, file);
        self.world.put_written(&target, before.unwrap_or_default());
        self.world.edited(&target);
        for (name, value) in pairs.iter().filter(|_| act.text == "set").filter_map(|pair| pair.after('=')) {
            let name = name.trim_start_matches("scripts").trim_matches(['.', '[', ']', '"', '\'']);
            let line = serde_json::json!({ name: value.text.trim_matches('"') }).to_string();
            let line = line.trim_start_matches('{').trim_end_matches('}').to_owned();
            self.world.wrote_part(&target, &line);
        }
    }

    /// `npm pack` makes an archive of the project, whose scripts run. `npm pack NAME` fetches the archive of a package.
    pub(super) fn package_archive(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        let packs_own = arguments.has(&["-w", "--workspace", "--workspaces", "-ws"]);
        let fetches = !arguments.operands.is_empty() && arguments.operands.iter().all(Self::is_of_registry);
        if packs_own || !fetches {
            return self.given(call.entry, call.words, &arguments, io);
        }
        let entry = Entry { unproven: None, connect: vec!["registry:npm".into()], ..call.entry.clone() };
        self.given(&entry, call.words, &arguments, io)
    }

    pub(super) fn deno(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let operands = call.rest.iter().filter(|word| !word.text.starts_with('-') || is_typed(word));
        let operands: Vec<&Arg> = operands.collect();
        match operands.as_slice() {
            [sub, text, ..] if sub.text == "eval" => self.code_argument(Language::Javascript, text, io),
            [sub, file, ..] if sub.text == "run" && is_typed(file) => {
                self.program_on_input(Language::Javascript, io);
            }
            [sub, file, ..] if sub.text == "run" => {
                self.run_script("deno run", Language::Javascript, file, &[], io);
            }
            [file, ..] if file.text.contains("://") => {
                self.run_script("deno", Language::Javascript, file, &[], io);
            }
            [sub, ..] => self.runs_project(call.words, Reason::RunsBuild, &["deno", &sub.text], &[]),
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
        let reads_program = |pair: &[Arg]| matches!(pair, [sub, file] if sub.text == "run" && is_typed(file));
        if call.rest.windows(2).any(reads_program) || call.rest.first().is_some_and(is_typed) {
            return self.program_on_input(Language::Javascript, io);
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
            if file.text.contains("://") {
                return self.run_script(&program, Language::Javascript, &file.clone(), &[], io);
            }
            self.path(Role::Read, file);
            let mut vouchers = vec![program.as_str()];
            vouchers.extend(after_run.map(|_| "run"));
            vouchers.push(&file.text);
            return self.run_file(&file.clone(), Some(Language::Javascript), &[], &vouchers, io);
        }
        let mut packages = call.rest.iter().skip_while(|word| word.text != "x").skip(1);
        if let Some(package) = packages.find(|word| !word.text.starts_with('-')) {
            self.node_package_from_elsewhere(package);
            if let Some(agent) = agent_of_package(&package.text) {
                let command: Vec<Arg> = std::iter::once(Arg::exact(agent)).chain(packages.cloned()).collect();
                self.command(&command, io);
            }
        }
        let output = self.data(call.entry, call.words, 1, io);
        // `bun run NAME` starts a program where the project has no script of the name.
        if let Some(at) = call.rest.iter().position(|word| word.text == "run") {
            self.guess_argv(call.rest.get(at + 1..).unwrap_or_default());
        }
        output
    }
}

/// A package goes by its directory or by its name.
fn names_directory(package: &Arg) -> bool {
    package.text.starts_with('.') || package.text.contains('/') && !package.text.starts_with('@')
}

/// Returns whether the last of these flags turns them on: `--NAME false`, `--NAME=false` and `--no-NAME` turn them off.
pub(super) fn is_on(arguments: &Arguments, names: &[&str]) -> bool {
    let last = arguments.options.iter().rfind(|option| names.contains(&option.name.as_str()));
    let is_off = arguments.operands.iter().take(2).any(|word| word.text == "false");
    last.is_some_and(|option| match &option.value {
        Some(value) => value.text != "false",
        None => !option.name.starts_with("--no-") && !is_off,
    })
}

/// The program stands on standard input.
fn is_typed(file: &Arg) -> bool {
    matches!(file.literal(), Some("-" | "/dev/stdin"))
}
