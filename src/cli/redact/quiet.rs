//! What is recorded goes through here before anything reaches the disk: nobody is told what was in it.

use std::io;

use super::detector::Wanted;
use crate::scrub::{self, Finding, Sink};

/// JSON, or any other text, without what is private in it. JSON stays JSON.
pub(in crate::cli) fn clean(wanted: &Wanted, json: &[u8]) -> io::Result<Vec<u8>> {
    let mut kept = Kept(Vec::with_capacity(json.len()));
    scrub::scrub(&mut &*json, wanted, &mut kept)?;
    Ok(kept.0)
}

struct Kept(Vec<u8>);

impl Sink for Kept {
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn found(&mut self, _: &Finding<'_>) -> io::Result<()> {
        Ok(())
    }
}
