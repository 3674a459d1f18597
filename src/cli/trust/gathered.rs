//! Reads a change from git: files, lines, commits, and which of them the gate rests on.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

use super::super::failure::Failure;
use super::commit_tree::{CommitFiles, CommitTree};
use super::{Ends, Trust};
use agent_strace_git::change_set::{Change, Commit, Extent, Mark, by_name, from_top};
use agent_strace_git::{Backend, ChangedFile, GitError, Picks, Repository, Revisions, Status};
use agent_strace_model::{Gap, GapKind};
use agent_strace_repos::{pipelines, repo_audit};

/// A change, and the parts that could not be read.
#[derive(Debug)]
pub(in crate::cli) struct GatheredChange {
    pub(in crate::cli) change: Change,
    pub(in crate::cli) gaps: Vec<Gap>,
}

/// The inputs of a run that the change is compared with.
pub(in crate::cli) struct ChangeContext<'b> {
    pub(in crate::cli) trace_dir: &'b Path,
    /// Files that judge, relative to the current directory.
    pub(in crate::cli) judging: Vec<String>,
    /// Logs, as reports name them.
    pub(in crate::cli) logs: Vec<String>,
    pub(in crate::cli) reviewed: Option<&'b str>,
    /// Addresses of the judged repository.
    pub(in crate::cli) addresses: Vec<String>,
}

/// Reads the change. If the ends can't be compared, that is a failure; missing commits are a gap.
pub(in crate::cli) fn gather(
    trust: &Trust<'_>,
    ends: &Ends,
    context: &ChangeContext<'_>,
) -> Result<GatheredChange, Failure> {
    let failed = |error: GitError| {
        Failure::new(format!("the change from `{}` to `{}` can't be read: {error}", ends.base.name, ends.head.name))
    };
    let found = agent_strace_git::ends(trust.folder(), &ends.base.commit, &ends.head.commit).map_err(failed)?;
    let old = found.merge_base.as_ref().unwrap_or(&found.base);
    let files = agent_strace_git::changed_files(trust.folder(), old, &found.head).map_err(failed)?;
    let mut gaps = Vec::new();
    let mut extent = ends.extent;
    if found.cut && extent == Extent::Everything {
        // A difference may come from the other side, so it can't be attributed.
        extent = Extent::Tampering;
        gaps.push(gap(
            ends,
            "the history here does not reach back to where the change began: fetch more of it (`fetch-depth: 0`)",
        ));
    }
    let store = trust.store(context.trace_dir);
    let commits = match extent {
        Extent::Everything => commits(trust, ends, store.as_deref(), &mut gaps).map_err(failed)?,
        Extent::Tampering => Vec::new(),
    };
    let prefix = trust.prefix();
    let sides = Sides { folder: trust.folder(), old, head: &found.head };
    let mut change = Change {
        base: ends.base.clone(),
        head: ends.head.clone(),
        merge_base: found.merge_base.clone(),
        extent,
        seconds: Some(found.seconds),
        addresses: context.addresses.clone(),
        landed: ends.landed,
        is_proposed: ends.is_proposed,
        reviewed: context.reviewed.map(str::to_owned),
        commits,
        judging: context
            .judging
            .iter()
            .filter_map(|path| from_top(&prefix, path))
            .map(|path| path.to_lowercase())
            .collect(),
        parts: BTreeMap::new(),
        store,
        grown: BTreeMap::new(),
        settled: BTreeSet::new(),
        told_before: BTreeMap::new(),
        names: by_name(&files),
        files,
        prefix,
    };
    sides.parts(&mut change, &mut gaps, ends).map_err(failed)?;
    change.grown = sides.grown(&change).map_err(failed)?;
    for log in &context.logs {
        let Some(path) = sides.path(&change, log) else { continue };
        if let Some(lines) = change.grown.get(&path) {
            change.told_before.insert(log.clone(), *lines);
        } else if change.file(&path).is_none()
            && agent_strace_git::holds(sides.folder, sides.old, &path).map_err(failed)?
        {
            change.settled.insert(log.clone());
        }
    }
    Ok(GatheredChange { change, gaps })
}

fn gap(ends: &Ends, detail: impl Into<Cow<'static, str>>) -> Gap {
    Gap::of_file(format!("{}..{}", ends.base.name, ends.head.name), GapKind::missing(detail))
}

/// The commits of the head that the base does not have.
fn commits(trust: &Trust<'_>, ends: &Ends, store: Option<&str>, gaps: &mut Vec<Gap>) -> Result<Vec<Commit>, GitError> {
    let tables = repo_audit::tables().map_err(|fault| GitError::Broken(fault.to_owned()))?;
    let repository = Repository::open(trust.folder())?;
    let range = Revisions::Range(format!("{}..{}", ends.base.commit, ends.head.commit));
    let mut found: BTreeMap<String, Commit> = BTreeMap::new();
    let history = repository.commits(&range, Backend::Library, &mut |commit| {
        let id = commit.id.to_string();
        let known = found.entry(id.clone()).or_insert_with(|| {
            let marks: Vec<Mark> = repo_audit::marks(tables, commit).into_iter().map(mark).collect();
            let subject = if marks.is_empty() { String::new() } else { agent_strace_git::subject(commit.message) };
            let dates = [commit.authored, commit.seconds];
            Commit { id, marks, files: Vec::new(), is_merge: commit.parents > 1, subject, dates, picked_from: None }
        });
        known.files.extend(commit.changes.iter().map(|change| String::from_utf8_lossy(change.path).into_owned()));
        ControlFlow::Continue(())
    })?;
    gaps.extend(history.cut.map(|reason| gap(ends, format!("commits of the change are missing: {reason}"))));
    let mut picks = Picks::new(trust.folder(), &ends.base.commit, &ends.head.commit, store)?;
    for commit in found.values_mut().filter(|commit| !commit.marks.is_empty()) {
        commit.picked_from = picks.picked_from(&commit.id)?;
    }
    Ok(found.into_values().collect())
}

fn changed_path(file: &ChangedFile) -> pipelines::ChangedPath<'_> {
    pipelines::ChangedPath { path: &file.path, is_gone: file.status == Status::Deleted }
}

fn mark(mark: repo_audit::Mark) -> Mark {
    Mark { tool: mark.tool.to_owned(), name: mark.name.to_owned(), said: mark.said }
}

/// The two states that are compared.
struct Sides<'s> {
    folder: &'s Path,
    old: &'s str,
    head: &'s str,
}

impl Sides<'_> {
    /// The parts that changed files have in the gate.
    fn parts(&self, change: &mut Change, gaps: &mut Vec<Gap>, ends: &Ends) -> Result<(), GitError> {
        let side = |revision| CommitFiles::new(self.folder, revision);
        let base = match CommitTree::new(side(&change.base.commit)) {
            Ok(base) => base,
            // A clone may lack folders that nothing else asks for.
            Err(error @ (GitError::Missing(_) | GitError::Broken(_) | GitError::TooManyFiles(_))) => {
                gaps.push(gap(ends, format!("the files that the gate calls are not known: {error}")));
                CommitTree::without_paths(side(&change.base.commit))
            }
            Err(error) => return Err(error),
        };
        let (before, head) = (side(self.old), side(self.head));
        let touched = pipelines::touches(&pipelines::Changed {
            base: &base,
            before: &before,
            head: &head,
            paths: change.files.iter().map(changed_path).collect(),
            store: change.store.as_deref(),
        });
        if touched.is_cut {
            gaps.push(gap(ends, "files of CI call more than is followed, so that not every file of the gate is known"));
        }
        change.parts = touched.parts;
        Ok(())
    }

    /// Files of the record that begin with all that they held before.
    fn grown(&self, change: &Change) -> Result<BTreeMap<String, u32>, GitError> {
        let mut grown = BTreeMap::new();
        let changed = change.files.iter().filter(|file| file.status == Status::Modified && !file.is_submodule());
        for file in changed.filter(|file| change.is_recorded(&file.path)) {
            if let Some(lines) = agent_strace_git::grown_from(self.folder, self.old, self.head, &file.path)? {
                grown.insert(file.path.clone(), lines);
            }
        }
        Ok(grown)
    }

    /// The file of the repository that a log was read from.
    fn path(&self, change: &Change, log: &str) -> Option<String> {
        match log.strip_prefix(&format!("git:{}:", self.head)) {
            Some(path) => Some(path.to_owned()),
            None => from_top(&change.prefix, log),
        }
    }
}
