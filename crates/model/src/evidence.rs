//! What a log says about its own completeness.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// What is known about how much of a session was recorded.
///
/// Its fields are keys of imported sessions in the store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Evidence<'a> {
    /// Records that were read.
    pub records: u32,
    /// The log ends inside a record.
    pub truncated: bool,
    /// Agents that this session started, as its own calls and results tell.
    pub subagents: Vec<Subagent<'a>>,
    /// Ids that the host gives to hooks as the session's, for calls of sub-agents whose calls are in this log.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hook_sessions: Vec<Cow<'a, str>>,
    /// The starts after the first one that lie in another directory, in the order of the log.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub restarts: Vec<Restart<'a>>,
    /// How often the host summarised the conversation. The records before it are still in the log.
    pub compactions: u32,
    /// How often the conversation was taken back to an earlier point. What was taken back had run and counts.
    pub rewinds: u32,
    /// Messages that the host itself removed from the log, or replaced by a stub.
    pub removed: u32,
    /// Counts that the log keeps about itself, beside what it holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<Count>,
    /// Credentials in the agent's own settings that the log carries: the keys that lead to them (`model_config.api_key`),
    /// never what they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub credentials: Vec<Cow<'a, str>>,
    /// Never taken from what a log says about itself: it is worked out.
    #[serde(skip)]
    pub chain: Chain,
}

/// What logs count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    ToolCalls,
    Errors,
    Steps,
}

impl Counted {
    pub fn name(self) -> &'static str {
        match self {
            Self::ToolCalls => "tool-calls",
            Self::Errors => "errors",
            Self::Steps => "steps",
        }
    }

    /// One of them, in words.
    pub fn noun(self) -> &'static str {
        match self {
            Self::ToolCalls => "tool call",
            Self::Errors => "error",
            Self::Steps => "step",
        }
    }
}

/// A total that stands in a log beside what it is the total of. What is recorded counts, whatever the total says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    pub what: Counted,
    pub stated: u64,
    pub recorded: u64,
}

/// Whether the records carry digests of the ones before them, and whether those are right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Chain {
    /// No digests.
    #[default]
    None,
    /// Digests begin after the first records: whoever changed those left no trace.
    Late,
    /// From the second record on each one carries the digest of the one before it. Who can write the whole log can write
    /// the digests, too, and the end may be missing.
    Intact,
    /// The record on this line carries a wrong digest, or none where the ones before it carry one.
    Broken(u32),
}

/// What calls of sub-agents carry where the log does not say which one made them.
pub const UNNAMED: &str = "sidechain";

/// The host started a session again in another directory. No call of the session moved it there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restart<'a> {
    /// The number of the first event there.
    pub event: u32,
    pub directory: Cow<'a, str>,
}

/// An agent that another one started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subagent<'a> {
    /// Number of the event that tells.
    pub event: u32,
    /// Its own id: what its calls carry as `subagent`, or the id of its session.
    pub id: Option<Cow<'a, str>>,
    /// The call that started it.
    pub call_id: Option<Cow<'a, str>>,
    /// Type or name (`Explore`).
    pub kind: Option<Cow<'a, str>>,
    /// How many tool calls it made, where its result says so.
    pub calls: Option<u32>,
}

impl Evidence<'_> {
    /// Without the log it was read from.
    pub fn into_owned(self) -> Evidence<'static> {
        Evidence {
            records: self.records,
            truncated: self.truncated,
            subagents: self.subagents.into_iter().map(Subagent::into_owned).collect(),
            hook_sessions: self.hook_sessions.into_iter().map(|id| Cow::Owned(id.into_owned())).collect(),
            restarts: self.restarts.into_iter().map(Restart::into_owned).collect(),
            compactions: self.compactions,
            rewinds: self.rewinds,
            removed: self.removed,
            counts: self.counts,
            credentials: self.credentials.into_iter().map(|key| Cow::Owned(key.into_owned())).collect(),
            chain: self.chain,
        }
    }
}

impl Restart<'_> {
    fn into_owned(self) -> Restart<'static> {
        Restart { event: self.event, directory: Cow::Owned(self.directory.into_owned()) }
    }
}

impl Subagent<'_> {
    fn into_owned(self) -> Subagent<'static> {
        let owned = |text: Option<Cow<'_, str>>| text.map(|text| Cow::Owned(text.into_owned()));
        Subagent {
            event: self.event,
            id: owned(self.id),
            call_id: owned(self.call_id),
            kind: owned(self.kind),
            calls: self.calls,
        }
    }
}
