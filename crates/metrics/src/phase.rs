//! A session from prompt to prompt.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::asked::{self, is_asked};
use super::failure::{Failure, Retry};
use super::money::{self, Cost, Pricing};
use super::request::Request;
use super::series::{changes, happened};
use super::{TimedEffect, estimate};
use agent_strace_effects::Kind;
use agent_strace_model::{Event, EventKind, Session, Status, Usage, moment};

/// What was done from one prompt of the user to the next.
#[derive(Debug, Clone)]
pub struct Phase {
    /// The first line of the prompt; where there is none, what was done most. Raw log text.
    pub label: String,
    /// Numbers of its first and its last event.
    pub from: u32,
    pub to: u32,
    pub events: usize,
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
    pub calls: usize,
    /// What shells were asked to run, as it was asked. Raw log text.
    pub commands: usize,
    pub read: BTreeSet<String>,
    pub changed: BTreeSet<String>,
    pub failures: usize,
    pub retries: usize,
    /// It ended in a failure: what failed last was not made good.
    pub failed: bool,
    /// Recorded, or estimated where the session's cost is.
    pub usage: Usage,
    pub cost: Cost,
}

impl Phase {
    /// In milliseconds.
    pub fn duration(&self) -> Option<u64> {
        u64::try_from(self.last?.duration_since(self.first?).as_millis()).ok()
    }
}

pub(super) fn phases(
    session: &Session<'_>,
    effects: &[TimedEffect<'_>],
    requests: &[Request],
    pricing: &Pricing<'_>,
    failures: &[Failure],
    retries: &[Retry],
) -> Vec<Phase> {
    let parts = split(session);
    let mut phases: Vec<Phase> = parts.iter().map(|events| begin(events, session)).collect();
    for (timed, target) in changes(effects) {
        if let Some(phase) = at(&mut phases, timed.event) {
            phase.changed.insert(target.shown().into_owned());
        }
    }
    for timed in effects.iter().filter(|timed| happened(timed)) {
        match (&timed.effect.kind, at(&mut phases, timed.event)) {
            (Kind::Read(target), Some(phase)) => {
                phase.read.insert(target.shown().into_owned());
            }
            (Kind::Execute(_), Some(phase)) => phase.commands += 1,
            _ => {}
        }
    }
    for failure in failures {
        if let Some(phase) = at(&mut phases, failure.event) {
            phase.failures += 1;
        }
    }
    for retry in retries {
        if let Some(phase) = at(&mut phases, retry.event) {
            phase.retries += 1;
        }
    }
    if let ([phase], true) = (&mut *phases, money::is_recorded(session, requests)) {
        // All that was used is of the only one, also what no single request is known of.
        (phase.usage, phase.cost) = (session.usage, pricing.session(session, requests));
    } else if money::is_recorded(session, requests) {
        charge(&mut phases, requests, pricing);
    } else {
        for (phase, events) in phases.iter_mut().zip(&parts) {
            for event in events {
                estimate::add(&mut phase.usage, &event.kind);
            }
            phase.cost = pricing.said(session, &phase.usage);
        }
    }
    phases
}

/// The phase in which an event stands; what comes after all of them is of the last one.
fn at(phases: &mut [Phase], event: u32) -> Option<&mut Phase> {
    let index = phases.partition_point(|phase| phase.to < event);
    let last = phases.len().checked_sub(1)?;
    phases.get_mut(index.min(last))
}

/// Each request to the phase that it stands in.
fn charge(phases: &mut [Phase], requests: &[Request], pricing: &Pricing<'_>) {
    for asked in requests {
        let Some(phase) = at(phases, asked.event) else { continue };
        phase.usage.add(&asked.usage);
        phase.cost.charge(&asked.usage, &asked.cost);
        pricing.note(&mut phase.cost, asked.model.as_deref(), asked.tier.as_deref());
    }
}

/// The events of each phase. Prompts between which nothing was done are of one phase, and what comes before the first one
/// belongs to it.
fn split<'s>(session: &'s Session<'s>) -> Vec<Vec<&'s Event<'s>>> {
    let mut all: Vec<Vec<&Event<'_>>> = Vec::new();
    let mut open: Vec<&Event<'_>> = Vec::new();
    let mut worked = false;
    for event in &session.events {
        if worked && is_asked(event, session) {
            worked = false;
            all.push(std::mem::take(&mut open));
        }
        worked |= is_work(event);
        open.push(event);
    }
    if !open.is_empty() {
        all.push(open);
    }
    all
}

fn is_work(event: &Event<'_>) -> bool {
    matches!(event.kind, EventKind::Call(_) | EventKind::Message(_) | EventKind::Reasoning(_) | EventKind::File(_))
}

fn begin(events: &[&Event<'_>], session: &Session<'_>) -> Phase {
    let number = |event: Option<&&Event<'_>>| event.map_or(0, |event| event.number);
    let times: Vec<Timestamp> = events.iter().filter_map(|event| event.time.as_deref().and_then(moment)).collect();
    Phase {
        label: label(events, session),
        from: number(events.first()),
        to: number(events.last()),
        events: events.len(),
        first: times.iter().min().copied(),
        last: times.iter().max().copied(),
        calls: events.iter().filter(|event| matches!(event.kind, EventKind::Call(_))).count(),
        commands: 0,
        read: BTreeSet::new(),
        changed: BTreeSet::new(),
        failures: 0,
        retries: 0,
        failed: ends_in_failure(events),
        usage: Usage::default(),
        cost: Cost::nothing(),
    }
}

fn label(events: &[&Event<'_>], session: &Session<'_>) -> String {
    asked::label(events, session).unwrap_or_else(|| {
        let mut tools: BTreeMap<&str, (usize, Reverse<u32>)> = BTreeMap::new();
        for event in events {
            let EventKind::Call(call) = &event.kind else { continue };
            tools.entry(&call.tool).or_insert((0, Reverse(event.number))).0 += 1;
        }
        // The first of those that were used most.
        let most = tools.into_iter().max_by_key(|(_, calls_and_first)| *calls_and_first);
        most.map_or_else(|| "no prompt".to_owned(), |(tool, _)| tool.to_owned())
    })
}

/// Whether the last thing that ended did so in a failure. What was refused was not tried, and tells nothing.
fn ends_in_failure(events: &[&Event<'_>]) -> bool {
    let last = events.iter().rev().find_map(|event| match &event.kind {
        EventKind::Call(call) => match call.status {
            Status::Ok => Some(false),
            Status::Error | Status::Interrupted => Some(true),
            Status::Denied | Status::Missing => None,
        },
        EventKind::Failure(_) => Some(true),
        EventKind::End(ending) if super::ending::failed(ending) => Some(true),
        _ => None,
    });
    last.unwrap_or(false)
}
