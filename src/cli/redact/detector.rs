//! The detector of `redact` and of recorders: secrets, optional personal data, and the user's own patterns.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};

use super::super::failure::Failure;
use agent_strace_model::finding::Family;
use agent_strace_policy::config::anonymize::Anonymizing;
use agent_strace_secrets::anonymize::{Keep, MOST_RULES};
use agent_strace_secrets::stream::Detector;
use agent_strace_secrets::{Confidence, Hit, mark};

/// The size limit of one compiled pattern.
const LARGEST_PATTERN: usize = 1 << 20;

/// The kinds of the rules of the configuration, by index. Replacements are looked up by kind.
static KINDS: LazyLock<Vec<String>> = LazyLock::new(|| (1..=MOST_RULES).map(|at| format!("rule-{at}")).collect());

/// Finds secrets, the personal data that are to be replaced, and the user's own patterns.
pub(in crate::cli) struct Redactor {
    patterns: Vec<Pattern>,
    least: Confidence,
    personal: bool,
    /// Values that are never replaced.
    keep: Keep,
    /// The replacement for each kind, as the configuration names it.
    replacements: BTreeMap<&'static str, String>,
}

/// A pattern of the user.
struct Pattern {
    regex: Regex,
    rule: &'static str,
    kind: &'static str,
}

impl Redactor {
    /// `configured`: `None` if personal data are not replaced.
    pub(in crate::cli) fn new(
        patterns: &[String],
        least: Confidence,
        configured: Option<Anonymizing>,
    ) -> Result<Self, Failure> {
        let compile = |pattern: &String| {
            let built = RegexBuilder::new(pattern).size_limit(LARGEST_PATTERN).build();
            let regex = built.map_err(|error| pattern_failure(pattern, &error))?;
            Ok(Pattern { regex, rule: "secret/custom", kind: "custom" })
        };
        let patterns = patterns.iter().map(compile).collect::<Result<_, _>>()?;
        let personal = configured.is_some();
        let (keep, replacements) = (Keep::default(), BTreeMap::new());
        let mut wanted = Self { patterns, least, personal, keep, replacements };
        if let Some(configured) = configured {
            wanted.add(configured)?;
        }
        Ok(wanted)
    }

    fn add(&mut self, Anonymizing { rules, identities, keep }: Anonymizing) -> Result<(), Failure> {
        for (rule, kind) in rules.into_iter().zip(KINDS.iter()) {
            self.replacements.insert(kind, rule.replacement);
            self.patterns.push(Pattern { regex: rule.pattern, rule: "pii/custom", kind });
        }
        for identity in identities {
            let regex = named(&identity.value).map_err(|error| pattern_failure(&identity.value, &error))?;
            self.patterns.push(Pattern { regex, rule: "pii/custom", kind: "named" });
        }
        self.keep = Keep::new(keep.iter().map(String::as_str));
        Ok(())
    }

    /// Adds the hits of the patterns.
    fn with_patterns(&self, mut hits: Vec<Hit>, text: &str) -> Vec<Hit> {
        if self.patterns.is_empty() {
            return hits;
        }
        for Pattern { regex, rule, kind } in &self.patterns {
            let matches = regex.find_iter(text).filter(|found| !found.is_empty());
            hits.extend(matches.map(|found| Hit {
                start: found.start(),
                end: found.end(),
                rule,
                kind,
                confidence: Confidence::High,
            }));
        }
        joined(hits)
    }

    fn is_kept(&self, hit: &Hit, text: &str) -> bool {
        is_personal(hit.rule) && self.keep.has(text.get(hit.start..hit.end).unwrap_or_default())
    }
}

/// A name as a word, in any case.
fn named(value: &str) -> Result<Regex, regex::Error> {
    let edge = |letter: Option<char>| if letter.is_some_and(char::is_alphanumeric) { r"\b" } else { "" };
    let (before, after) = (edge(value.chars().next()), edge(value.chars().next_back()));
    let pattern = format!("{before}{}{after}", regex::escape(value));
    RegexBuilder::new(&pattern).case_insensitive(true).size_limit(LARGEST_PATTERN).build()
}

pub(super) fn is_personal(rule: &str) -> bool {
    Family::of(rule) == Some(Family::Pii)
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

impl Detector for Redactor {
    fn find(&self, name: Option<&str>, text: &str) -> Vec<Hit> {
        let mut hits = if self.personal {
            agent_strace_secrets::find(name, text)
        } else {
            agent_strace_secrets::secrets(name, text)
        };
        hits.retain(|hit| hit.confidence >= self.least && !self.is_kept(hit, text));
        self.with_patterns(hits, text)
    }

    fn private(&self, text: &str) -> Vec<Hit> {
        self.with_patterns(agent_strace_secrets::find(None, text), text)
    }

    fn replacement(&self, hit: &Hit, _: &str) -> String {
        self.replacements.get(hit.kind).cloned().unwrap_or_else(|| mark(hit))
    }

    fn fingerprint(&self, hit: &Hit, value: &str) -> String {
        agent_strace_secrets::fingerprint(None, hit.rule, value)
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
