//! Which files are the gate: those of CI that run it, and everything they call.

use std::collections::{BTreeMap, BTreeSet};

use globset::GlobSet;

use super::calls::{GATE, Graph, Node, Part, graph, names_gate};
use super::formats::names_gate_when_read;
use super::names::CheckName;
use super::systems::{Dialect, dialect};
use super::tree::{Content, Tree};
use super::work::Work;
use super::workflow::Workflows;
use crate::repo_audit::compiled_globs;

/// The gate of one commit.
#[derive(Debug, Default)]
pub(super) struct GateFiles {
    /// Files of CI that run it, and files that lead from them to it.
    pub(super) runs: BTreeSet<String>,
    /// Files that it calls, each with the file that calls it.
    pub(super) called: BTreeMap<String, String>,
    /// Files of recipes that it calls as nothing else: the commands that run them, and what they run.
    pub(super) recipes: BTreeMap<String, Vec<Recipes>>,
    /// Files whose recipes run in the job of the gate and have nothing to do with it.
    pub(super) beside: BTreeMap<String, String>,
    /// Files that may run it by a workflow of another repository.
    pub(super) perhaps: BTreeMap<String, String>,
    /// Files of the pipeline of GitLab that runs it, by globs.
    pub(super) pipeline: GlobSet,
    /// Names of the checks of its jobs.
    pub(super) names: BTreeSet<CheckName>,
    /// A workflow that runs the gate can't be read, so that there are names that are not known.
    pub(super) is_unnamed: bool,
    /// A limit was reached: there may be more.
    pub(super) is_cut: bool,
}

/// Commands that run some lines of a file of recipes.
#[derive(Debug)]
pub(super) struct Recipes {
    /// Each with the folder that it runs in.
    pub(super) commands: BTreeSet<(Vec<String>, String)>,
    pub(super) lines: String,
}

impl GateFiles {
    pub(super) fn of(tree: &dyn Tree, work: &Work) -> Self {
        let mut graph = graph(tree);
        let workflows = Workflows::new(tree, work);
        central(&mut graph, &workflows);
        let leading = leading(&graph);
        let mut gate = Self { is_cut: graph.is_cut, ..Self::default() };
        gate.names.insert(CheckName::literal(GATE));
        for path in tree.paths().iter().filter(|path| dialect(path).is_some()) {
            if runs_gate(&tree.read(path)) {
                gate.runs.insert(path.clone());
            }
        }
        gate.runs.extend(leading.iter().filter(|node| dialect(&node.file).is_some()).map(|node| node.file.clone()));
        gate.follow(&graph, &leading);
        gate.perhaps(&graph);
        if gate.runs.iter().any(|path| dialect(path) == Some(Dialect::Gitlab)) {
            gate.pipeline =
                compiled_globs(graph.included.iter().map(String::as_str)).unwrap_or_else(|_| GlobSet::empty());
        }
        gate.named(&workflows, &leading);
        gate.is_cut |= work.is_spent();
        gate
    }

    /// Files and recipes that the jobs of the gate call.
    fn follow(&mut self, graph: &Graph, leading: &BTreeSet<Node>) {
        let mut open: Vec<&Node> = leading.iter().collect();
        let mut seen: BTreeSet<&Node> = open.iter().copied().collect();
        let mut whole: BTreeSet<&str> = BTreeSet::new();
        while let Some(node) = open.pop() {
            for next in graph.calls.get(node).into_iter().flatten() {
                let is_leading = leading.contains(next);
                let is_recipe = |node: &Node| matches!(node.part, Part::Lines(_));
                let is_beside = !is_leading && (is_recipe(next) || is_recipe(node) || is_listing(node));
                match &next.part {
                    _ if is_beside => {}
                    Part::Lines(lines) => {
                        let commands = graph.commands.get(next).cloned().unwrap_or_default();
                        let recipes = Recipes { commands, lines: lines.clone() };
                        self.recipes.entry(next.file.clone()).or_default().push(recipes);
                    }
                    Part::Whole | Part::Job(_) => drop(whole.insert(&next.file)),
                }
                let found = if is_beside { &mut self.beside } else { &mut self.called };
                found.entry(next.file.clone()).or_insert_with(|| node.file.clone());
                if !is_beside && seen.insert(next) {
                    open.push(next);
                }
            }
        }
        self.recipes.retain(|path, _| !whole.contains(path.as_str()));
        // Files that CI includes are as much CI as those that include them.
        let included = leading.iter().map(|node| &node.file).filter(|file| !self.called.contains_key(*file));
        self.runs.extend(included.cloned());
        for path in &self.runs {
            self.called.remove(path);
        }
        let (runs, called) = (&self.runs, &self.called);
        self.beside.retain(|path, _| !runs.contains(path) && !called.contains_key(path));
    }

    /// Where no file of CI runs the gate, a workflow of another repository may.
    fn perhaps(&mut self, graph: &Graph) {
        if !self.runs.is_empty() {
            return;
        }
        for (node, used) in &graph.elsewhere {
            if is_workflow(used) || is_include(node, used) {
                self.perhaps.entry(node.file.clone()).or_insert_with(|| used.clone());
            }
        }
    }

    fn named(&mut self, workflows: &Workflows<'_>, leading: &BTreeSet<Node>) {
        for path in &self.runs {
            let is_gate = |key: &str| leading.contains(&Node::job(path, key));
            if dialect(path) == Some(Dialect::Workflow) {
                let Ok(jobs) = workflows.jobs(path) else {
                    self.is_unnamed = true;
                    continue;
                };
                let jobs = jobs.iter().filter(|job| is_gate(&job.key));
                self.names.extend(jobs.flat_map(|job| job.names.iter().cloned()));
                continue;
            }
            let keys = leading.iter().filter(|node| node.file == *path).filter_map(|node| match &node.part {
                Part::Job(key) => Some(CheckName::literal(key.as_str())),
                _ => None,
            });
            self.names.extend(keys);
        }
    }
}

/// All of a file of another format is one node: its scripts are of all of its jobs.
fn is_listing(node: &Node) -> bool {
    node.part == Part::Whole && dialect(&node.file) == Some(Dialect::Other)
}

fn is_workflow(used: &str) -> bool {
    used.contains("/.github/workflows/") || used.contains("/.gitea/workflows/") || used.contains("/.forgejo/workflows/")
}

/// Whether a file of CI runs the gate. A file that can't be read counts as one.
pub(super) fn runs_gate(content: &Content) -> bool {
    match content {
        Content::Missing => false,
        Content::Unreadable(_) => true,
        Content::Text(text) => names_gate(text) || text.contains('\\') && names_gate_when_read(text),
    }
}

/// Everything from which calls lead to a text that names the gate.
fn leading(graph: &Graph) -> BTreeSet<Node> {
    let mut callers: BTreeMap<&Node, Vec<&Node>> = BTreeMap::new();
    for (from, to) in graph.calls.iter().chain(&graph.members) {
        for to in to {
            callers.entry(to).or_default().push(from);
        }
    }
    let mut open: Vec<&Node> = graph.naming.iter().collect();
    let mut found: BTreeSet<Node> = BTreeSet::new();
    while let Some(node) = open.pop() {
        if found.insert(node.clone()) {
            open.extend(callers.get(node).into_iter().flatten());
        }
    }
    found
}

/// A job that uses a workflow of another repository runs the gate if one of the two has the name of the gate.
fn central(graph: &mut Graph, workflows: &Workflows<'_>) {
    let is_known = graph.naming.iter().any(|node| dialect(&node.file).is_some() || matches!(node.part, Part::Lines(_)));
    for (node, used) in graph.elsewhere.clone() {
        let names = match &node.part {
            Part::Job(key) if is_workflow(&used) => names_of_call(workflows, &node, key, &used),
            // An action of another repository: its name without the owner's.
            Part::Job(_) if dialect(&node.file) == Some(Dialect::Workflow) => {
                let action = used.split('@').next().unwrap_or_default();
                let is_gate = is_called_like_the_gate(action.split_once('/').map_or(action, |(_, name)| name), true);
                if is_gate {
                    graph.naming.insert(node);
                }
                continue;
            }
            _ if is_include(&node, &used) => vec![used.clone()],
            _ => continue,
        };
        if names.iter().any(|name| is_called_like_the_gate(name, is_known)) {
            graph.naming.insert(node);
        }
    }
}

/// A file, project or component that a pipeline of GitLab takes from elsewhere.
fn is_include(node: &Node, used: &str) -> bool {
    used.contains('/') && dialect(&node.file) == Some(Dialect::Gitlab)
}

/// The names of a job and of the workflow that it uses.
fn names_of_call(workflows: &Workflows<'_>, node: &Node, key: &str, used: &str) -> Vec<String> {
    let callee = used.split('@').next().unwrap_or_default();
    let callee = callee.rsplit('/').next().unwrap_or_default();
    let stem = callee.rsplit_once('.').map_or(callee, |(stem, _)| stem);
    let mut names = vec![key.to_owned(), stem.to_owned()];
    if let Ok(jobs) = workflows.jobs(&node.file) {
        let jobs = jobs.iter().filter(|job| job.key == key);
        names.extend(jobs.flat_map(|job| job.names.iter().map(CheckName::shown)));
    }
    names
}

fn is_called_like_the_gate(name: &str, another_is_known: bool) -> bool {
    let folded = name.to_lowercase();
    let words: Vec<&str> =
        folded.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |word: &str| words.contains(&word);
    words.concat().contains("agentstrace")
        || words == ["gate"]
        || has("gate") && (has("agent") || has("agents") || has("ai") || !another_is_known)
}
