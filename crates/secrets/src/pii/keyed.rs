//! Values that are private by the key they stand under.

use std::sync::LazyLock;

use super::context::head;
use super::national;
use super::text::{Text, rows};
use crate::hit::{Confidence, Hit};

/// Longer values are prose.
const MOST: usize = 120;

/// Letters and digits of the longest key, and some.
const MOST_KEY: usize = 24;

/// What a key says of its value.
#[derive(Debug, Clone, Copy)]
struct Row {
    rule: &'static str,
    kind: &'static str,
    form: &'static str,
    confidence: Confidence,
}

/// Rows by key, and before it the first bytes of the key as a number.
static KEYS: LazyLock<Vec<(u64, &'static str, Row)>> = LazyLock::new(|| {
    let mut keys: Vec<_> = rows(include_str!("tables/keys.tsv"))
        .filter_map(Row::parse)
        .flat_map(|(row, keys)| keys.split(' ').map(move |key| (head(key.as_bytes()), key, row)))
        .collect();
    keys.sort_unstable_by_key(|(head, key, _)| (*head, *key));
    keys
});

/// Whether a key makes its value private.
pub(in super::super) fn is_name(name: &str) -> bool {
    bare(name, &mut [0; MOST_KEY]).is_some_and(|key| row(key).is_some())
}

/// Looks at the whole text as the value of its key.
pub(super) fn find(text: &Text<'_>, hits: &mut Vec<Hit>) {
    let Some(name) = text.name else { return };
    let mut room = [0; MOST_KEY];
    let Some((key, row)) = bare(name, &mut room).and_then(|key| Some((key, row(key)?))) else { return };
    let value = text.whole.trim();
    if value.is_empty() || value.len() > MOST || value.contains('\n') {
        return;
    }
    let Some((rule, kind, confidence)) = row.read(key, value) else { return };
    let start = text.whole.len() - text.whole.trim_start().len();
    text.hit(start..start + value.len(), rule, kind, confidence, hits);
}

/// The letters and digits of a name, small; `None` where there are more than in any key. The keys are ASCII.
fn bare<'r>(name: &str, room: &'r mut [u8; MOST_KEY]) -> Option<&'r str> {
    let mut length = 0;
    for byte in name.bytes().filter(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()) {
        *room.get_mut(length).filter(|_| byte.is_ascii())? = byte.to_ascii_lowercase();
        length += 1;
    }
    room.get(..length).and_then(|key| std::str::from_utf8(key).ok())
}

/// The first letters of keys by their length, one bit each: they rule most names out.
static FIRST: LazyLock<[u32; MOST_KEY + 1]> = LazyLock::new(|| {
    let mut first = [0; MOST_KEY + 1];
    for (_, key, _) in KEYS.iter() {
        if let Some(bits) = first.get_mut(key.len()) {
            *bits |= letter(key);
        }
    }
    first
});

/// A bit for what a key starts with; digits share some with letters.
fn letter(key: &str) -> u32 {
    key.bytes().next().map_or(0, |byte| 1 << (byte & 0x1f))
}

/// Every text under a name is asked for, so the table is read once and searched by numbers.
fn row(key: &str) -> Option<&'static Row> {
    FIRST.get(key.len()).filter(|bits| **bits & letter(key) != 0)?;
    let (head, keys) = (head(key.as_bytes()), &*KEYS);
    let from = keys.partition_point(|(known, ..)| *known < head);
    let same = keys.iter().skip(from).take_while(|(known, ..)| *known == head);
    same.filter(|(_, known, _)| *known == key).map(|(.., row)| row).next()
}

impl Row {
    fn parse(line: &'static str) -> Option<(Self, &'static str)> {
        let mut fields = line.split('\t');
        let (rule, kind, form, confidence, keys) =
            (fields.next()?, fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let confidence = if confidence == "medium" { Confidence::Medium } else { Confidence::Low };
        Some((Self { rule, kind, form, confidence }, keys))
    }

    fn read(self, key: &str, value: &str) -> Option<(&'static str, &'static str, Confidence)> {
        let number = (self.form == "number").then(|| national::keyed(key, value)).flatten();
        fits(self.form, value).then_some((self.rule, number.unwrap_or(self.kind), self.confidence))
    }
}

/// Whether a value can be what its key says; places to fill in cannot.
fn fits(form: &str, value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.chars().filter(|letter| letter.is_alphabetic()).count();
    let empty = value.starts_with(['<', '{', '$', '%', '[', '*'])
        || ["null", "none", "undefined", "true", "false", "string"].contains(&value);
    !empty
        && match form {
            "phone" => (6..=17).contains(&digits) && letters <= 3 && !value.contains(['T', ':']),
            "number" => (4..=20).contains(&digits) && letters <= 8 && value.len() <= 30,
            "date" => (4..=8).contains(&digits),
            "digits" => digits >= 3 && letters == 0,
            "words" => letters >= 3 && value.contains(' '),
            _ => letters + digits >= 2 && !value.contains(' '),
        }
}
