//! Words with digits: numbers in groups, and words that mix digits and letters.

use super::text::Text;
use super::{card, cloud, encoded, iban, ip, mac, national, phone, telling};
use crate::bits::Blocks;
use crate::hit::Hit;

/// Most groups of one number that are read: the longest telephone numbers have seven.
const MOST_GROUPS: usize = 8;

pub(super) fn find(text: &Text<'_>, blocks: &Blocks<'_>, hits: &mut Vec<Hit>) {
    find_at(text, telling::offsets(blocks), hits);
}

/// Looks at the numbers that start at these digits.
fn find_at(text: &Text<'_>, digits: impl Iterator<Item = usize>, hits: &mut Vec<Hit>) {
    let mut at = 0;
    for digit in digits {
        if digit >= at {
            at = one(text, digit, at, hits);
        }
    }
}

/// Looks at the word around a digit, of which what lies before `from` has been read; gives where it ends.
fn one(text: &Text<'_>, digit: usize, from: usize, hits: &mut Vec<Hit>) -> usize {
    let mut start = text.run_back(digit, digit - from, |byte| byte.is_ascii_alphanumeric());
    if text.before(start) == b'\\' && matches!(text.at(start), b'n' | b't' | b'r') {
        start += 1;
    }
    let numeric = text.run(start, usize::MAX, |byte| byte.is_ascii_digit());
    let end = text.run(numeric, usize::MAX, |byte| byte.is_ascii_alphanumeric());
    let read = if end - start == 8 && text.at(end) == b'-' && is_uuid(text, start) {
        start + UUID
    } else if numeric == end {
        number(text, start, end, hits)
    } else {
        word(text, start, end, hits)
    };
    read.max(end)
}

/// Length of a UUID as text (RFC 9562 section 4).
const UUID: usize = 36;

/// Logs are full of UUIDs, and nothing in one is of use here.
fn is_uuid(text: &Text<'_>, start: usize) -> bool {
    let groups = || text.piece(start, start + UUID).split(|byte| *byte == b'-').map(<[u8]>::len);
    text.at(start + 13) == b'-' && groups().eq([8, 4, 4, 4, 12])
}

/// Runs of digits with single separators between them.
pub(super) struct Groups {
    spans: [(usize, usize); MOST_GROUPS],
    count: usize,
}

impl Groups {
    /// Reads from the first run on.
    pub(super) fn read(text: &Text<'_>, start: usize, end: usize) -> Self {
        let mut groups = Self { spans: [(start, end); MOST_GROUPS], count: 1 };
        let mut last = end;
        for span in groups.spans.iter_mut().skip(1) {
            let Some(next) = next_group(text, last) else { break };
            *span = next;
            last = next.1;
            groups.count += 1;
        }
        groups
    }

    pub(super) fn spans(&self) -> &[(usize, usize)] {
        self.spans.get(..self.count).unwrap_or_default()
    }

    pub(super) fn lengths(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.spans().iter().map(|(start, end)| end - start)
    }

    /// Whether the first groups have these lengths, and one byte between any two.
    pub(super) fn begin(&self, lengths: &[usize]) -> bool {
        self.count >= lengths.len() && self.lengths().zip(lengths).all(|(length, wanted)| length == *wanted)
    }

    /// Whether the groups are these and no more, with one byte between them.
    pub(super) fn are(&self, text: &Text<'_>, lengths: &[usize], joint: u8) -> bool {
        self.lengths().eq(lengths.iter().copied()) && self.joint(text, self.count) == Some(joint)
    }

    /// The byte between two groups, where all of the first `count` have the same single one.
    pub(super) fn joint(&self, text: &Text<'_>, count: usize) -> Option<u8> {
        let mut joint = None;
        let spans = self.spans().get(..count)?;
        for ((_, end), (next, _)) in spans.iter().zip(spans.iter().skip(1)) {
            if end + 1 != *next || joint.is_some_and(|joint| joint != text.at(*end)) {
                return None;
            }
            joint = Some(text.at(*end));
        }
        joint
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn end(&self, count: usize) -> usize {
        count.checked_sub(1).and_then(|last| self.spans().get(last)).map_or(0, |(_, end)| *end)
    }

    /// The digits of the first `count` groups.
    pub(super) fn digits(&self, text: &Text<'_>, count: usize) -> Vec<u8> {
        let spans = self.spans().get(..count).unwrap_or_default();
        spans.iter().flat_map(|(start, end)| text.piece(*start, *end)).map(|byte| byte - b'0').collect()
    }
}

/// The digits behind a separator, if they are a group.
fn next_group(text: &Text<'_>, at: usize) -> Option<(usize, usize)> {
    let next = separator(text, at)?;
    let end = text.run(next, 40, |byte| byte.is_ascii_digit());
    (!text.at(end).is_ascii_alphabetic() || extends(text, end)).then_some((next, end))
}

/// `x12`: an extension.
fn extends(text: &Text<'_>, at: usize) -> bool {
    text.at(at) == b'x' && text.at(at + 1).is_ascii_digit()
}

/// Where the next group starts, if a separator and a digit follow.
fn separator(text: &Text<'_>, at: usize) -> Option<usize> {
    const LONG: [&[u8]; 9] =
        [b" (", b") ", b")-", b"-(", b" - ", b") - ", b" / ", "\u{a0}".as_bytes(), "\u{2011}".as_bytes()];
    let is_short = match text.at(at) {
        b' ' | b'-' | b'.' | b'/' | b'(' | b')' => true,
        0x80.. => false,
        _ => return None,
    };
    if is_short && text.at(at + 1).is_ascii_digit() {
        return Some(at + 1);
    }
    // Most numbers are followed by a word.
    if text.at(at + 1).is_ascii_alphabetic() {
        return None;
    }
    let found = LONG
        .iter()
        .find(|separator| text.starts_with(at, separator) && text.at(at + separator.len()).is_ascii_digit())?;
    Some(at + found.len())
}

/// Whether the number is the end of a longer name or number.
pub(super) fn is_joined(text: &Text<'_>, start: usize) -> bool {
    match text.before(start) {
        b'_' | b'#' | b'$' | b'%' | b'@' | b'&' | b'\\' => !text.follows_escape(start),
        b'.' | b'-' | b',' | b'/' => {
            let earlier = start.checked_sub(2).map_or(0, |at| text.at(at));
            earlier.is_ascii_alphanumeric() || matches!(earlier, b'_' | b')' | b']')
        }
        b':' => start.checked_sub(2).is_some_and(|at| text.at(at).is_ascii_digit()),
        b'*' | b'^' | b'~' => true,
        byte => byte.is_ascii_alphanumeric() && !text.follows_escape(start),
    }
}

/// Whether the number goes on, as a decimal, a time, a range or a name.
pub(super) fn goes_on(text: &Text<'_>, end: usize) -> bool {
    match text.at(end) {
        b'_' | b'%' | b'\\' => text.at(end) != b'\\',
        b'.' | b',' | b'/' | b'-' | b':' => text.at(end + 1).is_ascii_digit(),
        byte => byte.is_ascii_alphanumeric(),
    }
}

/// Fewer digits are nobody's number, but for addresses of machines.
const LEAST_DIGITS: usize = 7;

/// Hexadecimal digits between `:`, `-` or `.`: addresses of machines.
fn address(text: &Text<'_>, start: usize, end: usize, hits: &mut Vec<Hit>) -> Option<usize> {
    let length = end - start;
    if length > 4 {
        return None;
    }
    let (left, right) = (text.before(start), text.at(end));
    let mut read = end;
    if left == b':' || right == b':' {
        read = ip::colons(text, start, end, hits);
    }
    let beside = |joint: u8| left == joint || right == joint;
    if length == 2 && (beside(b':') || beside(b'-')) || length == 4 && beside(b'.') {
        read = read.max(mac::find(text, start, end, hits));
    }
    (read > end).then_some(read)
}

fn number(text: &Text<'_>, start: usize, end: usize, hits: &mut Vec<Hit>) -> usize {
    if let Some(read) = address(text, start, end, hits) {
        return read;
    }
    if end - start < 5 && !matches!(text.at(end), b' ' | b'-' | b'.' | b'/' | b'(' | b')' | 0x80..) {
        return end;
    }
    if !may_say_something(text, start, end) {
        return end;
    }
    let groups = Groups::read(text, start, end);
    if groups.len() == MOST_GROUPS && groups.joint(text, MOST_GROUPS) == Some(b' ') {
        // A row of a table, or bytes of a dump.
        return groups.end(MOST_GROUPS - 1);
    }
    grouped(text, start, &groups, hits)
}

/// Whether there are enough digits, or groups of them, for any number: most are told by the first ones.
fn may_say_something(text: &Text<'_>, start: usize, end: usize) -> bool {
    let (mut groups, mut digits, mut last) = (1, end - start, end);
    while groups < 4 && digits < LEAST_DIGITS {
        let Some((next, end)) = next_group(text, last) else { return false };
        (groups, digits, last) = (groups + 1, digits + end - next, end);
    }
    true
}

fn grouped(text: &Text<'_>, start: usize, groups: &Groups, hits: &mut Vec<Hit>) -> usize {
    let (first, _) = groups.spans().first().copied().unwrap_or_default();
    if let Some(read) = ip::dotted(text, groups, hits) {
        return read;
    }
    if let Some(read) = card::find(text, groups, hits) {
        return read;
    }
    if let Some(read) = national::digits(text, groups, hits) {
        return read;
    }
    if groups.len() == 1 || groups.lengths().next() == Some(12) {
        let end = groups.end(1);
        cloud::digits(text, first, end, hits);
    }
    phone::national(text, groups, hits).unwrap_or(start)
}

/// No number of a person or an account is a longer word.
const LONGEST_WORD: usize = 40;

/// A word with digits and letters.
fn word(text: &Text<'_>, start: usize, end: usize, hits: &mut Vec<Hit>) -> usize {
    let length = end - start;
    if let Some(read) = address(text, start, end, hits) {
        return read;
    }
    let read = if length <= LONGEST_WORD {
        iban::find(text, start, end, hits)
            .or_else(|| extended(text, start, end, hits))
            .or_else(|| national::word(text, start, end, hits))
    } else {
        None
    };
    if let Some(read) = read {
        return read;
    }
    if length >= encoded::LEAST_WORD { encoded::base64(text, start, end, hits) } else { end }
}

/// A number with an extension: `555-123-4567x89` starts as `5551234567x89` does.
fn extended(text: &Text<'_>, start: usize, end: usize, hits: &mut Vec<Hit>) -> Option<usize> {
    let digits = text.run(start, 12, |byte| byte.is_ascii_digit());
    if digits - start < 7 || digits >= end || !extends(text, digits) {
        return None;
    }
    phone::national(text, &Groups::read(text, start, digits), hits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::text::Text;
    use super::{Blocks, find_at};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// Nothing is found at the numbers that are left out.
        #[test]
        fn numbers_that_are_left_out_say_nothing(words in proptest::collection::vec(word(), 0..12)) {
            let text = words.concat();
            let text = Text::new(None, &text);
            let starts = |at: &usize| text.at(*at).is_ascii_digit() && !text.before(*at).is_ascii_digit();
            let (mut all, mut telling) = (Vec::new(), Vec::new());
            find_at(&text, (0..text.bytes.len()).filter(starts), &mut all);
            super::find(&text, &Blocks::of(text.bytes), &mut telling);
            prop_assert_eq!(telling, all, "{}", text.whole);
        }
    }

    fn word() -> impl Strategy<Value = String> {
        prop_oneof![
            2 => "[0-9]{1,8}",
            2 => "[0-9a-zA-Z]{1,8}",
            8 => r"[ :./()\\n-]| - |\) |\) - |é|tel |\\n",
            1 => "([0-9a-f]{2}-){5}[0-9a-f]{2}|([0-9a-f]{2}:){5}[0-9a-f]{2}|([0-9a-f]{4}\\.){2}[0-9a-f]{4}",
            1 => r"(mac )?([0-9]{2}(-[a-f]{2}){5}|([a-f]{2}-){5}[0-9]{2})|mac ([0-9]{4}(\.[a-f]{4}){2}|([a-f]{4}\.){2}[0-9]{4})",
            1 => "2[0-9a-f]{3}(:[0-9a-f]{1,4}){7}|2a[0-9a-f]{2}:[a-f]{2}::[0-9a-f]|[0-9]{1,3}(\\.[0-9]{1,3}){3}",
            1 => "(1[ -])?\\(?[2-9][0-9]{2}(-|\\.| |\\) |\\)-)[2-9][0-9]{2}[-. ][0-9]{4}(x[0-9]{2})?|0[1-9]( [0-9]{2}){4}",
            1 => "GB82 WEST 1234 5698 7654 32|GB82-WEST-1234-5698-7654-32|DE89 3704 0044 0532 0130 00",
            1 => "4111 1111 1111 1111|4[0-9]{3}(-[0-9]{4}){3}|[0-9]{3}-[0-9]{2}-[0-9]{4}|1EG4-TE5-MK73|[A-Z]{2} ?[0-9]{6} ?[A-D]",
        ]
    }
}
