//! Numbers that states give to persons. One counts where its check digit and its form are telling enough, or where the
//! words beside it name it.

pub(super) mod checks;

use std::sync::LazyLock;

use agent_strace_model::finding::RuleId;

use super::context::Context;
use super::numbers::{Groups, goes_on, is_joined};
use super::text::{Text, rows};
use crate::hit::{Confidence, Hit};

const RULE: &str = RuleId::PiiNationalId.as_str();

/// Whether a number needs words beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bare {
    /// Never without.
    No,
    /// Less sure without.
    Low,
    Medium,
    /// Only in the groups that people write it in.
    Grouped(Confidence),
}

/// A line of the table.
struct Number {
    kind: &'static str,
    /// `9` is a digit, `A` a letter, `X` one of both, anything else itself.
    shape: &'static [u8],
    check: fn(&[u8]) -> bool,
    /// Whether the check tells anything.
    checked: bool,
    bare: Bare,
    /// Lengths of the groups, and what stands between them.
    groups: &'static str,
    words: &'static str,
    /// Places that must be digits, and those that must not, one bit each.
    digits: u32,
    letters: u32,
}

/// Longest number of the table, and the shortest.
const MOST: usize = 18;
const LEAST: usize = 7;

static NUMBERS: LazyLock<Vec<Number>> =
    LazyLock::new(|| rows(include_str!("../tables/national_ids.tsv")).filter_map(Number::read).collect());

impl Number {
    fn read(row: &'static str) -> Option<Self> {
        let mut fields = row.split('\t');
        let (kind, shape, check) = (fields.next()?, fields.next()?, fields.next()?);
        let bare = match fields.next()? {
            "no" => Bare::No,
            "low" => Bare::Low,
            "medium" => Bare::Medium,
            "grouped-low" => Bare::Grouped(Confidence::Low),
            "grouped" => Bare::Grouped(Confidence::Medium),
            _ => return None,
        };
        let (groups, words) = (fields.next()?, fields.next()?);
        let count = |wanted: fn(&u8) -> bool| {
            shape.bytes().enumerate().filter(|(_, byte)| wanted(byte)).fold(0, |bits, (at, _)| bits | 1 << at)
        };
        let (digits, letters) =
            (count(|byte| *byte == b'9'), count(|byte| byte.is_ascii_alphabetic() && *byte != b'X'));
        Some(Self {
            kind,
            shape: shape.as_bytes(),
            check: checks::named(check)?,
            checked: check != "none",
            bare,
            groups,
            words,
            digits,
            letters,
        })
    }

    /// Whether a number of so many characters may have digits in these places.
    fn may_have(&self, length: usize, digits: u32) -> bool {
        self.shape.len() == length && digits & self.digits == self.digits && digits & self.letters == 0
    }

    fn fits(&self, number: &[u8]) -> bool {
        number.len() == self.shape.len()
            && number.iter().zip(self.shape).all(|(byte, wanted)| match wanted {
                b'9' => byte.is_ascii_digit(),
                b'A' => byte.is_ascii_uppercase(),
                b'X' => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
                other => byte == other,
            })
            && (self.check)(number)
    }

    fn confidence(&self, written: &str, context: &Context<'_>) -> Option<Confidence> {
        if !context.is_empty() && context.names(self.words) {
            return Some(Confidence::High);
        }
        match self.bare {
            Bare::No => None,
            Bare::Low => Some(Confidence::Low),
            Bare::Medium => Some(Confidence::Medium),
            Bare::Grouped(confidence) => (written == self.groups).then_some(confidence),
        }
    }
}

/// Lengths of groups and what joins them: `3-2-4`.
fn form(text: &Text<'_>, spans: &[(usize, usize)]) -> String {
    let mut form = String::new();
    let mut last = None;
    for (start, end) in spans {
        if let Some(last) = last {
            form.push_str(text.string(last, *start));
        }
        form.push_str(&(end - start).to_string());
        last = Some(*end);
    }
    form
}

fn of_length(length: usize) -> impl Iterator<Item = &'static Number> {
    NUMBERS.iter().filter(move |number| number.shape.len() == length)
}

/// Looks at groups of digits.
pub(super) fn digits(text: &Text<'_>, groups: &Groups, hits: &mut Vec<Hit>) -> Option<usize> {
    let start = groups.spans().first()?.0;
    if is_joined(text, start) {
        return None;
    }
    let mut context = None;
    let mut length = 0;
    for count in 1..=groups.len() {
        length += groups.lengths().nth(count - 1)?;
        if length > MOST {
            break;
        }
        if length < LEAST {
            continue;
        }
        let end = groups.end(count);
        // A letter may end the number: `131052-308T`, `12345678-Z`.
        let (end, tail) = tail(text, end);
        if goes_on(text, end) {
            continue;
        }
        let mut number: Vec<u8> = groups.digits(text, count).iter().map(|digit| digit + b'0').collect();
        number.extend(tail);
        let mut fitting = of_length(number.len()).filter(|known| known.fits(&number)).peekable();
        if fitting.peek().is_none() {
            continue;
        }
        let written = form(text, groups.spans().get(..count)?) + if tail.is_some() { "-1" } else { "" };
        if written.bytes().any(|byte| !byte.is_ascii_digit() && !matches!(byte, b' ' | b'-' | b'.' | b'/')) {
            continue;
        }
        let context = context.get_or_insert_with(|| Context::before(text, start));
        let found = fitting.find_map(|known| Some((known.kind, known.confidence(&written, context)?)));
        if let Some((kind, confidence)) = found {
            text.hit(start..end, RULE, kind, confidence, hits);
            return Some(end);
        }
    }
    None
}

fn tail(text: &Text<'_>, end: usize) -> (usize, Option<u8>) {
    let letter = text.at(end + 1);
    let ends = text.at(end) == b'-' && letter.is_ascii_alphabetic() && text.closes(end + 2);
    if ends { (end + 2, Some(letter.to_ascii_uppercase())) } else { (end, None) }
}

/// Looks at a word of digits and letters, and at those that `-` or a space joins to it.
pub(super) fn word(text: &Text<'_>, start: usize, end: usize, hits: &mut Vec<Hit>) -> Option<usize> {
    let (mut from, mut to) = (start, end);
    if end - start < 8 && (text.before(start) == b'-' || text.at(end) == b'-') {
        // Groups like `1AB2-CD3-EF45`; letters without a digit stand before the first.
        let part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        from = text.run_back(start, MOST, part);
        to = text.run(end, MOST, part);
    }
    if end - start > MOST {
        return None;
    }
    let (length, digits) = shape(text.piece(from, to))?;
    NUMBERS.iter().find(|known| known.may_have(length, digits))?;
    if is_joined(text, from) || !text.closes(to) {
        return None;
    }
    let written = text.string(from, to);
    let number: Vec<u8> = written.bytes().filter(|byte| *byte != b'-').map(|byte| byte.to_ascii_uppercase()).collect();
    let upper = !written.bytes().any(|byte| byte.is_ascii_lowercase());
    let mut fitting = of_length(number.len()).filter(|known| known.fits(&number)).peekable();
    fitting.peek()?;
    let context = Context::before(text, from);
    let form: Vec<String> = written.split('-').map(|part| part.len().to_string()).collect();
    let form = form.join("-");
    fitting.find_map(|known| {
        let confidence = known.confidence(&form, &context)?;
        if !upper && confidence < Confidence::High {
            return None;
        }
        text.hit(from..to, RULE, known.kind, confidence, hits);
        Some(to)
    })
}

/// How many characters a number has, and which are digits, one bit each.
fn shape(written: &[u8]) -> Option<(usize, u32)> {
    let (mut length, mut digits) = (0, 0);
    for byte in written.iter().filter(|byte| **byte != b'-') {
        digits |= u32::from(byte.is_ascii_digit()).checked_shl(length)?;
        length += 1;
    }
    let length = usize::try_from(length).ok()?;
    (LEAST..=MOST).contains(&length).then_some((length, digits))
}

/// The kind of a number under a key that names it.
pub(super) fn keyed(key: &str, value: &str) -> Option<&'static str> {
    let number: Vec<u8> =
        value.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_uppercase()).collect();
    let names = |known: &Number| known.words.split(',').any(|word| key.contains(word));
    of_length(number.len()).find(|known| known.checked && known.fits(&number) && names(known)).map(|known| known.kind)
}

/// How many rows of the table were read.
#[cfg(test)]
pub(super) fn count() -> usize {
    NUMBERS.len()
}
