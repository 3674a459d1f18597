//! Sessions without their secrets, for the tools of `mcp`.

use super::super::failure::Failure;
use super::trace::{self, Cleaned};
use super::unfinished;
use agent_strace_ingest::{Log, Reading};
use agent_strace_model::Gap;
use agent_strace_secrets::anonymize::{self, Options};

/// A session without its secrets: each event with its number, as one line of JSON.
pub(in crate::cli) struct Redacted {
    pub(in crate::cli) id: String,
    pub(in crate::cli) events: Vec<(usize, String)>,
}

/// The sessions of a log for whoever shows them, and what could not be read.
pub(in crate::cli) fn redacted(log: &Log, reading: &Reading<'_>) -> Result<(Vec<Redacted>, Vec<Gap>), Failure> {
    let (traces, gaps) = trace::of_log(log, reading);
    let mut sessions = Vec::new();
    for trace in traces {
        let anonymized = anonymize::anonymize(&Options::default(), trace.lines().as_bytes(), &trace.fields());
        let anonymized = anonymized.map_err(|error| unfinished(&error))?;
        let cleaned =
            Cleaned::read(&anonymized.bytes).ok_or_else(|| Failure::new("the session is no JSON any more"))?;
        let numbers = trace.numbers.iter().copied();
        let events = numbers.zip(cleaned.events.iter().map(|event| (*event).to_owned())).collect();
        sessions.push(Redacted { id: cleaned.header.session_id.clone(), events });
    }
    Ok((sessions, gaps))
}
