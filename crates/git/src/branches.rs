//! Branches that changes are merged into.

use std::path::Path;

use super::open;

/// Names that default branches usually have.
const USUAL: &[&str] = &["main", "master", "trunk", "develop", "default"];

/// The default branch of `origin`, where it is known; else the branches with usual names that are here, or the one that is
/// checked out. Without any of them the two names that are used most.
pub fn default_branches(start: &Path) -> Vec<String> {
    let two = || USUAL.iter().take(2).map(|name| (*name).to_owned()).collect();
    let Ok(repository) = open(start) else { return two() };
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
    if let Some(branch) = USUAL.iter().find(is_here) {
        return vec![(*branch).to_owned()];
    }
    let head = repository.head().ok().filter(git2::Reference::is_branch);
    let current = head.and_then(|head| head.shorthand().ok().map(str::to_owned));
    current.map_or_else(two, |branch| vec![branch])
}
