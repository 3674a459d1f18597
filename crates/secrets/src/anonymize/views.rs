//! A text as it reads once an encoding is undone, and where each byte of that stands in the text itself.
//!
//! Each view undoes one encoding; encodings of encodings are views of views. All are linear.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A decoded text.
#[derive(Debug, Default)]
pub(super) struct View {
    pub(super) text: String,
    /// Of every byte of `text`: the bytes it was written as.
    spots: Vec<Range<usize>>,
}

impl View {
    fn push(&mut self, piece: &str, raw: Range<usize>) {
        self.spots.extend(piece.bytes().map(|_| raw.clone()));
        self.text.push_str(piece);
    }

    /// The bytes that a piece of the decoded text was written as.
    pub(super) fn raw(&self, piece: Range<usize>) -> Option<Range<usize>> {
        let first = self.spots.get(piece.start)?;
        let last = self.spots.get(piece.end.checked_sub(1)?)?;
        Some(first.start..last.end)
    }
}

/// Every view of a text that differs from it.
pub(super) fn all(text: &str) -> Vec<View> {
    let mut views: Vec<View> =
        [percent(text), backslash(text), html(text), folded(text)].into_iter().flatten().collect();
    views.extend(super::encoded::all(text));
    views
}

/// A view of a text with a sign before every escape. `read` gives what an escape says and its length.
fn escapes(text: &str, sign: char, read: impl Fn(&str) -> Option<(String, usize)>) -> Option<View> {
    let mut view = View::default();
    let (mut at, mut any) = (0, false);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some((said, length)) = rest.starts_with(sign).then(|| read(rest)).flatten() {
            view.push(&said, at..at + length);
            any = true;
            at += length;
            continue;
        }
        let plain = rest.char_indices().skip(1).find(|(_, letter)| *letter == sign).map_or(rest.len(), |(at, _)| at);
        for (start, letter) in rest.get(..plain).unwrap_or_default().char_indices() {
            view.push(letter.encode_utf8(&mut [0; 4]), at + start..at + start + letter.len_utf8());
        }
        at += plain;
    }
    any.then_some(view)
}

/// Percent encoding (RFC 3986).
pub(super) fn percent(text: &str) -> Option<View> {
    memchr::memchr(b'%', text.as_bytes())?;
    escapes(text, '%', |rest| {
        let mut bytes = Vec::new();
        while bytes.len() < 4 {
            let Some(hex) = rest.get(bytes.len() * 3..).and_then(|rest| rest.strip_prefix('%')?.get(..2)) else {
                break;
            };
            let Ok(byte) = u8::from_str_radix(hex, 16) else { break };
            bytes.push(byte);
            // As many bytes as one character has.
            if let Ok(said) = std::str::from_utf8(&bytes) {
                return Some((said.to_owned(), bytes.len() * 3));
            }
        }
        None
    })
}

/// Escapes as JSON and programs have them: `\/`, `\\`, `\n`, `\u0061`, `\x61`.
fn backslash(text: &str) -> Option<View> {
    memchr::memchr(b'\\', text.as_bytes())?;
    escapes(text, '\\', |rest| {
        let code = |from: usize, digits: usize| {
            let hex = rest.get(from..from + digits)?;
            hex.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(hex, 16).ok())?
        };
        let said = match rest.as_bytes().get(1)? {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'u' => {
                let high = code(2, 4)?;
                if (0xd800..0xdc00).contains(&high) && rest.get(6..8) == Some("\\u") {
                    let low = code(8, 4)?.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
                    return Some((char::from_u32(0x10000 + ((high - 0xd800) << 10) + low)?.to_string(), 12));
                }
                return Some((char::from_u32(high)?.to_string(), 6));
            }
            b'x' => return Some((char::from_u32(code(2, 2)?)?.to_string(), 4)),
            sign if sign.is_ascii_punctuation() => char::from(*sign),
            _ => return None,
        };
        Some((said.to_string(), 2))
    })
}

/// Character references of HTML.
fn html(text: &str) -> Option<View> {
    const NAMES: &[(&str, &str)] = &[
        ("amp", "&"),
        ("lt", "<"),
        ("gt", ">"),
        ("quot", "\""),
        ("apos", "'"),
        ("nbsp", " "),
        ("sol", "/"),
        ("bsol", "\\"),
        ("commat", "@"),
        ("period", "."),
        ("colon", ":"),
        ("lowbar", "_"),
        ("hyphen", "-"),
    ];
    memchr::memchr(b'&', text.as_bytes())?;
    escapes(text, '&', |rest| {
        let end = rest.bytes().take(12).position(|byte| byte == b';')?;
        let name = rest.get(1..end)?;
        let said = match name.strip_prefix('#') {
            Some(number) => {
                let hex = number.strip_prefix(['x', 'X']);
                let code = hex.map_or_else(|| number.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok());
                char::from_u32(code?)?.to_string()
            }
            None => NAMES.iter().find(|(known, _)| *known == name)?.1.to_owned(),
        };
        Some((said, end + 1))
    })
}

/// Without what nobody sees (zero width, NUL of UTF-16, directions), composed and without compatibility forms.
fn folded(text: &str) -> Option<View> {
    if text.bytes().all(|byte| byte.is_ascii() && byte != 0) {
        return None;
    }
    let mut view = View::default();
    let (mut changed, mut cluster, mut start) = (false, String::new(), 0);
    let mut push = |cluster: &mut String, start: usize, end: usize| {
        let plain: String = if cluster.is_ascii() { cluster.clone() } else { cluster.nfkc().collect() };
        changed |= plain != *cluster;
        view.push(&plain, start..end);
        cluster.clear();
    };
    let mut hidden = false;
    for (at, letter) in text.char_indices() {
        if is_invisible(letter) {
            hidden = true;
            continue;
        }
        if !cluster.is_empty() && !is_combining_mark(letter) {
            push(&mut cluster, start, at);
        }
        if cluster.is_empty() {
            start = at;
        }
        // A cluster has no more marks than writing has: what is longer is cut.
        if cluster.len() < 64 {
            cluster.push(letter);
        }
    }
    push(&mut cluster, start, text.len());
    (changed || hidden).then_some(view)
}

fn is_invisible(letter: char) -> bool {
    matches!(letter, '\0' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

pub(super) fn whole(text: String, raw: Range<usize>) -> View {
    let spots = vec![raw; text.len()];
    View { text, spots }
}
