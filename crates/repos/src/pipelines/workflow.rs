//! Workflows of GitHub Actions and of systems that took over their format: jobs and the names of their checks.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::names::{self, CheckName};
use super::tree::{Content, Contents};
use super::work::{Spent, Work};
use crate::repo_audit::{Document, Language, member, members, text};
use agent_strace_policy::json::{Data, Value};

/// Reusable workflows below each other: more than forges allow.
const DEPTH: usize = 12;
/// Names of one job.
const NAMES: usize = 1024;

/// A job, and the names that its check may have.
#[derive(Debug)]
pub(crate) struct NamedJob {
    pub(crate) key: String,
    pub(crate) line: u32,
    pub(crate) names: Vec<CheckName>,
    /// The texts of what starts the workflow, and of the condition of the job.
    when: (String, String),
}

impl NamedJob {
    /// Whether the check of the other job was reported under the same name at the same times.
    pub(super) fn reports_as(&self, name: &CheckName, other: &Self) -> bool {
        self.key == other.key && self.when == other.when && other.names.contains(name)
    }
}

/// The jobs of a file. `Err`: why it can't be read, and the line.
type Jobs = Result<Rc<Vec<NamedJob>>, (String, u32)>;

/// The workflows of one state, each read once.
pub(crate) struct Workflows<'t> {
    tree: &'t dyn Contents,
    work: &'t Work,
    /// `None`: it is being read.
    known: RefCell<BTreeMap<String, Option<Jobs>>>,
}

impl<'t> Workflows<'t> {
    pub(crate) fn new(tree: &'t dyn Contents, work: &'t Work) -> Self {
        Self { tree, work, known: RefCell::default() }
    }

    /// The jobs of a workflow, each with the names that its check may have.
    pub(crate) fn jobs(&self, path: &str) -> Jobs {
        self.below(path, DEPTH).unwrap_or_else(|| Err(("it calls itself".to_owned(), 1)))
    }

    /// `None` where the workflow calls itself, which forges refuse.
    fn below(&self, path: &str, depth: usize) -> Option<Jobs> {
        if let Some(known) = self.known.borrow().get(path) {
            return known.clone();
        }
        self.known.borrow_mut().insert(path.to_owned(), None);
        let jobs = match self.tree.read(path) {
            Content::Text(content) => self.read(&content, depth).map(Rc::new),
            Content::Missing => Err(("it is not there".to_owned(), 1)),
            Content::Unreadable(reason) => Err((reason, 1)),
        };
        self.known.borrow_mut().insert(path.to_owned(), Some(jobs.clone()));
        Some(jobs)
    }

    fn read(&self, content: &str, depth: usize) -> Result<Vec<NamedJob>, (String, u32)> {
        let document = Document::read(Language::Yaml, content).map_err(|fault| (fault.reason, fault.line))?;
        let workflow = member(&document.root, "name").and_then(text);
        let written = |value: Option<&Value>| value.map(super::formats::shape).unwrap_or_default();
        let starts = written(member(&document.root, "on"));
        let spent = |_: Spent| (Spent::reason(), 1);
        let mut found = Vec::new();
        for (key, job) in jobs(&document.root) {
            // Lines are counted from the start.
            self.work.spend(starts.len() + key.span.start / 64).map_err(spent)?;
            let mut names = names::of_job(&key.name, job, workflow, self.work).map_err(spent)?;
            if let Some(called) = member(job, "uses").and_then(text) {
                names = self.names_below(names, called, depth).map_err(spent)?;
            }
            let when = (starts.clone(), written(member(job, "if")));
            found.push(NamedJob { key: key.name.clone(), line: document.line(&key.span), names, when });
        }
        Ok(found)
    }

    /// The names of the checks of a called workflow.
    fn names_below(&self, mut callers: Vec<CheckName>, called: &str, depth: usize) -> Result<Vec<CheckName>, Spent> {
        if callers.len() > NAMES {
            callers = vec![CheckName::unknown()];
        }
        let local = called.strip_prefix("./").filter(|_| depth > 0);
        let callees = local.and_then(|path| self.below(path, depth - 1)).and_then(Result::ok);
        let count = callees.iter().flat_map(|jobs| jobs.iter()).map(|job| job.names.len()).sum::<usize>();
        // One unknown name stands for all names beyond the limit.
        let callees = callees.filter(|_| count.saturating_mul(callers.len()) <= NAMES);
        let mut found = Vec::new();
        for caller in &callers {
            match &callees {
                None => found.push(names::below(caller, None, self.work)?),
                Some(jobs) => {
                    for callee in jobs.iter().flat_map(|job| &job.names) {
                        found.push(names::below(caller, Some(callee), self.work)?);
                    }
                }
            }
        }
        Ok(found)
    }
}

/// Members of every `jobs`: readers differ in which of two equal keys they take.
pub(super) fn jobs(root: &Value) -> impl Iterator<Item = &(agent_strace_policy::json::Key, Value)> {
    members(root).iter().filter(|(key, _)| key.name == "jobs").flat_map(|(_, jobs)| members(jobs))
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
