//! Factory Droid: its sessions, and the stream of `droid exec --output-format stream-json`.
//!
//! A session's model, mode and tokens lie in `<id>.settings.json` beside it, which holds no calls.

mod session;
mod stream;

use super::{Base, Companion, Detect, Format, Home};
use crate::head::Head;
use crate::json::{self, Raw, elements};
use agent_strace_model::Dialect;

/// Droid sessions (`~/.factory/sessions/**`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("droid", "droid"),
    detect: Detect::Record(is_session),
    read: session::read,
    homes: &[Home { variables: &[], base: Base::Home, folder: ".factory", logs: "sessions/**/*.jsonl" }],
};

/// `droid exec --output-format stream-json`.
pub(super) static STREAM: Format = Format {
    dialect: Dialect::new("droid-stream-json", "droid").end_printed(),
    detect: Detect::Record(is_stream),
    read: stream::read,
    homes: &[],
};

/// What lies beside a session.
pub(super) const SETTINGS: Companion = (
    |head| head.is_object("tokenUsage") && (head.is_string("autonomyMode") || head.has("assistantActiveTimeMs")),
    "the settings of a Factory Droid session, not its log: the session is the `.jsonl` file beside it",
);

/// Tools that start another droid.
const STARTERS: &[&str] = &["Task"];

/// What the harness writes before the output of a command that failed.
const FAILED: &str = "Error: Command failed (exit code: ";

fn is_session(head: &Head<'_>) -> bool {
    match head.text("type").as_deref() {
        Some("session_start") => head.is_string("id") && (head.is_string("cwd") || head.is_string("owner")),
        Some("todo_state") => head.has("todos") && head.has("messageIndex"),
        Some("compaction_state") => head.is_string("id"),
        // Another agent has the same envelope around other blocks.
        Some("message") => head.object("message").is_some_and(|message| holds_results(message.get("content"))),
        _ => false,
    }
}

fn holds_results(content: Option<Raw<'_>>) -> bool {
    elements(content).into_iter().any(|block| {
        let kind = json::object::<Head<'_>>(Some(block)).and_then(|block| block.text("type"));
        matches!(kind.as_deref(), Some("tool_use" | "tool_result"))
    })
}

fn is_stream(head: &Head<'_>) -> bool {
    match head.text("type").as_deref() {
        Some("system") => head.is("subtype", "init") && head.is_string("sessionId") && head.is_array("tools"),
        Some("tool_call") => head.is_string("toolName") && head.has("parameters"),
        Some("tool_result") => head.is_string("toolId") && (head.has("value") || head.has("error")),
        Some("completion") => head.has("finalText") && head.has("usage"),
        _ => false,
    }
}
