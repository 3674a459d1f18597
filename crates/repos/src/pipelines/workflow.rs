//! Workflows of GitHub Actions and of systems that took over their format: jobs and the names of their checks.

use super::names::{self, CheckName};
use super::tree::{Content, Contents};
use crate::repo_audit::{Document, Language, member, members, text};
use agent_strace_policy::json::{Data, Value};

/// Reusable workflows below each other.
const DEPTH: usize = 6;

/// A job, and the names that its check may have.
#[derive(Debug)]
pub(crate) struct NamedJob {
    pub(crate) key: String,
    pub(crate) line: u32,
    pub(crate) names: Vec<CheckName>,
}

/// The jobs of a workflow, each with the names that its check may have. `Err`: why it can't be read, and the line.
pub(crate) fn named_jobs(content: &str, tree: &dyn Contents) -> Result<Vec<NamedJob>, (String, u32)> {
    jobs_of(content, tree, DEPTH)
}

fn jobs_of(content: &str, tree: &dyn Contents, depth: usize) -> Result<Vec<NamedJob>, (String, u32)> {
    let document = Document::read(Language::Yaml, content).map_err(|fault| (fault.reason, fault.line))?;
    let workflow = member(&document.root, "name").and_then(text);
    let mut found = Vec::new();
    for (key, job) in jobs(&document.root) {
        let mut names = names::of_job(&key.name, job, workflow);
        if let Some(called) = member(job, "uses").and_then(text) {
            names = names_below(&names, called, tree, depth);
        }
        found.push(NamedJob { key: key.name.clone(), line: document.line(&key.span), names });
    }
    Ok(found)
}

/// Members of every `jobs`: readers differ in which of two equal keys they take.
pub(super) fn jobs(root: &Value) -> impl Iterator<Item = &(agent_strace_policy::json::Key, Value)> {
    members(root).iter().filter(|(key, _)| key.name == "jobs").flat_map(|(_, jobs)| members(jobs))
}

/// The names of the checks of a called workflow.
fn names_below(callers: &[CheckName], called: &str, tree: &dyn Contents, depth: usize) -> Vec<CheckName> {
    let local = called.strip_prefix("./").filter(|_| depth > 0);
    let callees = local.and_then(|path| match tree.read(path) {
        Content::Text(content) => jobs_of(&content, tree, depth - 1).ok(),
        _ => None,
    });
    let callees: Option<Vec<CheckName>> = callees.map(|jobs| jobs.into_iter().flat_map(|job| job.names).collect());
    let pairs = |caller: &CheckName| match &callees {
        Some(callees) => callees.iter().map(|callee| names::below(caller, Some(callee))).collect(),
        None => vec![names::below(caller, None)],
    };
    callers.iter().flat_map(pairs).collect()
}

/// Whether a token of the workflow may set the state of any check of a commit.
pub(super) fn sets_checks(content: &str) -> bool {
    let Ok(document) = Document::read(Language::Yaml, content) else { return false };
    let grants = |value: &Value| {
        members(value).iter().filter(|(key, _)| key.name == "permissions").any(|(_, given)| match &given.data {
            Data::Text(text) => text == "write-all",
            _ => members(given)
                .iter()
                .any(|(key, value)| matches!(key.name.as_str(), "statuses" | "checks") && text(value) == Some("write")),
        })
    };
    grants(&document.root) || jobs(&document.root).any(|(_, job)| grants(job))
}
