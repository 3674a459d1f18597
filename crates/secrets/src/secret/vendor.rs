//! Tokens that vendors mark: `vendors.tsv`, and how a row is matched.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use agent_strace_model::finding::RuleId;

use super::super::hit::{Confidence, Hit};
use super::likeness::{followers, variety};
use super::text::{FAR, Stretch, at, is_base64, is_url_safe, piece, run_all};
use super::{exclude, text};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Digit,
    Hex,
    Upper,
    Base32,
    Alphanumeric,
    /// As `Alphanumeric`, and `_`.
    Word,
    /// As `Word`, and `-`.
    Url,
    /// As `Url`, and `.`.
    Dotted,
    Base64,
    /// As `Base64`, and `%`.
    Percent,
    /// As `Hex`, and `-`.
    Uuid,
    Any,
}

impl Class {
    const COUNT: usize = Self::Any as usize + 1;

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "digit" => Self::Digit,
            "hex" => Self::Hex,
            "upper" => Self::Upper,
            "base32" => Self::Base32,
            "alnum" => Self::Alphanumeric,
            "word" => Self::Word,
            "url" => Self::Url,
            "dotted" => Self::Dotted,
            "base64" => Self::Base64,
            "percent" => Self::Percent,
            "uuid" => Self::Uuid,
            "any" => Self::Any,
            _ => return None,
        })
    }

    fn has(self, byte: u8) -> bool {
        match self {
            Self::Digit => byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Base32 => byte.is_ascii_uppercase() || matches!(byte, b'2'..=b'7'),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Url => is_url_safe(byte),
            Self::Dotted => is_url_safe(byte) || byte == b'.',
            Self::Base64 => is_base64(byte) || matches!(byte, b'=' | b'.'),
            Self::Percent => is_base64(byte) || matches!(byte, b'=' | b'.' | b'%'),
            Self::Uuid => byte.is_ascii_hexdigit() || byte == b'-',
            Self::Any => !byte.is_ascii_whitespace() && !b"\"'`<>".contains(&byte),
        }
    }
}

#[derive(Debug)]
enum Part {
    Characters { class: Class, least: usize, most: usize },
    Literal(&'static str),
}

impl Part {
    fn least(&self) -> usize {
        match self {
            Self::Characters { least, .. } => *least,
            Self::Literal(literal) => literal.len(),
        }
    }
}

#[derive(Debug)]
pub(super) struct Row {
    pub(super) prefix: &'static str,
    /// The second byte of the prefix, which tells most rows apart.
    second: Option<u8>,
    kind: &'static str,
    shape: Vec<Part>,
    confidence: Confidence,
    exact: bool,
    alone: bool,
    named: bool,
    /// The last six characters of the body are its checksum.
    checked: bool,
}

/// Rows by prefix.
pub(super) static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let mut rows: Vec<Row> = lines().filter_map(parse).collect();
    rows.sort_by_key(|row| row.prefix);
    rows
});

pub(super) fn lines() -> impl Iterator<Item = &'static str> {
    include_str!("vendors.tsv").lines().filter(|line| !line.starts_with('#'))
}

pub(super) fn parse(line: &'static str) -> Option<Row> {
    let mut fields = line.split('\t');
    let (prefix, kind, shape) = (fields.next()?, fields.next()?, fields.next()?);
    let confidence = match fields.next()? {
        "high" => Confidence::High,
        "medium" => Confidence::Medium,
        "low" => Confidence::Low,
        _ => return None,
    };
    let conditions = fields.next().unwrap_or("");
    let has = |condition: &str| conditions.split(',').any(|one| one == condition);
    let shape = shape.split(' ').map(part).collect::<Option<Vec<_>>>()?;
    let second = prefix.as_bytes().get(1).copied();
    Some(Row {
        prefix,
        second,
        kind,
        shape,
        confidence,
        exact: has("exact"),
        alone: has("alone"),
        named: has("named"),
        checked: has("crc"),
    })
}

fn part(text: &'static str) -> Option<Part> {
    if let Some(literal) = text.strip_prefix('\'') {
        return Some(Part::Literal(literal.strip_suffix('\'')?));
    }
    let (class, counts) = text.strip_suffix('}')?.split_once('{')?;
    let (least, most) = match counts.split_once(',') {
        None => (counts.parse().ok()?, counts.parse().ok()?),
        Some((least, "")) => (least.parse().ok()?, usize::MAX),
        Some((least, most)) => (least.parse().ok()?, most.parse().ok()?),
    };
    Some(Part::Characters { class: Class::named(class)?, least, most })
}

/// Where the rows of each first byte start.
static FIRST: LazyLock<[(usize, usize); 256]> = LazyLock::new(|| {
    let mut table = [(0, 0); 256];
    for (position, row) in ROWS.iter().enumerate() {
        let byte = usize::from(row.prefix.bytes().next().unwrap_or(0));
        if let Some(entry) = table.get_mut(byte) {
            if entry.1 == 0 {
                entry.0 = position;
            }
            entry.1 = position + 1;
        }
    }
    table
});

/// The two first bytes of all prefixes, one bit each: they rule most words out.
static PAIRS: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut pairs = vec![0; 1 << 10];
    let heads = ROWS.iter().map(|row| row.prefix.as_bytes()).filter_map(<[u8]>::first_chunk::<2>);
    for pair in heads.map(|head| u16::from_be_bytes(*head)) {
        if let Some(word) = pairs.get_mut(usize::from(pair / 64)) {
            *word |= 1 << (pair % 64);
        }
    }
    pairs
});

fn may_be_prefix(head: [u8; 2]) -> bool {
    let pair = u16::from_be_bytes(head);
    PAIRS.get(usize::from(pair / 64)).is_some_and(|word| word >> (pair % 64) & 1 == 1)
}

/// How far the characters of each class go: prefixes may stand close to each other in one run.
#[derive(Default)]
pub(super) struct Runs([Stretch; Class::COUNT]);

impl Runs {
    fn length(&mut self, class: Class, text: &str, from: usize) -> usize {
        let run = self.0.get_mut(class as usize);
        run.map_or(0, |run| run.run(text, from, FAR, |byte| class.has(byte)))
    }
}

/// The token that starts at an offset where a word may start.
pub(super) fn token(text: &str, start: usize, runs: &mut Runs) -> Option<Hit> {
    token_of(text, start, runs, |_| true)
}

fn token_of(text: &str, start: usize, runs: &mut Runs, is_wanted: impl Fn(&&Row) -> bool) -> Option<Hit> {
    if !may_be_prefix([at(text, start), at(text, start + 1)]) {
        return None;
    }
    let &(from, to) = FIRST.get(usize::from(at(text, start)))?;
    let rest = text.as_bytes().get(start..)?;
    let rows = ROWS.get(from..to)?;
    let second = rest.get(1).copied();
    let (from, to) =
        (rows.partition_point(|row| row.second < second), rows.partition_point(|row| row.second <= second));
    // Longer prefixes come later, and say more.
    let rows = rows.get(from..to)?;
    let rows = rows.iter().rev().filter(|row| rest.starts_with(row.prefix.as_bytes()));
    rows.filter(is_wanted).find_map(|row| Some(row.with_tail(text, &row.matched(text, start, runs)?)))
}

/// Rows whose prefix also marks a token inside a word, by the last byte of the prefix: it is so long and peculiar that no
/// word holds it by chance, and a break ends it.
static GLUED: LazyLock<BTreeMap<u8, Vec<&'static Row>>> = LazyLock::new(|| {
    let mut glued: BTreeMap<u8, Vec<&'static Row>> = BTreeMap::new();
    for row in ROWS.iter().filter(|row| row.is_told_in_a_word()) {
        glued.entry(row.prefix.bytes().last().unwrap_or(0)).or_default().push(row);
    }
    glued
});

/// The token in the middle of a word whose prefix ends with the byte before an offset: `exampleghp_…`. It starts at another
/// offset or behind that.
pub(super) fn glued_token(text: &str, from: usize, index: usize, runs: &mut Runs) -> Option<Hit> {
    let rows = GLUED.get(&text::before(text, index))?;
    let before = text.as_bytes().get(from..index)?;
    let rows = rows.iter().filter(|row| before.ends_with(row.prefix.as_bytes()));
    let is_drawn = |hit: &Hit| telling(text, index, hit.end).bytes().any(|byte| byte.is_ascii_digit());
    let hits = rows.filter_map(|row| Some((row, row.matched(text, index - row.prefix.len(), runs)?)));
    // A longer prefix says more. How far the token goes is found out for this one only.
    let (row, hit) = hits.filter(|(_, hit)| is_drawn(hit)).min_by_key(|(_, hit)| hit.start)?;
    Some(row.with_tail(text, &hit))
}

/// The token in capitals that follows the small letters of a word: `exampleAKIA…`.
pub(super) fn capital_token(text: &str, index: usize, runs: &mut Runs) -> Option<Hit> {
    let is_told =
        |row: &&Row| row.exact && row.prefix.len() >= 4 && row.prefix.bytes().all(|byte| byte.is_ascii_uppercase());
    token_of(text, index, runs, is_told)
}

impl Row {
    /// `ghp_`, `glpat-`; what follows is long.
    fn is_told_in_a_word(&self) -> bool {
        const LONG: usize = 20;
        let least: usize = self.shape.iter().map(Part::least).sum();
        let breaks = self.prefix.ends_with(['_', '-']) && self.prefix.len() >= 4;
        breaks && least >= LONG && self.confidence == Confidence::High && !self.named && !self.alone
    }

    /// The token of this row at an offset, as far as its shape says.
    fn matched(&self, text: &str, start: usize, runs: &mut Runs) -> Option<Hit> {
        let from = start + self.prefix.len();
        let (mut end, mut last) = (from, from);
        for part in &self.shape {
            match part {
                Part::Literal(literal) => {
                    if !text.as_bytes().get(end..)?.starts_with(literal.as_bytes()) {
                        return None;
                    }
                    end += literal.len();
                }
                Part::Characters { class, least, most } => {
                    let count = runs.length(*class, text, end).min(*most);
                    if count < *least {
                        return None;
                    }
                    (last, end) = (end, end + count);
                }
            }
        }
        if self.exact && is_url_safe(at(text, end)) && at(text, end) != b'-' {
            return None;
        }
        if self.alone && matches!(text::before(text, start), b'-' | b'.') {
            return None;
        }
        // The number before a token may be the one that documents count with.
        let is_last_drawn = || last > from && end - last >= SHORTEST_PART && is_drawn(telling(text, last, end));
        if !(is_drawn(telling(text, from, end)) || is_last_drawn())
            || (self.named && !exclude::secret_is_named(text, start))
        {
            return None;
        }
        let certain = !self.checked || has_checksum(piece(text, from, from + CHECKED));
        let confidence = if certain { self.confidence } else { Confidence::Medium };
        Some(Hit { start, end, rule: RuleId::SecretVendorToken.as_str(), kind: self.kind, confidence })
    }

    /// What follows without a break belongs to a token, whatever the shape says: no tail may leak.
    fn with_tail(&self, text: &str, hit: &Hit) -> Hit {
        let last = self.shape.iter().rev().find_map(|part| match part {
            Part::Characters { class, .. } => Some(*class),
            Part::Literal(_) => None,
        });
        let is_all = last.is_none_or(|last| last == Class::Any);
        let tail = if is_all { 0 } else { run_all(text, hit.end, is_url_safe) };
        Hit { end: text::ceil(text, hit.end + tail), ..hit.clone() }
    }
}

/// The shortest part of a token that tells by itself whether it was drawn.
const SHORTEST_PART: usize = 20;

/// Characters of a body that ends with its checksum.
const CHECKED: usize = 36;

/// The CRC-32 of the first thirty characters, in base 62, is the last six.
/// See "Behind GitHub's new authentication token formats", github.blog, 2021.
fn has_checksum(body: &str) -> bool {
    const DIGITS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let (content, sum) = body.split_at_checked(CHECKED - 6).unwrap_or((body, ""));
    let mut crc = flate2::Crc::new();
    crc.update(content.as_bytes());
    let value = sum.bytes().try_fold(0_u64, |value, byte| {
        let digit = DIGITS.iter().position(|digit| *digit == byte)?;
        Some(value * 62 + digit as u64)
    });
    value == Some(u64::from(crc.sum()))
}

/// The bytes of a token that are enough to tell whether it was drawn.
fn telling(text: &str, from: usize, end: usize) -> &str {
    const TELLING: usize = 256;
    piece(text, from, text::floor(text, end.min(from + TELLING)))
}

/// Place holders repeat characters, or count.
fn is_drawn(body: &str) -> bool {
    let length = body.len();
    variety(body) >= (length / 4).clamp(4, 8) && followers(body) * 2 < length && !exclude::is_placeholder(body)
}

/// A token of a row's shape.
#[cfg(test)]
pub(super) fn example(row: &Row, draw: impl Fn(&str, usize) -> String) -> String {
    let body = row.shape.iter().map(|part| match part {
        Part::Literal(literal) => (*literal).to_owned(),
        Part::Characters { class: Class::Uuid, .. } => {
            [draw("hex", 8), draw("hex", 4), draw("hex", 4), draw("hex", 4), draw("hex", 12)].join("-")
        }
        Part::Characters { class, least, .. } => draw(
            match class {
                Class::Digit => "digit",
                Class::Hex => "hex",
                Class::Upper | Class::Base32 => "upper",
                _ => "alnum",
            },
            *least,
        ),
    });
    format!("{}{}", row.prefix, body.collect::<String>())
}
