//! What is printed of a conversation. The order of the fields is a part of the contract.

use jiff::Timestamp;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Value;
use uuid::Uuid;

use super::billing::Bill;
use super::time;

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Conversation {
    #[serde(serialize_with = "id")]
    #[cfg_attr(test, schemars(with = "agent_strace_testing::schemas::Id"))]
    pub session_id: Uuid,
    pub stream_id: StreamId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spawned_by: Option<Position>,
    #[serde(serialize_with = "time::write")]
    #[cfg_attr(test, schemars(with = "Option<agent_strace_testing::schemas::Time>"))]
    pub start_time: Option<Timestamp>,
    #[serde(serialize_with = "time::write")]
    #[cfg_attr(test, schemars(with = "Option<agent_strace_testing::schemas::Time>"))]
    pub end_time: Option<Timestamp>,
    pub turns: Vec<Turn>,
    pub stats: SessionStats,
    /// What was paid for, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing: Option<Bill>,
    /// What is missing; a whole log needs no word about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Lacking>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "stream_type", content = "stream_data", rename_all = "snake_case")]
pub enum StreamId {
    Main,
    Sidechain { agent_id: String },
    Subagent { name: String },
}

/// Where in another conversation this one was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Position {
    pub(crate) turn_index: usize,
    pub step_index: usize,
}

/// Why a document is not the whole story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Lacking {
    /// The log ends inside a record: what stands here ends with the last whole one.
    pub truncated: bool,
    /// Locations in the log that could not be read.
    pub gaps: usize,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Turn {
    #[serde(serialize_with = "id")]
    #[cfg_attr(test, schemars(with = "agent_strace_testing::schemas::Id"))]
    pub id: Uuid,
    #[serde(serialize_with = "time::write")]
    #[cfg_attr(test, schemars(with = "Option<agent_strace_testing::schemas::Time>"))]
    pub timestamp: Option<Timestamp>,
    pub user: User,
    pub steps: Vec<Step>,
    pub stats: TurnStats,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct User {
    #[serde(serialize_with = "id")]
    #[cfg_attr(test, schemars(with = "agent_strace_testing::schemas::Id"))]
    pub event_id: Uuid,
    pub content: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) slash_command: Option<SlashCommand>,
    pub origin: UserOrigin,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Text {
    pub text: String,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct SlashCommand {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum UserOrigin {
    User,
    SystemGenerated { reason: Reason },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    ContextCompaction,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Step {
    #[serde(serialize_with = "id")]
    #[cfg_attr(test, schemars(with = "agent_strace_testing::schemas::Id"))]
    pub id: Uuid,
    #[serde(serialize_with = "time::write")]
    #[cfg_attr(test, schemars(with = "Option<agent_strace_testing::schemas::Time>"))]
    pub timestamp: Option<Timestamp>,
    pub reasoning: Option<Words>,
    pub message: Option<Words>,
    pub tools: Vec<Tool>,
    pub usage: Option<Tokens>,
    pub(crate) is_failed: bool,
    pub status: StepStatus,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Words {
    #[serde(serialize_with = "id")]
    #[cfg_attr(test, schemars(with = "agent_strace_testing::schemas::Id"))]
    pub event_id: Uuid,
    pub content: Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    Done,
    InProgress,
    Failed,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tool {
    pub call: Call,
    pub result: Option<ToolResult>,
    pub duration_ms: Option<i64>,
    pub is_error: bool,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Call {
    #[serde(serialize_with = "id")]
    #[cfg_attr(test, schemars(with = "agent_strace_testing::schemas::Id"))]
    pub event_id: Uuid,
    #[serde(serialize_with = "time::write")]
    #[cfg_attr(test, schemars(with = "Option<agent_strace_testing::schemas::Time>"))]
    pub timestamp: Option<Timestamp>,
    pub(crate) provider_call_id: Option<String>,
    pub content: CallContent,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CallContent {
    pub name: String,
    pub arguments: Arguments,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) provider_call_id: Option<String>,
}

/// What a tool was asked to do: fields in the order they are written, or a value as recorded.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(with = "agent_strace_testing::schemas::AnyJson"))]
pub enum Arguments {
    Fields(Vec<(String, Value)>),
    Value(Value),
}

impl Serialize for Arguments {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(serializer),
            Self::Fields(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ToolResult {
    #[serde(serialize_with = "id")]
    #[cfg_attr(test, schemars(with = "agent_strace_testing::schemas::Id"))]
    pub event_id: Uuid,
    #[serde(serialize_with = "time::write")]
    #[cfg_attr(test, schemars(with = "Option<agent_strace_testing::schemas::Time>"))]
    pub timestamp: Option<Timestamp>,
    #[serde(serialize_with = "id")]
    #[cfg_attr(test, schemars(with = "agent_strace_testing::schemas::Id"))]
    pub tool_call_id: Uuid,
    pub content: ResultContent,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ResultContent {
    pub output: String,
    #[serde(serialize_with = "id")]
    #[cfg_attr(test, schemars(with = "agent_strace_testing::schemas::Id"))]
    pub tool_call_id: Uuid,
    pub is_error: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
}

/// The size of the conversation after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tokens {
    pub fresh_input: u64,
    pub cache_creation: u64,
    pub cache_read: u64,
    pub output: u64,
}

impl Tokens {
    pub(super) fn total(&self) -> u64 {
        [self.fresh_input, self.cache_creation, self.cache_read, self.output].into_iter().fold(0, u64::saturating_add)
    }
}

#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TurnStats {
    pub duration_ms: i64,
    pub(crate) step_count: usize,
    pub total_tokens: u64,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionStats {
    pub(crate) total_turns: usize,
    pub duration_seconds: i64,
    pub total_tokens: u64,
}

fn id<S: Serializer>(id: &Uuid, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}
