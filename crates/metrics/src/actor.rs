//! Splits a session into the activity of the whole session and of each sub-agent in it.

use std::collections::BTreeMap;

use super::TimedEffect;
use agent_strace_model::{Event, EventKind, Session};

/// The events and effects of a session or of one of its sub-agents.
#[derive(Debug)]
pub struct ActorActivity<'a> {
    /// `None`: the whole session.
    pub subagent: Option<&'a str>,
    pub events: Vec<&'a Event<'a>>,
    pub effects: Vec<TimedEffect<'a>>,
}

impl<'a> ActorActivity<'a> {
    pub(super) fn whole(session: &'a Session<'a>, effects: &[TimedEffect<'a>]) -> Self {
        Self { subagent: None, events: session.events.iter().collect(), effects: effects.to_vec() }
    }
}

/// The sub-agents whose calls are in the log. Sub-agents without a name of their own count as one.
pub(super) fn subagents<'a>(session: &'a Session<'a>, effects: &[TimedEffect<'a>]) -> Vec<ActorActivity<'a>> {
    let mut parts: BTreeMap<&str, ActorActivity<'a>> = BTreeMap::new();
    let mut effects = effects.iter().peekable();
    for event in &session.events {
        let EventKind::Call(call) = &event.kind else { continue };
        let Some(name) = call.subagent.as_deref() else { continue };
        let new = || ActorActivity { subagent: Some(name), events: Vec::new(), effects: Vec::new() };
        let actor = parts.entry(name).or_insert_with(new);
        actor.events.push(event);
        while effects.next_if(|timed| timed.event < event.number).is_some() {}
        while let Some(timed) = effects.next_if(|timed| timed.event == event.number) {
            actor.effects.push(*timed);
        }
    }
    parts.into_values().collect()
}
