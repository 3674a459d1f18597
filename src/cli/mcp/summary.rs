//! `get_session_summary`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ServerContext;
use super::lookup::profile;
use super::reply::{self, NOTICE, SHORT, ToolResult, counted, shown};
use agent_strace_metrics::{Phase, Profile};
use agent_strace_model::prices::{dollars, rounded};

/// Phases, and files of one, in an answer.
const PHASES: usize = 100;
const FILES: usize = 50;
/// Files of one phase in the text.
const NAMED: usize = 5;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// An id of `list_sessions`, or an unambiguous prefix.
    session_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    notice: &'static str,
    session_id: String,
    agent: String,
    started: Option<String>,
    duration_ms: Option<u64>,
    /// `completed`, `failed`, `unfinished`, or `untold`: logs of this agent don't say.
    ended: &'static str,
    tool_calls: usize,
    errors: usize,
    retries: usize,
    files_read: usize,
    files_changed: usize,
    tokens: u64,
    cost_usd: f64,
    cost_basis: &'static str,
    phases: Vec<Part>,
    /// Phases that are left out.
    more_phases: usize,
    gaps: Vec<String>,
}

/// From one prompt to the next.
#[derive(Debug, Serialize, JsonSchema)]
struct Part {
    label: String,
    /// Numbers of its first and last event.
    from: u32,
    to: u32,
    duration_ms: Option<u64>,
    tool_calls: usize,
    commands: usize,
    /// Up to 50 each.
    read: Vec<String>,
    changed: Vec<String>,
    failures: usize,
    retries: usize,
    /// What failed last was not made good.
    failed: bool,
    cost_usd: f64,
}

pub(super) fn run(context: &ServerContext, input: &Input) -> ToolResult<Output> {
    let (profile, gaps) = profile(context, &input.session_id)?;
    let files = |files: &BTreeSet<String>| files.iter().take(FILES).map(|file| shown(file, SHORT)).collect();
    let phases = profile.phases.iter().take(PHASES).map(|phase| Part {
        label: shown(&phase.label, SHORT),
        from: phase.from,
        to: phase.to,
        duration_ms: phase.duration(),
        tool_calls: phase.calls,
        commands: phase.commands,
        read: files(&phase.read),
        changed: files(&phase.changed),
        failures: phase.failures,
        retries: phase.retries,
        failed: phase.failed,
        cost_usd: dollars(phase.cost.amount),
    });
    let output = Output {
        notice: NOTICE,
        session_id: shown(&profile.id, SHORT),
        agent: shown(&profile.agent, SHORT),
        started: reply::time(profile.first),
        duration_ms: profile.duration(),
        ended: profile.ended.name(),
        tool_calls: profile.calls,
        errors: profile.errors(),
        retries: profile.retries.len(),
        files_read: profile.files_read,
        files_changed: profile.files.changed,
        tokens: profile.tokens(),
        cost_usd: dollars(profile.cost.amount),
        cost_basis: profile.cost.basis.name(),
        phases: phases.collect(),
        more_phases: profile.phases.len().saturating_sub(PHASES),
        gaps: reply::gaps(&gaps),
    };
    let text = told(&profile, &output);
    Ok((output, Some(text)))
}

/// In plain English.
fn told(profile: &Profile, output: &Output) -> String {
    let mut text = format!("{NOTICE}\n\nSession {} ({})", output.session_id, output.agent);
    if let Some(started) = &output.started {
        let _ = write!(text, ", started {started}");
    }
    if let Some(duration) = output.duration_ms {
        let _ = write!(text, ", ran for {}", length(duration));
    }
    let _ = writeln!(text, ". It is {}.", ended(output.ended));
    let _ = writeln!(
        text,
        "{}, {}, {}; {} read, {} changed; {} tokens, {}{}.",
        counted(output.tool_calls, "tool call"),
        counted(output.errors, "error"),
        retries(output.retries),
        counted(output.files_read, "file"),
        counted(output.files_changed, "file"),
        output.tokens,
        rounded(profile.cost.amount),
        if output.cost_basis == "recorded" { String::new() } else { format!(" ({})", output.cost_basis) },
    );
    for (nth, phase) in profile.phases.iter().take(PHASES).enumerate() {
        let _ = writeln!(text, "\nPhase {}: {}", nth + 1, shown(&phase.label, SHORT));
        let _ = writeln!(text, "  {}", phase_line(phase));
        files("read", &phase.read, &mut text);
        files("changed", &phase.changed, &mut text);
    }
    if output.more_phases > 0 {
        let _ = writeln!(text, "\n{} more.", counted(output.more_phases, "phase"));
    }
    for gap in &output.gaps {
        let _ = writeln!(text, "{gap}");
    }
    text
}

fn phase_line(phase: &Phase) -> String {
    let mut parts = vec![format!("events {} to {}", phase.from, phase.to), counted(phase.calls, "call")];
    if let Some(duration) = phase.duration() {
        parts.push(length(duration));
    }
    if phase.commands > 0 {
        parts.push(counted(phase.commands, "command"));
    }
    if phase.failures > 0 {
        parts.push(counted(phase.failures, "failure"));
    }
    if phase.retries > 0 {
        parts.push(retries(phase.retries));
    }
    parts.push(rounded(phase.cost.amount));
    if phase.failed {
        parts.push("ended in a failure that was not made good".to_owned());
    }
    parts.join(", ")
}

fn retries(count: usize) -> String {
    if count == 1 { "1 retry".to_owned() } else { format!("{count} retries") }
}

fn files(verb: &str, files: &BTreeSet<String>, text: &mut String) {
    if files.is_empty() {
        return;
    }
    let named: Vec<String> = files.iter().take(NAMED).map(|file| shown(file, SHORT)).collect();
    let more = files.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    let _ = writeln!(text, "  {verb}: {}{more}", named.join(", "));
}

fn ended(name: &str) -> &str {
    match name {
        "untold" => "not told how it ended",
        "unfinished" => "not finished, or it was left",
        other => other,
    }
}

fn length(milliseconds: u64) -> String {
    let seconds = milliseconds / 1_000;
    match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds}.{} s", milliseconds % 1_000 / 100),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}
