//! International bank account numbers: ISO 13616, checked by ISO 7064 mod 97-10.

use std::sync::LazyLock;

use agent_strace_model::finding::RuleId;

use super::text::{Text, rows};
use crate::hit::{Confidence, Hit};

static LENGTHS: LazyLock<Vec<([u8; 2], usize)>> = LazyLock::new(|| {
    let entries = rows(include_str!("tables/iban.txt")).flat_map(|row| row.split(' '));
    let mut lengths: Vec<_> = entries.filter_map(entry).collect();
    lengths.sort_unstable();
    lengths
});

fn entry(entry: &str) -> Option<([u8; 2], usize)> {
    let (country, length) = entry.split_at_checked(2)?;
    Some((country.as_bytes().try_into().ok()?, length.parse().ok()?))
}

/// Looks at a word that may start an account number; gives where that ends.
pub(super) fn find(text: &Text<'_>, start: usize, end: usize, hits: &mut Vec<Hit>) -> Option<usize> {
    let head = text.piece(start, start + 4);
    let &[first, second, third, fourth] = head else { return None };
    if !first.is_ascii_alphabetic()
        || !second.is_ascii_alphabetic()
        || !third.is_ascii_digit()
        || !fourth.is_ascii_digit()
    {
        return None;
    }
    let country = [first.to_ascii_uppercase(), second.to_ascii_uppercase()];
    let wanted = length(country)?;
    let last = match end - start {
        4 => grouped(text, end, wanted)?,
        length if length == wanted => end,
        _ => return None,
    };
    let blank = |byte: &u8| byte.is_ascii_alphanumeric();
    let number: Vec<u8> = text.piece(start, last).iter().copied().filter(blank).collect();
    if number.len() != wanted || !mod97(&number) || text.before(start) == b'_' || text.at(last) == b'_' {
        return None;
    }
    text.hit(start..last, RuleId::PiiIban.as_str(), "iban", Confidence::High, hits);
    Some(last)
}

/// Groups of four after the first, and a rest.
fn grouped(text: &Text<'_>, end: usize, wanted: usize) -> Option<usize> {
    let joint = text.at(end);
    if !matches!(joint, b' ' | b'-') {
        return None;
    }
    let (mut at, mut have) = (end, 4);
    while have < wanted {
        let group = text.run(at + 1, 5, |byte| byte.is_ascii_alphanumeric());
        let length = group - at - 1;
        if text.at(at) != joint || length != (wanted - have).min(4) {
            return None;
        }
        (at, have) = (group, have + length);
    }
    Some(at)
}

/// How long the numbers of a country are.
fn length(country: [u8; 2]) -> Option<usize> {
    let found = LENGTHS.binary_search_by_key(&country, |(country, _)| *country).ok()?;
    LENGTHS.get(found).map(|(_, length)| *length)
}

/// The number with its first four characters at its end, letters as 10 to 35, is 1 modulo 97.
fn mod97(number: &[u8]) -> bool {
    let (head, rest) = number.split_at_checked(4).unwrap_or_default();
    let sum = rest.iter().chain(head).fold(0u32, |sum, byte| match byte {
        b'0'..=b'9' => (sum * 10 + u32::from(byte - b'0')) % 97,
        _ => (sum * 100 + u32::from(byte.to_ascii_uppercase() - b'A') + 10) % 97,
    });
    sum == 1
}

/// How many rows of the table were read.
#[cfg(test)]
pub(super) fn count() -> usize {
    LENGTHS.len()
}
