//! One thing that a conversation tells, in its order.

use jiff::Timestamp;
use uuid::Uuid;

use super::document::CallContent;
use agent_strace_model::{Dialect, Window};

/// How an agent's records tell a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    Claude,
    Codex,
    Gemini,
    /// As the normal form has it.
    Plain,
}

impl Manner {
    pub(super) fn of(dialect: &Dialect) -> Self {
        match dialect.name {
            "claude-code" | "claude-stream-json" => Self::Claude,
            "codex" => Self::Codex,
            "gemini-cli" => Self::Gemini,
            _ => Self::Plain,
        }
    }
}

#[derive(Debug)]
pub(super) struct Beat {
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
