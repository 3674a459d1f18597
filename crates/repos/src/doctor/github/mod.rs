//! Workflows of GitHub: jobs that judge pull requests, and everything that lets one of them not do that.

mod actions;
mod before;
mod called;
mod condition;
mod fetched;
mod inputs;
mod job;
mod reviewed;
mod shell;
mod triggers;

use std::cell::Cell;
use std::collections::BTreeMap;

use super::answer::Fault;
use super::scene::{Origin, Scene};
use super::script::{first_call, verdicts};
use super::{Check, Gate, Held, State, sources};
use crate::repo_audit::{self, Document, Language, items, member, members, text};
use agent_strace_policy::json::{Data, Value};
use triggers::{Occasion, Trigger};

/// A workflow with the locations of what is in it.
struct Workflow<'t> {
    path: &'t str,
    document: Document<'t>,
    held: &'t Held<'t>,
}

/// How a workflow is started, and by whose hand.
struct Started<'v> {
    proposals: Vec<&'v Trigger<'v>>,
    /// The runs whose check lands on the head commit of a change.
    occasions: Vec<Occasion<'v>>,
    origin: Origin,
    bases: super::scene::Bases,
    /// Calls of workflows that are still followed.
    calls: Cell<usize>,
}

pub(super) fn gates(path: &str, content: &str, held: &Held<'_>) -> Result<Vec<Gate>, Box<Check>> {
    let document = match Document::read(Language::Yaml, content) {
        Ok(document) => document,
        // The names of its jobs count, and are missed elsewhere.
        Err(_) if !content.contains("agent-strace") => return Ok(Vec::new()),
        Err(fault) => {
            return Err(Box::new(Check::new("gate/readable", State::Unknown, fault.reason).at(path, fault.line)));
        }
    };
    let workflow = Workflow { path, document, held };
    let root = &workflow.document.root;
    let triggers = triggers::of(root);
    let proposals: Vec<&Trigger<'_>> =
        triggers.iter().filter(|trigger| matches!(trigger.name, "pull_request" | "pull_request_target")).collect();
    if proposals.is_empty() {
        return Ok(Vec::new());
    }
    let is_independent = proposals.iter().all(|trigger| trigger.name == "pull_request_target");
    let origin = if is_independent { Origin::Base } else { Origin::Change };
    let occasions = triggers::occasions(&triggers, &held.default_branches);
    let bases = triggers::bases(&proposals);
    let started = Started { bases, origin, proposals, occasions, calls: Cell::new(called::CALLS) };
    let mut gates = Vec::new();
    for (key, job) in member(root, "jobs").map(members).unwrap_or_default() {
        let mut found = Vec::new();
        if steps(job).iter().any(judges) {
            let mut gate = workflow.named(key, job);
            workflow.runs(job, &started.occasions, &mut gate.checks);
            workflow.gate(job, None, &started, &mut gate);
            found.push(gate);
        }
        found.extend(workflow.called(key, job, &started));
        for gate in &mut found {
            gate.is_independent = is_independent;
            workflow.starts(&started.proposals, &triggers, &mut gate.checks);
        }
        gates.extend(found);
    }
    views(&mut gates);
    Ok(gates)
}

/// Steps whose action is a file of this repository that is called like the gate: nothing of it is read here.
pub(super) fn unread(path: &str, content: &str) -> Vec<Check> {
    let Ok(document) = Document::read(Language::Yaml, content) else { return Vec::new() };
    let jobs = member(&document.root, "jobs").map(members).unwrap_or_default();
    let own = jobs.iter().flat_map(|(_, job)| steps(job)).filter_map(|step| member(step, "uses"));
    let own = own
        .filter(|used| text(used).is_some_and(|used| used.starts_with("./") && called::is_called_like_the_gate(used)));
    let checks = own.map(|used| {
        let message = format!(
            "`{}` is an action of this repository, and nothing of it is read here: call the action of the gate in the \
             workflow",
            text(used).unwrap_or_default()
        );
        Check::new("gate/called", State::Unknown, message).at(path, document.line(&used.span))
    });
    checks.collect()
}

/// A job that another gate waits for has no verdict of its own: the last one decides.
fn views(gates: &mut [Gate]) {
    let is_intact = |gate: &&Gate| !gate.checks.iter().any(Check::is_fatal);
    let needed: BTreeMap<String, String> = gates
        .iter()
        .filter(is_intact)
        .flat_map(|gate| gate.needs.iter().map(|need| (need.clone(), gate.job.clone())))
        .collect();
    for gate in gates {
        let Some(last) = needed.get(&gate.key) else { continue };
        gate.is_view = true;
        gate.checks.clear();
        let message =
            format!("the job `{last}` waits for it and has the verdict: do not require the check `{}`", gate.job);
        gate.checks.push(Check::new("gate/view", State::Good, message).at(&gate.file, gate.line));
    }
}

fn steps(job: &Value) -> &[Value] {
    member(job, "steps").map(items).unwrap_or_default()
}

/// Whether a step gives a verdict about a change.
fn judges(step: &Value) -> bool {
    uses(step).is_some_and(is_gate_action)
        || member(step, "run").and_then(text).is_some_and(|script| first_call(script).is_some())
}

/// The action of the gate: its name comes last, of whichever owner.
fn is_gate_action(used: &str) -> bool {
    let name = used.split('@').next().unwrap_or(used);
    repo_audit::is_gate_action(used) && name.ends_with("/agent-strace") && !name.contains("://")
}

fn uses(step: &Value) -> Option<&str> {
    member(step, "uses").and_then(text)
}

fn is_expression(value: &Value) -> bool {
    text(value).is_some_and(|text| text.contains("${{"))
}

/// The words of a list, or the one word.
fn words(value: &Value) -> Vec<&str> {
    items(value).iter().filter_map(text).chain(text(value)).collect()
}

fn is_true(value: &Value) -> bool {
    let folded = text(value).map(|text| text.replace([' ', '$', '{', '}'], ""));
    matches!(value.data, Data::Bool(true)) || folded.as_deref() == Some("true")
}

impl Workflow<'_> {
    fn push(&self, id: &'static str, state: State, at: &Value, message: &str, checks: &mut Vec<Check>) {
        checks.push(Check::new(id, state, message).at(self.path, self.document.line(&at.span)));
    }

    fn report(&self, fault: Fault, at: &Value, checks: &mut Vec<Check>) {
        checks.push(fault.at(self.path, self.document.line(&at.span)));
    }

    fn defeat(&self, id: &'static str, at: &Value, message: &str, checks: &mut Vec<Check>) {
        self.report(Fault::defeats(id, message), at, checks);
    }

    /// The gate that a job is, under the name of its check.
    fn named(&self, key: &agent_strace_policy::json::Key, job: &Value) -> Gate {
        let name = member(job, "name").and_then(text).unwrap_or(&key.name);
        let mut gate = Gate::new(self.path, name, &key.name, self.document.line(&key.span));
        gate.needs = member(job, "needs").map(words).unwrap_or_default().into_iter().map(str::to_owned).collect();
        gate
    }

    /// The job of a gate, and its steps. `caller`: the permissions of the job that calls the workflow.
    fn gate(&self, job: &Value, caller: Option<&Value>, started: &Started<'_>, gate: &mut Gate) {
        let mut checks = Vec::new();
        let mut scene = Scene::new(self.held, started.origin, started.bases);
        self.job(gate.line, job, caller, &mut checks);
        self.before(job, &mut scene, &mut checks);
        scene.moves = sources::moves(&scene.scripts, &scene);
        for step in steps(job).iter().filter(|step| judges(step)) {
            self.condition(step, job, &started.occasions, &mut checks);
            self.step(step, job, &scene, &mut gate.policies, &mut checks);
        }
        if started.origin == Origin::Base {
            self.checks_nothing_out(job, &scene, &mut checks);
            let message = "it runs as it is on the branch that is merged into, whatever the change brings";
            checks.push(Check::new("gate/independent", State::Good, message).at(&gate.file, gate.line));
        }
        gate.checks.extend(checks);
    }

    /// The step that judges.
    fn step(&self, step: &Value, job: &Value, scene: &Scene<'_>, policies: &mut Vec<String>, checks: &mut Vec<Check>) {
        if let Some(value) = member(step, "continue-on-error").filter(|value| is_expression(value) && !is_true(value)) {
            let message = "where this holds, the gate fails without a consequence: take it out";
            self.defeat("gate/forgiven", value, message, checks);
        }
        if let Some(value) = member(step, "continue-on-error").filter(|value| is_true(value)) {
            let message = "`continue-on-error` lets the gate fail without a consequence: take it out";
            self.defeat("gate/forgiven", value, message, checks);
        }
        if let Some(run) = member(step, "run") {
            self.environment(step, checks);
            self.script(run, step, job, scene, policies, checks);
        }
        let Some(action) = uses(step).filter(|uses| is_gate_action(uses)) else { return };
        self.pinned(action, step, checks);
        self.inputs(step, scene, policies, checks);
    }

    fn script(
        &self,
        run: &Value,
        step: &Value,
        job: &Value,
        scene: &Scene<'_>,
        policies: &mut Vec<String>,
        checks: &mut Vec<Check>,
    ) {
        let shell = match self.shell(step, job) {
            Ok(shell) => shell,
            Err((fault, at)) => return self.report(fault, at, checks),
        };
        let mut scene = scene.clone();
        scene.folder = self.of_run(step, job, "working-directory").and_then(text).map(str::to_owned);
        for of in [step, job, &self.document.root] {
            for (key, value) in member(of, "env").map(members).unwrap_or_default() {
                let value = text(value).unwrap_or_default().to_owned();
                scene.variables.entry(key.name.clone()).or_insert(value);
            }
        }
        for verdict in verdicts(text(run).unwrap_or_default(), shell, &scene) {
            policies.extend(verdict.policy);
            if let Some(source) = &verdict.source {
                self.source(run, source, &scene, checks);
            }
            verdict.faults.into_iter().for_each(|fault| self.report(fault, run, checks));
        }
    }

    fn pinned(&self, action: &str, step: &Value, checks: &mut Vec<Check>) {
        let value = member(step, "uses").unwrap_or(step);
        let commit = action.split_once('@').map_or("", |(_, version)| version);
        if action.starts_with("./") {
            let message = "the change brings the action that judges it: use it at a commit";
            self.defeat("gate/pinned", value, message, checks);
        } else if commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            self.push("gate/pinned", State::Good, value, "the action is pinned by a commit", checks);
        } else {
            let message = "a tag or a branch can be moved to other code: pin the action by all digits of a commit";
            self.push("gate/pinned", State::Weak, value, message, checks);
        }
    }
}
