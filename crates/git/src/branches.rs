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
    let head = repository.find_reference("refs/remotes/origin/HEAD").ok();
    let named = head.and_then(|head| head.symbolic_target().ok().flatten().map(str::to_owned));
    if let Some(branch) = named.as_deref().and_then(|name| name.strip_prefix("refs/remotes/origin/")) {
        return vec![branch.to_owned()];
    }
    let is_here = |name: &&&str| {
        ["refs/remotes/origin/", "refs/heads/"]
            .iter()
            .any(|at| repository.find_reference(&format!("{at}{name}")).is_ok())
    };
    let here = USUAL.iter().find(is_here).map(|name| (*name).to_owned());
    let current = || {
        let head = repository.head().ok().filter(git2::Reference::is_branch);
        head.and_then(|head| head.shorthand().ok().map(str::to_owned))
    };
    let mut branches: Vec<String> = here.or_else(current).into_iter().chain(usual).collect();
    branches.dedup();
    branches
}
