//! The actors of a session: its agent and sub-agents, as far as the log names them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use agent_strace_model::evidence::UNNAMED;
use agent_strace_model::{Event, Session, Stream};
use agent_strace_policy::Actor;
use agent_strace_policy::agents::{Known, Part};

/// All actors of a session.
pub(super) struct Actors<'s> {
    agent: Option<&'s str>,
    modes: &'s [Cow<'s, str>],
    /// The session's own agent, if it is a sub-agent of another session.
    child: Option<Subagent<'s>>,
    /// Sub-agents within the session, by the id that their calls carry.
    inside: BTreeMap<&'s str, Subagent<'s>>,
}

/// A sub-agent.
struct Subagent<'s> {
    names: Vec<&'s str>,
    kind: Known,
}

impl<'s> Actors<'s> {
    pub(super) fn new(session: &'s Session<'s>) -> Self {
        let kinds: BTreeMap<&str, &str> = session
            .evidence
            .subagents
            .iter()
            .filter_map(|subagent| Some((subagent.id.as_deref()?, subagent.kind.as_deref()?)))
            .collect();
        let mut inside = BTreeMap::new();
        for (_, call) in session.recorded_calls() {
            let Some(name) = call.subagent.as_deref() else { continue };
            inside
                .entry(name)
                .or_insert_with(|| Subagent::new((name != UNNAMED).then_some(name), kinds.get(name).copied()));
        }
        let kind = session.streams.iter().find_map(|stream| match stream {
            Stream::Subagent(kind) => Some(kind.as_ref()),
            Stream::Main | Stream::Sidechain(_) => None,
        });
        let agent = Some(session.agent.as_ref()).filter(|agent| !agent.is_empty() && *agent != "-");
        let child = session.parent.is_some().then(|| Subagent::new(Some(session.id.as_ref()), kind));
        Self { agent, modes: &session.attribution.permission_modes, child, inside }
    }

    /// The actor that caused an event.
    pub(super) fn actor(&self, event: &Event<'_>) -> Actor<'_> {
        let subagent = event.call().and_then(|call| call.subagent.as_deref());
        let inside = subagent.and_then(|name| self.inside.get(name));
        let part = inside.or(self.child.as_ref()).map_or(Part::Main, Subagent::part);
        Actor { agent: self.agent, part, modes: self.modes }
    }
}

impl<'s> Subagent<'s> {
    fn new(id: Option<&'s str>, kind: Option<&'s str>) -> Self {
        let named = if kind.is_some() { Known::Kind } else { Known::Id };
        Self { names: kind.into_iter().chain(id).collect(), kind: named }
    }

    fn part(&self) -> Part<'_> {
        Part::Subagent { names: &self.names, kind: self.kind }
    }
}
