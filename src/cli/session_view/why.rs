//! `why`: from an event back to the prompt that led to it.

use std::path::Path;
use std::sync::Arc;

use clap::Args;

use super::super::Streams;
use super::super::args::PlainFormat;
use super::super::effects::glyphs;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::gate;
use super::super::output;
use super::super::pipeline::Inputs;
use super::super::policy_file;
use super::super::trust::TrustBase;
use agent_strace_effects::{Certainty, Kind, Repository};
use agent_strace_engine::Replay;
use agent_strace_ingest::discover::Selection;
use agent_strace_metrics::Pricing;
use agent_strace_model::{Access, EventKind, Gap, Session, Status};
use agent_strace_policy::Policy;
use agent_strace_policy::prices::shipped;
use agent_strace_report::Form;
use agent_strace_report::replay::{Chain, why};
use agent_strace_session_view::events::events;
use agent_strace_session_view::why::{Touch, chain};

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace why 4                          event 4 of the latest session in the store
  agent-strace why abc123 4
  agent-strace why rollout-x.jsonl 12 --format json

`agent-strace replay` shows the numbers. A result follows from its call; a call from the same call
that had failed, from a result that names a path or command which it uses, from a read of what it
writes, or from the prompt, in this order.";

#[derive(Debug, Args)]
pub(in crate::cli) struct WhyArgs {
    /// A session, by default the latest in the store, and the number of an event of it.
    #[arg(value_names = ["SESSION", "N"], num_args = 1..=2, required = true)]
    asked: Vec<String>,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PlainFormat,
}

pub(in crate::cli) fn run(
    trace_dir: &Path,
    args: &WhyArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let (number, requests) = args.number()?;
    let inputs = Inputs::select(trace_dir, requests, Selection::Latest, environment, streams.stdin)?;
    let left_out = inputs.left_out();
    let (mut chains, gaps) = chains(inputs, number, environment)?;
    if chains.len() > 1 {
        let message = format!("an event is one of one session, and {} are here", chains.len());
        return Err(Failure::new(message).hint("`agent-strace list LOG` shows the sessions of a log"));
    }
    let Some(found) = chains.pop() else { return Ok(super::conclude(true, &gaps, left_out, streams)) };
    let chain = found.map_err(|range| Failure::new(format!("there is no event {number}")).hint(range))?;
    let form = match args.format {
        PlainFormat::Text => Form::Text(glyphs(environment)),
        PlainFormat::Json => Form::Json(&gaps),
    };
    output::print(streams.stdout, &why(chain, form))?;
    Ok(super::conclude(false, &gaps, left_out, streams))
}

impl WhyArgs {
    /// The event, and the session where one is named.
    fn number(&self) -> Result<(u32, &[String]), Failure> {
        let (number, requests) =
            self.asked.split_last().map_or(("", &[][..]), |(number, rest)| (number.as_str(), rest));
        let parsed = number.strip_prefix('#').unwrap_or(number).parse().map_err(|_| {
            Failure::new(format!("`{number}` is no number of an event"))
                .hint("`agent-strace why SESSION N`; `agent-strace replay SESSION` shows the numbers")
        })?;
        Ok((parsed, requests))
    }
}

/// The chain to an event, or which events there are.
type ChainResult = Result<Chain, String>;

/// Of each session the chain to its event with this number, or which numbers it has.
fn chains(inputs: Inputs, number: u32, environment: Environment) -> Result<(Vec<ChainResult>, Vec<Gap>), Failure> {
    // The policy declares the effects of programs.
    let policy = policy_file::load_if_any(None, None, environment.colour)?.unwrap_or_else(Policy::none);
    let (repository, gap) = gate::repository(TrustBase::at(None));
    let chain_of = |session: &Session<'_>| {
        let target = index(session, number).ok_or_else(|| range(session))?;
        Ok(Chain { events: events(session), steps: chain(session, &touches(session, &policy, &repository), target) })
    };
    let (found, mut gaps) = inputs.all(|session| agent_strace_engine::guarded(session, || chain_of(session)));
    gaps.extend(gap);
    let mut chains = Vec::new();
    for found in found {
        match found {
            Ok(found) => chains.push(found),
            Err(gap) => gaps.push(gap),
        }
    }
    gaps.sort();
    Ok((chains, gaps))
}

/// The index of the event with this number. If several events come from one record, the call.
fn index(session: &Session<'_>, number: u32) -> Option<usize> {
    let of_record = || session.events.iter().enumerate().filter(|(_, event)| event.number == number);
    let call = of_record().find(|(_, event)| matches!(event.kind, EventKind::Call(_)));
    call.or_else(|| of_record().next()).map(|(index, _)| index)
}

fn range(session: &Session<'_>) -> String {
    match (session.events.first(), session.events.last()) {
        (Some(first), Some(last)) => {
            format!("events of this session are numbered from {} to {}", first.number, last.number)
        }
        _ => "this session has no events".to_owned(),
    }
}

/// The accesses of events to files that are known by name.
fn touches(session: &Session<'_>, policy: &Policy, repository: &Arc<Repository>) -> Vec<Touch> {
    let replay = Replay::new(session, policy, repository);
    let measured = replay.measured(Pricing::Later(|| shipped()));
    let whole = measured.whole();
    let known = whole.effects.iter().filter(|timed| timed.effect.certainty == Certainty::Exact);
    let touches = known.filter_map(|timed| {
        let (access, target) = match &timed.effect.kind {
            Kind::Read(target) => (Some(Access::Read), target),
            Kind::Write(target) => (Some(Access::Write), target),
            Kind::Delete(target) => (Some(Access::Delete), target),
            Kind::List(target) => (None, target),
            _ => return None,
        };
        // A refused read has no access, but is about that file.
        let access = access.filter(|access| *access != Access::Read || timed.status != Some(Status::Denied));
        Some(Touch { event: timed.event, access, path: target.path.clone() })
    });
    touches.collect()
}
