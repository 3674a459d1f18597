//! Events of GitHub, as its runner writes them.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

use super::super::super::failure::{Failure, reason};
use super::super::base_branches::BaseBranches;
use super::{Base, Event, Kind, Pushed, Variables, admitted, branch, is_commit, no_change, unknown};

/// The description of an event is small.
const LARGEST: u64 = 32 << 20;
/// Branches that a message names.
const SHOWN: usize = 5;
const CHANGES: &str = "pull_request, pull_request_target, pull_request_review, pull_request_review_comment, merge_group, \
                       push, workflow_run after one of these, and workflow_dispatch on another branch than the default \
                       branch";

#[derive(Deserialize)]
struct Payload {
    pull_request: Option<PullRequest>,
    merge_group: Option<MergeGroup>,
    workflow_run: Option<WorkflowRun>,
    repository: Option<Repository>,
    before: Option<String>,
    #[serde(default)]
    deleted: bool,
}

#[derive(Deserialize)]
struct PullRequest {
    base: Side,
    head: Side,
}

#[derive(Deserialize)]
struct Side {
    #[serde(rename = "ref")]
    branch: String,
    sha: String,
}

#[derive(Deserialize)]
struct MergeGroup {
    base_ref: String,
    base_sha: String,
    head_sha: String,
}

#[derive(Deserialize)]
struct WorkflowRun {
    head_sha: String,
    event: Option<String>,
    #[serde(default)]
    pull_requests: Vec<PullRequest>,
}

#[derive(Deserialize)]
struct Repository {
    default_branch: Option<String>,
}

pub(super) fn event(value: &Variables<'_>, branches: BaseBranches<'_>) -> Result<Event, Failure> {
    let name = value("GITHUB_EVENT_NAME").ok_or_else(|| unknown("GITHUB_EVENT_NAME is not set"))?;
    let path = value("GITHUB_EVENT_PATH").ok_or_else(|| unknown("GITHUB_EVENT_PATH is not set"))?;
    let payload = payload(Path::new(path))?;
    let commit = value("GITHUB_SHA").filter(|commit| is_commit(commit)).map(str::to_owned);
    let default = payload.repository.as_ref().and_then(|repository| repository.default_branch.as_deref());
    match name {
        "pull_request" | "pull_request_target" | "pull_request_review" | "pull_request_review_comment" => {
            let request = payload.pull_request.ok_or_else(|| unknown("the event has no pull request"))?;
            Ok(of_request(name, &request, commit, admitted(&request.base.branch, default, branches)))
        }
        "merge_group" => {
            let group = payload.merge_group.ok_or_else(|| unknown("the event has no merge group"))?;
            let base = queued(&group, default, branches);
            Ok(Event::proposed(base, vec![group.head_sha]))
        }
        "workflow_run" => {
            let run = payload.workflow_run.ok_or_else(|| unknown("the event has no run of a workflow"))?;
            let default = default.ok_or_else(|| unknown("the event names no default branch"))?;
            Ok(after_run(run, default, branches))
        }
        "push" | "workflow_dispatch" if !payload.deleted => Ok(Pushed {
            event: name.to_owned(),
            is_push: name == "push",
            reference: value("GITHUB_REF"),
            before: payload.before.as_deref(),
            commit: commit.ok_or_else(|| unknown("GITHUB_SHA is not set"))?,
            default: default.ok_or_else(|| unknown("the event names no default branch"))?,
            changes: CHANGES,
        }
        .event()),
        _ => {
            let base = Err(no_change(name, CHANGES));
            Ok(Event { base, heads: commit.into_iter().collect(), kind: Kind::Started, seen: None, merge: None })
        }
    }
}

fn of_request(name: &str, request: &PullRequest, commit: Option<String>, base: Result<Base, Failure>) -> Event {
    // The workflow of `pull_request_target` runs on the base branch: its commit is not the change.
    let merge = commit.filter(|_| name != "pull_request_target");
    let heads = [Some(request.head.sha.clone()), merge.clone()].into_iter().flatten();
    Event {
        seen: Some(request.base.sha.clone()).filter(|seen| is_commit(seen)),
        merge: merge.filter(|_| name == "pull_request"),
        ..Event::proposed(base, heads.filter(|head| is_commit(head)).collect())
    }
}

/// The commit that the group is put onto, if its branch may judge.
fn queued(group: &MergeGroup, default: Option<&str>, branches: BaseBranches<'_>) -> Result<Base, Failure> {
    let name = group.base_ref.strip_prefix("refs/heads/").unwrap_or(&group.base_ref);
    admitted(name, default, branches)?;
    if is_commit(&group.base_sha) {
        Ok(Base::Commit(group.base_sha.clone()))
    } else {
        Err(unknown("the base of the merge group is no commit"))
    }
}

/// A workflow that runs after another one. Each pull request of the commit has a base of its own, and only one can judge. Of
/// forks the event names no pull request, so that the default branch judges.
fn after_run(run: WorkflowRun, default: &str, branches: BaseBranches<'_>) -> Event {
    let bases: BTreeSet<&str> = run.pull_requests.iter().map(|request| request.base.branch.as_str()).collect();
    let base = match bases.iter().copied().collect::<Vec<_>>().as_slice() {
        [] => branch(default),
        [base] => admitted(base, Some(default), branches),
        several => Err(disagreement(several)),
    };
    let seen = run.pull_requests.first().map(|request| request.base.sha.clone()).filter(|seen| is_commit(seen));
    let is_proposed = match run.event.as_deref() {
        Some(event) => event.starts_with("pull_request") || event == "merge_group",
        None => !bases.is_empty(),
    };
    let kind = if is_proposed { Kind::Proposed } else { Kind::Started };
    Event { kind, seen, ..Event::proposed(base, vec![run.head_sha]) }
}

fn disagreement(bases: &[&str]) -> Failure {
    let shown: Vec<String> = bases.iter().take(SHOWN).map(|base| format!("`{base}`")).collect();
    let more = if bases.len() > SHOWN { ", …" } else { "" };
    Failure::new(format!(
        "the commit belongs to pull requests into different branches ({}{more}), and only one branch can judge it",
        shown.join(", ")
    ))
    .hint("start the workflow by `pull_request` or `pull_request_target`: each pull request has a run of its own then")
    .hint("`--base REV`, or `base` of the action, names the branch that judges")
}

fn payload(path: &Path) -> Result<Payload, Failure> {
    let unreadable = |why: &str| {
        unknown(&format!(
            "the event `{}` can't be read: {why}",
            agent_strace_report::terminal(&path.display().to_string())
        ))
    };
    let found = std::fs::metadata(path).map_err(|error| unreadable(&reason(&error)))?;
    if !found.is_file() || found.len() > LARGEST {
        return Err(unreadable("it is no plain file, or too large"));
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(&reason(&error)))?;
    serde_json::from_slice(&bytes).map_err(|error| unreadable(&error.to_string()))
}
