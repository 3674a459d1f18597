//! `policy backtest`: what a policy would have done to sessions of the past.

use std::path::Path;

use clap::Args;

use super::super::Streams;
use super::super::args::PlainFormat;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::gate;
use super::super::output;
use super::super::policy_file;
use super::super::trust::TrustBase;
use super::args::PolicyFileArgs;
use super::history::{self, HistoryArgs, PastSessions};
use agent_strace_engine::JudgementCache;
use agent_strace_engine::backtest::{self, BacktestPolicy, Rules, Tally, Uncovered};
use agent_strace_model::{Gap, Session};
use agent_strace_policy::Policy;
use agent_strace_report::{BacktestReport, Frame};

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace policy backtest                           the policy of this directory on the whole store
  agent-strace policy backtest --policy new.json --days 30 --show-sessions
  agent-strace policy backtest logs/ --fail-on-blocked   for CI: exit code 1 if it blocks anything
  agent-strace policy backtest --min-coverage 80         exit code 1 if it says too little

Each call is counted at the strictest rule that speaks of it; the columns add up to all calls. A call
would be blocked where `check` fails for it. What could not be read is left out and named, and the
exit code is 3; `policy diff OLD NEW` compares two policies.";

#[derive(Debug, Args)]
pub(in crate::cli) struct BacktestArgs {
    /// Sessions: an id or an unambiguous prefix in the store, a log, a folder or an archive of logs of any agent,
    /// `git:REV[:PATH]`, `entire[:WHICH]`, or `-` [default: all in the store].
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,

    #[command(flatten)]
    file: PolicyFileArgs,

    #[command(flatten)]
    history: HistoryArgs,

    /// List the sessions that it would block something in.
    #[arg(long)]
    show_sessions: bool,

    /// Exit code 1 if it would block any call.
    #[arg(long)]
    fail_on_blocked: bool,

    /// Exit code 1 if it would block more than N calls.
    #[arg(long, value_name = "N", conflicts_with = "fail_on_blocked")]
    max_blocked: Option<usize>,

    /// Exit code 1 if a rule speaks of less than PCT percent of all calls.
    #[arg(long, value_name = "PCT", value_parser = history::parse_percent)]
    min_coverage: Option<f64>,
}

pub(super) fn run(
    trace_dir: &Path,
    args: &BacktestArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let policy = policy(&args.file, args.history.coloured(environment))?;
    let past = args.history.select(trace_dir, &args.sessions, environment, streams)?;
    let days = past.days;
    let rules = Rules::new(&policy);
    let (tally, gaps) = judge(past, &policy, &rules, &args.file, Uncovered::Count);
    let breaches = args.breaches(&tally);
    let exit_code = history::exit_code(&breaches, &gaps, tally.sessions);
    let frame = Frame { days, gaps: &gaps, breaches: &breaches, exit_code };
    let report = BacktestReport { frame, policy: &policy, rules: &rules, tally: &tally };
    let text = match args.history.format {
        PlainFormat::Text => environment.fitted_rows(report.text(history::glyphs(environment), args.show_sessions)),
        PlainFormat::Json => report.json(),
    };
    output::print(streams.stdout, &text)?;
    history::tell(trace_dir, &gaps, tally.sessions, streams);
    Ok(exit_code)
}

/// The named policy, or the default one.
pub(super) fn policy(file: &PolicyFileArgs, coloured: bool) -> Result<Policy, Failure> {
    let policy = policy_file::load_if_any(file.policy.as_deref(), file.policy_ref.as_deref(), coloured)?;
    policy.ok_or_else(policy_file::missing)
}

/// Judges every past session. Sessions that can't be read or judged are gaps.
pub(super) fn judge(
    past: PastSessions,
    policy: &Policy,
    rules: &Rules<'_>,
    file: &PolicyFileArgs,
    uncovered: Uncovered,
) -> (Tally, Vec<Gap>) {
    let (repository, gap) = gate::repository_by(policy, TrustBase::at(file.policy_ref.as_deref()));
    let cache = JudgementCache::new(policy);
    let by = BacktestPolicy { cache: &cache, rules };
    let judge = |(tally, faults): &mut (Tally, Vec<Gap>), session: &Session<'_>| {
        let judge = || backtest::add_session(tally, session, by, &repository, uncovered);
        faults.extend(agent_strace_engine::guarded(session, judge).err());
    };
    let add = |(tally, faults): &mut (Tally, Vec<Gap>), (later, more): (Tally, Vec<Gap>)| {
        tally.add(later);
        faults.extend(more);
    };
    let ((tally, faults), mut gaps) = past.inputs.sum(judge, add);
    gaps.extend(gap.into_iter().chain(faults));
    // The system takes back what was remembered sooner than it could be taken apart.
    std::mem::forget(cache);
    (tally, gaps)
}

impl BacktestArgs {
    /// Thresholds that are not met.
    fn breaches(&self, tally: &Tally) -> Vec<String> {
        let mut breaches = Vec::new();
        let blocked = tally.blocked + tally.other_blocked;
        let most = if self.fail_on_blocked { Some(0) } else { self.max_blocked };
        if let Some(most) = most.filter(|most| blocked > *most) {
            breaches.push(format!("the policy would block {blocked}, at most {most} may be"));
        }
        breaches.extend(self.min_coverage.and_then(|least| too_little(tally, least)));
        breaches
    }
}

/// That rules speak of too few calls. Of no calls at all they speak of none.
pub(super) fn too_little(tally: &Tally, least: f64) -> Option<String> {
    let percent = tally.coverage().unwrap_or(0.0);
    (percent < least).then(|| format!("rules speak of {percent:.1}% of the calls, at least {least}% are wanted"))
}
