//! What decides which findings there are, as `check` takes it: `explain` finds a finding again where it judges by the same.

use std::path::PathBuf;

use clap::Args;

use super::super::args::GateArgs;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::gate::{GateCommand, GateRequest, LintMode};
use super::super::values::{SourceName, parse_root};
use super::super::work_tree::DiskTree;

/// The options of the run that found it.
#[derive(Debug, Args)]
#[command(next_help_heading = "With a finding: what it was found with, as `check` takes it")]
pub(super) struct FindingArgs {
    /// The revision that the policy is read from.
    #[arg(long, value_name = "auto|REV")]
    policy_ref: Option<String>,

    /// The change begins here, and the finding may be about its files.
    #[arg(long, value_name = "REV")]
    base: Option<String>,

    /// The change ends here, and sessions are read from there.
    #[arg(long, value_name = "REV")]
    head: Option<String>,

    /// Everything is read from this repository.
    #[arg(long, value_name = "DIR")]
    git_dir: Option<PathBuf>,

    /// The work tree in which the sessions ran.
    #[arg(long, value_name = "DIR")]
    work_tree: Option<PathBuf>,

    /// A top of the repository where agents ran; repeatable.
    #[arg(long, value_name = "DIR", value_parser = parse_root)]
    root: Vec<String>,

    /// One more directory with hook policies; repeatable.
    #[arg(long, value_name = "DIR")]
    hooks: Vec<String>,

    /// The lint file.
    #[arg(long, value_name = "FILE")]
    lint_config: Option<String>,

    /// The file of evals.
    #[arg(long, value_name = "FILE")]
    evals: Option<String>,

    /// The answers of judges that ask a model.
    #[arg(long, value_name = "FILE")]
    verdicts: Option<String>,

    /// Prices that count before those of this build.
    #[arg(long, value_name = "FILE")]
    prices: Option<String>,

    /// Where the logs came from.
    #[arg(long, value_name = "SOURCE", default_value = "pull-request")]
    source: SourceName,

    /// Who looked at what the change does to the gate itself.
    #[arg(long, value_name = "WHO")]
    tampering_reviewed: Option<String>,

    /// No exception and no suppression holds.
    #[arg(long)]
    no_suppressions: bool,
}

impl FindingArgs {
    /// The options of a gate. `by`: those that all views of sessions take.
    pub(super) fn gate_args(&self, by: GateArgs) -> GateArgs {
        let text = Clone::clone;
        GateArgs {
            policy_ref: text(&self.policy_ref),
            base: text(&self.base),
            head: text(&self.head),
            git_dir: self.git_dir.clone(),
            root: self.root.clone(),
            hooks: self.hooks.clone(),
            prices: text(&self.prices),
            source: self.source,
            tampering_reviewed: text(&self.tampering_reviewed),
            no_suppressions: self.no_suppressions,
            ..by
        }
    }

    /// The work tree that is looked at.
    pub(super) fn tree(&self, environment: Environment<'_>) -> Result<Option<DiskTree>, Failure> {
        self.work_tree.as_deref().map(|folder| DiskTree::asked_for(folder, environment)).transpose()
    }

    /// Lints always judge: `lint` and `check --lint` may have given the name that is asked for.
    pub(super) fn request<'a>(
        &'a self,
        args: &'a GateArgs,
        configuration: Option<&'a str>,
        work_tree: Option<&'a DiskTree>,
    ) -> GateRequest<'a> {
        GateRequest {
            lints: LintMode::Always(self.lint_config.as_deref()),
            configuration,
            evals: self.evals.as_deref(),
            verdicts: self.verdicts.as_deref(),
            work_tree,
            ..GateRequest::new(GateCommand::Check, args)
        }
    }
}
