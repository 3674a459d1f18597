//! One value in every spelling that programs give it: what may not be in finished bytes.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Shorter spellings occur by chance.
const SHORTEST: usize = 7;

/// What a spelling is compared as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Case {
    Exact,
    Folded,
}

/// A value as some program writes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spelling {
    pub(super) case: Case,
    pub(super) text: String,
    /// Its end is written as the value's own: a word may go on behind it.
    pub(super) is_word: bool,
}

/// The spellings of a value beside the value itself.
pub(super) fn of(value: &str) -> Vec<Spelling> {
    let mut all = BTreeSet::new();
    for spelled in [percent(value.as_bytes(), true), percent(value.as_bytes(), false), json(value), escaped(value)] {
        all.insert((Case::Folded, percent(spelled.as_bytes(), false)));
        all.insert((Case::Folded, spelled));
    }
    for spelled in [html(value, 10), html(value, 16), hexadecimal(value.as_bytes()), wide(value), separators(value)] {
        all.insert((Case::Folded, spelled));
    }
    let little: Vec<u8> = value.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = value.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for bytes in [value.as_bytes(), &little, &big] {
        all.insert((Case::Folded, hexadecimal(bytes)));
        for cut in 0..3 {
            let digits = base64(bytes, cut);
            all.insert((Case::Exact, digits.replace('+', "-").replace('/', "_")));
            all.insert((Case::Exact, digits));
        }
    }
    let last = value.chars().next_back();
    all.into_iter()
        .filter(|(_, text)| text.len() >= SHORTEST && !text.eq_ignore_ascii_case(value))
        .map(|(case, text)| {
            let is_plain = [percent(value.as_bytes(), false), escaped(value), separators(value)].contains(&text);
            let is_word = is_plain && text.chars().next_back() == last;
            Spelling { case, text, is_word }
        })
        .collect()
}

/// Percent encoding: of everything, or only of what has to be.
fn percent(bytes: &[u8], everything: bool) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        if !everything && (byte.is_ascii_alphanumeric() || b"-_.~".contains(byte)) {
            text.push(char::from(*byte));
        } else {
            let _ = write!(text, "%{byte:02x}");
        }
        text
    })
}

/// `\u0061` for every character.
fn json(value: &str) -> String {
    value.encode_utf16().fold(String::new(), |mut text, unit| {
        let _ = write!(text, "\\u{unit:04x}");
        text
    })
}

/// Only what is no ASCII as `\u….`, and both separators escaped.
fn escaped(value: &str) -> String {
    value.chars().fold(String::new(), |mut text, letter| {
        match letter {
            '\\' => text.push_str("\\\\"),
            '/' => text.push_str("\\/"),
            '"' => text.push_str("\\\""),
            letter if letter.is_ascii() => text.push(letter),
            letter => text.push_str(&json(letter.encode_utf8(&mut [0; 4]))),
        }
        text
    })
}

/// The other separator.
fn separators(value: &str) -> String {
    if value.contains('/') { value.replace('/', "\\") } else { value.replace('\\', "/") }
}

fn html(value: &str, base: u32) -> String {
    value.chars().fold(String::new(), |mut text, letter| {
        let code = u32::from(letter);
        let _ = if base == 10 { write!(text, "&#{code};") } else { write!(text, "&#x{code:x};") };
        text
    })
}

/// Two digits for every byte.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// UTF-16 that somebody read byte by byte and wrote as JSON.
fn wide(value: &str) -> String {
    value.chars().fold(String::new(), |mut text, letter| {
        text.push(letter);
        text.push_str("\\u0000");
        text
    })
}

/// The digits that do not depend on what stands before the value, `cut` bytes after the start of a group, and behind it.
fn base64(bytes: &[u8], cut: usize) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let whole: Vec<u8> = std::iter::repeat_n(0, cut).chain(bytes.iter().copied()).collect();
    let digit = |at: usize| {
        let bit = at * 6;
        let pair = [bit / 8, bit / 8 + 1].map(|at| u32::from(whole.get(at).copied().unwrap_or(0)));
        let both = pair[0] << 8 | pair[1];
        DIGITS.get((both >> (10 - bit % 8) & 63) as usize).copied().unwrap_or(b'A')
    };
    let first = (cut * 8).div_ceil(6);
    (first..whole.len() * 8 / 6).map(|at| char::from(digit(at))).collect()
}

#[cfg(test)]
mod tests {
    use super::{base64, of};

    #[test]
    fn base64_is_that_of_the_rfc() {
        assert_eq!(base64(b"alice@corp.io", 0), "YWxpY2VAY29ycC5pb");
        // "x:alice", "xy:…" without the digits that `x:` has a part in.
        assert_eq!(base64(b"alice", 1), "FsaWNl");
        assert_eq!(base64(b"alice", 2), "hbGljZ");
    }

    #[test]
    fn spellings_are_those_of_programs() {
        let all: Vec<String> = of("/home/élan").into_iter().map(|one| one.text).collect();
        for wanted in [
            "%2fhome%2f%c3%a9lan",
            "%252fhome%252f%25c3%25a9lan",
            "\\/home\\/\\u00e9lan",
            "&#47;&#104;&#111;&#109;&#101;&#47;&#233;&#108;&#97;&#110;",
            "2f686f6d652fc3a96c616e",
            "\\home\\élan",
        ] {
            assert!(all.iter().any(|one| one == wanted), "{wanted}: {all:?}");
        }
        assert!(of("bob").iter().all(|one| one.text.len() > 6));
    }
}
