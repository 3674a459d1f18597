//! Redaction of texts that belong together: what one of them gives away is secret in all of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use agent_strace_model::finding::RuleId;
use aho_corasick::{AhoCorasick, Match, MatchKind};

use super::find::merge;
use super::{Confidence, Hit, MARK, ROUNDS, Redacted, WORD_END, free_ranges, has_mark, replace, secret};

/// Shorter values are also ordinary words, and most of a longer one has to be hidden.
const SHORTEST: usize = 8;
/// Shorter values are hidden nowhere. Values between the two lengths are hidden only as words of their own.
const SHORTEST_WORD: usize = 4;
/// How many different values are looked for, those of all texts together. The commands of a session give away a few dozen;
/// what finds the values takes memory for each of their bytes, and a hostile log may hold any number of them. The values
/// beyond are still hidden where a text shows by itself that they are secret, but not in their parts.
const MOST: usize = 1_000;

/// Values that a surrounding text gave away as secret. A part of that text, such as one line of a key or a path that was
/// made of a URL, doesn't show by itself what it is.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Finds the values, in any case: a host is written in lower case. `None`: there are none.
    finder: Option<AhoCorasick>,
    /// For each value: it is hidden only where it is a word of its own.
    is_word: Vec<bool>,
}

/// Which of the secret values are looked for in other texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// A password that may as well be the name of a folder or a database is hidden only where it is given.
    Telling,
    /// Such a password, too.
    All,
}

impl Known {
    /// The secrets of texts, such as those of the commands of one session.
    pub fn of<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::wanted(texts, Wanted::Telling)
    }

    /// The secrets of one call, also those that may as well be names: what is made of the call and kept, such as an entry of
    /// a policy, must not hold any.
    pub fn of_call<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::wanted(texts, Wanted::All)
    }

    fn wanted<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, wanted: Wanted) -> Self {
        let mut values = BTreeMap::new();
        for text in texts {
            let text = text.as_ref();
            add(text, &free_hits(text), wanted, &mut values);
            if values.len() >= MOST {
                break;
            }
        }
        Self::finding(values)
    }

    fn finding(values: BTreeMap<String, bool>) -> Self {
        let (values, is_word): (Vec<String>, Vec<bool>) = values.into_iter().unzip();
        let mut builder = AhoCorasick::builder();
        builder.match_kind(MatchKind::LeftmostLongest).ascii_case_insensitive(true);
        // Building fails only beyond any number of states that so few values have.
        let finder = if values.is_empty() { None } else { builder.build(&values).ok() };
        Self { finder, is_word }
    }

    pub fn is_empty(&self) -> bool {
        self.finder.is_none()
    }

    /// Replaces the known values in a text, and nothing else.
    pub fn hide<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let hits: Vec<Hit> = self.find(text).collect();
        if hits.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(replace(text, &hits)) }
    }

    /// Replaces every secret in a text, also what is only likely one.
    pub fn redact<'t>(&self, text: impl Into<Cow<'t, str>>) -> Redacted {
        let mut text = text.into();
        for _ in 0..ROUNDS {
            let hits = hits(&text, self);
            if hits.is_empty() {
                return Redacted(text.into_owned());
            }
            text = Cow::Owned(replace(&text, &hits));
        }
        Redacted(format!("{MARK}text]"))
    }

    /// Replaces every secret in the words of one command. They are read as words, of which no value takes more than one,
    /// and as the text that messages show, in which `docker login -u a -p …` and an unquoted header are known.
    pub fn redact_words<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> Vec<Redacted> {
        let mut words: Vec<String> = words.into_iter().map(|word| word.replace(WORD_END, " ")).collect();
        for _ in 0..ROUNDS {
            let mut found = vec![Vec::new(); words.len()];
            // An option has a blank before it.
            for between in [format!("{WORD_END} "), " ".to_owned()] {
                self.collect(&words, &between, &mut found);
            }
            if found.iter().all(Vec::is_empty) {
                return words.into_iter().map(Redacted).collect();
            }
            for (word, hits) in words.iter_mut().zip(found).filter(|(_, hits)| !hits.is_empty()) {
                *word = replace(word, &merge(hits));
            }
        }
        words.iter().map(|_| Redacted(format!("{MARK}text]"))).collect()
    }

    /// Adds to each word what is secret in it where the words are joined.
    fn collect(&self, words: &[String], between: &str, found: &mut [Vec<Hit>]) {
        let joined = words.join(between);
        let hits = hits(&joined, self);
        let mut rest = hits.as_slice();
        let mut start = 0;
        for (word, found) in words.iter().zip(found) {
            let end = start + word.len();
            rest = rest.get(rest.iter().take_while(|hit| hit.end <= start).count()..).unwrap_or_default();
            // A key may go over many words, and its mark is put into each of them.
            let here = rest.iter().take_while(|hit| hit.start < end).map(|hit| Hit {
                start: hit.start.max(start) - start,
                end: hit.end.min(end) - start,
                ..hit.clone()
            });
            found.extend(here.filter(|hit| hit.start < hit.end));
            start = end + between.len();
        }
    }

    fn find<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Hit> + 't {
        let finders = self.finder.iter();
        let found = finders.flat_map(move |finder| finder.find_iter(text));
        let is_meant = move |found: &Match| {
            !self.is_word.get(found.pattern().as_usize()).is_some_and(|is_word| *is_word)
                || secret::is_whole_word(text, found.start(), found.end())
        };
        found.filter(is_meant).map(|found| Hit {
            start: found.start(),
            end: found.end(),
            rule: RuleId::SecretKeyedSecret.as_str(),
            kind: "secret",
            confidence: Confidence::Medium,
        })
    }
}

/// Adds the values of hits in a text, each with whether it is hidden only where it is a word of its own.
fn add(text: &str, hits: &[Hit], wanted: Wanted, values: &mut BTreeMap<String, bool>) {
    for hit in hits {
        let is_sure = hit.confidence >= Confidence::Medium;
        let value = text.get(hit.start..hit.end).unwrap_or_default();
        for part in parts(value).filter(|part| is_sure || wanted == Wanted::All && is_mixed(part)) {
            let is_telling = is_sure && part.len() >= SHORTEST && !secret::may_be_a_name(part);
            let is_wanted = is_telling || wanted == Wanted::All && part.len() >= SHORTEST_WORD;
            if is_wanted && values.len() < MOST && !values.contains_key(part) {
                values.insert(part.to_owned(), !is_telling);
            }
        }
    }
}

/// Returns true if a value is neither a word nor a number.
fn is_mixed(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_alphabetic()) && value.bytes().any(|byte| byte.is_ascii_digit())
}

/// Pieces of a secret that are secret by themselves: the lines of a key, and what is left of a password where a path is made
/// of it, whose separators and marks of patterns are written in another way.
fn parts(value: &str) -> impl Iterator<Item = &str> {
    let is_break = |character: char| character.is_whitespace() || "\"'\\".contains(character);
    let words = value.split(is_break).filter(|part| !part.contains("-----"));
    words.flat_map(|word| {
        let pieces = word.split(['/', '*', '?', '[', ']', '{', '}']).filter(move |piece| piece.len() < word.len());
        std::iter::once(word).chain(pieces)
    })
}

/// Finds secrets outside of marks, whose text is never searched, and the values of secrets wherever else they are.
fn hits(text: &str, known: &Known) -> Vec<Hit> {
    let mut hits = free_hits(text);
    let mut values = BTreeMap::new();
    add(text, &hits, Wanted::Telling, &mut values);
    let own = if values.is_empty() { Known::default() } else { Known::finding(values) };
    if known.is_empty() && own.is_empty() {
        return hits;
    }
    for (start, end) in free_ranges(text) {
        let piece = text.get(start..end).unwrap_or_default();
        let found = known.find(piece).chain(own.find(piece));
        hits.extend(found.map(|hit| moved(hit, start)));
    }
    merge(hits)
}

fn free_hits(text: &str) -> Vec<Hit> {
    if !has_mark(text) {
        return secret::find(None, text);
    }
    let find = |(start, end): (usize, usize)| {
        let hits = secret::find(None, text.get(start..end).unwrap_or_default()).into_iter();
        hits.map(move |hit| moved(hit, start))
    };
    free_ranges(text).into_iter().flat_map(find).collect()
}

fn moved(mut hit: Hit, by: usize) -> Hit {
    (hit.start, hit.end) = (hit.start + by, hit.end + by);
    hit
}
