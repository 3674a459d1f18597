//! Hook policies of agent runtimes: found as runtimes find them, read as the policy is.

use std::path::Path;

use super::args::GateArgs;
use super::failure::{Failure, reason};
use super::output;
use super::policy_file;
use super::trust::TrustBase;
use agent_strace_git::GitError;
use agent_strace_policy::config;
use agent_strace_policy::config::hooks::{NAMES, read};
use agent_strace_policy::hooks::HookPolicy;

/// Those of the current directory, of the directories above it in the repository, and of the ones that were named. With
/// `--policy-ref` all come from that revision, so that a change can't loosen what it is judged by.
pub(super) fn manifests(args: &GateArgs, trust_base: TrustBase<'_>, coloured: bool) -> Result<HookPolicy, Failure> {
    let levels = if trust_base.is_top() { 0 } else { output::prefix_in_repository().matches('/').count() };
    let around = (0..=levels).map(|level| "../".repeat(level));
    let named = args.hooks.iter().map(|folder| {
        let folder = policy_file::shown(folder);
        format!("{}/", folder.trim_end_matches('/'))
    });
    let mut policy = HookPolicy::default();
    for folder in around.chain(named.clone()) {
        let before = policy.manifests.len();
        for name in NAMES {
            let file = format!("{folder}{name}");
            let Some(bytes) = bytes(&file, trust_base)? else { continue };
            let colour = policy_file::colour(coloured);
            let read =
                read(&file, &bytes).map_err(|faults| policy_file::faulty("hook policy", &file, &faults, colour))?;
            policy.add(read);
        }
        if before == policy.manifests.len() && named.clone().any(|named| named == folder) {
            return Err(Failure::new(format!("there is no hook policy in `{folder}`"))
                .hint(format!("hook policies are called {}", NAMES.join(", "))));
        }
    }
    Ok(policy)
}

/// `None`: there is no such file.
fn bytes(file: &str, trust_base: TrustBase<'_>) -> Result<Option<Vec<u8>>, Failure> {
    let unusable = |reason: String| Failure::new(format!("the hook policy `{file}` can't be read: {reason}"));
    if let Some(revision) = trust_base.revision {
        return match trust_base.read(revision, file) {
            Ok(blob) => Ok(Some(blob.bytes)),
            Err(GitError::NoFile { .. }) => Ok(None),
            Err(error) => Err(unusable(error.to_string())),
        };
    }
    config::read_bytes_if_there(Path::new(file)).map_err(|error| unusable(reason(&error)))
}
