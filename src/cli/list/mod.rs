//! `list`: the sessions of the store, or what agents logged on this machine.

mod tree;

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use serde::Serialize;

use super::Streams;
use super::args::{PlainFormat, WantedArgs, parse_now};
use super::environment::Environment;
use super::failure::Failure;
use super::output;
use super::pipeline::Inputs;
use super::session_filter::SessionFilter;
use agent_strace_ingest::Reading;
use agent_strace_ingest::discover::Selection;
use agent_strace_model::{Gap, Session, Status, moment};
use agent_strace_secrets::redact;

pub(super) const EXAMPLES: &str = "\
Examples:
  agent-strace list                                      the sessions in the store, newest first
  agent-strace list --tree                               with the sub-agents below who started them
  agent-strace list --discover --since 7d                what agents logged on this machine this week
  agent-strace list --discover --agent codex --project . --format json

The exit code is 3 when something could not be read.";

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Sessions: an id or an unambiguous prefix in the store, a log, a folder or an archive of logs of any agent,
    /// `git:REV[:PATH]`, `entire[:WHICH]`, or `-` [default: all in the store].
    #[arg(value_name = "SESSION", conflicts_with = "discover")]
    pub(super) sessions: Vec<String>,

    /// The logs of all agents on this machine, not the store.
    #[arg(long)]
    pub(super) discover: bool,

    #[command(flatten)]
    pub(super) wanted: WantedArgs,

    /// Show sub-agents below who started them.
    #[arg(long)]
    pub(super) tree: bool,

    /// What time it is, for `--since` [default: the clock].
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    pub(super) now: Option<jiff::Timestamp>,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: PlainFormat,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "sessions"))]
struct Document<'a> {
    schema_version: u32,
    sessions: &'a [Row],
}

/// Everything in it is fit to be shown, but for the target it is shown on.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Row {
    id: String,
    agent: String,
    /// As recorded; epoch seconds as RFC 3339.
    started: Option<String>,
    tool_calls: usize,
    source: String,
    parent: Option<String>,
    format: &'static str,
    /// Of its last event.
    active: Option<String>,
    duration_ms: Option<i64>,
    llm_requests: u64,
    /// Calls that failed or were refused.
    errors: usize,
    tokens: u64,
    /// The directory it started in.
    project: Option<String>,
    /// All of its log was read.
    complete: bool,
    /// Agents that ran inside of it.
    subagents: Vec<Subagent>,
    /// How far below the first session of its tree; only where trees are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<usize>,
    #[serde(skip)]
    first: Option<jiff::Timestamp>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Subagent {
    id: String,
    tool_calls: usize,
}

/// What the columns of a table are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Columns {
    /// Of the store: what a session adds up to.
    Sums,
    /// Of logs: where they are and what they are about.
    Logs,
}

pub(super) fn run(
    trace_dir: &Path,
    args: &ListArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let wanted = SessionFilter::new(&args.wanted, args.now, environment)?;
    let (inputs, columns) = if args.discover {
        (Inputs::discover(environment.homes(None)?.as_ref(), wanted, environment)?, Columns::Logs)
    } else {
        let inputs = Inputs::select(trace_dir, &args.sessions, Selection::All, environment, streams.stdin)?;
        (inputs.only(wanted), Columns::Sums)
    };
    let (mut rows, gaps) = rows(inputs);
    let text = match (args.format, args.tree) {
        (PlainFormat::Json, false) => agent_strace_report::to_json(&Document { schema_version: 1, sessions: &rows }),
        (PlainFormat::Json, true) => {
            let rows = tree::flat(rows);
            agent_strace_report::to_json(&Document { schema_version: 1, sessions: &rows })
        }
        (PlainFormat::Text, true) => tree::text(&rows),
        (PlainFormat::Text, false) => {
            // What was done last is looked for most.
            rows.reverse();
            table(&rows, columns)
        }
    };
    show(&text, &gaps, streams)
}

/// Logs of agents, as `list --discover` shows them.
pub(super) fn logs(inputs: Inputs, format: PlainFormat, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let (mut rows, gaps) = rows(inputs);
    rows.reverse();
    let text = match format {
        PlainFormat::Text => table(&rows, Columns::Logs),
        PlainFormat::Json => agent_strace_report::to_json(&Document { schema_version: 1, sessions: &rows }),
    };
    show(&text, &gaps, streams)
}

fn show(text: &str, gaps: &[Gap], streams: &mut Streams<'_>) -> Result<u8, Failure> {
    output::print(streams.stdout, text)?;
    for line in agent_strace_report::gap_lines(gaps) {
        output::note(streams.stderr, &line);
    }
    Ok(if gaps.is_empty() { 0 } else { 3 })
}

/// Sessions by their start; those that do not say when come first.
fn rows(inputs: Inputs) -> (Vec<Row>, Vec<Gap>) {
    let (parts, mut gaps) = inputs.each(|reading| {
        let Reading { sessions, gaps } = reading;
        (sessions.iter().map(|session| row(session, &gaps)).collect::<Vec<_>>(), gaps)
    });
    let mut rows = Vec::new();
    for (part, part_gaps) in parts {
        rows.extend(part);
        gaps.extend(part_gaps);
    }
    gaps.sort();
    rows.sort_by_key(|row| row.first);
    (rows, gaps)
}

fn row(session: &Session<'_>, gaps: &[Gap]) -> Row {
    let shown = |text: &str| redact(text).as_str().to_owned();
    let mut times = session.events.iter().filter_map(|event| event.time.as_deref());
    let (started, active) = (times.next(), times.next_back());
    let active = active.or(started);
    let first = started.and_then(moment);
    let duration = first.zip(active.and_then(moment)).map(|(first, last)| last.duration_since(first));
    let failed = |status| matches!(status, Status::Error | Status::Denied);
    let usage = session.usage;
    Row {
        id: shown(&session.id),
        agent: shown(&session.agent),
        started: started.map(|time| shown(&readable(time))),
        tool_calls: session.calls().count(),
        source: shown(&session.source),
        parent: session.parent.as_deref().map(shown),
        format: session.dialect.name,
        active: active.map(|time| shown(&readable(time))),
        duration_ms: duration.and_then(|duration| i64::try_from(duration.as_millis()).ok()).map(|time| time.max(0)),
        llm_requests: usage.requests,
        errors: session.calls().filter(|(_, call)| failed(call.status)).count(),
        tokens: [usage.input, usage.output, usage.cache_read, usage.cache_write]
            .into_iter()
            .fold(0, u64::saturating_add),
        project: session.root.as_deref().map(shown),
        complete: gaps.is_empty() && !session.evidence.truncated,
        subagents: subagents(session),
        depth: None,
        first,
    }
}

fn subagents(session: &Session<'_>) -> Vec<Subagent> {
    let mut calls: BTreeMap<&str, usize> = BTreeMap::new();
    for subagent in session.calls().filter_map(|(_, call)| call.subagent.as_deref()) {
        *calls.entry(subagent).or_default() += 1;
    }
    let subagent = |(id, tool_calls): (&str, usize)| Subagent { id: redact(id).as_str().to_owned(), tool_calls };
    calls.into_iter().map(subagent).collect()
}

/// Epoch seconds as RFC 3339; any other text as it is.
fn readable(time: &str) -> String {
    let is_number = time.parse::<f64>().is_ok();
    let moment = if is_number { moment(time) } else { None };
    moment.map_or_else(|| time.to_owned(), |moment| format!("{moment:.0}"))
}

fn table(rows: &[Row], columns: Columns) -> String {
    match columns {
        Columns::Sums => {
            let mut cells =
                vec![["id", "started", "duration", "tools", "llm", "errors", "agent", "source"].map(str::to_owned)];
            cells.extend(rows.iter().map(|row| {
                [
                    agent_strace_report::terminal(&row.id),
                    optional(row.started.as_deref()),
                    duration(row),
                    row.tool_calls.to_string(),
                    row.llm_requests.to_string(),
                    row.errors.to_string(),
                    agent_strace_report::terminal(&row.agent),
                    agent_strace_report::terminal(&row.source),
                ]
            }));
            agent_strace_report::columns(&cells)
        }
        Columns::Logs => {
            let mut cells = vec![["id", "agent", "started", "active", "calls", "project", "source"].map(str::to_owned)];
            cells.extend(rows.iter().map(|row| {
                [
                    agent_strace_report::terminal(&row.id),
                    agent_strace_report::terminal(&row.agent),
                    optional(row.started.as_deref()),
                    optional(row.active.as_deref()),
                    row.tool_calls.to_string(),
                    optional(row.project.as_deref()),
                    agent_strace_report::terminal(&row.source),
                ]
            }));
            agent_strace_report::columns(&cells)
        }
    }
}

fn optional(text: Option<&str>) -> String {
    text.map_or_else(|| "-".to_owned(), agent_strace_report::terminal)
}

/// Seconds with one decimal.
fn duration(row: &Row) -> String {
    let tenths = |milliseconds: i64| (milliseconds.saturating_add(50)) / 100;
    row.duration_ms.map_or_else(|| "-".to_owned(), |time| format!("{}.{}s", tenths(time) / 10, tenths(time) % 10))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_is_that_of_the_types() {
        agent_strace_testing::schemas::keep(
            "list.v1",
            &agent_strace_testing::schemas::written::<super::Document<'static>>(),
        );
    }
}
