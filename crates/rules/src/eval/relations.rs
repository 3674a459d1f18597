//! What the other sessions of a run say of the tests of one: who started a sub-agent may have tested its work, and a
//! sub-agent that left no log may have changed files after the tests.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::{Assessment, Measurement};
use crate::{Act, Log};
use agent_strace_effects::Kind;
use agent_strace_model::{Event, Session, Status, moment};
use agent_strace_policy::config::evals::{Evals, Test};

/// Kinds of sub-agents that only look.
const READERS: &[&str] = &["explore", "plan", "codebase_investigator", "claude-code-guide", "statusline-setup"];

/// What others have to know of a session, and what it has to know of others.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionRelations {
    /// When its log ends.
    last: Option<Timestamp>,
    /// Of each scorer, when the tests began that passed.
    tested: Vec<Option<Timestamp>>,
    /// Of each scorer, where an agent was started after them of which the log itself tells nothing.
    started: Vec<Option<u32>>,
    /// Its parent, or its sub-agents, have a say.
    pub(super) awaited: bool,
}

impl SessionRelations {
    pub(super) fn of(evals: &Evals, scores: &[Measurement], log: &Log<'_>) -> Self {
        let mut relations = Self { last: log.measured.span().last, ..Self::default() };
        for (scorer, measured) in evals.scorers.iter().zip(scores) {
            let passed = matches!(scorer.test, Test::TestsRan(_)) && measured.number() == Some(1.0);
            let event = measured.event.filter(|_| passed);
            relations.tested.push(event.and_then(|event| time_of(log.session, event)));
            relations.started.push(if passed { started(log, event.unwrap_or(0)) } else { None });
        }
        relations.awaited = log.session.parent.is_some() || relations.started.iter().any(Option::is_some);
        relations
    }
}

fn time_of(session: &Session<'_>, number: u32) -> Option<Timestamp> {
    moment(event_of(session, number)?.time.as_deref()?)
}

/// The last agent that was started after an event. Those whose results tell what they are called are looked for by
/// `evidence/missing-subagent`.
fn started(log: &Log<'_>, after: u32) -> Option<u32> {
    let session = log.session;
    let works = |act: &&Act<'_>| match &act.effect.kind {
        Kind::Spawn { agent: Some(agent) } => !READERS.contains(&agent.to_lowercase().as_str()),
        Kind::Spawn { agent: None } => true,
        _ => false,
    };
    let late = log.acts.iter().rev().take_while(|act| act.event > after);
    let mut late = late.filter(works).filter(|act| act.status != Some(Status::Denied)).peekable();
    late.peek()?;
    // What sub-agents did may be a part of this log.
    if session.recorded_calls().any(|(_, call)| call.subagent.is_some()) {
        return None;
    }
    let named: BTreeSet<&str> =
        session.evidence.subagents.iter().filter_map(|agent| agent.call_id.as_deref()).collect();
    let told = |act: &&Act<'_>| called(session, act.event).is_some_and(|id| named.contains(id));
    late.find(|act| !told(act)).map(|act| act.event)
}

/// The id of the call that is an event.
fn called<'s>(session: &'s Session<'_>, number: u32) -> Option<&'s str> {
    event_of(session, number)?.call()?.call_id.as_deref()
}

fn event_of<'s, 'a>(session: &'s Session<'a>, number: u32) -> Option<&'s Event<'a>> {
    let index = session.events.binary_search_by_key(&number, |event| event.number).ok()?;
    session.events.get(index)
}

/// One session of a run.
pub struct RunSession<'a> {
    pub id: String,
    pub parent: Option<String>,
    pub assessment: &'a mut Assessment,
}

/// Fills in what depends on the other sessions of the run.
pub fn relate(evals: &Evals, sessions: &mut [RunSession<'_>]) {
    let mut tested: BTreeMap<String, Vec<Option<Timestamp>>> = BTreeMap::new();
    let mut parents = BTreeSet::new();
    for session in &*sessions {
        let mine = session.assessment.relations.tested.clone();
        // Two logs of one session may say different things: then neither speaks for a sub-agent.
        tested.entry(session.id.clone()).and_modify(Vec::clear).or_insert(mine);
        parents.extend(session.parent.clone());
    }
    for session in sessions {
        let Assessment { scores, relations, .. } = &mut *session.assessment;
        let above = session.parent.as_ref().and_then(|parent| tested.get(parent));
        for (at, (scorer, measured)) in evals.scorers.iter().zip(scores).enumerate() {
            if !matches!(scorer.test, Test::TestsRan(_)) {
                continue;
            }
            let before = above.and_then(|tested| tested.get(at).copied().flatten()).zip(relations.last);
            if measured.number() != Some(1.0) && before.is_some_and(|(tested, last)| last <= tested) {
                *measured = Measurement::new(1.0, "the session that started it ran the tests after it");
            }
            let lost = relations.started.get(at).copied().flatten().filter(|_| !parents.contains(&session.id));
            if let Some(event) = lost {
                let reason = "starts an agent whose work is not recorded: it may have changed files";
                *measured = Measurement::unknown(format!("event {event} {reason}")).at(Some(event));
            }
        }
    }
}
