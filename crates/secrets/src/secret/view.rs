//! A text as it is read: without colours and invisible characters, with escapes of URLs, HTML and JSON resolved.
//!
//! What a detector finds there is mapped back to all that stands for it.

use super::super::bits::{Blocks, Bytes, is};
use super::super::hit::Hit;
use super::text::{at, piece, run};

/// Read text, and where its pieces stand in the original.
struct View {
    text: String,
    /// Places in the view at which the distance to the original changes, and the original's place from there on.
    map: Vec<(usize, usize)>,
}

pub(super) fn search(name: Option<&str>, text: &str, blocks: &Blocks<'_>, depth: usize, hits: &mut Vec<Hit>) {
    let Some(view) = View::of(text, blocks) else { return };
    let mut found = Vec::new();
    super::search(name, &view.text, depth, &mut found);
    for hit in found {
        let start = view.original(hit.start);
        let end = view.original(hit.end.saturating_sub(1));
        let end = end + view.length_at(text, hit.end, end);
        hits.push(Hit { start, end: super::text::ceil(text, end), ..hit });
    }
}

/// What stands for something else at an offset: its length, and what it stands for.
fn escape(text: &str, offset: usize) -> Option<(usize, Option<char>)> {
    match at(text, offset) {
        b'%' => percent(text, offset),
        b'&' => entity(text, offset),
        b'\\' => backslash(text, offset),
        0x1b => control_sequence(text, offset),
        0xe2 if matches!(at(text, offset + 1), 0x80 | 0x81) => invisible(text, offset),
        0xc2 if at(text, offset + 1) == 0xad => Some((2, None)),
        0xef if at(text, offset + 1) == 0xbb => invisible(text, offset),
        _ => None,
    }
}

fn number(digits: &str, radix: u32) -> Option<char> {
    u32::from_str_radix(digits, radix).ok().and_then(char::from_u32)
}

fn percent(text: &str, offset: usize) -> Option<(usize, Option<char>)> {
    let digits = text.get(offset + 1..offset + 3)?;
    let character = digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| number(digits, 16)).flatten()?;
    character.is_ascii_graphic().then_some((3, Some(character)))
}

fn entity(text: &str, offset: usize) -> Option<(usize, Option<char>)> {
    const NAMED: &[(&str, char)] = &[("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"'), ("&apos;", '\'')];
    if at(text, offset + 1) != b'#' {
        let rest = text.get(offset..)?;
        return NAMED
            .iter()
            .find(|(name, _)| rest.starts_with(name))
            .map(|(name, character)| (name.len(), Some(*character)));
    }
    let hex = matches!(at(text, offset + 2), b'x' | b'X');
    let from = offset + 2 + usize::from(hex);
    let digits = run(text, from, |byte| byte.is_ascii_hexdigit()).min(6);
    let character = number(text.get(from..from + digits)?, if hex { 16 } else { 10 })?;
    (at(text, from + digits) == b';').then_some((from + digits + 1 - offset, Some(character)))
}

/// Whether a backslash stands between others. Of a series of them the first one is looked at, which counts all, and the last
/// one.
fn is_inside_slashes(text: &str, from: usize, offset: usize) -> bool {
    offset > from && offset > 0 && (offset - 1..=offset + 1).all(|offset| at(text, offset) == b'\\')
}

/// `\u0041`, also behind several backslashes, blanks that are part of a word, and the end of a line that goes on, with the
/// quotes around it.
fn backslash(text: &str, offset: usize) -> Option<(usize, Option<char>)> {
    let slashes = run(text, offset, |byte| byte == b'\\');
    let next = offset + slashes;
    match at(text, next) {
        b'u' | b'x' | b'0' | b'e' if escape_character(text, next) > 0 => {
            let end = next + escape_character(text, next);
            let length = run(text, end + 1, |byte| matches!(byte, b'0'..=b'?')).min(32);
            matches!(at(text, end + 1 + length), b'@'..=b'~').then_some((end + length + 2 - offset, None))
        }
        b'x' => {
            let digits = text.get(next + 1..next + 3)?;
            let character = number(digits, 16).filter(char::is_ascii_graphic)?;
            Some((slashes + 3, Some(character)))
        }
        b'u' => {
            let digits = text.get(next + 1..next + 5)?;
            // A control character ends a word.
            let character = number(digits, 16).map(|character| if character.is_control() { ' ' } else { character })?;
            (digits.bytes().all(|byte| byte.is_ascii_hexdigit()) && matches!(character, ' '..='~'))
                .then_some((slashes + 5, Some(character)))
        }
        // The shell takes this blank for a part of the word.
        b' ' => Some((slashes + 1, Some(' '))),
        b'\n' if slashes == 1 => {
            let quote = usize::from(matches!(at(text, next + 1), b'"' | b'\''));
            Some((2 + quote, None))
        }
        _ => None,
    }
}

/// How long an escape character is, written as programs write it, before a `[`.
fn escape_character(text: &str, offset: usize) -> usize {
    const WRITTEN: &[&str] = &["u001b[", "u001B[", "x1b[", "x1B[", "033[", "e["];
    let rest = text.as_bytes().get(offset..).unwrap_or(&[]);
    WRITTEN.iter().find(|written| rest.starts_with(written.as_bytes())).map_or(0, |written| written.len() - 1)
}

/// Colours and the like of terminals.
fn control_sequence(text: &str, offset: usize) -> Option<(usize, Option<char>)> {
    if at(text, offset + 1) != b'[' {
        return None;
    }
    let length = run(text, offset + 2, |byte| matches!(byte, b'0'..=b'?')).min(32);
    matches!(at(text, offset + 2 + length), b'@'..=b'~').then_some((length + 3, None))
}

/// Characters that take no room.
fn invisible(text: &str, offset: usize) -> Option<(usize, Option<char>)> {
    let character = text.get(offset..)?.chars().next()?;
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
        .then_some((character.len_utf8(), None))
}

impl View {
    /// `None`: the text is read as it stands.
    fn of(text: &str, blocks: &Blocks<'_>) -> Option<Self> {
        let mut view = Self { text: String::new(), map: Vec::new() };
        let mut copied = 0;
        for found in blocks.offsets(may_be_escape) {
            // What stands for something may hold what else would.
            if found < copied || is_inside_slashes(text, copied, found) {
                continue;
            }
            let Some((length, character)) = escape(text, found) else { continue };
            if view.map.is_empty() {
                view.text.reserve(text.len());
                view.map.push((0, 0));
            }
            // A quote that closes before a line that goes on is none.
            let quoted = at(text, found) == b'\\'
                && character.is_none()
                && found > copied
                && matches!(at(text, found - 1), b'"' | b'\'');
            view.text.push_str(piece(text, copied, found - usize::from(quoted)));
            view.map.push((view.text.len(), found - usize::from(quoted)));
            if let Some(character) = character {
                view.text.push(character);
            }
            copied = found + length;
            view.map.push((view.text.len(), copied));
        }
        if view.map.is_empty() {
            return None;
        }
        view.text.push_str(piece(text, copied, text.len()));
        Some(view)
    }

    /// Where in the original a place of the view is.
    fn original(&self, offset: usize) -> usize {
        let index = self.map.partition_point(|(view, _)| *view <= offset);
        let (view, original) = index.checked_sub(1).and_then(|index| self.map.get(index)).copied().unwrap_or((0, 0));
        original + (offset - view)
    }

    /// How much of the original stands for the last byte before an offset.
    fn length_at(&self, text: &str, end: usize, original: usize) -> usize {
        let index = self.map.partition_point(|(view, _)| *view < end);
        match self.map.get(index) {
            Some((view, next)) if *view == end => (*next).min(original + 12).max(original + 1) - original,
            _ => usize::from(original < text.len()),
        }
    }
}

/// Those that may be the first bytes of what stands for something else.
fn may_be_escape(bytes: Bytes) -> Bytes {
    let written = is(bytes, b'%') | is(bytes, b'&') | is(bytes, b'\\') | is(bytes, 0x1b);
    written | is(bytes, 0xc2) | is(bytes, 0xe2) | is(bytes, 0xef)
}
