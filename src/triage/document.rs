//! What is printed of a conversation. The order of the fields is a part of the contract.

use jiff::Timestamp;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Value;
use uuid::Uuid;

use super::billing::Bill;
use super::moment;

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Conversation {
    #[serde(serialize_with = "id")]
    #[cfg_attr(test, schemars(with = "crate::schemas::Id"))]
    pub(crate) session_id: Uuid,
    pub(crate) stream_id: StreamId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) spawned_by: Option<Position>,
    #[serde(serialize_with = "moment::write")]
    #[cfg_attr(test, schemars(with = "Option<crate::schemas::Time>"))]
    pub(crate) start_time: Option<Timestamp>,
    #[serde(serialize_with = "moment::write")]
    #[cfg_attr(test, schemars(with = "Option<crate::schemas::Time>"))]
    pub(crate) end_time: Option<Timestamp>,
    pub(crate) turns: Vec<Turn>,
    pub(crate) stats: SessionStats,
    /// What was paid for, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) billing: Option<Bill>,
    /// What is missing; a whole log needs no word about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) evidence: Option<Lacking>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "stream_type", content = "stream_data", rename_all = "snake_case")]
pub(crate) enum StreamId {
    Main,
    Sidechain { agent_id: String },
    Subagent { name: String },
}

/// Where in another conversation this one was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Position {
    pub(crate) turn_index: usize,
    pub(crate) step_index: usize,
}

/// Why a document is not the whole story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Lacking {
    /// The log ends inside a record: what stands here ends with the last whole one.
    pub(crate) truncated: bool,
    /// Places of the log that could not be read.
    pub(crate) gaps: usize,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Turn {
    #[serde(serialize_with = "id")]
    #[cfg_attr(test, schemars(with = "crate::schemas::Id"))]
    pub(crate) id: Uuid,
    #[serde(serialize_with = "moment::write")]
    #[cfg_attr(test, schemars(with = "Option<crate::schemas::Time>"))]
    pub(crate) timestamp: Option<Timestamp>,
    pub(crate) user: User,
    pub(crate) steps: Vec<Step>,
    pub(crate) stats: TurnStats,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct User {
    #[serde(serialize_with = "id")]
    #[cfg_attr(test, schemars(with = "crate::schemas::Id"))]
    pub(crate) event_id: Uuid,
    pub(crate) content: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) slash_command: Option<SlashCommand>,
    pub(crate) origin: UserOrigin,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Text {
    pub(crate) text: String,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct SlashCommand {
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) args: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum UserOrigin {
    User,
    SystemGenerated { reason: Reason },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reason {
    ContextCompaction,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Step {
    #[serde(serialize_with = "id")]
    #[cfg_attr(test, schemars(with = "crate::schemas::Id"))]
    pub(crate) id: Uuid,
    #[serde(serialize_with = "moment::write")]
    #[cfg_attr(test, schemars(with = "Option<crate::schemas::Time>"))]
    pub(crate) timestamp: Option<Timestamp>,
    pub(crate) reasoning: Option<Words>,
    pub(crate) message: Option<Words>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) usage: Option<Tokens>,
    pub(crate) is_failed: bool,
    pub(crate) status: StepStatus,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Words {
    #[serde(serialize_with = "id")]
    #[cfg_attr(test, schemars(with = "crate::schemas::Id"))]
    pub(crate) event_id: Uuid,
    pub(crate) content: Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum StepStatus {
    Done,
    InProgress,
    Failed,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Tool {
    pub(crate) call: Call,
    pub(crate) result: Option<ToolResult>,
    pub(crate) duration_ms: Option<i64>,
    pub(crate) is_error: bool,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Call {
    #[serde(serialize_with = "id")]
    #[cfg_attr(test, schemars(with = "crate::schemas::Id"))]
    pub(crate) event_id: Uuid,
    #[serde(serialize_with = "moment::write")]
    #[cfg_attr(test, schemars(with = "Option<crate::schemas::Time>"))]
    pub(crate) timestamp: Option<Timestamp>,
    pub(crate) provider_call_id: Option<String>,
    pub(crate) content: CallContent,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct CallContent {
    pub(crate) name: String,
    pub(crate) arguments: Arguments,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) provider_call_id: Option<String>,
}

/// What a tool was asked to do: fields in the order they are written, or a value as recorded.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(with = "crate::schemas::AnyJson"))]
pub(crate) enum Arguments {
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
pub(crate) struct ToolResult {
    #[serde(serialize_with = "id")]
    #[cfg_attr(test, schemars(with = "crate::schemas::Id"))]
    pub(crate) event_id: Uuid,
    #[serde(serialize_with = "moment::write")]
    #[cfg_attr(test, schemars(with = "Option<crate::schemas::Time>"))]
    pub(crate) timestamp: Option<Timestamp>,
    #[serde(serialize_with = "id")]
    #[cfg_attr(test, schemars(with = "crate::schemas::Id"))]
    pub(crate) tool_call_id: Uuid,
    pub(crate) content: ResultContent,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ResultContent {
    pub(crate) output: String,
    #[serde(serialize_with = "id")]
    #[cfg_attr(test, schemars(with = "crate::schemas::Id"))]
    pub(crate) tool_call_id: Uuid,
    pub(crate) is_error: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent_id: Option<String>,
}

/// The size of the conversation after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Tokens {
    pub(crate) fresh_input: u64,
    pub(crate) cache_creation: u64,
    pub(crate) cache_read: u64,
    pub(crate) output: u64,
}

impl Tokens {
    pub(super) fn total(&self) -> u64 {
        [self.fresh_input, self.cache_creation, self.cache_read, self.output].into_iter().fold(0, u64::saturating_add)
    }
}

#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct TurnStats {
    pub(crate) duration_ms: i64,
    pub(crate) step_count: usize,
    pub(crate) total_tokens: u64,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct SessionStats {
    pub(crate) total_turns: usize,
    pub(crate) duration_seconds: i64,
    pub(crate) total_tokens: u64,
}

fn id<S: Serializer>(id: &Uuid, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}
