//! References, and what commits say in their trailers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use git2::{Repository, Sort};

use super::{GitError, broken, open};

/// Commits looked at for trailers: the newest ones.
const MAX_COMMITS: usize = 50_000;

/// Names of the references that one of the globs matches, sorted.
pub(crate) fn references(start: &Path, globs: &[String]) -> Result<Vec<String>, GitError> {
    let repository = open(start)?;
    let mut names = BTreeSet::new();
    for glob in globs {
        let found = repository.references_glob(glob).map_err(|error| broken(&error))?;
        for reference in found {
            let reference = reference.map_err(|error| broken(&error))?;
            names.insert(String::from_utf8_lossy(reference.name_bytes()).into_owned());
        }
    }
    Ok(names.into_iter().collect())
}

/// Values of a trailer → the commits that carry it, newest first. `revisions` is one revision with its history, or a
/// range `A..B` or `A...B`.
pub(crate) fn trailers(start: &Path, revisions: &str, key: &str) -> Result<BTreeMap<String, Vec<String>>, GitError> {
    let repository = open(start)?;
    let unknown = |_| GitError::NoRevision(revisions.to_owned());
    let mut walk = repository.revwalk().map_err(|error| broken(&error))?;
    walk.set_sorting(Sort::TIME | Sort::TOPOLOGICAL).map_err(|error| broken(&error))?;
    if let Some((left, right)) = revisions.split_once("...") {
        // What a pull request adds: everything since the merge base.
        let right = commit(&repository, right).map_err(unknown)?;
        let base = commit(&repository, left).and_then(|left| repository.merge_base(left, right)).map_err(unknown)?;
        walk.push(right).and_then(|()| walk.hide(base)).map_err(unknown)?;
    } else if let Some((left, right)) = revisions.split_once("..") {
        let (left, right) = (commit(&repository, left).map_err(unknown)?, commit(&repository, right).map_err(unknown)?);
        walk.push(right).and_then(|()| walk.hide(left)).map_err(unknown)?;
    } else {
        walk.push(commit(&repository, revisions).map_err(unknown)?).map_err(unknown)?;
    }
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for id in walk.take(MAX_COMMITS) {
        // The history of a shallow clone ends where its commits are missing.
        let Ok(commit) = id.and_then(|id| repository.find_commit(id)) else { break };
        for value in values(&String::from_utf8_lossy(commit.message_bytes()), key) {
            found.entry(value.to_owned()).or_default().push(commit.id().to_string());
        }
    }
    Ok(found)
}

/// An empty side of a range is `HEAD`.
fn commit(repository: &Repository, revision: &str) -> Result<git2::Oid, git2::Error> {
    let revision = if revision.is_empty() { "HEAD" } else { revision };
    Ok(repository.revparse_single(revision)?.peel_to_commit()?.id())
}

/// Values of `KEY: VALUE` lines. Squashed commits keep trailers in the middle of their message, so all lines count.
fn values<'m>(message: &'m str, key: &str) -> Vec<&'m str> {
    let value = |line: &'m str| {
        let (name, value) = line.split_once(':')?;
        (name.trim().eq_ignore_ascii_case(key) && !value.trim().is_empty()).then(|| value.trim())
    };
    message.lines().filter_map(value).collect()
}
