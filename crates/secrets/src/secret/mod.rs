//! Secrets in a text, and how sure we are.
//!
//! Each detector is linear. Tokens that vendors mark are told by [`vendor`] among runs of characters that can be
//! tokens; whatever is known by what stands around it starts at a word that [`keyword`] finds.

mod assigned;
mod client;
mod commands;
mod encoded;
mod exclude;
mod form;
mod keyword;
mod likeness;
mod name;
mod programs;
mod run;
mod shell;
mod sign;
mod structure;
#[cfg(test)]
mod tests;
mod text;
mod value;
mod vendor;
mod view;
mod wrapper;

pub(super) use encoded::beginning as base64_beginning;
pub(super) use exclude::is_uuid;
pub(super) use keyword::is_in as is_name;
pub(super) use text::{WORD_END, is_whole_word};
pub(super) use value::is_name as may_be_a_name;

use super::bits::Blocks;
use super::hit::Hit;

/// How often a text is taken out of another one: a token in base64 in a URL.
const DEPTH: usize = 2;

/// Secrets of a text that stands under a key: in order, without overlap.
pub(crate) fn find(name: Option<&str>, text: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    if is_number(text) {
        if let Some(name) = name {
            assigned::whole(name, text, &mut hits);
        }
    } else {
        search(name, text, DEPTH, &mut hits);
    }
    super::find::merge(hits)
}

/// Whether a text is a number as JSON has it, too short to stand for another text: logs are full of times and sizes, and
/// only their name can make them secret.
fn is_number(text: &str) -> bool {
    text.len() < encoded::SHORTEST
        && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'))
}

fn search(name: Option<&str>, text: &str, depth: usize, hits: &mut Vec<Hit>) {
    let blocks = Blocks::of(text.as_bytes());
    run::search(text, &blocks, depth, hits);
    keyword::search(text, hits);
    sign::search(text, hits);
    client::search(text, hits);
    if let Some(name) = name {
        assigned::whole(name, text, hits);
    }
    if depth > 0 {
        view::search(name, text, &blocks, depth - 1, hits);
    }
}
