//! Texts in the encodings that shells and their friends take back apart.

/// Characters that mean nothing to a shell.
fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_@%+=:,./-".contains(character)
}

/// In single quotes.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// As one word of a command: quoted only where it has to be.
pub(super) fn word(text: &str) -> String {
    if !text.is_empty() && text.chars().all(is_plain) { text.to_owned() } else { quoted(text) }
}

pub(super) fn needs_no_quotes(text: &str) -> bool {
    !text.is_empty() && !text.contains(',') && text.chars().all(is_plain)
}

/// Inside double quotes.
pub(super) fn double(text: &str) -> String {
    text.chars().fold(String::new(), |mut escaped, character| {
        if matches!(character, '"' | '\\' | '$' | '`') {
            escaped.push('\\');
        }
        escaped.push(character);
        escaped
    })
}

/// `\162\155`
pub(super) fn octal(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len() * 4);
    for byte in text.bytes() {
        let digit = |shift: u32| char::from(b'0' + (byte >> shift & 7));
        encoded.extend(['\\', digit(6), digit(3), digit(0)]);
    }
    encoded
}

/// A string of JSON, which Python, Ruby, JavaScript and Perl read alike.
pub(super) fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
#[test]
fn encodings_are_those_of_the_tools() {
    assert_eq!(octal("rm"), "\\162\\155");
    assert_eq!(quoted("it's"), r"'it'\''s'");
    assert_eq!(word("a/b-c.d"), "a/b-c.d");
    assert_eq!(word("a b"), "'a b'");
}
