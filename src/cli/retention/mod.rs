//! `retention`: reports or deletes sessions past the limits of the store.

mod args;
mod clean;
mod judged;
mod overdue;
#[cfg(test)]
mod tests;

use std::path::Path;

use args::{JudgeArgs, RetentionCommand};
use judged::{JudgedStore, KeepReason, Settings};

use super::Streams;
use super::args::PlainFormat;
use super::environment::Environment;
use super::failure::Failure;
use super::output;
use agent_strace_report::{RetentionReport, RetentionRow};
use agent_strace_store::retention::{Clues, RetentionError};

pub(super) use args::RetentionArgs;
pub(super) use judged::now;
pub(super) use overdue::Overdues;

pub(super) fn run(
    trace_dir: &Path,
    args: &RetentionArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    match &args.command {
        RetentionCommand::Status(args) => judge(trace_dir, args, JudgeCommand::Status, environment, streams),
        RetentionCommand::Check(args) => judge(trace_dir, args, JudgeCommand::Check, environment, streams),
        RetentionCommand::Clean(args) => clean::run(trace_dir, args, environment, streams),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JudgeCommand {
    Status,
    Check,
}

fn judge(
    trace_dir: &Path,
    args: &JudgeArgs,
    command: JudgeCommand,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let settings = Settings::new(args, environment)?;
    if command == JudgeCommand::Check && !settings.has_limits() {
        return Err(no_limits(&settings));
    }
    let Some(judged) = judged(trace_dir, &settings)? else {
        no_store(trace_dir, streams);
        // A reader of JSON must not take empty output for an answer.
        if command == JudgeCommand::Check || args.format == PlainFormat::Json {
            return Ok(3);
        }
        output::print(streams.stdout, "No sessions found.\n")?;
        return Ok(0);
    };
    let mut report = describe(trace_dir, &settings, &judged);
    report.command = if command == JudgeCommand::Status { "status" } else { "check" };
    report.exit_code = if command == JudgeCommand::Status { 0 } else { report.verdict_code() };
    let text = match args.format {
        PlainFormat::Text => report.text(),
        PlainFormat::Json => report.json(),
    };
    output::print(streams.stdout, &text)?;
    notes(&settings, &judged, streams);
    Ok(report.exit_code)
}

/// `None`: there is no store.
fn judged(trace_dir: &Path, settings: &Settings) -> Result<Option<JudgedStore>, Failure> {
    if trace_dir.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return Ok(None);
    }
    let judged = JudgedStore::new(trace_dir, &settings.retention, settings.limits, Clues::Files, settings.now);
    judged.map(Some).map_err(|error| unusable(&error))
}

fn unusable(error: &RetentionError) -> Failure {
    Failure::new(format!("the trace store can't be used: {error}"))
}

fn no_limits(settings: &Settings) -> Failure {
    let missing = if settings.file.is_empty() {
        "there is no `.agent-strace.yaml`, and no option sets one".to_owned()
    } else {
        format!("`{}` sets none, and no option does", settings.file)
    };
    Failure::new(format!("no limit says how long sessions are kept: {missing}"))
        .hint("set `max_age_days`, `max_sessions` or `max_size_mb` below `retention`, or `--max-age-days 30`")
}

fn no_store(trace_dir: &Path, streams: &mut Streams<'_>) {
    let shown = agent_strace_report::terminal(&trace_dir.display().to_string());
    output::note(streams.stderr, &format!("error: there is no trace store `{shown}`: nothing was judged"));
}

/// Prints notes in addition to the report.
fn notes(settings: &Settings, judged: &JudgedStore, streams: &mut Streams<'_>) {
    for hold in judged.idle_holds(&settings.retention) {
        let hold = agent_strace_report::terminal(hold);
        output::note(streams.stderr, &format!("note: the hold on `{hold}` is about no session of the store"));
    }
    if !settings.has_limits() {
        output::note(streams.stderr, "note: no limit is set: everything is kept");
    }
}

/// The report of a judged store.
fn describe(trace_dir: &Path, settings: &Settings, judged: &JudgedStore) -> RetentionReport {
    let JudgedStore { survey, kept, plan } = judged;
    let mut report = RetentionReport::new(&trace_dir.display().to_string(), settings.now);
    report.limits = (settings.limits.days, settings.limits.sessions, settings.limits.megabytes);
    report.others = survey.others;
    report.remains = plan.remains;
    report.unfinished = survey.leftovers.len();
    for (index, session) in survey.sessions.iter().enumerate() {
        let (held, running) = match kept.get(index) {
            Some(Some(KeepReason::Held(reason))) => (Some(reason.as_str()), None),
            Some(Some(KeepReason::Running(reason))) => (None, Some(reason.as_str())),
            _ => (None, None),
        };
        report.add(RetentionRow {
            path: &session.path,
            started: session.started.map(|started| (started.at, witness(started.by))),
            bytes: session.bytes,
            exceeds: plan.exceeds.get(index).copied().flatten().map(agent_strace_store::retention::Limit::name),
            held,
            running,
            damage: &session.damage,
        });
    }
    for refused in &survey.refused {
        report.refuse(&refused.path, &refused.reason);
    }
    let unknown = plan.unknown.iter().filter_map(|index| survey.sessions.get(*index));
    for session in unknown {
        report.refuse(&session.path, "nothing says when it began: whether it is too old is not known");
    }
    report
}

fn witness(by: agent_strace_store::retention::Witness) -> &'static str {
    use agent_strace_store::retention::Witness;
    match by {
        Witness::Meta => "meta.json",
        Witness::Events => "events",
        Witness::Files => "files",
    }
}
