//! Which records only Claude's two envelopes have.

use crate::head::Head;

/// A native transcript's record, or the web's export of several.
pub(super) fn is_native(head: &Head<'_>) -> bool {
    if head.is_array("loglines") {
        return true;
    }
    // Others borrowed the envelope, but not these two.
    let native = head.is_string("sessionId") && (head.has("isSidechain") || head.is_string("userType"));
    match head.text("type").as_deref() {
        Some("user" | "assistant") => is_spoken(head),
        Some("system" | "progress" | "attachment") => native && head.is_string("uuid"),
        Some("summary") => head.is_string("leafUuid"),
        Some("file-history-snapshot") => head.is_object("snapshot"),
        Some("queue-operation") => head.is_string("sessionId") && head.is_string("operation"),
        _ => false,
    }
}

/// A record of the stream.
pub(super) fn is_stream(head: &Head<'_>) -> bool {
    head.is_string("session_id")
        && match head.text("type").as_deref() {
            Some("user" | "assistant") => is_spoken(head),
            Some("system") => head.is("subtype", "init") && head.is_array("tools"),
            Some("result") => head.is_string("subtype"),
            _ => false,
        }
}

/// Others write the same words in the same places: a record must also be named as Claude names it, or its message as the
/// API does, or hold a call or a result.
fn is_spoken(head: &Head<'_>) -> bool {
    let named = ["uuid", "parentUuid", "sessionId", "parent_tool_use_id", "isSidechain", "toolUseResult"];
    let by_api = ["id", "model", "usage", "type", "stop_reason"];
    head.object("message").is_some_and(|message| {
        let telling = || {
            message
                .first("content")
                .is_some_and(|block| block.has("tool_use_id") || block.has("name") && block.has("input"))
        };
        message.has("content")
            && message.is_string("role")
            && (named.iter().any(|key| head.has(key)) || by_api.iter().any(|key| message.has(key)) || telling())
    })
}
