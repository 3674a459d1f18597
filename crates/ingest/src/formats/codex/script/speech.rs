//! Which words of a script's output only the host can have written.

use std::collections::BTreeSet;

use super::plain::words;

/// A call of a tool in the code of a script; its arguments follow.
pub(super) const CALL: &str = "$call(";

/// Names through which a script could raise an error in its own words.
const RAISES: [&str; 17] = [
    "throw",
    "Error",
    "Exception",
    "reject",
    "withResolvers",
    "raise",
    "assert",
    "then",
    "function",
    "class",
    "new",
    "get",
    "set",
    "Symbol",
    "import",
    "toString",
    "valueOf",
];

/// Parentheses that may be open at once.
const MAX_OPEN: u32 = 64;

/// Names that may come before a parenthesis without an object.
const CALLED: [&str; 8] = ["$call", "text", "String", "catch", "if", "for", "while", "await"];

/// Returns whether errors of a script can only be those that the host raises.
pub(super) fn host_raises(code: &str) -> bool {
    let is_known = |(word, rest): (&str, &str)| match word {
        "Promise" => rest.starts_with(".all(") || rest.starts_with(".allSettled("),
        _ => !RAISES.contains(&word),
    };
    !code.contains("=>") && words(code).all(is_known)
}

/// Returns whether a script prints nothing but results as JSON and errors of the host: JSON begins with no word of a
/// message, and the host's errors are the only ones without a name before them.
pub(super) fn host_speaks(code: &str) -> bool {
    let caught: BTreeSet<&str> = words(code)
        .filter(|(word, _)| *word == "catch")
        .filter_map(|(_, rest)| rest.trim_start().strip_prefix('(')?.split(')').next())
        .map(str::trim)
        .collect();
    let is_known = |(word, rest): (&str, &str)| {
        let start = code.len() - rest.len() - word.len();
        let before = code.get(..start).unwrap_or_default().trim_end().chars().next_back();
        let is_called = rest.trim_start().starts_with('(');
        match word {
            "JSON" => rest.starts_with(".stringify("),
            "text" => before != Some('.') && prints(rest, &caught),
            "String" => before != Some('.') && is_called,
            _ if caught.contains(word) => before == Some('(') && rest.trim_start().starts_with(')'),
            _ => !is_called || before == Some('.') || CALLED.contains(&word),
        }
    };
    host_raises(code) && !code.contains('`') && words(code).all(is_known)
}

/// Returns whether the arguments of `text` are one result as JSON, or one error that was caught.
fn prints(arguments: &str, caught: &BTreeSet<&str>) -> bool {
    let Some(argument) = arguments.trim_start().strip_prefix('(').map(str::trim_start) else { return false };
    let is_error = |argument: &str| {
        let name = argument.split(')').next().unwrap_or_default();
        caught.contains(name.trim())
    };
    if let Some(value) = argument.strip_prefix("JSON.stringify(") {
        return closes(value).is_some_and(|rest| rest.trim_start().starts_with(')'));
    }
    if let Some(value) = argument.strip_prefix("String(") {
        return is_error(value) && closes(value).is_some_and(|rest| rest.trim_start().starts_with(')'));
    }
    is_error(argument)
}

/// The code after the parenthesis that closes what comes before.
fn closes(code: &str) -> Option<&str> {
    let mut open = 1;
    for (at, character) in code.char_indices() {
        match character {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        match open {
            0 => return code.get(at + 1..),
            MAX_OPEN => return None,
            _ => {}
        }
    }
    None
}
