//! Pseudonyms as they stand in texts: `‹email:k7q2mz4ab3xw5›`.

use std::ops::Range;

const OPEN: char = '‹';
const CLOSE: char = '›';
/// Digits of base32 (RFC 4648, in lower case): 65 bits.
const DIGITS: usize = 13;
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// The longest name of a class, with room.
const LONGEST_CLASS: usize = 32;

/// A piece of text in the form of a pseudonym. Anybody can write one: it proves nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) range: Range<usize>,
    pub(super) class: &'t str,
    pub(super) digits: &'t str,
}

pub(super) fn write(class: &str, code: &[u8]) -> String {
    let mut token = String::from(OPEN);
    token.push_str(class);
    token.push(':');
    let (mut bits, mut count) = (0_u32, 0);
    let mut bytes = code.iter();
    for _ in 0..DIGITS {
        if count < 5 {
            bits = bits << 8 | u32::from(*bytes.next().unwrap_or(&0));
            count += 8;
        }
        count -= 5;
        let digit = ALPHABET.get((bits >> count & 31) as usize).copied().unwrap_or(b'a');
        token.push(char::from(digit));
    }
    token.push(CLOSE);
    token
}

/// Everything in a text that has the form of a pseudonym, in order.
pub(super) fn all(text: &str) -> Vec<Token<'_>> {
    memchr::memmem::find_iter(text.as_bytes(), OPEN.encode_utf8(&mut [0; 4]).as_bytes())
        .filter_map(|start| at(text, start))
        .collect()
}

/// What stands around everything that has the form of a pseudonym.
pub(super) fn around(text: &str) -> Vec<&str> {
    let (mut pieces, mut at) = (Vec::new(), 0);
    for token in all(text) {
        pieces.extend(text.get(at..token.range.start));
        at = token.range.end;
    }
    pieces.extend(text.get(at..));
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// Whether a text is a pseudonym and nothing else, or one and the domain that an address kept.
pub(super) fn begins(text: &str) -> bool {
    at(text, 0).filter(|_| text.starts_with(OPEN)).is_some_and(|token| {
        let rest = text.get(token.range.end..).unwrap_or_default();
        rest.is_empty() || token.class == "email" && rest.starts_with('@')
    })
}

fn at(text: &str, start: usize) -> Option<Token<'_>> {
    let inside = start + OPEN.len_utf8();
    let rest = text.get(inside..)?;
    let colon = rest.bytes().take(LONGEST_CLASS).position(|byte| byte == b':')?;
    let class = rest.get(..colon)?;
    let digits = rest.get(colon + 1..colon + 1 + DIGITS)?;
    let is_class = !class.is_empty() && class.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let is_code = digits.bytes().all(|byte| ALPHABET.contains(&byte));
    let closes = rest.get(colon + 1 + DIGITS..)?.starts_with(CLOSE);
    let end = inside + colon + 1 + DIGITS + CLOSE.len_utf8();
    (is_class && is_code && closes).then_some(Token { range: start..end, class, digits })
}

#[cfg(test)]
mod tests {
    use super::{all, write};

    #[test]
    fn what_is_written_is_read() {
        let token = write("email", &[0xff, 0x00, 0xaa, 0x55, 0x12, 0x34, 0x56, 0x78, 0x9a]);
        let text = format!("a {token}, ‹user:short›, ‹user:ABCDEFGHIJKLM›, ‹:abcdefghijklm› {token}");
        let found = all(&text);
        assert_eq!(found.len(), 2, "{text}");
        for one in found {
            assert_eq!(text.get(one.range.clone()), Some(token.as_str()));
            assert_eq!((one.class, one.digits.len()), ("email", 13));
        }
    }
}
