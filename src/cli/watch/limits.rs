//! Turns arguments and files into limits. Errors are reported before anything runs.

use std::time::Duration;

use super::super::Streams;
use super::super::args::GateArgs;
use super::super::environment::Environment;
use super::super::failure::{Failure, reason};
use super::super::gate::{GateCommand, GateRequest};
use super::super::judge_config::JudgeConfig;
use super::super::policy_file;
use super::super::trust::Trust;
use super::super::values::SourceName;
use super::args::LimitArgs;
use agent_strace_live::watch::{self, Action, Amount, Settings, Watch};
use agent_strace_policy::Diagnostics;
use agent_strace_policy::config;

/// The limits and the policy that running sessions are judged by.
pub(in crate::cli) struct Judges {
    pub(in crate::cli) watch: Watch,
    pub(super) config: JudgeConfig,
    /// The policy is asked, too: there is one, or an agent runtime has one.
    pub(super) has_policy: bool,
}

impl LimitArgs {
    /// `settings`: of `--config`, which the command line outranks.
    pub(in crate::cli) fn judges(
        &self,
        on_limit: Action,
        settings: Settings,
        environment: Environment,
        streams: &mut Streams<'_>,
    ) -> Result<Judges, Failure> {
        let colour = environment.colour;
        let rules = match &self.rules {
            Some(file) => read(file, "rules file", colour, watch::read)?,
            None => Vec::new(),
        };
        let own_fault = |error: String| Failure::new(format!("internal error: {error}"));
        let mut watch = Watch::new(rules, on_limit).map_err(own_fault)?;
        watch.timeout = self.timeout.or_else(|| minutes(settings.minutes.as_deref()));
        watch.budget = self.budget.or_else(|| Some(Amount::read(settings.dollars.as_deref()?)?.0));
        watch.retries = self.max_retries.or(settings.retries);
        watch.context = self.max_context_pct.or(settings.context).map(|percent| percent * 10);
        (watch.repeats, watch.operations) = (settings.repeats, settings.operations);
        let policy = self.policy.clone().or(settings.policy);
        let is_named = policy.is_some();
        let now = environment.machine.map(|machine| machine.now);
        let silent = GateArgs { quiet: true, no_color: true, ..GateArgs::of_policy(policy, !is_named, now) };
        let args = GateArgs { prices: self.prices.clone(), source: SourceName::Live, ..silent };
        let trust = Trust::establish(&args, environment)?;
        let request = GateRequest::new(GateCommand::Hook, &args);
        let config = JudgeConfig::load_complete(request, trust.base(), environment, streams)?;
        let has_policy = config.policy.identity().is_some() || !config.policy.hooks().manifests.is_empty();
        Ok(Judges { watch, config, has_policy })
    }
}

impl Judges {
    /// Whether anything is done that needs a process.
    pub(super) fn acts(&self) -> bool {
        self.watch.acts() || self.has_policy && self.watch.on_limit > Action::Alert
    }

    pub(in crate::cli) fn has_policy(&self) -> bool {
        self.has_policy
    }

    /// Whether anything is watched at all.
    pub(super) fn is_empty(&self) -> bool {
        !self.has_policy && !self.watch.asks_sessions() && self.watch.deadlines().is_empty()
    }
}

fn minutes(text: Option<&str>) -> Option<Duration> {
    Amount::read(text?)?.minutes()
}

/// The file of `--config`.
pub(super) fn settings(file: Option<&str>, colour: bool) -> Result<Settings, Failure> {
    match file {
        Some(file) => read(file, "watch configuration", colour, watch::read_settings),
        None => Ok(Settings::default()),
    }
}

fn read<T>(
    file: &str,
    what: &str,
    colour: bool,
    read: impl Fn(&str, &[u8]) -> Result<T, Diagnostics>,
) -> Result<T, Failure> {
    let shown = policy_file::shown(file);
    let bytes = config::read_bytes(std::path::Path::new(file))
        .map_err(|error| Failure::new(format!("the {what} `{shown}` can't be read: {}", reason(&error))))?;
    read(&shown, &bytes).map_err(|faults| policy_file::faulty(what, &shown, &faults, policy_file::colour(colour)))
}
