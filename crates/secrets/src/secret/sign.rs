//! `user:password@host` behind what is left of the beginning of a URL: where a path was made of it, its scheme or slashes are
//! missing, or its slashes are escaped.

use agent_strace_model::finding::RuleId;

use super::super::hit::{Confidence, Hit};
use super::structure::hit;
use super::text::{at, before, ceil, floor, piece, run_before, run_most, starts_word};
use super::value;

/// The most bytes of a user, a password and a host that are looked at before and behind the `@`.
const LONGEST: usize = 512;
/// The most slashes, each with its backslash, behind a scheme.
const SLASHES: usize = 8;
/// The most bytes of a scheme.
const SCHEME: usize = 24;

/// Schemes, in lower case, whose URLs often have passwords.
const SCHEMES: &[&str] = &[
    "amqp",
    "amqps",
    "ftp",
    "ftps",
    "git",
    "http",
    "https",
    "ldap",
    "ldaps",
    "mongodb",
    "mssql",
    "mysql",
    "postgres",
    "postgresql",
    "redis",
    "rediss",
    "sftp",
    "smb",
    "ssh",
    "svn",
    "ws",
    "wss",
];

pub(super) fn search(text: &str, hits: &mut Vec<Hit>) {
    let mut done = 0;
    for sign in memchr::memchr_iter(b'@', text.as_bytes()) {
        if sign < done {
            continue;
        }
        let start = ceil(text, sign - run_before(text, sign, LONGEST.min(sign - done), accept));
        // A password may hold `@`, too: the last one before the host counts.
        done = sign + run_most(text, sign, LONGEST, accept);
        let reach = piece(text, start, floor(text, done));
        if let Some((user_info, host)) = reach.rsplit_once('@') {
            user(text, start, user_info, host, hits);
        }
    }
}

fn accept(byte: u8) -> bool {
    !byte.is_ascii_control() && !b" \"'<>`\\|/".contains(&byte)
}

/// The text before a user and a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beginning {
    /// A scheme of [`SCHEMES`]: whatever follows is a password.
    Scheme,
    /// Another scheme, or slashes alone: what follows has to look like a password.
    Unsure,
}

fn user(text: &str, start: usize, user_info: &str, host: &str, hits: &mut Vec<Hit>) {
    // `image:tag@sha256:…`
    let is_host = host.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '[')
        && !host.starts_with("sha256:")
        && !host.starts_with("sha512:");
    let Some((beginning, from)) = beginning(text, start, user_info).filter(|_| is_host) else { return };
    let Some((name, password)) = piece(text, from, start + user_info.len()).split_once(':') else { return };
    let least = if beginning == Beginning::Scheme { Confidence::Low } else { Confidence::Medium };
    if let Some(confidence) = value::of_password(password).filter(|confidence| *confidence >= least) {
        let from = from + name.len() + 1;
        let (rule, kind) = (RuleId::SecretUrlCredentials.as_str(), "url-credentials");
        hits.push(hit(from, from + password.len(), rule, kind, confidence));
    }
}

/// How a URL begins, and where its user starts. `None`: this is none, or one with `://`, which has a detector of its own.
fn beginning(text: &str, start: usize, user_info: &str) -> Option<(Beginning, usize)> {
    // A part of a JSON pointer.
    if let Some((head, _)) = user_info.rsplit_once("~1") {
        let from = start + head.len() + "~1".len();
        let colon = head.strip_suffix("~1").unwrap_or(head).strip_suffix(':')?;
        return Some((scheme(text, start + colon.len())?, from));
    }
    if !matches!(before(text, start), b'/') {
        let (name, _) = user_info.split_once(':').filter(|(_, rest)| rest.contains(':'))?;
        let is_scheme = starts_word(text, start) && SCHEMES.contains(&name.to_ascii_lowercase().as_str());
        return is_scheme.then_some((Beginning::Scheme, start + name.len() + 1));
    }
    let marks = run_before(text, start, SLASHES, |byte| matches!(byte, b'/' | b'\\'));
    let head = start - marks;
    if before(text, head) == b':' {
        let is_whole = piece(text, head, start) == "//";
        return Some((scheme(text, head - 1).filter(|_| !is_whole)?, start));
    }
    let slashes = piece(text, head, start).bytes().filter(|byte| *byte == b'/').count();
    (slashes == 2 && starts_word(text, head)).then_some((Beginning::Unsure, start))
}

/// The scheme that ends before a colon. A letter alone is a drive.
fn scheme(text: &str, colon: usize) -> Option<Beginning> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let length = run_before(text, colon, SCHEME, is_part);
    let name = piece(text, colon - length, colon).to_ascii_lowercase();
    let is_known = || name.split(['+', '-', '.']).any(|part| SCHEMES.contains(&part));
    if length < 2 || !at(text, colon - 1).is_ascii_alphanumeric() {
        None
    } else if is_known() {
        Some(Beginning::Scheme)
    } else {
        Some(Beginning::Unsure)
    }
}
