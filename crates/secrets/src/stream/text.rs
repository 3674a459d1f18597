//! Raw bytes of a log ↔ the text that they say.
//!
//! Text is either plain or what stands between the quotes of a JSON string. Nothing is lost on the way: what is no text
//! (a byte that is not UTF-8, half of a surrogate pair) counts as one replacement character and stays as it is in the
//! log. No map is kept: where a place of the text is in the bytes is found by walking over them once more, which only
//! texts with findings need.

use std::borrow::Cow;

use memchr::memchr;

use super::scan::copy_to_backslash;

/// How text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    Plain,
    /// Between the quotes of a JSON string.
    Json,
}

impl Writing {
    /// A text as it is written.
    pub(super) fn of(self, text: String) -> String {
        match self {
            Self::Plain => text,
            Self::Json => escaped(&text),
        }
    }
}

/// As text stands between the quotes of a JSON string.
pub(super) fn escaped(text: &str) -> String {
    // A string always has a JSON form.
    let quoted = serde_json::to_string(text).unwrap_or_default();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

/// A piece of text and what it is written as.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'r> {
    Same(&'r str),
    Other { character: char, raw: usize },
}

/// Steps through raw bytes.
struct Pieces<'r> {
    rest: &'r [u8],
    /// The same, where all of it is text.
    text: Option<&'r str>,
    writing: Writing,
    /// The text goes on behind these bytes: what is incomplete at their end is not taken.
    goes_on: bool,
    /// Bytes without escapes that lie ahead.
    run: usize,
}

impl<'r> Pieces<'r> {
    fn new(raw: &'r [u8], writing: Writing, goes_on: bool) -> Self {
        super::count(raw.len());
        let text = match simdutf8::compat::from_utf8(raw) {
            Ok(text) => Some(text),
            // The last character may only be cut.
            Err(error) if goes_on && error.error_len().is_none() => {
                raw.get(..error.valid_up_to()).and_then(|whole| std::str::from_utf8(whole).ok())
            }
            Err(_) => None,
        };
        Self { rest: raw, text, writing, goes_on, run: 0 }
    }

    fn take(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default();
        self.text = self.text.map(|text| text.get(length..).unwrap_or(""));
    }

    /// Text up to the next escape.
    fn text(&mut self, text: &'r str) -> Option<Piece<'r>> {
        let escape = if self.writing == Writing::Json { memchr(b'\\', text.as_bytes()) } else { None };
        let run = text.get(..escape.unwrap_or(text.len())).filter(|run| !run.is_empty())?;
        self.take(run.len());
        Some(Piece::Same(run))
    }

    /// What is text of the next bytes, or one byte that is not.
    fn bytes(&mut self) -> Option<Piece<'r>> {
        if self.run == 0 {
            let escape = if self.writing == Writing::Json { memchr(b'\\', self.rest) } else { None };
            self.run = escape.unwrap_or(self.rest.len());
        }
        let chunk = self.rest.get(..self.run)?.utf8_chunks().next()?;
        if !chunk.valid().is_empty() {
            self.take(chunk.valid().len());
            self.run -= chunk.valid().len();
            return Some(Piece::Same(chunk.valid()));
        }
        if self.goes_on && chunk.invalid().len() == self.rest.len() {
            return None;
        }
        self.take(1);
        self.run -= 1;
        Some(Piece::Other { character: char::REPLACEMENT_CHARACTER, raw: 1 })
    }

    fn escape(&mut self) -> Option<Piece<'r>> {
        // Half of a pair and the other half are twelve bytes.
        if self.goes_on && self.rest.len() < 12 {
            return None;
        }
        let (character, raw) = escape(self.rest);
        self.take(raw);
        Some(Piece::Other { character, raw })
    }
}

impl<'r> Iterator for Pieces<'r> {
    type Item = Piece<'r>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.writing == Writing::Json && self.run == 0 && self.rest.first() == Some(&b'\\') {
            return self.escape();
        }
        match self.text {
            Some(text) => self.text(text),
            None => self.bytes(),
        }
    }
}

/// What an escape says, and how many bytes it takes. A backslash that begins none stands for itself.
fn escape(raw: &[u8]) -> (char, usize) {
    let character = match raw.get(1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode_escape(raw),
        _ => return ('\\', 1),
    };
    (character, 2)
}

fn unicode_escape(raw: &[u8]) -> (char, usize) {
    let Some(unit) = unit(raw) else { return ('\\', 1) };
    if let Some(character) = char::from_u32(unit) {
        return (character, 6);
    }
    let low = raw.get(6..).and_then(self::unit).filter(|low| (0xdc00..0xe000).contains(low));
    match low {
        Some(low) if unit < 0xdc00 => {
            let code = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
            (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
        }
        _ => (char::REPLACEMENT_CHARACTER, 6),
    }
}

fn unit(raw: &[u8]) -> Option<u32> {
    let digits = raw.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |unit, digit| Some(unit << 4 | char::from(*digit).to_digit(16)?))
}

/// The text of raw bytes; `scratch` lends its room.
pub(super) fn decode<'r>(raw: &'r [u8], writing: Writing, scratch: &'r mut Vec<u8>) -> Cow<'r, str> {
    super::count(raw.len());
    let is_plain = writing == Writing::Plain || memchr(b'\\', raw).is_none();
    let text = if is_plain { raw } else { unescape(raw, scratch) };
    if let Ok(text) = simdutf8::basic::from_utf8(text) {
        return Cow::Borrowed(text);
    }
    let mut decoded = String::with_capacity(raw.len());
    append(raw, writing, false, &mut decoded);
    Cow::Owned(decoded)
}

/// Resolves escapes. No escape is shorter than what it says.
fn unescape<'s>(raw: &[u8], scratch: &'s mut Vec<u8>) -> &'s [u8] {
    if scratch.len() < raw.len() {
        scratch.resize(raw.len(), 0);
    }
    let (mut rest, mut written) = (raw, 0);
    while let Some(room) = scratch.get_mut(written..) {
        let length = copy_to_backslash(rest, room);
        written += length;
        rest = rest.get(length..).unwrap_or_default();
        if rest.is_empty() {
            break;
        }
        let (character, length) = escape(rest);
        rest = rest.get(length..).unwrap_or_default();
        let mut bytes = [0; 4];
        for byte in character.encode_utf8(&mut bytes).bytes() {
            if let Some(target) = scratch.get_mut(written) {
                *target = byte;
            }
            written += 1;
        }
    }
    scratch.get(..written).unwrap_or_default()
}

/// Appends the text of raw bytes; returns how many of them were complete.
pub(super) fn append(raw: &[u8], writing: Writing, goes_on: bool, decoded: &mut String) -> usize {
    let mut pieces = Pieces::new(raw, writing, goes_on);
    for piece in pieces.by_ref() {
        match piece {
            Piece::Same(text) => decoded.push_str(text),
            Piece::Other { character, .. } => decoded.push(character),
        }
    }
    raw.len() - pieces.rest.len()
}

/// A place of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    /// Bytes of the log before it.
    pub(super) raw: usize,
    /// Code points of the text before it.
    pub(super) code_points: u64,
}

/// Where byte offsets of a text are in the bytes it was decoded from. `offsets` ascend and are character boundaries.
pub(super) fn locate(raw: &[u8], writing: Writing, offsets: impl IntoIterator<Item = usize>) -> Vec<Spot> {
    let mut offsets = offsets.into_iter().peekable();
    let (mut spots, mut decoded) = (Vec::new(), 0);
    let mut here = Spot { raw: 0, code_points: 0 };
    for piece in Pieces::new(raw, writing, false) {
        let Some(&first) = offsets.peek() else { break };
        match piece {
            Piece::Other { character, raw } => {
                for _ in std::iter::from_fn(|| offsets.next_if(|offset| *offset <= decoded)) {
                    spots.push(here);
                }
                decoded += character.len_utf8();
                here = Spot { raw: here.raw + raw, code_points: here.code_points + 1 };
            }
            Piece::Same(text) => {
                let mut counted = 0;
                if first <= decoded + text.len() {
                    while let Some(offset) = offsets.next_if(|offset| *offset < decoded + text.len()) {
                        let to = offset.saturating_sub(decoded);
                        here.code_points += count(text.get(counted..to).unwrap_or(""));
                        counted = to;
                        spots.push(Spot { raw: here.raw + to, ..here });
                    }
                }
                here.code_points += count(text.get(counted..).unwrap_or(""));
                here.raw += text.len();
                decoded += text.len();
            }
        }
    }
    spots.extend(offsets.map(|_| here));
    spots
}

fn count(text: &str) -> u64 {
    text.chars().count() as u64
}

/// Code points of plain bytes.
pub(super) fn code_points(raw: &[u8]) -> u64 {
    match simdutf8::basic::from_utf8(raw) {
        Ok(text) => count(text),
        Err(_) => raw.utf8_chunks().map(|chunk| count(chunk.valid()) + chunk.invalid().len() as u64).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Spot, Writing, append, decode, locate};

    #[test]
    fn strings_are_decoded_as_json_says_and_never_fail() {
        for (raw, expected) in [
            (r"plain ü", "plain ü"),
            (r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"),
            (r"\u00fc\ud83d\uDE00.", "ü😀."),
            (r"\ud83d.\ude00\ud83d\ud83d\ude00", "\u{fffd}.\u{fffd}\u{fffd}😀"),
            (r"\x \u12 \", "\\x \\u12 \\"),
        ] {
            assert_eq!(decode(raw.as_bytes(), Writing::Json, &mut Vec::new()), expected);
            let mut decoded = String::new();
            assert_eq!(append(raw.as_bytes(), Writing::Json, false, &mut decoded), raw.len());
            assert_eq!(decoded, expected);
        }
        assert_eq!(
            decode(b"a\xff\xc3\\n\xe2\x82", Writing::Json, &mut Vec::new()),
            "a\u{fffd}\u{fffd}\n\u{fffd}\u{fffd}"
        );
        assert_eq!(decode(b"a\\n\xff", Writing::Plain, &mut Vec::new()), "a\\n\u{fffd}");
    }

    #[test]
    fn what_is_cut_is_not_taken() {
        for (raw, complete) in [(&b"abc\\"[..], 3), (b"abc\\u00", 3), (b"abc\\ud83d\\u", 3), (b"abc\xe2\x82", 3)] {
            assert_eq!(append(raw, Writing::Json, true, &mut String::new()), complete);
        }
    }

    #[test]
    fn places_are_found_again() {
        let raw = "a\\nü\\ud83d\\ude00b".as_bytes();
        let mut scratch = Vec::new();
        let text = decode(raw, Writing::Json, &mut scratch);
        assert_eq!(text, "a\nü😀b");
        let offsets: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let spots = locate(raw, Writing::Json, offsets);
        let expected = [0, 1, 3, 5, 17, 18].into_iter().zip(0..).map(|(raw, code_points)| Spot { raw, code_points });
        assert_eq!(spots, expected.collect::<Vec<_>>());
    }
}
