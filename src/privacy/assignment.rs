//! Secrets that are known by the name they are given to: headers, options, variables, keys.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::WORD_END;
use super::detect::{Span, find, is_reference, run};

/// Ends of names whose values are secrets, without separators and in lower case.
const SENSITIVE: &[&str] = &[
    "accesskey",
    "apikey",
    "authkey",
    "authtoken",
    "clientsecret",
    "credential",
    "credentials",
    "encryptionkey",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "pwd",
    "secret",
    "secretaccesskey",
    "secretkey",
    "signingkey",
    "token",
];

/// By what credentials of requests are known, in whatever case: most texts hold none of it.
static HEADERS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let builder = &mut AhoCorasick::builder();
    builder.kind(Some(AhoCorasickKind::DFA)).ascii_case_insensitive(true).build(["authorization", "bearer "]).ok()
});

/// `Authorization: Bearer x`, also as `"authorization": "Basic x"`, and a bare `Bearer x`.
pub(super) fn authorization(text: &str, found: &mut Vec<Span>) {
    if HEADERS.as_ref().is_some_and(|headers| !headers.is_match(text)) {
        return;
    }
    let lower = text.to_ascii_lowercase();
    let mut from = 0;
    while let Some(at) = find(&lower, from, "authorization") {
        from = at + "authorization".len();
        let separator = from + run(text, from, |byte| b"\\\"' ".contains(&byte));
        if !matches!(text.as_bytes().get(separator), Some(b':' | b'=')) {
            continue;
        }
        let start = separator + 1 + run(text, separator + 1, |byte| b"\\\"' ".contains(&byte));
        let word = start + run(text, start, |byte| byte.is_ascii_alphabetic());
        let value = if text.as_bytes().get(word) == Some(&b' ') { word + 1 } else { start };
        push(text, value, "authorization", found);
    }
    from = 0;
    while let Some(at) = find(&lower, from, "bearer ") {
        from = at + "bearer ".len();
        let length = plain_length(text, from);
        let value = text.get(from..from + length).unwrap_or("");
        if length >= 16 && value.bytes().any(|byte| byte.is_ascii_digit()) {
            push(text, from, "bearer-token", found);
        }
    }
}

/// `--password x`, `--api-key=x`, `-u user:x`.
pub(super) fn options(text: &str, found: &mut Vec<Span>) {
    let mut from = 0;
    while let Some(at) = text.as_bytes().get(from..).and_then(|rest| memchr::memchr(b'-', rest)).map(|at| from + at) {
        let name = at + run(text, at, |byte| byte == b'-');
        let end = name + run(text, name, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        from = end.max(at + 1);
        if !at.checked_sub(1).and_then(|before| text.as_bytes().get(before)).is_none_or(|byte| is_break(*byte)) {
            continue;
        }
        let (dashes, option) = (name - at, text.get(name..end).unwrap_or(""));
        let spaced = run(text, end, is_space);
        let value = match text.as_bytes().get(end) {
            Some(b'=') => end + 1,
            _ if spaced > 0 => end + spaced,
            _ => continue,
        };
        if dashes == 2 && is_sensitive(option) {
            if !text.get(value..).unwrap_or("").starts_with('-') {
                push(text, value, "password", found);
            }
        } else if (dashes == 1 && option == "u") || (dashes == 2 && option == "user") {
            user_and_password(text, value, found);
        }
    }
}

/// `user:password`; two numbers are a user and a group.
fn user_and_password(text: &str, start: usize, found: &mut Vec<Span>) {
    let (start, length) = value_at(text, start);
    let word = text.get(start..start + length).unwrap_or("");
    let Some((user, password)) = word.split_once(':') else { return };
    if !password.bytes().all(|byte| byte.is_ascii_digit()) && !is_reference(password) && !password.starts_with('/') {
        let start = start + user.len() + 1;
        found.push(Span { start, end: start + password.len(), kind: "password" });
    }
}

/// `KEY=value`, `key: value`, `"key": "value"`.
pub(super) fn keys(text: &str, found: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    for at in memchr::memchr2_iter(b'=', b':', bytes) {
        if !is_sensitive(name_before(text, at)) {
            continue;
        }
        let start = at + 1 + run(text, at + 1, |byte| byte == b' ').min(4);
        if matches!(bytes.get(at + 1), Some(b'=' | b'>' | b':' | b'/')) {
            continue;
        }
        let (inside, length) = value_at(text, start);
        let value = text.get(inside..inside + length).unwrap_or("");
        // Prose has colons, too: `the token: see below`.
        let quoted = inside > start;
        let telling = length >= 8 && value.bytes().any(|byte| byte.is_ascii_digit());
        if bytes.get(at) == Some(&b'=') || quoted || telling {
            push(text, start, "secret", found);
        }
    }
}

/// The name that ends before `at`, past quotes and a few spaces.
fn name_before(text: &str, at: usize) -> &str {
    const LONGEST: usize = 64;
    let bytes = text.as_bytes().get(..at).unwrap_or(&[]);
    let skipped = bytes.iter().rev().take(4).take_while(|byte| b" \"'\\".contains(byte)).count();
    let end = at - skipped;
    let length = bytes
        .iter()
        .rev()
        .skip(skipped)
        .take(LONGEST)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
        .count();
    text.get(end - length..end).unwrap_or("")
}

fn is_sensitive(name: &str) -> bool {
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return false;
    }
    let plain: String =
        name.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    SENSITIVE.iter().any(|end| plain.ends_with(end))
}

fn push(text: &str, start: usize, kind: &'static str, found: &mut Vec<Span>) {
    let (start, length) = value_at(text, start);
    let value = text.get(start..start + length).unwrap_or("");
    if !value.is_empty() && !is_reference(value) {
        found.push(Span { start, end: start + length, kind });
    }
}

/// Start and length of the value at `start`: inside its quotes (also escaped ones), or up to a break.
fn value_at(text: &str, start: usize) -> (usize, usize) {
    let escaped = usize::from(text.as_bytes().get(start) == Some(&b'\\'));
    let Some(quote) = text.as_bytes().get(start + escaped).copied().filter(|byte| matches!(byte, b'"' | b'\'')) else {
        return (start, plain_length(text, start));
    };
    let inside = start + escaped + 1;
    let mut backslash = false;
    let length = run_until(text, inside, |byte| {
        let ends = byte == b'\n' || byte == WORD_END as u8 || (byte == quote && (escaped == 1 || !backslash));
        backslash = byte == b'\\' && !backslash;
        ends
    });
    let ends_escaped = escaped == 1 && length > 0 && text.as_bytes().get(inside + length - 1) == Some(&b'\\');
    (inside, length - usize::from(ends_escaped))
}

fn run_until(text: &str, at: usize, mut ends: impl FnMut(u8) -> bool) -> usize {
    text.as_bytes().get(at..).map_or(0, |rest| rest.iter().take_while(|byte| !ends(**byte)).count())
}

fn plain_length(text: &str, start: usize) -> usize {
    run(text, start, |byte| !is_break(byte) && !b",)}]\\".contains(&byte))
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == WORD_END as u8
}

fn is_break(byte: u8) -> bool {
    is_space(byte) || b"\"'`&;|<>".contains(&byte)
}
