//! Machines on which jobs run: a job that comes to the machine of the gate may leave something there.

use std::collections::BTreeSet;

use super::closed::File;
use super::own::Own;
use super::segments::{Differing, Segment};
use crate::pipelines::formats::{shape, visit_texts};
use crate::repo_audit::{items, member, members, text};
use agent_strace_policy::json::Value;

/// Returns true if a job that differs does not come to a machine that the gate asks for by a tag.
pub(super) fn are_kept(job: &Differing<'_>, own: &Own<'_>, all: &[&File]) -> bool {
    let taken: BTreeSet<String> = own.running().filter_map(|job| member(job, "tags")).flat_map(texts).collect();
    let Some(head) = job.head.filter(|_| !taken.is_empty()) else { return true };
    let before = |name: &str| of(job.before, name).map(shape);
    if all.iter().any(|file| has_unknown_tags(file)) {
        return false;
    }
    let extends = of(Some(head), "extends");
    match of(Some(head), "tags") {
        Some(tags) if Some(shape(tags)) == before("tags") => true,
        Some(tags) => {
            let are_others = items(tags).iter().all(|tag| text(tag).is_some_and(|tag| !taken.contains(tag)));
            are_others && !items(tags).is_empty()
        }
        None => extends.is_none() || extends.map(shape) == before("extends") && before("tags").is_none(),
    }
}

fn of<'t>(side: Option<Segment<'t>>, name: &str) -> Option<&'t Value> {
    side.and_then(|side| member(side.value, name))
}

fn texts(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    visit_texts(value, &mut |text| found.push(text.to_owned()));
    found
}

/// Returns true if only a run knows a tag of a job.
fn has_unknown_tags(file: &File) -> bool {
    let tags = members(&file.root).iter().filter_map(|(_, job)| member(job, "tags"));
    tags.flat_map(texts).any(|tag| tag.contains('$'))
}
