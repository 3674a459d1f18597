//! References, and what commits say in their trailers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use git2::{Repository, Sort};

use super::{GitError, MAX_COMMITS, broken, open};

/// Names of the references that one of the globs matches, sorted.
pub fn references(start: &Path, globs: &[String]) -> Result<Vec<String>, GitError> {
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

/// Values of a trailer → the commits that carry it, newest first. `revisions` is one revision, whose history is looked
/// at as far as it is here, or a range `A..B` or `A...B`, of which every commit must be here.
pub fn trailers(start: &Path, revisions: &str, key: &str) -> Result<BTreeMap<String, Vec<String>>, GitError> {
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
    let is_range = revisions.contains("..");
    let cut = if is_range { boundary(&repository)? } else { BTreeSet::new() };
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (id, index) in walk.zip(0..) {
        if index >= MAX_COMMITS {
            return if is_range { Err(GitError::TooLong(revisions.to_owned())) } else { Ok(found) };
        }
        let commit = match id.and_then(|id| repository.find_commit(id)) {
            Ok(commit) if cut.contains(&commit.id().to_string()) => {
                return Err(GitError::Shallow(revisions.to_owned()));
            }
            Ok(commit) => commit,
            Err(error) if is_range => return Err(broken(&error)),
            // A history ends where its commits are missing.
            Err(_) => break,
        };
        for value in values(&String::from_utf8_lossy(commit.message_bytes()), key) {
            found.entry(value.to_owned()).or_default().push(commit.id().to_string());
        }
    }
    Ok(found)
}

/// Commits of a shallow clone whose parents were left out.
fn boundary(repository: &Repository) -> Result<BTreeSet<String>, GitError> {
    if !repository.is_shallow() {
        return Ok(BTreeSet::new());
    }
    let list = std::fs::read_to_string(repository.commondir().join("shallow"));
    let list = list.map_err(|_| GitError::Broken("its list of shallow commits is not readable".to_owned()))?;
    Ok(list.lines().map(|line| line.trim().to_owned()).collect())
}

/// An empty side of a range is `HEAD`.
fn commit(repository: &Repository, revision: &str) -> Result<git2::Oid, git2::Error> {
    let revision = if revision.is_empty() { "HEAD" } else { revision };
    Ok(repository.revparse_single(revision)?.peel_to_commit()?.id())
}

/// Characters of a subject that are kept.
const MOST_OF_SUBJECT: usize = 500;

/// The first paragraph of a message in one line, as git shows it.
pub fn subject(message: &[u8]) -> String {
    // No character has more bytes than four.
    let start = message.trim_ascii_start();
    let start = start.get(..4 * MOST_OF_SUBJECT).unwrap_or(start);
    let text = String::from_utf8_lossy(start);
    let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ").chars().take(MOST_OF_SUBJECT).collect()
}

/// Values of `KEY: VALUE` lines. Squashed commits keep trailers in the middle of their message, so all lines count.
fn values<'m>(message: &'m str, key: &str) -> Vec<&'m str> {
    let value = |line: &'m str| {
        let (name, value) = line.split_once(':')?;
        (name.trim().eq_ignore_ascii_case(key) && !value.trim().is_empty()).then(|| value.trim())
    };
    message.lines().filter_map(value).collect()
}
