//! Which records only Claude's two envelopes have.

use crate::ingest::head::Head;

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

fn is_spoken(head: &Head<'_>) -> bool {
    head.object("message").is_some_and(|message| {
        // Cursor's output has the same words in the same places, but names neither record nor message.
        let bare = head.has_only(&["type", "message", "session_id", "model_call_id", "timestamp_ms"])
            && message.has_only(&["role", "content"])
            && message.first("content").is_some_and(|block| block.is("type", "text"));
        message.has("content") && message.is_string("role") && !(bare && head.is_string("session_id"))
    })
}
