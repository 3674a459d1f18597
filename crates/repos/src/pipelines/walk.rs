//! The calls that begin at the jobs of the gate, and how each of them matters.

use std::collections::{BTreeMap, BTreeSet};

use super::calls::{Graph, Node, Part, names_gate};

/// How calls lead to the gate at the base.
#[derive(Debug, Default)]
pub(super) struct Leads {
    /// Everything from which calls lead to a text that names the gate.
    pub(super) leading: BTreeSet<Node>,
    /// The last step of each job that leads to the gate.
    last: BTreeMap<Node, usize>,
    /// Commands that lead to the gate, whose programs read files by themselves.
    started: BTreeSet<Vec<String>>,
}

/// A call of a file or a recipe.
pub(super) struct Call<'g> {
    pub(super) from: &'g Node,
    pub(super) to: &'g Node,
    pub(super) role: Role,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It leads to the gate, or the gate runs it.
    Called,
    /// It runs in an earlier step of the job, and may replace the program of the gate or set its variables.
    Before,
    /// The gate is over when it runs.
    Beside,
}

impl Leads {
    pub(super) fn of(graph: &Graph) -> Self {
        let leading = leading(graph);
        let last = last_steps(graph, &leading);
        let started = started(graph, &leading);
        Self { leading, last, started }
    }

    /// All calls that begin at the jobs of the gate, those of the gate itself first.
    pub(super) fn walk<'g>(&'g self, graph: &'g Graph) -> Vec<Call<'g>> {
        let mut open: Vec<&Node> = self.leading.iter().collect();
        let mut seen: BTreeSet<&Node> = open.iter().copied().collect();
        let (mut calls, mut earlier) = (Vec::new(), Vec::new());
        while let Some(from) = open.pop() {
            for to in graph.calls.get(from).into_iter().flatten() {
                let role = self.role(graph, from, to);
                match role {
                    Role::Called if seen.insert(to) => open.push(to),
                    Role::Called | Role::Beside => {}
                    Role::Before => {
                        earlier.push(Call { from, to, role });
                        continue;
                    }
                }
                calls.push(Call { from, to, role });
            }
        }
        let mut open: Vec<&Node> = earlier.iter().map(|call| call.to).filter(|to| seen.insert(to)).collect();
        calls.extend(earlier);
        while let Some(from) = open.pop() {
            for to in graph.calls.get(from).into_iter().flatten() {
                calls.push(Call { from, to, role: Role::Before });
                open.extend(Some(to).filter(|to| seen.insert(to)));
            }
        }
        calls
    }

    fn role(&self, graph: &Graph, from: &Node, to: &Node) -> Role {
        let steps = || graph.steps.get(&(from.clone(), to.clone())).zip(self.last.get(from));
        let is_recipe = matches!(to.part, Part::Lines(_));
        if self.leading.contains(to) {
            return Role::Called;
        }
        match steps() {
            Some(((_, end), last)) if end < last => Role::Before,
            Some(((first, _), last)) if is_recipe && first > last => Role::Beside,
            _ => Role::Called,
        }
    }

    /// Files that programs read by themselves, of commands that lead to the gate.
    pub(super) fn read_by_themselves(&self, graph: &Graph) -> Vec<(String, String)> {
        let starts = graph.starts.iter().filter(|start| self.started.contains(&start.words));
        let found = starts.flat_map(|start| {
            // Of its recipes only those count that it runs.
            let is_recipes = |file: &&String| start.runs.iter().any(|node| node.is_recipes_of(file));
            let files = start.files.iter().filter(move |file| !is_recipes(file));
            files.map(|file| (file.clone(), start.from.file.clone()))
        });
        found.collect()
    }
}

/// Everything from which calls lead to a text that names the gate.
pub(super) fn leading(graph: &Graph) -> BTreeSet<Node> {
    let mut callers: BTreeMap<&Node, Vec<&Node>> = BTreeMap::new();
    for perhaps in &graph.perhaps {
        callers.entry(&perhaps.to).or_default().push(&perhaps.from);
    }
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

/// The last step of each job that leads to the gate.
fn last_steps(graph: &Graph, leading: &BTreeSet<Node>) -> BTreeMap<Node, usize> {
    let mut last = graph.naming_steps.clone();
    for ((from, _), (_, step)) in graph.steps.iter().filter(|((_, to), _)| leading.contains(to)) {
        let known = last.entry(from.clone()).or_insert(*step);
        *known = (*known).max(*step);
    }
    last
}

/// Commands that lead to the gate.
fn started(graph: &Graph, leading: &BTreeSet<Node>) -> BTreeSet<Vec<String>> {
    let starts = graph.starts.iter().filter(|start| {
        start.words.iter().any(|word| names_gate(word)) || start.runs.iter().any(|node| leading.contains(node))
    });
    starts.map(|start| start.words.clone()).collect()
}
