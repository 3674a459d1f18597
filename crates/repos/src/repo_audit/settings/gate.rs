//! Steps of workflows that run the gate and do not let it fail.

use std::sync::LazyLock;

use crate::repo_audit::document::{items, member, members, text};
use crate::repo_audit::hit::{Location, RepositoryHit};
use crate::repo_audit::launch::{commands, program};
use crate::repo_audit::lookup::{self, EACH, Paths, Spot};
use agent_strace_policy::json::{Data, Value};
use agent_strace_rules::repository::GATE_DISABLED;

use super::File;

const NAME: &str = "agent-strace";
const GLOBS: &[&str] = &[
    "**/.github/workflows/*.{yml,yaml}",
    "**/.gitlab-ci.yml",
    "**/{.gitea,.forgejo}/workflows/*.{yml,yaml}",
    "**/action.{yml,yaml}",
];

pub(super) static PATHS: LazyLock<Paths> = LazyLock::new(|| Paths::new(GLOBS.iter().copied()));

/// A workflow that does not name the gate is none of its business, whether it is understood or not.
pub(super) fn may_speak(_path: &str, text: &str) -> bool {
    text.contains(NAME)
}

pub(super) fn hits(file: &File<'_>, found: &mut Vec<RepositoryHit>) {
    if !PATHS.matches(file.path) {
        return;
    }
    let root = &file.document.root;
    for job in lookup::at(root, &["jobs", EACH]) {
        let steps = member(job.value, "steps").map(items).unwrap_or_default();
        let gates: Vec<&Value> = steps.iter().filter(|step| is_gate(step)).collect();
        if let Some(first) = gates.first().filter(|_| forgives(job.value)) {
            push(
                file,
                first,
                "`continue-on-error` of its job lets the gate fail without a consequence: take it out",
                found,
            );
        }
        for step in gates {
            of_step(file, step, found);
        }
    }
    for step in lookup::at(root, &["runs", "steps", EACH]).iter().filter(|step| is_gate(step.value)) {
        of_step(file, step.value, found);
    }
    for job in lookup::each(root).iter().filter(|job| scripts(job.value).iter().any(|script| runs_gate(script))) {
        of_gitlab(file, job, found);
    }
}

fn push(file: &File<'_>, at: &Value, message: &str, found: &mut Vec<RepositoryHit>) {
    let location = Location::head(file.path, file.document.line(&at.span));
    found.push(RepositoryHit::new(&GATE_DISABLED, location, message).about("reason", message));
}

/// By its action, or by the program in its script.
fn is_gate(step: &Value) -> bool {
    let uses = member(step, "uses").and_then(text).unwrap_or_default();
    is_action(uses) || member(step, "run").and_then(text).is_some_and(runs_gate)
}

/// Whether what a step uses is our action, at whatever version.
pub(crate) fn is_action(uses: &str) -> bool {
    let action = uses.split('@').next().unwrap_or(uses);
    action.split('/').any(|part| part == NAME)
}

/// What the program is called with in a script, call by call.
pub(crate) fn calls(script: &str) -> Vec<Vec<String>> {
    let after = |words: &Vec<String>| {
        let at = words.iter().position(|word| is_own(word))?;
        Some(words.iter().skip(at + 1).cloned().collect())
    };
    if !script.contains(NAME) {
        return Vec::new();
    }
    commands(script).iter().filter(|words| is_program(words)).filter_map(after).collect()
}

fn runs_gate(script: &str) -> bool {
    script.contains(NAME) && commands(script).iter().any(|words| is_program(words))
}

/// The gate itself, or what brings it and starts it.
fn is_program(words: &[String]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    is_own(first) || BRINGERS.contains(&program(first).as_str()) && rest.iter().any(|word| is_own(word))
}

fn is_own(word: &str) -> bool {
    program(word) == NAME || word.starts_with("agent-strace@") || word.contains("/agent-strace:")
}

const BRINGERS: &[&str] =
    &["npx", "bunx", "npm", "pnpm", "yarn", "uvx", "uv", "pipx", "cargo", "docker", "podman", "nix", "mise"];

fn forgives(value: &Value) -> bool {
    member(value, "continue-on-error").is_some_and(|value| match &value.data {
        Data::Bool(value) => *value,
        Data::Text(text) => text.replace(' ', "").contains("{{true}}") || text == "true",
        _ => false,
    })
}

fn of_step(file: &File<'_>, step: &Value, found: &mut Vec<RepositoryHit>) {
    if forgives(step) {
        push(file, step, "`continue-on-error` lets the gate fail without a consequence: take it out", found);
    }
    let inputs = lookup::at(step, &["with", "fail-on"]).into_iter().chain(lookup::at(step, &["env", "AST_FAIL_ON"]));
    for input in inputs.filter(|input| text(input.value) == Some("never")) {
        push(file, input.value, "`fail-on: never` lets no finding fail the gate: name the level that does", found);
    }
    if let Some(run) = member(step, "run") {
        of_script(file, run, text(run).unwrap_or_default(), found);
    }
}

fn of_gitlab(file: &File<'_>, job: &Spot<'_>, found: &mut Vec<RepositoryHit>) {
    let allowed = member(job.value, "allow_failure").filter(|value| matches!(value.data, Data::Bool(true)));
    if let Some(value) = allowed {
        push(file, value, "`allow_failure` lets the gate fail without a consequence: take it out", found);
    }
    for key in ["script", "before_script"] {
        let Some(value) = member(job.value, key) else { continue };
        let lines = items(value).iter().filter_map(|item| Some((item, text(item)?)));
        lines.chain(text(value).map(|line| (value, line))).for_each(|(at, line)| of_script(file, at, line, found));
    }
}

fn scripts(job: &Value) -> Vec<&str> {
    let value = member(job, "script");
    let listed = value.into_iter().flat_map(items).filter_map(text);
    listed.chain(value.and_then(text)).collect()
}

/// Lines with the gate in them that say that it may fail, or that nothing fails it.
fn of_script(file: &File<'_>, at: &Value, script: &str, found: &mut Vec<RepositoryHit>) {
    let joined = script.replace("\\\n", " ");
    let gates = joined.lines().filter(|line| line.contains(NAME) && runs_gate(line));
    for line in gates {
        let never = line
            .replace('=', " ")
            .split_whitespace()
            .collect::<Vec<_>>()
            .windows(2)
            .any(|pair| pair == ["--fail-on", "never"]);
        if never {
            push(file, at, "`--fail-on never` lets no finding fail the gate: name the level that does", found);
        }
        let behind = line.split("||").nth(1).map(str::trim);
        let forgiven = behind.is_some_and(|rest| {
            let first = rest.split([' ', ';', '&']).next().unwrap_or_default();
            matches!(first, "true" | ":" | "/bin/true" | "echo") || rest.starts_with("exit 0")
        });
        if forgiven || line.trim_start().starts_with("! ") {
            push(file, at, "what stands behind the gate hides that it failed: let its exit code count", found);
        }
    }
    if members(at).is_empty() && joined.lines().any(|line| line.trim() == "set +e") && runs_gate(&joined) {
        push(file, at, "`set +e` hides that the gate failed: let its exit code count", found);
    }
}
