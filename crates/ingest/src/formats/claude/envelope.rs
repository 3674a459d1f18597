//! What surrounds the messages.

use std::borrow::Cow;

use crate::assembly::Assembly;
use crate::json::{Nested, filled, is_true, record, text};
use agent_strace_model::Stream;
use agent_strace_model::evidence::UNNAMED;

use super::message::Message;

record! {
    /// A record of either envelope: the native one in camel case, the stream in snake case.
    pub(super) struct Envelope {
        kind = "type",
        subtype = "subtype",
        uuid = "uuid",
        session_id = "sessionId",
        session_id_snake = "session_id",
        request_id = "requestId",
        timestamp = "timestamp",
        cwd = "cwd",
        version = "version",
        claude_version = "claude_code_version",
        entrypoint = "entrypoint",
        branch = "gitBranch",
        permission_mode = "permissionMode",
        model = "model",
        is_sidechain = "isSidechain",
        is_compact_summary = "isCompactSummary",
        is_meta = "isMeta",
        origin: Nested<Origin<'a>> = "origin",
        prompt_source = "promptSource",
        source_tool_use = "sourceToolUseID",
        is_api_error = "isApiErrorMessage",
        is_error = "is_error",
        words = "result",
        agent_id = "agentId",
        parent_tool_use_id = "parent_tool_use_id",
        parent_tool_use_id_camel = "parentToolUseID",
        message: Nested<Message<'a>> = "message",
        content = "content",
        duration = "durationMs",
        data = "data",
        attachment = "attachment",
        hook_infos = "hookInfos",
        tool_use_result = "toolUseResult",
        tool_use_result_snake = "tool_use_result",
        mcp_meta = "mcpMeta",
        structured_output = "structured_output",
        usage = "usage",
        models = "modelUsage",
        denial_kind = "toolDenialKind",
        decision: Nested<Decision<'a>> = "permissionDecision",
        permission_denials = "permission_denials",
        loglines = "loglines",
    }
}

record! {
    /// The source of a message that was put in as the user's.
    pub(super) struct Origin { kind = "kind" }
}

record! {
    /// What the host decided about the call before it ran.
    pub(super) struct Decision { said = "decision", input = "updatedInput" }
}

record! {
    /// `data` of a progress record.
    pub(super) struct Progress {
        kind = "type",
        message: Nested<Envelope<'a>> = "message",
        normalized = "normalizedMessages",
        agent_id = "agentId",
        command = "command",
    }
}

/// The sub-agent that wrote this record, as far as it is named.
pub(super) fn subagent<'a>(record: &Envelope<'a>, assembly: &Assembly<'a>) -> Option<Cow<'a, str>> {
    // In a sub-agent's own file everything is the sub-agent's: the session says so.
    if assembly.session.parent.is_some() {
        return None;
    }
    filled(record.parent_tool_use_id)
        .or_else(|| filled(record.agent_id))
        .or_else(|| is_true(record.is_sidechain).then_some(Cow::Borrowed(UNNAMED)))
}

/// The conversation that this record is a part of.
pub(super) fn stream<'a>(record: &Envelope<'a>, kind: &str) -> Stream<'a> {
    match kind {
        // They are the session's, whoever wrote them.
        "queue-operation" | "pr-link" | "summary" => return Stream::Main,
        _ => {}
    }
    if !is_true(record.is_sidechain) {
        return filled(record.parent_tool_use_id).map_or(Stream::Main, Stream::Sidechain);
    }
    let agent = if kind == "system" { None } else { text(record.agent_id) };
    Stream::Sidechain(agent.unwrap_or(Cow::Borrowed("unknown")))
}

/// Types of records that tell a second time what was sent to the model or counted: their messages were recorded when
/// they were new.
pub(super) fn is_copy(kind: &str) -> bool {
    matches!(
        kind,
        "api-request-blob" | "api-request" | "api-request-shape" | "tools-used" | "atis-latch" | "cost-state"
    )
}

/// Types of records that do nothing by themselves.
pub(super) fn is_known(kind: &str) -> bool {
    matches!(
        kind,
        "summary"
            | "file-history-snapshot"
            | "queue-operation"
            | "last-prompt"
            | "mode"
            | "permission-mode"
            | "custom-title"
            | "ai-title"
            | "agent-name"
            | "pr-link"
            | "bridge-session"
            | "frame-link"
            | "relocated"
            | "worktree-state"
            | "tag"
            | "rate_limit_event"
            | "stream_event"
            | "tool_progress"
            | "keep_alive"
    )
}
