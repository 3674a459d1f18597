//! Patterns as small automata: exact match, intersection and inclusion, all linear or bounded, none backtracking.
//!
//! A pattern becomes a program of a few steps. A text is matched by walking all live steps at once (linear in text ×
//! steps). Whether two patterns share a text is a search over pairs of steps; whether every text of one is a text of
//! one of many is a search over a step and the set of steps the others may be in, cut off by a budget. A search that
//! runs out of budget answers in the direction that closes: patterns meet, nothing is included.

mod compile;
mod pairs;
mod search;
mod set;
mod shell;

use std::sync::OnceLock;

use set::Set;

pub(crate) use pairs::Pairs;
pub use search::Answer;

/// One step of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// Consumes one character of the set.
    One(Set),
    /// Consumes any number of characters of the set.
    Many(Set),
    /// Goes on at the next step and at the named one.
    Fork(usize),
    /// Goes on at the named one.
    Jump(usize),
    Accept,
}

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Glob {
    steps: Vec<Step>,
    /// Every text starts and ends with these: most texts are rejected by them alone.
    prefix: String,
    suffix: String,
    /// And holds these.
    pairs: Pairs,
    cuts: OnceLock<Vec<u32>>,
    witness: OnceLock<Option<String>>,
    /// Every text that starts with this is matched: what `src/**` comes down to.
    covers: Option<String>,
    /// The prefix is all there is, and what starts with this: what a directory comes down to.
    below: Option<String>,
}

/// The most characters a pattern may have.
pub(crate) const LONGEST: usize = 1_024;

impl Glob {
    fn new(steps: Vec<Step>) -> Self {
        let (prefix, suffix) = compile::literal_ends(&steps);
        let pairs = Pairs::of_steps(&steps);
        Self::with_ends(steps, prefix, suffix, pairs)
    }

    fn with_ends(mut steps: Vec<Step>, prefix: String, suffix: String, pairs: Pairs) -> Self {
        steps.push(Step::Accept);
        Self {
            steps,
            prefix,
            suffix,
            pairs,
            cuts: OnceLock::new(),
            witness: OnceLock::new(),
            covers: None,
            below: None,
        }
    }

    /// Whether the text is one of the pattern's, whole.
    pub fn matches(&self, text: &str) -> bool {
        self.matches_text(text, Pairs::of_text(text))
    }

    /// The same, for a text that is compared with many patterns.
    #[inline]
    pub(crate) fn matches_text(&self, text: &str, pairs: Pairs) -> bool {
        // What is covered has the pairs, too.
        self.pairs.all_in(pairs) && self.matches_whole(text)
    }

    fn matches_whole(&self, text: &str) -> bool {
        self.covers(text)
            || text.starts_with(self.prefix.as_str())
                && text.ends_with(self.suffix.as_str())
                && search::accepts(&self.steps, text)
    }

    fn covers(&self, start: &str) -> bool {
        self.covers.as_deref().is_some_and(|covered| start.starts_with(covered))
    }

    /// Whether some text is matched by both.
    pub fn meets(&self, other: &Self) -> Answer {
        // A text that starts (ends) with two literals starts with the shorter in the longer: most pairs end here.
        let (prefix, suffix) = (self.prefix.as_str(), self.suffix.as_str());
        let starts = prefix.starts_with(other.prefix.as_str()) || other.prefix.starts_with(prefix);
        let ends = suffix.ends_with(other.suffix.as_str()) || other.suffix.ends_with(suffix);
        if starts && ends { search::meets(&self.steps, &other.steps) } else { Answer::No }
    }

    /// Whether every text of this pattern is matched by one of `others`.
    pub fn within(&self, others: &[&Self]) -> Answer {
        let holds = |other: &&Self| {
            let below = self.below.as_deref();
            other.covers(&self.prefix) || below.is_some_and(|below| other.covers(below) && other.matches(&self.prefix))
        };
        if others.iter().any(holds) {
            return Answer::Yes;
        }
        // One text of ours that none of them matches settles it, and finding out is linear.
        let refuted = self.witness().is_some_and(|text| !others.iter().any(|other| other.matches(text)));
        if refuted {
            return Answer::No;
        }
        // One of many that includes it alone: a search among all of them at once may run out of budget before it finds it.
        let may_alone = |other: &&&Self| {
            let ends = |own: &str, end: &str| end.is_empty() || own.ends_with(end);
            self.prefix.starts_with(&other.prefix) && ends(&self.suffix, &other.suffix)
        };
        let alone = others.len() > 1
            && others.iter().filter(may_alone).any(|other| search::within(self, &[other]) == Answer::Yes);
        if alone { Answer::Yes } else { search::within(self, others) }
    }

    /// A short text of the pattern.
    fn witness(&self) -> Option<&str> {
        self.witness.get_or_init(|| search::witness(&self.steps)).as_deref()
    }

    #[cfg(test)]
    pub(crate) fn pairs(&self) -> Pairs {
        self.pairs
    }

    /// The text every match starts with.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    fn cuts(&self) -> &[u32] {
        self.cuts.get_or_init(|| {
            let mut cuts: Vec<u32> = self
                .steps
                .iter()
                .flat_map(|step| match step {
                    Step::One(set) | Step::Many(set) => set.cuts().collect(),
                    Step::Fork(_) | Step::Jump(_) | Step::Accept => Vec::new(),
                })
                .collect();
            cuts.sort_unstable();
            cuts.dedup();
            cuts
        })
    }
}

#[cfg(test)]
mod tests;
