//! Programs in other languages: literal calls become effects, pure code none, everything else is opaque.
//!
//! This is no interpreter. It reads tokens, knows a table of calls (`calls.json`), follows names that are assigned one
//! literal, and gives up in the open: a call that is in no table makes the whole program opaque.

pub(super) mod awk;
mod cmd;
mod compiled;
pub(crate) mod decode;
mod guess;
mod lexer;
mod modules;
mod powershell;
mod scan;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use agent_strace_shell::{BYTES_A_STEP, Problem};
use serde::Deserialize;

use crate::{About, Reason};

use super::argument::Arg;
use super::knowledge::{Language, builtin, is_of_the_shell};
use super::machine::Machine;
use super::simple::Io;

/// Names that programs of other systems have, too: `ri` reads Ruby's manual, `sl` is Sapling, `type` explains a command.
const OF_BOTH: &[&str] = &["mklink", "ri", "sl", "type"];

/// Returns whether a command of Windows' shells has this name, and does not do there what it does elsewhere. `name`: in
/// lower case.
pub(crate) fn is_of_windows(name: &str) -> bool {
    let is_elsewhere = || builtin(name).is_some() || is_of_the_shell(name);
    OF_BOTH.contains(&name) || powershell::table().has(name) && !is_elsewhere()
}

/// One language in `calls.json`: a blank separates two names.
///
/// The roles of a call are either one word that `called` knows (`command`, `open`, …), or one role for each argument.
/// `role*`: any number of arguments; `role?`: only where the argument is given; `role=text`: that text where it is not;
/// `name:role`: the argument of that name.
///
/// A name of a file is made so: `here` (the working directory), `home`, `same` (the argument), `join`, `append` (a join in
/// which no part is absolute), `resolve`, `expand` (the second argument is the base), `url`, `parent`, `last`, `split`,
/// `divide` (at the ending), `variables`, `variable`; `path …`: as a path object.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    /// Calls → roles of their arguments.
    #[serde(borrow)]
    calls: BTreeMap<&'static str, &'static str>,
    /// Calls that make an object → its methods → roles of their arguments.
    #[serde(borrow, default)]
    classes: BTreeMap<&'static str, BTreeMap<&'static str, &'static str>>,
    /// Methods whose names say what they do, whatever they belong to → roles.
    #[serde(borrow, default)]
    any: BTreeMap<&'static str, &'static str>,
    /// Functions that make names of files → how.
    #[serde(borrow, default)]
    file_names: BTreeMap<&'static str, &'static str>,
    /// Methods of path objects → roles of the path and of their arguments.
    #[serde(borrow, default)]
    path_methods: BTreeMap<&'static str, &'static str>,
    pure: &'static str,
    /// Calls that undo an encoding.
    #[serde(default)]
    decodes: &'static str,
    methods: &'static str,
    modules: &'static str,
}

/// The same, by single names.
#[derive(Debug)]
struct Calls {
    /// Call → what its arguments are for.
    effects: BTreeMap<&'static str, &'static str>,
    /// Call that makes an object → the index of its class.
    makes: BTreeMap<&'static str, usize>,
    /// Method → what its arguments are for, by class.
    classes: Vec<BTreeMap<&'static str, &'static str>>,
    /// Method of any object → what its arguments are for.
    any: BTreeMap<&'static str, &'static str>,
    /// Function → how it makes the name of a file.
    file_names: BTreeMap<&'static str, &'static str>,
    /// Method of a path object → what the path and its arguments are for.
    path_methods: BTreeMap<&'static str, &'static str>,
    pure: BTreeSet<&'static str>,
    decodes: BTreeSet<&'static str>,
    methods: BTreeSet<&'static str>,
    modules: BTreeSet<&'static str>,
}

fn calls(language: Language) -> Option<&'static Calls> {
    static TABLE: OnceLock<BTreeMap<&'static str, Calls>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let raw: BTreeMap<&'static str, Raw> =
            serde_json::from_str(include_str!("calls.json")).unwrap_or_else(|_| BTreeMap::new());
        raw.into_iter().map(|(name, raw)| (name, Calls::new(&raw))).collect()
    });
    table.get(match language {
        Language::Python => "python",
        Language::Javascript => "javascript",
        Language::Perl => "perl",
        Language::Ruby => "ruby",
        Language::Php => "php",
        Language::Shell | Language::Awk | Language::Powershell | Language::Cmd | Language::Other => return None,
    })
}

impl Calls {
    fn new(raw: &Raw) -> Self {
        let words = |text: &'static str| text.split_whitespace().collect::<Vec<_>>();
        let single = |table: &BTreeMap<&'static str, &'static str>| -> BTreeMap<&'static str, &'static str> {
            table.iter().flat_map(|(names, roles)| names.split(' ').map(|name| (name, *roles))).collect()
        };
        let made = raw.classes.keys().enumerate();
        Self {
            effects: single(&raw.calls),
            makes: made.flat_map(|(at, names)| names.split(' ').map(move |name| (name, at))).collect(),
            classes: raw.classes.values().map(single).collect(),
            any: single(&raw.any),
            file_names: single(&raw.file_names),
            path_methods: single(&raw.path_methods),
            pure: words(raw.pure).into_iter().chain(words(raw.decodes)).collect(),
            decodes: words(raw.decodes).into_iter().collect(),
            methods: words(raw.methods).into_iter().collect(),
            modules: words(raw.modules).into_iter().collect(),
        }
    }
}

#[cfg(test)]
use agent_strace_testing::work::count;

/// Tokens that are looked at are counted for the tests.
#[cfg(not(test))]
const fn count(_: usize) {}

/// Bytes of a program that is read: its tokens take several times as much memory.
const LONGEST: usize = 1 << 20;
/// Tokens that are looked at for the price of one step of work.
const TOKENS_A_STEP: usize = 16;

impl Machine<'_> {
    /// Lines that only interactive Python knows: `!command`, `%magic`. The text without them, if there are any.
    fn magics(&mut self, text: &str, io: &mut Io<'_>) -> Option<String> {
        let is_magic = |line: &&str| line.trim_start().starts_with(['!', '%']);
        if !text.lines().any(|line| is_magic(&line)) || text.contains("\"\"\"") {
            return None;
        }
        for line in text.lines().filter(is_magic) {
            let line = line.trim_start();
            if let Some(command) = line.strip_prefix('!') {
                self.command_text(&Arg::exact(command.trim_start_matches('!')), io);
            } else {
                self.opaque(About::Anything, Reason::MagicCommand, &[]);
                self.guess_text(line.split_once(' ').map_or("", |(_, rest)| rest));
            }
        }
        Some(text.lines().filter(|line| !is_magic(line)).collect::<Vec<_>>().join("\n"))
    }

    /// Effects of a program in `language`.
    pub(crate) fn program_text(&mut self, language: Language, text: &str, io: &mut Io<'_>) {
        let magic = if language == Language::Python { self.magics(text, io) } else { None };
        let text = magic.as_deref().unwrap_or(text);
        if !self.may_spend(1 + text.len() / BYTES_A_STEP) {
            return;
        }
        if text.len() > LONGEST {
            return self.opaque(About::Anything, Reason::ShellText(Problem::TextTooLong), &[]);
        }
        self.at_program(text, |machine| match language {
            Language::Awk => machine.awk_program(text, io),
            Language::Powershell => machine.powershell_text(text, io),
            Language::Cmd => {
                machine.cmd_text(text, &[], io);
            }
            _ => {
                if let (Some(calls), Some(tokens)) = (calls(language), lexer::tokens(language, text)) {
                    machine.scan(language, calls, &tokens, io);
                } else {
                    machine.opaque(About::Anything, Reason::CodeNotRead, &[]);
                    machine.guess_strings(text);
                }
            }
        });
    }
}
