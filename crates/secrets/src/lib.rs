//! Secrets and personal data: detection, redaction, rewriting of logs and anonymization.
//!
//! [`find()`] finds what is private in a text. [`redact`] is the only way to a [`Redacted`], and reports hold nothing else, so
//! a secret that a detector knows cannot reach any output. A secret becomes `[REDACTED:kind]`. Redacting twice changes
//! nothing more. All detectors are linear in the length of the text.
//!
//! This crate must not know sessions, effects or policies: it works on texts and bytes, and takes from the model the names
//! of rules. Start with [`find()`] and [`redact`]; [`stream`] rewrites whole logs, and [`anonymize`] replaces identities in
//! them. The tokens of vendors are data: `secret/vendors.tsv`.

pub mod anonymize;
pub mod base64;
mod bits;
mod find;
mod hit;
mod known;
mod pii;
mod secret;
pub mod stream;
#[cfg(test)]
mod tests;
mod words;

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;

pub use find::{find, fingerprint, mark, personal, secrets};

pub(crate) use find::free_ranges;
pub use hit::{Confidence, Hit};
pub use known::Known;
pub(crate) use pii::is_role;

/// Text without any secret the detectors know. It is still hostile: a renderer escapes it for its target.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Redacted(String);

impl Redacted {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// How marks begin.
pub const MARK: &str = "[REDACTED:";
static MARKED: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(MARK));

/// Whether something in a text may be a mark.
pub fn has_mark(text: &str) -> bool {
    MARKED.find(text.as_bytes()).is_some()
}

/// Stands between words that are redacted together; a value never crosses it.
const WORD_END: char = secret::WORD_END as char;

/// One secret's removal may bring another to light (what is left of a text is read anew), so rounds are repeated
/// until nothing changes. Each round removes text; a text that keeps changing is dropped whole.
const ROUNDS: usize = 8;

/// Replaces every secret in `text`, also what is only likely one. What is given away and holds none is not copied.
pub fn redact<'t>(text: impl Into<Cow<'t, str>>) -> Redacted {
    Known::default().redact(text)
}

/// Replaces every secret in the words of one command, as [`redact`] does in its text: one word gives another away.
pub fn redact_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<Redacted> {
    Known::default().redact_words(words)
}

/// Text before the next mark, the mark, and what follows. Marks are never looked into.
fn split_at_mark(text: &str) -> (&str, &str, &str) {
    let mut from = 0;
    while let Some((_, tail)) = text.split_at_checked(from) {
        let Some(at) = MARKED.find(tail.as_bytes()) else { break };
        let start = from + at;
        let kind = text.split_at_checked(start + MARK.len()).map_or("", |(_, kind)| kind);
        let length = kind.bytes().take_while(|byte| byte.is_ascii_lowercase() || *byte == b'-').count();
        if length > 0 && kind.as_bytes().get(length) == Some(&b']') {
            let end = start + MARK.len() + length + 1;
            let (free, rest) = text.split_at_checked(start).unwrap_or((text, ""));
            let (mark, after) = rest.split_at_checked(end - start).unwrap_or((rest, ""));
            return (free, mark, after);
        }
        from = start + MARK.len();
    }
    (text, "", "")
}

/// `text` with its secrets replaced.
fn replace(text: &str, hits: &[Hit]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for hit in hits {
        result.push_str(text.get(at..hit.start).unwrap_or(""));
        result.push_str(&mark(hit));
        at = hit.end;
    }
    result.push_str(text.get(at..).unwrap_or(""));
    result
}
