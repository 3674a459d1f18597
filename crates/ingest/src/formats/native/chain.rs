//! The chain of digests that newer writers put into the store: each record carries the one of the line before it.

use memchr::memmem;

use super::captured::hex;
use crate::json::{filled, parse, record};
use crate::reader::Shape;
use agent_strace_model::evidence::Chain;

record! {
    struct Link { previous = "prev_hash" }
}

/// Verifies the digests of a whole file. They are over lines as they were written: a log that was laid out anew proves
/// nothing.
pub(super) fn verify(text: &str, shape: Shape) -> Chain {
    if shape != Shape::Lines || memmem::find(text.as_bytes(), b"\"prev_hash\"").is_none() {
        return Chain::None;
    }
    let mut chain = Chain::None;
    let mut previous: Option<&str> = None;
    for (number, line) in (1_u32..).zip(text.split('\n')) {
        let line = line.trim_end_matches('\r');
        if line.trim().is_empty() {
            continue;
        }
        // What can't be read is a gap; the next record still carries its digest.
        if let Some(link) = parse::<Link<'_>>(line.trim()) {
            let early = matches!(chain, Chain::None);
            match (filled(link.previous), previous) {
                (Some(digest), Some(previous)) if *digest == hex(previous) => {
                    if early {
                        chain = if number <= 2 { Chain::Intact } else { Chain::Late };
                    }
                }
                (None, _) if early => {}
                _ => return Chain::Broken(number),
            }
        }
        previous = Some(line);
    }
    chain
}
