//! Where secrets are in a text.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::assignment;
use super::table::{PREFIXES, is_url_safe};

/// A secret: byte offsets on character boundaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: &'static str,
}

/// What most texts are looked through for, and don't hold.
static PEM: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("-----BEGIN "));
static OBJECT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("eyJ"));
static AUTHORITY: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("://"));

/// Secrets of `text`, in order, without overlap.
pub(super) fn spans(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    private_keys(text, &mut found);
    vendor_tokens(text, &mut found);
    web_tokens(text, &mut found);
    url_credentials(text, &mut found);
    assignment::authorization(text, &mut found);
    assignment::options(text, &mut found);
    assignment::keys(text, &mut found);
    merge(found)
}

/// Overlapping secrets become one, named after the one that starts first.
fn merge(mut found: Vec<Span>) -> Vec<Span> {
    found.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut merged: Vec<Span> = Vec::new();
    for span in found {
        match merged.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

/// PEM blocks. One without an end is secret to the end of the text: logs are cut.
fn private_keys(text: &str, found: &mut Vec<Span>) {
    let mut from = 0;
    while let Some(start) = found_by(&PEM, text, from) {
        from = start + PEM.needle().len();
        let label: &str = text.get(from..).unwrap_or("");
        let label = label.split("-----").next().unwrap_or("");
        if label.len() > 60 || !(label.ends_with("PRIVATE KEY") || label.ends_with("PRIVATE KEY BLOCK")) {
            continue;
        }
        let end = find(text, from, "-----END ")
            .and_then(|at| find(text, at + "-----END ".len(), "-----"))
            .map_or(text.len(), |at| at + "-----".len());
        found.push(Span { start, end, kind: "private-key" });
        from = end;
    }
}

fn vendor_tokens(text: &str, found: &mut Vec<Span>) {
    let Some(automaton) = &PREFIXES.automaton else { return };
    for hit in automaton.find_iter(text) {
        let Some(row) = PREFIXES.rows.get(hit.pattern().as_usize()) else { continue };
        if !starts_word(text, hit.start()) || run(text, hit.end(), |byte| row.alphabet.has(byte)) < row.least {
            continue;
        }
        // What follows without a break belongs to it, whatever the alphabet says: no tail may leak.
        let end = hit.end() + run(text, hit.end(), |byte| row.alphabet.has(byte) || is_url_safe(byte));
        found.push(Span { start: hit.start(), end, kind: row.kind });
    }
}

/// JSON web tokens: three base64url parts, of which two are JSON objects.
fn web_tokens(text: &str, found: &mut Vec<Span>) {
    let mut from = 0;
    while let Some(start) = found_by(&OBJECT, text, from) {
        from = start + 3;
        let header = start + run(text, start, is_url_safe);
        from = from.max(header);
        let payload = match text.get(header..) {
            Some(rest) if rest.starts_with(".eyJ") => header + 1 + run(text, header + 1, is_url_safe),
            _ => continue,
        };
        let signature = match text.as_bytes().get(payload) {
            Some(b'.') => payload + 1 + run(text, payload + 1, is_url_safe),
            _ => payload,
        };
        if starts_word(text, start) && header - start >= 12 && signature > payload {
            found.push(Span { start, end: signature, kind: "jwt" });
        }
        from = from.max(signature);
    }
}

/// `scheme://user:password@host`; without a password only what is long enough to be a token and goes to a web host.
fn url_credentials(text: &str, found: &mut Vec<Span>) {
    let mut from = 0;
    while let Some(at) = found_by(&AUTHORITY, text, from) {
        let start = at + "://".len();
        let end = start + run(text, start, |byte| !byte.is_ascii_control() && !b" /?#\"'<>`\\|".contains(&byte));
        from = end.max(start);
        let authority = text.get(start..end).unwrap_or("");
        let Some((user_info, _)) = authority.rsplit_once('@') else { continue };
        let web = text.get(..at).is_some_and(|before| before.ends_with("http") || before.ends_with("https"));
        let secret = match user_info.split_once(':') {
            Some((_, password)) => !password.is_empty() && !is_reference(password),
            None => web && user_info.len() >= 16 && !is_reference(user_info),
        };
        if secret {
            found.push(Span { start, end: start + user_info.len(), kind: "url-credentials" });
        }
    }
}

/// A value that names a variable or is a place holder gives nothing away.
pub(super) fn is_reference(value: &str) -> bool {
    value.starts_with('$') || value.starts_with("%(") || value.starts_with("{{") || value.starts_with('<')
}

/// How many bytes from `at` on are of a kind. Predicates that accept a non-ASCII byte must accept all of them.
pub(super) fn run(text: &str, at: usize, accept: impl Fn(u8) -> bool) -> usize {
    text.as_bytes().get(at..).map_or(0, |rest| rest.iter().take_while(|byte| accept(**byte)).count())
}

pub(super) fn find(text: &str, from: usize, needle: &str) -> Option<usize> {
    found_by(&Finder::new(needle), text, from)
}

fn found_by(finder: &Finder<'_>, text: &str, from: usize) -> Option<usize> {
    finder.find(text.as_bytes().get(from..)?).map(|at| from + at)
}

/// Nothing that could belong to the same word stands before `at`.
fn starts_word(text: &str, at: usize) -> bool {
    match at.checked_sub(1).and_then(|before| text.as_bytes().get(before)) {
        // `\n` and `\t` in undecoded text end in a letter, but the letter is not part of the word.
        Some(b'n' | b't' | b'r') => at.checked_sub(2).and_then(|before| text.as_bytes().get(before)) == Some(&b'\\'),
        Some(byte) => !byte.is_ascii_alphanumeric() && *byte != b'_',
        None => true,
    }
}
