//! Redaction of texts that belong together: what one of them gives away is secret in all of them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use agent_strace_model::finding::RuleId;
use aho_corasick::{AhoCorasick, MatchKind};

use super::find::merge;
use super::{Confidence, Hit, MARK, ROUNDS, Redacted, WORD_END, free_ranges, has_mark, replace, secret};

/// Shorter values are also ordinary words, and most of a longer one has to be hidden.
const SHORTEST: usize = 8;
/// How many different values are looked for, those of all texts together. The commands of a session give away a few dozen;
/// what finds the values takes memory for each of their bytes, and a hostile log may hold any number of them. The values
/// beyond are still hidden where a text shows by itself that they are secret, but not in their parts.
const MOST: usize = 1_000;

/// Values that a surrounding text gave away as secret. A part of that text, such as one line of a key or a path that was
/// made of a URL, doesn't show by itself what it is.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Finds the values; `None`: there are none.
    finder: Option<AhoCorasick>,
}

impl Known {
    /// The secrets of texts, such as those of the commands of one session.
    pub fn of<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        let mut values = BTreeSet::new();
        for text in texts {
            let text = text.as_ref();
            for hit in hits(text, &Self::default()).iter().filter(|hit| hit.confidence >= Confidence::Medium) {
                let room = MOST - values.len();
                let new = parts(text.get(hit.start..hit.end).unwrap_or_default()).filter(|part| !values.contains(part));
                values.extend(new.take(room).collect::<Vec<_>>());
            }
            if values.len() >= MOST {
                break;
            }
        }
        // Building fails only beyond any number of states that so few values have.
        let finder = || AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&values).ok();
        Self { finder: if values.is_empty() { None } else { finder() } }
    }

    pub fn is_empty(&self) -> bool {
        self.finder.is_none()
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
        finders.flat_map(move |finder| finder.find_iter(text)).map(|found| Hit {
            start: found.start(),
            end: found.end(),
            rule: RuleId::SecretKeyedSecret.as_str(),
            kind: "secret",
            confidence: Confidence::Medium,
        })
    }
}

/// Pieces of a secret that are secret by themselves: the lines of a key. A password that may as well be the name of a
/// folder or a database is hidden only where it is given.
fn parts(value: &str) -> impl Iterator<Item = String> {
    let is_part = |part: &&str| part.len() >= SHORTEST && !part.contains("-----") && !secret::may_be_a_name(part);
    let parts = value.split(|character: char| character.is_whitespace() || "\"'\\".contains(character));
    parts.filter(is_part).map(str::to_owned)
}

/// Finds secrets outside of marks, whose text is never searched.
fn hits(text: &str, known: &Known) -> Vec<Hit> {
    let find = |text: &str| {
        let mut hits = secret::find(None, text);
        let told = hits.len();
        hits.extend(known.find(text));
        if hits.len() > told { merge(hits) } else { hits }
    };
    if !has_mark(text) {
        return find(text);
    }
    let moved = |(start, end): (usize, usize)| {
        let hits = find(text.get(start..end).unwrap_or_default()).into_iter();
        hits.map(move |hit| Hit { start: hit.start + start, end: hit.end + start, ..hit })
    };
    free_ranges(text).into_iter().flat_map(moved).collect()
}
