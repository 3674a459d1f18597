//! How a session ended.

use agent_strace_model::dialect::Ends;
use agent_strace_model::{Ending, EventKind, Session};

/// How a session ended, as far as its log tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// A record says so. Its words are raw log text.
    Recorded { failed: bool, status: Option<String>, reason: Option<String> },
    /// Logs of this format say when a session ended, and this one does not: it was left, or goes on.
    Unfinished,
    /// Logs of this format do not tell.
    Untold,
}

/// How the words of an ending start that was no good one.
const FAILED: &[&str] = &[
    "abort",
    "budget_exceeded",
    "cancel",
    "crash",
    "early_exit",
    "error",
    "exit_",
    "exception",
    "fail",
    "interrupt",
    "kill",
    "limit",
    "max_turns",
    "panic",
    "prompt_too_long",
    "timed out",
    "timeout",
    "backend_error",
];

impl Ended {
    pub(super) fn of(session: &Session<'_>) -> Self {
        let last = session.events.iter().rev().find_map(|event| match &event.kind {
            EventKind::End(ending) => Some(ending),
            _ => None,
        });
        match (last, session.dialect.ends) {
            (Some(ending), _) => Self::Recorded {
                failed: failed(ending),
                status: ending.status.as_deref().map(str::to_owned),
                reason: ending.reason.as_deref().map(str::to_owned),
            },
            (None, Ends::Marked | Ends::Printed) if session.span.ended.is_some() => {
                Self::Recorded { failed: false, status: None, reason: None }
            }
            (None, Ends::Marked | Ends::Printed) => Self::Unfinished,
            (None, Ends::Unmarked) => Self::Untold,
        }
    }

    /// In one word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Recorded { failed: false, .. } => "completed",
            Self::Recorded { failed: true, .. } => "failed",
            Self::Unfinished => "unfinished",
            Self::Untold => "untold",
        }
    }
}

/// Whether a record of an end tells of a failure: by a mark, by an exit code, or in words.
pub(super) fn failed(ending: &Ending<'_>) -> bool {
    let is_bad = |text: &str| {
        let text = text.trim_start().to_ascii_lowercase();
        FAILED.iter().any(|word| text.starts_with(word))
    };
    ending.is_error
        || ending.exit_code.is_some_and(|code| code != 0)
        || [&ending.status, &ending.reason].into_iter().flatten().any(|text| is_bad(text))
}
