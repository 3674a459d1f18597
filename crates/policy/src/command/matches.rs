//! Words of entries that forbid, against the words of a command.

use agent_strace_effects::{Argument, knowledge};

use crate::glob::{Answer, Glob};
use crate::globals::{self, Globals};
use crate::ran::{Spelled, basename};

use super::goals::{self, Place, Rest, Runner};
use super::{Match, SYSTEM};

pub(super) fn words_match(words: &[String], command: &Spelled<'_>) -> Match {
    let Some((wanted, rest)) = words.split_first() else { return Match::No };
    let program = program_matches(wanted, &command.program, &command.name);
    if program == Match::No {
        return Match::No;
    }
    let (flags, operands): (Vec<&str>, Vec<&str>) = rest.iter().map(String::as_str).partition(|word| is_flag(word));
    let operands = operands_match(&operands, &flags, &command.arguments, &command.name);
    if operands == Match::No {
        return Match::No;
    }
    let flags = flags.iter().map(|flag| flag_matches(flag, &command.arguments, &command.name));
    flags.fold(program.min(operands), Match::min)
}

pub(super) fn has_wildcard(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'*' | b'?' | b'['))
}

pub(super) fn program_matches(wanted: &str, program: &Argument, name: &str) -> Match {
    // Most entries are one plain word, compared with many programs.
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
    if program.known && !wanted.is_empty() && wanted.bytes().all(is_plain) {
        return if wanted == name { Match::Yes } else { Match::No };
    }
    let folded = wanted.to_lowercase().replace('\\', "/");
    let pattern = folded.rsplit('/').next().unwrap_or(&folded);
    if !program.known {
        return unknown_word(pattern, name);
    }
    let stem = basename(pattern);
    let same = if has_wildcard(pattern) { Glob::fnmatch(pattern).matches(name) } else { stem == name };
    // An entry that names a place means that program, wherever the session stood.
    let path = program.text.replace('\\', "/").to_lowercase();
    let elsewhere = folded.contains('/') && path.contains('/') && !is_system(&folded) && {
        let wanted = folded.trim_start_matches("./");
        !Glob::anywhere(&Glob::fnmatch(wanted)).matches(path.trim_start_matches("./"))
    };
    if same && !elsewhere { Match::Yes } else { Match::No }
}

pub(super) fn is_system(path: &str) -> bool {
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// A word of which a part is unknown, against an entry's word. Text that gives nothing away may be anything.
fn unknown_word(pattern: &str, text: &str) -> Match {
    let hints = !text.contains('$') && !text.contains('`') && text.chars().any(char::is_alphanumeric);
    if !hints {
        return Match::Maybe;
    }
    match Glob::fnmatch(pattern).meets(&Glob::fnmatch(text)) {
        Answer::No => Match::No,
        Answer::Yes | Answer::Unknown => Match::Yes,
    }
}

pub(super) fn is_flag(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && word != "--"
}

/// The entry's operands must be the command's leading ones, in order, behind global options. `flags` are the entry's, too.
pub(super) fn operands_match(wanted: &[&str], flags: &[&str], arguments: &[Argument], program: &str) -> Match {
    let entry = EntryOperands { flags, program, globals: globals::of(program), runner: goals::runner(program) };
    let start = Reader { arguments, behind_dashes: false, may_be_value: false, place: Place::Front };
    entry.follow(wanted, start, Star::MayBeOption)
}

/// The part of an entry and its program that decides how the words of a command are read.
struct EntryOperands<'e> {
    flags: &'e [&'e str],
    program: &'e str,
    globals: Globals,
    runner: Option<&'static Runner>,
}

/// The words of a command that are left, and how the next one is read.
#[derive(Clone, Copy)]
struct Reader<'a> {
    arguments: &'a [Argument],
    behind_dashes: bool,
    may_be_value: bool,
    place: Place,
}

/// Says which words the next `*` of an entry may match.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Star {
    /// An option counts as a word, too.
    MayBeOption,
    /// The options were tried.
    IsOperand,
}

impl EntryOperands<'_> {
    /// Compares the wanted words with what is left. Each `*` is followed in two ways at most: more options behind the first one
    /// make no difference.
    fn follow(&self, mut wanted: &[&str], mut reader: Reader<'_>, mut star: Star) -> Match {
        while let Some((next, behind)) = wanted.split_first() {
            let Some((argument, rest)) = reader.arguments.split_first() else { return Match::No };
            reader.arguments = rest;
            let text = argument.text.as_str();
            if !reader.behind_dashes && text == "--" {
                if self.runner.is_some_and(|runner| runner.rest() == Rest::Arguments) {
                    return Match::No;
                }
                reader.behind_dashes = true;
                continue;
            }
            if !reader.behind_dashes && argument.known && is_flag(text) {
                self.skip_value(next, argument, &mut reader);
                if *next == "*" && star == Star::MayBeOption {
                    let found = self.follow(behind, reader, Star::MayBeOption);
                    if found != Match::No {
                        return found;
                    }
                    star = Star::IsOperand;
                }
                continue;
            }
            if reader.place == Place::Front && self.program == "cargo" && text.starts_with('+') {
                continue;
            }
            match word_matches(next, argument) {
                Match::Yes => {
                    (wanted, star) = (behind, Star::MayBeOption);
                    reader.place = Place::Behind;
                }
                // An unknown word may stand for several, so the words behind it can't be compared.
                Match::Maybe => return Match::Maybe,
                Match::No if self.runner.is_some() => reader.place = Place::Behind,
                Match::No if reader.may_be_value || names_a_path(next) => {}
                Match::No => return Match::No,
            }
            reader.may_be_value = false;
        }
        Match::Yes
    }

    /// Reads the value of an option, where it takes one.
    fn skip_value(&self, next: &str, option: &Argument, reader: &mut Reader<'_>) {
        let is_named = || names_a_file(next) || names_option(self.flags, option, self.program);
        match value_of(&option.text, reader.place, &self.globals, self.runner) {
            Value::Next if self.runner.is_some() && is_named() => {}
            Value::Next => reader.arguments = reader.arguments.get(1..).unwrap_or_default(),
            Value::None => {}
            Value::Perhaps => reader.may_be_value = !option.text.contains('='),
        }
    }
}

/// The way in which an option takes the word behind it.
enum Value {
    Next,
    None,
    Perhaps,
}

fn value_of(option: &str, place: Place, globals: &Globals, runner: Option<&Runner>) -> Value {
    match globals {
        _ if runner.is_some_and(|runner| runner.takes_value(option, place)) => Value::Next,
        Globals::Known(options) if place == Place::Front && options.contains(&option) => Value::Next,
        Globals::Known(_) => Value::None,
        Globals::Unknown => Value::Perhaps,
    }
}

/// Returns whether the entry itself contains the option. Then a word of the entry may be meant as the option's value.
fn names_option(flags: &[&str], option: &Argument, program: &str) -> bool {
    flags.iter().any(|flag| flag_matches(flag, std::slice::from_ref(option), program) == Match::Yes)
}

/// Returns whether the entry's word is a file name. No goal has such a name, so the author means the value of an option.
fn names_a_file(word: &str) -> bool {
    word.contains(['/', '.'])
}

/// A path is dangerous wherever it stands among the operands.
fn names_a_path(word: &str) -> bool {
    word.starts_with(['/', '~', '.'])
}

pub(super) fn word_matches(wanted: &str, argument: &Argument) -> Match {
    let (wanted, text) = (wanted.to_lowercase(), argument.text.to_lowercase());
    if !argument.known {
        return unknown_word(&wanted, &text);
    }
    let same = if has_wildcard(&wanted) { Glob::fnmatch(&wanted).matches(&text) } else { wanted == text };
    if same { Match::Yes } else { Match::No }
}

/// A flag counts wherever it stands, in a cluster, in long form or shortened.
pub(super) fn flag_matches(wanted: &str, arguments: &[Argument], program: &str) -> Match {
    let unknown = arguments.iter().any(|argument| !argument.known);
    let missing = if unknown { Match::Maybe } else { Match::No };
    let given: Vec<&str> = arguments
        .iter()
        .filter(|argument| argument.known)
        .map(|argument| argument.text.as_str())
        .take_while(|text| *text != "--")
        .filter(|text| is_flag(text))
        .collect();
    if has_wildcard(wanted) {
        let glob = Glob::fnmatch(wanted);
        return if given.iter().any(|flag| glob.matches(flag)) { Match::Yes } else { missing };
    }
    let operands = first_operands(arguments);
    if given.iter().any(|flag| same_option(wanted, flag, program, &operands)) {
        return Match::Yes;
    }
    let letters: Vec<char> = wanted.chars().skip(1).collect();
    let cluster = !wanted.starts_with("--")
        && letters.len() <= 4
        && letters.iter().all(char::is_ascii_alphabetic)
        && !globals::has_one_dash_options(program);
    if cluster {
        let has = |letter: &char| letter_given(*letter, &given, program, arguments);
        return if letters.iter().all(has) { Match::Yes } else { missing };
    }
    let short = wanted.starts_with("--")
        && ('A'..='z').any(|letter| {
            let is_meant = |flag: &&str| {
                !flag.starts_with("--") && globals::letters(flag, program, arguments).any(|given| given == letter)
            };
            globals::own_long_names(program, arguments, letter).any(|long| long == wanted) && given.iter().any(is_meant)
        });
    if short && !globals::has_one_dash_options(program) { Match::Yes } else { missing }
}

/// The same option, with a value or shortened to a beginning.
fn same_option(wanted: &str, flag: &str, program: &str, operands: &[&str]) -> bool {
    let name = flag.split('=').next().unwrap_or(flag);
    let is_parameter = wanted.len() > 2 && !wanted.starts_with("--") && program.contains('-');
    // Parameters of PowerShell are the same in any case.
    wanted == flag
        || is_parameter && wanted.eq_ignore_ascii_case(flag)
        || knowledge::spells(program, operands, name, wanted)
}

/// The operands that may name a subcommand.
fn first_operands(arguments: &[Argument]) -> Vec<&str> {
    let words = arguments.iter().map(|argument| argument.text.as_str());
    words.filter(|word| !word.starts_with('-')).take(2).collect()
}

fn letter_given(letter: char, given: &[&str], program: &str, arguments: &[Argument]) -> bool {
    // `rm -R` is `rm -r`; elsewhere the two may differ.
    let twin = match letter {
        'r' if program == "rm" => 'R',
        'R' if program == "rm" => 'r',
        other => other,
    };
    let operands = first_operands(arguments);
    given.iter().any(|flag| {
        if flag.starts_with("--") {
            globals::own_long_names(program, arguments, letter).any(|long| same_option(long, flag, program, &operands))
        } else {
            globals::letters(flag, program, arguments).any(|given| given == letter || given == twin)
        }
    })
}
