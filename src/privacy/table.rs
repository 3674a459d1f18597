//! The vendors' prefixes, as data.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

/// What may follow a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    Hex,
    Upper,
    Alphanumeric,
    /// Letters, digits, `-` and `_`.
    Url,
    /// As `Url`, and `.`.
    Dotted,
    Base64,
}

impl Alphabet {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "hex" => Self::Hex,
            "upper" => Self::Upper,
            "alnum" => Self::Alphanumeric,
            "url" => Self::Url,
            "dotted" => Self::Dotted,
            "base64" => Self::Base64,
            _ => return None,
        })
    }

    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Url => is_url_safe(byte),
            Self::Dotted => is_url_safe(byte) || byte == b'.',
            Self::Base64 => is_url_safe(byte) || matches!(byte, b'.' | b'+' | b'/' | b'='),
        }
    }
}

pub(super) fn is_url_safe(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// One line of `prefixes.tsv`.
#[derive(Debug)]
pub(super) struct Prefix {
    pub(super) text: &'static str,
    pub(super) kind: &'static str,
    pub(super) alphabet: Alphabet,
    pub(super) least: usize,
}

pub(super) struct Prefixes {
    pub(super) rows: Vec<Prefix>,
    /// Pattern numbers are positions in `rows`.
    pub(super) automaton: Option<AhoCorasick>,
}

/// Built when the first text is redacted: a clean run of a small session does not pay for it.
pub(super) static PREFIXES: LazyLock<Prefixes> = LazyLock::new(|| {
    let rows: Vec<Prefix> = lines().filter_map(parse).collect();
    let automaton = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        // Texts are many and short, and the table is small.
        .kind(Some(AhoCorasickKind::DFA))
        .build(rows.iter().map(|row| row.text))
        // The table is compiled in and a test builds it; without it the other detectors still work.
        .ok();
    Prefixes { rows, automaton }
});

pub(super) fn lines() -> impl Iterator<Item = &'static str> {
    include_str!("prefixes.tsv").lines().filter(|line| !line.starts_with('#'))
}

pub(super) fn parse(line: &'static str) -> Option<Prefix> {
    let mut fields = line.split('\t');
    Some(Prefix {
        text: fields.next()?,
        kind: fields.next()?,
        alphabet: Alphabet::named(fields.next()?)?,
        least: fields.next()?.parse().ok()?,
    })
}
