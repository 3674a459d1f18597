//! Which dialect a log is written in, by its content.

use super::gaps::Gaps;
use super::json::{Raw, filled, is, is_array, is_object, is_string, record, text};
use super::reader::{Reader, Shape};
use crate::model::Dialect;

/// Records looked at before a log counts as unknown: real ones show themselves in the first few.
const MAX_PROBES: usize = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Detected {
    pub(super) dialect: Dialect,
    pub(super) shape: Shape,
}

record! {
    /// The keys that tell dialects apart.
    struct Probe {
        kind = "type",
        event_type = "event_type",
        event_id = "event_id",
        timestamp = "timestamp",
        id = "id",
        uuid = "uuid",
        session_id = "session_id",
        session_id_camel = "sessionId",
        message = "message",
        subtype = "subtype",
        payload = "payload",
        record_type = "record_type",
        instructions = "instructions",
        call_id = "call_id",
        loglines = "loglines",
        project_hash = "projectHash",
        messages = "messages",
        history = "history",
        tool_calls = "toolCalls",
        set = "$set",
        leaf = "leafUuid",
        operation = "operation",
        snapshot = "snapshot",
        tools = "tools",
        is_sidechain = "isSidechain",
        user_type = "userType",
    }
}

/// The dialect of a log and the layout of its records, or why it has none.
pub(super) fn detect(text: &str, in_store: bool) -> Result<Detected, String> {
    let trimmed = text.trim_start();
    if trimmed.is_empty() {
        return Err("empty file: nothing was recorded, or it was not written yet".to_owned());
    }
    if !trimmed.starts_with(['{', '[']) {
        return Err(foreign(trimmed));
    }
    let shape = Shape::of(text);
    match probe(text, shape) {
        Some(dialect) => Ok(Detected { dialect, shape }),
        // The store holds nothing but native events: what can't be read there is told line by line.
        None if in_store => Ok(Detected { dialect: Dialect::AgentStrace, shape }),
        None if is_cut(trimmed) => {
            Err("the log ends inside its first record: it may still be written or was cut off".to_owned())
        }
        None => Err("not a log of a known agent: no record has the shape of one".to_owned()),
    }
}

fn is_cut(text: &str) -> bool {
    let mut values = serde_json::Deserializer::from_str(text.trim_end()).into_iter::<serde::de::IgnoredAny>();
    matches!(values.next(), Some(Err(error)) if error.is_eof())
}

/// Whether the beginning of a file is the log of a known agent.
pub(super) fn is_log(head: &[u8]) -> bool {
    detect(&String::from_utf8_lossy(head), false).is_ok()
}

fn probe(text: &str, shape: Shape) -> Option<Dialect> {
    // Damage is reported when the log is read for good.
    let mut ignored = Gaps::new("");
    let mut reader = Reader::new(text, shape);
    for _ in 0..MAX_PROBES {
        let item = reader.next::<Probe<'_>>(&mut ignored)?;
        if let Some(dialect) = dialect_of(&item.record) {
            return Some(dialect);
        }
    }
    None
}

/// The dialect only this record could belong to.
fn dialect_of(probe: &Probe<'_>) -> Option<Dialect> {
    if is_native(probe) {
        Some(Dialect::AgentStrace)
    } else if is_codex(probe) {
        Some(Dialect::Codex)
    } else if is_gemini(probe) {
        Some(Dialect::Gemini)
    } else {
        claude(probe)
    }
}

fn is_native(probe: &Probe<'_>) -> bool {
    is_string(probe.event_type) && (is_string(probe.event_id) || probe.timestamp.is_some())
}

fn is_codex(probe: &Probe<'_>) -> bool {
    let Some(kind) = text(probe.kind) else {
        let flat_head = is_string(probe.id) && is_string(probe.timestamp) && probe.messages.is_none();
        return is(probe.record_type, "state") || (flat_head && probe.instructions.is_some());
    };
    match &*kind {
        "session_meta" | "response_item" | "turn_context" | "event_msg" | "compacted" => is_object(probe.payload),
        "function_call_output" => is_string(probe.call_id),
        "function_call" | "custom_tool_call" => is_string(probe.call_id) && probe.payload.is_none(),
        _ => false,
    }
}

fn is_gemini(probe: &Probe<'_>) -> bool {
    let session = is_string(probe.session_id_camel);
    is_string(probe.project_hash)
        || (session && is_array(probe.messages) && probe.kind.is_none())
        || (is(probe.kind, "gemini") && is_string(probe.id))
        || gemini_history(probe.history)
}

record! {
    struct Turn { role = "role", parts = "parts" }
}

/// The older layout, `{"history": [{"role": …, "parts": […]}]}`.
fn gemini_history(history: Option<Raw<'_>>) -> bool {
    let Some(history) = history.filter(|raw| raw.get().starts_with('[')) else { return false };
    let mut reader = Reader::nested(history.get(), 1);
    let first = reader.next::<Turn<'_>>(&mut Gaps::new(""));
    first.is_some_and(|item| is_string(item.record.role) && is_array(item.record.parts))
}

record! {
    struct Message { role = "role", content = "content" }
}

fn claude(probe: &Probe<'_>) -> Option<Dialect> {
    if is_array(probe.loglines) {
        return Some(Dialect::ClaudeCode);
    }
    let kind = filled(probe.kind)?;
    let spoken = is_object(probe.message)
        && super::json::object::<Message<'_>>(probe.message)
            .is_some_and(|message| message.content.is_some() && is_string(message.role));
    // Others borrowed the envelope, but not these two.
    let native = is_string(probe.session_id_camel) && (probe.is_sidechain.is_some() || is_string(probe.user_type));
    let stream = is_string(probe.session_id);
    let is_native = match &*kind {
        "user" | "assistant" => spoken,
        "system" | "progress" | "attachment" => native && is_string(probe.uuid),
        "summary" => is_string(probe.leaf),
        "file-history-snapshot" => is_object(probe.snapshot),
        "queue-operation" => is_string(probe.session_id_camel) && is_string(probe.operation),
        _ => false,
    };
    let is_stream = stream
        && match &*kind {
            "user" | "assistant" => spoken,
            "system" => is(probe.subtype, "init") && is_array(probe.tools),
            "result" => is_string(probe.subtype),
            _ => false,
        };
    if is_stream { Some(Dialect::ClaudeStream) } else { is_native.then_some(Dialect::ClaudeCode) }
}
/// Whether bytes that are not UTF-8 are no text at all.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8 << 10).any(|byte| *byte == 0)
}

/// What a file is that does not start like JSON.
fn foreign(text: &str) -> String {
    let what = if text.starts_with("SQLite format 3") {
        "not a log of a known agent: an SQLite database; export the session to JSON first"
    } else if text.starts_with('\u{1f}') || text.starts_with('\u{fffd}') || text.starts_with("(\u{fffd}/") {
        "binary or compressed data: not a log of a known agent; decompress it first"
    } else if is_binary(text.as_bytes()) {
        "binary data: not a log of a known agent"
    } else {
        "not a log of a known agent: it does not start with a JSON object or array"
    };
    what.to_owned()
}
