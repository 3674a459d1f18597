//! Scripts that can do nothing but what they name.

use std::collections::BTreeSet;

use super::is_word;

/// Names through which a script could reach what it doesn't name.
const BACK_DOORS: [&str; 19] = [
    "globalThis",
    "eval",
    "Function",
    "import",
    "constructor",
    "Reflect",
    "Proxy",
    "window",
    "self",
    "with",
    "require",
    "prototype",
    "__proto__",
    "getPrototypeOf",
    "setPrototypeOf",
    "getOwnPropertyDescriptor",
    "getOwnPropertyDescriptors",
    "getOwnPropertyNames",
    "defineProperty",
];

/// Words after which `[` begins a list.
const BEFORE_LISTS: [&str; 10] =
    ["return", "typeof", "case", "of", "in", "await", "else", "void", "yield", "instanceof"];

/// Returns whether nothing in the code of a script could act by itself.
pub(super) fn is_plain(code: &str) -> bool {
    !code.contains("\\u")
        && words(code).all(|(word, _)| word != "tools" && !BACK_DOORS.contains(&word))
        && names_members(code)
}

/// Returns whether the code names each member that it reaches for: a computed name could be that of a back door.
fn names_members(code: &str) -> bool {
    let numbers = counters(code);
    let is_number =
        |name: &str| numbers.contains(name) || !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    // The brackets that are open, with the place after each, and whether it reaches for a member.
    let mut open: Vec<(usize, bool)> = Vec::new();
    for (at, character) in code.char_indices() {
        match character {
            '[' => open.push((at + 1, follows_value(code.get(..at).unwrap_or_default()))),
            ']' => {
                let Some((start, is_member)) = open.pop() else { return false };
                let is_key = || code.get(at + 1..).is_some_and(|rest| rest.trim_start().starts_with(':'));
                let name = code.get(start..at).unwrap_or_default();
                if (is_member || is_key()) && !is_number(name.trim()) {
                    return false;
                }
            }
            _ => {}
        }
    }
    open.is_empty()
}

/// Returns whether something that has a value ends here.
fn follows_value(before: &str) -> bool {
    let before = before.trim_end();
    let Some(last) = before.chars().next_back() else { return false };
    if is_word(last) {
        let word = before.rsplit(|character| !is_word(character)).next().unwrap_or_default();
        return !BEFORE_LISTS.contains(&word);
    }
    matches!(last, ')' | ']' | '}' | '"' | '\'' | '`' | '.')
}

/// Variables that hold nothing but numbers: `for (let i = 0; …; i++)`. A script that takes lists apart, or that gives
/// functions parameters, could give them anything.
fn counters(code: &str) -> BTreeSet<&str> {
    let takes_apart = code.match_indices([']', '}']).any(|(at, _)| assigns(code.get(at + 1..).unwrap_or_default()));
    if takes_apart || code.contains("=>") || code.contains("function") {
        return BTreeSet::new();
    }
    let (mut counters, mut others) = (BTreeSet::new(), BTreeSet::new());
    let mut before = "";
    for (word, rest) in words(code) {
        let is_number = || {
            let given = rest.trim_start().strip_prefix('=').unwrap_or_default();
            let given = given.split([';', ',']).next().unwrap_or_default().trim();
            !given.is_empty() && given.bytes().all(|byte| byte.is_ascii_digit())
        };
        match before {
            "let" if is_number() => _ = counters.insert(word),
            "let" | "const" | "var" | "catch" => _ = others.insert(word),
            _ if assigns(rest) => _ = others.insert(word),
            _ => {}
        }
        before = word;
    }
    counters.difference(&others).copied().collect()
}

/// Returns whether a value is given to what comes before.
fn assigns(rest: &str) -> bool {
    let rest = rest.trim_start();
    let end = rest.find(|character: char| !"=+-*/%&|^?<>!~".contains(character)).unwrap_or(rest.len());
    match rest.get(..end).unwrap_or_default() {
        "" | "++" | "--" | "<=" | ">=" => false,
        operator => operator.contains('=') && !operator.starts_with("==") && !operator.starts_with("!="),
    }
}

/// The words of code, each with the code after it.
pub(super) fn words(code: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut at = 0;
    let parts = code.split_inclusive(|character| !is_word(character));
    let words = parts.map(move |part| {
        let word = part.trim_end_matches(|character| !is_word(character));
        let rest = code.get(at + word.len()..).unwrap_or_default();
        at += part.len();
        (word, rest)
    });
    words.filter(|(word, _)| !word.is_empty())
}
