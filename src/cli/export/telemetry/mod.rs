//! `export` in the language of OpenTelemetry: traces, metrics, and what Langfuse takes beside them. Printed, or sent to
//! where the user says.

mod gauges;
mod langfuse;
mod send;
mod spans;
mod target;

use std::path::Path;

use super::super::Streams;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::http::Target;
use super::super::output;
use super::telemetry_args::Backend;
use super::{ExportArgs, ExportFormat};
use agent_strace_telemetry::Naming;

pub(super) fn run(
    trace_dir: &Path,
    args: &ExportArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let asked = &args.telemetry;
    if asked.metrics {
        if asked.backend == Some(Backend::Langfuse) {
            return Err(
                Failure::new("Langfuse takes traces and scores, no metrics").hint("`--backend otlp` takes them")
            );
        }
        return gauges::run(trace_dir, args, environment, streams);
    }
    if asked.scores && asked.backend != Some(Backend::Langfuse) {
        return Err(Failure::new("`--scores` are sent to Langfuse: `--backend langfuse`")
            .hint("`--metrics` has scores as the gauge agent_strace.eval.score"));
    }
    spans::run(trace_dir, args, environment, streams)
}

/// How spans are called; `None`: the format is one of files.
fn naming(args: &ExportArgs) -> Option<Naming> {
    match args.format {
        ExportFormat::Otlp => Some(Naming::Plain),
        ExportFormat::OtlpGenai => Some(Naming::GenAi),
        // Langfuse reads generations from it.
        _ if args.telemetry.backend == Some(Backend::Langfuse) => Some(Naming::GenAi),
        _ => None,
    }
}

/// What is to be known before anything goes out.
fn warn(target: &Target, path: &str, streams: &mut Streams<'_>) {
    if target.is_open() {
        let line = format!("warning: headers go to {} unencrypted", target.shown(path));
        output::note(streams.stderr, &agent_strace_report::terminal(&line));
    }
}
