//! What is counted of a session, as scores and as numbers.

use super::{Measurement, Totals, Value};
use crate::Log;
use agent_strace_metrics::{Basis, Cost, Ended, Files, Measured, Request};
use agent_strace_model::finding::Finding;
use agent_strace_model::prices::{dollars, parts, rounded};
use agent_strace_model::{EventKind, Session, Status};
use agent_strace_policy::config::evals::{Bound, Criterion, Estimates, FailOn, Metric};

/// The exit code of a program that `timeout` ended.
const TIMED_OUT: i64 = 124;

pub(super) fn totals(measured: &Measured<'_>) -> Totals {
    Totals {
        errors: measured.failures().len(),
        retries: measured.retries().len(),
        files_changed: measured.files().changed,
        dollars: dollars(measured.cost().amount),
        seconds: seconds(measured),
    }
}

pub(super) fn no_errors(log: &Log<'_>) -> Measurement {
    let failures = log.measured.failures();
    match failures.first() {
        Some(first) => {
            let what = first.tool.as_deref().map_or_else(|| "no call".to_owned(), |tool| format!("`{tool}`"));
            let reason = format!("{}, first in event {} ({what})", counted(failures.len(), "error"), first.event);
            Measurement::new(0.0, reason).at(Some(first.event))
        }
        None => unanswered(log.session).unwrap_or_else(|| Measurement::new(1.0, "no errors")),
    }
}

/// A call without a result may have failed.
fn unanswered(session: &Session<'_>) -> Option<Measurement> {
    let silent = || session.calls().filter(|(_, call)| call.status == Status::Missing);
    let (first, _) = silent().next()?;
    let (without, all) = (silent().count(), session.calls().count());
    let reason = if without == all {
        "the log records no result of any call".to_owned()
    } else {
        format!("the log records no result of {without} of {}", counted(all, "call"))
    };
    Some(Measurement::unknown(reason).at(Some(first.number)))
}

pub(super) fn cost_under(cost: &Cost, most: f64, estimates: Estimates) -> Measurement {
    let spent = dollars(cost.amount);
    let reason = format!("{} {}, at most {}", rounded(cost.amount), cost.basis.name(), rounded(parts(most)));
    // What is known is too much already.
    if spent > most {
        return Measurement::new(share(most, spent), reason);
    }
    uncosted(cost, estimates).unwrap_or_else(|| Measurement::new(1.0, reason))
}

/// Why a cost can't be taken for what was paid.
fn uncosted(cost: &Cost, estimates: Estimates) -> Option<Measurement> {
    match cost.basis {
        Basis::Recorded => None,
        Basis::Estimated if estimates == Estimates::Count => None,
        Basis::Estimated => {
            let said = rounded(cost.amount);
            Some(Measurement::unknown(format!(
                "the log records no usage, and {said} is an estimate that only `estimates: true` accepts"
            )))
        }
        Basis::Incomplete => {
            let why: Vec<String> = cost.why.iter().map(ToString::to_string).collect();
            Some(Measurement::unknown(format!("the cost is not known: {}", why.join(", "))))
        }
    }
}

pub(super) fn duration_under(measured: &Measured<'_>, most: f64) -> Measurement {
    let Some(seconds) = seconds(measured) else { return no_times() };
    let reason = format!("{seconds}s, at most {most}s");
    if seconds <= most { Measurement::new(1.0, reason) } else { Measurement::new(share(most, seconds), reason) }
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of any session fit into a double")]
fn seconds(measured: &Measured<'_>) -> Option<f64> {
    // One time that all events share, or that one has alone, is no duration.
    let known = measured.span().duration().filter(|milliseconds| *milliseconds > 0 || measured.calls() == 0);
    known.map(|milliseconds| milliseconds as f64 / 1000.0)
}

fn no_times() -> Measurement {
    Measurement::unknown("the log records no times, or a single one")
}

/// Part of a whole that is more than it, or nothing.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[expect(clippy::cast_precision_loss, reason = "there are fewer of anything in a log than a double can count")]
fn number(count: usize) -> f64 {
    count as f64
}

/// At most so many findings.
pub(super) fn at_most<'f>(findings: impl Iterator<Item = &'f Finding>, most: u64) -> Measurement {
    let events: Vec<u32> = findings.map(|finding| finding.event).collect();
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let reason = format!("{}, at most {most}", counted(events.len(), "finding"));
    if events.len() <= most {
        return Measurement::new(1.0, reason);
    }
    let first = events.get(most).copied().filter(|event| *event > 0);
    Measurement::new(share(number(most), number(events.len())), reason).at(first)
}

pub(super) fn violations<'f>(findings: impl Iterator<Item = &'f Finding>) -> Measurement {
    let events: Vec<u32> = findings.map(|finding| finding.event).collect();
    let first = events.iter().copied().find(|event| *event > 0);
    Measurement::new(number(events.len()), counted(events.len(), "finding")).at(first)
}

/// The number that a criterion compares.
pub(super) fn value(criterion: &Criterion, log: &Log<'_>) -> Measurement {
    let measured = log.measured;
    match criterion.metric {
        Metric::CostUsd => cost(criterion, measured.cost()),
        Metric::DurationSeconds => seconds(measured).map_or_else(no_times, plain),
        Metric::ErrorCount if measured.failures().is_empty() => unanswered(log.session).unwrap_or_else(|| plain(0.0)),
        Metric::ErrorCount => {
            let failures = measured.failures();
            plain(number(failures.len())).at(failures.first().map(|failure| failure.event))
        }
        Metric::ToolCallCount => plain(number(measured.calls())),
        Metric::RedundantReadRatio => redundant_reads(measured.files()),
        Metric::ContextFillRatio => context_fill(criterion, measured.requests()),
        Metric::SessionStatus => status(&measured.ended(), log.session),
        Metric::LintViolations => Measurement::unknown("lint rules were not asked: `check --lint` asks them"),
    }
}

fn plain(value: f64) -> Measurement {
    Measurement::new(value, "")
}

fn cost(criterion: &Criterion, cost: &Cost) -> Measurement {
    let known = Measurement::new(dollars(cost.amount), cost.basis.name());
    // What is known is too much already.
    let too_much = match (&criterion.bound, criterion.fail_on) {
        (Bound::Number(most), FailOn::Above) => dollars(cost.amount) > *most,
        (Bound::Number(most), FailOn::AtOrAbove) => dollars(cost.amount) >= *most,
        _ => false,
    };
    uncosted(cost, criterion.estimates).filter(|_| !too_much).unwrap_or(known)
}

fn redundant_reads(files: &Files) -> Measurement {
    let (again, all) = (files.rereads.len(), files.reads);
    let first = files.rereads.first().map(|reread| reread.event);
    let reason = format!("{again} of {}", counted(all, "read"));
    Measurement::new(share(number(again), number(all)), reason).at(first)
}

/// The fullest request, each against the window of its model.
#[expect(clippy::cast_precision_loss, reason = "tokens of a request fit into a double")]
fn context_fill(criterion: &Criterion, requests: &[Request]) -> Measurement {
    let mut fullest: Option<(f64, u32)> = None;
    for request in requests {
        let Some(prompt) = request.prompt else {
            let reason = "the log does not record what the request sent";
            return Measurement::unknown(reason).at(Some(request.event));
        };
        let Some(window) = criterion.context_window.or(request.window).filter(|window| *window > 0) else {
            let model = request.model.as_deref().map_or_else(String::new, |model| format!(" of `{model}`"));
            let reason = format!("the size of the context{model} is not known: state `context_window`");
            return Measurement::unknown(reason).at(Some(request.event));
        };
        let filled = prompt as f64 / window as f64;
        if fullest.is_none_or(|(most, _)| filled > most) {
            fullest = Some((filled, request.event));
        }
    }
    let Some((filled, event)) = fullest else {
        return Measurement::unknown("the log records no usage of single requests");
    };
    plain(filled).at(Some(event))
}

/// In the words that a configuration compares with.
fn status(ended: &Ended, session: &Session<'_>) -> Measurement {
    let word = match ended {
        Ended::Untold => return Measurement::unknown("logs of this format do not say how a session ended"),
        Ended::Unfinished => "unfinished",
        Ended::Recorded { failed: false, .. } => "completed",
        Ended::Recorded { status, reason, .. } => {
            let starts = |words: &[&str]| {
                let said = [status, reason].into_iter().flatten().map(|text| text.trim_start().to_ascii_lowercase());
                said.into_iter().any(|said| words.iter().any(|word| said.starts_with(word)))
            };
            if starts(&["timeout", "timed out"]) || ended_by(session, TIMED_OUT) {
                "timeout"
            } else if starts(&["kill"]) {
                "killed"
            } else {
                "failed"
            }
        }
    };
    let reason = match ended {
        Ended::Recorded { reason: Some(reason), .. } => format!("it ended with `{reason}`"),
        _ => String::new(),
    };
    Measurement { value: Value::Text(word.to_owned()), reason, event: None }
}

fn ended_by(session: &Session<'_>, code: i64) -> bool {
    session.events.iter().rev().any(|event| matches!(&event.kind, EventKind::End(end) if end.exit_code == Some(code)))
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
