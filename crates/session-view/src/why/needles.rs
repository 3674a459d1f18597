//! Paths and commands that are looked for in results, all in one pass over each text.

use std::collections::BTreeMap;

use aho_corasick::AhoCorasick;

/// Shorter ones stand in any text, unless they are more than a word.
const SHORTEST: usize = 3;

/// Paths and commands, and the last result that names each.
pub(super) struct Needles {
    indices: BTreeMap<String, usize>,
    last: Vec<Option<usize>>,
    /// `None`: there is nothing to look for, or too much of it.
    automaton: Option<AhoCorasick>,
}

/// A result that names something.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) index: usize,
    pub(super) text: String,
}

impl Needles {
    pub(super) fn of(texts: impl Iterator<Item = String>) -> Self {
        let mut indices: BTreeMap<String, usize> =
            texts.filter(|text| is_telling(text)).map(|text| (text, 0)).collect();
        for (index, entry) in indices.values_mut().enumerate() {
            *entry = index;
        }
        // Several of them may stand at one place, one inside of the other.
        let automaton = AhoCorasick::new(indices.keys()).ok().filter(|_| !indices.is_empty());
        Self { last: vec![None; indices.len()], indices, automaton }
    }

    /// Notes what a text names: whole components of paths and whole words, never parts of them.
    pub(super) fn look(&mut self, text: &str, index: usize) {
        let Some(automaton) = &self.automaton else { return };
        for found in automaton.find_overlapping_iter(text) {
            if is_whole(text, found.start(), found.end())
                && let Some(last) = self.last.get_mut(found.pattern().as_usize())
            {
                *last = Some(index);
            }
        }
    }

    pub(super) fn last(&self, text: &str) -> Option<Found> {
        let index = (*self.last.get(*self.indices.get(text)?)?)?;
        Some(Found { index, text: text.to_owned() })
    }

    pub(super) fn forget(&mut self) {
        self.last.fill(None);
    }
}

fn is_telling(text: &str) -> bool {
    let is_more_than_a_word = text.contains(['/', '.', ' ']);
    text.len() >= SHORTEST && is_more_than_a_word && !text.contains('*')
}

/// Whether neither end stands inside of a word. A path may stand behind the folder that it lies in.
fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    let joins = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '~');
    let begins = before.chars().next_back().is_none_or(|character| !joins(character) && character != '.');
    let mut following = after.chars();
    let ends = match following.next() {
        None => true,
        // The end of a sentence, not of a name.
        Some('.') => following.next().is_none_or(|character| !joins(character)),
        Some(character) => !joins(character) && character != '/',
    };
    begins && ends
}

#[cfg(test)]
mod tests {
    use super::Needles;

    #[test]
    fn names_are_found_whole() {
        for (needle, text, found) in [
            ("src/auth.py", "src/auth.py:3: x", true),
            ("src/auth.py", "in /home/dana/app/src/auth.py.", true),
            ("src/auth.py", "src/auth.pyc", false),
            ("src/auth.py", "src/auth.py.bak", false),
            ("src/auth.py", "xsrc/auth.py", false),
            ("src/auth.py", "src/auth.py/x", false),
            ("auth.py", "my-auth.py", false),
            ("uv run pytest", "try: `uv run pytest`", true),
            ("uv run pytest", "uv run pytest2", false),
            ("a", "a a a", false),
            ("src/**", "src/**", false),
        ] {
            let mut needles = Needles::of([needle.to_owned(), "other/x".to_owned()].into_iter());
            needles.look(text, 7);
            assert_eq!(needles.last(needle).is_some(), found, "{needle} in {text}");
            needles.forget();
            assert!(needles.last(needle).is_none());
        }
    }
}
