//! Addresses in base64 (RFC 4648), in percent encoding (RFC 3986) and with an `@` as JSON and HTML may write it.

use std::ops::Range;

use agent_strace_model::finding::RuleId;

use super::email::is_address_alone;
use super::text::Text;
use crate::base64;
use crate::hit::{Confidence, Hit};
use crate::secret::base64_beginning;

/// Longer tokens hold something else: an address has at most 320 bytes.
const MOST_BASE64: usize = 430;
const LEAST_BASE64: usize = 12;

/// Words of base64 that are worth a look: `+` and `/` part them, and are rare where text is encoded.
pub(super) const LEAST_WORD: usize = 8;

/// Looks at the token around a word; gives where it ends.
pub(super) fn base64(text: &Text<'_>, start: usize, end: usize, hits: &mut Vec<Hit>) -> usize {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    // Most words stand for bytes that no text has, and their first ones show it.
    let head = text.piece(start, end).first_chunk().and_then(|head| base64_beginning(*head));
    if !head.is_some_and(|head| head.into_iter().all(is_printable)) {
        return end;
    }
    let last = text.run(end, MOST_BASE64, token);
    if last - end >= MOST_BASE64 {
        return last;
    }
    if last - start < LEAST_BASE64 || last - start >= MOST_BASE64 {
        return end;
    }
    let padded = text.run(last, 2, |byte| byte == b'=');
    let Some(plain) = decode(text.string(start, last)) else { return end };
    if is_address_alone(&plain) || plain.split([' ', ':', '<', '>', '"', ',']).any(is_address_alone) {
        text.hit(start..padded, RuleId::PiiEmail.as_str(), "b64-email", Confidence::High, hits);
        return padded;
    }
    end
}

fn is_printable(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// The text that base64 stands for, where it is printable ASCII throughout.
fn decode(token: &str) -> Option<String> {
    let plain = base64::decode(token).filter(|plain| plain.iter().copied().all(is_printable))?;
    String::from_utf8(plain).ok()
}

/// Looks at an encoded `@` (`%40`, `%2540`, `\u0040`, `&#64;`) at `sign`.
pub(super) fn at_sign(text: &Text<'_>, sign: Range<usize>, kind: &'static str, hits: &mut Vec<Hit>) {
    let Range { start: at, end: after } = sign;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+' | b'~');
    let mut start = at;
    for _ in 0..8 {
        start = text.run_back(start, 64, plain);
        // `%2B` is a `+` in the local part; another escape ends it.
        let Some(escape) = start.checked_sub(1).filter(|sign| text.at(*sign) == b'%') else { break };
        let hex = text.piece(start, start + 2);
        if escape == 0 || !matches!(hex, b"2B" | b"2b" | b"2E" | b"2e" | b"5F" | b"5f" | b"2D" | b"2d") {
            if hex.len() == 2 && hex.iter().all(u8::is_ascii_hexdigit) {
                start += 2;
            }
            break;
        }
        start = escape;
    }
    let mut end = text.run(after, 255, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
    end -= text.piece(after, end).iter().rev().take_while(|byte| matches!(byte, b'.' | b'-')).count();
    if start >= at || end <= after {
        return;
    }
    let local = unescape(text.string(start, at));
    if is_address_alone(&format!("{local}@{}", text.string(after, end))) {
        text.hit(start..end, RuleId::PiiEmail.as_str(), kind, Confidence::High, hits);
    }
}

fn unescape(local: &str) -> String {
    const ESCAPES: [(&str, &str); 8] = [
        ("%2B", "+"),
        ("%2b", "+"),
        ("%2E", "."),
        ("%2e", "."),
        ("%5F", "_"),
        ("%5f", "_"),
        ("%2D", "-"),
        ("%2d", "-"),
    ];
    ESCAPES.iter().fold(local.to_owned(), |text, (escape, letter)| text.replace(escape, letter))
}
