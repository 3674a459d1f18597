//! What was said to calls before they ran: `decisions.ndjson` beside the events.

use std::fs;
use std::io::{ErrorKind, Read as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::super::disk::{self, EVENTS};
use super::super::{StoreError, name};
#[cfg(test)]
use {agent_strace_testing::schemas, schemars::JsonSchema};

/// Where it is kept.
pub(crate) const DECISIONS: &str = "decisions.ndjson";

/// An entry of the log of decisions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(title = "decision"))]
pub struct Decided {
    /// When, in UTC (RFC 3339).
    pub time: String,
    /// The number of the call's event, and its id.
    pub event: u32,
    pub event_id: String,
    /// What the agent calls it.
    pub tool_use_id: String,
    pub tool_name: String,
    /// `pass`, `context`, `ask`, `deny`, or `error` where nothing could be judged.
    pub decision: String,
    /// Whether the agent was told to keep it from running, or to ask.
    pub enforced: bool,
    /// Why, the worst first.
    pub judged: Vec<Judged>,
    /// The directories of the work tree in which the hook looked for denied files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looked_at: Vec<Looked>,
    /// What could not be judged, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// SHA-256 of the policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_sha256: Option<String>,
    /// From the start of the hook to its answer.
    pub duration_ms: f64,
    /// SHA-256 of the entry before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prev_hash: Option<String>,
}

/// A finding of the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Judged {
    pub rule: String,
    pub level: String,
    pub message: String,
    /// The policy's entry, as a JSON pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    pub fingerprint: String,
}

/// A look at a directory of the work tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Looked {
    pub path: String,
    /// The number of files below it.
    pub files: usize,
    /// All of it was seen.
    pub complete: bool,
}

/// The log of decisions of one session.
#[derive(Debug, Default)]
pub struct Decisions {
    pub all: Vec<Decided>,
    /// Lines that can't be read, or that do not carry the digest of the line before, each with why.
    pub damaged: Vec<(u32, &'static str)>,
}

/// More than this was written by no hook.
const LARGEST: u64 = 256 << 20;

/// What was decided in the session that its agent calls `id`; `None`: no hook of this store was asked.
pub fn decisions(store: &Path, id: &str) -> Result<Option<Decisions>, StoreError> {
    let bytes = read(&store.join(name::directory(id)).join(DECISIONS))?;
    Ok(bytes.map(|bytes| Decisions::read(&String::from_utf8_lossy(&bytes))))
}

/// The events of the session that its agent calls `id`, as its hooks recorded them; `None`: there are none.
pub fn recorded_events(store: &Path, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
    read(&store.join(name::directory(id)).join(EVENTS))
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    let found = match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(disk::failure(path, &error)),
        Ok(found) => found,
    };
    if !found.is_file() {
        return Err(StoreError::new(path, "it is not a plain file"));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| disk::failure(path, &error))?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| disk::failure(path, &error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(StoreError::new(path, "it is larger than 256 MiB: not read"));
    }
    Ok(Some(bytes))
}

impl Decisions {
    fn read(text: &str) -> Self {
        let mut decisions = Self::default();
        let mut previous: Option<&str> = None;
        for (number, line) in (1_u32..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            match serde_json::from_str::<Decided>(line) {
                Err(_) => decisions.damaged.push((number, "it can't be read")),
                Ok(decided) => {
                    if decided.prev_hash != previous.map(|line| name::hex(line.as_bytes(), 64)) {
                        decisions.damaged.push((number, "it does not carry the digest of the one before"));
                    }
                    decisions.all.push(decided);
                }
            }
            previous = Some(line);
        }
        decisions
    }
}

impl Decided {
    pub(super) fn line(&self) -> String {
        // These types have nothing in them that JSON can't say.
        serde_json::to_string(self).unwrap_or_else(|_| "{}".to_owned())
    }
}

#[test]
fn the_schema_is_what_is_written() {
    schemas::keep("store-decision", &schemas::written::<Decided>());
}
