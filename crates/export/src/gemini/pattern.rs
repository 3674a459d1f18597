//! Paths and commands as regular expressions that Gemini CLI accepts.

use super::super::escape;
use super::super::paths::{Pattern, Start};
use super::super::spelling;

/// The longest pattern that is not dropped.
const LONGEST: usize = 2_048;

/// Whether letters count in both cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Exact,
    Folded,
}

/// Whether a pattern that names a directory covers what is below it, as denies of version 2 do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    Itself,
    Below,
}

/// `"file_path":"…"` of a path; `None`: it is too long.
pub(super) fn path(pattern: &Pattern, case: Case, reach: Reach) -> Option<String> {
    let before = match (pattern.start, case) {
        // Wherever the project lies, or wherever the name stands.
        (Start::Root | Start::Anywhere, Case::Folded) => "([^\"]*/|)",
        (Start::Root, Case::Exact) => "(\\./|)",
        (Start::Anywhere, Case::Exact) => "(\\./|)([^\"/][^\"]*/|)",
        (Start::Home, _) => "(~/|/root/|/home/[^\"/]*/|/Users/[^\"/]*/)",
        (Start::Absolute, _) => "/",
    };
    let after = if reach == Reach::Itself || pattern.body.ends_with("**") { "" } else { "(/[^\"]*|)" };
    let text = format!("\"file_path\":\"{before}{}{after}\"", body(&pattern.body, case));
    (text.len() <= LONGEST).then_some(text)
}

fn body(glob: &str, case: Case) -> String {
    let mut pattern = String::new();
    let mut rest = glob;
    while let Some(character) = rest.chars().next() {
        let mut taken = character.len_utf8();
        if rest.starts_with("**/") {
            pattern.push_str("([^\"]*/|)");
            taken = 3;
        } else if rest.starts_with("**") {
            pattern.push_str("[^\"]*");
            taken = 2;
        } else {
            match character {
                '*' => pattern.push_str("[^\"/]*"),
                '?' => pattern.push_str("[^\"/]"),
                '[' => {
                    if let Some(end) = rest.find(']').filter(|end| *end > 1) {
                        let class = rest.get(1..end).unwrap_or_default().replace('\\', "\\\\").replace('[', "\\[");
                        let class = class.strip_prefix('!').map_or(class.clone(), |members| format!("^\"/{members}"));
                        pattern.extend(["[", class.as_str(), "]"]);
                        taken = end + 1;
                    } else {
                        pattern.push_str("\\[");
                    }
                }
                letter if case == Case::Folded && letter.is_ascii_alphabetic() => {
                    let (lower, upper) = (letter.to_ascii_lowercase(), letter.to_ascii_uppercase());
                    pattern.extend(['[', lower, upper, ']']);
                }
                other => pattern.push_str(&escape::pattern(other.encode_utf8(&mut [0; 4]))),
            }
        }
        rest = rest.get(taken..).unwrap_or_default();
    }
    pattern
}

/// A deny of a command, from the start of one on: by its path, too, and with options before the subcommand.
pub(super) fn command(entry: &str) -> Option<Vec<String>> {
    let words = spelling::words(entry)?;
    let (program, rest) = words.split_first()?;
    let program = program.rsplit('/').next().unwrap_or(program);
    let (flags, operands): (Vec<&String>, Vec<&String>) = rest.iter().partition(|word| spelling::is_flag(word));
    let program = format!("([^\\s\"]*/|){}", word(program));
    let mut start = program.clone();
    for (at, operand) in operands.iter().enumerate() {
        let options = if at == 0 { "(-[^;&|]*\\s|)" } else { "" };
        start.extend(["\\s", options, word(operand).as_str()]);
    }
    let end = "[\\s\"\\\\;&|]";
    let joined = |words: &[String]| -> String {
        words.iter().flat_map(|flag| ["\\s([^;&|]*\\s|)".to_owned(), word(flag)]).collect()
    };
    let behind: Vec<String> = operands.iter().map(|operand| (*operand).clone()).collect();
    let first = spelling::orders(&flags).into_iter().filter(|flags| !flags.is_empty() && !behind.is_empty());
    let mut patterns: Vec<String> =
        first.map(|flags| format!("{program}{}{}{end}", joined(&flags), joined(&behind))).collect();
    patterns.extend(spelling::orders(&flags).into_iter().map(|flags| format!("{start}{}{end}", joined(&flags))));
    patterns.iter().all(|pattern| pattern.len() <= LONGEST).then_some(patterns)
}

fn word(text: &str) -> String {
    text.split(['*', '?']).map(escape::pattern).collect::<Vec<_>>().join("[^\\s\"]*")
}
