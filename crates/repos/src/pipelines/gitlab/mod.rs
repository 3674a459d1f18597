//! Edits of a pipeline of GitLab that runs the gate: which of them leave the gate as it is.
//!
//! Jobs of GitLab pass files and variables on to others and are merged across files, and readers of YAML differ in many
//! ways. An edit is taken for one of other jobs only where everything is written plainly; any other edit is one of the gate.

mod closed;
mod hidden;
mod ordinary;
mod own;
mod plain;
mod runners;
mod segments;

use std::collections::{BTreeMap, BTreeSet};

use super::gate::GateFiles;
use super::touches::Changed;
use super::tree::{Content, Contents};
use super::work::Work;
use closed::{File, Files, Pipeline};
pub(super) use hidden::{brings_keys, divided, without_colon};
use own::Own;
pub(super) use plain::{has_tag, is_merge, lines_with_odd_breaks};
use runners::Runners;
use segments::{differing, segments};

/// Returns true if an edit of a file of the pipeline changes only jobs that the gate does not need, and that do not need it.
pub(super) fn leaves_the_gate(changed: &Changed<'_>, gate: &GateFiles, work: &Work, path: &str) -> bool {
    left(changed, gate, work, path).is_some()
}

/// `None`: the edit may change the gate.
fn left(changed: &Changed<'_>, gate: &GateFiles, work: &Work, path: &str) -> Option<()> {
    let (before, head) = (text(changed.before, path)?, text(changed.head, path)?);
    // Where the branch went on meanwhile, git may merge lines of the change into another job.
    let is_same_base = text(changed.base, path)? == before;
    if !is_same_base || !plain::is_plain(&before) || !plain::is_plain(&head) {
        return None;
    }
    let pipeline = Pipeline::of(changed.base, work)?;
    let edited = pipeline.files.get(path)?;
    let mut changed_files = others(changed, &pipeline, work, path)?;
    changed_files.insert(path.to_owned(), File::read(head, work)?);
    let later = Files { base: &pipeline.files, changed: &changed_files };
    let after = changed_files.get(path)?;
    let (old, new) = (segments(&edited.text, &edited.root)?, segments(&after.text, &after.root)?);
    let jobs = differing(&old, &new)?;
    let own = Own::of(gate, &pipeline, &later)?;
    let all: Vec<&File> = later.of_both_sides().collect();
    let others = Others::of(&later, path);
    let runners = Runners::of(&own, &all, &others.extended);
    let is_free = own.takes_nothing(&all)
        && jobs.iter().all(|job| ordinary::is_ordinary(job, &own, work) && runners.are_kept(job))
        && jobs.iter().all(|job| job.is_on_both_sides() || others.leave(job.key));
    is_free.then_some(())
}

/// The text of a plain file in UTF-8: GitLab does not read UTF-16 as it is read here.
fn text(of: &(impl Contents + ?Sized), path: &str) -> Option<String> {
    match of.read(path) {
        Content::Text(text) if of.read_lossily(path) == Content::Text(text.clone()) => Some(text),
        _ => None,
    }
}

/// Other files of the pipeline as the change leaves them, where it changes them.
fn others(changed: &Changed<'_>, pipeline: &Pipeline, work: &Work, path: &str) -> Option<BTreeMap<String, File>> {
    let paths: BTreeSet<&str> = changed.paths.iter().map(|changed| changed.path).collect();
    let files = pipeline.files.iter().filter(|(other, _)| *other != path && paths.contains(other.as_str()));
    let read = files.map(|(other, base)| {
        let file = File::read(text(changed.head, other)?, work)?;
        (file.included()? == base.included()?).then(|| (other.clone(), file))
    });
    read.collect()
}

/// Keys that other files of the pipeline have, and those that jobs of any file extend.
struct Others<'p> {
    keys: BTreeSet<&'p str>,
    extended: BTreeSet<String>,
}

impl<'p> Others<'p> {
    fn of(files: &Files<'p>, path: &str) -> Self {
        let mut found = Self { keys: BTreeSet::new(), extended: BTreeSet::new() };
        found.keys.extend(files.beside(path).flat_map(File::keys));
        files.of_both_sides().for_each(|file| file.extended(&mut found.extended));
        found
    }

    /// Returns true if a job of a key may be added or removed: it is no part of another one.
    fn leave(&self, key: &str) -> bool {
        !self.keys.contains(key) && !self.extended.contains(key)
    }
}
