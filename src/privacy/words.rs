//! Fixed strings that start something, all looked for in one pass over a text.

use aho_corasick::packed::{Config, MatchKind as PackedKind, Searcher};
use aho_corasick::{AhoCorasick, AhoCorasickKind, Match, MatchKind};

/// From here on a text is long.
const LONG: usize = 24;

/// Which of several strings that begin at one place is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    First,
    Longest,
}

/// A set of strings.
///
/// In long texts, several bytes are looked at together to find out where none of them can be. In short ones that takes longer
/// than it saves.
pub(super) struct Words {
    of_short: Option<AhoCorasick>,
    /// `None` on machines that can't look at many bytes at a time, and for more than 64 strings.
    of_long: Option<Searcher>,
}

impl Words {
    pub(super) fn new(choice: Choice, words: &[impl AsRef<[u8]>]) -> Self {
        let (kind, packed) = match choice {
            Choice::First => (MatchKind::LeftmostFirst, PackedKind::LeftmostFirst),
            Choice::Longest => (MatchKind::LeftmostLongest, PackedKind::LeftmostLongest),
        };
        let mut automaton = AhoCorasick::builder();
        automaton.kind(Some(AhoCorasickKind::DFA)).match_kind(kind).prefilter(false);
        Self {
            // The words are compiled in, and a test builds all of them.
            of_short: automaton.build(words).ok(),
            of_long: Config::new().match_kind(packed).builder().extend(words).build(),
        }
    }

    /// All that stand in a text, from left to right, without overlap.
    pub(super) fn find(&self, text: &[u8]) -> impl Iterator<Item = Match> {
        let of_long = self.of_long.as_ref().filter(|_| text.len() >= LONG);
        let of_short = self.of_short.as_ref().filter(|_| of_long.is_none());
        let short = of_short.into_iter().flat_map(move |automaton| automaton.find_iter(text));
        short.chain(of_long.into_iter().flat_map(move |searcher| searcher.find_iter(text)))
    }

    /// Whether one of them stands in a short text.
    pub(super) fn is_in(&self, text: &[u8]) -> bool {
        self.of_short.as_ref().is_some_and(|automaton| automaton.is_match(text))
    }
}

#[cfg(test)]
mod tests {
    use super::{Choice, LONG, Words};

    /// Both ways to search find the same.
    #[test]
    fn words_are_found_in_short_and_long_texts_alike() {
        let text = "key, keyring, -----BEGIN token, keys";
        for (choice, expected) in [
            (Choice::First, [(0, 0..3), (0, 5..8), (3, 14..24), (2, 25..30), (0, 32..35)]),
            (Choice::Longest, [(0, 0..3), (1, 5..12), (3, 14..24), (2, 25..30), (0, 32..35)]),
        ] {
            let set = Words::new(choice, &["key", "keyring", "token", "-----BEGIN"]);
            for text in [text.to_owned(), text.to_owned() + &" ".repeat(LONG)] {
                let found = set.find(text.as_bytes()).map(|found| (found.pattern().as_usize(), found.range()));
                assert_eq!(found.collect::<Vec<_>>(), expected);
            }
        }
    }
}
