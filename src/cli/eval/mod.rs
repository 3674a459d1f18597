//! `eval`: how sessions measure up to `.agent-evals.yaml`.

mod args;
mod compare;
mod dataset;
mod run;
#[cfg(feature = "telemetry")]
mod scores;

use std::path::Path;
use std::sync::Arc;

use super::Streams;
use super::baseline::Baseline as KnownFindings;
use super::configuration;
use super::demands::{self, Origin};
use super::environment::Environment;
use super::failure::Failure;
use super::gate;
use super::judge;
use super::judge_config::JudgeConfig;
use super::measured::prices;
use super::output::{self, Searched};
use super::pipeline::Inputs;
use super::policy_file;
use super::retention::Overdues;
use super::trust::TrustBase;
use agent_strace_effects::DeniedLines;
use agent_strace_engine::{Entries, Outcome, SessionOutcome, Settings};
use agent_strace_policy::Policy;
use agent_strace_policy::config::evals::Evals;
use agent_strace_policy::config::lint::Lints;
use agent_strace_policy::config::retention::Retention;
use agent_strace_report::Glyphs;
use agent_strace_rules::eval::{Baseline, Demands};
use agent_strace_rules::private::Wanted;

pub(super) use args::{EXAMPLES, EvalArgs};
use args::{EvalCommand, Judged};
use run::RunMode;
#[cfg(feature = "telemetry")]
pub(super) use scores::{Scored, are_demanded, scores};

pub(super) fn run(
    trace_dir: &Path,
    args: &EvalArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    match &args.command {
        None => run::run(trace_dir, RunMode::Run, &args.run, environment, streams),
        Some(EvalCommand::Run(args)) => run::run(trace_dir, RunMode::Run, args, environment, streams),
        Some(EvalCommand::Ci(args)) => run::run(trace_dir, RunMode::Ci, args, environment, streams),
        Some(EvalCommand::Gate(args)) => run::run(trace_dir, RunMode::Gate, args, environment, streams),
        Some(EvalCommand::Compare(args)) => compare::run(trace_dir, args, environment, streams),
        Some(EvalCommand::Dataset(args)) => dataset::run(trace_dir, args, environment, streams),
    }
}

/// A judge configuration that has evals.
struct Measure {
    config: JudgeConfig,
}

impl Measure {
    fn evals(&self) -> Option<&Evals> {
        self.config.settings.demands.as_ref().map(|demands| &demands.evals)
    }

    fn baseline(&self) -> Option<(&Baseline, f64)> {
        let (baseline, tolerance) = self.config.settings.demands.as_ref()?.baseline.as_ref()?;
        Some((baseline, *tolerance))
    }

    /// Judges the sessions like any other command, because scorers count findings.
    fn judge(&self, mut inputs: Inputs) -> Outcome {
        inputs.lack(self.config.repository_gap.clone());
        judge::judge(&inputs, &self.config, &Overdues::default())
    }
}

/// Whether there has to be a file of evals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MissingEvals {
    /// Then only `no_errors` holds.
    Standard,
    Refused,
}

impl Judged {
    /// The policy, suppressions and evals that were asked for, or those of this directory.
    fn measure(
        &self,
        missing: MissingEvals,
        baseline: Option<(&str, f64)>,
        environment: Environment,
    ) -> Result<Measure, Failure> {
        let colour = environment.colour && !self.no_color;
        let revision = self.policy_ref.as_deref();
        let policy = policy_file::load_if_any(self.policy.as_deref(), revision, colour)?.unwrap_or_else(Policy::none);
        let trust_base = TrustBase::at(revision);
        let (_, configuration) = configuration::load(None, trust_base, &policy, colour)?;
        let mut policy = policy.suppressing(configuration.suppressions);
        if let Some(file) = &self.prices {
            policy = policy.priced_by(prices(file, trust_base, colour)?);
        }
        let origin = Origin { trust_base, colour };
        let evals = match (demands::load(self.config.as_deref(), origin)?, missing) {
            (Some(evals), _) => evals,
            (None, MissingEvals::Standard) => Evals::standard(),
            (None, MissingEvals::Refused) => {
                return Err(Failure::new("there is no `.agent-evals.yaml`: nothing is demanded")
                    .hint("`--config FILE` names one; without a command, `eval` demands `no_errors` alone"));
            }
        };
        let baseline = match baseline {
            Some((path, tolerance)) => Some((demands::baseline(path, &evals, origin)?, tolerance)),
            None => None,
        };
        let lints = configuration::lints(None, trust_base, colour)?;
        let lints = lints.or_else(|| evals.counts_lints().then(Lints::default));
        let lints = lints.map(|lints| lints.counting(evals.counted_rules()));
        let private =
            if evals.counts_private() { Wanted::new(&configuration.private, evals.counted_rules()) } else { None };
        let today = configuration::today(&policy, self.now, environment)?;
        let verdicts = demands::verdicts(self.verdicts.as_deref())?;
        let demands = Some(Demands { evals, baseline, verdicts }.into());
        let settings = Settings { today, demands, ..Settings::default() };
        let (repository, repository_gap) = gate::repository(trust_base);
        Ok(Measure {
            config: JudgeConfig {
                policy,
                settings,
                baseline: KnownFindings::default(),
                retention: Retention::default(),
                private,
                lints,
                repository,
                lines: DeniedLines::default(),
                committed: gate::committed_from(trust_base, None),
                repository_gap,
                entries: Entries::Drop,
            },
        })
    }
}

/// Everything that could not be read.
fn gaps(outcome: &Outcome) -> Vec<agent_strace_model::Gap> {
    let own = outcome.sessions.iter().flat_map(|session| &session.gaps);
    outcome.gaps.iter().chain(own).cloned().collect()
}

fn glyphs(environment: Environment) -> Glyphs {
    if environment.unicode { Glyphs::Unicode } else { Glyphs::Ascii }
}

/// Measures two named sessions by one file of evals.
pub(super) fn both(
    trace_dir: &Path,
    [first, second]: [&str; 2],
    file: &str,
    prices: Option<&str>,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<(Evals, SessionOutcome, SessionOutcome), Failure> {
    let prices = prices.map(str::to_owned);
    let judged = Judged { config: Some(file.to_owned()), prices, ..Judged::default() };
    let measure = judged.measure(MissingEvals::Refused, None, environment)?;
    let mut first = compare::one(trace_dir, first, &measure, environment, streams)?;
    let mut second = compare::one(trace_dir, second, &measure, environment, streams)?;
    let demands = measure.config.settings.demands.and_then(Arc::into_inner);
    let (Some(Demands { evals, .. }), Some(first), Some(second)) =
        (demands, first.sessions.pop(), second.sessions.pop())
    else {
        return Err(Failure::new("the two sessions could not be measured"));
    };
    Ok((evals, first, second))
}

/// `named`: the sessions that were asked for.
fn no_sessions(named: &[String], trace_dir: &Path, streams: &mut Streams<'_>) -> u8 {
    output::no_sessions(Searched::new(named, trace_dir), "measured", streams.stderr)
}
