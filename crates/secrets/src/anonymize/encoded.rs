//! Base64 (RFC 4648, both alphabets, cut anywhere) and hex in a text, as the text they stand for.

use super::views::{View, whole};

const SHORTEST_BASE64: usize = 4;
const SHORTEST_HEX: usize = 6;

/// A view of every run that stands for text; what is found in one is found in the whole run.
pub(super) fn all(text: &str) -> Vec<View> {
    let mut views = Vec::new();
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or_default();
        let length = rest.iter().position(|byte| !is_digit(*byte)).unwrap_or(rest.len());
        let run = rest.get(..length).unwrap_or_default();
        let padding = rest.iter().skip(length).take(2).take_while(|byte| **byte == b'=').count();
        if length >= SHORTEST_BASE64 {
            base64(run, at, padding, &mut views);
            hex(run, at, &mut views);
        }
        at += length + 1;
    }
    views
}

fn base64(run: &[u8], at: usize, padding: usize, views: &mut Vec<View>) {
    let end = at + run.len() + padding;
    for cut in 0..4 {
        let Some(digits) = run.get(cut..).filter(|digits| digits.len() >= SHORTEST_BASE64) else { return };
        if let Some(text) = decode(digits) {
            views.push(whole(text, at + cut..end));
            return;
        }
    }
}

/// The text that digits stand for: of one byte a character, or of two.
fn decode(digits: &[u8]) -> Option<String> {
    // Most runs are words, and their first bytes show that they stand for nothing.
    text(&bytes(digits.get(..digits.len().min(12))?), true)?;
    text(&bytes(digits), false)
}

fn bytes(digits: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(digits.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for digit in digits {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' | b'-' => 62,
            _ => 63,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            plain.push(u8::try_from(bits >> count & 0xff).unwrap_or_default());
        }
    }
    plain
}

/// Bytes that are text throughout; `is_cut`: the last character may lack its end.
fn text(bytes: &[u8], is_cut: bool) -> Option<String> {
    let shown =
        |text: &str| text.chars().all(|letter| !letter.is_control() || matches!(letter, '\n' | '\r' | '\t' | '\0'));
    let utf8 = match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() && (is_cut || error.valid_up_to() + 3 >= bytes.len()) => {
            bytes.get(..error.valid_up_to()).and_then(|whole| std::str::from_utf8(whole).ok())
        }
        Err(_) => None,
    };
    // UTF-16 of Latin text is this with NUL between its characters, which the next view takes out.
    utf8.filter(|text| !text.is_empty() && shown(text)).map(str::to_owned)
}

fn hex(run: &[u8], at: usize, views: &mut Vec<View>) {
    let mut start = 0;
    while start < run.len() {
        let rest = run.get(start..).unwrap_or_default();
        let length = rest.iter().position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(rest.len());
        for cut in 0..2 {
            let Some(digits) = rest.get(cut..length).filter(|digits| digits.len() >= SHORTEST_HEX) else { break };
            let even = digits.len() / 2 * 2;
            let value = |digit: &u8| char::from(*digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
            let pairs = digits.chunks_exact(2).map(|pair| match pair {
                [high, low] => Some(value(high)? << 4 | value(low)?),
                _ => None,
            });
            let Some(bytes) = pairs.collect::<Option<Vec<u8>>>() else { break };
            if let Some(text) = text(&bytes, false) {
                let from = at + start + cut;
                views.push(whole(text, from..from + even));
                break;
            }
        }
        start += length + 1;
    }
}
