//! What was spent of one measure, event by event.

use std::collections::{BTreeMap, BTreeSet};

use super::{Log, Part};
use crate::effects::{Certainty, Connection, Kind, PathTarget};
use crate::model::{Event, EventKind, Status, Stream, Telling, Usage, moment};
use crate::policy::budgets::{Measure, Prices};
use crate::rules::Act;

/// What was spent.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// The number of an event, and how much was spent with it and before. Ascending in both.
    spent: Vec<(u32, u128)>,
    /// The log tells it.
    pub(super) recorded: bool,
    /// The first event that may have spent more than was counted, and why.
    pub(super) unknown: Option<(u32, String)>,
}

impl Tally {
    pub(super) fn total(&self) -> u128 {
        self.spent.last().map_or(0, |(_, total)| *total)
    }

    /// The event that went above the limit.
    pub(super) fn passes(&self, most: u128) -> Option<u32> {
        let first = self.spent.partition_point(|(_, total)| *total <= most);
        self.spent.get(first).map(|(event, _)| *event)
    }

    fn spend(&mut self, event: u32, amount: u128) {
        let total = self.total().saturating_add(amount);
        self.reach(event, total);
    }

    /// What was spent up to an event. Less than before changes nothing.
    fn reach(&mut self, event: u32, total: u128) {
        if total > self.total() {
            self.spent.push((event, total));
        }
    }
}

pub(super) fn tally(measure: Measure, part: &Part<'_>, log: &Log<'_>) -> Tally {
    let prices = log.policy.budgets().prices;
    match measure {
        Measure::ToolCalls => calls(part),
        Measure::SessionTurns => turns(part, log),
        Measure::Duration => duration(part),
        Measure::FilesChanged => files(part),
        Measure::NetworkHosts => hosts(part),
        Measure::Subagents => subagents(part, log),
        Measure::ModelCalls => usage(log, |usage| u128::from(usage.requests)),
        Measure::InputTokens => usage(log, |usage| u128::from(usage.input)),
        Measure::OutputTokens => usage(log, |usage| u128::from(usage.output)),
        Measure::TotalTokens => usage(log, total_tokens),
        Measure::CostUsd => usage(log, |usage| cost(usage, prices)),
        Measure::ReasoningTokens => {
            let tally = usage(log, |usage| u128::from(usage.reasoning));
            // Most logs count them as output and say no more.
            Tally { recorded: tally.recorded && tally.total() > 0, ..tally }
        }
    }
}

fn is_call(event: &Event<'_>) -> bool {
    matches!(event.kind, EventKind::Call(_))
}

/// Also those that were refused or failed.
fn calls(part: &Part<'_>) -> Tally {
    let mut tally = Tally { recorded: true, ..Tally::default() };
    part.events.iter().filter(|event| is_call(event)).for_each(|event| tally.spend(event.number, 1));
    tally
}

/// What was asked for in the session's own conversation.
fn turns(part: &Part<'_>, log: &Log<'_>) -> Tally {
    let mut tally = Tally::default();
    let is_main = |event: &Event<'_>| {
        let stream = log.session.streams.get(usize::from(event.origin.stream));
        !matches!(stream, Some(Stream::Sidechain(_)))
    };
    for event in part.events.iter().filter(|event| event.origin.telling == Telling::Told && is_main(event)) {
        if matches!(event.kind, EventKind::Prompt(_)) {
            tally.spend(event.number, 1);
        }
    }
    tally.recorded = tally.total() > 0 || !part.events.iter().any(|event| is_call(event));
    tally
}

/// From the first recorded time to the last, pauses included: a log does not tell waiting from working.
fn duration(part: &Part<'_>) -> Tally {
    let mut tally = Tally { recorded: true, ..Tally::default() };
    let mut start = None;
    let mut since = false;
    for event in &part.events {
        let Some(time) = event.time.as_deref().and_then(moment) else {
            // A call without a time is as late as the next event that has one.
            since |= is_call(event);
            tally.recorded &= start.is_some() || !is_call(event);
            continue;
        };
        since = false;
        let start = *start.get_or_insert(time);
        let passed = u128::try_from(time.duration_since(start).as_millis()).unwrap_or(0);
        tally.reach(event.number, passed);
    }
    tally.recorded &= !since;
    tally
}

fn happened(act: &Act<'_>) -> bool {
    act.status != Some(Status::Denied) && act.effect.certainty != Certainty::Possible
}

/// Each path once. A directory or a pattern stands for a number nobody knows, and counts as one.
fn files(part: &Part<'_>) -> Tally {
    let mut tally = Tally { recorded: true, ..Tally::default() };
    let mut seen: BTreeSet<&PathTarget> = BTreeSet::new();
    for act in part.acts.iter().filter(|act| happened(act) && !act.effect.via.starts_with("alias ")) {
        let (Kind::Write(target) | Kind::Delete(target)) = &act.effect.kind else { continue };
        if !seen.insert(target) {
            continue;
        }
        tally.spend(act.event, 1);
        if tally.unknown.is_none() && (target.subtree || act.effect.certainty == Certainty::Pattern) {
            tally.unknown = Some((act.event, format!("how many files `{}` stands for is not known", target.shown())));
        }
    }
    tally
}

/// Each host once; a package registry is one. This machine is none.
fn hosts(part: &Part<'_>) -> Tally {
    let mut tally = Tally { recorded: true, ..Tally::default() };
    let mut seen: BTreeSet<Option<&str>> = BTreeSet::new();
    for act in part.acts.iter().filter(|act| happened(act)) {
        let Kind::Connect(connection) = &act.effect.kind else { continue };
        let host = connection.host.as_deref();
        if is_here(connection) || !seen.insert(host) {
            continue;
        }
        tally.spend(act.event, 1);
        if tally.unknown.is_none() && (host.is_none() || act.effect.certainty == Certainty::Pattern) {
            tally.unknown = Some((act.event, "which hosts it connects to is not known".to_owned()));
        }
    }
    tally
}

fn is_here(connection: &Connection) -> bool {
    matches!(connection.host.as_deref(), Some("localhost" | "127.0.0.1" | "::1" | "0.0.0.0"))
}

/// Those that calls start, and those that only results tell of.
fn subagents(part: &Part<'_>, log: &Log<'_>) -> Tally {
    let started: BTreeMap<u32, u128> = part
        .acts
        .iter()
        .filter(|act| matches!(act.effect.kind, Kind::Spawn { .. }) && happened(act))
        .fold(BTreeMap::new(), |mut started, act| {
            *started.entry(act.event).or_default() += 1;
            started
        });
    let by_call: BTreeSet<&str> = part
        .events
        .iter()
        .filter(|event| started.contains_key(&event.number))
        .filter_map(|event| match &event.kind {
            EventKind::Call(call) => call.call_id.as_deref(),
            _ => None,
        })
        .collect();
    let mut told: BTreeMap<u32, u128> = started.clone();
    let mut ids = BTreeSet::new();
    for subagent in &log.session.evidence.subagents {
        let known = subagent.call_id.as_deref().is_some_and(|call| by_call.contains(call))
            || started.contains_key(&subagent.event)
            || subagent.id.as_deref().is_some_and(|id| !ids.insert(id));
        if !known {
            *told.entry(subagent.event).or_default() += 1;
        }
    }
    let mut tally = Tally { recorded: true, ..Tally::default() };
    for (event, count) in told {
        tally.spend(event, count);
    }
    tally
}

/// Tokens that were paid for. Reasoning is a part of what was put out.
fn total_tokens(usage: &Usage) -> u128 {
    [usage.input, usage.output, usage.cache_read, usage.cache_write].into_iter().map(u128::from).sum()
}

/// In parts of a dollar that a price for a million tokens makes for one.
fn cost(usage: &Usage, prices: Prices) -> u128 {
    let parts = [
        (usage.input, prices.input),
        (usage.output, prices.output),
        (usage.cache_read, prices.cache_read),
        (usage.cache_write, prices.cache_write),
    ];
    parts.into_iter().fold(0, |sum, (tokens, price)| sum.saturating_add(u128::from(tokens).saturating_mul(price)))
}

/// What providers reported. Logs repeat the usage of a message: the last report counts.
fn usage(log: &Log<'_>, amount: impl Fn(&Usage) -> u128) -> Tally {
    let mut tally = Tally::default();
    let mut messages: BTreeMap<&str, u128> = BTreeMap::new();
    let mut sum: u128 = 0;
    for spent in &log.session.spent {
        let amount = amount(&spent.usage);
        let before = spent.message.as_deref().and_then(|message| messages.insert(message, amount)).unwrap_or(0);
        sum = sum.saturating_add(amount).saturating_sub(before);
        // It stands with the events before it; a log that starts with usage has none.
        let event = spent.after.checked_sub(1).and_then(|at| log.session.events.get(at));
        tally.reach(event.or(log.session.events.first()).map_or(0, |event| event.number), sum);
    }
    let last = log.session.events.last().map_or(0, |event| event.number);
    tally.reach(last, amount(&log.session.usage));
    tally.recorded =
        tally.total() > 0 || total_tokens(&log.session.usage) > 0 || !log.session.events.iter().any(is_call);
    tally
}
