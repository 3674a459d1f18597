//! `list`: the sessions of the store.

use std::path::Path;

use serde::Serialize;

use super::Streams;
use super::args::{ListArgs, PlainFormat};
use super::environment::Environment;
use super::failure::Failure;
use super::output;
use super::pipeline::Inputs;
use crate::ingest::discover::Selection;
use crate::model::Session;
use crate::privacy::redact;
use crate::report;

#[derive(Serialize)]
struct Document {
    schema_version: u32,
    sessions: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    id: String,
    agent: String,
    /// As recorded; epoch seconds as RFC 3339.
    started: Option<String>,
    tool_calls: usize,
    source: String,
    parent: Option<String>,
}

pub(super) fn run(
    trace_dir: &Path,
    args: &ListArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let inputs = Inputs::select(trace_dir, &[], Selection::All, environment, streams.stdin)?;
    let (rows, gaps) = inputs.all(row);
    let text = match args.format {
        PlainFormat::Text => table(&rows),
        PlainFormat::Json => report::to_json(&Document { schema_version: 1, sessions: rows }),
    };
    output::print(streams.stdout, &text)?;
    for line in report::gap_lines(&gaps) {
        output::note(streams.stderr, &line);
    }
    Ok(if gaps.is_empty() { 0 } else { 3 })
}

fn row(session: &Session<'_>) -> Row {
    let shown = |text: &str| redact(text).as_str().to_owned();
    Row {
        id: shown(&session.id),
        agent: shown(&session.agent),
        started: session.events.iter().find_map(|event| event.time.as_deref()).map(|time| shown(&moment(time))),
        tool_calls: session.calls().count(),
        source: shown(&session.source),
        parent: session.parent.as_deref().map(shown),
    }
}

/// Epoch seconds as RFC 3339; any other text as it is.
fn moment(time: &str) -> String {
    let seconds = time.parse::<f64>().ok().filter(|seconds| seconds.is_finite());
    #[expect(clippy::cast_possible_truncation, reason = "out of range saturates, and jiff refuses it")]
    let moment = seconds.and_then(|seconds| jiff::Timestamp::from_millisecond((seconds * 1000.0) as i64).ok());
    moment.map_or_else(|| time.to_owned(), |moment| format!("{moment:.0}"))
}

fn table(rows: &[Row]) -> String {
    let mut cells = vec![["id", "agent", "started", "calls", "source"].map(str::to_owned)];
    cells.extend(rows.iter().map(|row| {
        [
            report::terminal(&row.id),
            report::terminal(&row.agent),
            report::terminal(row.started.as_deref().unwrap_or("-")),
            row.tool_calls.to_string(),
            report::terminal(&row.source),
        ]
    }));
    report::columns(&cells)
}
