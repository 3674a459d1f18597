//! Sessions for display, with the findings of `check`: by the same policy, rules, settings and suppressions.

use std::path::Path;
use std::sync::Arc;

use clap::Args;

use super::super::Streams;
use super::super::args::{GateArgs, parse_now};
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::gate::{self, GateCommand, GateRequest, LintMode};
use super::super::judge;
use super::super::judge_config::JudgeConfig;
use super::super::pipeline::{Inputs, Order};
use super::super::policy_file;
use super::super::trust::{Trust, TrustBase, change};
use super::annotate::notes;
use agent_strace_effects::Repository;
use agent_strace_engine::{Entries, Entry};
use agent_strace_ingest::Log;
use agent_strace_metrics::{Measured, Pricing};
use agent_strace_model::{Gap, Session};
use agent_strace_policy::Policy;
use agent_strace_policy::prices::shipped;
use agent_strace_report::Report;
use agent_strace_report::replay::{ReplayInput, ReplayReport};
use agent_strace_session_view::events::events;

/// By what sessions are judged.
#[derive(Debug, Args)]
pub(in crate::cli) struct ByArgs {
    /// The policy whose findings are shown [default: .agent-scope.json, if there is one].
    #[arg(long, value_name = "FILE", conflicts_with = "no_policy")]
    policy: Option<String>,

    /// Judge nothing: show only what happened.
    #[arg(long)]
    no_policy: bool,

    /// Settings and suppressions [default: .agent-strace.yaml, if there is one].
    #[arg(long, value_name = "FILE", conflicts_with = "no_policy")]
    config: Option<String>,

    /// When this runs, e.g. `2026-03-01T12:00:00Z`: exceptions are held against its day in UTC [default: the clock].
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    now: Option<jiff::Timestamp>,
}

/// The options that judge, and the change that is judged.
#[derive(Clone, Copy)]
pub(super) struct Within<'a> {
    pub(super) request: GateRequest<'a>,
    pub(super) trust: &'a Trust<'a>,
}

/// Whether anything is judged without a policy file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingPolicy {
    /// By the rules that are built in.
    BuiltIn,
    Nothing,
}

/// Sessions with their findings.
pub(super) struct JudgedSessions<T> {
    pub(super) replay: ReplayReport,
    /// The results of the callback, one for each session.
    pub(super) more: Vec<T>,
    pub(super) gaps: Vec<Gap>,
}

/// The parts of a view that are not needed for all commands.
pub(super) struct ViewRequest<M> {
    pub(super) missing_policy: MissingPolicy,
    /// Whether `more` gets the policy's verdicts on all effects.
    pub(super) entries: bool,
    pub(super) more: M,
}

impl ByArgs {
    /// The policy, since it declares the effects of programs, and the symlinks.
    pub(super) fn programs(
        &self,
        inputs: &mut Inputs,
        environment: Environment,
    ) -> Result<(Policy, Arc<Repository>), Failure> {
        let path = self.policy.as_deref();
        let policy = if self.no_policy { None } else { policy_file::load_if_any(path, None, environment.colour)? };
        let policy = policy.unwrap_or_else(Policy::none);
        let (repository, gap) = gate::repository_by(&policy, TrustBase::at(None));
        inputs.lack(gap);
        Ok((policy, repository))
    }

    /// Reads and judges the sessions.
    pub(super) fn judge<T: Send, M: Fn(&Session<'_>, Option<&[Entry]>) -> T + Sync>(
        &self,
        trace_dir: &Path,
        inputs: Inputs,
        view: &ViewRequest<M>,
        environment: Environment,
        streams: &mut Streams<'_>,
    ) -> Result<JudgedSessions<T>, Failure> {
        let is_there = self.policy.is_some() || policy_file::is_found();
        if self.no_policy || (!is_there && view.missing_policy == MissingPolicy::Nothing) {
            return Ok(unjudged(&inputs, view));
        }
        let args = self.gate_args();
        let trust = Trust::establish(&args, environment)?;
        let request =
            GateRequest { configuration: self.configuration(), ..GateRequest::new(GateCommand::Check, &args) };
        let request = GateRequest { lints: LintMode::WhereConfigured, ..request };
        judge_within(trace_dir, inputs, Within { request, trust: &trust }, view, environment, streams)
    }

    /// The options of a gate that judges by the same.
    pub(super) fn gate_args(&self) -> GateArgs {
        GateArgs::of_policy(self.policy.clone(), self.policy.is_none(), self.now)
    }

    /// The file of settings and suppressions.
    pub(super) fn configuration(&self) -> Option<&str> {
        self.config.as_deref()
    }
}

/// Judges them, and the change that they come with.
pub(super) fn judge_within<T: Send, M: Fn(&Session<'_>, Option<&[Entry]>) -> T + Sync>(
    trace_dir: &Path,
    mut inputs: Inputs,
    Within { request, trust }: Within<'_>,
    view: &ViewRequest<M>,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<JudgedSessions<T>, Failure> {
    let mut config = JudgeConfig::load(request, trust.base(), environment, streams)?;
    let change = change::of_run(request, trust, trace_dir, environment, &config, &mut inputs, &mut Vec::new())?;
    config.set_change(change.as_ref());
    inputs.lack(config.repository_gap.clone());
    let overdue = gate::overdue(request, &config.retention, trace_dir, environment, &mut inputs)?;
    config.entries = if view.entries { Entries::Keep } else { Entries::Story };
    let (outcome, told) = judge::judge_telling(&inputs, &config, &overdue, |log, session, outcome| {
        let (told, gaps) = tell(log, session);
        // The entries of all sessions together may be large, so they are dropped here.
        let entries = std::mem::take(&mut outcome.entries);
        (told, (view.more)(session, Some(&entries)), gaps)
    });
    let mut gaps = outcome.gaps.clone();
    gaps.extend(outcome.sessions.iter().flat_map(|session| session.gaps.iter().cloned()));
    Ok(joined(told, Some(Report::new(outcome)), gaps))
}

/// One session: its view, the result of the callback, and unreadable notes.
type One<T> = (ReplayInput, T, Vec<Gap>);

fn joined<T>(all: Vec<One<T>>, judged: Option<Report>, mut gaps: Vec<Gap>) -> JudgedSessions<T> {
    let (mut told, mut more) = (Vec::with_capacity(all.len()), Vec::with_capacity(all.len()));
    for (one, other, lacking) in all {
        told.push(one);
        more.push(other);
        gaps.extend(lacking);
    }
    gaps.sort();
    gaps.dedup();
    JudgedSessions { replay: ReplayReport::new(told, judged), more, gaps }
}

/// The sessions without findings.
fn unjudged<T: Send, M: Fn(&Session<'_>, Option<&[Entry]>) -> T + Sync>(
    inputs: &Inputs,
    view: &ViewRequest<M>,
) -> JudgedSessions<T> {
    let (parts, mut gaps) = inputs.each_log(Order::AtOnce, |log, reading| {
        let one = |session| {
            let (told, gaps) = tell(log, session);
            (told, (view.more)(session, None), gaps)
        };
        (reading.sessions.iter().map(one).collect::<Vec<_>>(), reading.gaps)
    });
    let mut all = Vec::new();
    for (part, lacking) in parts {
        all.extend(part);
        gaps.extend(lacking);
    }
    joined(all, None, gaps)
}

fn tell(log: &Log, session: &Session<'_>) -> (ReplayInput, Vec<Gap>) {
    let measured = Measured::new(session, Vec::new(), Pricing::Later(|| shipped()));
    let events = events(session);
    let (notes, gaps) = notes(log, &events);
    (ReplayInput { events, errors: measured.failures().len(), notes }, gaps)
}
