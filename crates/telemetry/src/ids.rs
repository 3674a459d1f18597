//! Ids of traces and spans: the beginning of a SHA-256, so that the same session always gives the same ones.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

pub(super) type SpanId = [u8; 8];

fn begin<const N: usize>(seed: &str) -> [u8; N] {
    let mut id = [0; N];
    for (byte, hashed) in id.iter_mut().zip(Sha256::digest(seed.as_bytes())) {
        *byte = hashed;
    }
    id
}

/// Of the session with this id.
pub fn trace_id(session: &str) -> [u8; 16] {
    begin(session)
}

/// Of the root span of the session with this id.
pub(super) fn root(session: &str) -> SpanId {
    begin(&format!("root-{session}"))
}

/// Gives every span of a trace an id of its own.
#[derive(Debug)]
pub(super) struct SpanIds<'s> {
    session: &'s str,
    used: BTreeSet<SpanId>,
}

impl<'s> SpanIds<'s> {
    pub(super) fn new(session: &'s str) -> Self {
        Self { session, used: BTreeSet::from([root(session)]) }
    }

    /// Of a span that stands for an event: by the id of its record, where no other span has that. A record may hold
    /// several calls.
    pub(super) fn of_event(&mut self, id: Option<&str>, number: u32) -> SpanId {
        let by_id = id.map(begin).filter(|id| self.used.insert(*id));
        by_id.unwrap_or_else(|| self.of("event", &number.to_string()))
    }

    /// Of a span that no record stands for.
    pub(super) fn of(&mut self, what: &str, name: &str) -> SpanId {
        let mut seed = format!("{}\0{what}\0{name}", self.session);
        loop {
            let id = begin(&seed);
            if self.used.insert(id) {
                return id;
            }
            seed.push('\0');
        }
    }
}
