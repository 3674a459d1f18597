//! The word of a command that says what runs: the target of a runner, the subcommand of a program that is not known.

use agent_strace_effects::knowledge::Entry;
use agent_strace_effects::{Argument, Execution};

use super::commands::{Unlisted, is_flag, shown};
use super::form::{Form, form};

/// The first word behind variables and options, where it looks like a target or a subcommand. Of any other word no entry can be
/// made, and an entry without it would allow all of them. `known`: the description of the program. A word behind an option that
/// no description has may be the value of the option, and a secret.
pub(super) fn target(arguments: &[Argument], known: Option<&Entry>) -> Result<Option<String>, Unlisted> {
    let mut words = arguments.iter();
    let mut is_after_unknown = false;
    while let Some(word) = words.next() {
        if word.known && is_flag(&word.text) {
            match takes(&word.text, known) {
                Takes::Nothing => {}
                Takes::Word => drop(words.next()),
                Takes::Unknown => is_after_unknown = true,
            }
        } else if !word.known || !word.text.contains('=') {
            let is_target = names_a_target(word) && !is_after_unknown;
            return if is_target { Ok(Some(word.text.clone())) } else { Err(Unlisted::Inexpressible) };
        }
    }
    Ok(None)
}

/// The words that an option takes as its value.
enum Takes {
    Nothing,
    Word,
    Unknown,
}

fn takes(option: &str, known: Option<&Entry>) -> Takes {
    let Some(entry) = known else { return Takes::Unknown };
    let (name, has_value) = option.split_once('=').map_or((option, false), |(name, _)| (name, true));
    if let Some(role) = entry.listed_option(name) {
        return if has_value || role.attached || role.role.is_flag() { Takes::Nothing } else { Takes::Word };
    }
    // `-j4`: the value is part of the word.
    let short = option.get(..2).filter(|short| !option.starts_with("--") && short.len() < option.len());
    let is_attached = short.and_then(|short| entry.listed_option(short)).is_some_and(|role| !role.role.is_flag());
    if is_attached || has_value { Takes::Nothing } else { Takes::Unknown }
}

fn names_a_target(argument: &Argument) -> bool {
    let text = argument.text.as_str();
    let plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | ':');
    argument.known && text.starts_with(|first: char| first.is_ascii_lowercase()) && text.chars().all(plain)
}

/// A program that is not known, with its first word where that looks like a subcommand.
pub(super) fn stranger(execution: &Execution) -> Option<Vec<String>> {
    let (program, arguments) = execution.argv.split_first()?;
    let shown = shown(&program.text).filter(|_| program.known)?;
    let is_name = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    // A program that starts other commands or fetches code is known by that.
    if matches!(form(&shown), Form::Code | Form::Commands) {
        return None;
    }
    if shown.is_empty() || !shown.chars().all(is_name) || !shown.chars().any(|letter| letter.is_ascii_alphabetic()) {
        return None;
    }
    let subcommand = target(arguments, None).ok()?;
    Some(std::iter::once(shown).chain(subcommand).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_strace_effects::knowledge;

    #[test]
    fn a_target_is_no_value_of_an_option() {
        let made = |words: &str| {
            let arguments: Vec<Argument> =
                words.split(' ').map(|text| Argument { text: text.to_owned(), known: true }).collect();
            let entry = knowledge::builtin("make");
            let [known, stranger] = [entry, None].map(|entry| target(&arguments, entry).map_err(|_| ()));
            (known, stranger)
        };
        let is = |word: &str| Ok(Some(word.to_owned()));
        for (words, known, stranger) in [
            ("test", is("test"), is("test")),
            ("CC=gcc test", is("test"), is("test")),
            ("-j4 test", is("test"), Err(())),
            ("-C dir test", is("test"), Err(())),
            ("--jobs=4 test", is("test"), Err(())),
            ("--password secret", Err(()), Err(())),
            ("--verbose", Ok(None), Ok(None)),
            ("*", Err(()), Err(())),
            ("./x test", Err(()), Err(())),
        ] {
            assert_eq!(made(words), (known, stranger), "{words}");
        }
    }
}
