//! The options of a run that decide what it finds, for commands that a report proposes: who pastes one finds the same.

use std::path::Path;

use clap::ValueEnum as _;

use super::environment::Environment;
use super::gate::{GateRequest, LintMode, SelectedSessions};
use super::trust::Trust;
use super::values::SourceName;
use agent_strace_git::change_set::Extent;
use agent_strace_report::{RunOptions, RunSessions};

/// Where the trace store is by default.
const STORE: &str = ".agent-traces";
/// Digits of a commit that name it.
const COMMIT: usize = 12;

pub(super) fn called_with(
    request: GateRequest<'_>,
    trace_dir: &Path,
    trust: &Trust<'_>,
    environment: Environment<'_>,
) -> RunOptions {
    let args = request.args;
    let store = trace_dir.to_string_lossy();
    let options = RunOptions::new(sessions(request, &store, trust));
    let options = options.global("trace-dir", Some(&*store).filter(|store| *store != STORE));
    let lint_file = if let LintMode::Always(file) = request.lints { file } else { None };
    let path = |path: Option<&Path>| path.map(|path| path.to_string_lossy().into_owned());
    // The repository of a job is gone with the job: the reader of its report has a clone.
    let git_dir =
        if environment.ci { args.git_dir.as_ref().map(|_| ".git".to_owned()) } else { path(args.git_dir.as_deref()) };
    let options = revisions(options.option("policy", args.policy.as_deref()), args.policy_ref.as_deref(), trust);
    let options = options
        .option("config", request.configuration)
        .option("lint-config", lint_file)
        .option("evals", request.evals)
        .option("verdicts", request.verdicts)
        .option("prices", args.prices.as_deref())
        .option("git-dir", git_dir.as_deref())
        .option("work-tree", request.work_tree.map(agent_strace_effects::WorkTree::name))
        .option("tampering-reviewed", args.tampering_reviewed.as_deref())
        .option("now", args.now.map(|now| now.to_string()).as_deref());
    let options = args.hooks.iter().fold(options, |options, folder| options.option("hooks", Some(folder)));
    let options = args.root.iter().fold(options, |options, root| options.option("root", Some(root)));
    let source = args.source.to_possible_value().filter(|_| args.source != SourceName::PullRequest);
    let options = options.option("source", source.as_ref().map(clap::builder::PossibleValue::get_name));
    if args.no_suppressions { options.flag("no-suppressions") } else { options }
}

/// The revisions by their commits: what `auto` and a branch stand for changes.
fn revisions(options: RunOptions, policy_ref: Option<&str>, trust: &Trust<'_>) -> RunOptions {
    let short = |commit: &str| commit.get(..COMMIT).unwrap_or(commit).to_owned();
    let change = trust.change.as_ref();
    let base = change.filter(|ends| ends.extent == Extent::Everything).map(|ends| short(&ends.base.commit));
    let head = change.filter(|_| trust.names_head).map(|ends| short(&ends.head.commit));
    let policy = trust.base().revision.map(short);
    let policy = policy.filter(|policy| policy_ref.is_some() && Some(policy) != base.as_ref());
    options.option("base", base.as_deref()).option("head", head.as_deref()).option("policy-ref", policy.as_deref())
}

fn sessions(request: GateRequest<'_>, store: &str, trust: &Trust<'_>) -> RunSessions {
    match request.sessions {
        SelectedSessions::Discovered => RunSessions::Discovered,
        SelectedSessions::Named([]) if trust.names_head && !trust.reads_head => {
            RunSessions::Named(vec![store.to_owned()])
        }
        SelectedSessions::Named([]) => RunSessions::Store,
        SelectedSessions::Named(named) => RunSessions::Named(named.to_vec()),
    }
}
