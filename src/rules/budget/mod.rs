//! Limits of what a session, or a sub-agent, may spend.

mod tally;

use std::collections::BTreeMap;

use super::{Act, Check, Hit, Log, Rule, Site};
use crate::finding::{Counts, Level};
use crate::model::{Event, EventKind};
use crate::policy::budgets::Limit;

use tally::{Tally, tally};

pub(super) static EXCEEDED: Rule = Rule {
    id: "budget/exceeded",
    level: Level::Error,
    summary: "a session or a sub-agent spent more than the policy allows",
    spec: include_str!("../../../fixtures/rules/budget-exceeded.md"),
    check: Check::Acts(exceeded),
};

pub(super) static UNRECORDED: Rule = Rule {
    id: "budget/unrecorded",
    level: Level::Warning,
    summary: "the log does not record what the policy limits",
    spec: include_str!("../../../fixtures/rules/budget-unrecorded.md"),
    check: Check::Acts(unrecorded),
};

/// Whose spending is counted, and what it is counted from.
struct Part<'a> {
    /// `None`: the session's own.
    subagent: Option<&'a str>,
    events: Vec<&'a Event<'a>>,
    acts: Vec<&'a Act<'a>>,
}

fn exceeded(log: &Log<'_>, hits: &mut Vec<Hit>) {
    each(log, |limit, tally, who| {
        let spent = limit.measure.spent(tally.total());
        let allowed = format!("{} allows {}", key(limit), limit.measure.amount(limit.most));
        if let Some(event) = tally.passes(limit.most) {
            let message = format!("{} {spent}: {allowed}, which is passed here", who.words());
            hits.push(hit(&EXCEEDED, Site::Event(event), Level::Error, message, limit, who));
        } else if let Some((event, what)) = &tally.unknown {
            let message = format!("{} {spent} or more: {allowed}, and {what}", who.words());
            hits.push(hit(&EXCEEDED, Site::Event(*event), Level::Warning, message, limit, who));
        }
    });
}

fn unrecorded(log: &Log<'_>, hits: &mut Vec<Hit>) {
    each(log, |limit, tally, who| {
        // What is recorded in part may be too much already.
        if tally.recorded || tally.passes(limit.most).is_some() {
            return;
        }
        let message = format!("{} can't be judged for {}: the log does not record it", key(limit), who.words());
        let hit = hit(&UNRECORDED, Site::Session, Level::Warning, message, limit, who);
        hits.push(Hit { counts: Counts::Incomplete, ..hit });
    });
}

/// Every limit with what was spent of it.
fn each(log: &Log<'_>, mut judge: impl FnMut(&Limit, &Tally, Who<'_>)) {
    let budgets = log.policy.budgets();
    if budgets.is_empty() {
        return;
    }
    let whole = Part { subagent: None, events: log.session.events.iter().collect(), acts: log.acts.iter().collect() };
    for limit in &budgets.limits {
        judge(limit, &tally(limit.measure, &whole, log), Who::Session);
    }
    if budgets.per_subagent.is_empty() {
        return;
    }
    let own = log.session.parent.is_some().then_some(whole);
    for part in own.into_iter().chain(parts(log)) {
        let who = part.subagent.map_or(Who::Child, Who::Subagent);
        for limit in &budgets.per_subagent {
            judge(limit, &tally(limit.measure, &part, log), who);
        }
    }
}

/// The sub-agents whose calls stand in the log. Those that it does not tell apart count as one.
fn parts<'a>(log: &Log<'a>) -> impl Iterator<Item = Part<'a>> {
    let mut parts: BTreeMap<&str, Part<'a>> = BTreeMap::new();
    let mut acts = log.acts.iter().peekable();
    for event in &log.session.events {
        let EventKind::Call(call) = &event.kind else { continue };
        let Some(name) = call.subagent.as_deref() else { continue };
        let new = || Part { subagent: Some(name), events: Vec::new(), acts: Vec::new() };
        let part = parts.entry(name).or_insert_with(new);
        part.events.push(event);
        while acts.next_if(|act| act.event < event.number).is_some() {}
        while let Some(act) = acts.next_if(|act| act.event == event.number) {
            part.acts.push(act);
        }
    }
    parts.into_values()
}

/// Who spends.
#[derive(Debug, Clone, Copy)]
enum Who<'a> {
    Session,
    /// A session that is a sub-agent's.
    Child,
    /// A sub-agent inside of a session.
    Subagent(&'a str),
}

impl Who<'_> {
    fn words(self) -> String {
        match self {
            Self::Session => "the session".to_owned(),
            Self::Child => "the sub-agent".to_owned(),
            Self::Subagent(name) => format!("the sub-agent `{name}`"),
        }
    }
}

/// `budgets.per_subagent.tool_calls`
fn key(limit: &Limit) -> String {
    limit.place.pointer.trim_start_matches('/').replace('/', ".")
}

fn hit(rule: &Rule, site: Site, level: Level, message: String, limit: &Limit, who: Who<'_>) -> Hit {
    let spender = if let Who::Subagent(name) = who { name } else { "" };
    Hit {
        site,
        level,
        message,
        rule: rule.id,
        place: Some(limit.place.clone()),
        named: None,
        counts: Counts::ByLevel,
        about: vec![("limit", key(limit)), ("subagent", spender.to_owned())],
    }
}
