//! What the files of a change itself would say of it: how it is judged once it is merged. Information, never a verdict.

use std::sync::Arc;

use super::Trust;
use crate::cli::Streams;
use crate::cli::args::GateArgs;
use crate::cli::bench::Bench;
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::gate::{self, Named, Verb};
use crate::cli::judge::{Panel, judge_twice};
use crate::cli::pipeline::Inputs;
use crate::cli::retention::Overdues;
use agent_strace_engine::Entries;
use agent_strace_git::change_set::Change;
use agent_strace_policy::floor_of;
use agent_strace_report::Report;

/// What will judge.
pub(in crate::cli) enum AfterMerge {
    /// What judges now.
    Same,
    Bench(Box<Bench>, agent_strace_effects::Links),
    /// It can't judge: why.
    Broken(String),
}

impl AfterMerge {
    /// From the head of the change, where it touches what judges.
    pub(in crate::cli) fn load(
        (verb, named): (Verb, &Named<'_>),
        (args, trust): (&GateArgs, &Trust<'_>),
        change: Option<&Arc<Change>>,
        environment: Environment,
        streams: &mut Streams<'_>,
    ) -> Self {
        let Some((change, ends)) = change.zip(trust.change.as_ref()) else { return Self::Same };
        let judges = |path: &str| {
            change.judging.contains(&path.to_lowercase())
                || floor_of(path).is_some_and(|(rule, _)| rule == "floor/policy")
        };
        if verb != Verb::Check || !change.files.iter().any(|file| judges(&file.path)) {
            return Self::Same;
        }
        // What has to be said of files is said of those that judge.
        let quiet = GateArgs { quiet: true, ..args.clone() };
        let ground = trust.ground_of_head(ends);
        match Bench::load((verb, named), &quiet, ground, environment, streams) {
            Ok(mut bench) => {
                bench.of_change(Some(change));
                let (links, _) = gate::links(ground);
                Self::Bench(Box::new(bench), links)
            }
            Err(failure) => Self::Broken(Failure::summary(&failure).to_owned()),
        }
    }

    /// Judges by what judges now, and tells what will.
    pub(in crate::cli) fn judge(&self, inputs: Inputs, now: &Panel<'_>, verb: Verb, overdue: &Overdues) -> Report {
        match self {
            Self::Same => Report::new(judge_twice(inputs, now, None, overdue).0),
            Self::Broken(reason) => {
                let report = Report::new(judge_twice(inputs, now, None, overdue).0);
                report.after_merge(agent_strace_report::AfterMerge::broken(reason))
            }
            Self::Bench(bench, links) => {
                let wanted = bench.wanted(verb);
                let later = bench.panel(wanted.as_ref(), links, Entries::Drop);
                let (outcome, other) = judge_twice(inputs, now, Some(&later), overdue);
                let report = Report::new(outcome);
                match other {
                    Some(other) => report.after_merge(agent_strace_report::AfterMerge::of(&other)),
                    None => report,
                }
            }
        }
    }
}
