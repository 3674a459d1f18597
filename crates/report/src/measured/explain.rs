//! `explain`: what an agent did, phase by phase, in a few lines.

use serde::Serialize;

use super::super::json;
use super::super::text::counted;
use super::super::tree::Glyphs;
use super::amount::percent;
use super::{Form, Missing, arrow, dash, missing, shown, span, told};
use agent_strace_metrics::{Failure, Phase, Profile};
use agent_strace_model::Status;
use agent_strace_session_view::events::{Detail, EventLine, Events, What};

const LABEL: usize = 50;
/// Longest command on a line, and longest path.
const COMMAND: usize = 100;
const PATH: usize = 80;
/// Files of a kind, commands and failures of a phase that are listed.
const FILES: usize = 5;
const COMMANDS: usize = 8;
const FAILURES: usize = 3;

/// A session with its events.
#[derive(Debug)]
pub struct Explained {
    pub profile: Profile,
    pub events: Events,
}

/// What `agent-strace explain` tells.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "agent-strace explain, version 1"))]
pub(super) struct Document {
    schema_version: u32,
    sessions: Vec<OfSession>,
    /// Everything that could not be read, and so is not told.
    gaps: Vec<Missing>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OfSession {
    id: String,
    agent: String,
    source: String,
    duration_ms: Option<u64>,
    events: usize,
    tool_calls: usize,
    files_read: usize,
    files_written: usize,
    errors: usize,
    retries: usize,
    /// What phases took that ended in a failure; `null`: the log does not tell the times of one.
    wasted_ms: Option<u64>,
    wasted_percent: Option<u64>,
    phases: Vec<OfPhase>,
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
    /// Since the session started.
    start_ms: Option<u64>,
    end_ms: Option<u64>,
    read: Vec<String>,
    written: Vec<String>,
    ran: Vec<OfCommand>,
    failures: Vec<OfFailure>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OfCommand {
    event: u32,
    command: String,
    /// The same call as one that had failed.
    retry: bool,
    /// `ok`, `error`, `denied`, `interrupted` or `missing`.
    status: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OfFailure {
    event: u32,
    tool: Option<String>,
    message: Option<String>,
}

/// What agents did, phase by phase.
pub fn explain(sessions: &[Explained], form: Form<'_>) -> String {
    match form {
        Form::Text(glyphs) => {
            let sessions: Vec<String> = sessions.iter().map(|session| session.text(glyphs).join("\n") + "\n").collect();
            sessions.join("\n")
        }
        Form::Json(gaps) => {
            let sessions = sessions.iter().map(Explained::document).collect();
            json::to_text(&Document { schema_version: 1, sessions, gaps: missing(gaps) })
        }
    }
}

/// A command as it was asked for.
struct Command<'a> {
    line: &'a EventLine,
    text: &'a str,
    retry: bool,
}

impl Explained {
    /// What shells were asked to run in a phase, in order.
    fn commands<'a>(&'a self, phase: &Phase) -> impl Iterator<Item = Command<'a>> {
        let lines = &self.events.lines;
        let from = lines.partition_point(|line| line.number < phase.from);
        let to = lines.partition_point(|line| line.number <= phase.to);
        let lines = lines.get(from..to).unwrap_or_default().iter().filter(|line| line.what == What::ToolCall);
        lines.filter_map(|line| match &line.detail {
            Some(Detail::Command(text)) => Some(Command { line, text, retry: self.is_retry(line.number) }),
            _ => None,
        })
    }

    fn is_retry(&self, event: u32) -> bool {
        self.profile.retries.binary_search_by_key(&event, |retry| retry.event).is_ok()
    }

    fn failures(&self, phase: &Phase) -> &[Failure] {
        let failures = &self.profile.failures;
        let from = failures.partition_point(|failure| failure.event < phase.from);
        let to = failures.partition_point(|failure| failure.event <= phase.to);
        failures.get(from..to).unwrap_or_default()
    }

    /// What failed phases took; `None` where that is not known of one.
    fn wasted(&self) -> Option<u64> {
        let mut failed = self.profile.phases.iter().filter(|phase| phase.failed).map(Phase::duration);
        failed.try_fold(0_u64, |sum, duration| Some(sum.saturating_add(duration?)))
    }

    fn text(&self, glyphs: Glyphs) -> Vec<String> {
        let profile = &self.profile;
        let time = profile.duration().map_or_else(|| "no times".to_owned(), span);
        let head = format!("Session: {} ({time}, {})", shown(&profile.id, 80), counted(profile.events, "event"));
        let mut lines = vec![head, String::new()];
        for (index, phase) in profile.phases.iter().enumerate() {
            self.phase(index, phase, glyphs, &mut lines);
        }
        lines.push(String::new());
        lines.push(format!("Files touched: {} read, {} written", profile.files_read, profile.files.changed));
        lines.extend(self.waste());
        lines
    }

    fn phase(&self, index: usize, phase: &Phase, glyphs: Glyphs, lines: &mut Vec<String>) {
        let failed = if phase.failed { format!(" {} FAILED", dash(glyphs)) } else { String::new() };
        let to = if glyphs == Glyphs::Ascii { "-" } else { "–" };
        let times = times(&self.profile, phase).map(|(start, end)| format!("{}{to}{}, ", clock(start), clock(end)));
        lines.push(format!(
            "Phase {}: {}{failed} ({}{})",
            index + 1,
            shown(&phase.label, LABEL),
            times.unwrap_or_default(),
            counted(phase.events, "event"),
        ));
        let files = [("Read", &phase.read), ("Wrote", &phase.changed)];
        for (what, files) in files.into_iter().filter(|(_, files)| !files.is_empty()) {
            let names: Vec<String> = files.iter().take(FILES).map(|file| shown(file, PATH)).collect();
            lines.push(format!("  {what}: {}{}", names.join(", "), beyond(files.len(), FILES)));
        }
        let commands: Vec<Command<'_>> = self.commands(phase).collect();
        lines.extend(commands.iter().take(COMMANDS).map(|command| ran(command, glyphs)));
        if commands.len() > COMMANDS {
            lines.push(format!("  Ran: and {} more", commands.len() - COMMANDS));
        }
        let failures = self.failures(phase);
        for failure in failures.iter().take(FAILURES) {
            let tool = failure.tool.as_deref().map(|tool| format!(" {}", shown(tool, 40)));
            let said = failure.said.as_deref().map(|said| format!(": {}", shown(said, PATH)));
            let (tool, said) = (tool.unwrap_or_default(), said.unwrap_or_default());
            lines.push(format!("  Failed: #{}{tool}{said}", failure.event));
        }
        if failures.len() > FAILURES {
            lines.push(format!("  Failed: and {} more", failures.len() - FAILURES));
        }
    }

    /// `Retries: 1 (wasted 1m 15s, 60% of session)`
    fn waste(&self) -> Option<String> {
        let profile = &self.profile;
        let failed = profile.phases.iter().any(|phase| phase.failed);
        let wasted = self.wasted().map(|wasted| {
            let share = profile.duration().map(|all| percent(u128::from(wasted), u128::from(all)));
            let share = share.map(|share| format!(", {share}% of session")).unwrap_or_default();
            format!("wasted {}{share}", span(wasted))
        });
        let wasted = wasted.unwrap_or_else(|| "wasted: the log does not tell the times".to_owned());
        match (profile.retries.len(), failed) {
            (0, false) => None,
            (0, true) => Some(format!("Failed phases: {wasted}")),
            (retries, true) => Some(format!("Retries: {retries} ({wasted})")),
            (retries, false) => Some(format!("Retries: {retries} (nothing wasted: no phase failed)")),
        }
    }

    fn document(&self) -> OfSession {
        let profile = &self.profile;
        let wasted = self.wasted();
        let share = |wasted: u64| {
            let share = percent(u128::from(wasted), u128::from(profile.duration()?));
            u64::try_from(share).ok()
        };
        OfSession {
            id: told(&profile.id),
            agent: told(&profile.agent),
            source: told(&profile.source),
            duration_ms: profile.duration(),
            events: profile.events,
            tool_calls: profile.calls,
            files_read: profile.files_read,
            files_written: profile.files.changed,
            errors: profile.errors(),
            retries: profile.retries.len(),
            wasted_ms: wasted,
            wasted_percent: wasted.and_then(share),
            phases: profile.phases.iter().enumerate().map(|(index, phase)| self.of_phase(index, phase)).collect(),
        }
    }

    fn of_phase(&self, index: usize, phase: &Phase) -> OfPhase {
        let times = times(&self.profile, phase);
        let failures = self.failures(phase).iter().map(|failure| OfFailure {
            event: failure.event,
            tool: failure.tool.as_deref().map(told),
            message: failure.said.as_deref().map(told),
        });
        let ran = self.commands(phase).map(|command| OfCommand {
            event: command.line.number,
            command: told(command.text),
            retry: command.retry,
            status: command.line.status.unwrap_or(Status::Missing).name(),
        });
        OfPhase {
            phase: index + 1,
            label: told(&phase.label),
            failed: phase.failed,
            first_event: phase.from,
            last_event: phase.to,
            events: phase.events,
            start_ms: times.map(|(start, _)| start),
            end_ms: times.map(|(_, end)| end),
            read: phase.read.iter().map(|file| told(file)).collect(),
            written: phase.changed.iter().map(|file| told(file)).collect(),
            ran: ran.collect(),
            failures: failures.collect(),
        }
    }
}

fn ran(command: &Command<'_>, glyphs: Glyphs) -> String {
    let words: Vec<&str> = command.text.split_whitespace().collect();
    let refused = (command.line.status == Some(Status::Denied)).then_some("refused");
    let marks: Vec<&str> = command.retry.then_some("retry").into_iter().chain(refused).collect();
    let marks = if marks.is_empty() { String::new() } else { format!(" {} {}", arrow(glyphs), marks.join(", ")) };
    format!("  Ran: {}{marks}", shown(&words.join(" "), COMMAND))
}

fn beyond(count: usize, most: usize) -> String {
    if count > most { format!(" and {} more", count - most) } else { String::new() }
}

/// Milliseconds from the start of a session to the start and the end of a phase.
pub(crate) fn times(profile: &Profile, phase: &Phase) -> Option<(u64, u64)> {
    let start = profile.first?;
    let since = |moment: jiff::Timestamp| u64::try_from(moment.duration_since(start).as_millis()).ok();
    Some((since(phase.first?)?, since(phase.last?)?))
}

/// `1:20`, `1:02:03`
pub(crate) fn clock(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}
