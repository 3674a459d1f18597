//! What was spent of one measure, event by event.
//!
//! A limit asks at which event it was passed, everything else asks for the total: both are read from here.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::asked::{is_asked, is_main};
use super::money::{Pricing, Unpriced};
use super::{ActorActivity, TimedEffect};
use agent_strace_effects::{Certainty, Connection, Kind, PathTarget, fold_for_deny};
use agent_strace_model::{Arguments, Event, EventKind, RecordRole, Session, Spent, Status, Usage, moment};

/// What was spent.
#[derive(Debug, Default)]
pub struct Series {
    /// The number of an event, and how much was spent with it and before. Ascending in both.
    spent: Vec<(u32, u128)>,
    /// The log tells it.
    pub recorded: bool,
    /// The first event that may have spent more than was counted, and why.
    pub unknown: Option<(u32, String)>,
}

impl Series {
    fn recorded() -> Self {
        Self { recorded: true, ..Self::default() }
    }

    pub fn total(&self) -> u128 {
        self.spent.last().map_or(0, |(_, total)| *total)
    }

    /// The event that went above the limit, and how much was spent by then.
    pub fn passes(&self, most: u128) -> Option<(u32, u128)> {
        let first = self.spent.partition_point(|(_, total)| *total <= most);
        self.spent.get(first).copied()
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

    fn is_unknown(&mut self, event: u32, why: impl FnOnce() -> String) {
        if self.unknown.is_none() {
            self.unknown = Some((event, why()));
        }
    }
}

fn is_call(event: &Event<'_>) -> bool {
    matches!(event.kind, EventKind::Call(_))
}

/// Also those that were refused or failed.
pub fn calls(actor: &ActorActivity<'_>) -> Series {
    let mut series = Series::recorded();
    actor.events.iter().filter(|event| is_call(event)).for_each(|event| series.spend(event.number, 1));
    series
}

/// What was asked for in the session's own conversation.
pub fn turns(actor: &ActorActivity<'_>, session: &Session<'_>) -> Series {
    let mut series = Series::default();
    for event in actor.events.iter().filter(|event| is_asked(event, session)) {
        series.spend(event.number, 1);
    }
    series.recorded = series.total() > 0 || !actor.events.iter().any(|event| is_call(event));
    series
}

/// From the earliest recorded time to the latest, pauses included: a log does not tell waiting from working. Records may
/// stand out of order, and a session may tell its start and its end beside them.
pub fn duration(actor: &ActorActivity<'_>, session: &Session<'_>) -> Series {
    let mut series = Series::recorded();
    let beside = |time: &Option<Cow<'_, str>>| time.as_deref().filter(|_| actor.subagent.is_none()).and_then(moment);
    let mut span = beside(&session.span.started).map(|started| (started, started));
    let mut reach = |series: &mut Series, event: u32, time: Timestamp| {
        let (first, last) = span.map_or((time, time), |(first, last)| (time.min(first), time.max(last)));
        let is_first = span.replace((first, last)).is_none();
        let passed = u128::try_from(last.duration_since(first).as_millis()).unwrap_or(0);
        series.reach(event, passed);
        is_first
    };
    let mut since = false;
    for event in &actor.events {
        let Some(time) = event.time.as_deref().and_then(moment) else {
            // A call without a time is as late as the next event that has one.
            since |= is_call(event);
            continue;
        };
        // Nor does anything say when calls were made before the first time.
        series.recorded &= !(reach(&mut series, event.number, time) && since);
        since = false;
    }
    if let Some(ended) = beside(&session.span.ended) {
        let last = actor.events.last().map_or(0, |event| event.number);
        series.recorded &= !(reach(&mut series, last, ended) && since);
        since = false;
    }
    series.recorded &= !since;
    series
}

/// It was not refused, and is more than a guess.
pub(super) fn happened(timed: &TimedEffect<'_>) -> bool {
    timed.status != Some(Status::Denied) && timed.effect.certainty != Certainty::Possible
}

/// What was written or deleted, in order, under the names that the session used.
pub(super) fn changes<'a>(
    effects: &'a [TimedEffect<'a>],
) -> impl Iterator<Item = (&'a TimedEffect<'a>, &'a PathTarget)> {
    let done = effects.iter().filter(|timed| happened(timed) && !timed.effect.via.starts_with("alias "));
    done.filter_map(|timed| match &timed.effect.kind {
        Kind::Write(target) | Kind::Delete(target) => Some((timed, target)),
        _ => None,
    })
}

/// Each path once. A directory or a pattern stands for a number nobody knows, and counts as one.
pub fn files(actor: &ActorActivity<'_>) -> Series {
    let mut series = Series::recorded();
    let mut seen: BTreeSet<&PathTarget> = BTreeSet::new();
    for (timed, target) in changes(&actor.effects) {
        if !seen.insert(target) {
            continue;
        }
        series.spend(timed.event, 1);
        if target.subtree || timed.effect.certainty == Certainty::Pattern {
            series.is_unknown(timed.event, || format!("how many files `{}` stands for is not known", target.shown()));
        }
    }
    series
}

/// The fixed beginnings, folded as denies compare them, of the directories and patterns that were changed in the workspace: none
/// of them begins another one.
pub fn changed_sets(actor: &ActorActivity<'_>) -> Vec<String> {
    let is_set = |(timed, target): &(&TimedEffect<'_>, &PathTarget)| {
        target.subtree || timed.effect.certainty == Certainty::Pattern
    };
    let start = |(timed, target): (&TimedEffect<'_>, &PathTarget)| {
        let path = fold_for_deny(&target.path);
        if timed.effect.certainty == Certainty::Pattern {
            return path.split(['*', '?', '[']).next().unwrap_or_default().to_owned();
        }
        if path == "." { String::new() } else { format!("{}/", path.trim_end_matches('/')) }
    };
    let mut starts: Vec<String> = changes(&actor.effects).filter(is_set).map(start).collect();
    starts.sort();
    starts.dedup_by(|later, kept| later.starts_with(kept.as_str()));
    starts
}

/// Connections to other machines, in order.
pub(super) fn connections<'a>(
    effects: &'a [TimedEffect<'a>],
) -> impl Iterator<Item = (&'a TimedEffect<'a>, &'a Connection)> {
    effects.iter().filter(|timed| happened(timed)).filter_map(|timed| match &timed.effect.kind {
        Kind::Connect(connection) if !is_here(connection) => Some((timed, connection)),
        _ => None,
    })
}

fn is_here(connection: &Connection) -> bool {
    matches!(connection.host.as_deref(), Some("localhost" | "127.0.0.1" | "::1" | "0.0.0.0"))
}

/// Each host once; a package registry is one. This machine is none.
pub fn hosts(actor: &ActorActivity<'_>) -> Series {
    let mut series = Series::recorded();
    let mut seen: BTreeSet<Option<&str>> = BTreeSet::new();
    for (timed, connection) in connections(&actor.effects) {
        let host = connection.host.as_deref();
        if !seen.insert(host) {
            continue;
        }
        series.spend(timed.event, 1);
        if host.is_none() || timed.effect.certainty == Certainty::Pattern {
            series.is_unknown(timed.event, || "which hosts it connects to is not known".to_owned());
        }
    }
    series
}

/// Those that calls start, and those that only results tell of.
pub fn subagents(actor: &ActorActivity<'_>, session: &Session<'_>) -> Series {
    let mut started: BTreeMap<u32, u128> = BTreeMap::new();
    for timed in actor.effects.iter().filter(|timed| matches!(timed.effect.kind, Kind::Spawn { .. }) && happened(timed))
    {
        *started.entry(timed.event).or_default() += 1;
    }
    let calls = actor.events.iter().filter(|event| started.contains_key(&event.number));
    let by_call: BTreeSet<&str> = calls
        .filter_map(|event| match &event.kind {
            EventKind::Call(call) => call.call_id.as_deref(),
            _ => None,
        })
        .collect();
    let mut told = started.clone();
    let mut ids = BTreeSet::new();
    for subagent in &session.evidence.subagents {
        let known = subagent.call_id.as_deref().is_some_and(|call| by_call.contains(call))
            || started.contains_key(&subagent.event)
            || subagent.id.as_deref().is_some_and(|id| !ids.insert(id));
        if !known {
            *told.entry(subagent.event).or_default() += 1;
        }
    }
    let mut series = Series::recorded();
    for (event, count) in told {
        series.spend(event, count);
    }
    series
}

/// What was asked of sub-agents: each valid part of a delegation, or the delegation itself where it names none. It counts
/// when it is asked for, also where it is refused or fails.
pub fn delegated(actor: &ActorActivity<'_>) -> Series {
    let starting: BTreeSet<u32> = actor
        .effects
        .iter()
        .filter(|timed| matches!(timed.effect.kind, Kind::Spawn { .. }))
        .map(|timed| timed.event)
        .collect();
    let mut series = Series::recorded();
    for event in &actor.events {
        let EventKind::Call(call) = &event.kind else { continue };
        if starting.contains(&event.number) || matches!(&*call.tool, "Agent" | "delegate_agent") {
            series.spend(event.number, tasks(&call.arguments));
        }
    }
    series
}

/// The parts of a delegation that say what is to be done.
fn tasks(arguments: &Arguments<'_>) -> u128 {
    let parts = arguments.members().and_then(|members| members.json("subtasks"));
    let parts = parts.and_then(|parts| serde_json::from_str::<Vec<serde_json::Value>>(parts).ok());
    let says = |part: &&serde_json::Value| {
        let text = part.as_str().or_else(|| part.get("prompt").and_then(serde_json::Value::as_str));
        text.is_some_and(|text| !text.trim().is_empty())
    };
    let valid = parts.as_ref().map_or(0, |parts| parts.iter().filter(says).count());
    u128::try_from(valid.max(1)).unwrap_or(u128::MAX)
}

/// Answers of the model, each once. Where a log counts usage only as a whole, its records of answers are counted.
pub fn model_calls(session: &Session<'_>) -> Series {
    let reported = counted(session, |usage| usage.requests);
    if tells_requests(session) || reported.total() > 1 { reported } else { answers(session, Conversation::Any) }
}

/// The same in the session's own conversation: a runtime takes a turn for each.
pub fn model_turns(session: &Session<'_>) -> Series {
    if !tells_requests(session) {
        return answers(session, Conversation::Main);
    }
    let main = |spent: &Spent<'_>| is_main(session, spent.origin.stream);
    reported(session, |spent| if main(spent) { u128::from(spent.usage.requests) } else { 0 })
}

/// Whether the log tells the usage of each answer.
fn tells_requests(session: &Session<'_>) -> bool {
    let mut told = session.spent.iter().filter(|spent| spent.usage.requests > 0);
    told.next().is_some_and(|first| first.message.is_some() || told.next().is_some())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Conversation {
    Main,
    Any,
}

/// What the model said or asked for without being told anything in between. A log that records no results does not tell
/// what was in between: there each record counts.
fn answers(session: &Session<'_>, whose: Conversation) -> Series {
    let mut series = Series::recorded();
    let tells_results = session.events.iter().any(|event| matches!(event.kind, EventKind::Result(_)));
    let mut open = None;
    for event in session.events.iter().filter(|event| event.origin.role == RecordRole::Primary) {
        if whose == Conversation::Main && !is_main(session, event.origin.stream) {
            continue;
        }
        match event.kind {
            EventKind::Message(_) | EventKind::Reasoning(_) | EventKind::Call(_) => {
                let record = if tells_results { 0 } else { event.line };
                if open.replace(record) != Some(record) {
                    series.spend(event.number, 1);
                }
            }
            EventKind::Result(_) | EventKind::Prompt(_) | EventKind::Instruction(_) => open = None,
            _ => {}
        }
    }
    series
}

/// Tokens that were paid for. Reasoning is a part of what was put out.
pub fn total_tokens(usage: &Usage) -> u64 {
    [usage.input, usage.output, usage.cache_read, usage.cache_write].into_iter().fold(0, u64::saturating_add)
}

/// What providers reported. Logs repeat the usage of a message: the last report counts.
pub fn tokens(session: &Session<'_>, amount: impl Fn(&Usage) -> u64) -> Series {
    let mut series = counted(session, amount);
    if let Some(event) = partial(session) {
        series.is_unknown(event, || Unpriced::Partial.to_string());
    }
    series
}

/// The first event with usage that is told only in part, after all reports of its message.
fn partial(session: &Session<'_>) -> Option<u32> {
    if !session.usage.partial {
        return None;
    }
    let mut last: BTreeMap<&str, bool> = BTreeMap::new();
    for spent in &session.spent {
        last.extend(spent.message.as_deref().map(|message| (message, spent.usage.partial)));
    }
    let is_partial = |spent: &&Spent<'_>| {
        spent.usage.partial && spent.message.as_deref().is_none_or(|message| last.get(message) == Some(&true))
    };
    let first = session.spent.iter().find(is_partial).map(|spent| event_of(session, spent));
    first.or_else(|| Some(session.events.last().map_or(0, |event| event.number)))
}

fn counted(session: &Session<'_>, amount: impl Fn(&Usage) -> u64) -> Series {
    let mut series = reported(session, |spent| u128::from(amount(&spent.usage)));
    // A running total outweighs the sum of its parts.
    let last = session.events.last().map_or(0, |event| event.number);
    series.reach(last, u128::from(amount(&session.usage)));
    series.recorded |= series.total() > 0;
    series
}

/// What providers reported as reasoning. Most logs count it as output and say no more.
pub fn reasoning(session: &Session<'_>) -> Series {
    let series = tokens(session, |usage| usage.reasoning);
    Series { recorded: series.recorded && series.total() > 0, ..series }
}

/// What a session cost, as far as it can be told.
pub fn cost(session: &Session<'_>, pricing: &Pricing<'_>) -> Series {
    let mut gaps: Vec<(u32, Unpriced)> = Vec::new();
    let mut series = reported(session, |spent| {
        pricing.request(session, spent).unwrap_or_else(|why| {
            gaps.push((event_of(session, spent), why));
            0
        })
    });
    let last = session.events.last().map_or(0, |event| event.number);
    gaps.extend(partial(session).map(|event| (event, Unpriced::Partial)));
    match pricing.rest(session).1 {
        Ok(rest) => series.spend(last, rest),
        Err(why) => gaps.push((last, why)),
    }
    series.recorded |= series.total() > 0;
    gaps.sort();
    for (event, why) in gaps {
        series.is_unknown(event, || why.to_string());
    }
    series
}

fn reported<'s>(session: &Session<'s>, mut amount: impl FnMut(&Spent<'s>) -> u128) -> Series {
    let mut series = Series::default();
    let mut messages: BTreeMap<&str, u128> = BTreeMap::new();
    let mut sum: u128 = 0;
    for spent in &session.spent {
        let amount = amount(spent);
        let before = spent.message.as_deref().and_then(|message| messages.insert(message, amount)).unwrap_or(0);
        sum = sum.saturating_add(amount).saturating_sub(before);
        series.reach(event_of(session, spent), sum);
    }
    series.recorded = series.total() > 0 || total_tokens(&session.usage) > 0 || !session.events.iter().any(is_call);
    series
}

/// Usage stands with the events before it; a log that starts with usage has none.
pub(super) fn event_of(session: &Session<'_>, spent: &Spent<'_>) -> u32 {
    let event = spent.after.checked_sub(1).and_then(|at| session.events.get(at));
    event.or(session.events.first()).map_or(0, |event| event.number)
}
