//! `diff`: two sessions phase by phase.

use std::fmt::Write as _;

use serde::Serialize;

use super::super::json::to_text;
use super::super::measured::{Form, span};
use super::{LABEL, names, shown, told};
use agent_strace_metrics::compare::{Aligned, Difference, align};
use agent_strace_metrics::{Phase, Profile};

/// Longest command or path on a line, and how many of a kind are listed.
const LINE: usize = 100;
const LISTED: usize = 8;

pub fn outline(first: &Profile, second: &Profile, form: Form<'_>) -> String {
    let aligned = align(first, second);
    match form {
        Form::Text(_) => text(first, second, &aligned),
        Form::Json(_) => to_text(&document(first, second, &aligned)),
    }
}

fn text(first: &Profile, second: &Profile, aligned: &[Aligned<'_>]) -> String {
    let (one, other) = names(first, second);
    let mut text = format!("Comparing: {one} vs {other}\n\n");
    match aligned.iter().position(|phase| !phase.is_same()) {
        None => text.push_str("No divergence: the same phases, commands, files and outcomes\n"),
        Some(at) => {
            let _ = writeln!(text, "Diverged at phase {}:", at + 1);
        }
    }
    for (at, phase) in aligned.iter().enumerate().filter(|(_, phase)| !phase.is_same()) {
        let label = phase.first.or(phase.second).map_or("", |phase| phase.label.as_str());
        let _ = writeln!(text, "\n  Phase {}: {}", at + 1, shown(label, LABEL));
        lines(phase, &one, &other, &mut text);
    }
    let _ = write!(text, "\n{}{}", summary(&one, first), summary(&other, second));
    text
}

fn lines(phase: &Aligned<'_>, one: &str, other: &str, text: &mut String) {
    match (phase.first, phase.second) {
        (Some(_), None) => drop(writeln!(text, "    only in {one}")),
        (None, Some(_)) => drop(writeln!(text, "    only in {other}")),
        (Some(first), Some(second)) if first.failed != second.failed => {
            let said = |phase: &Phase| if phase.failed { "failed" } else { "passed" };
            let _ = writeln!(text, "    {one} {}, {other} {}", said(first), said(second));
        }
        _ => {}
    }
    let kinds = [("$ ", &phase.commands), ("read ", &phase.read), ("changed ", &phase.changed)];
    for (what, difference) in kinds {
        for (name, only) in [(one, &difference.first), (other, &difference.second)] {
            for item in only.iter().take(LISTED) {
                let _ = writeln!(text, "    {name} only: {what}{}", shown(item, LINE));
            }
            if only.len() > LISTED {
                let _ = writeln!(text, "    {name} only: {what}and {} more", only.len() - LISTED);
            }
        }
    }
}

/// `abc123: 4m 12s, 47 events, 8 tools, 2 retries`
fn summary(name: &str, profile: &Profile) -> String {
    let time = profile.duration().map_or_else(|| "no times".to_owned(), span);
    let counted = |count: usize, noun: &str, many: &str| format!("{count} {}", if count == 1 { noun } else { many });
    format!(
        "{name}: {time}, {}, {}, {}\n",
        counted(profile.events, "event", "events"),
        counted(profile.tools.len(), "tool", "tools"),
        counted(profile.retries.len(), "retry", "retries")
    )
}

/// What `agent-strace diff` tells of two sessions.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace diff, version 1"))]
pub(super) struct Document {
    schema_version: u32,
    session_a: String,
    session_b: String,
    identical: bool,
    /// The first phase that differs, from 1.
    diverged_at: Option<usize>,
    /// Those that differ.
    phases: Vec<Differing>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Differing {
    /// From 1, over the phases of both.
    phase: usize,
    label: String,
    in_a: bool,
    in_b: bool,
    failed_a: Option<bool>,
    failed_b: Option<bool>,
    commands: Only,
    read: Only,
    changed: Only,
}

/// What one of the two has alone.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Only {
    only_a: Vec<String>,
    only_b: Vec<String>,
}

impl Only {
    fn of(difference: &Difference) -> Self {
        let all = |items: &[String]| items.iter().map(|item| told(item)).collect();
        Self { only_a: all(&difference.first), only_b: all(&difference.second) }
    }
}

fn document(first: &Profile, second: &Profile, aligned: &[Aligned<'_>]) -> Document {
    let differing = aligned.iter().enumerate().filter(|(_, phase)| !phase.is_same());
    let phases: Vec<Differing> = differing
        .map(|(at, phase)| Differing {
            phase: at + 1,
            label: told(phase.first.or(phase.second).map_or("", |phase| phase.label.as_str())),
            in_a: phase.first.is_some(),
            in_b: phase.second.is_some(),
            failed_a: phase.first.map(|phase| phase.failed),
            failed_b: phase.second.map(|phase| phase.failed),
            commands: Only::of(&phase.commands),
            read: Only::of(&phase.read),
            changed: Only::of(&phase.changed),
        })
        .collect();
    Document {
        schema_version: 1,
        session_a: told(&first.id),
        session_b: told(&second.id),
        identical: phases.is_empty(),
        diverged_at: phases.first().map(|phase| phase.phase),
        phases,
    }
}
