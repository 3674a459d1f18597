//! Redacts recordings before they reach the disk, without a report of what was found.

use std::io;

use super::super::configuration;
use super::super::failure::Failure;
use super::detector::Redactor;
use agent_strace_secrets::Confidence;
use agent_strace_secrets::stream::{self, Finding, Sink};

/// Whether personal data are replaced, too.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) enum PersonalData {
    Keep,
    Mask,
}

impl Redactor {
    /// Redacts recordings.
    pub(in crate::cli) fn of_recorder(
        patterns: &[String],
        personal: PersonalData,
        colour: bool,
    ) -> Result<Self, Failure> {
        let configured = match personal {
            PersonalData::Keep => None,
            PersonalData::Mask => Some(configuration::anonymizing(None, colour)?),
        };
        Self::new(patterns, Confidence::Low, configured)
    }
}

/// Redacts JSON or any other text. JSON stays JSON.
pub(in crate::cli) fn clean(wanted: &Redactor, json: &[u8]) -> io::Result<Vec<u8>> {
    let mut kept = KeptBytes(Vec::with_capacity(json.len()));
    stream::rewrite(&mut &*json, wanted, &mut kept)?;
    Ok(kept.0)
}

/// Like [`clean`], for a text.
pub(in crate::cli) fn clean_text(wanted: &Redactor, text: &str) -> Result<String, Failure> {
    let not_searched = |_| Failure::new("it could not be searched for what is private: nothing was recorded");
    let kept = clean(wanted, text.as_bytes()).map_err(not_searched)?;
    String::from_utf8(kept).map_err(|_| Failure::new("it is no text without what is private"))
}

struct KeptBytes(Vec<u8>);

impl Sink for KeptBytes {
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn found(&mut self, _: &Finding<'_>) -> io::Result<()> {
        Ok(())
    }
}
