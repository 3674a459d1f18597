//! Limits of what a session, or a sub-agent, may spend.

use super::{Check, Hit, Log, Rule, Site};
use agent_strace_metrics::series::{self, Series};
use agent_strace_metrics::{ActorActivity, Pricing};
use agent_strace_model::finding::{Level, RuleId, VerdictImpact};
use agent_strace_policy::budgets::{Limit, Measure};

pub(super) static EXCEEDED: Rule = Rule {
    id: RuleId::BudgetExceeded,
    level: Level::Error,
    summary: "a session or a sub-agent spent more than the policy allows",
    spec: include_str!("../../specs/budget-exceeded.md"),
    check: Check::Acts(exceeded),
};

pub(super) static UNRECORDED: Rule = Rule {
    id: RuleId::BudgetUnrecorded,
    level: Level::Warning,
    summary: "the log does not record what the policy limits",
    spec: include_str!("../../specs/budget-unrecorded.md"),
    check: Check::Acts(unrecorded),
};

fn exceeded(log: &Log<'_>, hits: &mut Vec<Hit>) {
    let mut first: Option<(u32, usize, usize)> = None;
    each(log, |limit, actor, who| {
        let measure = limit.measure;
        let series = &spent(limit, actor, log);
        let spent = || measure.spent(series.total());
        let allowed = || format!("{} allows {}", key(limit), measure.amount(limit.most));
        // Who spent too much may spend nothing more.
        let now =
            |(event, reached)| log.pending_call.map_or((event, reached), |pending_call| (pending_call, series.total()));
        if let Some((event, reached)) = series.passes(limit.most).map(now) {
            let numbers = format!("({} > {})", measure.amount(reached), measure.amount(limit.most));
            let message = format!("{} {}: {}, which is passed here {numbers}", who.words(), spent(), allowed());
            let passed = (event, measure.check_rank(), hits.len());
            if matches!(who, Who::Session) && first.is_none_or(|first| passed < first) {
                first = Some(passed);
            }
            hits.push(hit(&EXCEEDED, Site::Event(event), Level::Error, message, limit, who));
        } else if let Some((event, what)) = &series.unknown {
            let message = format!("{} {} or more: {}, and {what}", who.words(), spent(), allowed());
            let level =
                if measure == Measure::FilesChanged { level_of_sets(limit, actor, log) } else { Level::Warning };
            let hit = hit(&EXCEEDED, Site::Event(*event), level, message, limit, who);
            let impact = if is_of_usage(measure) { VerdictImpact::Incomplete } else { VerdictImpact::ByLevel };
            hits.push(Hit { impact, ..hit });
        }
    });
    let several = hits.iter().filter(|hit| hit.level == Level::Error).count() > 1;
    if let Some(hit) = first.filter(|_| several).and_then(|(_, _, index)| hits.get_mut(index)) {
        hit.message.push_str(", the first of all limits");
    }
}

/// What has no price or isn't told may have been anything.
fn is_of_usage(measure: Measure) -> bool {
    use Measure::{CostUsd, InputTokens, OutputTokens, ReasoningTokens, TotalTokens};
    matches!(measure, CostUsd | InputTokens | OutputTokens | TotalTokens | ReasoningTokens)
}

fn unrecorded(log: &Log<'_>, hits: &mut Vec<Hit>) {
    each(log, |limit, actor, who| {
        let series = spent(limit, actor, log);
        // What is recorded in part may be too much already.
        if series.recorded || series.passes(limit.most).is_some() {
            return;
        }
        let message = format!("{} can't be judged for {}: the log does not record it", key(limit), who.words());
        let hit = hit(&UNRECORDED, Site::Session, Level::Warning, message, limit, who);
        hits.push(Hit { impact: VerdictImpact::Incomplete, ..hit });
    });
}

/// The level of changed directories and patterns. They may break a limit only where the repository has files enough in them that
/// the change does not keep: a reviewer does not have to read files that were never committed.
fn level_of_sets(limit: &Limit, actor: &ActorActivity<'_>, log: &Log<'_>) -> Level {
    let repository = log.roots.repository();
    if repository.tracked_below("").next().is_none() {
        return Level::Warning;
    }
    let sets = series::changed_sets(actor);
    let files = sets.iter().flat_map(|start| repository.tracked_below(start));
    let files = files.filter(|(_, file)| !repository.keeps(file)).count();
    let single = series::files(actor).total();
    if single.saturating_add(files as u128) > limit.most { Level::Warning } else { Level::Note }
}

/// Every limit with the activity that it is about.
fn each(log: &Log<'_>, mut judge: impl FnMut(&Limit, &ActorActivity<'_>, Who<'_>)) {
    let (budgets, of_hooks) = (log.policy.budgets(), &log.policy.hooks().limits);
    if budgets.is_empty() && of_hooks.is_empty() {
        return;
    }
    let whole = log.measured.whole();
    for limit in budgets.limits.iter().chain(of_hooks) {
        judge(limit, &whole, Who::Session);
    }
    if budgets.per_subagent.is_empty() {
        return;
    }
    let own = log.session.parent.is_some().then_some(whole);
    let asks = |actor: &ActorActivity<'_>| {
        let last = actor.events.last().map(|event| event.number);
        log.pending_call.is_none_or(|pending_call| last == Some(pending_call))
    };
    for actor in own.into_iter().chain(log.measured.subagents()).filter(asks) {
        let who = actor.subagent.map_or(Who::Child, Who::Subagent);
        for limit in &budgets.per_subagent {
            judge(limit, &actor, who);
        }
    }
}

/// What a part of a session spent of what a limit is about.
fn spent(limit: &Limit, actor: &ActorActivity<'_>, log: &Log<'_>) -> Series {
    let session = log.session;
    match limit.measure {
        Measure::ToolCalls => series::calls(actor),
        Measure::SessionTurns => series::turns(actor, session),
        Measure::Duration => series::duration(actor, session),
        Measure::FilesChanged => series::files(actor),
        Measure::NetworkHosts => series::hosts(actor),
        Measure::Subagents => series::subagents(actor, session),
        Measure::DelegatedTasks => series::delegated(actor),
        Measure::ModelCalls => series::model_calls(session),
        Measure::ModelTurns => series::model_turns(session),
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

/// `budgets.per_subagent.tool_calls`, and `budget.maxToolCalls of .claw-policy.json`.
fn key(limit: &Limit) -> String {
    let key = limit.location.pointer.trim_start_matches('/').replace('/', ".");
    match &limit.location.file {
        Some(file) if key.starts_with("budget.") => format!("{key} of {file}"),
        _ => key,
    }
}

fn hit(rule: &Rule, site: Site, level: Level, message: String, limit: &Limit, who: Who<'_>) -> Hit {
    let spender = if let Who::Subagent(name) = who { name } else { "" };
    Hit {
        site,
        until: None,
        level,
        message,
        rule: rule.id,
        location: Some(limit.location.clone()),
        policy_rule: None,
        impact: VerdictImpact::ByLevel,
        about: vec![("limit", key(limit)), ("subagent", spender.to_owned())],
        since: Vec::new(),
    }
}
