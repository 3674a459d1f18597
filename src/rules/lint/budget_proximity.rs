//! A session that came close to what it may cost.

use super::lint;
use super::scene::Scene;
use crate::config::lint::{Parameter, Unit};
use crate::measures::series;
use crate::policy::budgets::{DOLLAR, Measure};
use crate::rules::Hit;

const THRESHOLD: Parameter = Parameter { key: "threshold", default: Some(0.9), unit: Unit::Share };
const BUDGET: Parameter = Parameter { key: "budget_dollars", default: None, unit: Unit::Dollars };

lint!(
    BUDGET_PROXIMITY,
    "budget-proximity",
    Error,
    "the session came close to what it may cost",
    [THRESHOLD, BUDGET],
    look
);

fn look(scene: &Scene<'_>, hits: &mut Vec<Hit>) {
    let Some(budget) = budget(scene) else {
        return scene.cannot_judge("no budget is stated, neither as `budget_dollars` here nor in the policy", hits);
    };
    let share = scene.number(&THRESHOLD).unwrap_or(1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of an amount of dollars")]
    let near = (dollars(budget) * share * 1e6).ceil() as u128 * (DOLLAR / 1_000_000);
    let spent = series::cost(scene.session(), scene.log.measured.pricing());
    if let Some((event, _)) = spent.passes(near.saturating_sub(1)) {
        let reached = spent.total().saturating_mul(100) / budget.max(1);
        let message = format!(
            "the session reached {reached}% of a ${:.2} budget ceiling: consider raising the budget or splitting the task",
            dollars(budget)
        );
        hits.push(scene.hit((event, event), message, Vec::new()));
    } else if !spent.recorded || spent.unknown.is_some() {
        scene.cannot_judge("the log does not record what the session cost, or a model of it has no price", hits);
    }
}

/// The least of what the lint file and the policy state.
fn budget(scene: &Scene<'_>) -> Option<u128> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the lint file holds amounts above 0")]
    let own = scene.number(&BUDGET).map(|dollars| (dollars * 1e6).round() as u128 * (DOLLAR / 1_000_000));
    let policy = scene.log.policy;
    let limits = policy.budgets().limits.iter().chain(&policy.hooks().limits);
    let stated = limits.filter(|limit| limit.measure == Measure::CostUsd).map(|limit| limit.most);
    own.into_iter().chain(stated).min()
}

#[expect(clippy::cast_precision_loss, reason = "an amount of dollars that people state")]
fn dollars(amount: u128) -> f64 {
    amount as f64 / DOLLAR as f64
}
