//! Secrets in a text, and how sure we are.
//!
//! Each detector is linear. Tokens that vendors mark are told by [`vendor`] among runs of characters that can be
//! tokens; whatever is known by what stands around it starts at a word that [`keyword`] finds.

mod assigned;
mod encoded;
mod exclude;
mod form;
mod keyword;
mod likeness;
mod name;
mod run;
mod structure;
#[cfg(test)]
mod tests;
mod text;
mod value;
mod vendor;
mod view;

pub(super) use text::WORD_END;

use super::hit::{Confidence, Hit};

/// How often a text is taken out of another one: a token in base64 in a URL.
const DEPTH: usize = 2;

/// Secrets of a text that stands under a key: in order, without overlap.
pub(crate) fn find(name: Option<&str>, text: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    search(name, text, DEPTH, &mut hits);
    merge(hits)
}

fn search(name: Option<&str>, text: &str, depth: usize, hits: &mut Vec<Hit>) {
    run::search(text, depth, hits);
    keyword::search(text, hits);
    if let Some(name) = name {
        assigned::whole(name, text, hits);
    }
    if depth > 0 {
        view::search(name, text, depth - 1, hits);
    }
}

/// Overlapping hits become one, called by what says most of it: a token of a vendor before the value of a name.
fn merge(mut found: Vec<Hit>) -> Vec<Hit> {
    found.sort_by_key(|hit| (hit.start, std::cmp::Reverse(hit.end)));
    let mut merged: Vec<Hit> = Vec::with_capacity(found.len());
    for hit in found {
        match merged.last_mut() {
            Some(last) if hit.start < last.end => {
                last.end = last.end.max(hit.end);
                if (is_specific(&hit), hit.confidence) > (is_specific(last), last.confidence) {
                    (last.rule, last.kind) = (hit.rule, hit.kind);
                }
                last.confidence = last.confidence.max(hit.confidence);
            }
            _ => merged.push(hit),
        }
    }
    merged
}

fn is_specific(hit: &Hit) -> bool {
    hit.confidence > Confidence::Low && !matches!(hit.rule, "secret/keyed-secret" | "secret/password")
}
