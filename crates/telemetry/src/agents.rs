//! Whose work spans and events are part of: the session's own agent, and the sub-agents in its log.

use std::collections::BTreeMap;

use opentelemetry_proto::tonic::trace::v1::span::Event as SpanEvent;

use super::ids::{SpanId, SpanIds, root};
use super::outcome::Failed;
use super::times::Times;
use agent_strace_model::evidence::UNNAMED;
use agent_strace_model::{Event, EventKind, Session, Stream};

/// A sub-agent that is started more than so many deep is shown below the session itself.
const DEEPEST: usize = 64;

/// One of them.
#[derive(Debug)]
pub(super) struct Agent<'s> {
    /// `None`: the session's own.
    pub(super) id: Option<&'s str>,
    /// Its type, where the log tells it.
    pub(super) kind: Option<&'s str>,
    pub(super) span: SpanId,
    /// The span of the call that started it, or the root; `None`: it is the root.
    pub(super) parent: Option<SpanId>,
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) events: Vec<SpanEvent>,
    /// That were too many.
    pub(super) dropped: u32,
    /// The last thing that failed.
    pub(super) failed: Option<Failed>,
}

/// All agents of a session; the first is its own.
#[derive(Debug)]
pub(super) struct Agents<'s> {
    pub(super) list: Vec<Agent<'s>>,
    by_id: BTreeMap<&'s str, usize>,
}

/// Who an event belongs to; `None`: the session's own agent.
fn named<'s>(session: &'s Session<'s>, event: &'s Event<'s>) -> Option<&'s str> {
    if let EventKind::Call(call) = &event.kind
        && let Some(subagent) = call.subagent.as_deref()
    {
        return Some(subagent);
    }
    match session.streams.get(usize::from(event.origin.stream)) {
        Some(Stream::Sidechain(id)) => Some(id),
        _ => None,
    }
}

impl<'s> Agents<'s> {
    pub(super) fn of(session: &'s Session<'s>, times: &Times, ids: &mut SpanIds<'_>) -> Self {
        let own = Agent::new(None, root(&session.id), times.first, times.last);
        let mut agents = Self { list: vec![own], by_id: BTreeMap::new() };
        for (index, event) in session.events.iter().enumerate() {
            let Some(id) = named(session, event) else { continue };
            let at = times.at(index).nanos;
            let list = &mut agents.list;
            let known = *agents.by_id.entry(id).or_insert_with(|| {
                list.push(Agent::new(Some(id), ids.of("agent", id), at, at));
                list.len() - 1
            });
            agents.extend(known, at);
        }
        agents
    }

    /// Its index in the list.
    pub(super) fn owner(&self, session: &'s Session<'s>, event: &'s Event<'s>) -> usize {
        named(session, event).and_then(|id| self.by_id.get(id).copied()).unwrap_or(0)
    }

    pub(super) fn get(&mut self, at: usize) -> Option<&mut Agent<'s>> {
        self.list.get_mut(at)
    }

    pub(super) fn span(&self, at: usize) -> SpanId {
        self.list.get(at).or_else(|| self.list.first()).map(|agent| agent.span).unwrap_or_default()
    }

    pub(super) fn knows(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// It was at work then.
    pub(super) fn extend(&mut self, at: usize, nanos: u64) {
        if let Some(agent) = self.list.get_mut(at) {
            (agent.first, agent.last) = (agent.first.min(nanos), agent.last.max(nanos));
        }
    }

    /// Puts each sub-agent below the call that started it. `calls`: owner and span of calls by their id.
    pub(super) fn arrange(&mut self, session: &'s Session<'s>, calls: &BTreeMap<&str, (usize, SpanId)>) {
        let mut starts: BTreeMap<usize, (usize, SpanId)> = BTreeMap::new();
        for started in &session.evidence.subagents {
            let names = [started.id.as_deref(), started.kind.as_deref()];
            let Some(agent) = names.into_iter().flatten().find_map(|name| self.by_id.get(name).copied()) else {
                continue;
            };
            if let Some(agent) = self.list.get_mut(agent) {
                agent.kind = agent.kind.or(started.kind.as_deref());
            }
            if let Some(call) = started.call_id.as_deref().and_then(|id| calls.get(id)) {
                starts.entry(agent).or_insert(*call);
            }
        }
        let root = self.span(0);
        for (at, agent) in self.list.iter_mut().enumerate().skip(1) {
            let parent = starts.get(&at).filter(|(owner, _)| !is_below(*owner, at, &starts));
            agent.parent = Some(parent.map_or(root, |(_, span)| *span));
        }
    }
}

/// Whether an agent was started by another one, or by one that it started: such a log is not true.
fn is_below(mut agent: usize, other: usize, starts: &BTreeMap<usize, (usize, SpanId)>) -> bool {
    for _ in 0..DEEPEST {
        if agent == other {
            return true;
        }
        match starts.get(&agent) {
            Some((owner, _)) => agent = *owner,
            None => return false,
        }
    }
    true
}

impl<'s> Agent<'s> {
    fn new(id: Option<&'s str>, span: SpanId, first: u64, last: u64) -> Self {
        Self { id, kind: None, span, parent: None, first, last, events: Vec::new(), dropped: 0, failed: None }
    }

    /// What it is called, where the log does so.
    pub(super) fn name(&self) -> Option<&'s str> {
        self.kind.or(self.id.filter(|id| *id != UNNAMED))
    }

    pub(super) fn push(&mut self, event: SpanEvent) {
        /// Of one span. What comes after that is counted.
        const MOST: usize = 4_096;
        if self.events.len() < MOST {
            self.events.push(event);
        } else {
            self.dropped = self.dropped.saturating_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{DEEPEST, is_below};

    #[test]
    fn an_agent_that_started_itself_is_found_out() {
        let started = |pairs: &[(usize, usize)]| pairs.iter().map(|(agent, by)| (*agent, (*by, [0; 8]))).collect();
        let starts: BTreeMap<_, _> = started(&[(1, 0), (2, 1), (3, 4), (4, 3)]);
        for (owner, agent, expected) in [(0, 1, false), (1, 2, false), (4, 3, true), (3, 4, true), (2, 1, true)] {
            assert_eq!(is_below(owner, agent, &starts), expected, "{agent} by {owner}");
        }
        let chain: Vec<(usize, usize)> = (1..2 * DEEPEST).map(|agent| (agent, agent - 1)).collect();
        let starts = started(&chain);
        assert!(!is_below(DEEPEST - 2, DEEPEST - 1, &starts));
        assert!(is_below(DEEPEST + 1, DEEPEST + 2, &starts), "too deep to tell");
    }
}
