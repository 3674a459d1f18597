//! Home folders of people: `/home/x`, `/Users/x`, `C:\Users\x` and the forms in which programs write them.

use std::ops::Range;
use std::sync::LazyLock;

use agent_strace_model::finding::RuleId;

use super::text::{Text, has, is_word, rows};
use crate::hit::{Confidence, Hit};

/// How a path is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Slash,
    /// `/users/`: only after a drive, for elsewhere it is part of an address of the web.
    Drive,
    Backslash,
    /// `\/`, as some programs escape JSON.
    EscapedSlash,
    Percent,
    /// A path whose separators are `-`, as agents name folders of projects.
    Slug,
}

static USERS: LazyLock<Vec<&'static str>> = LazyLock::new(|| words("user"));
static PROGRAMS: LazyLock<Vec<&'static str>> = LazyLock::new(|| words("program"));
static FILES: LazyLock<Vec<&'static str>> = LazyLock::new(|| words("file"));
static FOLDERS: LazyLock<Vec<&'static str>> = LazyLock::new(|| words("folder"));

fn words(of: &str) -> Vec<&'static str> {
    let mut words: Vec<_> = rows(include_str!("tables/users.tsv"))
        .filter_map(|row| row.split_once('\t'))
        .filter(|(what, _)| *what == of)
        .flat_map(|(_, words)| words.split(' '))
        .collect();
    words.sort_unstable();
    words
}

/// Longest name of a user that is believed: Linux allows 32 characters, Windows accounts are folders of any name.
const MOST_NAME: usize = 64;

/// Whether the name of an author is one of a program.
pub(super) fn is_program(name: &str) -> bool {
    let mut words = name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| has(&PROGRAMS, &word.to_ascii_lowercase()))
}

/// Whether a name is one of a role, of a machine or of an example.
pub(crate) fn is_role(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    has(&USERS, &lower) || lower.bytes().all(|byte| byte.is_ascii_digit())
}

/// `/home/index.html` is a page of a web site, not a home.
fn is_file(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, end)| has(&FILES, &end.to_ascii_lowercase()))
}

/// Looks at a needle, which is `/home/` or the like.
pub(super) fn find(text: &Text<'_>, style: Style, needle: Range<usize>, hits: &mut Vec<Hit>) {
    let Range { start: from, end: to } = needle;
    let Some(start) = head(text, style, from) else { return };
    let separators = |byte: u8| byte == b'\\' && style == Style::Backslash || byte == b'/' && style == Style::Slash;
    let name = text.run(to, 16, separators);
    let end = if style == Style::Slug { slug_end(text, name) } else { name_end(text, style, name) };
    let first = text.string(name, if style == Style::Slug { part_end(text, name) } else { end });
    if !first.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_') || is_role(first) || is_file(first)
    {
        return;
    }
    text.hit(start..end, RuleId::PiiHomePath.as_str(), kind(text, style, start, from), Confidence::High, hits);
}

fn kind(text: &Text<'_>, style: Style, start: usize, from: usize) -> &'static str {
    match style {
        Style::Percent => "url-encoded",
        Style::Slug => "project-slug",
        Style::Drive | Style::Backslash => "windows",
        _ if text.at(start + 1) == b':' => "windows",
        _ if text.starts_with(start, b"/mnt/") => "wsl",
        _ if text.at(from + 1) == b'U' => "macos",
        _ => "linux",
    }
}

/// Where a path starts whose part before the folder of homes ends at `from`; none where it belongs to something else.
fn head(text: &Text<'_>, style: Style, from: usize) -> Option<usize> {
    match style {
        Style::Percent => {
            // The needle starts after `%` or `%25`.
            let sign = text.run_back(from, 3, |byte| matches!(byte, b'%' | b'2' | b'5'));
            text.piece(sign, from).starts_with(b"%").then_some(sign)
        }
        Style::Slug => slug_head(text, from),
        Style::Backslash => Some(windows_head(text, from)),
        Style::EscapedSlash if text.before(from) == b'\\' => slash_head(text, from - 1),
        Style::Drive => drive(text, from).or_else(|| mount(text, from)),
        Style::Slash | Style::EscapedSlash => slash_head(text, from),
    }
}

/// `C:` before a path.
fn drive(text: &Text<'_>, from: usize) -> Option<usize> {
    let letter = from.checked_sub(2)?;
    let stands = text.at(letter + 1) == b':' && text.at(letter).is_ascii_alphabetic() && text.opens(letter);
    stands.then_some(letter)
}

fn windows_head(text: &Text<'_>, from: usize) -> usize {
    let slashes = text.run_back(from, 16, |byte| byte == b'\\');
    if text.starts_with(from, b"ments") {
        return slashes;
    }
    drive(text, slashes).unwrap_or(slashes)
}

/// Where foreign homes are found under another folder.
const MOUNTS: &[&str] = &[
    "/var",
    "/usr",
    "/export",
    "/host",
    "/hostfs",
    "/rootfs",
    "/media",
    "/net",
    "/nfs",
    "/data",
    "/System/Volumes/Data",
    "/Volumes",
    "/private/var",
    "file",
    "/run/host",
];

/// A path that starts here, after a drive or after a directory where homes are mounted.
fn slash_head(text: &Text<'_>, from: usize) -> Option<usize> {
    if let Some(start) = drive(text, from) {
        return Some(start);
    }
    match text.before(from) {
        // `file:///home/x` and `vscode://file/home/x`; any other `//` or host makes it an address of the web.
        b'/' => text.piece(from.saturating_sub(3), from).eq(b"://").then_some(from),
        byte if is_word(byte) => {
            include_flag(text, from).or_else(|| text.follows_escape(from).then_some(from)).or_else(|| mount(text, from))
        }
        b'.' | b'_' | b'~' | b')' | b'}' | b'-' | b'*' | b'%' => None,
        _ => Some(from),
    }
}

/// `-I/home/x/include`.
fn include_flag(text: &Text<'_>, from: usize) -> Option<usize> {
    let dash = from.checked_sub(2)?;
    (text.at(dash) == b'-' && text.opens(dash) && text.before(dash) != b'-').then_some(from)
}

/// `/mnt/c`, `/cygdrive/c`, `/c` and the places above, right before `from`.
fn mount(text: &Text<'_>, from: usize) -> Option<usize> {
    let start = text.run_back(from, 40, |byte| is_word(byte) || matches!(byte, b'/' | b'_' | b'-' | b'.'));
    let path = text.string(start, from);
    let cut = path.find('/')?;
    let (before, path) = path.split_at_checked(cut)?;
    let letter = |rest: &str| rest.len() == 1 && rest.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let known = path
        .strip_prefix("/mnt/")
        .or_else(|| path.strip_prefix("/cygdrive/"))
        .or_else(|| path.strip_prefix('/'))
        .is_some_and(letter)
        || MOUNTS.contains(&path)
        || path.starts_with("/Volumes/") && path.matches('/').count() == 2
        || path == "//file";
    (known && (before.is_empty() || path == "//file")).then_some(start + cut)
}

/// Where the name of a user ends.
fn name_end(text: &Text<'_>, style: Style, start: usize) -> usize {
    let accepts = |byte: u8| is_word(byte) || matches!(byte, b'.' | b'_' | b'-');
    let mut end = text.run(start, MOST_NAME, accepts);
    if matches!(style, Style::Backslash | Style::Drive) && text.at(end) == b' ' {
        // Names with spaces; only where a separator follows, for a sentence may.
        let spaced = text.run(end, MOST_NAME, |byte| accepts(byte) || byte == b' ');
        if text.at(spaced) == b'\\' {
            end = spaced;
        }
    }
    while end > start && !text.whole.is_char_boundary(end) {
        end -= 1;
    }
    end - text.piece(start, end).iter().rev().take_while(|byte| matches!(byte, b'.' | b'-')).count()
}

/// Slugs of projects are names of folders: they start with the separator of the root, or with a drive.
fn slug_head(text: &Text<'_>, from: usize) -> Option<usize> {
    if text.piece(from.saturating_sub(6), from) == b"-mnt-c" {
        return Some(from - 6);
    }
    match text.before(from) {
        b'-' if text.before(from - 1).is_ascii_uppercase() && text.opens(from - 2) => Some(from - 2),
        b'/' | b'\\' | b'"' | b'\'' | b'`' | 0 => Some(from),
        byte if byte.is_ascii_whitespace() && text.at(from + 1) == b'U' => Some(from),
        _ => None,
    }
}

fn part_end(text: &Text<'_>, start: usize) -> usize {
    text.run(start, MOST_NAME, |byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A slug writes `.` as `-`, too: the second part may belong to the name, unless it is a folder that many have.
fn slug_end(text: &Text<'_>, start: usize) -> usize {
    let first = part_end(text, start);
    let second = part_end(text, first + 1);
    let same_case = text.at(start).is_ascii_uppercase() == text.at(first + 1).is_ascii_uppercase();
    let goes_on = text.at(first) == b'-'
        && same_case
        && second > first + 1
        && !has(&FOLDERS, &text.string(first + 1, second).to_ascii_lowercase());
    if goes_on { second } else { first }
}

/// `~x/`: the home of another user.
pub(super) fn tilde(text: &Text<'_>, at: usize, hits: &mut Vec<Hit>) {
    let first = text.at(at + 1);
    let left = text.before(at);
    if !first.is_ascii_lowercase()
        || is_word(left)
        || matches!(left, b'~' | b'.' | b'_' | b'-' | b')' | b']' | b'}' | b'\\' | b'$')
    {
        return;
    }
    let end = text.run(at + 1, 32, |byte| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-' | b'.')
    });
    if end - at > 2 && text.at(end) == b'/' && !is_role(text.string(at + 1, end)) {
        text.hit(at..end, RuleId::PiiHomePath.as_str(), "tilde", Confidence::Low, hits);
    }
}
