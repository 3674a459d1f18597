//! `diff --semantic`: two sessions by what came of them.

use std::fmt::Write as _;

use serde::Serialize;

use super::super::evals::{EvalsPair, PairDocument};
use super::super::json::to_text;
use super::super::measured::{Form, dollars, grouped};
use super::super::tree::Glyphs;
use super::{names, told};
use agent_strace_metrics::compare::{Better, Pair};
use agent_strace_metrics::{Ended, Profile};
use agent_strace_model::prices::{parts, rounded};

/// Two sessions, and their scores where evals were asked for.
pub struct SemanticReport<'a> {
    pub pair: Pair<'a>,
    pub evals: Option<EvalsPair<'a>>,
}

pub fn semantic(report: &SemanticReport<'_>, form: Form<'_>) -> String {
    match form {
        Form::Text(glyphs) => text(report, glyphs),
        Form::Json(_) => to_text(&document(report)),
    }
}

fn text(report: &SemanticReport<'_>, glyphs: Glyphs) -> String {
    let document = document(report);
    let (one, other) = names(report.pair.first, report.pair.second);
    let delta = if glyphs == Glyphs::Ascii { "delta" } else { "Δ" };
    let mut text = format!("Semantic diff: {one} vs {other}\n");
    let tools = |tools: &[String]| {
        let tools: Vec<String> = tools.iter().map(|tool| super::super::terminal(tool)).collect();
        tools.join(", ")
    };
    for (what, names) in [("added", &document.tools_added), ("removed", &document.tools_removed)] {
        if !names.is_empty() {
            let _ = writeln!(text, "  Tools {what}: {}", tools(names));
        }
    }
    for (what, amount) in [
        ("tool calls", Some(document.delta_tool_calls)),
        ("errors", Some(document.delta_errors)),
        ("tokens", document.delta_tokens),
        ("files changed", Some(document.delta_files_changed)),
    ] {
        let _ = writeln!(text, "  {delta} {what}: {}", amount.map_or_else(|| "not known".to_owned(), signed));
    }
    if let Some(cost) = document.delta_cost {
        let _ = writeln!(text, "  {delta} cost: {}{}", if cost < 0.0 { "-" } else { "+" }, rounded(parts(cost.abs())));
    }
    let _ = writeln!(text, "  Outcome: {} ({})", document.outcome, document.reason);
    if let Some(evals) = &report.evals {
        let _ = write!(text, "\n{}", evals.text(glyphs));
    }
    text
}

/// `+1,200`, `-2`, `0`
fn signed(amount: i64) -> String {
    let sign = match amount.signum() {
        1 => "+",
        -1 => "-",
        _ => "",
    };
    format!("{sign}{}", grouped(amount.unsigned_abs()))
}

/// What `agent-strace diff --semantic` tells of two sessions.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace diff --semantic, version 1"))]
pub(super) struct Document {
    schema_version: u32,
    session_a: String,
    session_b: String,
    /// Tools that only b used.
    tools_added: Vec<String>,
    /// Tools that only a used.
    tools_removed: Vec<String>,
    /// Of b above a, as all of these.
    delta_tool_calls: i64,
    delta_errors: i64,
    /// `null` where one of the two logs records no usage.
    delta_tokens: Option<i64>,
    delta_files_changed: i64,
    /// In dollars; `null` where the two can't be compared.
    delta_cost: Option<f64>,
    /// `completed`, `failed`, `unfinished` or `untold`.
    ended_a: &'static str,
    ended_b: &'static str,
    /// `improved`, `regressed`, `unchanged` or `inconclusive`.
    outcome: &'static str,
    reason: String,
    /// Scores of both, where evals were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    evals: Option<PairDocument>,
}

fn document(report: &SemanticReport<'_>) -> Document {
    let Pair { first, second } = report.pair;
    let only = |one: &Profile, other: &Profile| {
        one.tools.keys().filter(|tool| !other.tools.contains_key(*tool)).map(|tool| told(tool)).collect()
    };
    let cost = first.cost.complete().zip(second.cost.complete()).filter(|_| report.pair.incomparable().is_none());
    let (outcome, reason) = outcome(report.pair);
    Document {
        schema_version: 1,
        session_a: told(&first.id),
        session_b: told(&second.id),
        tools_added: only(second, first),
        tools_removed: only(first, second),
        delta_tool_calls: delta(first.calls as u64, second.calls as u64),
        delta_errors: delta(first.errors() as u64, second.errors() as u64),
        delta_tokens: recorded(first).zip(recorded(second)).map(|(before, now)| delta(before, now)),
        delta_files_changed: delta(first.files.changed as u64, second.files.changed as u64),
        delta_cost: cost.map(|(before, now)| dollars(now) - dollars(before)),
        ended_a: first.ended.name(),
        ended_b: second.ended.name(),
        outcome,
        reason,
        evals: report.evals.as_ref().map(EvalsPair::document),
    }
}

/// Nobody answers for nothing: without any token, none was recorded.
fn recorded(profile: &Profile) -> Option<u64> {
    Some(profile.tokens()).filter(|tokens| *tokens > 0)
}

fn delta(before: u64, now: u64) -> i64 {
    let difference = i64::try_from(before.abs_diff(now)).unwrap_or(i64::MAX);
    if now < before { -difference } else { difference }
}

/// How a session ended decides before anything that can be counted.
fn outcome(pair: Pair<'_>) -> (&'static str, String) {
    let ended = |profile: &Profile| matches!(profile.ended, Ended::Recorded { failed: false, .. });
    let told = |profile: &Profile| profile.ended != Ended::Untold;
    let (first, second) = (pair.first, pair.second);
    if told(first) && told(second) && ended(first) != ended(second) {
        let (word, name) = if ended(second) { ("improved", second) } else { ("regressed", second) };
        return (word, format!("it {}, the other one {}", name.ended.name(), first.ended.name()));
    }
    let wins = |better: Better| {
        let of: Vec<String> = pair.wins().into_iter().filter(|win| win.better == better).map(|win| win.words).collect();
        of.join(", ")
    };
    let both = if ended(first) && ended(second) { ", both completed" } else { "" };
    match pair.better() {
        Better::Second => ("improved", format!("{}{both}", wins(Better::Second))),
        Better::First => ("regressed", format!("the other one was {}{both}", wins(Better::First))),
        Better::Neither if pair.wins().is_empty() && pair.is_undecided() => {
            ("inconclusive", format!("not all of cost, time and errors is known{both}"))
        }
        Better::Neither if pair.wins().is_empty() => ("unchanged", format!("cost, time and errors are the same{both}")),
        Better::Neither => ("inconclusive", format!("better in some, worse in other{both}")),
    }
}
