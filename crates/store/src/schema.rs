//! The published schemas of the two files of a session in the store, as we write them. Other writers add keys of their
//! own, and readers pass over what they do not know.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use agent_strace_testing::schemas::{AnyJson, keep, written};

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
    /// Of a session that was recorded while it ran: SHA-256 of the line before this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    prev_hash: Option<String>,
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
    /// Of the first line of a session that was recorded while it ran: which agent told it, and the format of its own log.
    #[serde(skip_serializing_if = "Option::is_none")]
    capture: Option<AnyObject>,
    /// Why the agent says that the session begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(flatten)]
    mcp: Mcp,
    /// What those keys can't say: with it, the line reads as the record it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<AnyObject>,
}

/// What an agent and an MCP server said to each other, as it was recorded between them.
#[derive(Serialize, JsonSchema)]
struct Mcp {
    /// Of the first line: what the server is called. Of what the server says of itself: its own name.
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    /// `stdio` or `http`.
    #[serde(skip_serializing_if = "Option::is_none")]
    transport: Option<String>,
    /// What the server is called, as in `mcp__NAME__TOOL`.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Who said it: `client` or `server`.
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    /// The id of the JSON-RPC request. Each side has its own, and may use one again.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<AnyValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<AnyValue>,
    /// The result of a request that is no call.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<AnyValue>,
    /// The error of a request that is no call.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<AnyValue>,
    /// Of a request to a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_message: Option<AnyValue>,
    /// Why something was refused or is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<String>,
    /// Of the last line: that of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i64>,
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
    /// The top of the repository in which the session was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    git_top: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    working_dir: Option<String>,
    /// The agent's process, where a hook recorded the session, and which start of it: a number alone is used again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    process_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    process_started: Option<String>,
}

#[test]
fn the_schemas_are_what_is_written() {
    keep("store-event", &written::<Line>());
    keep("store-meta", &written::<Meta>());
}
