//! Machines on which jobs run: a job that comes to the machine of the gate may leave something there.

use std::collections::BTreeSet;

use super::closed::File;
use super::ordinary::is_ordinary_base;
use super::own::Own;
use super::segments::Differing;
use crate::pipelines::formats::shape;
use crate::repo_audit::{member, members};
use agent_strace_policy::json::Value;

/// Members of a job that say to which machines it may come.
const CHOOSING: &[&str] = &["tags", "inherit"];

/// Says which jobs of a pipeline ask for machines.
pub(super) struct Runners {
    /// The gate does, or all jobs do.
    of_gate: bool,
    /// Jobs that others extend do, or have something else that reaches beyond a job.
    of_bases: bool,
}

impl Runners {
    pub(super) fn of(own: &Own<'_>, all: &[&File], extended: &BTreeSet<String>) -> Self {
        let has_tags = |value: &Value| member(value, "tags").is_some();
        let of_all = all.iter().flat_map(|file| file.shared()).any(has_tags);
        let jobs = all.iter().flat_map(|file| members(&file.root));
        let mut bases = jobs.filter(|(key, _)| extended.contains(&key.name)).map(|(_, job)| job);
        let of_bases = bases.any(|job| chooses(job) || !is_ordinary_base(job, own));
        Self { of_gate: of_all || own.running().any(has_tags), of_bases }
    }

    /// Returns true if a job that differs comes to the same machines as before, and an added one to none of the gate.
    pub(super) fn are_kept(&self, job: &Differing<'_>) -> bool {
        let Some(head) = job.head.map(|side| side.value) else { return true };
        let Some(before) = job.before.map(|side| side.value) else {
            let comes = self.of_gate && chooses(head) || self.of_bases && member(head, "extends").is_some();
            return !comes;
        };
        let is_same = |name: &str| member(before, name).map(shape) == member(head, name).map(shape);
        CHOOSING.iter().all(|name| is_same(name)) && (!self.of_bases || is_same("extends"))
    }
}

fn chooses(job: &Value) -> bool {
    CHOOSING.iter().any(|name| member(job, name).is_some())
}
