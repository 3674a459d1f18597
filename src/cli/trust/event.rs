//! The event of a CI job: which branch judges, and what is judged.
//!
//! Only facts from the forge itself are used: the variables that a job can't set, and the event that the runner wrote.
//! The judging branch is named in full (`refs/remotes/origin/main`), so that no branch or tag of a similar name replaces
//! it.

use std::path::Path;

use serde::Deserialize;

use super::super::environment::Machine;
use super::super::failure::{Failure, reason};

/// The description of an event is small.
const LARGEST: u64 = 32 << 20;

/// The event that started the job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) base: Base,
    /// Revisions that may be the head, the best first.
    pub(super) heads: Vec<String>,
    /// It is on its branch already.
    pub(super) landed: bool,
    pub(super) is_proposed: bool,
    /// A commit that the base branch has had already, in hex: a tip before it is an old one.
    pub(super) seen: Option<String>,
    /// The commit that the forge made to try the merge: its first parent is the tip of the base branch.
    pub(super) merge: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Base {
    /// The tip of a branch, as it was fetched.
    Branch(String),
    /// A commit, in hex.
    Commit(String),
}

#[derive(Deserialize)]
struct Payload {
    pull_request: Option<PullRequest>,
    merge_group: Option<MergeGroup>,
    workflow_run: Option<WorkflowRun>,
    repository: Option<Repository>,
    before: Option<String>,
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
    base_sha: String,
    head_sha: String,
}

#[derive(Deserialize)]
struct WorkflowRun {
    head_sha: String,
    #[serde(default)]
    pull_requests: Vec<PullRequest>,
}

#[derive(Deserialize)]
struct Repository {
    default_branch: Option<String>,
}

impl Event {
    /// The event of the job that this process runs in.
    pub(super) fn of(machine: Option<&Machine>) -> Result<Self, Failure> {
        let value = |name: &str| machine.and_then(|machine| machine.ci.get(name)).map(String::as_str);
        if value("GITHUB_ACTIONS") == Some("true") || value("GITHUB_EVENT_NAME").is_some() {
            return github(&value);
        }
        if value("GITLAB_CI").is_some() {
            return gitlab(&value);
        }
        Err(Failure::new(
            "`--policy-ref auto` asks the event of a CI job, and this is none that is known (GitHub, GitLab)",
        )
        .hint("name the revision that judges: `--policy-ref origin/main`")
        .hint("`--base origin/main --head HEAD` judges a change as CI would"))
    }
}

fn unknown(what: &str) -> Failure {
    Failure::new(format!("nothing says what judges: {what}"))
        .hint("`--base REV` and `--head REV` say it themselves; a base that is guessed would be none")
}

fn github<'v>(value: &dyn Fn(&str) -> Option<&'v str>) -> Result<Event, Failure> {
    let name = value("GITHUB_EVENT_NAME").ok_or_else(|| unknown("GITHUB_EVENT_NAME is not set"))?;
    let path = value("GITHUB_EVENT_PATH").ok_or_else(|| unknown("GITHUB_EVENT_PATH is not set"))?;
    let payload = payload(Path::new(path))?;
    let commit = value("GITHUB_SHA").filter(|commit| is_commit(commit)).map(str::to_owned);
    let default = payload.repository.as_ref().and_then(|repository| repository.default_branch.clone());
    let default = default.ok_or_else(|| unknown("the event names no default branch"));
    match name {
        "pull_request" | "pull_request_target" | "pull_request_review" | "pull_request_review_comment" => {
            let request = payload.pull_request.ok_or_else(|| unknown("the event has no pull request"))?;
            // The workflow of `pull_request_target` runs on the base branch: its commit is not the change.
            let merge = commit.filter(|_| name != "pull_request_target");
            let heads = [Some(request.head.sha), merge.clone()].into_iter().flatten().filter(|head| is_commit(head));
            Ok(Event {
                base: branch(&request.base.branch)?,
                heads: heads.collect(),
                landed: false,
                is_proposed: true,
                seen: Some(request.base.sha).filter(|seen| is_commit(seen)),
                merge: merge.filter(|_| name == "pull_request"),
            })
        }
        "merge_group" => {
            let group = payload.merge_group.ok_or_else(|| unknown("the event has no merge group"))?;
            let base = Base::Commit(known(&group.base_sha, "the base of the merge group")?);
            Ok(Event { base, heads: vec![group.head_sha], landed: false, is_proposed: true, seen: None, merge: None })
        }
        "workflow_run" => {
            let run = payload.workflow_run.ok_or_else(|| unknown("the event has no run of a workflow"))?;
            // The event does not name pull requests from forks; these run for the default branch.
            let base = match run.pull_requests.first() {
                Some(request) => branch(&request.base.branch)?,
                None => branch(&default?)?,
            };
            Ok(Event { base, heads: vec![run.head_sha], landed: false, is_proposed: true, seen: None, merge: None })
        }
        _ => {
            let commit = commit.ok_or_else(|| unknown("GITHUB_SHA is not set"))?;
            let before = payload.before.as_deref().filter(|_| name == "push");
            pushed(value("GITHUB_REF"), &default?, before, commit)
        }
    }
}

/// `before`: the tip of the branch before the push, if the event is one.
fn pushed(reference: Option<&str>, default: &str, before: Option<&str>, commit: String) -> Result<Event, Failure> {
    let is_default = reference == Some(&format!("refs/heads/{default}"));
    let base = match before.filter(|before| is_commit(before)) {
        // Earlier commits of another branch are not more trusted than its new ones.
        _ if !is_default => branch(default)?,
        Some(before) => Base::Commit(before.to_owned()),
        None => Base::Commit(commit.clone()),
    };
    Ok(Event { base, heads: vec![commit], landed: is_default, is_proposed: false, seen: None, merge: None })
}

fn gitlab<'v>(value: &dyn Fn(&str) -> Option<&'v str>) -> Result<Event, Failure> {
    let commit = value("CI_COMMIT_SHA").filter(|commit| is_commit(commit));
    let commit = commit.ok_or_else(|| unknown("CI_COMMIT_SHA is not set"))?.to_owned();
    if let Some(target) = value("CI_MERGE_REQUEST_TARGET_BRANCH_NAME") {
        let source = value("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA").filter(|commit| is_commit(commit));
        let heads = source.map(str::to_owned).into_iter().chain([commit]).collect();
        return Ok(Event { base: branch(target)?, heads, landed: false, is_proposed: true, seen: None, merge: None });
    }
    let default = value("CI_DEFAULT_BRANCH").ok_or_else(|| unknown("CI_DEFAULT_BRANCH is not set"))?;
    let reference = value("CI_COMMIT_BRANCH").map(|branch| format!("refs/heads/{branch}"));
    pushed(reference.as_deref(), default, value("CI_COMMIT_BEFORE_SHA"), commit)
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

fn branch(name: &str) -> Result<Base, Failure> {
    if agent_strace_git::is_branch_name(name) {
        Ok(Base::Branch(name.to_owned()))
    } else {
        Err(unknown("the base branch has no valid name"))
    }
}

fn known(commit: &str, what: &str) -> Result<String, Failure> {
    if is_commit(commit) { Ok(commit.to_owned()) } else { Err(unknown(&format!("{what} is no commit"))) }
}

/// The name of a commit in full; forges write zeros where there is none.
fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        && text.bytes().any(|byte| byte != b'0')
}
