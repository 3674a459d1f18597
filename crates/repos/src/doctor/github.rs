//! Workflows of GitHub: jobs that judge pull requests, and everything that lets one of them not do that.

use super::call::{is_head, verdicts};
use super::{Check, Gate, State};
use crate::repo_audit::{Document, Language, is_gate_action, items, member, members, settings_hits, text};
use agent_strace_policy::json::{Data, Value};

/// What has to start a workflow so that each state of a pull request is judged.
const TYPES: &[&str] = &["opened", "synchronize", "reopened"];
/// Conditions under which a step or job runs whatever happened before.
const ALWAYS: &[&str] = &["always()", "!cancelled()", "!(cancelled())", "success()||failure()"];

/// A workflow with the locations of what is in it.
struct Workflow<'t> {
    path: &'t str,
    document: Document<'t>,
}

/// What starts a workflow on proposals of changes.
struct Trigger<'v> {
    name: &'v str,
    settings: Option<&'v Value>,
}

pub(super) fn gates(path: &str, text: &str) -> Result<Vec<Gate>, Box<Check>> {
    if !text.contains("agent-strace") {
        return Ok(Vec::new());
    }
    let document = Document::read(Language::Yaml, text).map_err(|fault| {
        Box::new(Check::new("gate/readable", State::Unknown, fault.reason.clone()).at(path, fault.line))
    })?;
    let workflow = Workflow { path, document };
    let root = &workflow.document.root;
    let triggers = triggers(root);
    let proposals: Vec<&Trigger<'_>> =
        triggers.iter().filter(|trigger| matches!(trigger.name, "pull_request" | "pull_request_target")).collect();
    let mut found = Vec::new();
    for (key, job) in member(root, "jobs").map(members).unwrap_or_default() {
        let steps: Vec<&Value> =
            member(job, "steps").map(items).unwrap_or_default().iter().filter(|step| judges(step)).collect();
        if steps.is_empty() || proposals.is_empty() {
            continue;
        }
        let line = workflow.document.line(&key.span);
        let mut checks = Vec::new();
        workflow.starts(&proposals, &triggers, &mut checks);
        workflow.job(line, job, &mut checks);
        for step in &steps {
            workflow.step(step, &mut checks);
        }
        let is_independent = proposals.iter().all(|trigger| trigger.name == "pull_request_target");
        if is_independent {
            workflow.checks_nothing_out(job, &mut checks);
            let message = "it runs as it is on the branch that is merged into, whatever the change brings";
            checks.push(Check::new("gate/independent", State::Good, message).at(path, line));
        }
        workflow.forgiven(text, &mut checks);
        let name = member(job, "name").and_then(self::text).unwrap_or(&key.name).to_owned();
        found.push(Gate { file: path.to_owned(), job: name, line, is_independent, checks });
    }
    Ok(found)
}

/// Whether a step gives a verdict about a change.
fn judges(step: &Value) -> bool {
    uses(step).is_some_and(is_gate_action) || !run_verdicts(step).is_empty()
}

fn uses(step: &Value) -> Option<&str> {
    member(step, "uses").and_then(text)
}

fn run_verdicts(step: &Value) -> Vec<Option<String>> {
    member(step, "run").and_then(text).map(verdicts).unwrap_or_default()
}

/// `on`: a name, a list of them, or an object with their settings.
fn triggers(root: &Value) -> Vec<Trigger<'_>> {
    let Some(on) = member(root, "on") else { return Vec::new() };
    match &on.data {
        Data::Text(name) => vec![Trigger { name, settings: None }],
        Data::List(names) => names.iter().filter_map(text).map(|name| Trigger { name, settings: None }).collect(),
        Data::Object(members) => {
            members.iter().map(|(key, value)| Trigger { name: &key.name, settings: Some(value) }).collect()
        }
        _ => Vec::new(),
    }
}

/// The words of a list, or the one word.
fn words(value: &Value) -> Vec<&str> {
    items(value).iter().filter_map(text).chain(text(value)).collect()
}

fn runs_always(condition: &str) -> bool {
    let bare = condition.trim().trim_start_matches("${{").trim_end_matches("}}");
    let bare: String = bare.chars().filter(|letter| !letter.is_whitespace()).collect();
    ALWAYS.contains(&bare.as_str())
}

impl Workflow<'_> {
    fn push(&self, id: &'static str, state: State, at: &Value, message: &str, checks: &mut Vec<Check>) {
        checks.push(Check::new(id, state, message).at(self.path, self.document.line(&at.span)));
    }

    fn starts(&self, proposals: &[&Trigger<'_>], all: &[Trigger<'_>], checks: &mut Vec<Check>) {
        for trigger in proposals {
            let Some(settings) = trigger.settings else { continue };
            for filter in ["paths", "paths-ignore"] {
                if let Some(value) = member(settings, filter) {
                    let message = "changes of other files start no run, and nothing judges them: take the filter out";
                    self.push("gate/filters", State::Defeated, value, message, checks);
                }
            }
            if let Some(types) = member(settings, "types") {
                let given = words(types);
                if TYPES.iter().any(|name| !given.contains(name)) {
                    let message = "not every state of a pull request is judged: leave `types` out, or name opened, \
                                   synchronize and reopened";
                    self.push("gate/filters", State::Defeated, types, message, checks);
                }
            }
        }
        if !all.iter().any(|trigger| trigger.name == "merge_group") {
            let message = "with a merge queue a required check has to run for `merge_group`, too";
            checks.push(Check::new("gate/merge-queue", State::Weak, message).at(self.path, 1));
        }
    }

    fn job(&self, line: u32, job: &Value, checks: &mut Vec<Check>) {
        let condition = member(job, "if");
        let always = condition.and_then(text).is_some_and(runs_always);
        if let Some(condition) = condition.filter(|_| !always) {
            let message = "a job that is skipped passes a required check: take the condition out";
            self.push("gate/skipped", State::Defeated, condition, message, checks);
        }
        if let Some(needs) = member(job, "needs").filter(|_| !always) {
            let message = "where a job before it fails, it is skipped, and that passes a required check: take `needs` \
                           out, or add `if: ${{ !cancelled() }}`";
            self.push("gate/skipped", State::Defeated, needs, message, checks);
        }
        self.permissions(line, job, checks);
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

    fn step(&self, step: &Value, checks: &mut Vec<Check>) {
        if let Some(condition) = member(step, "if").filter(|value| !text(value).is_some_and(runs_always)) {
            let message = "the step is left out where this does not hold: take the condition out";
            self.push("gate/skipped", State::Defeated, condition, message, checks);
        }
        for fault in run_verdicts(step).into_iter().flatten() {
            self.push("gate/base", State::Defeated, member(step, "run").unwrap_or(step), &fault, checks);
        }
        let Some(action) = uses(step).filter(|uses| is_gate_action(uses)) else { return };
        self.pinned(action, step, checks);
        let with = member(step, "with");
        let input = |name: &str| with.and_then(|with| member(with, name));
        for name in ["policy-ref", "base"] {
            if let Some(value) = input(name).filter(|value| text(value).is_some_and(is_head)) {
                let message = "this is what the change brings: leave it out, or name the base branch";
                self.push("gate/base", State::Defeated, value, message, checks);
            }
        }
        if let Some(value) = input("reviewed-by").filter(|value| !is_told_from_outside(value)) {
            let message = "it says of every change that somebody reviewed what it does to the gate: set it from a job that \
                           waits for an approval, or leave it out";
            self.push("gate/reviewed", State::Defeated, value, message, checks);
        }
    }

    fn pinned(&self, action: &str, step: &Value, checks: &mut Vec<Check>) {
        let value = member(step, "uses").unwrap_or(step);
        let commit = action.split_once('@').map_or("", |(_, version)| version);
        if action.starts_with("./") {
            let message = "the change brings the action that judges it: use it at a commit";
            self.push("gate/pinned", State::Defeated, value, message, checks);
        } else if commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            self.push("gate/pinned", State::Good, value, "the action is pinned by a commit", checks);
        } else {
            let message = "a tag or a branch can be moved to other code: pin the action by all digits of a commit";
            self.push("gate/pinned", State::Weak, value, message, checks);
        }
    }

    /// A workflow with the rights of the base that checks out a change runs what its author wrote.
    fn checks_nothing_out(&self, job: &Value, checks: &mut Vec<Check>) {
        for step in member(job, "steps").map(items).unwrap_or_default() {
            let is_checkout = uses(step).is_some_and(|uses| uses.starts_with("actions/checkout@"));
            let reference = member(step, "with").and_then(|with| member(with, "ref"));
            if let Some(reference) = reference.filter(|value| is_checkout && text(value).is_some_and(is_of_change)) {
                let message = "it checks out the change with the rights of the base: take the step out, the gate reads \
                               commits";
                self.push("gate/checkout", State::Defeated, reference, message, checks);
            }
        }
    }

    /// What lets a gate fail without a consequence.
    fn forgiven(&self, text: &str, checks: &mut Vec<Check>) {
        for hit in settings_hits(self.path, text).unwrap_or_default() {
            let line = hit.location.line.unwrap_or(1);
            checks.push(Check::new("gate/forgiven", State::Defeated, hit.message).at(self.path, line));
        }
    }
}

fn is_of_change(reference: &str) -> bool {
    is_head(reference) || reference.contains("refs/pull/") || reference.contains("merge_commit_sha")
}

/// Whether each alternative of the expression comes from somebody other than the author of the change: a job that waited for an
/// approval, the caller of the workflow, the event that set a label, or a merge queue, which takes what passed before.
fn is_told_from_outside(value: &Value) -> bool {
    let said: String = text(value).unwrap_or_default().chars().filter(|letter| !letter.is_whitespace()).collect();
    let bare = said.trim_start_matches("${{").trim_end_matches("}}");
    bare.split("||").all(|alternative| {
        let has = |part: &str| alternative.contains(part);
        let is_label = has("github.event.action=='labeled'&&") && has("github.event.label.name=='");
        let is_queue = has("github.event_name=='merge_group'&&");
        alternative.is_empty() || alternative == "''" || is_label || is_queue || has("needs.") || has("inputs.")
    })
}
