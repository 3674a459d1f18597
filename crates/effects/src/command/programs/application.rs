//! Code that runs inside the project's application: `rails runner CODE`, `manage.py shell -c CODE`, `wp eval CODE`.

use crate::command::argument::Arg;
use crate::command::knowledge::{Language, names};
use crate::command::machine::Machine;
use crate::command::simple::{Io, looks_like_path};

/// Words before the subcommand of a runner that are looked at.
const BEFORE: usize = 3;

impl Machine<'_> {
    /// Runs the code that a runner of the application is given; `words` are the runner and its arguments.
    pub(crate) fn application_code(&mut self, words: &[Arg], io: &mut Io<'_>) {
        let Some(program) = words.first() else { return };
        let program = program.text.rsplit('/').next().unwrap_or_default();
        let mut subs = words.iter().enumerate().skip(1).take(BEFORE).filter(|(_, word)| !word.text.starts_with('-'));
        let found = subs.find_map(|(at, word)| Some((at, names::application_code(program, word.literal()?)?)));
        let Some((at, (language, place))) = found else { return };
        let rest = words.get(at + 1..).unwrap_or_default();
        match code(rest, place) {
            Some(file) if !file.text.contains([' ', '(']) && looks_like_path(&file.text) => {
                self.run_script(program, language, &file, &[], io);
            }
            Some(code) => self.application_text(language, &code, io),
            None if io.input.is_connected() => {
                self.program_on_input(language, io);
            }
            None => {}
        }
    }

    fn application_text(&mut self, language: Language, code: &Arg, io: &mut Io<'_>) {
        self.code_argument(language, code, io);
        if language == Language::Other {
            self.guess_commands(code);
        }
    }
}

/// The code among the words behind the subcommand: the value of an option, or the first operand.
fn code(rest: &[Arg], place: &str) -> Option<Arg> {
    if place == "1" {
        let mut left = rest.iter();
        while let Some(word) = left.next() {
            match word.text.as_str() {
                // The environment that the code runs in.
                "-e" | "--environment" | "--url" | "--user" | "--uri" | "-l" => {
                    left.next();
                }
                option if option.starts_with('-') => {}
                _ => return Some(word.clone()),
            }
        }
        return None;
    }
    let names = |name: &str| place.split(' ').any(|option| option == name) && place != "-";
    rest.iter().enumerate().find_map(|(at, word)| match word.after('=') {
        Some((name, value)) if names(&name) => Some(value),
        _ if names(&word.text) => rest.get(at + 1).cloned(),
        _ => None,
    })
}
