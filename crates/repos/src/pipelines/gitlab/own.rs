//! The jobs of the gate in its pipeline, and what they take from others.

use std::collections::BTreeSet;

use super::closed::{File, Pipeline};
use super::ordinary::GLOBAL;
use crate::pipelines::calls::names_gate;
use crate::pipelines::formats::visit_texts;
use crate::pipelines::gate::GateFiles;
use crate::pipelines::names::CheckName;
use crate::pipelines::systems::{Dialect, dialect};
use crate::repo_audit::{member, members};
use agent_strace_policy::json::{Data, Value};

/// The jobs of the gate.
pub(super) struct Own<'p> {
    /// Those that run, and those that only hold something for others.
    jobs: Vec<(&'p str, &'p Value)>,
    /// Their keys and the names of the gate's checks, in lower case.
    names: BTreeSet<String>,
    /// All texts in them, in lower case.
    texts: BTreeSet<String>,
}

impl<'p> Own<'p> {
    /// `None`: no job of the pipeline runs the gate, or one elsewhere does.
    pub(super) fn of(gate: &GateFiles, pipeline: &'p Pipeline) -> Option<Self> {
        let is_of_gitlab = |path: &str| matches!(dialect(path), None | Some(Dialect::Gitlab));
        let mut with_jobs = gate.files_with_jobs().filter(|path| is_of_gitlab(path));
        if with_jobs.any(|path| !pipeline.files.contains_key(path)) {
            return None;
        }
        let mut own = Self { jobs: Vec::new(), names: BTreeSet::new(), texts: BTreeSet::new() };
        let mut is_known = false;
        for (path, file) in &pipeline.files {
            let leading = gate.jobs(path);
            is_known |= leading.iter().any(|key| !key.starts_with('.'));
            let jobs = members(&file.root).iter().map(|(key, job)| (key.name.as_str(), job));
            own.jobs.extend(jobs.filter(|(key, job)| leading.contains(*key) || names(key, job)));
        }
        for (key, job) in &own.jobs {
            own.names.insert(key.to_lowercase());
            visit_texts(job, &mut |text| own.texts.extend([text.to_lowercase()]));
        }
        own.names.extend(gate.bases.iter().map(|base| base.to_lowercase()));
        own.names.extend(gate.names.iter().map(CheckName::shown).map(|name| name.to_lowercase()));
        is_known.then_some(own)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(&name.to_lowercase())
    }

    /// Returns true if a key is one of the gate's, or if GitLab may make it of one: `gate 1/2`, `gate: [a]`.
    pub(super) fn is_named_like(&self, key: &str) -> bool {
        let folded = key.to_lowercase();
        let is_of = |name: &String| folded.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with([' ', ':']));
        self.names.contains(&folded) || self.names.iter().any(is_of) || names_gate(key)
    }

    pub(super) fn mentions(&self, key: &str) -> bool {
        self.texts.contains(&key.to_lowercase())
    }

    /// Jobs of the gate that run: the key of one that does not begins with a dot.
    pub(super) fn running(&self) -> impl Iterator<Item = &'p Value> {
        self.jobs.iter().filter(|(key, _)| !key.starts_with('.')).map(|(_, job)| *job)
    }

    /// Returns true if no job of the gate gets files or variables from other jobs.
    pub(super) fn takes_nothing(&self, all: &[&File]) -> bool {
        let bases = |job: &Value| ["extends", "<<"].iter().any(|name| member(job, name).is_some());
        let has_cache = |value: &Value| member(value, "cache").is_some_and(|cache| !is_empty(cache));
        let is_shared = all.iter().flat_map(|file| file.shared()).any(has_cache);
        let is_without = |job: &Value| match member(job, "cache") {
            Some(cache) => is_empty(cache),
            None => !is_shared,
        };
        !self.jobs.iter().any(|(_, job)| bases(job)) && self.running().all(|job| is_alone(job) && is_without(job))
    }
}

fn names(key: &str, job: &Value) -> bool {
    let mut found = names_gate(key);
    visit_texts(job, &mut |text| found |= names_gate(text));
    found && !GLOBAL.contains(&key)
}

/// Returns true if a job waits for no other one, or takes nothing from those of earlier stages.
fn is_alone(job: &Value) -> bool {
    let is_none = |name: &str| member(job, name).map(is_empty_list);
    let takes_none =
        matches!((is_none("needs"), is_none("dependencies")), (Some(true), None | Some(true)) | (None, Some(true)));
    takes_none && member(job, "trigger").is_none()
}

fn is_empty_list(value: &Value) -> bool {
    matches!(&value.data, Data::List(items) if items.is_empty())
}

fn is_empty(value: &Value) -> bool {
    is_empty_list(value) || matches!(&value.data, Data::Object(members) if members.is_empty())
}
