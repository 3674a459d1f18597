//! One entry of `evals`.

use super::fields::Fields;
use super::scorer::estimates;
use super::{Bound, Criterion, FailOn, Metric};
use crate::grammar;
use crate::json::Data;
use crate::{nearest, quoted};

/// Other names of metrics.
pub(crate) const ALIASES: &[(&str, Metric)] = &[("max_context_fill_ratio", Metric::ContextFillRatio)];

/// What a session can have come to.
pub(crate) const STATUSES: &[&str] = &["completed", "failed", "killed", "timeout", "unfinished"];

pub(super) fn read(fields: &mut Fields<'_, '_, '_>) -> Option<Criterion> {
    fields.only(&grammar::CRITERION);
    let there =
        [fields.demand("name", "cost-ceiling"), fields.demand("scorer", "cost_usd"), fields.demand("fail_on", "above")];
    let (name, metric, fail_on) = (fields.text("name"), metric(fields), fail_on(fields));
    if there.contains(&false) {
        return None;
    }
    let (name, metric, fail_on) = (name?, metric?, fail_on?);
    let bound = bound(fields, metric, fail_on)?;
    let slack = fields.number("min_change").unwrap_or_else(|| metric.usual_slack());
    let (estimates, context_window) = (estimates(fields), fields.whole("context_window"));
    Some(Criterion { name, metric, fail_on, bound, slack, estimates, context_window, location: fields.location() })
}

fn metric(fields: &mut Fields<'_, '_, '_>) -> Option<Metric> {
    let text = fields.text("scorer")?;
    let known = || Metric::ALL.iter().map(|metric| (metric.name(), *metric)).chain(ALIASES.iter().copied());
    if let Some((_, metric)) = known().find(|(name, _)| *name == text) {
        return Some(metric);
    }
    if text.contains(['.', ':']) {
        let message = format!("{} names code, and no code is loaded from a configuration", quoted(&text));
        let help = "whoever changes this file would run what they like in the job that judges them; use a metric";
        fields.fault_at("scorer", message, help);
        return None;
    }
    let names: Vec<&str> = known().map(|(name, _)| name).collect();
    let help = match nearest(&text, &names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known here: {}", super::super::listed(&names)),
    };
    fields.fault_at("scorer", format!("{} is no metric", quoted(&text)), &help);
    None
}

/// Hyphens are as good as underscores here.
fn fail_on(fields: &mut Fields<'_, '_, '_>) -> Option<FailOn> {
    let text = fields.text("fail_on")?;
    let found = FailOn::ALL.iter().find(|mode| mode.name() == text || mode.name().replace('_', "-") == text);
    if found.is_none() {
        let names: Vec<&str> = FailOn::ALL.iter().map(|mode| mode.name()).collect();
        let help = match nearest(&text, &names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known here: {}", super::super::listed(&names)),
        };
        fields.fault_at("fail_on", format!("{} is no comparison", quoted(&text)), &help);
    }
    found.copied()
}

/// `not_equal` compares with what is expected, everything else with a threshold.
fn bound(fields: &mut Fields<'_, '_, '_>, metric: Metric, fail_on: FailOn) -> Option<Bound> {
    let (key, other) = if fail_on == FailOn::NotEqual { ("expected", "threshold") } else { ("threshold", "expected") };
    if fields.has(other) && !fields.has(key) {
        let message = format!("`fail_on: {}` compares with `{key}`, not with `{other}`", fail_on.name());
        fields.fault_at(other, message, &format!("call it `{key}`"));
        return None;
    }
    if !fields.demand(key, if metric == Metric::SessionStatus { "completed" } else { "0" }) {
        return None;
    }
    if fields.has(other) {
        let message = format!("`fail_on: {}` does not look at `{other}`", fail_on.name());
        fields.fault_at(other, message, "remove it");
    }
    if metric == Metric::SessionStatus {
        return status(fields, key, fail_on);
    }
    if matches!(fields.scalar(key)?, Data::Number(_)) {
        return fields.number(key).map(Bound::Number);
    }
    fields.fault_at(key, format!("`{}` is a number, and this is a text", metric.name()), "write a number");
    None
}

fn status(fields: &mut Fields<'_, '_, '_>, key: &str, fail_on: FailOn) -> Option<Bound> {
    if !matches!(fail_on, FailOn::Equal | FailOn::NotEqual) {
        let help = "write `fail_on: not_equal` and `expected: completed`";
        fields.fault_at("fail_on", "`session_status` is a word: it is above and below nothing".to_owned(), help);
        return None;
    }
    let known: Vec<(&str, &str)> = STATUSES.iter().map(|status| (*status, *status)).collect();
    fields.one_of(key, "status of a session", &known).map(|status| Bound::Text(status.to_owned()))
}
