//! `cost`: what sessions cost, phase by phase.

use std::collections::BTreeSet;

use serde::Serialize;

use super::super::json;
use super::super::tree::Glyphs;
use super::amount::{dollars, grouped, percent, price, share};
use super::{Form, Missing, Tokens, arrow, dash, missing, shown, told};
use agent_strace_metrics::series::total_tokens;
use agent_strace_metrics::{Basis, Cost, Phase, Profile};
use agent_strace_model::prices::rounded;

/// Longest label of a phase on a line.
const LABEL: usize = 40;

/// What `agent-strace cost` tells.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "agent-strace cost, version 1"))]
pub(super) struct Document {
    schema_version: u32,
    sessions: Vec<OfSession>,
    /// Everything that could not be read, and so was not counted.
    gaps: Vec<Missing>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OfSession {
    id: String,
    agent: String,
    source: String,
    /// As far as it is known.
    #[serde(flatten)]
    cost: Amount,
    /// The rows of the price table that it was priced by.
    prices: Vec<PricedBy>,
    usage: Tokens,
    /// What phases cost that ended in a failure; `null`: one of them has no price, or the log does not say.
    wasted_usd: Option<f64>,
    wasted_percent: Option<f64>,
    /// What the log does not tell of any phase by itself; `null`: nothing of the cost is known.
    of_no_phase_usd: Option<f64>,
    phases: Vec<OfPhase>,
}

/// An amount, and how well it is known.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Amount {
    /// `null`: some of it has no price.
    cost_usd: Option<f64>,
    /// Of what has a price.
    known_cost_usd: f64,
    /// `recorded`: from the usage that the provider reported; `estimated`: from the length of what was said;
    /// `incomplete`: some of it has no price.
    basis: &'static str,
    /// Why it is incomplete.
    reasons: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PricedBy {
    model: String,
    source: String,
    date: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OfPhase {
    /// From 1.
    phase: usize,
    /// The first line of the prompt that it starts with.
    label: String,
    /// It ended in a failure that was not made good.
    failed: bool,
    first_event: u32,
    last_event: u32,
    events: usize,
    duration_ms: Option<u64>,
    tool_calls: usize,
    commands: usize,
    files_read: usize,
    files_changed: usize,
    retries: usize,
    failures: usize,
    #[serde(flatten)]
    cost: Amount,
    /// Of the session's cost, as far as it is known; `null` where nothing of it is, or nothing of this phase.
    percent: Option<f64>,
    usage: Tokens,
}

impl Amount {
    pub(super) fn of(cost: &Cost) -> Self {
        Self {
            cost_usd: cost.complete().map(dollars),
            known_cost_usd: dollars(cost.amount),
            basis: cost.basis.name(),
            reasons: cost.why.iter().map(|why| told(&why.to_string())).collect(),
        }
    }
}

/// What sessions cost.
pub fn cost(profiles: &[Profile], form: Form<'_>) -> String {
    match form {
        Form::Text(glyphs) => {
            let sessions: Vec<String> =
                profiles.iter().map(|profile| text(profile, glyphs).join("\n") + "\n").collect();
            sessions.join("\n")
        }
        Form::Json(gaps) => {
            let sessions = profiles.iter().map(of_session).collect();
            json::to_text(&Document { schema_version: 1, sessions, gaps: missing(gaps) })
        }
    }
}

/// What failed phases cost together. Where the log splits its totals by no phase, that of a phase is not known.
fn wasted(profile: &Profile) -> Cost {
    let mut failed = profile.phases.iter().filter(|phase| phase.failed).peekable();
    let any = failed.peek().is_some();
    let mut sum = Cost::sum(failed.map(|phase| &phase.cost));
    let is_unsplit = profile.cost.amount > of_phases(profile) && profile.requests.is_empty();
    if any && (is_unknown(&profile.cost) || is_unsplit) {
        sum.basis = Basis::Incomplete;
    }
    sum
}

/// Nothing has a price.
fn is_unknown(cost: &Cost) -> bool {
    cost.basis == Basis::Incomplete && cost.amount == 0
}

/// Which share of a session's cost this is, where both are known.
fn share_of(cost: &Cost, profile: &Profile) -> Option<u128> {
    (!is_unknown(cost) && !is_unknown(&profile.cost)).then(|| share(cost.amount, profile.cost.amount))
}

fn of_phases(profile: &Profile) -> u128 {
    profile.phases.iter().map(|phase| phase.cost.amount).fold(0, u128::saturating_add)
}

fn of_session(profile: &Profile) -> OfSession {
    let prices = profile.cost.prices.iter().map(|(model, (source, date))| PricedBy {
        model: model.clone(),
        source: source.clone(),
        date: date.clone(),
    });
    let wasted = wasted(profile);
    OfSession {
        id: told(&profile.id),
        agent: told(&profile.agent),
        source: told(&profile.source),
        cost: Amount::of(&profile.cost),
        prices: prices.collect(),
        usage: Tokens::of(&profile.usage),
        wasted_usd: wasted.complete().map(dollars),
        wasted_percent: wasted.complete().map(|amount| tenths(share(amount, profile.cost.amount))),
        of_no_phase_usd: (!is_unknown(&profile.cost))
            .then(|| dollars(profile.cost.amount.saturating_sub(of_phases(profile)))),
        phases: profile.phases.iter().enumerate().map(|(index, phase)| of_phase(index, phase, profile)).collect(),
    }
}

fn of_phase(index: usize, phase: &Phase, profile: &Profile) -> OfPhase {
    OfPhase {
        phase: index + 1,
        label: told(&phase.label),
        failed: phase.failed,
        first_event: phase.from,
        last_event: phase.to,
        events: phase.events,
        duration_ms: phase.duration(),
        tool_calls: phase.calls,
        commands: phase.commands,
        files_read: phase.read.len(),
        files_changed: phase.changed.len(),
        retries: phase.retries,
        failures: phase.failures,
        cost: Amount::of(&phase.cost),
        percent: share_of(&phase.cost, profile).map(tenths),
        usage: Tokens::of(&phase.usage),
    }
}

fn tenths(share: u128) -> f64 {
    f64::from(u32::try_from(share).unwrap_or(u32::MAX)) / 10.0
}

fn text(profile: &Profile, glyphs: Glyphs) -> Vec<String> {
    let (dash, cost) = (dash(glyphs), &profile.cost);
    let mut lines = vec![format!("Session: {} {dash} Estimated cost: {}", shown(&profile.id, 80), price(cost))];
    lines.extend(head(profile));
    if !profile.phases.is_empty() {
        lines.push(String::new());
    }
    let names: Vec<String> = profile.phases.iter().enumerate().map(|(index, phase)| name(index, phase, dash)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for (name, phase) in names.iter().zip(&profile.phases) {
        let share = match share_of(&phase.cost, profile) {
            Some(_) => format!(" ({}%)", percent(phase.cost.amount, cost.amount)),
            None => String::new(),
        };
        let usage = &phase.usage;
        // Without recorded usage they are counted by the length of what was said.
        let about = if total_tokens(&profile.usage) == 0 && total_tokens(usage) > 0 { "about " } else { "" };
        let tokens = format!("{about}{} in, {} out", grouped(sent(usage)), grouped(usage.output));
        let wasted = if phase.failed { format!(" {} wasted", arrow(glyphs)) } else { String::new() };
        let paid = price(if is_unknown(cost) { cost } else { &phase.cost });
        lines.push(format!("{name:<width$}  {paid}{share}  {tokens}{wasted}"));
    }
    let told = of_phases(profile);
    if cost.amount > told {
        // Running totals that the log does not split.
        let (amount, share) = (rounded(cost.amount - told), percent(cost.amount - told, cost.amount));
        lines.push(format!("{:<width$}  {amount} ({share}%)", "Of no phase"));
    }
    let wasted = wasted(profile);
    if profile.phases.iter().any(|phase| phase.failed) {
        lines.push(String::new());
        lines.push(match wasted.complete() {
            Some(amount) => {
                format!("Wasted on failed phases: {} ({}%)", rounded(amount), percent(amount, cost.amount))
            }
            None => format!("Wasted on failed phases: {}", price(&wasted)),
        });
    }
    lines
}

/// Tokens that were sent, from a cache or not.
fn sent(usage: &agent_strace_model::Usage) -> u64 {
    usage.input.saturating_add(usage.cache_read).saturating_add(usage.cache_write)
}

fn name(index: usize, phase: &Phase, dash: &str) -> String {
    let failed = if phase.failed { format!(" {dash} FAILED") } else { String::new() };
    format!("Phase {}: {}{failed}", index + 1, shown(&phase.label, LABEL))
}

/// By what it was counted.
fn head(profile: &Profile) -> Vec<String> {
    let (cost, usage) = (&profile.cost, &profile.usage);
    let mut models: BTreeSet<&str> = cost.prices.keys().map(String::as_str).collect();
    if models.is_empty() {
        models = profile.requests.iter().filter_map(|request| request.model.as_deref()).collect();
    }
    let models = match models.into_iter().collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "not recorded".to_owned(),
        names => shown(&names, 200),
    };
    let said = profile.phases.iter().map(|phase| (phase.usage.input, phase.usage.output));
    let (input, output) = match cost.basis {
        Basis::Estimated => said.fold((0_u64, 0_u64), |(sent, got), (input, output)| {
            (sent.saturating_add(input), got.saturating_add(output))
        }),
        _ => (usage.input, usage.output),
    };
    let tokens = match total_tokens(usage) {
        0 if is_unknown(cost) => "no usage recorded".to_owned(),
        _ => format!("{} input tokens, {} output tokens", grouped(input), grouped(output)),
    };
    let mut lines = vec![format!("Model: {models} | {tokens}")];
    if usage.cache_read > 0 || usage.cache_write > 0 {
        let [read, written] = [usage.cache_read, usage.cache_write].map(grouped);
        lines.push(format!("Cache: {read} tokens read, {written} written"));
    }
    let days = cost.prices.values().map(|(source, date)| format!("{source} of {date}"));
    let days: Vec<String> = days.collect::<BTreeSet<_>>().into_iter().collect();
    let by = match days.as_slice() {
        [] if cost.amount > 0 => ", prices as stated".to_owned(),
        [] => String::new(),
        days => format!(", prices by {}", shown(&days.join(" and "), 200)),
    };
    lines.push(match cost.basis {
        Basis::Recorded => format!("Basis: recorded usage{by}"),
        Basis::Estimated => format!(
            "Basis: estimated, the log records no usage: 4 characters a token, each text once, so it was more{by}"
        ),
        Basis::Incomplete => format!("Basis: incomplete{by}"),
    });
    lines.extend(cost.why.iter().map(|why| format!("  not counted: {}", shown(&why.to_string(), 200))));
    lines
}
