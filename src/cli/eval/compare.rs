//! `eval compare`: the scores of two sessions beside each other.

use std::path::Path;

use clap::Args;

use super::super::Streams;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::output;
use super::super::pipeline::Inputs;
use super::args::{Judged, TableFormat};
use super::{Measure, MissingEvals, gaps, glyphs};
use agent_strace_engine::Outcome;
use agent_strace_ingest::discover::Selection;
use agent_strace_report::EvalsPair;

#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// The session of before.
    #[arg(value_name = "A")]
    first: String,

    /// The session of now.
    #[arg(value_name = "B")]
    second: String,

    #[command(flatten)]
    judged: Judged,

    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: TableFormat,
}

pub(super) fn run(
    trace_dir: &Path,
    args: &CompareArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let measure = args.judged.measure(MissingEvals::Standard, None, environment)?;
    let first = one(trace_dir, &args.first, &measure, environment, streams)?;
    let second = one(trace_dir, &args.second, &measure, environment, streams)?;
    let (Some(evals), Some(one), Some(other)) = (measure.evals(), first.sessions.first(), second.sessions.first())
    else {
        return Ok(3);
    };
    let pair = EvalsPair { evals, first: one, second: other };
    let text = match args.format {
        TableFormat::Table => pair.text(glyphs(environment)),
        TableFormat::Json => pair.json(),
    };
    output::print(streams.stdout, &text)?;
    let gaps = [gaps(&first), gaps(&second)].concat();
    for line in agent_strace_report::gap_lines(&gaps) {
        output::note(streams.stderr, &line);
    }
    Ok(if gaps.is_empty() { 0 } else { 3 })
}

/// Measures one named session.
pub(super) fn one(
    trace_dir: &Path,
    request: &str,
    measure: &Measure,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<Outcome, Failure> {
    let requests = [request.to_owned()];
    let inputs = Inputs::select(trace_dir, &requests, Selection::All, environment, streams.stdin)?;
    let outcome = measure.judge(inputs);
    match outcome.sessions.len() {
        1 => Ok(outcome),
        count => Err(Failure::new(format!("`{request}` holds {count} sessions, and one is compared with one"))
            .hint("`agent-strace list LOG` shows the sessions of a log")),
    }
}
