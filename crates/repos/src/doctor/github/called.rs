//! Workflows that a job calls: one of this repository is judged as if its jobs stood in the caller; of another one nothing
//! is known here.

use std::collections::BTreeMap;

use super::{Started, Workflow, judges, steps};
use crate::doctor::{Check, Gate, State};
use crate::repo_audit::{Document, Language, member, members, text};
use agent_strace_policy::json::{Data, Key, Value};

/// Workflows below each other: more than GitHub allows.
const DEPTH: usize = 10;
/// Calls that one workflow leads to: more than GitHub allows.
pub(super) const CALLS: usize = 200;

impl Workflow<'_> {
    /// The gates behind the `uses` of a job.
    pub(super) fn called(&self, key: &Key, job: &Value, started: &Started<'_>) -> Vec<Gate> {
        let Some(used) = member(job, "uses").and_then(text) else { return Vec::new() };
        let mut gates = match used.strip_prefix("./") {
            Some(path) => {
                let given = member(job, "with").map(inputs).unwrap_or_default();
                let rights = member(job, "permissions").or_else(|| member(&self.document.root, "permissions"));
                self.below(path, given, rights, started, DEPTH)
            }
            None => self.elsewhere(key, job, used),
        };
        let own = self.named(key, job);
        for gate in &mut gates {
            gate.job = format!("{} / {}", own.job, gate.job);
            gate.file.clone_from(&own.file);
            gate.key.clone_from(&own.key);
            gate.line = own.line;
            gate.needs.clone_from(&own.needs);
            self.runs(job, &started.occasions, &mut gate.checks);
        }
        gates
    }

    /// The gates in a workflow of this repository, with what its caller passes.
    fn below(
        &self,
        path: &str,
        given: BTreeMap<String, Value>,
        rights: Option<&Value>,
        started: &Started<'_>,
        depth: usize,
    ) -> Vec<Gate> {
        let left = started.calls.get().checked_sub(1);
        let (Some(depth), Some(left)) = (depth.checked_sub(1), left) else { return Vec::new() };
        started.calls.set(left);
        // A file that can't be read has a check of its own.
        let Some((path, Ok(content))) = self.held.pipelines.iter().find(|(name, _)| name == path) else {
            return Vec::new();
        };
        let Ok(mut document) = Document::read(Language::Yaml, content) else { return Vec::new() };
        let known = with_defaults(&document.root, given);
        fill(&mut document.root, &known);
        let workflow = Workflow { path, document, held: self.held };
        let mut gates = Vec::new();
        for (key, job) in member(&workflow.document.root, "jobs").map(members).unwrap_or_default() {
            let mut found = Vec::new();
            if steps(job).iter().any(judges) {
                let mut gate = workflow.named(key, job);
                workflow.runs(job, &started.occasions, &mut gate.checks);
                workflow.gate(job, rights, started, &mut gate);
                found.push(gate);
            }
            found.extend(workflow.further(key, job, rights, started, depth));
            for gate in &mut found {
                gate.parts.push(path.clone());
            }
            gates.extend(found);
        }
        gates
    }

    /// The gates behind a job of a called workflow that calls another one.
    fn further(
        &self,
        key: &Key,
        job: &Value,
        rights: Option<&Value>,
        started: &Started<'_>,
        depth: usize,
    ) -> Vec<Gate> {
        let used = member(job, "uses").and_then(text).and_then(|used| used.strip_prefix("./"));
        let Some(next) = used else { return Vec::new() };
        let given = member(job, "with").map(inputs).unwrap_or_default();
        let own = member(job, "permissions").or_else(|| member(&self.document.root, "permissions"));
        let mut found = self.below(next, given, own.or(rights), started, depth);
        let name = self.named(key, job).job;
        for gate in &mut found {
            gate.job = format!("{name} / {}", gate.job);
            self.runs(job, &started.occasions, &mut gate.checks);
        }
        found
    }

    /// A workflow of another repository, where its name or that of the job says that it is the gate.
    fn elsewhere(&self, key: &Key, job: &Value, used: &str) -> Vec<Gate> {
        let own = self.named(key, job);
        let is_gate = [used, &own.job, &key.name].iter().any(|name| is_called_like_the_gate(name));
        if !used.contains("/.github/workflows/") || !is_gate {
            return Vec::new();
        }
        let name = used.split('@').next().unwrap_or(used).rsplit('/').next().unwrap_or(used);
        let mut gate = Gate::new(self.path, name, &key.name, own.line);
        let message = format!(
            "`{used}` is a workflow of another repository, and nothing of it is read here: examine it there, or call the \
             action in this workflow"
        );
        gate.checks.push(Check::new("gate/called", State::Unknown, message).at(self.path, own.line));
        vec![gate]
    }
}

pub(super) fn is_called_like_the_gate(name: &str) -> bool {
    let folded = name.to_ascii_lowercase();
    let words: Vec<&str> = folded.split(|letter: char| !letter.is_alphanumeric()).collect();
    words.concat().contains("agentstrace") || words.contains(&"gate")
}

fn inputs(with: &Value) -> BTreeMap<String, Value> {
    members(with).iter().map(|(key, value)| (key.name.clone(), value.clone())).collect()
}

/// The inputs of a workflow: what its caller passes, else what it says itself.
fn with_defaults(root: &Value, given: BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    let declared = ["on", "workflow_call", "inputs"].iter().try_fold(root, |value, name| member(value, name));
    let mut inputs = given;
    for (key, input) in declared.map(members).unwrap_or_default() {
        let empty = Value { span: key.span.clone(), data: Data::Text(String::new()) };
        let value = member(input, "default").cloned().unwrap_or(empty);
        inputs.entry(key.name.clone()).or_insert(value);
    }
    inputs
}

/// Puts inputs in place of `${{ inputs.NAME }}`, wherever it stands.
fn fill(value: &mut Value, inputs: &BTreeMap<String, Value>) {
    match &mut value.data {
        Data::List(items) => items.iter_mut().for_each(|item| fill(item, inputs)),
        Data::Object(members) => members.iter_mut().for_each(|(_, value)| fill(value, inputs)),
        Data::Text(text) if text.contains("inputs.") => {
            let whole = text.trim().strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}")).map(str::trim);
            let named = whole.and_then(|inner| inner.strip_prefix("inputs.")).and_then(|name| inputs.get(name));
            match named {
                Some(input) => value.data = input.data.clone(),
                None => *text = filled(text, inputs),
            }
        }
        _ => {}
    }
}

fn filled(text: &str, inputs: &BTreeMap<String, Value>) -> String {
    let mut done = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${{") {
        let (inner, after) = behind.split_once("}}").unwrap_or((behind, ""));
        let input = inner.trim().strip_prefix("inputs.").and_then(|name| inputs.get(name));
        done.push_str(before);
        match input.map(|input| &input.data) {
            Some(Data::Text(text)) => done.push_str(text),
            Some(Data::Number(number)) => done.push_str(number),
            Some(Data::Bool(value)) => done.push_str(&value.to_string()),
            _ => done.extend(["${{", inner, "}}"]),
        }
        rest = after;
    }
    done.push_str(rest);
    done
}
