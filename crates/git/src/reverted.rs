//! Files that a change takes away together with the commit that brought them.

use std::collections::BTreeSet;
use std::path::Path;

use git2::{Delta, Oid, Repository, Tree};

use super::{GitError, broken, commit_of, open};

/// Commits that are looked through, the newest first.
const COMMITS: usize = 5000;

/// Of files that `head` lacks and `old` has: those that came with a commit that `head` takes back as a whole. Every other file
/// of that commit is in `head` as it was before the commit, and one at least is none of the files that `is_record` names.
/// What can't be told is left out.
pub fn taken_back(
    start: &Path,
    old: &str,
    head: &str,
    removed: &BTreeSet<String>,
    is_record: &dyn Fn(&str) -> bool,
) -> Result<BTreeSet<String>, GitError> {
    let mut found = BTreeSet::new();
    if removed.is_empty() {
        return Ok(found);
    }
    let repository = open(start)?;
    let (mut commit, head) = (commit_of(&repository, old)?, commit_of(&repository, head)?);
    let (now, after) = (commit.tree().map_err(|error| broken(&error))?, head.tree().map_err(|error| broken(&error))?);
    let mut open: BTreeSet<&String> = removed.iter().collect();
    for _ in 0..COMMITS {
        // Where the history is cut short, nothing is known of what came before.
        let Ok(parent) = commit.parent(0) else { break };
        let (Ok(with), Ok(without)) = (commit.tree(), parent.tree()) else { break };
        let brought: Vec<&String> =
            open.iter().filter(|path| id(&with, path).is_some() && id(&without, path).is_none()).copied().collect();
        if !brought.is_empty() {
            let is_same = |path: &&String| id(&with, path) == id(&now, path);
            if brought.iter().all(is_same) && is_reverted(&repository, &without, &with, &after, is_record) {
                found.extend(brought.iter().map(|path| (*path).clone()));
            }
            open.retain(|path| !brought.contains(path));
        }
        if open.is_empty() {
            break;
        }
        commit = parent;
    }
    Ok(found)
}

fn is_reverted(
    repository: &Repository,
    without: &Tree<'_>,
    with: &Tree<'_>,
    after: &Tree<'_>,
    is_record: &dyn Fn(&str) -> bool,
) -> bool {
    let Ok(diff) = repository.diff_tree_to_tree(Some(without), Some(with), None) else { return false };
    let mut has_work = false;
    for delta in diff.deltas() {
        let file = if delta.status() == Delta::Deleted { delta.old_file() } else { delta.new_file() };
        let Some(path) = file.path_bytes().and_then(|path| std::str::from_utf8(path).ok()) else { return false };
        if id(after, path) != id(without, path) {
            return false;
        }
        has_work |= !is_record(path);
    }
    has_work
}

fn id(tree: &Tree<'_>, path: &str) -> Option<Oid> {
    tree.get_path(Path::new(path)).ok().map(|entry| entry.id())
}
