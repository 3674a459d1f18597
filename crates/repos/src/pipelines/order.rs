//! Files that decide whether the gate starts at all: those that its system reads in place of its own, and workflows that it
//! waits for by their names.

use std::collections::{BTreeMap, BTreeSet};

use super::formats::visit_texts;
use super::gate::GateFiles;
use super::systems::{Dialect, dialect};
use super::touches::Changed;
use super::tree::{Content, Contents};
use crate::repo_audit::{Document, Language, member, text};
use agent_strace_git::change_set::Part;

/// Places where one system looks for its files, in its order: it reads the first one that is there. `/` ends a folder.
struct Order {
    places: &'static [&'static str],
    part: fn(String) -> Part,
}

const ORDERS: &[Order] = &[
    Order { places: &[".woodpecker/", ".woodpecker.yaml", ".woodpecker.yml"], part: certain },
    Order {
        places: &[
            "buildkite.yml",
            "buildkite.yaml",
            "buildkite.json",
            ".buildkite/pipeline.yml",
            ".buildkite/pipeline.yaml",
            ".buildkite/pipeline.json",
        ],
        part: certain,
    },
    // The repository may be on a forge that reads only one of these folders.
    Order { places: &[".forgejo/workflows/", ".gitea/workflows/", ".github/workflows/"], part: uncertain },
];

fn certain(gate: String) -> Part {
    Part::Supersedes { gate }
}

fn uncertain(gate: String) -> Part {
    Part::MaySupersede { gate }
}

impl Order {
    /// The place that a path is at.
    fn at(&self, path: &str) -> Option<usize> {
        let folded = path.to_ascii_lowercase();
        let fits = |place: &&str| if place.ends_with('/') { folded.starts_with(place) } else { folded == **place };
        self.places.iter().position(fits).filter(|_| dialect(path).is_some())
    }
}

/// A file that a change adds, and that a system would read in place of one that runs the gate.
pub(super) fn part(changed: &Changed<'_>, gate: &GateFiles, path: &str) -> Option<Part> {
    let is_new = changed.before.read(path) == Content::Missing && changed.head.read(path) != Content::Missing;
    ORDERS.iter().filter(|_| is_new).find_map(|order| {
        let at = order.at(path)?;
        let first = changed.base.paths().iter().filter_map(|path| order.at(path)).min()?;
        let of_gate = gate.runs.iter().find(|path| order.at(path) == Some(first))?;
        (at < first).then(|| (order.part)(of_gate.clone()))
    })
}

/// The workflow of the gate that starts after a workflow, where the change takes the name from it.
pub(super) fn awaiting(changed: &Changed<'_>, gate: &GateFiles, path: &str) -> Option<Part> {
    if gate.awaited.is_empty() || dialect(path) != Some(Dialect::Workflow) {
        return None;
    }
    let (before, head) = (name_of(changed.before, path)?, name_of(changed.head, path));
    let by = gate.awaited.get(&before).filter(|_| head.as_ref() != Some(&before))?;
    Some(Part::Starts { gate: by.clone() })
}

/// The name of a workflow: without one, its path.
fn name_of(side: &dyn Contents, path: &str) -> Option<String> {
    let Content::Text(content) = side.read(path) else { return None };
    let document = Document::read(Language::Yaml, &content).ok()?;
    Some(member(&document.root, "name").and_then(text).unwrap_or(path).to_owned())
}

/// Names of workflows for which those of the gate wait (`workflow_run`).
pub(super) fn awaited(tree: &dyn Contents, runs: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for path in runs.iter().filter(|path| dialect(path) == Some(Dialect::Workflow)) {
        let Content::Text(content) = tree.read(path) else { continue };
        let Ok(document) = Document::read(Language::Yaml, &content) else { continue };
        let started = member(&document.root, "on").and_then(|on| member(on, "workflow_run"));
        if let Some(names) = started.and_then(|started| member(started, "workflows")) {
            visit_texts(names, &mut |name| drop(found.insert(name.to_owned(), path.clone())));
        }
    }
    found
}
