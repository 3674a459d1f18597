//! `compare`: two sessions number by number, and a verdict.

use std::fmt::Write as _;

use serde::Serialize;

use super::super::json::to_text;
use super::super::measured::Form;
use super::super::measured::{dollars, price, span};
use super::super::tree::Glyphs;
use super::{described, names, shown, table, told};
use agent_strace_metrics::Profile;
use agent_strace_metrics::compare::{Better, Pair};

/// Places where two sessions parted that are shown.
const POINTS: usize = 3;

/// Every pair, in order.
pub fn comparisons(pairs: &[Pair<'_>], form: Form<'_>) -> String {
    match (form, pairs) {
        (Form::Text(glyphs), _) => pairs.iter().map(|pair| text(*pair, glyphs)).collect::<Vec<_>>().join("\n"),
        (Form::Json(_), [pair]) => to_text(&document(*pair)),
        (Form::Json(_), _) => to_text(&pairs.iter().map(|pair| document(*pair)).collect::<Vec<_>>()),
    }
}

fn text(pair: Pair<'_>, glyphs: Glyphs) -> String {
    let (first, second) = (pair.first, pair.second);
    let (one, other) = names(first, second);
    let mut rows = vec![[String::new(), one.clone(), other.clone(), "change".to_owned()]];
    let time = |profile: &Profile| profile.duration().map_or_else(|| "not known".to_owned(), span);
    let times = first.duration().zip(second.duration());
    let costs = first.cost.complete().zip(second.cost.complete());
    let costs = costs.filter(|_| pair.incomparable().is_none());
    let row = |name: &str, one: String, other: String, change: String| [name.to_owned(), one, other, change];
    let times = times.map(|(one, other)| (u128::from(one), u128::from(other)));
    rows.push(row("Duration", time(first), time(second), change(times)));
    rows.push(row("Total cost", price(&first.cost), price(&second.cost), change(costs)));
    for (name, of) in COUNTS {
        let (one, other) = (of(first), of(second));
        let both = u128::try_from(one).ok().zip(u128::try_from(other).ok());
        rows.push(row(name, one.to_string(), other.to_string(), change(both)));
    }
    let mut text = format!("Session Comparison\n{}", table(&rows, glyphs));
    let _ = writeln!(text, "Verdict: {}", verdict(pair, &one, &other));
    for why in pair.incomparable().into_iter().chain(pair.unanswered()) {
        let _ = writeln!(text, "Note: {why}");
    }
    let _ = writeln!(text, "Decision divergence: {} point(s)", pair.decision_divergence());
    for (at, aligned) in pair.divergences().iter().enumerate().take(POINTS) {
        let (one, other) = (described(aligned.first), described(aligned.second));
        let _ = writeln!(text, "Approach {}: {} / {}", at + 1, shown(&one, 100), shown(&other, 100));
    }
    text
}

/// A number of every session.
type Count = (&'static str, fn(&Profile) -> usize);

const COUNTS: &[Count] = &[
    ("Tool calls", |profile| profile.calls),
    ("Redundant reads", |profile| profile.files.rereads.len()),
    ("Context resets", |profile| profile.resets),
    ("Files modified", |profile| profile.files.changed),
    ("Retries", |profile| profile.retries.len()),
    ("Errors", Profile::errors),
];

/// `-33%`, `(same)`; nothing where one of the two is not known or there was nothing before.
fn change(numbers: Option<(u128, u128)>) -> String {
    match numbers {
        None | Some((0, 0)) => String::new(),
        Some((before, now)) if before == now => "(same)".to_owned(),
        Some((0, now)) if now > 0 => "new".to_owned(),
        Some((before, now)) => {
            let (sign, difference) = if now < before { ("-", before - now) } else { ("+", now - before) };
            let percent = difference.saturating_mul(100).saturating_add(before / 2) / before.max(1);
            format!("{sign}{percent}%")
        }
    }
}

/// Who was better, by name.
fn verdict(pair: Pair<'_>, first: &str, second: &str) -> String {
    let wins = pair.wins();
    let words = |better: Better| {
        let words = wins.iter().filter(|win| win.better == better).map(|win| win.words.as_str());
        words.collect::<Vec<_>>().join(", ")
    };
    let (one, other) = (words(Better::First), words(Better::Second));
    let but = |name: &str, words: &str| if words.is_empty() { String::new() } else { format!("; {name} was {words}") };
    match pair.better() {
        Better::First => format!("{first} was {one}{}", but(second, &other)),
        Better::Second => format!("{second} was {other}{}", but(first, &one)),
        Better::Neither if wins.is_empty() && pair.is_undecided() => {
            "inconclusive: not all of cost, time and errors is known".to_owned()
        }
        Better::Neither if wins.is_empty() => "no difference in cost, time and errors".to_owned(),
        Better::Neither => format!("inconclusive: {second} was {other}{}", but(first, &one)),
    }
}

/// What `agent-strace compare` tells of two sessions.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace compare, version 1"))]
pub(super) struct Document {
    schema_version: u32,
    session_a: String,
    session_b: String,
    /// As in the verdict.
    label_a: String,
    label_b: String,
    agent_a: String,
    agent_b: String,
    /// In seconds; `null` where the log records no times.
    duration_a: Option<f64>,
    duration_b: Option<f64>,
    /// In dollars; `null` where some of it has no price.
    cost_a: Option<f64>,
    cost_b: Option<f64>,
    /// `recorded`, `estimated` or `incomplete`.
    cost_basis_a: &'static str,
    cost_basis_b: &'static str,
    tool_calls_a: usize,
    tool_calls_b: usize,
    files_modified_a: usize,
    files_modified_b: usize,
    errors_a: usize,
    errors_b: usize,
    /// Calls of which no result is recorded: they may have failed.
    unanswered_a: usize,
    unanswered_b: usize,
    retries_a: usize,
    retries_b: usize,
    redundant_reads_a: usize,
    redundant_reads_b: usize,
    context_resets_a: usize,
    context_resets_b: usize,
    /// Decisions that differ: added, taken away or changed.
    decision_divergence: usize,
    divergence_points: Vec<Point>,
    verdict: String,
    /// `a`, `b`, or `null` where neither was better.
    better: Option<&'static str>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Point {
    /// From 1, over the phases of both.
    step: usize,
    description_a: String,
    description_b: String,
}

fn document(pair: Pair<'_>) -> Document {
    let (first, second) = (pair.first, pair.second);
    let (label_a, label_b) = names(first, second);
    let cost = |profile: &Profile| profile.cost.complete().map(dollars);
    Document {
        schema_version: 1,
        session_a: told(&first.id),
        session_b: told(&second.id),
        agent_a: told(&first.agent),
        agent_b: told(&second.agent),
        duration_a: seconds(first),
        duration_b: seconds(second),
        cost_a: cost(first),
        cost_b: cost(second),
        cost_basis_a: first.cost.basis.name(),
        cost_basis_b: second.cost.basis.name(),
        tool_calls_a: first.calls,
        tool_calls_b: second.calls,
        files_modified_a: first.files.changed,
        files_modified_b: second.files.changed,
        errors_a: first.errors(),
        errors_b: second.errors(),
        unanswered_a: first.unanswered,
        unanswered_b: second.unanswered,
        retries_a: first.retries.len(),
        retries_b: second.retries.len(),
        redundant_reads_a: first.files.rereads.len(),
        redundant_reads_b: second.files.rereads.len(),
        context_resets_a: first.resets,
        context_resets_b: second.resets,
        decision_divergence: pair.decision_divergence(),
        divergence_points: points(pair),
        verdict: verdict(pair, &label_a, &label_b),
        better: match pair.better() {
            Better::First => Some("a"),
            Better::Second => Some("b"),
            Better::Neither => None,
        },
        label_a,
        label_b,
    }
}

fn points(pair: Pair<'_>) -> Vec<Point> {
    let points = pair.divergences().into_iter().enumerate().map(|(at, aligned)| Point {
        step: at + 1,
        description_a: described(aligned.first),
        description_b: described(aligned.second),
    });
    points.collect()
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of any session fit into a double")]
fn seconds(profile: &Profile) -> Option<f64> {
    profile.duration().map(|milliseconds| milliseconds as f64 / 1000.0)
}
