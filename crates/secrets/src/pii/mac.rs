//! Hardware addresses (IEEE 802): six pairs with `:` or `-`, or three fours with `.`.

use agent_strace_model::finding::RuleId;

use super::context::{Context, Family};
use super::text::{Text, is_word};
use crate::hit::{Confidence, Hit};

/// Looks at a word of hexadecimal digits; gives where the address ends.
pub(super) fn find(text: &Text<'_>, start: usize, end: usize, hits: &mut Vec<Hit>) -> usize {
    let joint = if matches!(text.at(end), b':' | b'-' | b'.') { text.at(end) } else { text.before(start) };
    if !matches!(joint, b':' | b'-' | b'.') {
        return end;
    }
    let accepts = |byte: u8| byte.is_ascii_hexdigit() || byte == joint;
    let (first, last) = (text.run_back(start, 17, accepts), text.run(end, 18, accepts));
    let address = text.piece(first, last);
    let width = if joint == b'.' { 4 } else { 2 };
    let shaped = address.len() == if joint == b'.' { 14 } else { 17 }
        && address.split(|byte| *byte == joint).all(|group| group.len() == width);
    if !shaped
        || (is_word(text.before(first)) && !text.follows_escape(first))
        || is_word(text.at(last))
        || text.before(first) == b'_'
    {
        return end;
    }
    if is_empty(address) || is_multicast(address) && joint == b'.' {
        return last;
    }
    let letters = address.iter().any(u8::is_ascii_alphabetic);
    let named = Context::before(text, first).says(Family::Hardware);
    if named || letters && joint != b'.' {
        let confidence = if named { Confidence::High } else { Confidence::Medium };
        text.hit(first..last, RuleId::PiiMac.as_str(), "mac", confidence, hits);
    }
    last
}

/// Broadcast and nothing.
fn is_empty(address: &[u8]) -> bool {
    let mut digits = address.iter().filter(|byte| byte.is_ascii_hexdigit()).map(u8::to_ascii_lowercase);
    let first = digits.next();
    matches!(first, Some(b'0' | b'f')) && digits.all(|digit| Some(digit) == first)
}

fn is_multicast(address: &[u8]) -> bool {
    address.starts_with(b"0100.5e")
}
