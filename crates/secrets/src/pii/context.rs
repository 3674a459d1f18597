//! Words beside a candidate that tell what it is.

use std::sync::LazyLock;

use super::text::{Text, is_word, rows};

/// What words say a number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// A telephone number for certain.
    Phone,
    /// Words that go before telephone numbers, among others.
    Call,
    Card,
    Mail,
    Address,
    Hardware,
    Iban,
    Account,
    /// What counts, measures or names something else.
    Counter,
    Version,
}

static WORDS: LazyLock<Vec<(u64, &'static str, Family)>> = LazyLock::new(|| {
    let mut words: Vec<_> = rows(include_str!("tables/context.tsv"))
        .filter_map(|row| row.split_once('\t'))
        .filter_map(|(family, words)| Family::named(family).map(|family| (family, words)))
        .flat_map(|(family, words)| words.split(' ').map(move |word| (head(word.as_bytes()), word, family)))
        .collect();
    words.sort_unstable_by_key(|(head, ..)| *head);
    words
});

impl Family {
    fn bit(self) -> u16 {
        1 << self as u16
    }

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "phone" => Self::Phone,
            "call" => Self::Call,
            "card" => Self::Card,
            "mail" => Self::Mail,
            "address" => Self::Address,
            "hardware" => Self::Hardware,
            "iban" => Self::Iban,
            "account" => Self::Account,
            "counter" => Self::Counter,
            "version" => Self::Version,
            _ => return None,
        })
    }
}

/// How far back words count, and how many of them.
const REACH: usize = 40;
const MOST_WORDS: usize = 5;
const MOST_SLOTS: usize = 10;
/// At least `MOST_WORDS`, and a power of two.
const RING: usize = 8;

/// The words before a candidate, the nearest first.
#[derive(Default, Clone, Copy)]
pub(super) struct Context<'a> {
    words: [&'a str; MOST_SLOTS],
    count: usize,
    /// Families of all words and of the nearest, one bit each.
    all: u16,
    nearest: u16,
}

impl<'a> Context<'a> {
    /// The words before `at`, and the key of the text.
    pub(super) fn before(text: &Text<'a>, at: usize) -> Self {
        let mut context = Self::default();
        let from = at.saturating_sub(REACH);
        if text.piece(from, at).iter().any(|byte| is_word(*byte) && !byte.is_ascii_digit()) {
            let from = (from..=at).find(|from| text.whole.is_char_boundary(*from)).unwrap_or(at);
            let words = split(text.string(from, at));
            let mut last = [""; RING];
            let mut count = 0;
            for word in words {
                if let Some(slot) = last.get_mut(count % RING) {
                    *slot = word;
                }
                count += 1;
            }
            for back in 1..=count.min(MOST_WORDS) {
                context.push(last.get((count - back) % RING).copied().unwrap_or_default());
            }
        }
        if at <= REACH
            && let Some(name) = text.name
        {
            // A key like `message` holds any text.
            let called = context;
            for word in split(name).take(MOST_SLOTS - MOST_WORDS) {
                context.push(word);
            }
            context.all = context.all & !Family::Call.bit() | called.all;
            context.nearest = context.nearest & !Family::Call.bit() | called.nearest;
        }
        context
    }

    /// The word right after a candidate.
    pub(super) fn after(text: &Text<'a>, at: usize) -> Self {
        let to = text.bytes.len().min(at + 12);
        let to = (at..=to).rev().find(|to| text.whole.is_char_boundary(*to)).unwrap_or(at);
        let mut context = Self::default();
        for word in split(text.string(at, to)).take(1) {
            context.push(word);
        }
        context
    }

    fn push(&mut self, word: &'a str) {
        let Some(slot) = self.words.get_mut(self.count) else { return };
        *slot = word;
        let families = families(word);
        if self.count == 0 {
            self.nearest = families;
        }
        self.count += 1;
        self.all |= families;
    }

    /// Whether one of the two nearest words is of the family.
    pub(super) fn nearly_ends_with(&self, family: Family) -> bool {
        self.words.iter().take(self.count.min(2)).any(|word| families(word) & family.bit() != 0)
    }

    /// Whether the nearest word is a single letter.
    pub(super) fn nearest_is_letter(&self) -> bool {
        self.words.first().is_some_and(|word| word.len() == 1)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether one of the words is of the family.
    pub(super) fn says(&self, family: Family) -> bool {
        self.all & family.bit() != 0
    }

    /// Whether the nearest word is of the family.
    pub(super) fn ends_with(&self, family: Family) -> bool {
        self.nearest & family.bit() != 0
    }

    /// Whether one of the words is one of these; one that ends with `-` is the start of a word.
    pub(super) fn names(&self, known: &str) -> bool {
        self.words.iter().take(self.count).any(|word| known.split(',').any(|known| is_named(word, known)))
    }
}

fn is_named(word: &str, known: &str) -> bool {
    match known.strip_suffix('-') {
        Some(stem) => word.get(..stem.len()).is_some_and(|head| head.eq_ignore_ascii_case(stem)),
        None => word.eq_ignore_ascii_case(known),
    }
}

/// The families of a word, one bit each. Longer words are in no table.
fn families(word: &str) -> u16 {
    let mut buffer = [0; 24];
    let Some(lower) = buffer.get_mut(..word.len()) else { return 0 };
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    let lower = &*lower;
    let key = head(lower);
    let from = WORDS.partition_point(|(known, ..)| *known < key);
    let same = WORDS.iter().skip(from).take_while(|(known, ..)| *known == key);
    same.filter(|(_, known, _)| known.as_bytes() == lower).fold(0, |all, (.., family)| all | family.bit())
}

/// The first eight bytes of a word as a number: comparing these is most of the search.
pub(super) fn head(word: &[u8]) -> u64 {
    word.iter().chain(std::iter::repeat(&0)).take(8).fold(0, |head, byte| head << 8 | u64::from(*byte))
}

/// Words of letters; `camelCase` and `snake_case` are several words, a digit or the letter of an escape is none.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(char::is_alphabetic)?;
            let escape = rest.get(..start).is_some_and(|head| head.ends_with('\\'));
            rest = rest.get(start..)?;
            if escape && let Some(after) = rest.strip_prefix(['n', 't', 'r']) {
                rest = after;
                continue;
            }
            let mut small = false;
            let end = rest.find(|character: char| {
                let ends = !character.is_alphabetic() || (small && character.is_uppercase());
                small = character.is_lowercase();
                ends
            });
            let (word, after) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
            rest = after;
            return Some(word);
        }
    })
}

/// How many rows of the table were read.
#[cfg(test)]
pub(super) fn count() -> usize {
    WORDS.len()
}
