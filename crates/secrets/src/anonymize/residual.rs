//! Searches finished bytes for what should have gone.
//!
//! Rewriting undoes encodings and looks for values; this encodes the values and looks for that, in the bytes as they are,
//! and then does what rewriting does once more. Each would have to miss the same thing.

use std::collections::BTreeSet;
use std::io;
use std::ops::Range;

use aho_corasick::AhoCorasick;
use memchr::memchr_iter;

use super::class::Class;
use super::finder::Finder;
use super::matcher::stands_alone;
use super::spellings::{self, Case};
use super::survey::Known;
use super::{Options, Unfinished, class_of_rule};
use crate::stream::{self, Finding, Sink};

/// Something that is left, without what it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Residue {
    /// From 1.
    pub line: u64,
    /// Of its leaf; empty where that is not known.
    pub pointer: String,
    pub class: String,
}

/// More places say nothing more.
const MOST: usize = 100;

pub(super) fn search(options: &Options, known: &Known, finished: &[u8]) -> Result<Vec<Residue>, Unfinished> {
    let mut found = BTreeSet::new();
    let text = String::from_utf8_lossy(finished);
    let lines = Lines::of(text.as_bytes());
    let pieces = known.secrets.pieces(text.as_bytes()).into_iter().map(|range| (range, "secret"));
    for (range, class) in spelled(known, &text)?.into_iter().chain(pieces) {
        if found.len() >= MOST {
            break;
        }
        found.insert(Residue { line: lines.line(range.start), pointer: String::new(), class: class.to_owned() });
    }
    let finder = Finder::new(options, known.clone()).map_err(|_| Unfinished::TooMany)?;
    let mut told = ResidueSink { found: &mut found };
    stream::search(&mut &*finished, &finder, &mut told)?;
    // A place with a pointer says what one without it says.
    let exact: BTreeSet<(u64, String)> =
        found.iter().filter(|one| !one.pointer.is_empty()).map(|one| (one.line, one.class.clone())).collect();
    found.retain(|one| !one.pointer.is_empty() || !exact.contains(&(one.line, one.class.clone())));
    Ok(found.into_iter().collect())
}

struct Spelling<'s> {
    text: String,
    class: &'s str,
    /// Where it counts only as a word.
    word: Option<Class>,
}

/// Every spelling of every value, and where it stands.
fn spelled<'k>(known: &'k Known, text: &str) -> Result<Vec<(Range<usize>, &'k str)>, Unfinished> {
    let (mut exact, mut folded) = (Vec::new(), Vec::new());
    let mut add = |value: &str, class: &'k str, word: Option<Class>| {
        folded.push(Spelling { text: value.to_owned(), class, word });
        for spelling in spellings::of(value) {
            let list = if spelling.case == Case::Exact { &mut exact } else { &mut folded };
            list.push(Spelling { text: spelling.text, class, word: word.filter(|_| spelling.is_word) });
        }
    };
    for identity in known.table.all() {
        for form in &identity.forms {
            add(form, identity.class.name(), Some(identity.class));
        }
    }
    for (value, _) in known.secrets.values() {
        add(value, "secret", None);
    }
    let mut found = Vec::new();
    for (list, is_folded) in [(exact, false), (folded, true)] {
        if list.is_empty() {
            continue;
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(is_folded)
            .build(list.iter().map(|spelling| &spelling.text))
            .map_err(|_| Unfinished::TooMany)?;
        for one in automaton.find_overlapping_iter(text) {
            let Some(spelling) = list.get(one.pattern().as_usize()) else { continue };
            let range = one.start()..one.end();
            if spelling.word.is_none_or(|class| stands_alone(text, &range, class)) {
                found.push((range, spelling.class));
            }
        }
    }
    Ok(found)
}

struct Lines {
    ends: Vec<usize>,
}

impl Lines {
    fn of(bytes: &[u8]) -> Self {
        Self { ends: memchr_iter(b'\n', bytes).collect() }
    }

    fn line(&self, at: usize) -> u64 {
        self.ends.partition_point(|end| *end < at) as u64 + 1
    }
}

struct ResidueSink<'t> {
    found: &'t mut BTreeSet<Residue>,
}

impl Sink for ResidueSink<'_> {
    fn bytes(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn found(&mut self, finding: &Finding<'_>) -> io::Result<()> {
        if self.found.len() < 2 * MOST {
            let class = class_of_rule(finding.hit.rule).to_owned();
            self.found.insert(Residue { line: finding.line, pointer: finding.pointer.to_owned(), class });
        }
        Ok(())
    }
}
