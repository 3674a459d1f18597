//! Variables of the environment that hold options or code of a program: `GOFLAGS`, `NODE_OPTIONS`, `PERL5DB`.

use agent_strace_shell::Scope;

use super::argument::Arg;
use super::context::Context;
use super::knowledge::{Language, Role, names};
use super::machine::{Machine, walk_on};
use super::simple::Io;
use super::stream::Stream;
use crate::{Effect, Kind};

/// Why an act belongs to the command that sets the variable.
const OPTIONS: &str = "options in a variable";

/// Settings that a variable holds as `name=value`, with what the value is for.
const SETTINGS: &[(&str, &str, Role)] = &[
    ("ASAN_OPTIONS", "include", Role::Read),
    ("ASAN_OPTIONS", "log_path", Role::Write),
    ("ASAN_OPTIONS", "suppressions", Role::Read),
    ("FFREPORT", "file", Role::Write),
    ("LSAN_OPTIONS", "log_path", Role::Write),
    ("LSAN_OPTIONS", "suppressions", Role::Read),
    ("MSAN_OPTIONS", "log_path", Role::Write),
    ("TSAN_OPTIONS", "log_path", Role::Write),
    ("TSAN_OPTIONS", "suppressions", Role::Read),
    ("UBSAN_OPTIONS", "log_path", Role::Write),
    ("UBSAN_OPTIONS", "suppressions", Role::Read),
    ("XDEBUG_CONFIG", "log", Role::Write),
    ("XDEBUG_CONFIG", "output_dir", Role::WriteTree),
];

/// The variable holds options, settings or code.
pub(super) fn holds_options(name: &str) -> bool {
    names::program_of(name).is_some() || name == "PERL5DB" || SETTINGS.iter().any(|(variable, _, _)| *variable == name)
}

impl Machine<'_> {
    /// Does what a variable makes the programs do that read it.
    pub(super) fn options_in_variable(&mut self, name: &str, value: &str, scope: &mut Scope) {
        if let Some(program) = names::program_of(name) {
            self.options_of(program, value, scope);
        }
        for (_, setting, role) in SETTINGS.iter().filter(|(variable, _, _)| *variable == name) {
            let values = value.split([':', ',', ' ']).filter_map(|part| part.split_once('='));
            for (_, value) in values.filter(|(key, _)| key == setting) {
                self.possible_path(*role, &Arg::exact(value.trim_matches(['\'', '"'])));
            }
        }
        match name {
            "PERL5DB" => {
                let input = Stream::Unknown;
                self.guessed(|machine| machine.code(Language::Perl, value, &[], &mut Io { scope, input: &input }));
            }
            "LESS" => {
                if let Some((_, command)) = value.split_once("+!") {
                    self.guess_text(command);
                }
            }
            "LUA_INIT" => {
                if let Some(file) = value.strip_prefix('@') {
                    self.possible_path(Role::Read, &Arg::exact(file));
                }
            }
            _ => {}
        }
    }

    /// The acts of a program with these options alone. That the program runs is not among them.
    fn options_of(&mut self, program: &str, value: &str, scope: &mut Scope) {
        let mut words: Vec<Arg> = program.split(' ').map(Arg::exact).collect();
        words.extend(self.split_words(value, &mut scope.clone()));
        let (mut world, mut inner) = (self.world.clone(), scope.clone());
        let mut emitter = self.emitter.continued();
        let context = Context { guessed: true, depth: self.context.depth + 1, ..self.context };
        walk_on(self.text, &mut world, self.knowledge, context, &mut emitter, |machine| {
            machine.command(&words, &mut Io { scope: &mut inner, input: &Stream::Unconnected });
        });
        self.emitter.charge(&emitter);
        let program = words.first().map_or("", |word| word.text.as_str());
        self.adopt(emitter.into_effects(), |machine, effect| machine.brought_by_options(effect, program));
    }

    fn brought_by_options(&mut self, effect: Effect, program: &str) -> Option<u32> {
        let is_itself = match &effect.kind {
            Kind::Execute(execution) => execution.argv.first().is_some_and(|word| word.text == program),
            Kind::Opaque(_) | Kind::Env { .. } | Kind::List(_) => true,
            _ => false,
        };
        if is_itself { None } else { self.emit_indexed(effect.kind, effect.certainty, OPTIONS) }
    }
}
