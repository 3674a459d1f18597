//! The timeline of a conversation: its rows in order.

use jiff::Timestamp;
use uuid::Uuid;

use super::document::CallContent;
use agent_strace_model::{Dialect, Window};

/// The way in which an agent's records represent a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordStyle {
    Claude,
    Codex,
    Gemini,
    /// The normal form.
    Plain,
}

impl RecordStyle {
    pub(super) fn of(dialect: &Dialect) -> Self {
        match dialect.name {
            "claude-code" | "claude-stream-json" => Self::Claude,
            "codex" => Self::Codex,
            "gemini-cli" => Self::Gemini,
            _ => Self::Plain,
        }
    }
}

/// One row of a conversation: a text, a call, a result or a count.
#[derive(Debug)]
pub(super) struct TimelineRow {
    pub(super) id: Uuid,
    pub(super) time: Option<Timestamp>,
    pub(super) what: What,
}

#[derive(Debug)]
pub(super) enum What {
    Prompt(String),
    Command {
        name: String,
        args: Option<String>,
    },
    Reasoning(String),
    Message(String),
    Call(CallContent),
    Result(Outcome),
    Usage(Window),
    /// A sub-agent's own session starts.
    Starts,
    /// Only its time counts.
    Notice,
}

/// How a call ended.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) call: Uuid,
    pub(super) output: String,
    pub(super) is_error: bool,
    pub(super) agent: Option<String>,
}
