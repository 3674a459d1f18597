//! Whether a value is a secret: a linear score of what it looks like, against what its name and form ask for.

use agent_strace_model::finding::RuleId;

use super::super::hit::{Confidence, Hit};
use super::exclude::{follows_digest_name, is_hex, is_placeholder, is_public, is_reference, is_trivial, is_uuid};
use super::likeness::{followers, strangeness, variety};
use super::name::Strength;
use super::text::{self, piece};

/// How a value stands beside its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    Equals,
    Colon,
    /// Of an object whose names are quoted.
    Member,
    Argument,
    Element,
    /// `--name value`.
    Option,
    Blank,
    /// `the password is …`
    Prose,
    NextLine,
}

pub(super) struct Context {
    pub(super) strength: Strength,
    pub(super) syntax: Syntax,
    /// It is no code that yields a value.
    pub(super) literal: bool,
    /// No code can stand there: it is all of a member, or follows a scheme of credentials.
    pub(super) certain: bool,
}

/// Judges the value between two offsets.
pub(super) fn judge(text: &str, start: usize, end: usize, context: &Context, hits: &mut Vec<Hit>) {
    let value = piece(text, start, end);
    let value = value.trim_end_matches(['.', ',', ':', ' ']);
    let Some(confidence) = confidence(text, start, value, context) else { return };
    let (rule, kind) = match context.strength {
        Strength::Password => (RuleId::SecretPassword.as_str(), "password"),
        _ => (RuleId::SecretKeyedSecret.as_str(), "secret"),
    };
    hits.push(Hit { start, end: start + value.len(), rule, kind, confidence });
}

/// How much of a value is looked at: what it looks like shows by then.
const TELLING: usize = 160;

fn confidence(text: &str, start: usize, value: &str, context: &Context) -> Option<Confidence> {
    let value = piece(value, 0, text::floor(value, TELLING));
    let quoted = matches!(text::before(text, start), b'"' | b'\'' | b'`') || context.certain;
    if value.is_empty() || is_reference(value) || is_public(value) {
        return None;
    }
    // Names of caches, commits and objects go by `key`.
    let identifier = context.strength < Strength::Strong && (holds_digest(value) || is_uuid(value));
    if identifier || (value.len() >= 32 && is_hex(value) && follows_digest_name(text, start)) {
        return None;
    }
    // In prose a value is a word of a token's characters: no path, no member, no flag of a game.
    let prose = matches!(context.syntax, Syntax::Blank | Syntax::NextLine);
    if prose && !quoted && (context.strength < Strength::Strong || value.contains(['/', '=', '{', ':', '<'])) {
        return None;
    }
    if !quoted && is_code(value) {
        return None;
    }
    // What nobody drew may still be what opens a door: it is removed, and fails no gate.
    let trivial = (context.literal && context.strength >= Strength::Strong).then_some(Confidence::Low);
    let foreign = !value.is_ascii() && (context.strength != Strength::Password || value.contains(' '));
    if value.len() < 4 || foreign || is_placeholder(value) || variety(value) < 4 {
        return trivial;
    }
    let chosen = match context.strength {
        Strength::Password => chosen(value),
        // Who is asked for a secret may choose one, too; what only looks like its value is the name of one.
        Strength::Strong if context.literal && chosen(value) == OF_ALL_KINDS => OF_ALL_KINDS,
        _ => 0,
    };
    match with_choice(score(value, quoted), chosen) - needed(context, quoted) {
        ..0 => trivial,
        0..24 => Some(Confidence::Medium),
        _ => Some(Confidence::High),
    }
}

fn needed(context: &Context, quoted: bool) -> i32 {
    let name = match context.strength {
        Strength::Password => 9,
        Strength::Strong => 13,
        Strength::Weak => 40,
        Strength::Faint => 60,
    };
    let syntax = match context.syntax {
        Syntax::Equals | Syntax::Member | Syntax::Element => 0,
        Syntax::Option | Syntax::Colon => 2,
        Syntax::Argument => 6,
        Syntax::Prose => 24,
        Syntax::Blank => 30,
        Syntax::NextLine => 60,
    };
    name + syntax + if quoted { 0 } else { 6 }
}

fn score(value: &str, quoted: bool) -> i32 {
    let mut score = strangeness(value);
    let length = i32::try_from(value.len().min(64)).unwrap_or(64);
    score += match value.len() {
        ..6 => -16,
        6..8 => -3,
        8..12 => 0,
        12..20 => 2,
        _ => 4,
    };
    let blanks = value.bytes().filter(|byte| *byte == b' ').count();
    score -= 10 * i32::try_from(blanks.min(10)).unwrap_or(10);
    if followers(value) * 3 > value.len() {
        score -= length;
    }
    if value.bytes().all(|byte| byte.is_ascii_digit()) {
        score -= 30;
    }
    if value.starts_with("http://") || value.starts_with("https://") || value.contains("://") {
        score -= 100;
    }
    let slashes = value.bytes().filter(|byte| *byte == b'/').count();
    if slashes >= 2 && value.len() < 40 {
        score -= 30;
    }
    if slashes >= 2 && value.starts_with('/') && value.len() != 40 {
        score -= 80;
    }
    if !quoted && value.contains('.') {
        score -= 6;
    }
    score
}

/// Passwords that people choose where rules ask for all kinds of characters: words, with a number and capitals.
fn chosen(value: &str) -> i32 {
    let has = |is: fn(&u8) -> bool| value.as_bytes().iter().any(is);
    let kinds = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
    if value.len() < 10 || !kinds || has(|byte| *byte == b' ') || is_trivial(value) {
        return 0;
    }
    if has(u8::is_ascii_punctuation) { OF_ALL_KINDS } else { 12 }
}

/// What characters of all kinds count, and what words count against them at most: `Correct-horse-Battery7` is made of words
/// on purpose.
const OF_ALL_KINDS: i32 = 36;
const WORDS_AT_MOST: i32 = 18;

fn with_choice(score: i32, chosen: i32) -> i32 {
    if chosen == OF_ALL_KINDS { chosen + score.max(-WORDS_AT_MOST) } else { chosen + score }
}

/// At least as many hexadecimal digits in a row as MD5 has.
fn holds_digest(value: &str) -> bool {
    value.split(|character: char| !character.is_ascii_hexdigit()).any(|run| run.len() >= 32)
}

/// Code that yields a value is none: calls, members, types.
fn is_code(value: &str) -> bool {
    let bytes = value.as_bytes();
    let call = value.contains('(')
        || value.contains("::")
        || value.contains("->")
        || value.contains('[')
        || value.contains("=>");
    let identifier = bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    let member = identifier
        && value.contains('.')
        && bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && strangeness(value) < 30;
    call || member
}

/// A password that its place tells: of a URL, an option, a netrc file. `None`: it names something else.
pub(super) fn of_password(password: &str) -> Option<Confidence> {
    const WORDS: &[&str] = &[
        "password", "passwd", "pass", "secret", "pw", "pwd", "user", "username", "root", "admin", "test", "token",
        "guest", "postgres", "mysql", "foo", "bar", "x", "changeit",
    ];
    if password.is_empty() || is_reference(password) {
        return None;
    }
    if is_placeholder(password) {
        return Some(Confidence::Low);
    }
    let lower = password.to_ascii_lowercase();
    let length = i32::try_from(password.len().min(16)).unwrap_or(16);
    let score = with_choice(strangeness(password) + length - 10, chosen(password));
    if WORDS.contains(&lower.as_str()) || password.len() < 3 || variety(password) < 3 {
        return Some(Confidence::Low);
    }
    Some(match score {
        ..4 => Confidence::Low,
        4..30 => Confidence::Medium,
        _ => Confidence::High,
    })
}

/// Endings of files that have letters and digits before them.
const ENDINGS: &[&str] = &[
    "conf", "crt", "csv", "db", "env", "html", "ini", "js", "json", "key", "lock", "log", "md", "pem", "py", "rs",
    "sh", "sql", "toml", "ts", "tsx", "txt", "xml", "yaml", "yml", "zip",
];

/// Whether a value may as well be the name of a database, host, port, branch or file: it consists of words and numbers,
/// such as `inventory_2024_Q3` and `src/main.rs`. Who hides such a word wherever it stands hides what a session did.
pub(in super::super) fn is_name(value: &str) -> bool {
    let is_break = |byte: &u8| matches!(byte, b'_' | b'-' | b'.' | b'/' | b':' | b',' | b'@' | b'~');
    if !value.bytes().all(|byte| byte.is_ascii_alphanumeric() || is_break(&byte)) {
        return false;
    }
    if value.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending)) {
        return true;
    }
    let parts = || value.as_bytes().split(is_break).filter(|part| !part.is_empty());
    let is_number = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    parts().all(is_number)
        || parts().all(|part| part.len() <= STUB || is_number(part) || is_word(part)) && parts().any(is_word)
}

/// Parts of names that short need be no words: `v2`, `Q3`, `eu2`.
const STUB: usize = 3;

/// A word with at most a year behind it.
fn is_word(part: &[u8]) -> bool {
    const MOST: i32 = 10;
    let digits = part.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let word = part.get(..part.len() - digits).unwrap_or_default();
    let cased = word.iter().skip(1).all(u8::is_ascii_lowercase) || word.iter().all(u8::is_ascii_uppercase);
    digits <= 4 && word.len() >= 2 && word.iter().all(u8::is_ascii_alphabetic) && cased && likely(word) < MOST
}

fn likely(word: &[u8]) -> i32 {
    std::str::from_utf8(word).map_or(i32::MAX, |word| strangeness(&word.to_ascii_lowercase()))
}
