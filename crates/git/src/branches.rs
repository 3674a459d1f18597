//! Branches that changes are merged into.

use std::path::Path;

use super::open;

/// Names that default branches usually have.
const USUAL: &[&str] = &["main", "master", "trunk", "develop", "default"];

/// The default branch of `origin`, where it is known. Else branches that may be it: the first with a usual name that is here,
/// or the one that is checked out; and the name that most have.
pub fn default_branches(start: &Path) -> Vec<String> {
    let usual = USUAL.iter().take(1).map(|name| (*name).to_owned());
    let Ok(repository) = open(start) else { return usual.collect() };
    if let Some(branch) = of_origin(&repository) {
        return vec![branch];
    }
    let is_here = |name: &&&str| {
        ["refs/remotes/origin/", "refs/heads/"]
            .iter()
            .any(|at| repository.find_reference(&format!("{at}{name}")).is_ok())
    };
    let here = USUAL.iter().find(is_here).map(|name| (*name).to_owned());
    // Without a remote, nothing but the branch here can be what changes are merged into.
    let is_alone = repository.remotes().is_ok_and(|remotes| remotes.is_empty());
    if let (None, true, Some(branch)) = (&here, is_alone, current(&repository)) {
        return vec![branch];
    }
    let mut branches: Vec<String> = here.or_else(|| current(&repository)).into_iter().chain(usual).collect();
    branches.dedup();
    branches
}

/// The branch that a new job judges changes into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergedInto {
    /// The default branch of `origin`, or the branch that must be it because there is no remote.
    Known(String),
    /// The clone does not say which branch of the remote is the default one: a usual name, else the branch that is checked
    /// out.
    Likely(String),
}

/// A topic branch is checked out where a change brings the job, so the branch here is the last that comes into question.
pub fn merged_into(start: &Path) -> MergedInto {
    let likely = default_branches(start).into_iter().next().unwrap_or_else(|| "main".to_owned());
    match open(start) {
        Ok(repository) if of_origin(&repository).is_some() || repository.remotes().is_ok_and(|all| all.is_empty()) => {
            MergedInto::Known(likely)
        }
        Ok(_) => MergedInto::Likely(likely),
        Err(_) => MergedInto::Known(likely),
    }
}

fn of_origin(repository: &git2::Repository) -> Option<String> {
    let head = repository.find_reference("refs/remotes/origin/HEAD").ok()?;
    let target = head.symbolic_target().ok().flatten()?;
    target.strip_prefix("refs/remotes/origin/").map(str::to_owned)
}

fn current(repository: &git2::Repository) -> Option<String> {
    let head = repository.find_reference("HEAD").ok()?;
    let target = head.symbolic_target().ok().flatten()?;
    target.strip_prefix("refs/heads/").map(str::to_owned)
}
