//! The published schemas of the two files of a session in the store, as we write them. Other writers add keys of their
//! own, and readers pass over what they do not know.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::schemas::{AnyJson, keep, written};

/// A line of `events.ndjson`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "event")]
struct Line {
    event_type: EventType,
    /// Epoch seconds; absent where no record of the log has a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<f64>,
    /// 12 hex digits.
    event_id: String,
    /// The name of the session's directory.
    session_id: String,
    /// Of a result: the event of its call.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_id: Option<String>,
    /// Of a result: the time since its call.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<f64>,
    data: Data,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
enum EventType {
    SessionStart,
    SessionEnd,
    UserPrompt,
    AssistantResponse,
    ToolCall,
    ToolResult,
    FileRead,
    FileWrite,
    LlmRequest,
    LlmResponse,
    Decision,
    Error,
}

/// What happened, in the keys that every reader of the store knows.
#[derive(Serialize, JsonSchema)]
struct Data {
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<AnyText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<AnyText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<String>,
    /// An object; what the log recorded otherwise stands in it as `value` or `input`.
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<AnyObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_use_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<String>,
    /// The sub-agent that made the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_sidechain: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<AnyText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<AnyText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    choice: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_tokens: Option<u64>,
    /// The provider's id of an answer of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<String>,
    /// Of the first line: where the session comes from, and what its log says of it as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    import: Option<AnyObject>,
    /// What those keys can't say: with it, the line reads as the record it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<AnyObject>,
}

type AnyText = String;

#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
struct AnyObject(BTreeMap<String, AnyValue>);

#[derive(Serialize, JsonSchema)]
#[schemars(with = "AnyJson")]
struct AnyValue(u8);

/// `meta.json`. Keys that would say nothing are left out.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "meta")]
struct Meta {
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// Epoch seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<f64>,
    /// Epoch seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    llm_requests: Option<u64>,
    /// Calls that failed or were refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_duration_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attribution: Option<Attribution>,
}

#[derive(Serialize, JsonSchema)]
struct Attribution {
    #[serde(skip_serializing_if = "Option::is_none")]
    os_user: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hostname: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_provider: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    git_repo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    git_branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    git_commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    working_dir: Option<String>,
}

#[test]
fn the_schemas_are_what_is_written() {
    keep("store-event", &written::<Line>());
    keep("store-meta", &written::<Meta>());
}
