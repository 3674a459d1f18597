//! Which call each result answers, and which sub-agents a session started.

use std::collections::BTreeMap;

use agent_strace_model::{EventKind, Session, ToolCall};

/// A sub-agent that a session started, as its own log tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// The sub-agent's own id, or that of its session.
    pub id: String,
    /// The index in [`Events::lines`](super::Events::lines) of the call that started it, or else of the event that tells.
    pub at: usize,
}

/// Results by the calls they answer.
pub(crate) struct Links<'s> {
    session: &'s Session<'s>,
    /// For each event of the session the index of the call that it answers.
    calls: Vec<Option<usize>>,
}

impl<'s> Links<'s> {
    /// By the ids that records carry alone: what carries none answers nothing that is known.
    pub(crate) fn of(session: &'s Session<'s>) -> Self {
        let mut open: BTreeMap<&str, usize> = BTreeMap::new();
        let mut calls = Vec::with_capacity(session.events.len());
        for (index, event) in session.events.iter().enumerate() {
            let mut answers = None;
            match &event.kind {
                EventKind::Call(call) => {
                    let ids = [event.id.as_deref(), call.call_id.as_deref()];
                    open.extend(ids.into_iter().flatten().map(|id| (id, index)));
                }
                EventKind::Result(result) => answers = result.call_id.as_deref().and_then(|id| open.get(id).copied()),
                _ => {}
            }
            calls.push(answers);
        }
        Self { session, calls }
    }

    pub(crate) fn call_of(&self, index: usize) -> Option<usize> {
        self.calls.get(index).copied().flatten()
    }

    pub(crate) fn call_at(&self, index: usize) -> Option<&'s ToolCall<'s>> {
        match &self.session.events.get(index)?.kind {
            EventKind::Call(call) => Some(call),
            _ => None,
        }
    }
}

pub(super) fn started(session: &Session<'_>) -> Vec<Started> {
    let calls = session.events.iter().enumerate().filter_map(|(index, event)| match &event.kind {
        EventKind::Call(call) => Some((call.call_id.as_deref()?, index)),
        _ => None,
    });
    let calls: BTreeMap<&str, usize> = calls.collect();
    let told = session.evidence.subagents.iter().filter_map(|subagent| {
        let call = subagent.call_id.as_deref().and_then(|id| calls.get(id).copied());
        let at = call.or_else(|| session.events.iter().position(|event| event.number == subagent.event))?;
        Some(Started { id: subagent.id.as_deref()?.to_owned(), at })
    });
    told.collect()
}
