//! Pipelines of GitLab: jobs that judge merge requests, and everything that lets one of them not do that.
//!
//! A job is read as GitLab runs it: with the files that `.gitlab-ci.yml` includes, what a later file lays over it, what it
//! extends, and the defaults of all jobs.

mod include;
mod inputs;
mod node;
mod passed;
mod pipeline;
mod rules;

use super::answer::Fault;
use super::harmless::{Effect, effect};
use super::scene::{Bases, Origin, Scene, Workspace};
use super::script::{Shell, Verdict, first_call, verdicts, without_expressions};
use super::sources::is_steering;
use super::{Check, Gate, Held, State, is_gitlab, sources};
use node::{Node, Place};
use passed::passed;
use pipeline::{Job, Pipeline};
use rules::Outcome;

/// Commits and branches of the change, in the name of an image.
const OF_CHANGE: &[&str] = &["$CI_COMMIT", "$CI_MERGE_REQUEST", "${CI_COMMIT", "${CI_MERGE_REQUEST"];

pub(super) fn gates(held: &Held<'_>, checks: &mut Vec<Check>) -> Vec<Gate> {
    let pipeline = pipeline::pipeline(held, checks);
    let mut gates = Vec::new();
    if let Some(pipeline) = &pipeline {
        let jobs = pipeline.jobs();
        gates.extend(jobs.iter().filter_map(|job| gate(job, &jobs, pipeline, held)));
        views(&mut gates);
        if gates.is_empty() {
            let faults = pipeline.faults.iter().map(|(fault, at)| fault.clone().at(&at.file, at.line));
            checks.extend(faults.map(|check| Check { state: State::Unknown, ..check }));
        }
    }
    let files = pipeline.map(|pipeline| pipeline.files).unwrap_or_default();
    let others = held.pipelines.iter().filter(|(path, _)| is_gitlab(path) && !files.contains(path));
    for (path, content) in others {
        gates.extend(content.as_deref().ok().into_iter().flat_map(|content| left_out(path, content)));
    }
    for gate in gates.iter_mut().filter(|gate| !gate.is_view) {
        if gate.checks.iter().all(|check| check.state == State::Good) {
            let message = format!("the job `{}` judges changes", gate.job);
            gate.checks.push(Check::new("gate/there", State::Good, message).at(&gate.file, gate.line));
        }
    }
    gates
}

/// The gates of a file that is no part of the pipeline.
fn left_out(path: &str, content: &str) -> Vec<Gate> {
    let Ok(root) = inputs::read(path, content, None) else { return Vec::new() };
    let alone = Pipeline { root, files: Vec::new(), faults: Vec::new(), perhaps: Vec::new() };
    let judges = |job: &Job| alone.script(&job.node).is_some_and(|script| first_call(&script).is_some());
    let gates = alone.jobs().into_iter().filter(judges).map(|Job { name, place, .. }| {
        let mut gate = Gate::new(&place.file, &name, &name, place.line);
        let message = "`.gitlab-ci.yml` does not include this file, so that nothing runs it: add it to `include`";
        gate.checks.push(Check::new("gate/included", State::Defeated, message).at(&place.file, place.line));
        gate
    });
    gates.collect()
}

/// Collects the faults of a job, each with its place.
struct Found<'g> {
    gate: &'g mut Gate,
}

impl Found<'_> {
    fn push(&mut self, fault: Fault, at: &Place) {
        self.gate.checks.push(fault.at(&at.file, at.line));
    }
}

fn gate(job: &Job, all: &[Job], pipeline: &Pipeline, held: &Held<'_>) -> Option<Gate> {
    let Job { name, place, node: job } = job;
    let script = pipeline.script(job)?;
    let start = first_call(&script)?;
    let mut gate = Gate::new(&place.file, name, name, place.line);
    gate.parts.clone_from(&pipeline.files);
    let mut policies = Vec::new();
    let mut found = Found { gate: &mut gate };
    runs(job, pipeline, held, &mut found);
    staged(job, pipeline, &mut found);
    needs(job, all, held, &mut found);
    passed(job, all, pipeline, held, &mut found);
    steered(job, pipeline, &mut found);
    image(job, pipeline, &mut found);
    for (fault, at) in pipeline.faults.iter().cloned().chain(pipeline.doubts(name)) {
        found.push(fault, &at);
    }
    let scene = scene(job, pipeline, held, &script);
    let at = job.member("script").map_or(place, |script| &script.place);
    let plain = without_expressions(&script);
    let effect = effect(plain.get(..start).unwrap_or_default());
    if effect == Effect::Replaces {
        let message = "the script puts another program in the place of one that judges: take it out";
        found.push(Fault::unknown("gate/before", message), at);
    } else if scene.workspace == Workspace::Change && effect != Effect::Nothing {
        let message = "code of the change runs in this job before the gate, and may replace it: judge in another job";
        found.push(Fault::defeats("gate/before", message), at);
    }
    let verdicts = verdicts(&script, Shell::STRICT, &scene);
    let is_forgiven = |verdict: &Verdict| verdict.faults.iter().any(|fault| fault.id == "gate/forgiven");
    let is_view = verdicts.iter().all(is_forgiven);
    for verdict in verdicts {
        policies.extend(verdict.policy);
        if verdict.source.as_deref() == Some("attested") && !script.contains("verify") {
            let message = "nothing in the script verifies an attestation, so that every log counts as attested: leave `--source` out";
            found.push(Fault::defeats("gate/source", message), at);
        }
        verdict.faults.into_iter().for_each(|fault| found.push(fault, at));
    }
    gate.policies = policies;
    gate.is_view = is_view;
    Some(gate)
}

/// The surroundings of the script.
fn scene<'h>(job: &Node, pipeline: &Pipeline, held: &'h Held<'h>, script: &str) -> Scene<'h> {
    let is_named = pipeline.of_job(job, "rules").is_some_and(rules::names_target);
    let mut scene = Scene::new(held, Origin::Change, if is_named { Bases::Named } else { Bases::Any });
    for of in [Some(job), Some(&pipeline.root)].into_iter().flatten() {
        for (key, value) in of.member("variables").map(Node::members).unwrap_or_default() {
            let value = value.member("value").unwrap_or(value).text().unwrap_or_default().to_owned();
            scene.variables.entry(key.name.clone()).or_insert(value);
        }
    }
    let brings_nothing =
        scene.variables.get("GIT_STRATEGY").is_some_and(|strategy| matches!(strategy.as_str(), "none" | "empty"));
    scene.workspace = if brings_nothing { Workspace::Empty } else { Workspace::Change };
    scene.has_checkout = !brings_nothing;
    script.clone_into(&mut scene.scripts);
    scene.moves = sources::moves(&scene.scripts, &scene);
    scene
}

/// Whether the job runs for every merge request, and whether its failure counts.
fn runs(job: &Node, pipeline: &Pipeline, held: &Held<'_>, found: &mut Found<'_>) {
    if let Some(rules) = pipeline.root.member("workflow").and_then(|workflow| workflow.member("rules"))
        && !matches!(rules::outcome_of(rules, held), Outcome::Runs)
    {
        let message = "the rules of `workflow` let merge requests start no pipeline, or nothing here says that they do: add \
                       `if: $CI_PIPELINE_SOURCE == \"merge_request_event\"` in front";
        found.push(Fault::defeats("gate/skipped", message), &rules.place);
    }
    if let Some(rules) = job.member("rules") {
        let outcome = rules::outcome_of(rules, held);
        if let Some(fault) = of_outcome(outcome) {
            found.push(fault, &rules.place);
        }
    }
    // With `rules`, these are only their defaults.
    if let Some(value) = job.member("when").filter(|value| !matches!(value.text(), Some("on_success" | "always"))) {
        found.push(Fault::defeats("gate/skipped", "the job does not run by itself: take `when` out"), &value.place);
    }
    if let Some(value) = job.member("allow_failure").filter(|value| !value.is_false()) {
        found.push(
            Fault::defeats("gate/forgiven", "`allow_failure` lets the gate fail without a consequence: take it out"),
            &value.place,
        );
    }
    if let Some(value) = job.member("trigger").or_else(|| job.member("run")) {
        found.push(
            Fault::unknown("gate/skipped", "nothing here says what this runs: call the gate in `script`"),
            &value.place,
        );
    }
    of_lists(job, found);
}

fn of_outcome(outcome: Outcome) -> Option<Fault> {
    let skipped = |message: &str| Some(Fault::defeats("gate/skipped", message));
    match outcome {
        Outcome::Runs => None,
        Outcome::NotByItself => skipped("the job does not run by itself: take `when` out"),
        Outcome::Never => {
            skipped("it runs for no merge request: add `if: $CI_PIPELINE_SOURCE == \"merge_request_event\"`")
        }
        Outcome::ByAuthor => skipped("the author of a change decides whether the job runs: take the rule out"),
        Outcome::Forgiven => Some(Fault::defeats(
            "gate/forgiven",
            "`allow_failure` lets the gate fail without a consequence: take it out",
        )),
        Outcome::ByFiles => Some(Fault::defeats(
            "gate/filters",
            "changes of other files start no job, and nothing judges them: take the filter out",
        )),
        Outcome::Unknown => Some(Fault::unknown(
            "gate/skipped",
            "nothing here says that the job runs for merge requests: add `- if: $CI_PIPELINE_SOURCE == \
             \"merge_request_event\"` in front of the rules",
        )),
    }
}

/// `only` and `except`.
fn of_lists(job: &Node, found: &mut Found<'_>) {
    let is_proposal = |name: &&str| matches!(*name, "merge_requests" | "external_pull_requests");
    for (name, only_with) in [("only", true), ("except", false)] {
        let Some(list) = job.member(name) else { continue };
        if let Some(value) = ["changes", "variables", "kubernetes"].iter().find_map(|name| list.member(name)) {
            let message = "changes of other files start no job, and nothing judges them: take the filter out";
            found.push(Fault::defeats("gate/filters", message), &value.place);
        }
        let refs = list.member("refs").unwrap_or(list).texts();
        let is_named = refs.iter().any(is_proposal);
        if is_named != only_with && !refs.is_empty() {
            let remedy = if only_with { "add `merge_requests`" } else { "take `merge_requests` out" };
            found.push(Fault::defeats("gate/skipped", format!("it runs for no merge request: {remedy}")), &list.place);
        }
    }
}

/// GitLab starts no pipeline where a job is in a stage that is not listed.
fn staged(job: &Node, pipeline: &Pipeline, found: &mut Found<'_>) {
    let Some(stages) = pipeline.root.member("stages").or_else(|| pipeline.root.member("types")) else { return };
    let stage = job.member("stage").and_then(Node::text).unwrap_or("test");
    let is_listed = |name: &&str| *name == stage || name.contains('$');
    if matches!(stage, ".pre" | ".post") || stage.contains('$') || stages.texts().iter().any(is_listed) {
        return;
    }
    let message = format!("`stages` leaves out `{stage}`, the stage of the gate, so that no pipeline starts: add it");
    found.push(Fault::defeats("gate/skipped", message), &stages.place);
}

/// A job that waits for one that somebody has to start is never run, and the pipeline passes.
fn needs(job: &Node, all: &[Job], held: &Held<'_>, found: &mut Found<'_>) {
    let Some(needs) = job.member("needs") else { return };
    for need in needs.items() {
        let Some(name) = need.member("job").unwrap_or(need).text() else { continue };
        let needed = all.iter().find(|job| job.name == name).map(|job| &job.node);
        let is_optional = need.member("optional").is_some_and(|value| !value.is_false());
        let runs = needed.map(|needed| {
            let rules = needed.member("rules").map_or(Outcome::Runs, |rules| rules::outcome_of(rules, held));
            let when = needed.member("when").and_then(Node::text).unwrap_or("on_success");
            let is_there = matches!(rules, Outcome::Runs | Outcome::Forgiven);
            // A need that is optional may be missing from a pipeline.
            (is_there || is_optional && rules != Outcome::NotByItself) && matches!(when, "on_success" | "always")
        });
        if !runs.unwrap_or(is_optional) {
            let message = format!("it waits for the job `{name}`, which may not run, and is skipped then: `needs: []`");
            found.push(Fault::unknown("gate/skipped", message), &need.place);
        }
    }
}

/// Variables that decide which programs run, and what the gate reads.
fn steered(job: &Node, pipeline: &Pipeline, found: &mut Found<'_>) {
    let workflow = pipeline.root.member("workflow");
    let rules = [job.member("rules"), workflow.and_then(|workflow| workflow.member("rules"))];
    let of_rules = rules.into_iter().flatten().flat_map(rules::flat);
    let of_all = [&pipeline.root, job].into_iter().chain(of_rules).filter_map(|of| of.member("variables"));
    let matrix = job.member("parallel").and_then(|parallel| parallel.member("matrix"));
    for variables in of_all.chain(matrix.map(Node::items).unwrap_or_default()) {
        for (key, value) in variables.members() {
            if is_steering(&key.name) {
                let message = format!("`{}` decides which programs run, or what the gate reads: take it out", key.name);
                found.push(Fault::defeats("gate/environment", message), &value.place);
            }
            let said = value.member("value").unwrap_or(value).text().unwrap_or_default();
            if key.name.starts_with("AGENT_STRACE_") && OF_CHANGE.iter().any(|part| said.contains(part)) {
                let message = "the change may decide which program judges it: name a release";
                found.push(Fault::defeats("gate/program", message), &value.place);
            }
        }
    }
}

/// The image that the gate runs in.
fn image(job: &Node, pipeline: &Pipeline, found: &mut Found<'_>) {
    let Some(image) = pipeline.of_job(job, "image") else { return };
    let name = image.member("name").unwrap_or(image).text().unwrap_or_default();
    if OF_CHANGE.iter().any(|part| name.contains(part)) {
        let message = "the change may decide which image the gate runs in: name one by its digest";
        found.push(Fault::defeats("gate/container", message), &image.place);
    } else if image.member("entrypoint").is_some_and(|entry| !entry.texts().iter().all(|word| word.is_empty())) {
        let message = "the entry point decides whether the script is run: take it out";
        found.push(Fault::unknown("gate/container", message), &image.place);
    } else if name.contains(['/', '$']) && !name.contains("@sha256:") {
        let message =
            "who can write to its registry decides which programs the gate runs on: name the image by its digest";
        found.push(Fault::limits("gate/container", message), &image.place);
    }
}

/// Where one job has the verdict, others may report it and pass: reports of a job that failed are not taken.
fn views(gates: &mut [Gate]) {
    let is_intact = |gate: &&Gate| !gate.checks.iter().any(Check::is_fatal);
    let mut deciding = gates.iter().filter(|gate| !gate.is_view);
    let verdict = deciding.clone().find(is_intact).or_else(|| deciding.next()).map(|gate| gate.job.clone());
    for gate in gates.iter_mut().filter(|gate| gate.is_view) {
        // Where none decides, each of them lets every change through.
        let Some(verdict) = &verdict else {
            gate.is_view = false;
            continue;
        };
        let message = format!("it passes whatever it finds: the job `{verdict}` has the verdict");
        gate.checks = vec![Check::new("gate/view", State::Good, message).at(&gate.file, gate.line)];
    }
}
