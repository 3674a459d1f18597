//! `.gitlab-ci.yml` with everything that it includes from this repository, and jobs with what they extend.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::inputs::read;
use super::node::{Content, Node, Place};
use super::rules::flat;
use crate::doctor::answer::Fault;
use crate::doctor::{Check, Held, State};
use crate::pipelines::GITLAB_KEYWORDS;

/// The file that a pipeline begins with.
pub(super) const ROOT: &str = ".gitlab-ci.yml";
/// Files below each other, and jobs that extend each other: more than GitLab allows.
const DEPTH: usize = 12;
/// Values of all jobs, with those that references name.
const STEPS: usize = 200_000;
/// Keys at the top that decide about all jobs.
const SHARED: &[&str] =
    &["default", "variables", "workflow", "image", "services", "cache", "before_script", "after_script", "hooks"];

/// A pipeline of this repository.
pub(super) struct Pipeline {
    pub(super) root: Node,
    /// The files that it is made of.
    pub(super) files: Vec<String>,
    /// Faults of all of its jobs, each with its place.
    pub(super) faults: Vec<(Fault, Place)>,
    /// Files that some runs include.
    pub(super) perhaps: Vec<Perhaps>,
}

/// A file of which only a run knows whether it is included.
pub(super) struct Perhaps {
    pub(super) place: Place,
    /// The keys at its top.
    pub(super) names: BTreeSet<String>,
}

/// A job with everything that it extends.
pub(super) struct Job {
    pub(super) name: String,
    /// The place of its name.
    pub(super) place: Place,
    pub(super) node: Node,
}

/// The pipeline; files that can't be read are added to the checks. `None`: the repository has no pipeline.
pub(super) fn pipeline(held: &Held<'_>, checks: &mut Vec<Check>) -> Option<Pipeline> {
    let file: Rc<str> = Rc::from(ROOT);
    let place = Place { file, line: 1 };
    let root = Node { place, content: Content::Map(Vec::new()) };
    let mut pipeline = Pipeline { root, files: Vec::new(), faults: Vec::new(), perhaps: Vec::new() };
    held.pipelines.iter().find(|(path, _)| path == ROOT)?;
    let root = pipeline.load(ROOT, None, held, DEPTH, checks)?;
    pipeline.root = root;
    Some(pipeline)
}

impl Pipeline {
    /// A file with what it includes. `given`: the inputs that its `include` passes.
    pub(super) fn load(
        &mut self,
        path: &str,
        given: Option<&Node>,
        held: &Held<'_>,
        depth: usize,
        checks: &mut Vec<Check>,
    ) -> Option<Node> {
        let depth = depth.checked_sub(1)?;
        let (_, content) = held.pipelines.iter().find(|(name, _)| name == path)?;
        self.files.push(path.to_owned());
        let own =
            match content.as_deref().map_err(|why| (why.clone(), 1)).and_then(|content| read(path, content, given)) {
                Ok(own) => own,
                Err((reason, line)) => {
                    checks.push(Check::new("gate/readable", State::Unknown, reason).at(path, line));
                    return None;
                }
            };
        let mut whole = Node { place: own.place.clone(), content: Content::Map(Vec::new()) };
        if let Some(include) = own.member("include") {
            let one = std::slice::from_ref(include);
            let all = if include.items().is_empty() { one } else { include.items() };
            for item in all {
                self.include(item, &mut whole, held, depth, checks);
            }
        }
        whole.lay(own.without("include"));
        Some(whole)
    }

    /// The faults of a job by files that some runs include: it may be one of theirs, or they may change it.
    pub(super) fn doubts(&self, job: &str) -> Vec<(Fault, Place)> {
        if self.perhaps.is_empty() {
            return Vec::new();
        }
        let lineage = self.lineage(job);
        let faults = self.perhaps.iter().filter_map(|file| {
            let touches = |name: &&str| file.names.contains(*name);
            let fault = if lineage.iter().any(touches) {
                let message = "only a run knows whether this file is included: take the rules of the `include` out";
                Fault::unknown("gate/included", message)
            } else if SHARED.iter().any(touches) {
                let message = "only a run knows whether this file is included, and it sets something for all jobs: take \
                               `default`, `variables` and `workflow` out of it";
                Fault::limits("gate/included", message)
            } else {
                return None;
            };
            Some((fault, file.place.clone()))
        });
        faults.collect()
    }

    /// A job, all that it extends, and all that their references name.
    fn lineage<'n>(&'n self, job: &'n str) -> BTreeSet<&'n str> {
        let (mut found, mut open) = (BTreeSet::new(), vec![job]);
        while let Some(name) = open.pop() {
            let Some(node) = self.root.member(name).filter(|_| found.insert(name)) else { continue };
            open.extend(node.member("extends").map(Node::texts).unwrap_or_default());
            let mut parts = vec![node];
            while let Some(part) = parts.pop() {
                let reference = part.items().first().and_then(Node::text).filter(|_| part.items().len() > 1);
                open.extend(reference.filter(|name| self.root.member(name).is_some()));
                parts.extend(part.items());
                parts.extend(part.members().iter().map(|(_, value)| value));
            }
        }
        found
    }

    /// The jobs with what they extend.
    pub(super) fn jobs(&self) -> Vec<Job> {
        let jobs = self.root.members().iter().filter(|(key, node)| {
            !key.name.starts_with('.')
                && !GITLAB_KEYWORDS.contains(&key.name.as_str())
                && matches!(node.content, Content::Map(_))
        });
        let mut known = BTreeMap::new();
        let mut left = STEPS;
        // A job with more than is followed is left out: it is no gate then.
        let whole = jobs.filter_map(|(key, node)| {
            let node = self.extended(&key.name, node, DEPTH, &mut known);
            let node = self.referred(&node, DEPTH, &mut left)?;
            Some(Job { name: key.name.clone(), place: key.place.clone(), node })
        });
        whole.collect()
    }

    /// A value with what `!reference [JOB, KEY]` names in it: the tag itself is not read.
    fn referred(&self, node: &Node, depth: usize, left: &mut usize) -> Option<Node> {
        let depth = depth.checked_sub(1)?;
        *left = left.checked_sub(1)?;
        let content = match &node.content {
            Content::List(items) => {
                let path: Option<Vec<&str>> = items.iter().map(Node::text).collect();
                let path = path.filter(|path| path.len() > 1).unwrap_or_default();
                let named = path.iter().try_fold(&self.root, |node, name| node.member(name));
                if let Some(named) = named.filter(|_| !path.is_empty()) {
                    return self.referred(named, depth, left);
                }
                let items = items.iter().map(|item| self.referred(item, depth, left));
                Content::List(items.collect::<Option<_>>()?)
            }
            Content::Map(members) => {
                let members = members.iter().map(|(key, node)| Some((key.clone(), self.referred(node, depth, left)?)));
                Content::Map(members.collect::<Option<_>>()?)
            }
            other => other.clone(),
        };
        Some(Node { place: node.place.clone(), content })
    }

    /// A job over what it extends. Each job is put together once.
    fn extended(&self, name: &str, job: &Node, depth: usize, known: &mut BTreeMap<String, Node>) -> Node {
        let Some(depth) = depth.checked_sub(1) else { return job.clone() };
        let Some(extends) = job.member("extends") else { return job.clone() };
        if let Some(known) = known.get(name) {
            return known.clone();
        }
        // A job that extends itself is refused by GitLab.
        known.insert(name.to_owned(), job.clone());
        let mut whole = Node { place: job.place.clone(), content: Content::Map(Vec::new()) };
        for name in extends.texts() {
            if let Some(base) = self.root.member(name) {
                whole.lay(self.extended(name, base, depth, known).without("extends"));
            }
        }
        whole.lay(job.clone());
        known.insert(name.to_owned(), whole.clone());
        whole
    }

    /// A key of a job, else of all jobs.
    pub(super) fn of_job<'n>(&'n self, job: &'n Node, name: &str) -> Option<&'n Node> {
        let inherits = job.member("inherit").and_then(|inherit| inherit.member("default"));
        let is_taken = inherits
            .is_none_or(|value| !value.is_false() && (value.items().is_empty() || value.texts().contains(&name)));
        let default =
            || self.root.member("default").and_then(|default| default.member(name)).or_else(|| self.root.member(name));
        job.member(name).or_else(|| is_taken.then(default).flatten())
    }

    /// All that a job runs in one shell. `None`: more than is followed.
    pub(super) fn script(&self, job: &Node) -> Option<String> {
        let mut lines = Vec::new();
        let mut left = STEPS;
        for name in ["before_script", "script"] {
            let script = if name == "script" { job.member(name) } else { self.of_job(job, name) };
            if let Some(script) = script {
                let script = self.referred(script, DEPTH, &mut left)?;
                lines.extend(flat(&script).into_iter().filter_map(Node::text).map(str::to_owned));
            }
        }
        Some(lines.join("\n"))
    }
}
