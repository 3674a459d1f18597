//! Judges a change by its own policy files, as they apply after the merge. The result is information, never a verdict.

use std::sync::Arc;

use super::Trust;
use crate::cli::Streams;
use crate::cli::args::GateArgs;
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::gate::{GateCommand, GateRequest};
use crate::cli::judge::judge;
use crate::cli::judge_config::JudgeConfig;
use crate::cli::pipeline::Inputs;
use crate::cli::retention::Overdues;
use agent_strace_git::change_set::Change;
use agent_strace_model::finding::RuleId;
use agent_strace_policy::floor_of;
use agent_strace_report::Report;

/// The configuration that judges after the merge.
pub(in crate::cli) enum AfterMerge {
    /// The change does not touch the current one.
    Same,
    Config(Box<JudgeConfig>),
    /// Why it can't be loaded.
    Broken(String),
}

impl AfterMerge {
    /// Loads it from the head of the change, if the change touches it.
    pub(in crate::cli) fn load(
        request: GateRequest<'_>,
        trust: &Trust<'_>,
        change: Option<&Arc<Change>>,
        environment: Environment,
        streams: &mut Streams<'_>,
    ) -> Self {
        let Some((change, ends)) = change.zip(trust.change.as_ref()) else { return Self::Same };
        let judges = |path: &str| {
            change.judging.contains(&path.to_lowercase())
                || floor_of(path).is_some_and(|(rule, _)| rule == RuleId::FloorPolicy)
        };
        if request.command != GateCommand::Check || !change.files.iter().any(|file| judges(&file.path)) {
            return Self::Same;
        }
        // Notes about files are printed only for the current configuration.
        let quiet = GateArgs { quiet: true, ..request.args.clone() };
        let request = GateRequest { args: &quiet, ..request };
        match JudgeConfig::load(request, trust.head_base(ends), environment, streams) {
            Ok(mut config) => {
                config.set_change(Some(change));
                Self::Config(Box::new(config))
            }
            Err(failure) => Self::Broken(Failure::summary(&failure).to_owned()),
        }
    }

    /// Judges by the current configuration, and reports how the verdict changes after the merge.
    pub(in crate::cli) fn judge(&self, inputs: &Inputs, current: &JudgeConfig, overdue: &Overdues) -> Report {
        let report = Report::new(judge(inputs, current, overdue));
        match self {
            Self::Same => report,
            Self::Broken(reason) => report.after_merge(agent_strace_report::AfterMerge::broken(reason)),
            Self::Config(later) => {
                report.after_merge(agent_strace_report::AfterMerge::of(&judge(inputs, later, overdue)))
            }
        }
    }
}
