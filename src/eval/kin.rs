//! What the other sessions of a run say of the tests of one: who started a sub-agent may have tested its work, and a
//! sub-agent that left no log may have changed files after the tests.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::{Assessment, Measurement};
use crate::config::evals::{Evals, Test};
use crate::effects::Kind;
use crate::model::{EventKind, Session, Status, moment};
use crate::rules::Log;

/// Kinds of sub-agents that only look.
const READERS: &[&str] = &["explore", "plan", "codebase_investigator", "claude-code-guide", "statusline-setup"];

/// What others have to know of a session, and what it has to know of others.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kin {
    /// When its log ends.
    last: Option<Timestamp>,
    /// Of each scorer, when the tests began that passed.
    tested: Vec<Option<Timestamp>>,
    /// Of each scorer, where an agent was started after them of which the log itself tells nothing.
    started: Vec<Option<u32>>,
    /// Its parent, or its sub-agents, have a say.
    pub(super) awaited: bool,
}

impl Kin {
    pub(super) fn of(evals: &Evals, scores: &[Measurement], log: &Log<'_>) -> Self {
        let mut kin = Self { last: log.measured.span().last, ..Self::default() };
        for (scorer, measured) in evals.scorers.iter().zip(scores) {
            let passed = matches!(scorer.test, Test::TestsRan(_)) && measured.number() == Some(1.0);
            let event = measured.event.filter(|_| passed);
            kin.tested.push(event.and_then(|event| time_of(log.session, event)));
            kin.started.push(started(log, event.unwrap_or(0)).filter(|_| passed));
        }
        kin.awaited = log.session.parent.is_some() || kin.started.iter().any(Option::is_some);
        kin
    }
}

fn time_of(session: &Session<'_>, number: u32) -> Option<Timestamp> {
    let place = session.events.binary_search_by_key(&number, |event| event.number).ok()?;
    moment(session.events.get(place)?.time.as_deref()?)
}

/// The last agent that was started after an event. Those whose results tell what they are called are looked for by
/// `evidence/missing-subagent`.
fn started(log: &Log<'_>, after: u32) -> Option<u32> {
    let session = log.session;
    let named: BTreeSet<&str> =
        session.evidence.subagents.iter().filter_map(|agent| agent.call_id.as_deref()).collect();
    let mut calls = BTreeMap::new();
    for event in &session.events {
        match &event.kind {
            // What sub-agents did is a part of this log.
            EventKind::Call(call) if call.subagent.is_some() => return None,
            EventKind::Call(call) => drop(calls.insert(event.number, call.call_id.as_deref())),
            _ => {}
        }
    }
    let unknown = log.acts.iter().rev().take_while(|act| act.event > after).find(|act| {
        let Kind::Spawn { agent } = &act.effect.kind else { return false };
        let reads = agent.as_deref().is_some_and(|agent| READERS.contains(&agent.to_lowercase().as_str()));
        let told = calls.get(&act.event).copied().flatten().is_some_and(|id| named.contains(id));
        act.status != Some(Status::Denied) && !reads && !told
    });
    unknown.map(|act| act.event)
}

/// One session of a run.
pub(crate) struct Member<'a> {
    pub(crate) id: String,
    pub(crate) parent: Option<String>,
    pub(crate) assessment: &'a mut Assessment,
}

/// Fills in what depends on the other sessions of the run.
pub(crate) fn relate(evals: &Evals, members: &mut [Member<'_>]) {
    let mut tested: BTreeMap<String, Vec<Option<Timestamp>>> = BTreeMap::new();
    let mut parents = BTreeSet::new();
    for member in &*members {
        let mine = member.assessment.kin.tested.clone();
        // Two logs of one session may say different things: then neither speaks for a sub-agent.
        tested.entry(member.id.clone()).and_modify(Vec::clear).or_insert(mine);
        parents.extend(member.parent.clone());
    }
    for member in members {
        let Assessment { scores, kin, .. } = &mut *member.assessment;
        let above = member.parent.as_ref().and_then(|parent| tested.get(parent));
        for (at, (scorer, measured)) in evals.scorers.iter().zip(scores).enumerate() {
            if !matches!(scorer.test, Test::TestsRan(_)) {
                continue;
            }
            let before = above.and_then(|tested| tested.get(at).copied().flatten()).zip(kin.last);
            if measured.number() != Some(1.0) && before.is_some_and(|(tested, last)| last <= tested) {
                *measured = Measurement::new(1.0, "the session that started it ran the tests after it");
            }
            let lost = kin.started.get(at).copied().flatten().filter(|_| !parents.contains(&member.id));
            if let Some(event) = lost {
                let reason = "starts an agent whose work is not recorded: it may have changed files";
                *measured = Measurement::unknown(format!("event {event} {reason}")).at(Some(event));
            }
        }
    }
}
