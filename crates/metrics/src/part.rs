//! Whose doing is counted: a whole session, or one of the sub-agents in it.

use std::collections::BTreeMap;

use super::Deed;
use agent_strace_model::{Event, EventKind, Session};

/// Whose spending is counted, and what it is counted from.
#[derive(Debug)]
pub struct Part<'a> {
    /// `None`: the session's own.
    pub subagent: Option<&'a str>,
    pub events: Vec<&'a Event<'a>>,
    pub deeds: Vec<Deed<'a>>,
}

impl<'a> Part<'a> {
    pub(super) fn whole(session: &'a Session<'a>, deeds: &[Deed<'a>]) -> Self {
        Self { subagent: None, events: session.events.iter().collect(), deeds: deeds.to_vec() }
    }
}

/// The sub-agents whose calls stand in the log. Those that it does not tell apart count as one.
pub(super) fn subagents<'a>(session: &'a Session<'a>, deeds: &[Deed<'a>]) -> Vec<Part<'a>> {
    let mut parts: BTreeMap<&str, Part<'a>> = BTreeMap::new();
    let mut deeds = deeds.iter().peekable();
    for event in &session.events {
        let EventKind::Call(call) = &event.kind else { continue };
        let Some(name) = call.subagent.as_deref() else { continue };
        let new = || Part { subagent: Some(name), events: Vec::new(), deeds: Vec::new() };
        let part = parts.entry(name).or_insert_with(new);
        part.events.push(event);
        while deeds.next_if(|deed| deed.event < event.number).is_some() {}
        while let Some(deed) = deeds.next_if(|deed| deed.event == event.number) {
            part.deeds.push(*deed);
        }
    }
    parts.into_values().collect()
}
