//! Commits that say which other commit they were picked from.

use std::path::Path;

use git2::{Commit, Oid};

use super::{ChangedFile, GitError, changed_files, commit_of, open};

/// What `git cherry-pick -x` writes.
const SAYS: &str = "(cherry picked from commit ";
/// The default branch of the remote, as a clone knows it.
const DEFAULT: &str = "refs/remotes/origin/HEAD";

/// The commit that `commit` names as the one it was picked from, if that is on the base or on the default branch of the remote
/// and changes the same lines. `store`: the folder with records of sessions.
pub fn picked_from(start: &Path, base: &str, commit: &str, store: Option<&str>) -> Result<Option<String>, GitError> {
    let repository = open(start)?;
    let commit = commit_of(&repository, commit)?;
    let Some(named) = named(&commit) else { return Ok(None) };
    let Ok(original) = repository.find_commit(named) else { return Ok(None) };
    let tips = [base, DEFAULT].into_iter().filter_map(|tip| commit_of(&repository, tip).ok());
    let is_on =
        |tip: &Commit<'_>| tip.id() == named || repository.graph_descendant_of(tip.id(), named).unwrap_or(false);
    if !tips.into_iter().any(|tip| is_on(&tip)) {
        return Ok(None);
    }
    let changes = lines(start, &commit, store)?;
    let is_same = changes.is_some() && changes == lines(start, &original, store)?;
    Ok(is_same.then(|| named.to_string()))
}

fn named(commit: &Commit<'_>) -> Option<Oid> {
    let message = String::from_utf8_lossy(commit.message_raw_bytes()).into_owned();
    let line = message.lines().rev().find_map(|line| line.trim().strip_prefix(SAYS))?;
    Oid::from_str(line.strip_suffix(')')?).ok()
}

/// The lines that a commit changes, beside those of the records of sessions, which may stay behind when it is picked. `None`:
/// not all of them are known.
fn lines(start: &Path, commit: &Commit<'_>, store: Option<&str>) -> Result<Option<Vec<Lines>>, GitError> {
    let Ok(parent) = commit.parent_id(0) else { return Ok(None) };
    let mut files = changed_files(start, &parent.to_string(), &commit.id().to_string())?;
    let is_record =
        |path: &str| store.and_then(|store| path.strip_prefix(store)).is_some_and(|rest| rest.starts_with('/'));
    files.retain(|file| !is_record(&file.path));
    let all = files.iter().all(|file| file.whole && !file.is_submodule());
    let lines = |file: ChangedFile| Lines {
        modes: (file.old_mode, file.mode),
        path: file.path,
        hunks: file.hunks.into_iter().map(|hunk| [hunk.removed, hunk.added]).collect(),
    };
    Ok((all && !files.is_empty()).then(|| files.into_iter().map(lines).collect()))
}

/// What changes in one file, wherever it stands there.
#[derive(Debug, PartialEq, Eq)]
struct Lines {
    path: String,
    modes: (u32, u32),
    /// Removed and added.
    hunks: Vec<[Vec<Box<str>>; 2]>,
}
