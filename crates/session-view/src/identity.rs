//! Ids of events that are the same whenever and wherever a log is read: derived from what its records carry.

use uuid::Uuid;

use super::timeline::RecordStyle;
use agent_strace_model::{Event, EventKind, Origin, Session};

/// What an event is, as its id says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Command,
    Reasoning,
    Message,
    Call,
    Result,
    Usage,
}

impl Role {
    fn suffix(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Command => "slashcmd",
            Self::Reasoning => "reasoning",
            Self::Message => "message",
            Self::Call => "call",
            Self::Result => "result",
            Self::Usage => "usage",
        }
    }
}

/// Where the ids of a session come from.
#[derive(Debug)]
pub(super) struct Identity<'s> {
    style: RecordStyle,
    /// The session's own id, as its records give it.
    session: &'s str,
    pub(super) namespace: Uuid,
}

impl<'s> Identity<'s> {
    pub(super) fn of(session: &'s Session<'_>, style: RecordStyle) -> Self {
        let id = session.filed_under.as_deref().unwrap_or(&session.id);
        Self { style, session: id, namespace: Uuid::new_v5(&Uuid::NAMESPACE_OID, id.as_bytes()) }
    }

    pub(super) fn event(&self, event: &Event<'_>, role: Role) -> Uuid {
        let part = event.origin.part;
        let base = match (self.style, event.id.as_deref(), role) {
            (RecordStyle::Codex, ..) => self.row(event.origin),
            // It stands in a record of its own, without parts.
            (RecordStyle::Claude, Some(id), Role::Command) if matches!(event.kind, EventKind::Command(_)) => {
                id.to_owned()
            }
            (RecordStyle::Claude, Some(id), _) => format!("{id}-content-{part}"),
            (RecordStyle::Gemini, Some(id), Role::Reasoning) => format!("{id}-thought-{part}"),
            (RecordStyle::Gemini, Some(id), Role::Call | Role::Result) => format!("{id}-tool-{part}"),
            (RecordStyle::Gemini, Some(id), _) => id.to_owned(),
            _ => format!("{}:event_{}", self.session, event.number),
        };
        self.name(&base, role)
    }

    pub(super) fn usage(&self, origin: Origin) -> Uuid {
        self.name(&self.row(origin), Role::Usage)
    }

    fn row(&self, origin: Origin) -> String {
        format!("{}:row_{}", self.session, origin.row)
    }

    fn name(&self, base: &str, role: Role) -> Uuid {
        Uuid::new_v5(&self.namespace, format!("{base}:{}", role.suffix()).as_bytes())
    }
}
