//! What kind of event a line is: the types of the store's format, and what has no type of its own there.

use agent_strace_model::{Access, Event, EventKind, Status};

/// The type of an event, as filters and viewers name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    SessionStart,
    SessionEnd,
    UserPrompt,
    /// A command to the agent's host that the user typed.
    Command,
    /// Words to the model that no user wrote.
    Instruction,
    AssistantResponse,
    Reasoning,
    ToolCall,
    ToolResult,
    /// A call that failed, told where its result stands, or something else that did.
    Error,
    FileRead,
    FileWrite,
    FileDelete,
    Decision,
    Hook,
    /// What the agent's host tells its user.
    Notice,
    /// A record without meaning for what was done: snapshots, changes of mode, requests to the model.
    Other,
}

impl What {
    pub const ALL: &'static [Self] = &[
        Self::SessionStart,
        Self::SessionEnd,
        Self::UserPrompt,
        Self::Command,
        Self::Instruction,
        Self::AssistantResponse,
        Self::Reasoning,
        Self::ToolCall,
        Self::ToolResult,
        Self::Error,
        Self::FileRead,
        Self::FileWrite,
        Self::FileDelete,
        Self::Decision,
        Self::Hook,
        Self::Notice,
        Self::Other,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "session_start",
            Self::SessionEnd => "session_end",
            Self::UserPrompt => "user_prompt",
            Self::Command => "command",
            Self::Instruction => "instruction",
            Self::AssistantResponse => "assistant_response",
            Self::Reasoning => "reasoning",
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
            Self::Error => "error",
            Self::FileRead => "file_read",
            Self::FileWrite => "file_write",
            Self::FileDelete => "file_delete",
            Self::Decision => "decision",
            Self::Hook => "hook",
            Self::Notice => "notice",
            Self::Other => "other",
        }
    }

    /// It tells something of what was done or said.
    pub fn is_telling(self) -> bool {
        !matches!(self, Self::Notice | Self::Other)
    }

    /// `answered`: how the call ended that a result answers.
    pub(super) fn of(event: &Event<'_>, answered: Option<Status>) -> Self {
        match &event.kind {
            EventKind::Start => Self::SessionStart,
            EventKind::End(_) => Self::SessionEnd,
            EventKind::Failure(_) => Self::Error,
            EventKind::Decision(_) => Self::Decision,
            EventKind::Prompt(_) if event.origin.speaker.is_user() => Self::UserPrompt,
            EventKind::Command(_) => Self::Command,
            EventKind::Prompt(_) | EventKind::Instruction(_) => Self::Instruction,
            EventKind::Message(_) => Self::AssistantResponse,
            EventKind::Reasoning(_) => Self::Reasoning,
            EventKind::Call(_) | EventKind::Copied(_) => Self::ToolCall,
            EventKind::Result(result) => {
                let failed = matches!(answered, Some(Status::Error | Status::Denied | Status::Interrupted));
                if result.is_error || failed { Self::Error } else { Self::ToolResult }
            }
            EventKind::File(file) => match file.access {
                Access::Read => Self::FileRead,
                Access::Write => Self::FileWrite,
                Access::Delete => Self::FileDelete,
            },
            EventKind::Hook { .. } => Self::Hook,
            EventKind::Notice | EventKind::Offer(_) => Self::Notice,
            EventKind::Repeat(_) | EventKind::Other => Self::Other,
        }
    }
}
