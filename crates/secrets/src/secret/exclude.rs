//! What looks like a secret and is none.

use std::sync::LazyLock;

use super::super::words::{Choice, Words};
use super::text::{at, looked_at, piece, run_before};

static PLACE_HOLDERS: LazyLock<Words> = LazyLock::new(|| Words::of_short(Choice::First, WORDS_OF_PLACE_HOLDERS));

/// Words of place holders and of documentation.
const WORDS_OF_PLACE_HOLDERS: &[&str] = &[
    "example",
    "changeme",
    "change_me",
    "change-me",
    "placeholder",
    "xxxx",
    "your_",
    "your-",
    "yourpass",
    "yoursecret",
    "yourtoken",
    "yourkey",
    "yourapi",
    "redacted",
    "dummy",
    "insert",
    "replace",
    "abcdefgh",
    "0123456",
    "123456789",
    "987654",
    "deadbeef",
    "012345",
    "qwert",
    "asdf",
    "hjkl",
    "vbnm",
    "alphanumeric",
    "todo",
    "....",
    "****",
    "----",
    "____",
    "<",
    ">",
    "${",
    "{{",
    "$(",
];

pub(super) fn is_placeholder(value: &str) -> bool {
    looked_at(value.len().min(96));
    let mut lower = [0_u8; 96];
    let bytes = value.as_bytes();
    let length = bytes.len().min(lower.len());
    for (to, from) in lower.iter_mut().zip(bytes) {
        *to = from.to_ascii_lowercase();
    }
    let lower = lower.get(..length).unwrap_or(&[]);
    PLACE_HOLDERS.is_in(lower)
}

/// Public keys, digests of passwords, numbers, times, patterns, formats, identifiers that are no secrets.
pub(super) fn is_public(value: &str) -> bool {
    const STARTS: &[&str] = &[
        "pk_live_",
        "pk_test_",
        "pk.eyJ",
        "ssh-",
        "ecdsa-sha2-",
        "sk-ssh-",
        "sk-ecdsa-",
        "MIGfMA0G",
        "MFkwEwYH",
        "MFwwDQYJ",
        "MIIBIjAN",
        "MIICIjAN",
        "MIIDIjAN",
        "MCowBQYD",
        "age1",
        "sha1$",
        "sha256$",
        "pbkdf2",
        "bcrypt",
        "argon2",
        "scrypt",
        "sha256:",
        "sha512-",
        "sha384-",
        "sha256-",
        "sha1-",
        "data:",
        "urn:",
        "did:",
        "text/",
        "application/",
        "image/",
        "-----BEGIN PUBLIC",
        "-----BEGIN CERT",
    ];
    let hex_number = value.strip_prefix("0x").is_some_and(|digits| digits.len() <= 16 && is_hex(digits));
    let number = value.bytes().all(|byte| byte.is_ascii_digit());
    let dotted =
        !number && value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b':' | b'/' | b' '));
    let scheme = value.starts_with('{') && value.find('}').is_some_and(|end| end < 12);
    let pattern = ["\\s", "\\S", "\\w", "\\d", "(?", "[^", ".*", "{0}", "{}"].iter().any(|part| value.contains(part));
    let format = value.len() < 24
        && ["%s", "%v", "%d"]
            .iter()
            .any(|part| value.find(part).is_some_and(|at| !super::text::before(value, at).is_ascii_alphanumeric()));
    let framed = value.len() > 2 && value.starts_with(['#', '_', '*', '<']) && value.ends_with(['#', '_', '*', '>']);
    STARTS.iter().any(|start| value.starts_with(start))
        || hex_number
        || dotted
        || scheme
        || pattern
        || format
        || framed
        || (value.contains("\\x") && value.len() < 16)
        || starts_with_date(value)
}

/// `2026-01-31…`
fn starts_with_date(value: &str) -> bool {
    value.len() >= 10
        && value.bytes().take(10).enumerate().all(|(index, byte)| match index {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// Words that people write where a password is asked for and none is meant.
pub(super) fn is_trivial(value: &str) -> bool {
    const WORDS: &[&str] = &[
        "pass", "pwd", "secret", "test", "user", "admin", "name", "demo", "sample", "default", "token", "invalid",
        "wrong", "fake", "mock", "hello", "welcome", "value", "string", "new", "old", "short", "valid",
    ];
    let lower = value.to_ascii_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

/// A value that names a variable, a file or a piece of code gives nothing away.
pub(super) fn is_reference(value: &str) -> bool {
    const STARTS: &[&str] = &[
        "$",
        "%(",
        "{{",
        "<",
        "@",
        "#{",
        "[",
        "env.",
        "env:",
        "process.",
        "os.",
        "secrets.",
        "vault:",
        "op://",
        "file:",
        "arn:",
        "!Ref",
        "!Sub",
        "!Get",
        "!vault",
        "!secret",
        "!env",
        "!reference",
        "projects/",
        "ref+",
        "sops:",
        "ssm:",
        "{env",
        "{$",
        "~/",
        "./",
        "../",
        "/etc/",
        "/run/",
        "/var/",
        "/home/",
        "/usr/",
        "/tmp/",
        "/opt/",
        "\\$",
        "%",
    ];
    looked_at(value.len());
    STARTS.iter().any(|start| value.starts_with(start))
        || value.contains("${")
        || value.contains("{{")
        || value.contains("$(")
}

/// 8-4-4-4-12 hexadecimal digits.
pub(in super::super) fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether a word for secrets, or of a vendor whose tokens have no mark, stands shortly before an offset.
pub(super) fn secret_is_named(text: &str, index: usize) -> bool {
    const WORDS: &[&str] = &["token", "secret", "key", "vault", "square", "yandex", "pass"];
    let back = run_before(text, index, 64, |byte| byte != b'\n');
    let near = piece(text, super::text::ceil(text, index - back), index).to_ascii_lowercase();
    WORDS.iter().any(|word| near.contains(word))
}

/// Hexadecimal digits only.
pub(super) fn is_hex(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `sha256:` and the like stand directly before an offset.
pub(super) fn follows_digest_name(text: &str, index: usize) -> bool {
    const NAMES: &[&str] = &["sha1", "sha256", "sha384", "sha512", "md5", "sha1-", "blake3", "h1:"];
    let end = index - usize::from(matches!(super::text::before(text, index), b':' | b'-' | b'='));
    let start = super::text::ceil(text, end.saturating_sub(8));
    let near = piece(text, start, end).to_ascii_lowercase();
    NAMES.iter().any(|name| near.ends_with(name)) || at(text, end) == b'~'
}

#[cfg(test)]
pub(super) fn is_built() -> bool {
    PLACE_HOLDERS.is_built_for_short()
}
