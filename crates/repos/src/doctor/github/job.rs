//! The job of a gate: whether it runs, with which rights, and where.

use super::condition::{Earlier, Run, holds};
use super::triggers::Occasion;
use super::{Workflow, is_expression, is_true};
use crate::doctor::answer::Fault;
use crate::doctor::scene::Holds;
use crate::doctor::sources::{is_limit, is_steering};
use crate::doctor::{Check, State};
use crate::repo_audit::{items, member, members, text};
use agent_strace_policy::json::{Data, Value};

const SKIPPED: &str = "gate/skipped";

impl Workflow<'_> {
    /// Where a job that judges runs at all: its own conditions, or those of the job that calls its workflow.
    pub(super) fn runs(&self, job: &Value, occasions: &[Occasion<'_>], checks: &mut Vec<Check>) {
        self.condition(job, job, occasions, checks);
        if let Some(value) = member(job, "continue-on-error").filter(|value| is_expression(value)) {
            let message = "where this holds, the gate fails without a consequence: take it out";
            self.defeat("gate/forgiven", value, message, checks);
        }
        if let Some(value) = member(job, "continue-on-error").filter(|value| is_true(value)) {
            let message = "`continue-on-error` of its job lets the gate fail without a consequence: take it out";
            self.defeat("gate/forgiven", value, message, checks);
        }
        let matrix = member(job, "strategy").and_then(|strategy| member(strategy, "matrix"));
        let is_unknown = |matrix: &&Value| has_expression(matrix) || member(matrix, "exclude").is_some();
        if let Some(matrix) = matrix.filter(is_unknown) {
            let message =
                "where this comes to nothing, the job is skipped, and that passes a required check: write it out";
            self.report(Fault::limits(SKIPPED, message), matrix, checks);
        }
    }

    pub(super) fn job(&self, line: u32, job: &Value, caller: Option<&Value>, checks: &mut Vec<Check>) {
        self.permissions(line, job, caller, checks);
        self.machine(job, checks);
        self.environment(&self.document.root, checks);
        self.environment(job, checks);
        if let Some(container) = member(job, "container") {
            self.environment(container, checks);
        }
    }

    /// The condition of a job or of a step of it, and the jobs that it needs.
    pub(super) fn condition(&self, of: &Value, job: &Value, occasions: &[Occasion<'_>], checks: &mut Vec<Check>) {
        let condition = member(of, "if");
        let needs = member(of, "needs");
        let said = |earlier: Earlier| match condition.map(|condition| &condition.data) {
            None | Some(Data::Null) => {
                if earlier == Earlier::Passed {
                    Holds::Yes
                } else {
                    Holds::No
                }
            }
            Some(Data::Bool(value)) if *value && earlier == Earlier::Passed => Holds::Yes,
            Some(Data::Text(text)) => self.in_each_run(text, earlier, occasions),
            Some(_) => Holds::No,
        };
        let mut report = |fault: Fault, at: Option<&Value>| self.report(fault, at.unwrap_or(of), checks);
        match said(Earlier::Passed) {
            Holds::Yes => {}
            Holds::Unknown => {
                let message = "nothing here says that this holds, and what is skipped passes a required check: take the condition out";
                return report(Fault::unknown(SKIPPED, message), condition);
            }
            Holds::Author | Holds::No if std::ptr::eq(of, job) => {
                let message = "a job that is skipped passes a required check: take the condition out";
                return report(Fault::defeats(SKIPPED, message), condition);
            }
            Holds::Author | Holds::No => {
                let message =
                    "where the step is skipped, nothing is judged, and its job passes: take the condition out";
                return report(Fault::defeats(SKIPPED, message), condition);
            }
        }
        let may_skip = needs.is_some_and(|needs| self.may_be_skipped(needs));
        let wanted = if may_skip { &[Earlier::Failed, Earlier::Skipped][..] } else { &[Earlier::Failed] };
        if needs.is_some() && !wanted.iter().all(|earlier| said(*earlier) == Holds::Yes) {
            let message = "where a job before it fails, it is skipped, and that passes a required check: take `needs` \
                           out, or add `if: ${{ !cancelled() }}`";
            report(Fault::defeats(SKIPPED, message), needs);
        }
    }

    /// Whether a condition holds in every run that a change starts; the worst counts.
    fn in_each_run(&self, condition: &str, earlier: Earlier, occasions: &[Occasion<'_>]) -> Holds {
        let default_branches = &self.held.default_branches;
        let runs = occasions.iter().map(|occasion| Run { occasion: *occasion, default_branches, earlier });
        runs.map(|run| holds(condition, run)).max().unwrap_or(Holds::No)
    }

    fn may_be_skipped(&self, needs: &Value) -> bool {
        let jobs = member(&self.document.root, "jobs").map(members).unwrap_or_default();
        let names: Vec<&str> = super::words(needs);
        let needed = jobs.iter().filter(|(key, _)| names.contains(&key.name.as_str()));
        needed.map(|(_, job)| job).any(|job| member(job, "if").is_some() || member(job, "needs").is_some())
    }

    /// A workflow that is called has at most what the job has that calls it.
    fn permissions(&self, line: u32, job: &Value, caller: Option<&Value>, checks: &mut Vec<Check>) {
        let given = member(job, "permissions").or_else(|| member(&self.document.root, "permissions")).or(caller);
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
                self.report(Fault::limits("gate/container", message), container, checks);
            }
        }
        let Some(runner) = member(job, "runs-on") else { return };
        let of_matrix = of_matrix(job, runner);
        let runners: Vec<&Value> = if of_matrix.is_empty() { vec![runner] } else { of_matrix };
        if runners.iter().any(|runner| has_expression(runner)) {
            let message = "an expression says which machine runs the gate: write it out";
            self.report(Fault::limits("gate/runner", message), runner, checks);
        } else if runners.iter().any(|runner| names_own_machine(runner)) {
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
            if is_steering(&key.name) && !is_limit(&key.name, text(value).unwrap_or_default()) {
                let message = format!(
                    "`{}` decides which programs run, or what the gate reads: take it out of the job that judges",
                    key.name
                );
                self.defeat("gate/environment", value, &message, checks);
            }
        }
    }
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

/// The values of `runs-on: ${{ matrix.NAME }}` that the matrix writes out.
fn of_matrix<'v>(job: &'v Value, runner: &Value) -> Vec<&'v Value> {
    let said = text(runner).unwrap_or_default();
    let name = said.trim().strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}")).unwrap_or_default();
    let Some(name) = name.trim().strip_prefix("matrix.") else { return Vec::new() };
    let Some(matrix) = member(job, "strategy").and_then(|strategy| member(strategy, "matrix")) else {
        return Vec::new();
    };
    let listed = member(matrix, name).map(items).unwrap_or_default().iter();
    let included =
        member(matrix, "include").map(items).unwrap_or_default().iter().filter_map(|entry| member(entry, name));
    listed.chain(included).collect()
}
