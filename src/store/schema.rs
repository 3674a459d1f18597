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
#[serde(default)]
#[derive(Default)]
struct Data {
    mode: Option<String>,
    model: Option<String>,
    prompt: Option<AnyText>,
    text: Option<AnyText>,
    tool_name: Option<String>,
    /// An object; what the log recorded otherwise stands in it as `value` or `input`.
    arguments: Option<AnyObject>,
    tool_use_id: Option<String>,
    cwd: Option<String>,
    /// The sub-agent that made the call.
    agent_id: Option<String>,
    is_sidechain: Option<bool>,
    result: Option<AnyText>,
    error: Option<AnyText>,
    message: Option<String>,
    path: Option<String>,
    choice: Option<String>,
    command: Option<String>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    /// The provider's id of an answer of the model.
    message_id: Option<String>,
    /// Of the first line: where the session comes from, and what its log says of it as a whole.
    import: Option<AnyObject>,
    /// What those keys can't say: with it, the line reads as the record it was.
    recorded: Option<AnyObject>,
}

type AnyText = String;

#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
struct AnyObject(BTreeMap<String, AnyValue>);

#[derive(Serialize, JsonSchema)]
#[schemars(with = "AnyJson")]
struct AnyValue(());

/// `meta.json`. Keys that would say nothing are left out.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "meta")]
#[serde(default)]
#[derive(Default)]
struct Meta {
    session_id: Option<String>,
    /// Epoch seconds.
    started_at: Option<f64>,
    /// Epoch seconds.
    ended_at: Option<f64>,
    agent_name: Option<String>,
    command: Option<String>,
    tool_calls: Option<u64>,
    llm_requests: Option<u64>,
    /// Calls that failed or were refused.
    errors: Option<u64>,
    total_tokens: Option<u64>,
    total_duration_ms: Option<f64>,
    parent_session_id: Option<String>,
    depth: Option<u64>,
    attribution: Option<Attribution>,
}

#[derive(Serialize, JsonSchema)]
#[serde(default)]
#[derive(Default)]
struct Attribution {
    os_user: Option<String>,
    hostname: Option<String>,
    agent_provider: Option<String>,
    agent_version: Option<String>,
    git_repo: Option<String>,
    git_branch: Option<String>,
    git_commit: Option<String>,
    working_dir: Option<String>,
}

#[test]
fn the_schemas_are_what_is_written() {
    keep("store-event", &written::<Line>());
    keep("store-meta", &written::<Meta>());
}
