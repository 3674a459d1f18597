//! A store, judged by the limits: one judgement for `status`, `check`, `clean` and the rules of the gate.

use std::path::Path;

use jiff::Timestamp;

use super::args::JudgeArgs;
use crate::cli::configuration;
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use agent_strace_policy::config::retention::Retention;
use agent_strace_store::retention::{self as store, Clues, Limits, Plan, RetentionError, Survey};

/// The limits and the time that sessions are held against.
pub(super) struct Settings {
    /// As users know it; empty where there is none.
    pub(super) file: String,
    pub(super) retention: Retention,
    pub(super) limits: Limits,
    pub(super) now: Timestamp,
}

/// The sessions of a store, and which of them have to go.
pub(super) struct JudgedStore {
    pub(super) survey: Survey,
    /// Why a session is kept whatever the limits say, by its index.
    pub(super) kept: Vec<Option<KeepReason>>,
    pub(super) plan: Plan,
}

/// Why a session is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KeepReason {
    Held(String),
    Running(String),
}

impl Settings {
    /// The configuration, overridden by the command line.
    pub(super) fn new(args: &JudgeArgs, environment: Environment) -> Result<Self, Failure> {
        let (file, retention) = configuration::retention(args.config.as_deref(), environment.colour)?;
        let mut limits = limits(&retention);
        limits.days = args.max_age_days.or(limits.days);
        limits.sessions = args.max_sessions.or(limits.sessions);
        limits.megabytes = args.max_size_mb.or(limits.megabytes);
        Ok(Self { file, retention, limits, now: now(args.now, environment)? })
    }

    pub(super) fn has_limits(&self) -> bool {
        self.limits != Limits::default()
    }
}

/// How long a session is kept is a question about the time of today.
pub(in crate::cli) fn now(given: Option<Timestamp>, environment: Environment) -> Result<Timestamp, Failure> {
    given.or_else(|| environment.machine.map(|machine| machine.now)).ok_or_else(|| {
        Failure::new("how old sessions are can't be said without a clock")
            .hint("`--now 2026-03-01T12:00:00Z` says what time it is")
    })
}

pub(super) fn limits(retention: &Retention) -> Limits {
    Limits {
        days: retention.max_age_days.as_ref().map(|limit| limit.value),
        sessions: retention.max_sessions.as_ref().map(|limit| limit.value),
        megabytes: retention.max_size_mb.as_ref().map(|limit| limit.value),
    }
}

impl JudgedStore {
    pub(super) fn new(
        trace_dir: &Path,
        retention: &Retention,
        limits: Limits,
        clues: Clues,
        now: Timestamp,
    ) -> Result<Self, RetentionError> {
        let survey = store::survey(trace_dir, clues, now)?;
        let kept: Vec<Option<KeepReason>> = survey.sessions.iter().map(|session| kept(session, retention)).collect();
        let plan = store::plan(&survey, limits, |index| matches!(kept.get(index), Some(Some(_))), now);
        Ok(Self { survey, kept, plan })
    }

    /// The sessions that have to go.
    pub(super) fn doomed(&self) -> impl Iterator<Item = &store::Stored> {
        self.plan.doomed().filter_map(|(index, _)| self.survey.sessions.get(index))
    }

    /// Holds that are about no session of the store: they may be misspelt.
    pub(super) fn idle_holds<'r>(&self, retention: &'r Retention) -> Vec<&'r str> {
        let is_idle = |hold: &&agent_strace_policy::config::retention::Hold| {
            !self.survey.sessions.iter().any(|session| hold.covers(&session.name) || hold.covers(&session.path))
        };
        retention.holds.iter().filter(is_idle).map(|hold| hold.session.as_str()).collect()
    }
}

fn kept(session: &store::Stored, retention: &Retention) -> Option<KeepReason> {
    let hold = retention.holds.iter().find(|hold| hold.covers(&session.name) || hold.covers(&session.path));
    match hold {
        Some(hold) => Some(KeepReason::Held(hold.reason.clone())),
        None => session.running.clone().map(KeepReason::Running),
    }
}
