//! The change of a run, and which sessions come with it.

use std::path::Path;
use std::sync::Arc;

use super::gathered::{ChangeContext, gather};
use super::{GatheredChange, Trust};
use crate::cli::environment::Environment;
use crate::cli::failure::Failure;
use crate::cli::gate::{GateRequest, LintMode};
use crate::cli::judge_config::JudgeConfig;
use crate::cli::pipeline::Inputs;
use crate::cli::policy_file;
use crate::cli::values::SourceName;
use agent_strace_git::change_set::{Change, Extent};
use agent_strace_git::{Blobs, GitError};
use agent_strace_model::attribution::without_credentials;
use agent_strace_policy::Policy;

/// Reads the change, and leaves out sessions of earlier changes unless sessions were named.
pub(in crate::cli) fn of_run(
    request: GateRequest<'_>,
    trust: &Trust<'_>,
    trace_dir: &Path,
    environment: Environment<'_>,
    config: &JudgeConfig,
    inputs: &mut Inputs,
    notes: &mut Vec<String>,
) -> Result<Option<Arc<Change>>, Failure> {
    if request.args.source != SourceName::PullRequest
        && let Some(blobs) = committed(trust)?
    {
        inputs.compare_with(blobs);
    }
    let Some(ends) = &trust.change else { return Ok(None) };
    let context = ChangeContext {
        trace_dir,
        judging: judging(request, config),
        logs: inputs.logs(),
        addresses: addresses(trust, environment, &config.policy)?,
        reviewed: request.args.tampering_reviewed.as_deref().map(str::trim).filter(|who| !who.is_empty()),
    };
    let GatheredChange { change, gaps } = gather(trust, ends, &context)?;
    for gap in gaps {
        inputs.lack(Some(gap));
    }
    if ends.extent == Extent::Everything && inputs.is_whole_store() {
        let count = inputs.leave_out(&change.settled);
        let sessions = if count == 1 { "1 session".to_owned() } else { format!("{count} sessions") };
        notes.extend(
            (count > 0).then(|| format!("note: {sessions} of earlier changes left out: the base has them already")),
        );
    }
    Ok(Some(Arc::new(change)))
}

/// The address of the judged repository, as the forge has it, those of the clone's remotes, and what the policy says that it
/// is called beside. A session that names none of them is not of the change, so every remote has to be known.
fn addresses(trust: &Trust<'_>, environment: Environment<'_>, policy: &Policy) -> Result<Vec<String>, Failure> {
    let remotes = agent_strace_git::remotes(trust.folder()).map_err(|error| {
        Failure::new(format!("the remotes of the repository can't be listed: {error}"))
            .hint("correct the settings of the remotes in its git configuration; `git remote -v` lists them")
    })?;
    let remotes = remotes.into_iter().map(|address| without_credentials(address.into()).into_owned());
    let named = policy.evidence().repositories().iter().cloned();
    Ok(environment.repository().into_iter().chain(remotes).chain(named).collect())
}

/// The files that the author of the change could write: those of its head and of its commits, and those of the base. `None`:
/// there is no change, and no commit around the current directory.
fn committed(trust: &Trust<'_>) -> Result<Option<Blobs>, Failure> {
    let (base, head) = match &trust.change {
        Some(ends) => (Some(ends.base.commit.as_str()), ends.head.commit.as_str()),
        None => (None, "HEAD"),
    };
    match Blobs::of_change(trust.folder(), base, head) {
        Ok(blobs) => Ok(Some(blobs)),
        Err(GitError::NoRepository(_) | GitError::NoRevision(_)) if base.is_none() => Ok(None),
        Err(error) => Err(Failure::new(format!("the files of `{head}` can't be read: {error}")).hint(
            "logs that the change holds are its own, whatever `--source` says: they are compared with its files",
        )),
    }
}

/// The files that a judgement rests on: the named ones, the default ones, and the files that these name.
fn judging(request: GateRequest<'_>, config: &JudgeConfig) -> Vec<String> {
    let GateRequest { args, .. } = request;
    let lint = if let LintMode::Always(file) = request.lints { file } else { None };
    let baseline = args.baseline.as_ref().map(|path| path.to_string_lossy().into_owned());
    let options = [args.policy.as_deref(), args.prices.as_deref(), request.configuration, request.evals, lint];
    let hooks = args.hooks.iter().flat_map(|folder| {
        agent_strace_policy::config::hooks::NAMES
            .iter()
            .map(move |name| format!("{}/{name}", folder.trim_end_matches('/')))
    });
    let found = config.policy.identity().map(|identity| identity.path.clone());
    let extended = config.policy.identity().into_iter().flat_map(|identity| &identity.extends);
    let options = options.into_iter().flatten().map(str::to_owned).chain(baseline);
    let all = options.chain(config.baseline.file().map(str::to_owned)).chain(hooks);
    let all = all.chain(extended.map(|file| file.path.clone())).chain(found).chain([policy_file::DEFAULT.to_owned()]);
    all.map(|path| policy_file::shown(&path)).collect()
}
