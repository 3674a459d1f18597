//! `show`: who ran a session, where and how, as its log says.

use std::path::Path;

use clap::Args;

use super::super::Streams;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::output;
use super::super::pipeline::Inputs;
use agent_strace_ingest::discover::Selection;
use agent_strace_report::attribution;

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace show                           the latest session in the store
  agent-strace show abc123
  agent-strace show rollout-x.jsonl

Everything is as the log says: nothing is looked up, and addresses are shown without credentials.";

#[derive(Debug, Args)]
pub(in crate::cli) struct ShowArgs {
    /// A session: an id or an unambiguous prefix in the store, a log, a folder or an archive of logs of any agent,
    /// `git:REV[:PATH]`, `entire[:WHICH]`, or `-` [default: the latest in the store].
    #[arg(value_name = "SESSION")]
    session: Option<String>,
}

pub(in crate::cli) fn run(
    trace_dir: &Path,
    args: &ShowArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let requests: Vec<String> = args.session.iter().cloned().collect();
    let inputs = Inputs::select(trace_dir, &requests, Selection::Latest, environment, streams.stdin)?;
    let left_out = inputs.left_out();
    let (shown, gaps) = inputs.all(attribution);
    output::print(streams.stdout, &shown.join("\n"))?;
    Ok(super::conclude(shown.is_empty(), &gaps, left_out, streams))
}
