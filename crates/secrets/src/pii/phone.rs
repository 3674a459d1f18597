//! Telephone numbers: international ones by the plan of ITU-T E.164, national ones where something says so.

use std::ops::Range;
use std::sync::LazyLock;

use agent_strace_model::finding::RuleId;

use super::context::{Context, Family};
use super::numbers::{Groups, goes_on, is_joined};
use super::text::{Text, rows};
use crate::hit::{Confidence, Hit};

const RULE: &str = RuleId::PiiPhone.as_str();

/// E.164 section 6.1: at most 15 digits.
const MOST_DIGITS: usize = 15;

/// Country code, and the lengths that national numbers have, one bit each.
static CODES: LazyLock<Vec<(u32, u32)>> = LazyLock::new(|| {
    let mut codes: Vec<_> = rows(include_str!("tables/calling_codes.tsv")).filter_map(code).collect();
    codes.sort_unstable();
    codes
});

fn code(row: &'static str) -> Option<(u32, u32)> {
    let (code, lengths) = row.split_once('\t')?;
    let mut bits = 0;
    for range in lengths.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        for length in first.parse::<u32>().ok()?..=last.parse().ok()? {
            bits |= 1u32.checked_shl(length)?;
        }
    }
    Some((code.parse().ok()?, bits))
}

/// The digits that a country's code has, and the lengths of its numbers.
fn country(digits: &[u8]) -> Option<(usize, u32)> {
    (1..=3).find_map(|length| {
        let code = digits.get(..length)?.iter().fold(0, |code, digit| code * 10 + u32::from(*digit));
        let found = CODES.binary_search_by_key(&code, |(code, _)| *code).ok()?;
        Some((length, CODES.get(found)?.1))
    })
}

/// Looks at a `+`.
pub(super) fn plus(text: &Text<'_>, at: usize, hits: &mut Vec<Hit>) {
    let first = text.at(at + 1);
    if !matches!(first, b'1'..=b'9')
        || !text.opens(at)
        || matches!(text.before(at), b'+' | b'_' | b')' | b']' | b'}' | b'.' | b'^' | b'*')
    {
        return;
    }
    let start = at + 1;
    let end = text.run(start, MOST_DIGITS + 2, |byte| byte.is_ascii_digit());
    if text.at(end).is_ascii_alphabetic() && text.at(end) != b'x' {
        return;
    }
    let groups = Groups::read(text, start, end);
    let Some(count) = international(text, &groups, 0) else { return };
    let context = Context::before(text, at);
    let named =
        context.says(Family::Phone) || context.says(Family::Call) || text.piece(at.saturating_sub(4), at) == b"tel:";
    let end = extension(text, groups.end(count));
    if !named
        && (is_added_line(text, at) || is_decimal(text, &groups, count) || goes_on(text, end) && count == groups.len())
    {
        return;
    }
    let confidence = if named { Confidence::High } else { Confidence::Medium };
    text.hit(at..end, RULE, "international", confidence, hits);
}

/// A number on a line that a patch adds.
fn is_added_line(text: &Text<'_>, at: usize) -> bool {
    if text.before(at) != b'\n' {
        return false;
    }
    let line = text.run_back(at - 1, 200, |byte| byte != b'\n');
    matches!(text.at(line), b'+' | b'-' | b'@' | b' ')
}

/// `+33.123456789`, and sums of long numbers.
fn is_decimal(text: &Text<'_>, groups: &Groups, count: usize) -> bool {
    count == 2 && groups.joint(text, 2) == Some(b'.')
}

/// How many groups make a number with its country's code; `skip` digits before the code are no part of it.
fn international(text: &Text<'_>, groups: &Groups, skip: usize) -> Option<usize> {
    let all = groups.digits(text, groups.len());
    let (code, lengths) = country(all.get(skip..)?)?;
    (1..=groups.len()).rev().find(|count| {
        let spans = groups.spans().get(..*count).unwrap_or_default();
        let digits: usize = spans.iter().map(|(start, end)| end - start).sum();
        // `(0)` is dialled within the country only.
        let trunk = spans.iter().any(|(start, end)| text.piece(start.saturating_sub(1), end + 1) == b"(0)");
        let Some(national) = digits.checked_sub(code + skip + usize::from(trunk)) else { return false };
        let valid = national < 32 && lengths >> national & 1 == 1 && digits <= MOST_DIGITS + skip + 1;
        // Area codes of the North American plan start with 2 to 9.
        let area = code != 1 || all.get(skip) != Some(&1) || all.get(skip + 1).is_some_and(|digit| *digit > 1);
        valid && area
    })
}

/// `x12` after a number belongs to it.
fn extension(text: &Text<'_>, end: usize) -> usize {
    let digits = text.run(end + 1, 6, |byte| byte.is_ascii_digit());
    if text.at(end) == b'x' && digits > end + 1 { digits } else { end }
}

/// Looks at groups of digits that no `+` stands before.
pub(super) fn national(text: &Text<'_>, groups: &Groups, hits: &mut Vec<Hit>) -> Option<usize> {
    let start = groups.spans().first()?.0;
    let count = counted(groups)?;
    let open = text.before(start) == b'(' && text.at(groups.end(1)) == b')';
    let from = if open { start - 1 } else { start };
    let end = groups.end(count);
    let digits: usize = groups.lengths().take(count).sum();
    let singles = groups.lengths().filter(|length| *length == 1).count();
    if digits < 7 || singles > 2 || text.before(from) == b'+' || is_joined(text, from) || is_date(text, groups, count) {
        return None;
    }
    let context = Context::before(text, from);
    let (end, kind, confidence) = named(text, groups, from..end, count, &context)
        .map(|confidence| (end, "national", confidence))
        .or_else(|| dialled(text, groups).map(|(end, confidence)| (end, "international", confidence)))
        .or_else(|| north_american(text, groups, open, &context).map(|(end, confidence)| (end, "national", confidence)))
        .or_else(|| is_trunk_form(text, groups, count, &context).then_some((end, "national", Confidence::Low)))?;
    let end = extension(text, end);
    text.hit(from..end, RULE, kind, confidence, hits);
    Some(end)
}

/// How many groups a number may have: as many as stay within the digits of a number.
fn counted(groups: &Groups) -> Option<usize> {
    let mut digits = 0;
    let within = groups.lengths().take_while(|length| {
        digits += length;
        digits <= MOST_DIGITS
    });
    let count = within.count();
    let digits: usize = groups.lengths().take(count).sum();
    (digits >= 6).then_some(count)
}

/// `2026-03-02` and `02.03.2026` are dates.
fn is_date(text: &Text<'_>, groups: &Groups, count: usize) -> bool {
    let dates: [&[usize]; 6] = [&[4, 2, 2], &[2, 2, 4], &[1, 2, 4], &[2, 1, 4], &[4, 2], &[4, 4]];
    let fits = dates
        .iter()
        .any(|date| groups.begin(date) && groups.joint(text, date.len()).is_some_and(|joint| joint != b' '));
    let digits = groups.digits(text, count);
    let year = |at: usize| matches!(digits.get(at..at + 2), Some([1, 9] | [2, 0]));
    let span = groups.begin(&[4, 4]) && !(year(0) && year(4));
    fits && !span && (year(0) || year(4) || year(3))
}

/// A number that nearby words call a phone number.
fn named(
    text: &Text<'_>,
    groups: &Groups,
    Range { start: from, end }: Range<usize>,
    count: usize,
    context: &Context<'_>,
) -> Option<Confidence> {
    let digits: usize = groups.lengths().take(count).sum();
    let joint = groups.joint(text, count);
    if count == 2 && joint == Some(b'.') {
        return None;
    }
    let gap = gap(text, from);
    let phone = context.says(Family::Phone) && gap <= Gap::Line;
    let parted = count > 1 || text.before(from + 1) == b'(';
    if context.ends_with(Family::Counter)
        || (goes_on(text, end) && extension(text, end) == end && count == groups.len())
    {
        return None;
    }
    if phone && digits >= if parted { 7 } else { 8 } {
        return Some(Confidence::High);
    }
    let telling = matches!(digits, 7..=13) && (parted || text.at(from) == b'0' || digits >= 10);
    let apart = !context.says(Family::Counter);
    let plausible =
        is_grouped(groups, count) && !is_range(text, groups, count) && !is_counting(&groups.digits(text, count));
    if telling && apart && plausible && gap == Gap::None && context.says(Family::Call) {
        return Some(Confidence::Medium);
    }
    let after = Context::after(text, end);
    (telling && count > 1 && (after.says(Family::Phone) || after.names("office,mobile,home,work")))
        .then_some(Confidence::Medium)
        .or_else(|| (telling && (after.names("fax,mobile,office,cell"))).then_some(Confidence::Medium))
}

/// `1000-1199`.
fn is_range(text: &Text<'_>, groups: &Groups, count: usize) -> bool {
    count == 2 && groups.joint(text, 2) == Some(b'-') && groups.begin(&[4, 4])
}

/// `1234567890`.
fn is_counting(digits: &[u8]) -> bool {
    digits.iter().zip(digits.iter().skip(1)).all(|(digit, next)| (digit + 1) % 10 == *next)
}

/// What stands between a number and the word before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    /// One end of a line.
    Line,
    /// Other numbers, or too much.
    Wide,
}

fn gap(text: &Text<'_>, from: usize) -> Gap {
    let start = text.run_back(from, 12, |byte| !byte.is_ascii_alphanumeric() && byte < 0x80);
    let between = text.piece(start, from);
    let escaped = text.before(start) == b'n' && text.before(start - 1) == b'\\';
    let lines = memchr::memchr_iter(b'\n', between).count() + usize::from(escaped);
    match lines {
        _ if between.len() >= 12 || text.before(start).is_ascii_digit() => Gap::Wide,
        0 if between.iter().all(|byte| matches!(byte, b' ' | b':' | b'"' | b'\'' | b'.' | b'('))
            && !between.ends_with(b"(\"") =>
        {
            Gap::None
        }
        0 | 1 => Gap::Line,
        _ => Gap::Wide,
    }
}

/// Groups of a telephone number are neither single digits nor very long.
fn is_grouped(groups: &Groups, count: usize) -> bool {
    count == 1 || groups.lengths().take(count).all(|length| length <= 9)
}

/// `00` and a country's code.
fn dialled(text: &Text<'_>, groups: &Groups) -> Option<(usize, Confidence)> {
    let digits = groups.digits(text, groups.len());
    if groups.len() < 3 || digits.get(..2) != Some(&[0, 0]) || !matches!(groups.lengths().next(), Some(2..=5)) {
        return None;
    }
    let count = international(text, groups, 2).filter(|count| *count >= 3)?;
    // Code points and words of dumps come in fours.
    if groups.lengths().all(|length| length == 4) {
        return None;
    }
    let end = groups.end(count);
    let joint = groups.joint(text, count);
    let confidence = match joint? {
        b'-' | b'/' => Confidence::Medium,
        b' ' if !is_in_table(text, groups) => Confidence::Low,
        _ => return None,
    };
    (!goes_on(text, end)).then_some((end, confidence))
}

/// `(201) 555-0123`, `201-555-0123`, and `201 555 0123`, which is less telling.
fn north_american(text: &Text<'_>, groups: &Groups, open: bool, context: &Context<'_>) -> Option<(usize, Confidence)> {
    if context.ends_with(Family::Counter) || context.ends_with(Family::Version) {
        return None;
    }
    if groups.are(text, &[1, 3, 3, 4], b'-') {
        // The trunk code goes before the area.
        let digits = groups.digits(text, 4);
        let fits = digits.first() == Some(&1) && digits.get(1).is_some_and(|digit| *digit > 1);
        let end = groups.end(4);
        return (fits && (!goes_on(text, end) || extension(text, end) > end)).then_some((end, Confidence::Medium));
    }
    if !groups.begin(&[3, 3, 4]) {
        return None;
    }
    let end = groups.end(3);
    let extended = extension(text, end) > end;
    if goes_on(text, end) && !extended || groups.len() > 3 && text.at(end) != b' ' {
        return None;
    }
    let digits = groups.digits(text, 3);
    let leads = |at: usize| digits.get(at).is_some_and(|digit| *digit > 1);
    if open {
        return leads(0).then_some((end, Confidence::Medium));
    }
    match groups.joint(text, 3)? {
        b'-' if leads(0) && leads(3) && !is_round(&digits) => Some((end, Confidence::Medium)),
        b'.' if extended && leads(0) && leads(3) => Some((end, Confidence::Low)),
        b' ' | b'-' if leads(0) && digits.get(3) != Some(&0) && groups.len() == 3 && !is_in_table(text, groups) => {
            Some((end, Confidence::Low))
        }
        _ => None,
    }
}

/// Groups in which numbers with a leading 0 are written: France, Turkey, Australia, Japan, the United Kingdom.
fn is_trunk_form(text: &Text<'_>, groups: &Groups, count: usize, context: &Context<'_>) -> bool {
    const FORMS: [&[usize]; 6] = [&[2, 2, 2, 2, 2], &[4, 3, 2, 2], &[1, 3, 3, 2, 2], &[4, 3, 3], &[3, 4, 4], &[5, 6]];
    let digits = groups.digits(text, count);
    let trunk = digits.first() == Some(&0) && digits.get(1).is_some_and(|digit| *digit > 0);
    let joint = groups.joint(text, count);
    trunk
        && count == groups.len()
        && FORMS.iter().any(|form| groups.lengths().eq(form.iter().copied()))
        && matches!(joint, Some(b' ' | b'-'))
        && !goes_on(text, groups.end(count))
        && !context.says(Family::Counter)
        && !is_in_table(text, groups)
}

/// `200-300-4000` is a range of numbers.
fn is_round(digits: &[u8]) -> bool {
    digits.get(1..3) == Some(&[0, 0]) && digits.get(4..6) == Some(&[0, 0])
}

/// Columns of numbers stand in lines of them.
fn is_in_table(text: &Text<'_>, groups: &Groups) -> bool {
    let start = groups.spans().first().map_or(0, |(start, _)| *start);
    let before = start.checked_sub(2).map_or(0, |at| text.at(at));
    let after = text.at(groups.end(groups.len()) + 1);
    let blank = |byte: u8| matches!(byte, b' ' | b'\t') || byte.is_ascii_digit();
    text.before(start) == b'\t'
        || text.before(start) == b' ' && (blank(before) || before == b',')
        || text.at(groups.end(groups.len())) == b'\t'
        || blank(after)
}

/// How many rows of the table were read.
#[cfg(test)]
pub(super) fn codes() -> usize {
    CODES.len()
}
