//! `timeline`: a session at a glance.

use std::path::Path;
use std::sync::Arc;

use clap::Args;

use super::super::Streams;
use super::super::effects::glyphs;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::output;
use super::super::pipeline::Inputs;
use super::judged::{ByArgs, JudgedSessions, MissingPolicy, ViewRequest};
use agent_strace_effects::{Certainty, Kind, Repository};
use agent_strace_engine::{Entry, Replay};
use agent_strace_ingest::discover::Selection;
use agent_strace_metrics::{Phase, Pricing, TimedEffect};
use agent_strace_model::{Session, Status};
use agent_strace_policy::Policy;
use agent_strace_policy::prices::shipped;
use agent_strace_report::{Done, Timeline};

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace timeline                       the latest session in the store
  agent-strace timeline abc123 --policy .agent-scope.json

A line for each phase: when it was, its events, and below what was done, by kind, with how much the
gate found (`!`). `agent-strace replay --around '#N'` shows the events.";

#[derive(Debug, Args)]
pub(in crate::cli) struct TimelineArgs {
    /// A session: an id or an unambiguous prefix in the store, a log, a folder or an archive of logs of any agent,
    /// `git:REV[:PATH]`, `entire[:WHICH]`, or `-` [default: the latest in the store].
    #[arg(value_name = "SESSION")]
    session: Option<String>,

    #[command(flatten)]
    by: ByArgs,
}

pub(in crate::cli) fn run(
    trace_dir: &Path,
    args: &TimelineArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let requests: Vec<String> = args.session.iter().cloned().collect();
    let mut inputs = Inputs::select(trace_dir, &requests, Selection::Latest, environment, streams.stdin)?;
    let left_out = inputs.left_out();
    let (policy, repository) = args.by.programs(&mut inputs, environment)?;
    let more = |session: &Session<'_>, _: Option<&[Entry]>| {
        agent_strace_engine::guarded(session, || done(session, &policy, &repository))
    };
    let view = ViewRequest { missing_policy: MissingPolicy::Nothing, entries: false, more };
    let JudgedSessions { replay, more, mut gaps } = args.by.judge(trace_dir, inputs, &view, environment, streams)?;
    let mut texts = Vec::new();
    for (index, timeline) in more.into_iter().enumerate() {
        match timeline {
            Ok(timeline) => texts.push(agent_strace_report::timeline(&timeline, &replay, index, glyphs(environment))),
            Err(gap) => gaps.push(gap),
        }
    }
    output::print(streams.stdout, &texts.join("\n"))?;
    Ok(super::conclude(texts.is_empty(), &gaps, left_out, streams))
}

fn done(session: &Session<'_>, policy: &Policy, repository: &Arc<Repository>) -> Timeline {
    let replay = Replay::new(session, policy, repository);
    let measured = replay.measured(Pricing::Later(|| shipped()));
    let effects = measured.whole().effects;
    let profile = replay.profile(Pricing::Later(|| shipped()));
    let done = profile.phases.iter().map(|phase| of_phase(phase, &effects)).collect();
    Timeline { profile, done }
}

/// The effects of a phase, by kind.
fn of_phase(phase: &Phase, effects: &[TimedEffect<'_>]) -> Done {
    let from = effects.partition_point(|timed| timed.event < phase.from);
    let to = effects.partition_point(|timed| timed.event <= phase.to);
    let mut done = Done::default();
    for timed in effects.get(from..to).unwrap_or_default() {
        if timed.status == Some(Status::Denied) || timed.effect.certainty == Certainty::Possible {
            continue;
        }
        match &timed.effect.kind {
            Kind::Read(_) => done.read += 1,
            Kind::Write(_) | Kind::Delete(_) => done.written += 1,
            Kind::Execute(_) => done.executed += 1,
            Kind::Connect(_) => done.connected += 1,
            _ => {}
        }
    }
    done
}
