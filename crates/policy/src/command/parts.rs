//! Commands of version 2, part by part: program, subcommand, flags, operands.
//!
//! The text of a command plays no role, only its words do; a wildcard stays within one word. Wrappers and shells are
//! looked through before anything gets here.

use crate::glob::Glob;
use crate::globals;
use crate::ran::{Ran, Spelled};
use agent_strace_effects::knowledge::{self, Entry, Role};
use agent_strace_effects::{Argument, Execution};

use super::{
    Match, canonical_words, flag_matches, has_wildcard, is_flag, operands_match, program_matches, same_program,
    settings, system_name, vouch, word_matches,
};

/// Entries that one rule is told apart into.
const MOST_FORMS: usize = 200;

/// What a command has to have, all of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parts {
    /// One of these programs.
    pub programs: Vec<String>,
    /// Behind global options, one of these word for word; empty: any.
    pub subcommands: Vec<Vec<String>>,
    /// One of these flags, or operands of which a pattern is here; empty: any.
    pub any_flag: Vec<String>,
    pub all_flags: Vec<String>,
    /// No other flags than these.
    pub(crate) only_flags: Option<Vec<String>>,
    /// To forbid: one of its operands is one of these. To allow: it has some, and all of them are. Empty: any.
    pub operands: Vec<String>,
    /// It also vouches for code that the session changed in a way that no log shows.
    pub(super) even_if_changed: bool,
    /// What forbids the same in the words that commands are compared in.
    canonical: Vec<Parts>,
}

impl Parts {
    /// An entry of a list: `git push --force`.
    pub(crate) fn of_words(words: Vec<String>) -> Self {
        let canonical = canonical_words(&words).into_iter().map(Self::plain).collect();
        Self { canonical, ..Self::plain(words) }
    }

    fn plain(words: Vec<String>) -> Self {
        let mut words = words.into_iter();
        let programs = words.next().into_iter().collect();
        let (all_flags, operands): (Vec<String>, Vec<String>) = words.partition(|word| is_flag(word));
        let subcommands = if operands.is_empty() { Vec::new() } else { vec![operands] };
        Self { programs, subcommands, all_flags, ..Self::default() }
    }

    /// It speaks of several programs or subcommands, or its flags and operands decide.
    pub(super) fn says_more_than_words(&self) -> bool {
        let is_several = self.programs.len() > 1 || self.subcommands.len() > 1;
        is_several || !self.any_flag.is_empty() || self.only_flags.is_some() || !self.operands.is_empty()
    }

    /// From now on it vouches for code that the session changed, too.
    pub(super) fn also_if_changed(self) -> Self {
        Self { even_if_changed: true, ..self }
    }

    /// From now on it forbids what says the same in other words.
    pub(crate) fn with_synonyms(mut self) -> Self {
        let none = [Vec::new()];
        let subcommands = if self.subcommands.is_empty() { &none[..] } else { &self.subcommands };
        let mut canonical = Vec::new();
        for program in &self.programs {
            for subcommand in subcommands {
                let words = std::iter::once(program).chain(subcommand).chain(&self.all_flags);
                for words in canonical_words(&words.cloned().collect::<Vec<_>>()) {
                    let Self { programs, subcommands, all_flags, .. } = Self::plain(words);
                    canonical.push(Self { programs, subcommands, all_flags, ..self.clone() });
                }
            }
        }
        self.canonical = canonical;
        self
    }

    /// One for each program, subcommand and flag. A list knows neither which flags are the only ones nor which operands.
    pub(super) fn forms(&self) -> Vec<String> {
        let flags: Vec<&str> = self.any_flag.iter().map(String::as_str).filter(|flag| is_flag(flag)).collect();
        if self.only_flags.is_some() || !self.operands.is_empty() || flags.is_empty() && !self.any_flag.is_empty() {
            return Vec::new();
        }
        let subcommands: Vec<String> = self.subcommands.iter().map(|words| words.join(" ")).collect();
        let or_none = |texts: Vec<String>| if texts.is_empty() { vec![String::new()] } else { texts };
        let subcommands = or_none(subcommands);
        let flags = or_none(flags.into_iter().map(str::to_owned).collect());
        let all = self.all_flags.join(" ");
        let mut forms = Vec::new();
        for program in &self.programs {
            for subcommand in &subcommands {
                let words = flags.iter().map(|flag| [program, subcommand, &all, flag]);
                forms.extend(words.map(|words| {
                    words.into_iter().filter(|text| !text.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" ")
                }));
            }
        }
        let is_plain = |form: &String| !form.contains(['\'', '"', '\\']);
        if forms.len() <= MOST_FORMS && forms.iter().all(is_plain) { forms } else { Vec::new() }
    }

    pub(super) fn denies(&self, ran: &Ran<'_>) -> Match {
        let cut = if ran.cut { Match::Maybe } else { Match::No };
        ran.commands.iter().map(|command| self.denies_command(command)).max().unwrap_or(Match::No).max(cut)
    }

    /// It names more than a program.
    pub(super) fn names_more(&self) -> bool {
        let Self { subcommands, any_flag, all_flags, operands, .. } = self;
        !(subcommands.is_empty() && any_flag.is_empty() && all_flags.is_empty() && operands.is_empty())
    }

    pub(super) fn denies_command(&self, command: &Spelled<'_>) -> Match {
        std::iter::once(self)
            .chain(&self.canonical)
            .map(|parts| parts.denies_spelled(command))
            .max()
            .unwrap_or(Match::No)
    }

    fn denies_spelled(&self, command: &Spelled<'_>) -> Match {
        let (arguments, name) = (&*command.arguments, command.name.as_str());
        let program = best(self.programs.iter().map(|wanted| program_matches(wanted, &command.program, name)));
        if program == Match::No {
            return Match::No;
        }
        let mut found = program;
        if !self.subcommands.is_empty() {
            let flags: Vec<&str> = self.all_flags.iter().chain(&self.any_flag).map(String::as_str).collect();
            let looks = flags.is_empty() && settings::only_shows(name, arguments);
            let alternative = |words: &Vec<String>| {
                if looks && settings::names_setting(words) {
                    return Match::No;
                }
                operands_match(&words.iter().map(String::as_str).collect::<Vec<_>>(), &flags, arguments, name)
            };
            found = found.min(best(self.subcommands.iter().map(alternative)));
        }
        let given = |wanted: &String| given(wanted, arguments, name);
        found = self.all_flags.iter().map(given).fold(found, Match::min);
        if !self.any_flag.is_empty() {
            found = found.min(best(self.any_flag.iter().map(given)));
        }
        if let Some(only) = &self.only_flags {
            found = found.min(no_others(only, arguments, name));
        }
        if !self.operands.is_empty() {
            found = found.min(best(self.operands.iter().map(|wanted| operand_given(wanted, arguments))));
        }
        found
    }

    pub(super) fn allows(&self, execution: &Execution) -> bool {
        let Some((program, arguments)) = execution.argv.split_first() else { return false };
        if !program.known || !self.programs.iter().any(|wanted| is_program(wanted, &program.text)) {
            return false;
        }
        let name = system_name(&program.text).unwrap_or(&program.text);
        let interpreter = knowledge::builtin(name).filter(|entry| entry.stops && entry.language.is_some());
        let takes_text = |wanted: &String| {
            let interpreter = interpreter?;
            let gives = interpreter.option(wanted).is_some_and(|option| option.role == Role::Code);
            gives.then(|| is_given_text(wanted, arguments, interpreter))
        };
        let flags: Vec<&str> = flags(arguments).collect();
        let has = |wanted: &String| {
            if let Some(is_given) = takes_text(wanted) {
                is_given
            } else if is_flag(wanted) {
                flags.iter().any(|flag| is_option(wanted, flag))
            } else {
                operands(arguments).any(|operand| operand.known && is_word(wanted, &operand.text))
            }
        };
        if !self.all_flags.iter().all(has) || !self.any_flag.is_empty() && !self.any_flag.iter().any(has) {
            return false;
        }
        if let Some(only) = &self.only_flags
            && (arguments.iter().any(|argument| !argument.known) || !flags.iter().all(|flag| is_listed(only, flag)))
        {
            return false;
        }
        if self.subcommands.is_empty() {
            return self.operands_fit(arguments);
        }
        let mut alternatives = self.subcommands.iter();
        // Without a program, an interpreter reads one from its input, as with `-`.
        if arguments.is_empty() && interpreter.is_some() {
            return alternatives.any(|words| matches!(words.as_slice(), [word] if word == "-"));
        }
        alternatives.any(|words| self.behind(words, arguments, name).is_some_and(|rest| self.operands_fit(rest)))
    }

    fn operands_fit(&self, arguments: &[Argument]) -> bool {
        let fits =
            |operand: &Argument| operand.known && self.operands.iter().any(|wanted| is_word(wanted, &operand.text));
        self.operands.is_empty() || operands(arguments).next().is_some() && operands(arguments).all(fits)
    }

    /// What stands behind the subcommand. In front of it may only be options that are known to be global, and flags that
    /// the entry itself names.
    fn behind<'a>(&self, words: &[String], arguments: &'a [Argument], program: &str) -> Option<&'a [Argument]> {
        let mut rest = arguments;
        for word in words {
            loop {
                let (argument, after) = rest.split_first()?;
                if !argument.known {
                    return None;
                }
                let text = argument.text.as_str();
                rest = after;
                if is_word(word, text) {
                    break;
                }
                match globals::harmless(program, text) {
                    Some(globals::Takes::Nothing) => {}
                    Some(globals::Takes::Value) => rest = rest.split_first()?.1,
                    None if is_flag(text) && self.names_flag(text) => {}
                    None => return None,
                }
            }
        }
        Some(rest)
    }

    fn names_flag(&self, flag: &str) -> bool {
        let named = self.all_flags.iter().chain(&self.any_flag).chain(self.only_flags.iter().flatten());
        named.into_iter().any(|wanted| is_option(wanted, flag))
    }

    /// Whether a command with unknown words could be allowed if they were known.
    pub(super) fn may_allow(&self, execution: &Execution) -> bool {
        self.may_be_about(execution)
    }

    /// Whether the program is one of the entry's, as far as it is known.
    pub(super) fn may_be_about(&self, execution: &Execution) -> bool {
        execution.argv.first().is_none_or(|program| {
            !program.known || self.programs.iter().any(|wanted| is_program(wanted, &program.text))
        })
    }

    /// An entry with conditions on flags and operands does not vouch by its words: the whole command has to fit.
    pub(super) fn vouches_for(&self, wanted: &[String], least: usize) -> bool {
        let none = [Vec::new()];
        let subcommands = if self.subcommands.is_empty() { &none[..] } else { &self.subcommands };
        !self.has_conditions()
            && self.programs.iter().any(|program| {
                subcommands.iter().any(|words| {
                    let all: Vec<String> = std::iter::once(program).chain(words).cloned().collect();
                    vouch(&all, wanted, least)
                })
            })
    }

    pub(super) fn is_for_all(&self) -> bool {
        !self.has_conditions() && self.subcommands.is_empty() && self.programs.iter().any(|program| program == "*")
    }

    fn has_conditions(&self) -> bool {
        !self.any_flag.is_empty()
            || !self.all_flags.is_empty()
            || self.only_flags.is_some()
            || !self.operands.is_empty()
    }
}

fn best(found: impl Iterator<Item = Match>) -> Match {
    found.max().unwrap_or(Match::No)
}

/// A flag, or the pattern of an operand (`+*`).
fn given(wanted: &str, arguments: &[Argument], program: &str) -> Match {
    if is_flag(wanted) { flag_matches(wanted, arguments, program) } else { operand_given(wanted, arguments) }
}

fn operand_given(wanted: &str, arguments: &[Argument]) -> Match {
    best(operands(arguments).map(|operand| word_matches(wanted, operand)))
}

/// Values of options count as operands: nobody tells them apart here.
fn operands(arguments: &[Argument]) -> impl Iterator<Item = &Argument> {
    let mut behind = false;
    arguments.iter().filter(move |argument| {
        if !behind && argument.text == "--" {
            behind = true;
            return false;
        }
        behind || !argument.known || !is_flag(&argument.text)
    })
}

fn flags(arguments: &[Argument]) -> impl Iterator<Item = &str> {
    let known = arguments.iter().filter(|argument| argument.known).map(|argument| argument.text.as_str());
    known.take_while(|text| *text != "--").filter(|text| is_flag(text))
}

fn no_others(only: &[String], arguments: &[Argument], program: &str) -> Match {
    let listed = |flag: &str| is_listed(only, flag) || only.iter().any(|wanted| same_flag(wanted, flag, program));
    if !flags(arguments).all(listed) {
        return Match::No;
    }
    if arguments.iter().all(|argument| argument.known) { Match::Yes } else { Match::Maybe }
}

fn same_flag(wanted: &str, flag: &str, program: &str) -> bool {
    flag_matches(wanted, &[Argument { text: flag.to_owned(), known: true }], program) == Match::Yes
}

/// The interpreter takes its text from the option: neither a script nor a module stands in front of it.
fn is_given_text(wanted: &str, arguments: &[Argument], interpreter: &Entry) -> bool {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next().filter(|argument| argument.known && is_flag(&argument.text)) {
        let text = argument.text.as_str();
        let name = text.split('=').next().unwrap_or(text);
        let option = interpreter.option(name);
        match option {
            _ if is_option(wanted, text) => return true,
            _ if name == "-m" => return false,
            Some(option) if option.role == Role::Code => return false,
            Some(option) if !option.attached && !option.role.is_flag() && !text.contains('=') => {
                rest.next();
            }
            _ => {}
        }
    }
    false
}

/// The program an allow names: bare or in a system directory; `*` is any, whatever its place.
#[inline]
fn is_program(wanted: &str, program: &str) -> bool {
    // Most entries are one plain word, compared with many others.
    if let (Some(one), Some(other)) = (wanted.bytes().next(), program.bytes().next())
        && one != other
        && one.is_ascii_alphanumeric()
        && other.is_ascii_alphanumeric()
    {
        return false;
    }
    if wanted == program || !has_wildcard(wanted) {
        return same_program(wanted, program);
    }
    if wanted.contains('/') {
        return super::is_path_within(wanted, program);
    }
    let name = system_name(program).unwrap_or(program);
    wanted == "*" || !name.contains('/') && Glob::fnmatch(wanted).matches(name)
}

fn is_word(wanted: &str, text: &str) -> bool {
    if has_wildcard(wanted) { Glob::fnmatch(wanted).matches(text) } else { wanted == text }
}

/// The option as it is written, with a value attached or not.
fn is_option(wanted: &str, flag: &str) -> bool {
    is_word(wanted, flag) || wanted.starts_with("--") && flag.split_once('=').is_some_and(|(name, _)| name == wanted)
}

/// One of the options, or a cluster of them (`-la`).
fn is_listed(only: &[String], flag: &str) -> bool {
    let letters = flag.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    let one = |letter: char| only.iter().any(|wanted| wanted.strip_prefix('-') == Some(letter.to_string().as_str()));
    only.iter().any(|wanted| is_option(wanted, flag))
        || letters.is_some_and(|letters| letters.chars().count() > 1 && letters.chars().all(one))
}
