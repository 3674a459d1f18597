//! What one commit has that another hasn't: its files, and the lines that differ.
//!
//! Two trees are compared, nothing else: no work tree, no filters, no attributes (which come with the change, and would say
//! that a file is not to be looked into), no renames (a renamed file is a deleted one and an added one).

use std::collections::BTreeMap;
use std::path::Path;

use git2::{DiffOptions, ErrorCode, ObjectType, Oid, Repository};

use super::commits::Status;
use super::{GitError, LINK_MODE, broken, commit_of, open};

/// Lines of one file are kept up to this size; of a larger one only its name is known.
const LARGEST_FILE: i64 = 16 << 20;
/// Text of all lines that is kept; what goes beyond is known by name.
const MOST_TEXT: usize = 128 << 20;
const SUBMODULE_MODE: u32 = 0o160_000;

/// The two ends of a change, each a commit in hex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ends {
    pub base: String,
    pub head: String,
    /// Where they parted; `None` where their histories have nothing in common, or are cut short.
    pub merge_base: Option<String>,
    /// The date of the head's committer, in seconds of the epoch.
    pub seconds: i64,
    /// The history does not reach back to where they parted: what differs may be of either side.
    pub cut: bool,
}

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// From the top of the repository, `/` between components.
    pub path: String,
    pub status: Status,
    /// As git writes it in octal; 0 where there was, or is, no file.
    pub(crate) old_mode: u32,
    pub mode: u32,
    /// In order. Empty of files whose content does not differ, and of those that are too large to be looked into.
    pub hunks: Vec<Hunk>,
    /// All that differs is in `hunks`.
    pub whole: bool,
    /// How often lines that were taken away somewhere are in the file as it is now.
    pub left: BTreeMap<Box<str>, u32>,
}

/// Lines next to each other that differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The first of its lines as the file is now, 1-based; where lines are only taken away, the one before them.
    pub start: u32,
    /// Lines that were added, each without blanks around it.
    pub added: Vec<Box<str>>,
    /// Lines that were taken away, each without blanks around it.
    pub removed: Vec<Box<str>>,
}

impl ChangedFile {
    pub fn is_link(&self) -> bool {
        self.mode == LINK_MODE as u32
    }

    /// It may be run, and could not be before.
    pub fn became_executable(&self) -> bool {
        const EXECUTE: u32 = 0o111;
        let is_plain = |mode: u32| mode & 0o170_000 == 0o100_000;
        is_plain(self.mode) && self.mode & EXECUTE != 0 && !(is_plain(self.old_mode) && self.old_mode & EXECUTE != 0)
    }

    pub fn is_submodule(&self) -> bool {
        self.mode == SUBMODULE_MODE
    }

    /// The first line of the largest piece that was added; 1 where nothing was.
    pub fn line(&self) -> u32 {
        let mut best: Option<&Hunk> = None;
        for hunk in self.hunks.iter().filter(|hunk| !hunk.added.is_empty()) {
            if best.is_none_or(|best| hunk.added.len() > best.added.len()) {
                best = Some(hunk);
            }
        }
        best.or(self.hunks.first()).map_or(1, |hunk| hunk.start.max(1))
    }
}

/// The commits that two revisions stand for, and where they parted.
pub fn ends(start: &Path, base: &str, head: &str) -> Result<Ends, GitError> {
    let repository = open(start)?;
    let (old, new) = (commit_of(&repository, base)?, commit_of(&repository, head)?);
    let seconds = new.committer().when().seconds();
    let (base, head) = (old.id().to_string(), new.id().to_string());
    let ends = |merge_base, cut| Ends { base: base.clone(), head: head.clone(), merge_base, seconds, cut };
    // What a commit says of its parents holds where these were left out of a clone, too.
    if parents(&new).contains(&old.id().to_string()) {
        return Ok(ends(Some(old.id().to_string()), false));
    }
    match repository.merge_base(old.id(), new.id()) {
        Ok(id) => Ok(ends(Some(id.to_string()), false)),
        Err(_) if repository.is_shallow() => Ok(ends(None, true)),
        Err(error) if error.code() == ErrorCode::NotFound => Ok(ends(None, false)),
        Err(error) => Err(broken(&error)),
    }
}

/// Whether a branch that has been at the commit `seen` is left behind at `tip`: `seen` comes after it, or is in no history
/// that is here. Where the history is cut short, what is not here can't be told from what was left out.
pub fn is_behind(start: &Path, tip: &str, seen: &str) -> Result<bool, GitError> {
    match ends(start, tip, seen) {
        Ok(ends) => Ok(ends.base != ends.head && ends.merge_base.as_ref() == Some(&ends.base)),
        Err(GitError::NoRevision(_)) => Ok(!open(start)?.is_shallow()),
        Err(error) => Err(error),
    }
}

/// The commit that a revision stands for, in hex, and its parents, whether they are here or not.
pub fn commit_and_parents(start: &Path, revision: &str) -> Result<(String, Vec<String>), GitError> {
    let repository = open(start)?;
    let commit = commit_of(&repository, revision)?;
    Ok((commit.id().to_string(), parents(&commit)))
}

/// As the commit itself names them: of a shallow clone the library takes those away that are not here.
fn parents(commit: &git2::Commit<'_>) -> Vec<String> {
    let header = commit.raw_header_bytes();
    let lines = header.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"parent "));
    lines.filter_map(|id| std::str::from_utf8(id).ok()).map(|id| id.trim().to_owned()).collect()
}

/// Whether a branch can be called so.
pub fn is_branch_name(name: &str) -> bool {
    git2::Reference::is_valid_name(&format!("refs/heads/{name}"))
}

/// The files that differ between two commits, by path.
pub fn changed_files(start: &Path, old: &str, new: &str) -> Result<Vec<ChangedFile>, GitError> {
    let repository = open(start)?;
    let (old, new) = (commit_of(&repository, old)?, commit_of(&repository, new)?);
    let (old, new) = (old.tree().map_err(|error| lacking(&error))?, new.tree().map_err(|error| lacking(&error))?);
    let mut options = DiffOptions::new();
    options.context_lines(0).interhunk_lines(0).force_text(true).ignore_submodules(false).include_typechange(true);
    options.max_size(LARGEST_FILE).skip_binary_check(true);
    let diff =
        repository.diff_tree_to_tree(Some(&old), Some(&new), Some(&mut options)).map_err(|error| lacking(&error))?;
    let mut files = Vec::new();
    let mut text = 0;
    for index in 0..diff.deltas().len() {
        files.push(file(&repository, &diff, index, &mut text)?);
    }
    files.sort_by(|left: &ChangedFile, right| left.path.cmp(&right.path));
    Ok(files)
}

/// `text`: the size of all lines that are kept so far.
fn file(
    repository: &Repository,
    diff: &git2::Diff<'_>,
    index: usize,
    text: &mut usize,
) -> Result<ChangedFile, GitError> {
    let gone = || GitError::Broken("a file of the change can't be compared".to_owned());
    let delta = diff.get_delta(index).ok_or_else(gone)?;
    let side = |file: &git2::DiffFile<'_>| if file.exists() { u32::from(file.mode()) } else { 0 };
    let (old_mode, mode) = (side(&delta.old_file()), side(&delta.new_file()));
    let named = if mode == 0 { delta.old_file() } else { delta.new_file() };
    let path = String::from_utf8_lossy(named.path_bytes().ok_or_else(gone)?).into_owned();
    let mut changed = ChangedFile {
        path,
        status: Status::of(old_mode, mode),
        old_mode,
        mode,
        hunks: Vec::new(),
        whole: true,
        left: BTreeMap::new(),
    };
    let same = delta.old_file().id() == delta.new_file().id();
    if same || [old_mode, mode].contains(&SUBMODULE_MODE) {
        return Ok(changed);
    }
    let patch = git2::Patch::from_diff(diff, index).map_err(|error| lacking(&error))?;
    let Some(mut patch) = patch.filter(|_| *text < MOST_TEXT) else {
        changed.whole = false;
        return Ok(changed);
    };
    for number in 0..patch.num_hunks() {
        changed.hunks.push(hunk(&mut patch, number, text)?);
    }
    let is_empty = |file: &git2::DiffFile<'_>| Oid::hash_object(ObjectType::Blob, b"").is_ok_and(|id| id == file.id());
    let of_nothing = [delta.old_file(), delta.new_file()].iter().all(|file| !file.exists() || is_empty(file));
    changed.whole = of_nothing || !changed.hunks.is_empty();
    if mode != 0 {
        changed.left = left(repository, delta.new_file().id(), &changed.hunks);
    }
    Ok(changed)
}

/// How often each line that was taken away somewhere is still in a file.
fn left(repository: &Repository, id: Oid, hunks: &[Hunk]) -> BTreeMap<Box<str>, u32> {
    let removed = hunks.iter().flat_map(|hunk| &hunk.removed).filter(|line| !line.is_empty());
    let mut left: BTreeMap<Box<str>, u32> = removed.map(|line| (line.clone(), 0)).collect();
    // The comparison has just read it.
    let Ok(blob) = repository.find_blob(id) else { return left };
    if left.is_empty() {
        return left;
    }
    for line in blob.content().split(|byte| *byte == b'\n') {
        if let Some(count) = left.get_mut(String::from_utf8_lossy(line).trim()) {
            *count += 1;
        }
    }
    left
}

fn hunk(patch: &mut git2::Patch<'_>, number: usize, text: &mut usize) -> Result<Hunk, GitError> {
    let (head, lines) = patch.hunk(number).map_err(|error| lacking(&error))?;
    let mut hunk = Hunk { start: head.new_start(), added: Vec::new(), removed: Vec::new() };
    for line in 0..lines {
        let line = patch.line_in_hunk(number, line).map_err(|error| lacking(&error))?;
        let side = match line.origin() {
            '+' => &mut hunk.added,
            '-' => &mut hunk.removed,
            _ => continue,
        };
        let said = String::from_utf8_lossy(line.content());
        *text += said.len();
        side.push(said.trim().into());
    }
    Ok(hunk)
}

/// The number of lines that a file has in the older commit, if the newer one only appended to it.
pub fn grown_from(start: &Path, old: &str, new: &str, path: &str) -> Result<Option<u32>, GitError> {
    let repository = open(start)?;
    let (before, after) = (blob(&repository, old, path)?, blob(&repository, new, path)?);
    let (before, after) = (find(&repository, before)?, find(&repository, after)?);
    let lines = before.content().split_inclusive(|byte| *byte == b'\n').count();
    let only_grown = after.content().starts_with(before.content());
    Ok(only_grown.then(|| u32::try_from(lines).unwrap_or(u32::MAX)))
}

/// Whether a revision has something at a path, counted from the top.
pub fn holds(start: &Path, revision: &str, path: &str) -> Result<bool, GitError> {
    let repository = open(start)?;
    match blob(&repository, revision, path) {
        Ok(_) => Ok(true),
        Err(GitError::NoFile { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

fn blob(repository: &Repository, revision: &str, path: &str) -> Result<Oid, GitError> {
    let tree = commit_of(repository, revision)?.tree().map_err(|error| broken(&error))?;
    let entry = tree.get_path(Path::new(path)).map_err(|error| match error.code() {
        ErrorCode::NotFound => GitError::NoFile { revision: revision.to_owned(), path: path.to_owned() },
        _ => broken(&error),
    })?;
    Ok(entry.id())
}

fn find(repository: &Repository, id: Oid) -> Result<git2::Blob<'_>, GitError> {
    repository.find_blob(id).map_err(|error| lacking(&error))
}

/// What a revision names is here, but for clones that left objects out.
fn lacking(error: &git2::Error) -> GitError {
    match (error.code(), broken(error)) {
        (ErrorCode::NotFound, GitError::Broken(reason)) => GitError::Missing(reason),
        (_, broken) => broken,
    }
}
