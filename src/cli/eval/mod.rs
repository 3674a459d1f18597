//! `eval`: how sessions measure up to `.agent-evals.yaml`.

mod args;
mod compare;
mod dataset;
mod run;

use std::path::Path;

use super::Streams;
use super::demands::{self, Origin};
use super::environment::Environment;
use super::failure::Failure;
use super::gate;
use super::judge;
use super::pipeline::Inputs;
use super::policy_file;
use super::{configuration, output};
use crate::config::evals::Evals;
use crate::engine::{Entries, Judging, Outcome, Settings};
use crate::eval::{Baseline, Demands};
use crate::policy::Policy;
use crate::report::{self, Glyphs};

pub(super) use args::{EXAMPLES, EvalArgs};
use args::{EvalCommand, Judged};

pub(super) fn run(
    trace_dir: &Path,
    args: &EvalArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    match &args.command {
        None => run::run(trace_dir, (run::Verb::Run, &args.run), environment, streams),
        Some(EvalCommand::Run(args)) => run::run(trace_dir, (run::Verb::Run, args), environment, streams),
        Some(EvalCommand::Ci(args)) => run::run(trace_dir, (run::Verb::Ci, args), environment, streams),
        Some(EvalCommand::Gate(args)) => run::run(trace_dir, (run::Verb::Gate, args), environment, streams),
        Some(EvalCommand::Compare(args)) => compare::run(trace_dir, args, environment, streams),
        Some(EvalCommand::Dataset(args)) => dataset::run(trace_dir, args, environment, streams),
    }
}

/// What sessions are measured by.
struct Measure {
    policy: Policy,
    settings: Settings,
}

impl Measure {
    fn evals(&self) -> Option<&Evals> {
        self.settings.demands.as_ref().map(|demands| &demands.evals)
    }

    fn baseline(&self) -> Option<(&Baseline, f64)> {
        let (baseline, tolerance) = self.settings.demands.as_ref()?.baseline.as_ref()?;
        Some((baseline, *tolerance))
    }

    /// Judged like any other session, so that findings can be counted.
    fn judge(&self, mut inputs: Inputs, revision: Option<&str>) -> Outcome {
        let (links, gap) = gate::links(revision);
        inputs.lack(gap);
        let demands = self.settings.demands.as_deref();
        let judging = Judging { policy: &self.policy, links: &links, entries: Entries::Drop, demands };
        judge::judge(inputs, &judging, &self.settings)
    }
}

/// Whether there has to be a file of evals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Without {
    /// Then only `no_errors` holds.
    Standard,
    Refused,
}

impl Judged {
    /// The policy, suppressions and evals that were asked for, or those of this directory.
    fn measure(
        &self,
        without: Without,
        baseline: Option<(&str, f64)>,
        environment: Environment,
    ) -> Result<Measure, Failure> {
        let colour = environment.colour && !self.no_color;
        let revision = self.policy_ref.as_deref();
        let policy = policy_file::load_if_any(self.policy.as_deref(), revision, colour)?.unwrap_or_else(Policy::none);
        let (_, configuration) = configuration::load(None, revision, &policy, colour)?;
        let policy = policy.suppressing(configuration.suppressions);
        let origin = Origin { revision, colour };
        let evals = match (demands::load(self.config.as_deref(), origin)?, without) {
            (Some(evals), _) => evals,
            (None, Without::Standard) => Evals::standard(),
            (None, Without::Refused) => {
                return Err(Failure::new("there is no `.agent-evals.yaml`: nothing is demanded")
                    .hint("`--config FILE` names one; without a command, `eval` demands `no_errors` alone"));
            }
        };
        let baseline = match baseline {
            Some((path, tolerance)) => Some((demands::baseline(path, &evals, origin)?, tolerance)),
            None => None,
        };
        let today = configuration::today(&policy, self.now, environment)?;
        let demands = Some(Demands { evals, baseline }.into());
        Ok(Measure { policy, settings: Settings { today, demands, ..Settings::default() } })
    }
}

/// Everything that could not be read.
fn gaps(outcome: &Outcome) -> Vec<crate::model::Gap> {
    let own = outcome.sessions.iter().flat_map(|session| &session.gaps);
    outcome.gaps.iter().chain(own).cloned().collect()
}

fn glyphs(environment: Environment) -> Glyphs {
    if environment.unicode { Glyphs::Unicode } else { Glyphs::Ascii }
}

/// Nothing to judge proves nothing.
fn no_sessions(trace_dir: &Path, streams: &mut Streams<'_>) -> u8 {
    let shown = report::terminal(&trace_dir.display().to_string());
    output::note(streams.stderr, &format!("error: no session was found in `{shown}`: nothing was measured"));
    3
}
