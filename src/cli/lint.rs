//! `lint`: how an agent worked.

use std::path::Path;

use clap::Args;

use super::Streams;
use super::args::{FailOn, GateArgs, WantedArgs};
use super::environment::Environment;
use super::failure::Failure;
use super::gate::{self, GateCommand, GateRequest, LintMode, SelectedSessions, SessionRequests};
use super::session_filter::SessionFilter;
use super::trust::Trust;
use agent_strace_ingest::discover::Selection;

pub(super) const EXAMPLES: &str = "\
Examples:
  agent-strace lint                           the latest session in the store
  agent-strace lint abc123 --strict           exit code 1 on warnings, too
  agent-strace lint --all --since 7d          every session of the last 7 days
  agent-strace lint rollout-x.jsonl --format json
  agent-strace rules lint/tool-loop           what a rule looks for, and what it can be told

.agent-strace-lint.json switches rules off and sets their levels and thresholds:
  { \"tool-loop\": { \"threshold\": 7 }, \"no-output\": { \"enabled\": false } }
The exit code is 1 on errors (with --strict on warnings, too), 3 where evidence is missing.";

#[derive(Debug, Args)]
pub(super) struct LintArgs {
    /// A session: an id or an unambiguous prefix in the store, a log, a folder or an archive of logs of any agent,
    /// `git:REV[:PATH]`, `entire[:WHICH]`, or `-`.
    #[arg(value_name = "SESSION", conflicts_with = "all")]
    session: Option<String>,

    /// Every session in the store, not only the latest.
    #[arg(long)]
    all: bool,

    /// Warnings fail, too: the same as `--fail-on warning`.
    #[arg(long, conflicts_with = "fail_on")]
    strict: bool,

    /// The lint file [default: .agent-strace-lint.json, if there is one].
    #[arg(long, value_name = "FILE")]
    config: Option<String>,

    /// Settings and suppressions [default: .agent-strace.yaml, if there is one].
    #[arg(long, value_name = "FILE")]
    settings: Option<String>,

    #[command(flatten)]
    wanted: WantedArgs,

    #[command(flatten)]
    gate: GateArgs,
}

pub(super) fn run(
    trace_dir: &Path,
    args: &LintArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let wanted = SessionFilter::new(&args.wanted, args.gate.now, environment)?;
    // `--since` asks for all sessions of a period, not for the latest of them.
    let several = args.all || args.wanted.since.is_some();
    let selection = if several { Selection::All } else { Selection::Latest };
    let requests = SessionRequests { named: args.session.as_slice(), selection };
    let strict = args.strict.then_some(FailOn::Warning);
    let gate = GateArgs { fail_on: args.gate.fail_on.or(strict), ..args.gate.clone() };
    let trust = Trust::establish(&gate, environment)?;
    let inputs = gate::select(&trust, trace_dir, requests, environment, streams);
    let inputs = inputs.map(|inputs| inputs.only(wanted));
    let lints = LintMode::Always(args.config.as_deref());
    let configuration = args.settings.as_deref();
    let sessions = SelectedSessions::Named(args.session.as_slice());
    let request = GateRequest { lints, configuration, sessions, ..GateRequest::new(GateCommand::Lint, &gate) };
    gate::run(request, trace_dir, &trust, environment, inputs, streams)
}
