//! The job of a gate: whether it runs, with which rights, and where.

use super::{Workflow, is_expression, runs_always};
use crate::doctor::{Check, State};
use crate::repo_audit::{items, member, members, text};
use agent_strace_policy::json::{Data, Value};

/// Variables that decide which programs run, or what git and the gate read; `*` at the end stands for any rest.
const STEERING: &[&str] = &[
    "PATH",
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "PS4",
    "IFS",
    "LD_*",
    "DYLD_*",
    "GIT_*",
    "AST_*",
    "AGENT_*",
    "GITHUB_*",
    "RUNNER_*",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PYTHON*",
    "HOME",
    "XDG_*",
    "PSModulePath",
];

impl Workflow<'_> {
    pub(super) fn job(&self, line: u32, job: &Value, checks: &mut Vec<Check>) {
        let condition = member(job, "if");
        let always = condition.and_then(text).is_some_and(runs_always);
        if let Some(condition) = condition.filter(|_| !always) {
            let message = "a job that is skipped passes a required check: take the condition out";
            self.defeat("gate/skipped", condition, message, checks);
        }
        if let Some(needs) = member(job, "needs").filter(|_| !always) {
            let message = "where a job before it fails, it is skipped, and that passes a required check: take `needs` \
                           out, or add `if: ${{ !cancelled() }}`";
            self.defeat("gate/skipped", needs, message, checks);
        }
        if let Some(value) = member(job, "continue-on-error").filter(|value| is_expression(value)) {
            let message = "where this holds, the gate fails without a consequence: take it out";
            self.defeat("gate/forgiven", value, message, checks);
        }
        let matrix = member(job, "strategy").and_then(|strategy| member(strategy, "matrix"));
        if let Some(matrix) = matrix.filter(|matrix| has_expression(matrix)) {
            let message =
                "where this comes to nothing, the job is skipped, and that passes a required check: write it out";
            self.limit("gate/skipped", matrix, message, checks);
        }
        self.permissions(line, job, checks);
        self.machine(job, checks);
        self.environment(&self.document.root, checks);
        self.environment(job, checks);
        self.defaults(job, checks);
    }

    fn permissions(&self, line: u32, job: &Value, checks: &mut Vec<Check>) {
        let given = member(job, "permissions").or_else(|| member(&self.document.root, "permissions"));
        let Some(given) = given else {
            let message = "without `permissions` the job has what the repository gives by default: `contents: read` is \
                           all it needs";
            checks.push(Check::new("gate/permissions", State::Weak, message).at(self.path, line));
            return;
        };
        let writes = text(given) == Some("write-all")
            || members(given).iter().any(|(key, value)| {
                text(value) == Some("write") && !["security-events", "pull-requests"].contains(&key.name.as_str())
            });
        if writes {
            let message = "the job may write what it does not need to: `contents: read` is all it needs";
            self.push("gate/permissions", State::Weak, given, message, checks);
        }
    }

    /// The machine and the image that the gate runs on.
    fn machine(&self, job: &Value, checks: &mut Vec<Check>) {
        if let Some(container) = member(job, "container") {
            let image = member(container, "image").or(Some(container)).and_then(text).unwrap_or_default();
            if image.contains("${{") {
                let message = "the change may decide which image the gate runs in: name one by its digest";
                self.defeat("gate/container", container, message, checks);
            } else if !image.contains("@sha256:") {
                let message = "a tag can be moved to another image, whose programs the gate runs on: name the image by its \
                               digest, or take `container` out";
                self.limit("gate/container", container, message, checks);
            }
        }
        let Some(runner) = member(job, "runs-on") else { return };
        if has_expression(runner) {
            let message = "an expression says which machine runs the gate: write it out";
            self.limit("gate/runner", runner, message, checks);
        } else if names_own_machine(runner) {
            let message = "what other jobs leave on a machine of one's own can reach the gate: use one that is made anew for \
                           each job";
            self.push("gate/runner", State::Weak, runner, message, checks);
        }
    }

    /// `env` of a workflow, job or step.
    pub(super) fn environment(&self, of: &Value, checks: &mut Vec<Check>) {
        let Some(variables) = member(of, "env") else { return };
        if is_expression(variables) {
            let message = "an expression sets variables of the gate: write them out";
            return self.defeat("gate/environment", variables, message, checks);
        }
        for (key, value) in members(variables) {
            if is_steering(&key.name) {
                let message = format!(
                    "`{}` decides which programs run, or what the gate reads: take it out of the job that judges",
                    key.name
                );
                self.defeat("gate/environment", value, &message, checks);
            }
        }
    }

    fn defaults(&self, job: &Value, checks: &mut Vec<Check>) {
        for of in [job, &self.document.root] {
            let run = member(of, "defaults").and_then(|defaults| member(defaults, "run"));
            let Some(shell) = run.and_then(|run| member(run, "shell")) else { continue };
            if !text(shell).is_some_and(|shell| ["bash", "sh", "pwsh"].contains(&shell)) {
                let message = "this shell decides whether commands of the job are run at all: take it out";
                self.defeat("gate/shell", shell, message, checks);
            }
        }
    }
}

pub(super) fn is_steering(name: &str) -> bool {
    let folded = name.to_ascii_uppercase();
    STEERING.iter().any(|known| match known.strip_suffix('*') {
        Some(start) => folded.starts_with(start),
        None => folded == known.to_ascii_uppercase(),
    })
}

fn has_expression(value: &Value) -> bool {
    match &value.data {
        Data::Text(text) => text.contains("${{"),
        Data::List(items) => items.iter().any(has_expression),
        Data::Object(members) => members.iter().any(|(_, value)| has_expression(value)),
        _ => false,
    }
}

/// Labels of runners that are not GitHub's: `self-hosted`, or a group of runners.
fn names_own_machine(runner: &Value) -> bool {
    let labels = member(runner, "labels").unwrap_or(runner);
    let is_own = |label: &str| label.to_ascii_lowercase().contains("self-hosted");
    member(runner, "group").is_some() || items(labels).iter().filter_map(text).chain(text(labels)).any(is_own)
}
