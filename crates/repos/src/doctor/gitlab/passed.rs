//! Variables that other jobs pass to the gate in a file.

use super::Found;
use super::node::{Node, Place};
use super::pipeline::{Job, Pipeline};
use super::rules::{self, Outcome};
use crate::doctor::Held;
use crate::doctor::answer::Fault;

/// The stages of a pipeline that names none.
const STAGES: &[&str] = &["build", "test", "deploy"];
/// The stage of a job that names none.
const STAGE: &str = "test";

/// A job that writes variables for the gate decides which programs run there.
pub(super) fn passed(job: &Node, all: &[Job], pipeline: &Pipeline, held: &Held<'_>, found: &mut Found<'_>) {
    let is_taken = |name: &str| job.member("dependencies").is_none_or(|taken| taken.texts().contains(&name));
    let writing = all.iter().filter(|other| writes(&other.node, held) && is_taken(&other.name));
    for other in writing {
        if let Some(at) = source(job, other, pipeline) {
            let message = format!(
                "the job `{}` passes variables to this one, which decide which programs run, or what the gate reads: add \
                 `artifacts: false` to its need, or `needs: []`",
                other.name
            );
            found.push(Fault::defeats("gate/environment", message), at);
        }
    }
}

fn writes(job: &Node, held: &Held<'_>) -> bool {
    let reports = job.member("artifacts").and_then(|artifacts| artifacts.member("reports"));
    let runs = job.member("rules").is_none_or(|rules| rules::outcome_of(rules, held) != Outcome::Never);
    runs && reports.is_some_and(|reports| reports.member("dotenv").is_some())
}

/// Where a job takes the artifacts of another one: by a need, or by its stage.
fn source<'n>(job: &'n Node, other: &Job, pipeline: &Pipeline) -> Option<&'n Place> {
    if let Some(needs) = job.member("needs").filter(|needs| !matches!(needs.content, super::node::Content::Other)) {
        let mut taken = needs.items().iter().filter(|need| !need.member("artifacts").is_some_and(Node::is_false));
        let is_other = |need: &&Node| need.member("job").unwrap_or(need).text() == Some(&other.name);
        return taken.find(is_other).map(|need| &need.place);
    }
    (stage(&other.node, pipeline)? < stage(job, pipeline)?).then_some(&job.place)
}

/// The place of the stage of a job among all stages.
fn stage(job: &Node, pipeline: &Pipeline) -> Option<usize> {
    let name = job.member("stage").and_then(Node::text).unwrap_or(STAGE);
    let named = pipeline.root.member("stages").map_or_else(|| STAGES.to_vec(), Node::texts);
    [".pre"].into_iter().chain(named).chain([".post"]).position(|stage| stage == name)
}
