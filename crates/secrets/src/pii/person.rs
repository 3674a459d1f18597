//! Names of users and of authors where programs print them.

use std::ops::Range;

use agent_strace_model::finding::RuleId;

use super::domain::{is_nobodys, is_program};
use super::home::{self, is_role};
use super::text::{Text, is_word};
use crate::hit::{Confidence, Hit};

const RULE: &str = RuleId::PiiUserName.as_str();

fn is_user(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'.' | b'_' | b'-')
}

/// Takes the name of a user at `start` where it is one and something ends it.
fn user(text: &Text<'_>, start: usize, kind: &'static str, confidence: Confidence, hits: &mut Vec<Hit>) -> usize {
    let end = text.run(start, 33, is_user);
    let name = text.string(start, end);
    let fine = name.len() >= 2
        && name.len() <= 32
        && name.starts_with(|letter: char| letter.is_ascii_lowercase() || letter.is_ascii_uppercase());
    if fine && !is_role(name) && !matches!(name, "true" | "false" | "nil") {
        text.hit(start..end, RULE, kind, confidence, hits);
    }
    end
}

/// `USER=name`, and `LOGNAME=`, `USERNAME=`; not `DB_USER=`, which is no person, and not a variable's value.
pub(super) fn variable(text: &Text<'_>, from: usize, to: usize, hits: &mut Vec<Hit>) {
    let sudo = text.piece(from.saturating_sub(5), from) == b"SUDO_";
    let start = if matches!(text.at(to), b'"' | b'\'') { to + 1 } else { to };
    let end = text.run(start, 33, is_user);
    let ends = matches!(text.at(end), b'\n' | b'\r' | b' ' | b'"' | b'\'' | b';' | b',' | b'\\' | 0);
    if ends && (sudo || text.opens(from) && text.before(from) != b'_') {
        user(text, start, "environment", Confidence::Medium, hits);
    }
}

/// `user.name Jane Roe`, `user.name "Jane Roe"`, `user.name=Jane Roe` of git's configuration.
pub(super) fn git_user(text: &Text<'_>, to: usize, hits: &mut Vec<Hit>) {
    let sign = text.run(to, 4, |byte| matches!(byte, b' ' | b'='));
    if sign == to || text.starts_with(sign, b"=") {
        return;
    }
    let quoted = matches!(text.at(sign), b'"' | b'\'' | b'\\');
    let start = text.run(sign, 3, |byte| matches!(byte, b'"' | b'\'' | b'\\'));
    let end = if quoted || text.before(sign) == b'=' {
        text.run(start, 60, |byte| is_name(byte) && byte != b'\'')
    } else {
        text.run(start, 60, is_user)
    };
    let configured =
        text.string(text.run_back(to.saturating_sub(9), 40, |byte| (b' '..0x80).contains(&byte)), to).contains("git")
            || text.before(sign) == b'=';
    if configured {
        person(text, start..end, "git-user", hits);
    }
}

fn is_name(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b' ' | b'.' | b'-' | b'\'' | b',')
}

/// The name before an address: `Author: Jane Roe <jane@…>`.
pub(super) fn author(text: &Text<'_>, to: usize, hits: &mut Vec<Hit>) {
    let start = text.run(to, 8, |byte| byte == b' ');
    let end = text.run(start, 80, |byte| !matches!(byte, b'<' | b'\n' | b'\r' | b'"' | b'\\'));
    if text.at(end) != b'<' {
        return;
    }
    let close = text.run(end + 1, 255, |byte| byte > b' ' && byte != b'>');
    let address = text.string(end + 1, close).to_lowercase();
    let Some((local, domain)) = address.split_once('@') else { return };
    if text.at(close) == b'>' && !is_nobodys(domain) && !is_program(local) && !address.contains("[bot]") {
        person(text, start..end, "git-author", hits);
    }
}

/// The full name of a person within a span.
fn person(text: &Text<'_>, Range { start, end }: Range<usize>, kind: &'static str, hits: &mut Vec<Hit>) {
    let name = text.string(start, end).trim_end();
    let letters = name.chars().filter(|letter| letter.is_alphabetic()).count();
    let plain = !name.contains(['$', '{', '(', '%', '=', '/', '@', '*']) && !name.ends_with("[bot]");
    if letters >= 2 && plain && !is_role(name) && !home::is_program(name) {
        text.hit(start..start + name.len(), RULE, kind, Confidence::Medium, hits);
    }
}

/// `-rw-r--r--  1 name group  4096 …`; gives where the line was read to.
pub(super) fn permissions(text: &Text<'_>, at: usize, hits: &mut Vec<Hit>) -> usize {
    let bit = |byte: u8| matches!(byte, b'r' | b'w' | b'x' | b's' | b'S' | b't' | b'T' | b'-');
    let start = text.run_back(at, 10, |byte| bit(byte) || matches!(byte, b'd' | b'l' | b'c' | b'b' | b'p'));
    let end = text.run(at, 10, bit);
    let end = text.run(end, 1, |byte| matches!(byte, b'.' | b'+' | b'@'));
    if !(10..=11).contains(&(end - start)) || !(text.opens(start) || text.follows_escape(start)) {
        return end;
    }
    let blank = |byte: u8| byte == b' ';
    let links = text.run(end, 8, blank);
    let after = text.run(links, 8, |byte| byte.is_ascii_digit());
    let owner = text.run(after, 8, blank);
    if links == end || after == links || owner == after || text.at(owner).is_ascii_digit() {
        return end;
    }
    let owner_end = user(text, owner, "file-owner", Confidence::Medium, hits);
    let group = text.run(owner_end, 8, blank);
    let group_end = text.run(group, 33, is_user);
    if text.piece(group, group_end) == text.piece(owner, owner_end) {
        user(text, group, "file-owner", Confidence::Medium, hits);
    }
    owner_end
}

/// `name:x:1000:1000:Jane Roe:/home/name:/bin/sh`; ids from 1000 are people's (`login.defs`, `UID_MIN`).
pub(super) fn password_line(text: &Text<'_>, at: usize, hits: &mut Vec<Hit>) {
    let start = text.run_back(at, 33, is_user);
    let id = text.run(at + 3, 6, |byte| byte.is_ascii_digit());
    let group = text.run(id + 1, 6, |byte| byte.is_ascii_digit());
    let person_id = text.string(at + 3, id).parse().is_ok_and(|id: u32| (1000..60_000).contains(&id));
    if !person_id || text.at(id) != b':' || text.at(group) != b':' || is_role(text.string(start, at)) {
        return;
    }
    user(text, start, "account-file", Confidence::Medium, hits);
    let end = text.run(group + 1, 60, |byte| !matches!(byte, b':' | b'\n' | b'\\'));
    person(text, group + 1..end, "account-file", hits);
}

/// `uid=1000(name)`.
pub(super) fn id(text: &Text<'_>, to: usize, hits: &mut Vec<Hit>) {
    let open = text.run(to, 7, |byte| byte.is_ascii_digit());
    if open > to && text.at(open) == b'(' && text.at(text.run(open + 1, 33, is_user)) == b')' {
        user(text, open + 1, "account-id", Confidence::Medium, hits);
    }
}
