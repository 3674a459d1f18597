//! Settings of package managers: where later calls fetch packages, and which commands they run.

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::{Language, Role};
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;
use super::javascript::is_on;

/// Settings whose value is a host that packages come from or go through.
const HOSTS: &[&str] = &[
    "registry",
    "proxy",
    "https-proxy",
    "http-proxy",
    "httpproxy",
    "httpsproxy",
    "index-url",
    "extra-index-url",
    "index",
    "find-links",
    "npmregistryserver",
    "npmpublishregistry",
];
/// Settings whose value is a command.
const COMMANDS: &[&str] = &["script-shell", "shell", "editor", "git", "viewer", "browser", "yarnpath", "yarn-path"];
/// Settings whose value is code that later calls load, or a list of such files.
const CODE: &[&str] = &["onload-script", "init-module", "node-gyp", "plugins", "pnpmfile", "global-pnpmfile"];

/// The files in which a program keeps the settings of the chosen scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Usual,
    Project,
    Home,
    System,
    /// The environment of the interpreter.
    Environment,
}

impl Place {
    fn of(program: &str, arguments: &Arguments) -> Self {
        let location = arguments.values(&["--location", "-L"]).last().map(|place| place.text.as_str());
        let is_yarn = program == "yarn";
        let is_global = is_on(arguments, &["-g", "--global", "--no-global"]);
        match location {
            Some("project") => Self::Project,
            Some("global") => Self::System,
            _ if arguments.has(&["--site"]) => Self::Environment,
            _ if arguments.has(&["-H", "--home"]) || is_yarn && is_global => Self::Home,
            _ if is_global => Self::System,
            _ => Self::Usual,
        }
    }

    /// The files that it may be: which one depends on the version of the program and on how it was installed.
    fn files(self, program: &str) -> &'static [&'static str] {
        match (program, self) {
            ("yarn", Self::Home) => &["~/.yarnrc.yml", "~/.yarnrc"],
            ("yarn", _) => &[".yarnrc.yml", "~/.yarnrc"],
            ("pip" | "pip3" | "pip2", Self::System) => &["/etc/pip.conf", "/etc/xdg/pip/pip.conf"],
            ("pip" | "pip3" | "pip2", Self::Environment) => &["/usr/pip.conf", ".venv/pip.conf", "venv/pip.conf"],
            ("pip" | "pip3" | "pip2", _) => &["~/.config/pip/pip.conf"],
            (_, Self::Project) => &[".npmrc"],
            ("pnpm", _) => &["~/.config/pnpm/rc", "~/.npmrc"],
            (_, Self::System) => &["/usr/local/etc/npmrc", "/usr/etc/npmrc"],
            _ => &["~/.npmrc"],
        }
    }
}

impl Machine<'_> {
    /// `npm config set NAME VALUE`, `npm set NAME=VALUE`, `pip config set global.index-url URL`.
    pub(super) fn package_config(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        self.options(&arguments, io);
        let is_set = call.words.get(1).is_some_and(|word| word.text == "set");
        let (verb, operands) = match arguments.operands.split_first() {
            _ if is_set => ("set", arguments.operands.as_slice()),
            Some((verb, rest)) => (verb.text.as_str(), rest),
            None => ("list", arguments.operands.as_slice()),
        };
        if !matches!(verb, "set" | "delete" | "rm" | "unset" | "edit" | "fix") {
            for file in arguments.values(&["--userconfig", "--globalconfig"]) {
                self.path(Role::Read, file);
            }
            return Stream::Unknown;
        }
        self.settings_file(call.name, &arguments);
        for (name, value) in named(verb, operands) {
            self.package_setting(&name, &value, io);
        }
        Stream::nothing()
    }

    /// The file that the settings are written to.
    fn settings_file(&mut self, program: &str, arguments: &Arguments) {
        let given = arguments.values(&["--userconfig", "--globalconfig"]).next().cloned();
        match (given, Place::of(program, arguments).files(program)) {
            (Some(file), _) => self.keeping_settings(&file),
            (None, files) => {
                let directory = arguments.values(&["-C", "--prefix", "--dir", "--cwd"]).last();
                let at = |file: &str| match directory.filter(|_| !file.starts_with(['~', '/'])) {
                    Some(place) => place.with(format!("{}/{file}", place.text.trim_end_matches('/'))),
                    None => Arg::exact(file),
                };
                // The program writes one of these files, the first one in most installations.
                let Some((usual, others)) = files.split_first() else { return };
                self.keeping_settings(&at(usual));
                for file in others {
                    self.possible_path(Role::Write, &at(file));
                }
            }
        }
    }

    /// The program changes one setting, which is judged by its name. It prints no other setting of the file, and keeps them.
    fn keeping_settings(&mut self, file: &Arg) {
        let (path, _) = self.world.locate_word(file);
        let before = self.world.take_written(&path);
        self.path(Role::Write, file);
        let _ = self.world.take_written(&path);
        if let Some(before) = before {
            self.world.put_written(&path, before);
        }
    }

    fn package_setting(&mut self, name: &str, value: &Arg, io: &mut Io<'_>) {
        let name = name.to_ascii_lowercase();
        // `@scope:registry`, `global.index-url`
        let last = name.rsplit([':', '.']).next().unwrap_or_default();
        if HOSTS.contains(&last) {
            self.guessed(|machine| machine.connect(value));
        }
        if COMMANDS.contains(&last) && !value.text.is_empty() {
            self.opaque(About::Anything, Reason::SettingRunsCommand, &[]);
            self.command_text(value, io);
        }
        if CODE.contains(&last) || name == "init.module" {
            self.opaque(About::Anything, Reason::SettingRunsCommand, &[]);
            self.guessed(|machine| machine.run_script("npm", Language::Javascript, value, &[], io));
        }
        if last == "node-options" {
            let mark = self.emitter.mark();
            self.options_in_variable("NODE_OPTIONS", value.best(), io.scope);
            if !value.is_exact() || self.emitter.since(mark).next().is_some() {
                self.opaque(About::Anything, Reason::SettingRunsCommand, &[]);
            }
        }
    }
}

/// The settings that a command names, with their new values.
fn named(verb: &str, operands: &[Arg]) -> Vec<(String, Arg)> {
    match operands {
        [name, value, ..] if verb == "set" && !name.text.contains('=') => vec![(name.text.clone(), value.clone())],
        words => words.iter().filter_map(|word| word.after('=')).collect(),
    }
}
