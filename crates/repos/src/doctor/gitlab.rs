//! Pipelines of GitLab: jobs that judge merge requests, and everything that lets one of them not do that.

use super::call::{Verdict, verdicts};
use super::{Check, Gate, Held, State};
use crate::repo_audit::{Document, Language, items, member, members, settings_hits, text};
use agent_strace_policy::json::{Data, Key, Value};

/// The file that a pipeline begins with.
const ROOT: &str = ".gitlab-ci.yml";
/// Variables that decide which programs run.
const STEERING: &[&str] = &["PATH", "BASH_ENV", "ENV", "LD_PRELOAD", "LD_LIBRARY_PATH", "GIT_EXEC_PATH"];
const FILTERS: &[&str] = &["changes", "exists"];

pub(super) fn gates(path: &str, content: &str, held: &Held<'_>) -> Result<Vec<Gate>, Box<Check>> {
    if !content.contains("agent-strace") {
        return Ok(Vec::new());
    }
    let document = Document::read(Language::Yaml, content).map_err(|fault| {
        Box::new(Check::new("gate/readable", State::Unknown, fault.reason.clone()).at(path, fault.line))
    })?;
    let mut found: Vec<Gate> =
        members(&document.root).iter().filter_map(|(key, job)| gate(path, &document, (key, job), held)).collect();
    for gate in &mut found {
        for hit in settings_hits(path, content).unwrap_or_default() {
            let line = hit.location.line.unwrap_or(1);
            gate.checks.push(Check::new("gate/forgiven", State::Defeated, hit.message).at(path, line));
        }
        if gate.checks.is_empty() {
            let message = format!("the job `{}` judges changes", gate.job);
            gate.checks.push(Check::new("gate/there", State::Good, message).at(path, gate.line));
        }
    }
    views(&mut found);
    Ok(found)
}

fn gate(path: &str, document: &Document<'_>, (key, job): (&Key, &Value), held: &Held<'_>) -> Option<Gate> {
    let judged: Vec<Verdict> = scripts(job).iter().flat_map(|script| verdicts(script, Some(&held.store))).collect();
    if judged.is_empty() {
        return None;
    }
    let mut gate = Gate::new(path, &key.name, &key.name, document.line(&key.span));
    let mut push = |id, state, at: &Value, message: &str| {
        gate.checks.push(Check::new(id, state, message).at(path, document.line(&at.span)));
    };
    for verdict in judged {
        gate.policies.extend(verdict.policy);
        for (id, fault) in &verdict.faults {
            push(id, State::Defeated, job, fault);
        }
    }
    skipped(job, &mut push);
    steered(&document.root, job, &mut push);
    let kept = scripts(job).iter().any(|script| keeps_code(script));
    if kept && !members(&document.root).iter().any(|(_, other)| restores(other, &key.name)) {
        push("gate/forgiven", State::Defeated, job, "its exit code is kept, and no job that needs it ends with it");
    }
    if !is_included(path, &held.pipelines) {
        let message = "`.gitlab-ci.yml` does not include this file, so that nothing runs it: add it to `include`";
        push("gate/included", State::Defeated, job, message);
    }
    Some(gate)
}

/// Where one job of a file has a verdict that counts, others may report it and pass: reports of a job that failed are not
/// taken.
fn views(gates: &mut [Gate]) {
    let is_forgiven = |gate: &Gate| gate.checks.iter().any(|check| check.id == "gate/forgiven");
    let Some(verdict) = gates.iter().find(|gate| !is_forgiven(gate)).map(|gate| gate.job.clone()) else { return };
    for gate in gates.iter_mut().filter(|gate| is_forgiven(gate)) {
        gate.is_view = true;
        gate.checks.retain(|check| check.id != "gate/forgiven");
        let message = format!("it passes whatever it finds: the job `{verdict}` has the verdict");
        gate.checks.push(Check::new("gate/view", State::Good, message).at(&gate.file, gate.line));
    }
}

/// All lines that a job runs.
fn scripts(job: &Value) -> Vec<&str> {
    let listed = |name| {
        let value = member(job, name);
        value.into_iter().flat_map(items).filter_map(text).chain(value.and_then(text)).collect::<Vec<_>>()
    };
    [listed("before_script"), listed("script")].concat()
}

fn skipped(job: &Value, push: &mut impl FnMut(&'static str, State, &Value, &str)) {
    let rules = member(job, "rules").map(items).unwrap_or_default();
    let nodes = rules.iter().chain(["only", "except"].iter().filter_map(|name| member(job, name)));
    for node in nodes.chain([job]) {
        if let Some(value) = FILTERS.iter().find_map(|name| member(node, name)) {
            let message = "changes of other files start no job, and nothing judges them: take the filter out";
            push("gate/filters", State::Defeated, value, message);
        }
        if let Some(value) =
            member(node, "when").filter(|value| matches!(text(value), Some("manual" | "never" | "on_failure")))
        {
            // `never` behind a condition is how a job is kept to merge requests.
            if text(value) != Some("never") || member(node, "if").is_none() {
                push("gate/skipped", State::Defeated, value, "the job does not run by itself: take `when` out");
            }
        }
        if let Some(value) = member(node, "allow_failure").filter(|value| !matches!(value.data, Data::Bool(false))) {
            push("gate/forgiven", State::Defeated, value, "`allow_failure` lets the gate fail without a consequence");
        }
    }
}

/// Keys that decide which programs run in the job, and whether it runs for merge requests.
fn steered(root: &Value, job: &Value, push: &mut impl FnMut(&'static str, State, &Value, &str)) {
    for of in [root, job] {
        let variables = member(of, "variables").map(members).unwrap_or_default();
        for (key, value) in variables.iter().filter(|(key, _)| STEERING.contains(&key.name.as_str())) {
            let message = format!("`{}` decides which programs run: take it out", key.name);
            push("gate/environment", State::Defeated, value, &message);
        }
    }
    let listed = |value: &Value| {
        let refs = member(value, "refs").unwrap_or(value);
        items(refs).iter().filter_map(text).chain(text(refs)).map(str::to_owned).collect::<Vec<_>>()
    };
    let is_proposal = |name: &String| matches!(name.as_str(), "merge_requests" | "external_pull_requests");
    if let Some(only) =
        member(job, "only").filter(|only| !listed(only).is_empty() && !listed(only).iter().any(is_proposal))
    {
        push("gate/skipped", State::Defeated, only, "it runs for no merge request: add `merge_requests`");
    }
    if let Some(except) = member(job, "except").filter(|except| listed(except).iter().any(is_proposal)) {
        push("gate/skipped", State::Defeated, except, "it runs for no merge request: take `merge_requests` out");
    }
}

/// `agent-strace check … || code=$?`.
fn keeps_code(script: &str) -> bool {
    let joined = script.replace("\\\n", " ");
    joined.lines().any(|line| line.contains("agent-strace") && line.contains("||") && line.contains("=$?"))
}

/// Whether a job ends with what another one kept.
fn restores(job: &Value, other: &str) -> bool {
    let needs = member(job, "needs").map(items).unwrap_or_default();
    let is_needed =
        needs.iter().any(|need| text(need) == Some(other) || member(need, "job").and_then(text) == Some(other));
    let ends = scripts(job).iter().any(|script| script.lines().any(|line| line.trim_start().starts_with("exit ")));
    let allows = member(job, "allow_failure").is_some_and(|value| matches!(value.data, Data::Bool(true)));
    is_needed && ends && !allows
}

fn is_included(path: &str, all: &[(String, Result<String, String>)]) -> bool {
    path == ROOT || all.iter().any(|(name, text)| name != path && text.as_ref().is_ok_and(|text| text.contains(path)))
}
