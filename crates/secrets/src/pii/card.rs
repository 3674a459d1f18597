//! Payment cards: ISO/IEC 7812 numbers with the check digit of annex B (Luhn).

use std::ops::Range;
use std::sync::LazyLock;

use agent_strace_model::finding::RuleId;

use super::context::{Context, Family};
use super::national::checks::luhn;
use super::numbers::{Groups, goes_on, is_joined};
use super::text::{Text, rows};
use crate::hit::{Confidence, Hit};

/// How cards print their numbers.
const PRINTED: [&[usize]; 5] = [&[4, 4, 4, 4], &[4, 6, 5], &[4, 6, 4], &[4, 4, 4, 4, 3], &[4, 4, 4, 1]];

pub(super) fn find(text: &Text<'_>, groups: &Groups, hits: &mut Vec<Hit>) -> Option<usize> {
    let first = groups.lengths().next()?;
    let count = if first >= 12 {
        1
    } else if first == 4 {
        let printed = PRINTED.iter().rev().find(|lengths| groups.begin(lengths))?;
        matches!(groups.joint(text, printed.len())?, b' ' | b'-').then_some(printed.len())?
    } else {
        return None;
    };
    let (start, end) = (groups.spans().first()?.0, groups.end(count));
    let digits = groups.digits(text, count);
    if !(12..=19).contains(&digits.len()) || !luhn(&digits) {
        return None;
    }
    let context = Context::before(text, start);
    let brand = brand(&digits).or_else(|| context.says(Family::Card).then_some("card"))?;
    if is_joined(text, start) || goes_on(text, end) {
        return None;
    }
    let confidence = confidence(text, start..end, &digits, count, &context)?;
    text.hit(start..end, RuleId::PiiCard.as_str(), brand, confidence, hits);
    Some(end)
}

fn confidence(
    text: &Text<'_>,
    Range { start, end }: Range<usize>,
    digits: &[u8],
    count: usize,
    context: &Context<'_>,
) -> Option<Confidence> {
    let card = context.says(Family::Card);
    if is_published(digits) {
        return Some(Confidence::Low);
    }
    if card {
        return Some(Confidence::High);
    }
    if count > 1 {
        // Coordinates come in rows of four digits, too, behind the letter of a drawing command.
        let space = text.at(start + 4) == b' ';
        let listed = text.before(start) == b' ' && start.checked_sub(2).is_some_and(|at| text.at(at).is_ascii_digit());
        return match space {
            true if listed || context.nearest_is_letter() => None,
            true => Some(Confidence::Low),
            false => Some(Confidence::Medium),
        };
    }
    // Numbers that count something have as many digits, and one in ten has the right check digit.
    if context.ends_with(Family::Counter) || text.before(start) == b'.' {
        return None;
    }
    // So have the numbers in programs and their data: what stands alone or in quotes is more likely to be a card.
    let alone = is_alone(text.before(start)) && is_alone(text.at(end)) || text.follows_escape(start);
    Some(if alone && matches!(digits.len(), 15 | 16) { Confidence::Medium } else { Confidence::Low })
}

fn is_alone(beside: u8) -> bool {
    matches!(beside, 0 | b' ' | b'\n' | b'\t' | b'\r' | b'"' | b'\'' | b'.' | b'?' | b'!' | b'|' | b'\\')
}

/// A range of issuers.
struct Issuers {
    brand: &'static str,
    first: u32,
    last: u32,
    /// How many digits the ends of the range have.
    width: usize,
    lengths: &'static str,
}

static ISSUERS: LazyLock<Vec<Issuers>> =
    LazyLock::new(|| rows(include_str!("tables/cards.tsv")).filter_map(Issuers::read).collect());

impl Issuers {
    fn read(row: &'static str) -> Option<Self> {
        let mut fields = row.split('\t');
        let (brand, first, last, lengths) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        Some(Self { brand, first: first.parse().ok()?, last: last.parse().ok()?, width: first.len(), lengths })
    }

    fn have(&self, digits: &[u8]) -> bool {
        let prefix = digits.iter().take(self.width).fold(0u32, |sum, digit| sum * 10 + u32::from(*digit));
        (self.first..=self.last).contains(&prefix)
            && self.lengths.split(',').any(|length| length.parse() == Ok(digits.len()))
    }
}

/// The brand whose numbers start and are as long as this one.
fn brand(digits: &[u8]) -> Option<&'static str> {
    ISSUERS.iter().find(|issuers| issuers.have(digits)).map(|issuers| issuers.brand)
}

/// Numbers that payment providers publish for tests: anybody's, so nobody's.
fn is_published(digits: &[u8]) -> bool {
    let number: String = digits.iter().map(|digit| char::from(b'0' + digit)).collect();
    rows(include_str!("tables/published_cards.txt")).any(|published| published == number)
}

/// How many rows of the table were read.
#[cfg(test)]
pub(super) fn count() -> usize {
    ISSUERS.len()
}
