//! `import`: logs of any agent → sessions of the store.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;

use super::Streams;
use super::args::{PlainFormat, WantedArgs, parse_now};
use super::environment::Environment;
use super::failure::Failure;
use super::list;
use super::output;
use super::pipeline::{Inputs, Order};
use super::session_filter::SessionFilter;
use agent_strace_ingest::discover::Selection;
use agent_strace_ingest::{Log, Reading};
use agent_strace_model::{Gap, Session, Status};
use agent_strace_secrets::redact;
use agent_strace_store::{Change, Imported, Origin, Run, Secrets, StoreError, Written};

pub(super) const EXAMPLES: &str = "\
Examples:
  agent-strace import ~/.claude/projects/-home-dana-rates/7c9e02b6.jsonl
  agent-strace import logs/ --redact                     every log in a folder, without the secrets in it
  agent-strace import --discover                         list what could be imported from this machine
  agent-strace import --discover --all --project . --since 2w

Importing again changes nothing; a log that has grown updates its session. Two logs with the same
session id become two sessions, and what was recorded otherwise is never touched. What could not
be read of a log stays missing in the session, and the exit code is 3; a log that holds no session
at all is not imported.";

#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// Logs or folders of logs of any agent, sessions of the store by id, or `-`.
    #[arg(value_name = "LOG", required_unless_present = "discover", conflicts_with = "discover")]
    pub(super) logs: Vec<String>,

    /// List the logs of all agents on this machine; with --all, import them.
    #[arg(long)]
    pub(super) discover: bool,

    /// Import everything that --discover finds.
    #[arg(long, requires = "discover")]
    pub(super) all: bool,

    /// Where Claude Code keeps its logs [default: `$CLAUDE_CONFIG_DIR`, or `~/.claude`].
    #[arg(long, value_name = "DIR", requires = "discover")]
    pub(super) claude_dir: Option<PathBuf>,

    #[command(flatten)]
    pub(super) wanted: WantedArgs,

    /// Replace secrets by marks. Without it evidence is kept as it was recorded, secrets included.
    #[arg(long)]
    pub(super) redact: bool,

    /// Say what would be done, and do nothing.
    #[arg(long)]
    pub(super) dry_run: bool,

    /// What time it is, for `--since` [default: the clock].
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    pub(super) now: Option<jiff::Timestamp>,
}

/// What became of one session.
struct Row {
    written: Result<Written, StoreError>,
    agent: String,
    source: String,
    calls: usize,
    requests: u64,
    tokens: u64,
    errors: usize,
    gaps: usize,
}

pub(super) fn run(
    trace_dir: &Path,
    args: &ImportArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let wanted = SessionFilter::new(&args.wanted, args.now, environment)?;
    let inputs = if args.discover {
        Inputs::discover(environment.homes(args.claude_dir.as_deref())?.as_ref(), wanted, environment)?
    } else {
        Inputs::select(trace_dir, &args.logs, Selection::All, environment, streams.stdin)?.only(wanted)
    };
    if args.discover && !args.all {
        let code = list::logs(inputs, PlainFormat::Text, streams)?;
        output::note(streams.stderr, "note: nothing was imported; name a log, or add `--all` to import all of these");
        return Ok(code);
    }
    let mode = if args.dry_run { Run::Dry } else { Run::Real };
    let secrets = if args.redact { Secrets::Redact } else { Secrets::Keep };
    // Sessions with one id get their names in the order of their logs, so they are written one after the other.
    let (rows, mut gaps) =
        inputs.each_log(Order::OneByOne, |log, reading| import(trace_dir, log, &reading, secrets, mode));
    let mut sessions = Vec::new();
    for (part, part_gaps) in rows {
        sessions.extend(part);
        gaps.extend(part_gaps);
    }
    gaps.sort();
    tell(&sessions, &gaps, mode, streams)
}

/// The sessions of one log; what could not be read of it.
fn import(trace_dir: &Path, log: &Log, reading: &Reading<'_>, secrets: Secrets, mode: Run) -> (Vec<Row>, Vec<Gap>) {
    let name = log.shown.rsplit('/').next().unwrap_or(&log.shown);
    let at_home = in_store(trace_dir, log);
    let rows = reading.sessions.iter().enumerate().map(|(at, session)| {
        let source = Origin { name, bytes: log.bytes(), session: at };
        let imported = Imported { session, gaps: &reading.gaps, source, secrets };
        let written = match &at_home {
            Some(directory) => Ok(Written { directory: directory.clone(), change: Change::Unchanged }),
            None => agent_strace_store::import(trace_dir, &imported, mode),
        };
        row(written, session, reading.gaps.len())
    });
    (rows.collect(), reading.gaps.clone())
}

/// The directory of a session that is in this store already.
fn in_store(trace_dir: &Path, log: &Log) -> Option<String> {
    let id = &log.store.as_ref()?.id;
    let store = Path::new(&log.shown).parent()?.parent()?.canonicalize().ok()?;
    (store == trace_dir.canonicalize().ok()?).then(|| id.clone())
}

fn row(written: Result<Written, StoreError>, session: &Session<'_>, gaps: usize) -> Row {
    let usage = session.usage;
    let failed = |status| matches!(status, Status::Error | Status::Denied);
    Row {
        written,
        agent: redact(&*session.agent).as_str().to_owned(),
        source: redact(&session.source).as_str().to_owned(),
        calls: session.calls().count(),
        requests: usage.requests,
        tokens: [usage.input, usage.output, usage.cache_read, usage.cache_write]
            .into_iter()
            .fold(0, u64::saturating_add),
        errors: session.calls().filter(|(_, call)| failed(call.status)).count(),
        gaps,
    }
}

/// Everything goes to standard error: the sessions are the result.
fn tell(rows: &[Row], gaps: &[Gap], mode: Run, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        let Ok(written) = &row.written else { continue };
        let word = word(written.change, mode);
        *counts.entry(word).or_default() += 1;
        let incomplete = if row.gaps > 0 { ", incomplete" } else { "" };
        let line = format!(
            "{word} {} ({}, {}): {}, {}, {}, {}{incomplete}",
            written.directory,
            row.agent,
            row.source,
            counted(row.calls as u64, "tool call"),
            counted(row.requests, "LLM request"),
            counted(row.tokens, "token"),
            counted(row.errors as u64, "error"),
        );
        output::note(streams.stderr, &agent_strace_report::terminal(&line));
    }
    for line in agent_strace_report::gap_lines(gaps) {
        output::note(streams.stderr, &line);
    }
    if let Some(error) = rows.iter().find_map(|row| row.written.as_ref().err()) {
        return Err(Failure::new(error.to_string()));
    }
    if rows.is_empty() {
        output::note(streams.stderr, "error: no session was found: nothing was imported");
        return Ok(3);
    }
    let counts: Vec<_> = counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    output::note(streams.stderr, &format!("{}: {}", counted(rows.len() as u64, "session"), counts.join(", ")));
    Ok(if gaps.is_empty() { 0 } else { 3 })
}

fn word(change: Change, mode: Run) -> &'static str {
    match (change, mode) {
        (Change::Added, Run::Real) => "imported",
        (Change::Added, Run::Dry) => "would import",
        (Change::Updated, Run::Real) => "updated",
        (Change::Updated, Run::Dry) => "would update",
        (Change::Unchanged, _) => "unchanged",
        (Change::Kept, _) => "kept (the store has more of it)",
    }
}

fn counted(count: u64, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}
