//! How a script calls the program: whether what it judges by could be changed by what it judges, and whether its exit code
//! is that of the script.

mod call;
mod end;
mod flow;
mod words;

use std::collections::BTreeMap;

use agent_strace_shell::{Home, Script, parse_at};

use super::answer::Fault;
use super::scene::Scene;
use super::sources;
use crate::repo_audit::gate_calls;
pub(super) use call::Verdict;
use call::is_verdict;
use words::NAME;

/// How a shell goes on where a command fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shell {
    /// `set -e`
    pub(super) stops_at_failure: bool,
    /// `set -o pipefail`
    pub(super) fails_with_pipe: bool,
}

impl Shell {
    /// A script of a step without `shell`.
    pub(super) const PLAIN: Self = Self { stops_at_failure: true, fails_with_pipe: false };
    /// `shell: bash`, and scripts of GitLab.
    pub(super) const STRICT: Self = Self { stops_at_failure: true, fails_with_pipe: true };
    /// A shell without options.
    pub(super) const BARE: Self = Self { stops_at_failure: false, fails_with_pipe: false };
}

/// Where the first call of a script begins that judges.
pub(super) fn first_call(script: &str) -> Option<usize> {
    let plain = without_expressions(script);
    if !plain.contains(NAME) {
        return None;
    }
    let parsed = parse_at(&plain, Home::piece(0, plain.len()));
    let mut first: Option<usize> = None;
    words::visit_all(&parsed, &mut |simple| {
        if let Some(start) = words::start(simple).filter(|start| is_verdict(&start.arguments)) {
            first = Some(first.map_or(start.offset, |first| first.min(start.offset)));
        }
    });
    first.or_else(|| is_called_elsewhere(&plain).then(|| plain.find(NAME).unwrap_or_default()))
}

/// By another program: `bash -c 'agent-strace …'`.
fn is_called_elsewhere(plain: &str) -> bool {
    gate_calls(plain).iter().any(|words| is_verdict(words))
}

/// The calls in a script that give a verdict. Where one of them is in force, others only show it.
pub(super) fn verdicts(script: &str, shell: Shell, scene: &Scene<'_>) -> Vec<Verdict> {
    let plain = without_expressions(script);
    if !plain.contains(NAME) {
        return Vec::new();
    }
    let parsed = parse_at(&plain, Home::piece(0, plain.len()));
    let mut scene = scene.with_expressions(&expressions(script));
    let set = variables(&parsed, &mut scene);
    let stands = flow::calls(&parsed, shell);
    let mut found: Vec<Verdict> = Vec::new();
    for stand in stands {
        let Some(start) = words::start(stand.simple) else { continue };
        let mut verdict = call::verdict(&start, &scene);
        verdict.faults.extend(stand.fault);
        verdict.faults.extend(call::elsewhere(&start, stand.folder.as_deref(), &scene));
        verdict.faults.extend(set.iter().cloned());
        found.push(verdict);
    }
    if found.is_empty() {
        if !is_called_elsewhere(&plain) {
            return found;
        }
        let message = "another program starts the gate, and nothing here says that its exit code counts: call it on a line of its own";
        found.push(Verdict { faults: vec![Fault::unknown("gate/forgiven", message)], ..Verdict::default() });
    }
    if !parsed.problems.is_empty() {
        let fault = Fault::unknown("gate/readable", "the script is not understood as one of a shell: simplify it");
        for verdict in &mut found {
            verdict.faults.push(fault.clone());
        }
    }
    let is_intact = |verdict: &Verdict| !verdict.faults.iter().any(Fault::is_fatal);
    if found.iter().any(is_intact) {
        found.retain(is_intact);
    }
    found
}

/// Takes over the variables that a script sets, and finds those that steer the gate.
fn variables(script: &Script, scene: &mut Scene<'_>) -> Vec<Fault> {
    let mut set: Vec<(String, String)> = Vec::new();
    words::visit_all(script, &mut |simple| set.extend(words::assigned(simple)));
    let mut faults = Vec::new();
    for (name, value) in &set {
        if name == "PATH" {
            faults.extend(sources::of_path(&scene.resolved(value), scene));
        } else if name != "GIT_DIR" {
            faults.extend(sources::of_variable(name));
        }
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, _) in &set {
        *counts.entry(name).or_default() += 1;
    }
    for (name, value) in set.iter().filter(|(name, _)| counts.get(name.as_str()) == Some(&1)) {
        let is_known = !value.contains("$(…)");
        if is_known && !scene.variables.contains_key(name) {
            let value = scene.resolved(value);
            scene.variables.insert(name.clone(), value);
        }
    }
    faults
}

/// The functions and files of a script.
#[derive(Debug, Default)]
pub(super) struct Shape {
    pub(super) functions: Vec<String>,
    /// Files that redirections write.
    pub(super) written: Vec<String>,
}

pub(super) fn shape(script: &str) -> Shape {
    let parsed = parse_at(script, Home::piece(0, script.len()));
    let mut shape = Shape::default();
    words::shape(&parsed, &mut shape);
    shape
}

/// Begins a word that stands for an expression of the forge in a script.
pub(super) const MARK: &str = "__expression_";

/// The expressions of the forge in a text, in order.
fn expressions(text: &str) -> Vec<String> {
    let parts = text.split("${{").skip(1);
    parts.map(|part| format!("${{{{{}}}}}", part.split("}}").next().unwrap_or_default())).collect()
}

/// The script as a shell can read it: each expression is a word.
pub(super) fn without_expressions(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for (number, part) in text.split("${{").enumerate() {
        match (number.checked_sub(1), part.split_once("}}")) {
            (Some(number), Some((_, rest))) => {
                plain.extend([MARK, &number.to_string(), "__"]);
                plain.push_str(rest);
            }
            (Some(_), None) => plain.push_str("${{"),
            (None, _) => plain.push_str(part),
        }
    }
    plain
}
