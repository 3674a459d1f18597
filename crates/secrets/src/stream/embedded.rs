//! JSON inside of a text: arguments of tools, answers of servers, whole logs that an agent looked at.

use super::Detector;
use super::grammar::{Grammar, Punctuation, Role, is_number, is_scalar};
use super::path::Path;
use super::scan::{Stop, string_end};
use super::settle::{self, Found};
use super::text::{Writing, decode, escaped, locate};
use crate::Hit;

/// Something that JSON consists of; ranges are byte offsets, of a string without its quotes.
enum Token {
    String(usize, usize),
    Scalar(usize, usize),
    Punctuation(u8),
    /// There is nothing any more.
    End,
}

/// A quick look.
pub(super) fn may_be_json(text: &str) -> bool {
    let inside = text.trim_ascii();
    matches!((inside.as_bytes().first(), inside.as_bytes().last()), (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']')))
}

/// Whether the first line of these bytes is a whole document, and what follows it does not go on with what was before.
pub(super) fn is_record_of_its_own(ahead: &[u8], is_all: bool) -> bool {
    let (line, rest) = match memchr::memchr(b'\n', ahead).and_then(|at| ahead.split_at_checked(at)) {
        Some(parts) => parts,
        None if is_all => (ahead, &[][..]),
        None => return false,
    };
    // Elements of a list that stand on lines of their own end in a comma, all but one.
    let line = line.trim_ascii_end();
    if !matches!(line.last(), Some(b'}' | b']')) || matches!(rest.trim_ascii_start().first(), Some(b',' | b'}' | b']'))
    {
        return false;
    }
    visit(line, |_, _, _, _, _| {}).is_some()
}

/// Visits every leaf: its range without quotes, and whether it is a number. A key is visited before it is one's name.
pub(super) fn visit(text: &[u8], mut leaf: impl FnMut(&Path, Role, usize, usize, bool)) -> Option<()> {
    let (mut grammar, mut path, mut scratch) = (Grammar::new(), Path::default(), Vec::new());
    let mut at = 0;
    loop {
        let (token, next) = token(text, at)?;
        super::count(next - at);
        at = next;
        if grammar.is_done() && !matches!(token, Token::End) {
            grammar.restart();
            path.restart();
        }
        match token {
            Token::End => return grammar.is_done().then_some(()),
            Token::Punctuation(byte) => {
                let punctuation = grammar.punctuation(byte)?;
                path.step(punctuation);
                debug_assert!(punctuation != Punctuation::Colon || path.name().is_some(), "a colon follows a key");
            }
            Token::Scalar(start, end) => {
                grammar.scalar()?;
                if is_number(text.get(start..end)?)? {
                    leaf(&path, Role::Value, start, end, true);
                }
            }
            Token::String(start, end) => {
                let role = grammar.string()?;
                leaf(&path, role, start, end, false);
                if role == Role::Key {
                    path.key(&decode(text.get(start..end)?, Writing::Json, &mut scratch), None);
                }
            }
        }
    }
}

/// Searches every leaf of a text that is JSON, or several documents of it; `None` where it is something else.
pub(super) fn search(detector: &dyn Detector, outer: Option<&str>, text: &str, nesting: u32) -> Option<Vec<Found>> {
    // Most texts in braces are code: they are told apart before anything is searched.
    visit(text.as_bytes(), |_, _, _, _, _| {})?;
    let (mut found, mut scratch) = (Vec::new(), Vec::new());
    visit(text.as_bytes(), |path, role, start, end, is_number| {
        let raw = text.as_bytes().get(start..end).unwrap_or_default();
        let name = if role == Role::Key { None } else { path.name().or(outer) };
        let leaf = decode(raw, Writing::Json, &mut scratch);
        let hits = settle::search(detector, name, &leaf, nesting + 1);
        if is_number {
            // Half a number is none.
            found.extend(hits.into_iter().take(1).map(|Found { hit, by, .. }| Found {
                hit: Hit { start, end, ..hit },
                is_number: true,
                by,
            }));
            return;
        }
        let bounds = hits.iter().flat_map(|Found { hit, .. }| [hit.start, hit.end]);
        let spots = locate(raw, Writing::Json, bounds);
        for (Found { hit, is_number, by }, spots) in hits.into_iter().zip(spots.chunks(2)) {
            if let [from, to] = spots {
                let hit = Hit { start: start + from.raw, end: start + to.raw, ..hit };
                found.push(Found { hit, is_number, by: escaped(&by) });
            }
        }
    })?;
    Some(found)
}

/// The token at or after `at`, and where it ends; `None` where there is something else.
fn token(text: &[u8], at: usize) -> Option<(Token, usize)> {
    let blanks = text.get(at..)?.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
    let start = at + blanks;
    let Some(first) = text.get(start) else { return Some((Token::End, start)) };
    let token = match first {
        b'"' => {
            let Stop::Quote(length, _) = string_end(text.get(start + 1..)?) else { return None };
            let end = start + 1 + length;
            (Token::String(start + 1, end), end + 1)
        }
        b'{' | b'}' | b'[' | b']' | b':' | b',' => (Token::Punctuation(*first), start + 1),
        _ => {
            let length = text.get(start..)?.iter().take_while(|byte| is_scalar(**byte)).count();
            if length == 0 {
                return None;
            }
            (Token::Scalar(start, start + length), start + length)
        }
    };
    Some(token)
}
