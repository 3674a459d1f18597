//! `.gitlab-ci.yml` with everything that it includes from this repository, and jobs with what they extend.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::inputs::read;
use super::node::{Content, Node, Place};
use super::rules::{self, Outcome, flat};
use crate::doctor::answer::Fault;
use crate::doctor::{Check, Held, State};
use crate::repo_audit::compiled_globs;

/// The file that a pipeline begins with.
pub(super) const ROOT: &str = ".gitlab-ci.yml";
/// Files below each other, and jobs that extend each other: more than GitLab allows.
const DEPTH: usize = 12;
/// Files of one pipeline: as many as GitLab allows.
const FILES: usize = 150;
/// Values of all jobs, with those that references name.
const STEPS: usize = 200_000;
/// Keys at the top that are no jobs.
const KEYWORDS: &[&str] = &[
    "default",
    "include",
    "stages",
    "variables",
    "workflow",
    "image",
    "services",
    "cache",
    "before_script",
    "after_script",
    "spec",
    "types",
    "hooks",
];

/// A pipeline of this repository.
pub(super) struct Pipeline {
    pub(super) root: Node,
    /// The files that it is made of.
    pub(super) files: Vec<String>,
    /// Faults of all of its jobs, each with its place.
    pub(super) faults: Vec<(Fault, Place)>,
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
    let mut pipeline = Pipeline { root, files: Vec::new(), faults: Vec::new() };
    held.pipelines.iter().find(|(path, _)| path == ROOT)?;
    let root = pipeline.load(ROOT, None, held, DEPTH, checks)?;
    pipeline.root = root;
    Some(pipeline)
}

impl Pipeline {
    /// A file with what it includes. `given`: the inputs that its `include` passes.
    fn load(
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

    /// Lays what one entry of `include` names over what was there before.
    fn include(&mut self, item: &Node, whole: &mut Node, held: &Held<'_>, depth: usize, checks: &mut Vec<Check>) {
        let local = item.member("local").or(Some(item)).and_then(Node::text).filter(|path| !path.contains("://"));
        let Some(local) = local else {
            // Templates of GitLab bring jobs of their own.
            if item.member("template").is_none() {
                let message =
                    "what this includes is not of this repository, and may change the job: nothing of it is read here";
                self.faults.push((Fault::limits("gate/included", message), item.place.clone()));
            }
            return;
        };
        let outcome = item.member("rules").map_or(Outcome::Runs, |rules| rules::outcome_of(rules, held));
        match outcome {
            Outcome::Runs => {}
            Outcome::Never => return,
            _ => {
                let message = "only a run knows whether this file is included: take the rules of the `include` out";
                self.faults.push((Fault::unknown("gate/included", message), item.place.clone()));
            }
        }
        let pattern = local.trim_start_matches('/').trim_start_matches("./");
        let Ok(globs) = compiled_globs([pattern]) else { return };
        let paths: Vec<&String> =
            held.pipelines.iter().map(|(path, _)| path).filter(|path| globs.is_match(path)).collect();
        if paths.is_empty() {
            let message = format!("`{pattern}` is included, and is not read here: put it into `.gitlab/`");
            self.faults.push((Fault::unknown("gate/included", message), item.place.clone()));
        }
        for path in paths {
            if self.files.len() > FILES {
                let fault =
                    Fault::unknown("gate/included", "too many files are included, and not all of them are read");
                return self.faults.push((fault, item.place.clone()));
            }
            if let Some(included) = self.load(path, item.member("inputs"), held, depth, checks) {
                whole.lay(included);
            }
        }
    }

    /// The jobs with what they extend.
    pub(super) fn jobs(&self) -> Vec<Job> {
        let jobs = self.root.members().iter().filter(|(key, node)| {
            !key.name.starts_with('.')
                && !KEYWORDS.contains(&key.name.as_str())
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
