//! Settings of package managers: where later calls fetch packages, and which commands they run.

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;

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
        if verb == "set" {
            match operands {
                [name, value, ..] if !name.text.contains('=') => self.package_setting(&name.text, value, io),
                pairs => {
                    for (name, value) in pairs.iter().filter_map(|pair| pair.after('=')) {
                        self.package_setting(&name, &value, io);
                    }
                }
            }
        }
        Stream::nothing()
    }

    /// The file that the settings are written to.
    fn settings_file(&mut self, program: &str, arguments: &Arguments) {
        let given = arguments.values(&["--userconfig", "--globalconfig"]).next().cloned();
        let at_project = arguments.values(&["--location", "-L"]).any(|place| place.text == "project");
        let at_home = arguments.has(&["-H", "--home", "-g", "--global"]);
        let files: &[&str] = match program {
            "yarn" if at_home => &["~/.yarnrc.yml", "~/.yarnrc"],
            "yarn" => &[".yarnrc.yml", "~/.yarnrc"],
            "pip" | "pip3" | "pip2" => &["~/.config/pip/pip.conf"],
            "pnpm" if !at_project => &["~/.config/pnpm/rc", "~/.npmrc"],
            _ if at_project => &[".npmrc"],
            _ => &["~/.npmrc"],
        };
        match (given, files) {
            (Some(file), _) => self.keeping_settings(&file),
            (None, [file]) => self.keeping_settings(&Arg::exact(*file)),
            // Which of them it is depends on the program's version.
            (None, files) => files.iter().for_each(|file| self.possible_path(Role::Edit, &Arg::exact(*file))),
        }
    }

    /// One setting changes, which is judged by its name; what the file says besides stays as it was.
    fn keeping_settings(&mut self, file: &Arg) {
        let (path, _) = self.world.locate_word(file);
        let before = self.world.take_written(&path);
        self.path(Role::Edit, file);
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
    }
}
