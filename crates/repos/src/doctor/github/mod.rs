//! Workflows of GitHub: jobs that judge pull requests, and everything that lets one of them not do that.

mod before;
mod inputs;
mod job;
mod reviewed;
mod triggers;

use super::call::verdicts;
use super::{Check, Gate, Held, State};
use crate::repo_audit::{Document, Language, is_gate_action, items, member, members, settings_hits, text};
use agent_strace_policy::json::{Data, Value};
use triggers::Trigger;

/// Conditions under which a step or job runs whatever happened before.
const ALWAYS: &[&str] = &["always()", "!cancelled()", "!(cancelled())", "success()||failure()"];

/// A workflow with the locations of what is in it.
struct Workflow<'t> {
    path: &'t str,
    document: Document<'t>,
    held: &'t Held<'t>,
}

pub(super) fn gates(path: &str, text: &str, held: &Held<'_>) -> Result<Vec<Gate>, Box<Check>> {
    if !text.contains("agent-strace") {
        return Ok(Vec::new());
    }
    let document = Document::read(Language::Yaml, text).map_err(|fault| {
        Box::new(Check::new("gate/readable", State::Unknown, fault.reason.clone()).at(path, fault.line))
    })?;
    let workflow = Workflow { path, document, held };
    let root = &workflow.document.root;
    let triggers = triggers::of(root);
    let proposals: Vec<&Trigger<'_>> =
        triggers.iter().filter(|trigger| matches!(trigger.name, "pull_request" | "pull_request_target")).collect();
    if proposals.is_empty() {
        return Ok(Vec::new());
    }
    let jobs = member(root, "jobs").map(members).unwrap_or_default().iter();
    let judging = jobs.filter(|(_, job)| steps(job).iter().any(judges));
    let gates = judging.map(|(key, job)| {
        let name = member(job, "name").and_then(self::text).unwrap_or(&key.name);
        let mut gate = Gate::new(path, name, &key.name, workflow.document.line(&key.span));
        gate.is_independent = proposals.iter().all(|trigger| trigger.name == "pull_request_target");
        workflow.starts(&proposals, &triggers, &mut gate.checks);
        workflow.gate(job, &mut gate);
        workflow.forgiven(text, &mut gate.checks);
        gate
    });
    Ok(gates.collect())
}

fn steps(job: &Value) -> &[Value] {
    member(job, "steps").map(items).unwrap_or_default()
}

/// Whether a step gives a verdict about a change.
fn judges(step: &Value) -> bool {
    uses(step).is_some_and(is_gate_action) || !run_verdicts(step, None).is_empty()
}

fn uses(step: &Value) -> Option<&str> {
    member(step, "uses").and_then(text)
}

fn run_verdicts(step: &Value, store: Option<&str>) -> Vec<super::call::Verdict> {
    member(step, "run").and_then(text).map(|script| verdicts(script, store)).unwrap_or_default()
}

fn runs_always(condition: &str) -> bool {
    let bare = condition.trim().trim_start_matches("${{").trim_end_matches("}}");
    let bare: String = bare.chars().filter(|letter| !letter.is_whitespace()).collect();
    ALWAYS.contains(&bare.as_str())
}

fn is_expression(value: &Value) -> bool {
    text(value).is_some_and(|text| text.contains("${{"))
}

impl Workflow<'_> {
    fn push(&self, id: &'static str, state: State, at: &Value, message: &str, checks: &mut Vec<Check>) {
        checks.push(Check::new(id, state, message).at(self.path, self.document.line(&at.span)));
    }

    /// Something that the author of a change can use to get around the gate, or that may be.
    fn limit(&self, id: &'static str, at: &Value, message: &str, checks: &mut Vec<Check>) {
        checks.push(Check::new(id, State::Weak, message).at(self.path, self.document.line(&at.span)).limiting());
    }

    fn defeat(&self, id: &'static str, at: &Value, message: &str, checks: &mut Vec<Check>) {
        self.push(id, State::Defeated, at, message, checks);
    }

    /// The job of a gate, and its steps.
    fn gate(&self, job: &Value, gate: &mut Gate) {
        let mut checks = Vec::new();
        self.job(gate.line, job, &mut checks);
        self.before(job, gate, &mut checks);
        for step in steps(job).iter().filter(|step| judges(step)) {
            self.step(step, steps(job), &mut gate.policies, &mut checks);
        }
        if gate.is_independent {
            self.checks_nothing_out(job, &mut checks);
            let message = "it runs as it is on the branch that is merged into, whatever the change brings";
            checks.push(Check::new("gate/independent", State::Good, message).at(self.path, gate.line));
        }
        gate.checks.extend(checks);
    }

    fn step(&self, step: &Value, steps: &[Value], policies: &mut Vec<String>, checks: &mut Vec<Check>) {
        if let Some(condition) = member(step, "if").filter(|value| !text(value).is_some_and(runs_always)) {
            let message = "the step is left out where this does not hold: take the condition out";
            self.defeat("gate/skipped", condition, message, checks);
        }
        if let Some(value) = member(step, "continue-on-error").filter(|value| is_expression(value)) {
            let message = "where this holds, the gate fails without a consequence: take it out";
            self.defeat("gate/forgiven", value, message, checks);
        }
        for verdict in run_verdicts(step, Some(&self.held.store)) {
            policies.extend(verdict.policy);
            for (id, fault) in &verdict.faults {
                self.defeat(id, member(step, "run").unwrap_or(step), fault, checks);
            }
        }
        if member(step, "run").is_some() {
            self.shell(step, checks);
        }
        let Some(action) = uses(step).filter(|uses| is_gate_action(uses)) else { return };
        self.pinned(action, step, checks);
        self.inputs(step, steps, policies, checks);
    }

    /// A shell that does not run the text, or goes on behind a failure.
    fn shell(&self, step: &Value, checks: &mut Vec<Check>) {
        let Some(shell) = member(step, "shell") else { return };
        let words: Vec<&str> = text(shell).unwrap_or_default().split_whitespace().collect();
        let is_plain = words.first().is_some_and(|name| ["bash", "sh", "pwsh", "powershell"].contains(name))
            && !words.contains(&"-c")
            && (words.len() == 1 || words.iter().any(|word| word.starts_with("-e") || word.starts_with("--noprofile")));
        if !is_plain {
            let message = "this shell decides whether the gate is run and whether its exit code counts: take it out";
            self.defeat("gate/shell", shell, message, checks);
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

    /// Finds settings that let a gate fail without a consequence.
    fn forgiven(&self, text: &str, checks: &mut Vec<Check>) {
        for hit in settings_hits(self.path, text).unwrap_or_default() {
            let line = hit.location.line.unwrap_or(1);
            checks.push(Check::new("gate/forgiven", State::Defeated, hit.message).at(self.path, line));
        }
    }
}

/// The words of a list, or the one word.
fn words(value: &Value) -> Vec<&str> {
    items(value).iter().filter_map(text).chain(text(value)).collect()
}

fn is_true(value: &Value) -> bool {
    matches!(value.data, Data::Bool(true))
}
