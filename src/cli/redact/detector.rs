//! What is to be found: secrets, personal data where it is asked for, and the user's own patterns.

use regex::{Regex, RegexBuilder};

use super::super::failure::Failure;
use crate::privacy::{self, Confidence, Hit};
use crate::scrub::Detector;

/// Of one compiled pattern.
const LARGEST_PATTERN: usize = 1 << 20;

pub(super) struct Wanted {
    patterns: Vec<Regex>,
    least: Confidence,
    personal: bool,
}

impl Wanted {
    pub(super) fn new(patterns: &[String], least: Confidence, personal: bool) -> Result<Self, Failure> {
        let compile = |pattern: &String| {
            let built = RegexBuilder::new(pattern).size_limit(LARGEST_PATTERN).build();
            built.map_err(|error| pattern_failure(pattern, &error))
        };
        let patterns = patterns.iter().map(compile).collect::<Result<_, _>>()?;
        Ok(Self { patterns, least, personal })
    }

    /// Adds what the user's patterns find.
    fn with_patterns(&self, mut hits: Vec<Hit>, text: &str) -> Vec<Hit> {
        if self.patterns.is_empty() {
            return hits;
        }
        for pattern in &self.patterns {
            let matches = pattern.find_iter(text).filter(|found| !found.is_empty());
            hits.extend(matches.map(|found| Hit {
                start: found.start(),
                end: found.end(),
                rule: "secret/custom",
                kind: "custom",
                confidence: Confidence::High,
            }));
        }
        joined(hits)
    }
}

pub(super) fn is_personal(rule: &str) -> bool {
    rule.starts_with("pii/")
}

fn pattern_failure(pattern: &str, error: &regex::Error) -> Failure {
    match error {
        regex::Error::CompiledTooBig(_) => {
            Failure::new(format!("`--redact-pattern {pattern}` takes too much to search for"))
                .hint("bound its repetitions: `{1,100}` for `{1,100000}`")
        }
        // The library draws the pattern and points into it.
        other => Failure::new("`--redact-pattern` is no regular expression").details(other.to_string()),
    }
}

impl Detector for Wanted {
    fn find(&self, name: Option<&str>, text: &str) -> Vec<Hit> {
        let mut hits = if self.personal { privacy::find(name, text) } else { privacy::secrets(name, text) };
        hits.retain(|hit| hit.confidence >= self.least);
        self.with_patterns(hits, text)
    }

    fn private(&self, text: &str) -> Vec<Hit> {
        self.with_patterns(privacy::find(None, text), text)
    }

    fn fingerprint(&self, hit: &Hit, value: &str) -> String {
        privacy::fingerprint(None, hit.rule, value)
    }
}

/// Hits that overlap become one, called after the first.
fn joined(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by_key(|hit| (hit.start, std::cmp::Reverse(hit.end)));
    let mut joined: Vec<Hit> = Vec::with_capacity(hits.len());
    for hit in hits {
        match joined.last_mut() {
            Some(last) if hit.start < last.end => {
                last.end = last.end.max(hit.end);
                last.confidence = last.confidence.max(hit.confidence);
            }
            _ => joined.push(hit),
        }
    }
    joined
}
