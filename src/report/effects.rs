//! `effects`: what the gate sees, as JSON (version 1, additive changes only) and as text.

use serde::Serialize;

use super::actions::action;
use super::escape::terminal;
use super::json;
use super::view::ShownEffect;
use crate::finding::EffectView;
use crate::model::Status;
use crate::privacy::{Redacted, redact};

/// Sessions with the effects of each event that did something or called a tool.
#[derive(Debug)]
pub(crate) struct EffectsReport {
    sessions: Vec<EffectsSession>,
}

#[derive(Debug)]
pub(crate) struct EffectsSession {
    id: Redacted,
    agent: Redacted,
    source: Redacted,
    events: Vec<EffectsEvent>,
}

#[derive(Debug)]
pub(crate) struct EffectsEvent {
    event: u32,
    event_id: Option<Redacted>,
    tool: Option<Redacted>,
    status: &'static str,
    effects: Vec<ShownEffect>,
}

impl EffectsReport {
    pub(crate) fn new(sessions: Vec<EffectsSession>) -> Self {
        Self { sessions }
    }

    pub(crate) fn json(&self) -> String {
        json::to_text(&Document {
            schema_version: 1,
            sessions: self.sessions.iter().map(EffectsSession::document).collect(),
        })
    }

    /// One line per event, its effects below.
    pub(crate) fn text(&self) -> String {
        let mut lines = Vec::new();
        for session in &self.sessions {
            lines.push(format!(
                "session {} ({}, {})",
                terminal(session.id.as_str()),
                terminal(session.agent.as_str()),
                terminal(session.source.as_str())
            ));
            lines.extend(session.events.iter().flat_map(EffectsEvent::lines));
        }
        lines.push(String::new());
        lines.join("\n")
    }
}

impl EffectsSession {
    pub(crate) fn new(id: &str, agent: &str, source: &str, events: Vec<EffectsEvent>) -> Self {
        Self { id: redact(id), agent: redact(agent), source: redact(source), events }
    }

    fn document(&self) -> Session<'_> {
        Session {
            id: self.id.as_str(),
            agent: self.agent.as_str(),
            source: self.source.as_str(),
            events: self.events.iter().map(EffectsEvent::document).collect(),
        }
    }
}

impl EffectsEvent {
    pub(crate) fn new(
        event: u32,
        event_id: Option<&str>,
        tool: Option<&str>,
        status: Status,
        effects: impl Iterator<Item = EffectView>,
    ) -> Self {
        Self {
            event,
            event_id: event_id.map(redact),
            tool: tool.map(redact),
            status: status.name(),
            effects: effects.map(|effect| ShownEffect::new(&effect)).collect(),
        }
    }

    fn document(&self) -> Event<'_> {
        Event {
            number: self.event,
            id: self.event_id.as_ref().map(Redacted::as_str),
            tool: self.tool.as_ref().map(Redacted::as_str),
            status: self.status,
            effects: self.effects.iter().map(json::effect).collect(),
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut head = format!("  #{}", self.event);
        if let Some(tool) = &self.tool {
            head = format!("{head} {}", terminal(tool.as_str()));
        }
        head = format!("{head} {}", self.status);
        let effects = self.effects.iter().map(|effect| format!("      {}{}", action(effect), manner(effect)));
        std::iter::once(head).chain(effects).collect()
    }
}

/// How sure, and how: `  (pattern, via redirect)`.
fn manner(effect: &ShownEffect) -> String {
    match (effect.certainty, &effect.via) {
        (Some(certainty), Some(via)) => format!("  ({certainty}, via {})", terminal(via.as_str())),
        (Some(certainty), None) => format!("  ({certainty})"),
        _ => String::new(),
    }
}

/// What `agent-strace effects` sees.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace effects, version 1"))]
pub(super) struct Document<'a> {
    schema_version: u32,
    sessions: Vec<Session<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Session<'a> {
    id: &'a str,
    agent: &'a str,
    source: &'a str,
    events: Vec<Event<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Event<'a> {
    /// 1-based within the session.
    #[serde(rename = "event")]
    number: u32,
    #[serde(rename = "event_id")]
    id: Option<&'a str>,
    /// `null` for an event that is no call.
    tool: Option<&'a str>,
    /// `ok`, `error`, `denied`, `interrupted` or `missing`.
    status: &'static str,
    effects: Vec<json::Effect<'a>>,
}
