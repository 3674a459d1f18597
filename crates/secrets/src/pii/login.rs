//! `user@host` as prompts, remote shells and keys have it.

use agent_strace_model::finding::RuleId;

use super::home::is_role;
use super::text::Text;
use crate::hit::{Confidence, Hit};

/// Looks at an `@`; says whether it belongs to a login, somebody's or not.
pub(super) fn find(text: &Text<'_>, at: usize, hits: &mut Vec<Hit>) -> bool {
    let start = text.run_back(at, 33, is_user);
    let end = text.run(at + 1, 255, is_host);
    let trimmed = end - text.piece(at + 1, end).iter().rev().take_while(|byte| matches!(byte, b'.' | b'-')).count();
    if start == at || trimmed == at + 1 || !text.opens(start) {
        return false;
    }
    let Some((kind, confidence)) = login_kind(text, start, at, trimmed) else { return false };
    if !is_role(text.string(start, at)) {
        text.hit(start..trimmed, RuleId::PiiUserName.as_str(), kind, confidence, hits);
    }
    true
}

/// The kind of a login `user@host`, by its surroundings.
fn login_kind(text: &Text<'_>, start: usize, at: usize, end: usize) -> Option<(&'static str, Confidence)> {
    if is_prompt(text, start, end) {
        return Some(("shell-prompt", Confidence::High));
    }
    let letters = text.piece(at + 1, end).iter().any(u8::is_ascii_alphabetic);
    if letters && is_remote(text, start) {
        return Some(("ssh-login", Confidence::Medium));
    }
    if letters && follows_key(text, start) {
        return Some(("ssh-key-comment", Confidence::High));
    }
    if is_personal_host(text.string(at + 1, end)) {
        return Some(("host-login", Confidence::Medium));
    }
    None
}

/// `user@host:~/app$ `, `[user@host app]$ `, `user@host app % `, `user@host MINGW64 ~`.
fn is_prompt(text: &Text<'_>, start: usize, end: usize) -> bool {
    let path = |byte: u8| byte > b' ' && !matches!(byte, b'$' | b'#' | b'%' | b'"' | b'\'' | b'<' | b'>');
    let signs = |at: usize| matches!(text.at(at), b'$' | b'#' | b'%') && matches!(text.at(at + 1), b' ' | b'\n' | 0);
    match text.at(end) {
        b':' if matches!(text.at(end + 1), b'~' | b'/') => signs(skip_blank(text, text.run(end + 1, 200, path))),
        b' ' if text.before(start) == b'[' => {
            let close = text.run(end + 1, 200, |byte| path(byte) && byte != b']');
            text.at(close) == b']' && signs(close + 1)
        }
        b' ' if text.starts_with(end + 1, b"MINGW") || text.starts_with(end + 1, b"MSYS") => true,
        b' ' => {
            let folder = text.run(end + 1, 80, path);
            folder > end + 1 && text.at(folder) == b' ' && text.at(folder + 1) == b'%' && signs(folder + 1)
        }
        _ => false,
    }
}

fn skip_blank(text: &Text<'_>, at: usize) -> usize {
    if text.at(at) == b' ' { at + 1 } else { at }
}

/// Whether the words before belong to a remote shell.
fn is_remote(text: &Text<'_>, start: usize) -> bool {
    if text.piece(start.saturating_sub(6), start) == b"ssh://" {
        return true;
    }
    if text.before(start) != b' ' {
        return false;
    }
    let from = text.run_back(start, 60, |byte| !matches!(byte, b'\n' | b'"' | b'`' | b';' | b'|' | b'&'));
    let mut words = text.piece(from, start).split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    words.any(|word| matches!(word, b"ssh" | b"scp" | b"sftp" | b"rsync" | b"mosh" | b"ssh-copy-id" | b"autossh"))
}

/// Whether the word before is the body of a public key: `AAAA` is the start of its length in base64.
fn follows_key(text: &Text<'_>, start: usize) -> bool {
    if text.before(start) != b' ' {
        return false;
    }
    let key = start - 1;
    let body = text.run_back(key, 800, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
    key - body >= 40 && text.starts_with(body, b"AAAA")
}

/// Names that systems give machines of persons.
fn is_personal_host(host: &str) -> bool {
    let lower = host.to_ascii_lowercase();
    let label = lower.split('.').next().unwrap_or_default();
    ["macbook", "-imac", "-mac-mini", "thinkpad", "-laptop", "-desktop"].iter().any(|sign| label.contains(sign))
        || label.starts_with("desktop-")
        || label.starts_with("laptop-")
}

fn is_user(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')
}

fn is_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')
}
