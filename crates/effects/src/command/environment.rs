//! Tracks variables of the environment: which programs see them, and what they make programs do.

use agent_strace_shell::{AssignedValue, Scope};

use super::argument::Arg;
use super::knowledge::{Role, names};
use super::machine::Machine;
use super::option_variables::holds_options;
use super::simple::{Io, looks_like_path};
use super::steering;
use super::stream::Stream;
use crate::world::Terminal;
use crate::{About, Certainty, Kind, Reason, paths};

impl Machine<'_> {
    /// Programs get a variable in their environment.
    pub(crate) fn environment(&mut self, name: &Arg, certainty: Certainty) {
        let (text, found) = name.target();
        let (name, certainty) = match found {
            // No name holds a separator, so one `*` says it all.
            Certainty::Pattern => (text.replace("**", "*"), Certainty::Pattern),
            Certainty::Exact | Certainty::Possible => (text.to_owned(), certainty),
        };
        self.emit(Kind::Env { name }, certainty, "assignment");
    }

    /// `X=1` alone: later programs see it if it is exported, here or before the shell started.
    pub(super) fn persistent_assignment(&mut self, name: &str, scope: &Scope) {
        if scope.exports(name) || matches!(name, "PATH" | "HOME") {
            self.environment(&Arg::exact(name), Certainty::Exact);
        } else if steering::steers(name) {
            self.environment(&Arg::exact(name), Certainty::Possible);
        }
    }

    /// A variable that programs get, and what it makes them do.
    pub(crate) fn exported(&mut self, name: &Arg, value: Option<&Arg>, scope: &mut Scope) {
        self.environment(name, Certainty::Exact);
        self.env_injection(&name.text, value, scope);
    }

    /// Assignments that decide what later programs run.
    pub(super) fn assigned(&mut self, name: &str, value: &AssignedValue, scope: &mut Scope) {
        if matches!(name, "BASH_CMDS" | "BASH_ALIASES") {
            return self.renamed(name, value, scope);
        }
        let has_effects = steering::steers(name)
            || steering::places_scratch(name)
            || steering::names_proxy(name)
            || steering::names_target(name).is_some()
            || holds_options(name);
        if !has_effects {
            return;
        }
        let value = match value {
            AssignedValue::Scalar(word) => Some(self.scalar(word, scope)),
            AssignedValue::Array(_) | AssignedValue::Element { .. } => None,
        };
        self.env_injection(name, value.as_ref(), scope);
    }

    /// `BASH_CMDS[name]=path` and `BASH_ALIASES[name]=text` decide what the shell runs where `name` stands.
    fn renamed(&mut self, table: &str, value: &AssignedValue, scope: &mut Scope) {
        let mut pairs = Vec::new();
        match value {
            AssignedValue::Element { index, value } => pairs.push((index.source.clone(), self.scalar(value, scope))),
            AssignedValue::Array(elements) => {
                for element in elements {
                    let word = self.scalar(element, scope);
                    if let Some((name, value)) = word.after('=') {
                        pairs.push((name.trim_matches(['[', ']']).to_owned(), value));
                    }
                }
            }
            AssignedValue::Scalar(_) => {}
        }
        for (name, value) in pairs {
            let name = name.trim_matches(['\'', '"']);
            if table == "BASH_CMDS" {
                self.found_at(name, value.best(), scope);
            } else {
                scope.alias(name, value.best());
            }
        }
    }

    /// `name` is one of the variables that decide what programs run.
    pub(crate) fn env_injection(&mut self, name: &str, value: Option<&Arg>, scope: &mut Scope) {
        // The value names what runs when a program uses it, with the terminal of that one.
        let before = self.world.terminal();
        if !before.is_kept() {
            self.world.replace_terminal(Terminal::None);
        }
        self.injected(name, value, scope);
        self.world.replace_terminal(before);
    }

    fn injected(&mut self, name: &str, value: Option<&Arg>, scope: &mut Scope) {
        if let Some(directory) = value.filter(|_| steering::places_scratch(name)) {
            // Programs that sort, edit or compile may put files there.
            return self.possible_path(Role::WriteTree, directory);
        }
        if let Some(proxy) = value.filter(|value| steering::names_proxy(name) && !value.text.is_empty()) {
            // Clients send everything there, whatever host their arguments name.
            return self.connect(proxy);
        }
        if let Some((role, value)) = steering::names_target(name).zip(value) {
            if self.is_default(name, value) {
                return;
            }
            return match role {
                Role::Toolchain => self.toolchain_of_variable(name, value, scope),
                role => self.targets_of_variable(role, value, scope),
            };
        }
        if let Some(text) = value.and_then(Arg::literal) {
            self.options_in_variable(name, text, scope);
        }
        if !steering::steers(name) {
            return;
        }
        let harmless = value.and_then(Arg::literal).is_some_and(|text| steering::is_harmless(name, text));
        if harmless {
            return self.pager_or_editor(value);
        }
        self.opaque(About::Anything, Reason::SteeringVariable(name.to_owned()), &[]);
        if let Some(file) = value.filter(|file| name == "BASH_ENV" && looks_like_path(&file.text)) {
            self.possible_path(Role::Read, file);
        }
        if let Some(file) = value.filter(|_| matches!(name, "BASH_ENV" | "ENV" | "PYTHONSTARTUP")) {
            self.start_up_file(file, &mut Io { scope, input: &Stream::Unknown });
        }
        if let Some(text) = value.and_then(Arg::literal).filter(|_| self.world.has_written()) {
            self.loaded_by_variable(name, text, &mut Io { scope: &mut *scope, input: &Stream::Unknown });
        }
        for text in value.and_then(Arg::literal).into_iter().flat_map(|text| steering::commands(name, text)) {
            let mut child = scope.clone();
            self.guessed(|machine| machine.perhaps_again().shell_text(&text, &mut child, &Stream::Unknown));
        }
        if let Some(text) = value.and_then(Arg::literal).filter(|_| steering::holds_command(name)) {
            self.forked(scope, |machine, scope| machine.perhaps_again().shell_text(text, scope, &Stream::Unknown));
        }
    }

    /// Modules of the session that interpreters load because of a variable.
    fn loaded_by_variable(&mut self, name: &str, value: &str, io: &mut Io<'_>) {
        if name == "PYTHONPATH" {
            for directory in value.split(':').filter(|directory| !directory.is_empty()) {
                self.shadowing_modules(&Arg::exact(directory), io);
            }
        }
        for (language, module) in steering::preloads(name, value) {
            self.guessed(|machine| {
                if !machine.written_module(language, module, io) {
                    machine.modules_elsewhere(language, module, io);
                }
            });
        }
    }

    /// The variable says what holds without it: nothing is done elsewhere than it would be.
    fn is_default(&self, name: &str, value: &Arg) -> bool {
        let place = value.literal().map(|text| self.world.locate_word(&value.with(text.trim_end_matches('/'))).0);
        place.is_some_and(|place| names::is_default(name, &paths::in_home(&place.path)))
    }

    /// Builds and tests run the program that the variable names, or programs of the folder.
    fn toolchain_of_variable(&mut self, name: &str, value: &Arg, scope: &mut Scope) {
        if self.runs_as_toolchain(value) {
            self.opaque(About::Anything, Reason::SteeringVariable(name.to_owned()), &[]);
        }
        self.guessed(|machine| machine.toolchain(value, &mut Io { scope, input: &Stream::Unknown }));
    }

    /// A program, or the folder of programs, that another one runs. What is installed on the machine is what it is called; any
    /// other program is run here.
    pub(super) fn toolchain(&mut self, word: &Arg, io: &mut Io<'_>) {
        if is_place(word) {
            self.possible_path(Role::Read, word);
        }
        if self.runs_as_toolchain(word) {
            self.role(Role::Program, word, io);
        }
    }

    /// The word names a program that the session made, or one outside of the workspace where no installer puts programs.
    fn runs_as_toolchain(&self, word: &Arg) -> bool {
        if !is_place(word) {
            return false;
        }
        let (target, _) = self.world.locate_word(word);
        let is_outside = target.path.starts_with(['/', '~']);
        self.world.is_written(&target) || is_outside && !steering::is_installed(&paths::in_home(&target.path))
    }

    /// Some programs read the variable and use the files and hosts that it names. This program may be one of them.
    fn targets_of_variable(&mut self, role: Role, value: &Arg, scope: &mut Scope) {
        let Some(text) = value.literal() else {
            return self.guessed(|machine| machine.role(role, value, &mut Io { scope, input: &Stream::Unknown }));
        };
        for (role, part) in steering::targets(role, text) {
            let word = value.with(part);
            self.guessed(|machine| machine.role(role, &word, &mut Io { scope: &mut *scope, input: &Stream::Unknown }));
        }
    }
}

/// The word is a path, and neither a version (`3.12`) nor a name that is looked up (`python3.12`).
fn is_place(word: &Arg) -> bool {
    word.literal().is_some_and(|text| text.contains(['/', '\\']) && looks_like_path(text))
}
