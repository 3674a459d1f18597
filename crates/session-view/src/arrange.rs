//! Orders the conversations of several logs and links each one to its start.

use std::collections::HashMap;

use jiff::Timestamp;
use uuid::Uuid;

use super::billing::Bill;
use super::conversations;
use super::document::{Conversation, Position, StreamId};
use super::time;
use agent_strace_model::{EventKind, Session};

/// A sub-agent's log begins at most this long after, or before, its start was noted.
const SAME_MOMENT: i64 = 100;

/// A conversation with the data that links it to others.
#[derive(Debug, Clone)]
pub struct SessionView {
    pub conversation: Conversation,
    pub bill: Bill,
    pub agent: String,
    pub source: String,
    /// All calls of the session, whether the conversation shows them or not.
    pub calls: usize,
    id: String,
    parent: Option<String>,
    /// When its log was opened.
    opened: Option<Timestamp>,
    starts: Vec<(Option<Timestamp>, Position)>,
}

impl SessionView {
    pub(super) fn new(
        session: &Session<'_>,
        conversation: Conversation,
        starts: Vec<(Option<Timestamp>, Position)>,
        bill: Bill,
    ) -> Self {
        let start = session.events.iter().find(|event| matches!(event.kind, EventKind::Start));
        Self {
            conversation,
            bill,
            agent: session.agent.clone().into_owned(),
            source: session.source.clone(),
            calls: session.calls().count(),
            id: session.id.clone().into_owned(),
            parent: session.parent.as_deref().map(str::to_owned),
            opened: start.and_then(|event| time::parse(event.time.as_deref()?)),
            starts,
        }
    }

    fn is_main(&self) -> bool {
        self.conversation.stream_id == StreamId::Main
    }

    /// The main one first, then by start.
    fn order(&self) -> (bool, bool, Option<Timestamp>, String, &str) {
        let start = self.conversation.start_time;
        let name = match &self.conversation.stream_id {
            StreamId::Main => String::new(),
            StreamId::Sidechain { agent_id } => agent_id.clone(),
            StreamId::Subagent { name } => name.clone(),
        };
        (!self.is_main(), start.is_none(), start, name, &self.source)
    }
}

/// Sorts every conversation after the one that started it.
pub fn arrange(mut views: Vec<SessionView>) -> Vec<SessionView> {
    views.sort_by(|left, right| left.order().cmp(&right.order()));
    let parents = link(&mut views);
    let mut children: Vec<Vec<usize>> = views.iter().map(|_| Vec::new()).collect();
    let mut waiting = Vec::new();
    for (at, parent) in parents.iter().enumerate().rev() {
        match parent.and_then(|parent| children.get_mut(parent)) {
            Some(children) => children.push(at),
            None => waiting.push(at),
        }
    }
    let mut rest: Vec<Option<SessionView>> = views.into_iter().map(Some).collect();
    let mut arranged = Vec::new();
    while let Some(at) = waiting.pop() {
        arranged.extend(rest.get_mut(at).and_then(Option::take));
        waiting.extend(children.get(at).into_iter().flatten());
    }
    // Logs that name each other as their parents have no beginning.
    arranged.extend(rest.into_iter().flatten());
    arranged
}

/// The index of each conversation's parent. An exactly known parent is also written into the document.
fn link(views: &mut [SessionView]) -> Vec<Option<usize>> {
    let mut mains: HashMap<Uuid, usize> = HashMap::new();
    let mut by_id: HashMap<String, usize> = HashMap::new();
    let mut starts: Vec<(i64, usize, Position)> = Vec::new();
    for (at, one) in views.iter().enumerate().filter(|(_, one)| one.is_main()) {
        mains.entry(one.conversation.session_id).or_insert(at);
        by_id.entry(one.id.clone()).or_insert(at);
        starts.extend(
            one.starts.iter().filter_map(|(time, position)| Some((time.as_ref()?.as_millisecond(), at, *position))),
        );
    }
    starts.sort_by_key(|(time, at, _)| (*time, *at));
    let mut agents: HashMap<usize, HashMap<String, Position>> = HashMap::new();
    let mut parents = Vec::new();
    for at in 0..views.len() {
        let Some(one) = views.get(at) else { break };
        let (parent, position) = match &one.conversation.stream_id {
            StreamId::Main => (None, None),
            StreamId::Sidechain { agent_id } => {
                let parent = mains.get(&one.conversation.session_id).copied();
                let position = parent.and_then(|parent| {
                    let agents = agents.entry(parent).or_insert_with(|| {
                        views.get(parent).map(|one| conversations::agents(&one.conversation)).unwrap_or_default()
                    });
                    agents.get(agent_id).copied()
                });
                (parent, position)
            }
            StreamId::Subagent { .. } => {
                let started = one.opened.and_then(|opened| nearest(&starts, opened.as_millisecond()));
                let named = one.parent.as_ref().and_then(|parent| by_id.get(parent)).copied();
                match started {
                    Some((parent, position)) if named.is_none_or(|named| named == parent) => {
                        (Some(parent), Some(position))
                    }
                    _ => (named, None),
                }
            }
        };
        if let Some(one) = views.get_mut(at) {
            one.conversation.spawned_by = position;
        }
        parents.push(parent.filter(|parent| *parent != at));
    }
    parents
}

/// The recorded start that is nearest to a moment, if one is close enough.
fn nearest(starts: &[(i64, usize, Position)], moment: i64) -> Option<(usize, Position)> {
    let first = starts.partition_point(|(time, ..)| *time < moment.saturating_sub(SAME_MOMENT));
    let near = starts.iter().skip(first).take_while(|(time, ..)| *time <= moment.saturating_add(SAME_MOMENT));
    near.min_by_key(|(time, ..)| time.abs_diff(moment)).map(|(_, at, position)| (*at, *position))
}
