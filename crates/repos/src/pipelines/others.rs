//! Files of CI of other formats. Of some it is known where their jobs are; in the others all is one job.

use std::collections::BTreeSet;

use super::calls::{Node, Reader, names_gate};
use super::formats::{texts, visit_texts};
use super::resolve::{Place, is_yaml};
use super::systems::{Dialect, dialect};
use crate::repo_audit::{Document, Language, items, member, members};
use agent_strace_policy::json::{Data, Value};

/// Systems each of whose steps at the top runs on a machine of its own.
const STEPS_ARE_JOBS: &[&str] = &[".buildkite/", "buildkite."];

pub(super) fn other(reader: &mut Reader<'_>, node: &Node, content: &str) {
    reader.name(node, content);
    if is_yaml(&node.file)
        && let Ok(document) = Document::read(Language::Yaml, content)
    {
        return divided(reader, node, &document.root);
    }
    reader.tokens(node, content, &Place::of_file(&node.file));
    // Groovy and the like: commands are texts in quotes.
    for quoted in content.split(['"', '\'']).skip(1).step_by(2).take(500) {
        if quoted.contains(' ') && dialect(&node.file) == Some(Dialect::Other) && !is_yaml(&node.file) {
            reader.script(node, quoted.trim(), &Place::top());
        }
    }
}

/// The parts of a file.
#[derive(Default)]
struct Parts<'v> {
    jobs: Vec<&'v Value>,
    /// Lists of steps that jobs use by a name.
    commands: Vec<(&'v str, &'v Value)>,
    /// All that is in neither.
    shared: Vec<&'v Value>,
}

/// Reads each job by itself, and all that is in no job as a part of the file.
fn divided(reader: &mut Reader<'_>, node: &Node, root: &Value) {
    let parts = Parts::of(&node.file, root);
    let is_named_in_parts =
        parts.jobs.iter().chain(parts.commands.iter().map(|(_, steps)| steps)).any(|part| names(part));
    // Where only something beside the jobs names the gate, it is not known which of them run it.
    if parts.jobs.is_empty() || !is_named_in_parts && parts.shared.iter().any(|value| names(value)) {
        return texts(reader, node, root);
    }
    parts.shared.iter().for_each(|value| texts(reader, node, value));
    let command = |name: &str| Node::job(&node.file, &format!("commands/{name}"));
    let known: BTreeSet<&str> = parts.commands.iter().map(|(name, _)| *name).collect();
    let jobs = parts.jobs.iter().enumerate().map(|(at, job)| (Node::job(&node.file, &format!("jobs/{at}")), *job));
    let commands = parts.commands.iter().map(|(name, steps)| (command(name), *steps));
    for (part, value) in jobs.chain(commands) {
        reader.hold(node, part.clone());
        visit_texts(value, &mut |text| {
            if known.contains(text) {
                reader.call(&part, command(text));
            }
        });
        of_job(reader, &part, value);
    }
}

/// Its steps one by one, and everything else in it.
fn of_job(reader: &mut Reader<'_>, part: &Node, job: &Value) {
    let read = |reader: &mut Reader<'_>, value: &Value| {
        visit_texts(value, &mut |text| reader.name(part, text));
        texts(reader, part, value);
    };
    if members(job).is_empty() {
        return read(reader, job);
    }
    for (key, value) in members(job) {
        let Data::List(steps) = &value.data else {
            read(reader, value);
            continue;
        };
        for (at, step) in steps.iter().enumerate() {
            reader.step = Some(at).filter(|_| key.name == "steps");
            read(reader, step);
        }
        reader.step = None;
    }
}

fn names(value: &Value) -> bool {
    let mut found = false;
    visit_texts(value, &mut |text| found |= names_gate(text));
    found
}

impl<'v> Parts<'v> {
    fn of(path: &str, root: &'v Value) -> Self {
        let mut parts = Self::default();
        let path = path.to_lowercase();
        for (key, value) in members(root) {
            match key.name.as_str() {
                "jobs" => parts.listed(value),
                "stages" => items(value).iter().for_each(|stage| parts.stage(stage)),
                "commands" => {
                    parts.commands.extend(members(value).iter().map(|(key, steps)| (key.name.as_str(), steps)));
                }
                "pipelines" | "definitions" => parts.below(value),
                "steps" if STEPS_ARE_JOBS.iter().any(|start| path.starts_with(start)) => {
                    parts.steps(items(value));
                }
                _ => parts.shared.push(value),
            }
        }
        parts
    }

    /// Jobs by their keys, or one after the other.
    fn listed(&mut self, jobs: &'v Value) {
        match &jobs.data {
            Data::Object(jobs) => self.jobs.extend(jobs.iter().map(|(_, job)| job)),
            Data::List(jobs) => self.jobs.extend(jobs),
            _ => self.shared.push(jobs),
        }
    }

    fn stage(&mut self, stage: &'v Value) {
        if member(stage, "jobs").is_none() {
            return self.shared.push(stage);
        }
        for (key, value) in members(stage) {
            if key.name == "jobs" { self.listed(value) } else { self.shared.push(value) }
        }
    }

    /// Steps with machines of their own, and groups of such steps.
    fn steps(&mut self, steps: &'v [Value]) {
        for step in steps {
            match member(step, "steps") {
                Some(steps) => self.jobs.extend(items(steps)),
                None => self.jobs.push(step),
            }
        }
    }

    /// Every `step`, however deep it is.
    fn below(&mut self, value: &'v Value) {
        match &value.data {
            Data::Object(members) => members
                .iter()
                .for_each(|(key, value)| if key.name == "step" { self.jobs.push(value) } else { self.below(value) }),
            Data::List(items) => items.iter().for_each(|item| self.below(item)),
            _ => self.shared.push(value),
        }
    }
}
