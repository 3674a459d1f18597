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

pub(super) fn base64(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let value = usize::try_from(bits >> (18 - 6 * digit) & 63).unwrap_or(0);
            let character = DIGITS.get(value).map_or('=', |byte| char::from(*byte));
            encoded.push(if digit <= chunk.len() { character } else { '=' });
        }
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
    assert_eq!(["r", "rm", "rm ", "rm -rf ~"].map(base64), ["cg==", "cm0=", "cm0g", "cm0gLXJmIH4="]);
    assert_eq!(octal("rm"), "\\162\\155");
    assert_eq!(quoted("it's"), r"'it'\''s'");
    assert_eq!(word("a/b-c.d"), "a/b-c.d");
    assert_eq!(word("a b"), "'a b'");
}
