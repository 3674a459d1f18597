//! Text of a policy → text of another file: one step per target, so that no pattern ends its string.

use std::fmt::Write as _;

/// A Starlark string. Escapes are those that Starlark, Python and JSON have in common.
pub(super) fn starlark(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            other if is_special(other) => escaped(other, &mut quoted),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// A TOML basic string, as value or as key.
pub(super) fn toml(text: &str) -> String {
    // TOML has the same escapes, and no others are used.
    starlark(text)
}

/// Text that a JavaScript pattern takes literally inside of a JSON string; without `(?`, which Gemini CLI refuses.
pub(super) fn pattern(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    let inner = json.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(&json);
    let mut pattern = String::new();
    for character in inner.chars() {
        if "\\^$.|?*+()[]{}/\"".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

fn is_special(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escaped(character: char, text: &mut String) {
    // None of them lies beyond the first plane.
    let _ = write!(text, "\\u{:04x}", u32::from(character));
}
