//! The change of a run, and which sessions come with it.

use std::path::Path;
use std::sync::Arc;

use super::gathered::{ChangeContext, gather};
use super::{GatheredChange, Trust};
use crate::cli::failure::Failure;
use crate::cli::gate::{GateRequest, LintMode};
use crate::cli::judge_config::JudgeConfig;
use crate::cli::pipeline::Inputs;
use crate::cli::policy_file;
use agent_strace_git::change_set::{Change, Extent};

/// Reads the change, and leaves out sessions of earlier changes unless sessions were named.
pub(in crate::cli) fn of_run(
    request: GateRequest<'_>,
    trust: &Trust<'_>,
    trace_dir: &Path,
    config: &JudgeConfig,
    inputs: &mut Inputs,
    notes: &mut Vec<String>,
) -> Result<Option<Arc<Change>>, Failure> {
    let Some(ends) = &trust.change else { return Ok(None) };
    let context = ChangeContext {
        trace_dir,
        judging: judging(request, config),
        logs: inputs.logs(),
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
    let extended = config.policy.identity().into_iter().flat_map(|identity| &identity.extends);
    let options = options.into_iter().flatten().map(str::to_owned).chain(baseline);
    let all = options.chain(config.baseline.file().map(str::to_owned)).chain(hooks);
    let all = all.chain(extended.map(|file| file.path.clone())).chain([policy_file::DEFAULT.to_owned()]);
    all.map(|path| policy_file::shown(&path)).collect()
}
