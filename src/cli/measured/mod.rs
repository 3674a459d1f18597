//! `cost`, `token-budget` and `stats`: the numbers of sessions.

mod cost;
mod prices;
mod stats;
mod token_budget;

use std::path::Path;

use clap::Args;

use super::Streams;
use super::args::PlainFormat;
use super::effects::glyphs;
use super::environment::Environment;
use super::failure::Failure;
use super::gate;
use super::output;
use super::pipeline::Inputs;
use super::policy_file;
use super::trust::TrustBase;
use agent_strace_engine::Replay;
use agent_strace_ingest::discover::Selection;
use agent_strace_metrics::{Pricing, Profile};
use agent_strace_model::{Gap, Session};
use agent_strace_policy::Policy;
use agent_strace_report::Form;

pub(super) use cost::{CostArgs, EXAMPLES as COST_EXAMPLES, run as cost};
pub(super) use prices::{PricesArgs, table as prices};
pub(super) use stats::{EXAMPLES as STATS_EXAMPLES, StatsArgs, run as stats};
pub(super) use token_budget::{EXAMPLES as TOKEN_BUDGET_EXAMPLES, TokenBudgetArgs, run as token_budget};

/// Which sessions, and how their numbers are written.
#[derive(Debug, Args)]
pub(in crate::cli) struct MeasuredArgs {
    /// Sessions: an id or an unambiguous prefix in the store, a log, a folder or an archive of logs of any agent,
    /// `git:REV[:PATH]`, `entire[:WHICH]`, or `-` [default: the latest in the store].
    #[arg(value_name = "SESSION", conflicts_with = "all")]
    pub(in crate::cli) sessions: Vec<String>,

    /// Every session in the store, not only the latest.
    #[arg(long)]
    pub(in crate::cli) all: bool,

    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(in crate::cli) format: PlainFormat,
}

/// Sessions that were counted.
pub(super) struct Measured {
    pub(super) profiles: Vec<Profile>,
    pub(super) gaps: Vec<Gap>,
    pub(super) left_out: usize,
}

impl MeasuredArgs {
    pub(in crate::cli) fn selection(&self) -> Selection {
        if self.all { Selection::All } else { Selection::Latest }
    }

    pub(in crate::cli) fn form<'a>(&self, gaps: &'a [Gap], environment: Environment) -> Form<'a> {
        match self.format {
            PlainFormat::Text => Form::Text(glyphs(environment)),
            PlainFormat::Json => Form::Json(gaps),
        }
    }

    fn measure(
        &self,
        trace_dir: &Path,
        pricing: Pricing<'_>,
        environment: Environment,
        streams: &mut Streams<'_>,
    ) -> Result<Measured, Failure> {
        let inputs = Inputs::select(trace_dir, &self.sessions, self.selection(), environment, streams.stdin)?;
        totals(inputs, pricing, environment)
    }
}

/// Measures all sessions together: a call or answer that several of them hold counts in one.
pub(super) fn totals(inputs: Inputs, pricing: Pricing<'_>, environment: Environment) -> Result<Measured, Failure> {
    let (measured, _) = measure_in(inputs, Counting::Once, pricing, environment, |_| ())?;
    Ok(measured)
}

/// Measures each session by itself.
pub(super) fn measure(inputs: Inputs, pricing: Pricing<'_>, environment: Environment) -> Result<Measured, Failure> {
    let (measured, _) = measure_telling(inputs, pricing, environment, |_| ())?;
    Ok(measured)
}

/// The same with what `tell` makes of every session, in the order of the profiles.
pub(super) fn measure_telling<T: Send>(
    inputs: Inputs,
    pricing: Pricing<'_>,
    environment: Environment,
    tell: impl Fn(&Session<'_>) -> T + Sync,
) -> Result<(Measured, Vec<T>), Failure> {
    measure_in(inputs, Counting::Each, pricing, environment, tell)
}

/// The sessions in which a call or answer counts that several of them hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counting {
    /// In each of them.
    Each,
    /// In the one that began first.
    Once,
}

fn measure_in<T: Send>(
    inputs: Inputs,
    counting: Counting,
    pricing: Pricing<'_>,
    environment: Environment,
    tell: impl Fn(&Session<'_>) -> T + Sync,
) -> Result<(Measured, Vec<T>), Failure> {
    // What programs do is what the policy says they do, where there is one.
    let policy = policy_file::load_if_any(None, None, environment.colour)?.unwrap_or_else(Policy::none);
    let (repository, gap) = gate::repository(TrustBase::at(None));
    let left_out = inputs.left_out();
    let of_session = |session: &Session<'_>| {
        agent_strace_engine::guarded(session, || {
            let profile = Replay::new(session, &policy, &repository).profile(pricing);
            (profile, tell(session))
        })
    };
    let (measured, mut gaps) = match counting {
        Counting::Each => inputs.all(of_session),
        Counting::Once => inputs.all_once(of_session),
    };
    gaps.extend(gap);
    let (mut profiles, mut told) = (Vec::with_capacity(measured.len()), Vec::with_capacity(measured.len()));
    for of_session in measured {
        match of_session {
            Ok((profile, more)) => {
                profiles.push(profile);
                told.push(more);
            }
            Err(gap) => gaps.push(gap),
        }
    }
    gaps.sort();
    Ok((Measured { profiles, gaps, left_out }, told))
}

impl Measured {
    /// What is missing, and the exit code that says so.
    pub(super) fn concluded(&self, streams: &mut Streams<'_>) -> u8 {
        for line in agent_strace_report::gap_lines(&self.gaps) {
            output::note(streams.stderr, &line);
        }
        if self.profiles.is_empty() {
            output::note(streams.stderr, "error: no session was found");
            output::note(streams.stderr, output::NO_SESSION);
        }
        if self.left_out > 0 {
            let sessions = if self.left_out == 1 {
                "1 session was".to_owned()
            } else {
                format!("{} sessions were", self.left_out)
            };
            output::note(streams.stderr, &format!("note: {sessions} left out; `--all` counts every session"));
        }
        if self.profiles.is_empty() || !self.gaps.is_empty() { 3 } else { 0 }
    }
}
