//! Edits of a pipeline of GitLab that runs the gate: which of them leave the gate as it is.
//!
//! Jobs of GitLab pass files and variables on to others and are merged across files, and readers of YAML differ in many
//! ways. An edit is taken for one of other jobs only where everything is written plainly; any other edit is one of the gate.

mod closed;
mod ordinary;
mod own;
mod plain;
mod runners;
mod segments;

use std::collections::BTreeSet;

use super::gate::GateFiles;
use super::touches::Changed;
use super::tree::{Content, Contents};
use super::work::Work;
use closed::{File, Pipeline};
pub(super) use plain::lines_with_odd_breaks;
use segments::{Differing, differing, segments};

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
    let after = File::read(head, work)?;
    let (old, new) = (segments(&edited.text, &edited.root)?, segments(&after.text, &after.root)?);
    let jobs = differing(&old, &new)?;
    let others = others(changed, &pipeline, work, path)?;
    let own = own::Own::of(gate, &pipeline)?;
    let all: Vec<&File> = others.iter().chain(pipeline.files.values()).chain([&after]).collect();
    let is_free = own.takes_nothing(&all)
        && jobs.iter().all(|job| ordinary::is_ordinary(job, &own) && runners::are_kept(job, &own, &all))
        && jobs.iter().all(|job| job.is_on_both_sides() || is_alone(job, &pipeline, &others, path, &all));
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
fn others(changed: &Changed<'_>, pipeline: &Pipeline, work: &Work, path: &str) -> Option<Vec<File>> {
    let paths: BTreeSet<&str> = changed.paths.iter().map(|changed| changed.path).collect();
    let files = pipeline.files.iter().filter(|(other, _)| *other != path && paths.contains(other.as_str()));
    let read = files.map(|(other, base)| {
        let file = File::read(text(changed.head, other)?, work)?;
        (file.included()? == base.included()?).then_some(file)
    });
    read.collect()
}

/// Returns true if a job that is added or removed is in no other file of the pipeline, and no job extends it.
fn is_alone(job: &Differing<'_>, pipeline: &Pipeline, later: &[File], path: &str, all: &[&File]) -> bool {
    let others = pipeline.files.iter().filter(|(other, _)| *other != path).map(|(_, file)| file);
    let is_elsewhere = others.chain(later).any(|file| file.has(job.key));
    !is_elsewhere && !all.iter().any(|file| file.is_extended(job.key))
}
