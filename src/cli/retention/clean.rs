//! `retention clean`: deletes sessions past the limits, after a confirmation.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::args::CleanArgs;
use super::judged::{JudgedStore, Settings};
use super::{describe, judged, no_store, notes, unusable};
use crate::cli::Streams;
use crate::cli::args::PlainFormat;
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::output;
use agent_strace_report::RetentionReport;
use agent_strace_store::retention::{Deletion, Lock, Log};

pub(super) fn run(
    trace_dir: &Path,
    args: &CleanArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let settings = Settings::new(&args.judge, environment)?;
    let Some(planned) = judged(trace_dir, &settings)? else {
        no_store(trace_dir, streams);
        return Ok(3);
    };
    let mut report = describe(trace_dir, &settings, &planned);
    report.command = "clean";
    report.dry_run = args.dry_run;
    let nothing = !report.has_work();
    if nothing || args.dry_run {
        report.exit_code = if report.is_incomplete() { 3 } else { 0 };
    } else {
        confirm(args, &report, environment, streams)?;
        delete(trace_dir, &settings, &planned, &mut report)?;
        report.exit_code = report.verdict_code();
    }
    let text = match args.judge.format {
        PlainFormat::Text => report.text(),
        PlainFormat::Json => report.json(),
    };
    output::print(streams.stdout, &text)?;
    notes(&settings, &planned, streams);
    for failure in report.failures() {
        output::note(streams.stderr, &format!("error: {failure}"));
    }
    Ok(report.exit_code)
}

/// Asks the user. Without a terminal, `--yes` is required.
fn confirm(
    args: &CleanArgs,
    report: &RetentionReport,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    if args.yes {
        return Ok(());
    }
    if !environment.interactive {
        return Err(Failure::new(format!("{} would be deleted, and nobody can be asked here", report.work()))
            .hint("`--yes` deletes without a question; `--dry-run` shows what would be deleted"));
    }
    output::note(streams.stderr, &format!("Delete {}? [y/N]", report.work()));
    if answer(streams.stdin).is_some_and(|answer| ["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str())) {
        return Ok(());
    }
    Err(Failure::new("nothing was deleted: the answer was not yes"))
}

/// One line.
fn answer(stdin: &mut dyn Read) -> Option<String> {
    const LONGEST: u64 = 80;
    let mut line = String::new();
    BufReader::new(stdin.take(LONGEST)).read_line(&mut line).ok()?;
    Some(line)
}

fn delete(
    trace_dir: &Path,
    settings: &Settings,
    planned: &JudgedStore,
    report: &mut RetentionReport,
) -> Result<(), Failure> {
    let _lock = Lock::take(trace_dir).map_err(|error| unusable(&error))?;
    // Something may have been recorded since: it is decided again while nobody writes, and nothing more is deleted than
    // was said.
    let Some(JudgedStore { survey, plan, .. }) = judged(trace_dir, settings)? else {
        return Err(Failure::new("the trace store has gone"));
    };
    let said: BTreeSet<&str> = planned.doomed().map(|session| session.path.as_str()).collect();
    let mut done = BTreeMap::new();
    let mut deletion = Deletion { log: log(trace_dir, settings)?, now: settings.now };
    for leftover in &survey.leftovers {
        report.finished(deletion.finish(leftover).map_err(|error| error.to_string()));
    }
    for (index, limit) in plan.doomed() {
        let session = survey.sessions.get(index).filter(|session| said.contains(session.path.as_str()));
        let Some(session) = session else { continue };
        done.insert(session.path.as_str(), deletion.delete(session, limit).map_err(|error| error.to_string()));
    }
    report.deleted(&done);
    Ok(())
}

/// Opens the log before anything is deleted: deletions that can't be logged do not happen.
fn log(trace_dir: &Path, settings: &Settings) -> Result<Option<Log>, Failure> {
    if settings.retention.silent {
        return Ok(None);
    }
    let opened = match &settings.retention.log_path {
        None => Log::of_store(trace_dir),
        Some(named) => {
            let folder = Path::new(&settings.file).parent().filter(|folder| !folder.as_os_str().is_empty());
            Log::open(folder.unwrap_or(Path::new(".")), Path::new(named))
        }
    };
    opened.map(Some).map_err(|error| {
        Failure::new(format!(
            "the log of deletions can't be written, so nothing was deleted: {}",
            agent_strace_report::terminal(&error.to_string())
        ))
        .hint("`log_path` names another file, `on_delete: silent` logs nothing")
    })
}
