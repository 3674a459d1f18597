//! Limits of what a session, or a sub-agent, may spend.

use super::{Check, Hit, Log, Rule, Site};
use crate::finding::{Counts, Level};
use crate::measures::series::{self, Series};
use crate::measures::{Part, Pricing};
use crate::policy::budgets::{Limit, Measure};

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

fn exceeded(log: &Log<'_>, hits: &mut Vec<Hit>) {
    each(log, |limit, series, who| {
        let spent = limit.measure.spent(series.total());
        let allowed = format!("{} allows {}", key(limit), limit.measure.amount(limit.most));
        if let Some(event) = series.passes(limit.most) {
            let message = format!("{} {spent}: {allowed}, which is passed here", who.words());
            hits.push(hit(&EXCEEDED, Site::Event(event), Level::Error, message, limit, who));
        } else if let Some((event, what)) = &series.unknown {
            let message = format!("{} {spent} or more: {allowed}, and {what}", who.words());
            hits.push(hit(&EXCEEDED, Site::Event(*event), Level::Warning, message, limit, who));
        }
    });
}

fn unrecorded(log: &Log<'_>, hits: &mut Vec<Hit>) {
    each(log, |limit, series, who| {
        // What is recorded in part may be too much already.
        if series.recorded || series.passes(limit.most).is_some() {
            return;
        }
        let message = format!("{} can't be judged for {}: the log does not record it", key(limit), who.words());
        let hit = hit(&UNRECORDED, Site::Session, Level::Warning, message, limit, who);
        hits.push(Hit { counts: Counts::Incomplete, ..hit });
    });
}

/// Every limit with what was spent of it.
fn each(log: &Log<'_>, mut judge: impl FnMut(&Limit, &Series, Who<'_>)) {
    let budgets = log.policy.budgets();
    if budgets.is_empty() {
        return;
    }
    let whole = log.measured.whole();
    for limit in &budgets.limits {
        judge(limit, &spent(limit, &whole, log), Who::Session);
    }
    if budgets.per_subagent.is_empty() {
        return;
    }
    let own = log.session.parent.is_some().then_some(whole);
    for part in own.into_iter().chain(log.measured.subagents()) {
        let who = part.subagent.map_or(Who::Child, Who::Subagent);
        for limit in &budgets.per_subagent {
            judge(limit, &spent(limit, &part, log), who);
        }
    }
}

/// What a part of a session spent of what a limit is about.
fn spent(limit: &Limit, part: &Part<'_>, log: &Log<'_>) -> Series {
    let session = log.session;
    match limit.measure {
        Measure::ToolCalls => series::calls(part),
        Measure::SessionTurns => series::turns(part, session),
        Measure::Duration => series::duration(part),
        Measure::FilesChanged => series::files(part),
        Measure::NetworkHosts => series::hosts(part),
        Measure::Subagents => series::subagents(part, session),
        Measure::ModelCalls => series::tokens(session, |usage| usage.requests),
        Measure::InputTokens => series::tokens(session, |usage| usage.input),
        Measure::OutputTokens => series::tokens(session, |usage| usage.output),
        Measure::TotalTokens => series::tokens(session, series::total_tokens),
        Measure::CostUsd => match &limit.prices {
            Some(rates) => series::cost(session, &Pricing::Rates(rates)),
            None => series::cost(session, log.measured.pricing()),
        },
        Measure::ReasoningTokens => series::reasoning(session),
    }
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
        until: None,
        level,
        message,
        rule: rule.id,
        place: Some(limit.place.clone()),
        named: None,
        counts: Counts::ByLevel,
        about: vec![("limit", key(limit)), ("subagent", spender.to_owned())],
    }
}
