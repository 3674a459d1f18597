//! A session that came close to what it may cost.

use super::context::LintContext;
use super::lint;
use crate::Hit;
use agent_strace_metrics::{Pricing, series};
use agent_strace_model::prices::{dollars, parts};
use agent_strace_policy::budgets::Measure;
use agent_strace_policy::config::lint::{Parameter, Unit};

const THRESHOLD: Parameter = Parameter { key: "threshold", default: Some(0.9), unit: Unit::Share };
const BUDGET: Parameter = Parameter { key: "budget_dollars", default: None, unit: Unit::Dollars };

lint!(
    BUDGET_PROXIMITY = LintBudgetProximity,
    "budget-proximity",
    Error,
    "the session came close to what it may cost",
    [THRESHOLD, BUDGET],
    look
);

fn look(context: &LintContext<'_>, hits: &mut Vec<Hit>) {
    let ceilings = ceilings(context);
    if ceilings.is_empty() {
        return context.cannot_judge("no budget is stated, neither as `budget_dollars` here nor in the policy", hits);
    }
    let share = context.number(&THRESHOLD).unwrap_or(1.0);
    let mut nearest: Option<(u128, u32, u128)> = None;
    let mut unknown = false;
    for Ceiling { most, stated } in ceilings {
        let spent = series::cost(context.session(), stated.as_ref().unwrap_or_else(|| context.log.measured.pricing()));
        let near = parts(dollars(most) * share);
        let reached = spent.total().saturating_mul(100) / most.max(1);
        match spent.passes(near.saturating_sub(1)) {
            Some((event, _)) if nearest.is_none_or(|(known, ..)| known < reached) => {
                nearest = Some((reached, event, most));
            }
            Some(_) => {}
            None => unknown |= !spent.recorded || spent.unknown.is_some(),
        }
    }
    if let Some((reached, event, most)) = nearest {
        let message = format!(
            "the session reached {reached}% of a ${:.2} budget ceiling: consider raising the budget or splitting the task",
            dollars(most)
        );
        hits.push(context.hit(event..=event, message, Vec::new()));
    } else if unknown {
        context.cannot_judge("the log does not record what the session cost, or a model of it has no price", hits);
    }
}

/// What a session may cost, and at which prices that is counted; `None`: at those of the models.
struct Ceiling<'a> {
    most: u128,
    stated: Option<Pricing<'a>>,
}

/// What the lint file and the policy state. Limits of the policy are counted as `budget/exceeded` counts them; that of the
/// lint file, which has no prices of its own, as the policy's are.
fn ceilings<'a>(context: &LintContext<'a>) -> Vec<Ceiling<'a>> {
    let policy = context.log.policy;
    let limits = policy.budgets().limits.iter().chain(&policy.hooks().limits);
    let stated = limits.filter(|limit| limit.measure == Measure::CostUsd);
    let mut ceilings: Vec<Ceiling<'a>> =
        stated.map(|limit| Ceiling { most: limit.most, stated: limit.prices.as_ref().map(Pricing::Rates) }).collect();
    let own = context.number(&BUDGET).map(parts);
    let stated = ceilings.iter().find_map(|ceiling| ceiling.stated);
    ceilings.extend(own.map(|most| Ceiling { most, stated }));
    ceilings
}
