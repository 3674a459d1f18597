//! Fixed strings that start something, all looked for in one pass over a text.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use aho_corasick::packed::{Config, MatchKind as PackedKind, Searcher};
use aho_corasick::{AhoCorasick, AhoCorasickKind, Match, MatchKind};
use memchr::memmem;

/// From here on a text is long.
const LONG: usize = 24;

/// Which of several strings that begin at one offset is found.
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
    of_short: Short,
    /// `None` on machines that can't look at many bytes at a time, and for more than 64 strings.
    of_long: Option<Searcher>,
}

/// For short texts. A table of all states is the fastest, and takes longer to make than a process lives that looks at one
/// call: it is made where it is used often.
struct Short {
    words: Vec<Vec<u8>>,
    kind: MatchKind,
    at_first: OnceLock<Option<AhoCorasick>>,
    often: OnceLock<Option<AhoCorasick>>,
    asked: AtomicU32,
}

/// From so many texts on.
const OFTEN: u32 = 2_000;

impl Short {
    fn new(kind: MatchKind, words: &[impl AsRef<[u8]>]) -> Self {
        let words: Vec<Vec<u8>> = words.iter().map(|word| word.as_ref().to_vec()).collect();
        Self { words, kind, at_first: OnceLock::new(), often: OnceLock::new(), asked: AtomicU32::new(0) }
    }

    /// Counts a text. Whether there were many of them.
    fn is_often(&self) -> bool {
        self.asked.load(Ordering::Relaxed) >= OFTEN || self.asked.fetch_add(1, Ordering::Relaxed) >= OFTEN
    }

    fn get(&self, is_often: bool) -> Option<&AhoCorasick> {
        let (automata, way) = if is_often {
            (&self.often, AhoCorasickKind::DFA)
        } else {
            (&self.at_first, AhoCorasickKind::NoncontiguousNFA)
        };
        automata.get_or_init(|| automaton(way, self.kind, &self.words)).as_ref()
    }
}

/// The words are compiled in, and tests ask whether all of them were built.
fn automaton(way: AhoCorasickKind, kind: MatchKind, words: &[Vec<u8>]) -> Option<AhoCorasick> {
    let mut automaton = AhoCorasick::builder();
    automaton.kind(Some(way)).match_kind(kind).prefilter(false);
    automaton.build(words).ok()
}

impl Words {
    pub(super) fn new(choice: Choice, words: &[impl AsRef<[u8]>]) -> Self {
        let kind = match choice {
            Choice::First => PackedKind::LeftmostFirst,
            Choice::Longest => PackedKind::LeftmostLongest,
        };
        let of_long = Config::new().match_kind(kind).builder().extend(words).build();
        Self { of_long, ..Self::of_short(choice, words) }
    }

    /// For short texts only.
    pub(super) fn of_short(choice: Choice, words: &[impl AsRef<[u8]>]) -> Self {
        let kind = match choice {
            Choice::First => MatchKind::LeftmostFirst,
            Choice::Longest => MatchKind::LeftmostLongest,
        };
        Self { of_short: Short::new(kind, words), of_long: None }
    }

    /// All that stand in a text, from left to right, without overlap.
    pub(super) fn find(&self, text: &[u8]) -> impl Iterator<Item = Match> {
        let is_long = text.len() >= LONG;
        let is_often = !is_long && self.of_short.is_often();
        // Until a table pays, what is there anyway does for short texts, too.
        let of_long = self.of_long.as_ref().filter(|_| is_long || !is_often);
        let of_short = if of_long.is_none() { self.of_short.get(is_often) } else { None };
        let short = of_short.into_iter().flat_map(move |automaton| automaton.find_iter(text));
        short.chain(of_long.into_iter().flat_map(move |searcher| searcher.find_iter(text)))
    }

    /// Whether one of them stands in a short text.
    pub(super) fn is_in(&self, text: &[u8]) -> bool {
        if self.of_short.is_often() {
            return self.of_short.get(true).is_some_and(|automaton| automaton.is_match(text));
        }
        self.of_short.words.iter().any(|word| memmem::find(text, word).is_some())
    }
}

#[cfg(test)]
impl Words {
    pub(super) fn is_built_for_short(&self) -> bool {
        [false, true].into_iter().all(|is_often| self.of_short.get(is_often).is_some())
    }

    /// Whether both ways to search are there, on machines that can have both.
    pub(super) fn is_built(&self) -> bool {
        self.is_built_for_short() && (self.of_long.is_some() || !cfg!(target_arch = "x86_64"))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::{Choice, LONG, OFTEN, Words};

    /// Both ways to search find the same.
    #[test]
    fn words_are_found_in_short_and_long_texts_alike() {
        let text = "key keyring token keys";
        assert!(text.len() < LONG);
        for (choice, expected) in [
            (Choice::First, [(0, 0..3), (0, 4..7), (2, 12..17), (0, 18..21)]),
            (Choice::Longest, [(0, 0..3), (1, 4..11), (2, 12..17), (0, 18..21)]),
        ] {
            let set = Words::new(choice, &["key", "keyring", "token"]);
            assert!(set.is_built());
            let texts = [text.to_owned(), text.to_owned() + &" ".repeat(LONG), text.to_owned()];
            for (text, often) in texts.iter().zip([0, 0, OFTEN]) {
                set.of_short.asked.fetch_max(often, Ordering::Relaxed);
                let found = set.find(text.as_bytes()).map(|found| (found.pattern().as_usize(), found.range()));
                assert_eq!(found.collect::<Vec<_>>(), expected, "{text}");
            }
        }
    }
}
