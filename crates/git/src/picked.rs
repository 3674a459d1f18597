//! Commits that say which other commit they were picked from.

use std::collections::BTreeMap;
use std::path::Path;

use git2::{Commit, Diff, DiffOptions, ObjectType, Oid, Patch, Repository};

use super::{GitError, commit_of, open};

/// The start of the line that `git cherry-pick -x` adds to a message.
const SAYS: &str = "(cherry picked from commit ";
/// The default branch of the remote, as a clone knows it.
const DEFAULT: &str = "refs/remotes/origin/HEAD";
/// Commits that are looked up.
const MOST_NAMED: usize = 500;
/// Bytes of the files that are compared, for one change. What is beyond them is not taken for picked.
const MOST_BYTES: usize = 64 << 20;
/// Lines around each piece that have to be the same, too.
const CONTEXT: u32 = 3;

/// The commits that those of a change were picked from.
pub struct Picks {
    repository: Repository,
    /// The tips of the base and of the head: the change has their commits already.
    known: Vec<Oid>,
    /// Where commits were judged.
    judged: Option<Oid>,
    /// The folder with records of sessions.
    store: Option<String>,
    /// The patch of each commit that a message names. `None`: the commit does not count, or a part of it is missing.
    originals: BTreeMap<Oid, Option<Oid>>,
    left: usize,
}

impl Picks {
    pub fn new(start: &Path, base: &str, head: &str, store: Option<&str>) -> Result<Self, GitError> {
        let repository = open(start)?;
        let known = vec![commit_of(&repository, base)?.id(), commit_of(&repository, head)?.id()];
        let judged = commit_of(&repository, DEFAULT).ok().map(|commit| commit.id());
        let store = store.map(str::to_owned);
        Ok(Self { repository, known, judged, store, originals: BTreeMap::new(), left: MOST_BYTES })
    }

    /// The commit that `commit` names as the one it was picked from, if that is on the default branch of the remote, is not in
    /// the base or the head, and is the same patch.
    pub fn picked_from(&mut self, commit: &str) -> Result<Option<String>, GitError> {
        let commit = commit_of(&self.repository, commit)?.id();
        let Some(named) = self.find(commit).as_ref().and_then(named) else { return Ok(None) };
        let original = match self.originals.get(&named) {
            Some(original) => *original,
            None if self.originals.len() >= MOST_NAMED => None,
            None => {
                let original = if self.is_judged(named) { self.patch(named) } else { None };
                self.originals.insert(named, original);
                original
            }
        };
        let is_same = original.is_some() && original == self.patch(commit);
        Ok(is_same.then(|| named.to_string()))
    }

    fn find(&self, id: Oid) -> Option<Commit<'_>> {
        self.repository.find_commit(id).ok()
    }

    /// It is on the default branch, and the change does not build on it: a backport brings what its branch lacks.
    fn is_judged(&self, id: Oid) -> bool {
        let holds = |tip: Oid| tip == id || self.repository.graph_descendant_of(tip, id).unwrap_or(true);
        let is_known = || self.known.iter().any(|tip| holds(*tip));
        // A commit does not count where nothing shows that it is on the default branch, or that the change lacks it.
        let is_on = |tip: Oid| tip == id || self.repository.graph_descendant_of(tip, id).unwrap_or(false);
        self.judged.is_some_and(is_on) && !is_known()
    }

    /// The name of a text that holds everything that a commit changes but the places, beside the records of sessions, which may
    /// stay behind when it is picked. `None`: it is a merge or the first one, or not all of its changes are known.
    fn patch(&mut self, id: Oid) -> Option<Oid> {
        let commit = self.find(id)?;
        if commit.parent_count() != 1 {
            return None;
        }
        let (old, new) = (commit.parent(0).ok()?.tree().ok()?, commit.tree().ok()?);
        let mut options = DiffOptions::new();
        options.context_lines(CONTEXT).interhunk_lines(0).force_text(true).ignore_submodules(false);
        options.include_typechange(true).skip_binary_check(true);
        let diff = self.repository.diff_tree_to_tree(Some(&old), Some(&new), Some(&mut options)).ok()?;
        let mut text = Vec::new();
        let mut left = self.left;
        let whole = self.add_all(&diff, &mut text, &mut left);
        drop((diff, old, new, commit));
        self.left = left;
        whole?;
        (!text.is_empty()).then(|| Oid::hash_object(ObjectType::Blob, &text).ok()).flatten()
    }

    fn add_all(&self, diff: &Diff<'_>, text: &mut Vec<u8>, left: &mut usize) -> Option<()> {
        let objects = self.repository.odb().ok()?;
        for (index, delta) in diff.deltas().enumerate() {
            let (old, new) = (delta.old_file(), delta.new_file());
            let path = if new.exists() { new.path_bytes() } else { old.path_bytes() }?;
            if self.is_record(path) {
                continue;
            }
            let mode = |file: &git2::DiffFile<'_>| if file.exists() { u32::from(file.mode()) } else { 0 };
            // No line of a file begins so.
            text.push(0);
            text.extend_from_slice(path);
            text.extend_from_slice(format!("\0{:o} {:o}\n", mode(&old), mode(&new)).as_bytes());
            if old.id() == new.id() {
                continue;
            }
            for file in [&old, &new].into_iter().filter(|file| file.exists()) {
                let (size, kind) = objects.read_header(file.id()).ok()?;
                *left = left.checked_sub(size).filter(|_| kind == ObjectType::Blob)?;
            }
            add(&mut Patch::from_diff(diff, index).ok()??, text)?;
        }
        Some(())
    }

    fn is_record(&self, path: &[u8]) -> bool {
        let rest = self.store.as_ref().and_then(|store| path.strip_prefix(store.as_bytes()));
        rest.is_some_and(|rest| rest.starts_with(b"/"))
    }
}

/// The lines of one file, with those around them.
fn add(patch: &mut Patch<'_>, text: &mut Vec<u8>) -> Option<()> {
    for number in 0..patch.num_hunks() {
        text.extend_from_slice(b"@@\n");
        for at in 0..patch.num_lines_in_hunk(number).ok()? {
            let line = patch.line_in_hunk(number, at).ok()?;
            text.push(u8::try_from(line.origin()).ok()?);
            text.extend_from_slice(line.content());
        }
    }
    Some(())
}

fn named(commit: &Commit<'_>) -> Option<Oid> {
    let message = String::from_utf8_lossy(commit.message_raw_bytes()).into_owned();
    let line = message.lines().rev().find_map(|line| line.trim().strip_prefix(SAYS))?;
    Oid::from_str(line.strip_suffix(')')?).ok()
}
