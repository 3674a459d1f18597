//! Which files are the gate: those of CI that run it, and everything they call.

use std::collections::{BTreeMap, BTreeSet};

use globset::GlobSet;

use super::calls::{GATE, Graph, Node, Part, SUBMODULE, graph, graph_from, names_gate};
use super::formats::names_gate_when_read;
use super::names::CheckName;
use super::systems::{Dialect, dialect};
use super::tree::{Content, Tree};
use super::walk::{Leads, Role};
use super::work::Work;
use super::workflow::Workflows;
use crate::repo_audit::compiled_globs;
use agent_strace_git::Special;

/// The gate of one commit.
#[derive(Debug, Default)]
pub(super) struct GateFiles {
    /// Files of CI that run it, and files that lead from them to it.
    pub(super) runs: BTreeSet<String>,
    /// Files that it calls, each with the file that calls it.
    pub(super) called: BTreeMap<String, String>,
    /// Files among them that programs only read by themselves.
    pub(super) started: BTreeSet<String>,
    /// Files among them that only run in steps before the gate.
    pub(super) before: BTreeSet<String>,
    /// Files of recipes that it calls as nothing else: the commands that run them, and what they run.
    pub(super) recipes: BTreeMap<String, Vec<Recipes>>,
    /// Files whose recipes run in the job of the gate, and not before it.
    pub(super) beside: BTreeMap<String, String>,
    /// Files that may run it by a workflow of another repository.
    pub(super) perhaps: BTreeMap<String, String>,
    /// Files of the pipeline of GitLab that runs it, by globs.
    pub(super) pipeline: GlobSet,
    /// Keys of jobs of GitLab that the gate extends, in whichever file of the pipeline they are.
    pub(super) bases: BTreeSet<String>,
    /// Names of the checks of its jobs.
    pub(super) names: BTreeSet<CheckName>,
    /// A workflow that runs the gate can't be read, so that there are names that are not known.
    pub(super) is_unnamed: bool,
    /// Paths that must not be there, so that `make` runs a recipe of the gate, each with the makefile.
    pub(super) made: BTreeMap<String, String>,
    /// Names of workflows after which a workflow of the gate starts, each with its path.
    pub(super) awaited: BTreeMap<String, String>,
    /// Submodules that hold something that it calls.
    pub(super) submodules: BTreeSet<String>,
    leads: Leads,
    /// A limit was reached: there may be more.
    pub(super) is_cut: bool,
}

/// Files that the gate would call in another state of the repository.
#[derive(Debug, Default)]
pub(super) struct Later {
    /// Each with the file that calls it.
    pub(super) called: BTreeMap<String, String>,
    /// Files among them that programs only read by themselves.
    pub(super) started: BTreeSet<String>,
}

/// Commands that run some lines of a file of recipes.
#[derive(Debug)]
pub(super) struct Recipes {
    /// Each with the folder that it runs in.
    pub(super) commands: BTreeSet<(Vec<String>, String)>,
    pub(super) lines: String,
    /// They lead to the gate; others run before it.
    pub(super) is_leading: bool,
}

impl GateFiles {
    pub(super) fn of(tree: &dyn Tree, work: &Work) -> Self {
        let mut graph = graph(tree);
        let workflows = Workflows::new(tree, work);
        central(&mut graph, &workflows);
        let leads = Leads::of(&graph);
        let mut gate = Self { is_cut: graph.is_cut, ..Self::default() };
        gate.names.insert(CheckName::literal(GATE));
        for path in tree.paths().iter().filter(|path| dialect(path).is_some()) {
            if runs_gate(&tree.read(path)) {
                gate.runs.insert(path.clone());
            }
        }
        let leading = leads.leading.iter().filter(|node| dialect(&node.file).is_some());
        gate.runs.extend(leading.map(|node| node.file.clone()));
        gate.follow(&leads, &graph, tree);
        gate.perhaps(&graph);
        if gate.runs.iter().any(|path| dialect(path) == Some(Dialect::Gitlab)) {
            gate.bases = bases(&graph, &leads.leading);
            gate.pipeline =
                compiled_globs(graph.included.iter().map(String::as_str)).unwrap_or_else(|_| GlobSet::empty());
        }
        gate.named(tree, &workflows, &leads.leading);
        gate.awaited = super::order::awaited(tree, &gate.runs);
        gate.leads = leads;
        gate.is_cut |= work.is_spent();
        gate
    }

    /// The keys of the jobs of a file that lead to the gate.
    pub(super) fn jobs(&self, path: &str) -> BTreeSet<String> {
        let nodes = self.leads.leading.iter().filter(|node| node.file == path);
        let keys = nodes.filter_map(|node| if let Part::Job(key) = &node.part { Some(key.clone()) } else { None });
        keys.collect()
    }

    /// The files with jobs that lead to the gate.
    pub(super) fn files_with_jobs(&self) -> impl Iterator<Item = &str> {
        let nodes = self.leads.leading.iter().filter(|node| matches!(node.part, Part::Job(_)));
        nodes.map(|node| node.file.as_str())
    }

    /// Files and recipes that the jobs of the gate call.
    fn follow(&mut self, leads: &Leads, graph: &Graph, tree: &dyn Tree) {
        let mut whole: BTreeSet<String> = BTreeSet::new();
        for call in leads.walk(graph) {
            let is_part = call.role != Role::Beside;
            if let (Part::Lines(lines), true) = (&call.to.part, is_part) {
                let commands = graph.commands.get(call.to).cloned().unwrap_or_default();
                let is_leading = leads.leading.contains(call.to);
                let made = super::recipes::made(tree, &call.to.file, &commands);
                self.made.extend(made.into_iter().map(|path| (path, call.to.file.clone())));
                let recipes = Recipes { commands, lines: lines.clone(), is_leading };
                self.recipes.entry(call.to.file.clone()).or_default().push(recipes);
            } else if is_part {
                whole.insert(call.to.file.clone());
            }
            // The calls of the gate itself come first.
            if call.role == Role::Before && !self.called.contains_key(&call.to.file) {
                self.before.insert(call.to.file.clone());
            }
            let found = if call.role == Role::Beside { &mut self.beside } else { &mut self.called };
            found.entry(call.to.file.clone()).or_insert_with(|| call.from.file.clone());
        }
        for (file, by) in leads.read_by_themselves(graph) {
            whole.insert(file.clone());
            if !self.called.contains_key(&file) {
                self.started.insert(file.clone());
                self.called.insert(file, by);
            }
        }
        self.recipes.retain(|path, _| !whole.contains(path.as_str()));
        let files = self.called.keys();
        self.submodules = files.filter(|file| tree.special(file) == Some(Special::Submodule)).cloned().collect();
        // Files that CI includes are as much CI as those that include them.
        let included = leads.leading.iter().map(|node| &node.file).filter(|file| !self.called.contains_key(*file));
        self.runs.extend(included.cloned());
        for path in &self.runs {
            self.called.remove(path);
        }
        let (runs, called) = (&self.runs, &self.called);
        self.beside.retain(|path, _| !runs.contains(path) && !called.contains_key(path));
    }

    /// Files that the same jobs and files would call in another state of the repository.
    pub(super) fn called_in(&self, tree: &dyn Tree) -> Later {
        let files: BTreeSet<&str> = self.runs.iter().map(String::as_str).collect();
        let graph = graph_from(tree, files.into_iter());
        let calls = self.leads.walk(&graph).into_iter().filter(|call| call.role != Role::Beside);
        let mut found = Later::default();
        for (file, by) in calls.map(|call| (&call.to.file, &call.from.file)) {
            found.called.entry(file.clone()).or_insert_with(|| by.clone());
        }
        for (file, by) in self.leads.read_by_themselves(&graph) {
            if !found.called.contains_key(&file) {
                found.started.insert(file.clone());
                found.called.insert(file, by);
            }
        }
        found
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

    fn named(&mut self, tree: &dyn Tree, workflows: &Workflows<'_>, leading: &BTreeSet<Node>) {
        for path in &self.runs {
            let is_gate = |key: &str| leading.contains(&Node::job(path, key));
            if dialect(path) == Some(Dialect::Workflow) {
                let Ok(jobs) = workflows.jobs(path) else {
                    self.is_unnamed = true;
                    continue;
                };
                let own: BTreeSet<String> = jobs.iter().map(|job| job.key.clone()).filter(|key| is_gate(key)).collect();
                let judging = match tree.read(path) {
                    Content::Text(text) => super::jobs::judging(&text, &own),
                    _ => BTreeSet::new(),
                };
                let named = |keys: &BTreeSet<String>| {
                    let jobs = jobs.iter().filter(|job| keys.contains(&job.key));
                    jobs.flat_map(|job| job.names.iter().cloned()).collect::<Vec<_>>()
                };
                self.names.extend(named(&own));
                self.names.extend(named(&judging).into_iter().filter(|name| !name.is_unknown()));
                continue;
            }
            // Their jobs have no names here.
            if dialect(path) == Some(Dialect::Other) {
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

/// The keys of the jobs that those of the gate extend, directly or through others. Files of a pipeline share their keys.
fn bases(graph: &Graph, leading: &BTreeSet<Node>) -> BTreeSet<String> {
    let mut extended: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let of_pipeline = graph.calls.iter().filter(|(node, _)| dialect(&node.file) != Some(Dialect::Workflow));
    for (node, called) in of_pipeline {
        let Part::Job(key) = &node.part else { continue };
        let called =
            called.iter().filter_map(|node| if let Part::Job(key) = &node.part { Some(key.as_str()) } else { None });
        extended.entry(key).or_default().extend(called);
    }
    let keys = leading.iter().filter(|node| dialect(&node.file) != Some(Dialect::Workflow));
    let mut open: Vec<&str> =
        keys.filter_map(|node| if let Part::Job(key) = &node.part { Some(key.as_str()) } else { None }).collect();
    let mut found = BTreeSet::new();
    while let Some(key) = open.pop() {
        let bases = extended.remove(key);
        open.extend(bases.into_iter().flatten().filter(|base| found.insert((*base).to_owned())));
    }
    found
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

/// A job that uses a workflow of another repository runs the gate if one of the two has the name of the gate.
fn central(graph: &mut Graph, workflows: &Workflows<'_>) {
    let is_known = graph.naming.iter().any(|node| dialect(&node.file).is_some() || matches!(node.part, Part::Lines(_)));
    for (node, used) in graph.elsewhere.clone() {
        let names = match &node.part {
            Part::Job(key) if is_workflow(&used) => names_of_call(workflows, &node, key, &used),
            // Nothing of a submodule can be read here.
            Part::Job(_) if used.starts_with(SUBMODULE) => vec![used.clone()],
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
