//! Who says that people looked at what a change does to the gate: an expression, or a text that says it of every change.

use super::{Workflow, is_expression, is_true};
use crate::doctor::answer::Fault;
use crate::doctor::{Check, State};
use crate::repo_audit::{Document, Language, member, members, text};
use agent_strace_policy::json::{Data, Value};

/// Workflows below each other.
const DEPTH: usize = 4;

/// The source of one alternative of an expression, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Ground {
    /// It holds for every change, or for what its author can set.
    Nothing,
    /// A job that asks for no approval.
    PlainJob,
    /// Steps of the job, or variables: anybody may have set them.
    Unknown,
    /// An approval by anybody who may review, which may be the author's second account.
    AnyReview,
    /// A label that is merely there: it stays when the author pushes on.
    Label,
    /// A job with an environment, the event that sets a label, the caller of the workflow, or a queue, which only takes what
    /// passed before.
    Approval,
}

impl Workflow<'_> {
    pub(super) fn reviewed(&self, value: &Value, checks: &mut Vec<Check>) {
        let said = text(value).unwrap_or_default();
        let folded: String =
            said.chars().filter(|letter| !letter.is_whitespace()).collect::<String>().to_ascii_lowercase();
        if folded.is_empty() {
            return;
        }
        match self.ground(&folded) {
            Ground::Nothing => {
                let message = "it says of every change that somebody reviewed what it does to the gate: set it from a job \
                               that waits for an approval, or leave it out";
                self.defeat("gate/reviewed", value, message, checks);
            }
            Ground::PlainJob => {
                let message = "the job that says it waits for no approval, or passes without one: give it an `environment` with \
                               reviewers, and no `continue-on-error`";
                self.report(Fault::limits("gate/reviewed", message), value, checks);
            }
            Ground::Unknown => {
                let message =
                    "nothing here says who can set this: use a job with an environment that asks for approval";
                self.report(Fault::limits("gate/reviewed", message), value, checks);
            }
            Ground::AnyReview => {
                let message = "everybody who can see the repository can approve a pull request: count a review only by its author's \
                               place (`github.event.review.author_association == 'OWNER'` or `'MEMBER'`), or use a job with an \
                               environment that asks for approval";
                self.report(Fault::limits("gate/reviewed", message), value, checks);
            }
            Ground::Label => {
                let message = "a label stays when the author pushes on: count it only in the run that it starts \
                               (`github.event.action == 'labeled'`), or use a job with an environment that asks for approval";
                self.push("gate/reviewed", State::Weak, value, message, checks);
            }
            Ground::Approval => {
                let message =
                    "an approval, the event that sets a label, the caller of the workflow, or a merge queue says it";
                self.push("gate/reviewed", State::Good, value, message, checks);
            }
        }
    }

    /// The worst alternative; a text beside an expression is never empty.
    fn ground(&self, folded: &str) -> Ground {
        let inner = folded.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}"));
        let Some(inner) = inner.filter(|inner| !inner.contains("}}")) else { return Ground::Nothing };
        let inner = inner.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(inner);
        let alternatives = inner.split("||").filter(|alternative| !matches!(*alternative, "''" | "null" | "false"));
        alternatives.map(|alternative| self.ground_of(alternative)).min().unwrap_or(Ground::Approval)
    }

    fn ground_of(&self, alternative: &str) -> Ground {
        let has = |text: &str| alternative.contains(text);
        if has("!contains(") || has("event_name!=") || has("!github") || has("always()") {
            return Ground::Nothing;
        }
        if let Some((before, behind)) = alternative.split_once("needs.") {
            let name: String =
                behind.chars().take_while(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect();
            // A job that was skipped has a result, too.
            let result = behind.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix(".result"));
            let is_success = |rest: &str| rest.starts_with("=='success'") || before.ends_with("'success'==");
            if before.ends_with('!') || result.is_some_and(|rest| !is_success(rest)) {
                return Ground::Nothing;
            }
            return self.ground_of_job(&name);
        }
        let is_set_now = has("event.action=='labeled'&&") && has("event.label.name=='");
        let is_by_owner = ["'owner'", "'member'"].iter().any(|place| {
            has(&format!("&&github.event.review.author_association=={place}"))
                || has(&format!("github.event.review.author_association=={place}&&"))
        });
        if has("review.state=='approved'") && (!is_by_owner || has("!(")) {
            Ground::AnyReview
        } else if has("inputs.") && self.is_started_by_hand() {
            Ground::Unknown
        } else if has("inputs.") || has("event_name=='merge_group'") || has("review.state=='approved'") || is_set_now {
            Ground::Approval
        } else if has("label") {
            Ground::Label
        } else if has("steps.") || has("vars.") || has("env.") {
            Ground::Unknown
        } else {
            Ground::Nothing
        }
    }

    /// The workflow has no such job: the expression is empty.
    fn ground_of_job(&self, name: &str) -> Ground {
        let jobs = member(&self.document.root, "jobs");
        let found = jobs.map(members).unwrap_or_default();
        let job = found.iter().find(|(key, _)| key.name.eq_ignore_ascii_case(name)).map(|(_, job)| job);
        match job {
            Some(job) if !self.asks(job, DEPTH) || member(job, "continue-on-error").is_some_and(is_forgiving) => {
                Ground::PlainJob
            }
            _ => Ground::Approval,
        }
    }

    /// Whether a job waits for an approval, or one of a workflow of this repository that it calls.
    fn asks(&self, job: &Value, depth: usize) -> bool {
        let environment = member(job, "environment").map(|value| member(value, "name").unwrap_or(value));
        let names = |name: &Value| !is_expression(name) && text(name).is_none_or(|name| !name.trim().is_empty());
        if environment.is_some_and(|name| !matches!(name.data, Data::Null) && names(name)) {
            return true;
        }
        let Some(used) = member(job, "uses").and_then(text) else { return false };
        let (Some(path), Some(depth)) = (used.strip_prefix("./"), depth.checked_sub(1)) else { return true };
        // A file that can't be read has a check of its own.
        let Some((_, Ok(content))) = self.held.pipelines.iter().find(|(name, _)| name == path) else { return true };
        let Ok(called) = Document::read(Language::Yaml, content) else { return true };
        let jobs = member(&called.root, "jobs").map(members).unwrap_or_default();
        jobs.iter().any(|(_, job)| self.asks(job, depth))
    }

    /// Whether people start the workflow with inputs of their own.
    fn is_started_by_hand(&self) -> bool {
        super::triggers::of(&self.document.root).iter().any(|trigger| trigger.name == "workflow_dispatch")
    }
}

fn is_forgiving(value: &Value) -> bool {
    is_true(value) || is_expression(value)
}
