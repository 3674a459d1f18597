//! Steps that run before the gate in its job: code of the change could replace the program that judges it.

use super::job::is_steering;
use super::{Workflow, is_true, judges, uses};
use crate::doctor::call::is_head;
use crate::doctor::{Check, Gate, State};
use crate::repo_audit::{commands, items, member, program, text};
use agent_strace_policy::json::Value;

/// Files through which a step changes the steps behind it.
const FILES: &[&str] = &["GITHUB_PATH", "GITHUB_ENV"];
/// Commands that look at files and run nothing of them.
const HARMLESS: &[&str] = &[
    "echo",
    "printf",
    "cat",
    "ls",
    "test",
    "[",
    "[[",
    "true",
    "false",
    "cd",
    "pwd",
    "mkdir",
    "date",
    "env",
    "grep",
    "head",
    "tail",
    "wc",
    "sort",
    "jq",
    "exit",
    "set",
    "export",
    "sleep",
    "gh",
    "git",
    "curl",
    "wget",
    "sha256sum",
    "tar",
    "unzip",
    "install",
    "chmod",
    "mv",
    "cp",
    "rm",
    "find",
    "cut",
    "tr",
    "sed",
    "uname",
    "which",
    "type",
    "command",
    "read",
    "sudo",
    "apt",
    "apt-get",
    "apk",
    "dnf",
    "brew",
];
/// Actions that let an agent work in the job.
const AGENTS: &[&str] = &[
    "anthropics/claude-code-action",
    "anthropics/claude-code-base-action",
    "openai/codex-action",
    "google-github-actions/run-gemini-cli",
    "google-gemini/gemini-cli-action",
    "sourcegraph/amp-action",
    "github/copilot-cli-action",
    "cursor/",
    "opencode-ai/opencode",
    "sst/opencode",
    "block/goose",
    "augmentcode/",
    "Factory-AI/",
    "openhands/",
];

impl Workflow<'_> {
    pub(super) fn before(&self, job: &Value, gate: &Gate, checks: &mut Vec<Check>) {
        let mut has_change = false;
        for step in member(job, "steps").map(items).unwrap_or_default() {
            if judges(step) {
                return;
            }
            let used = uses(step).unwrap_or_default();
            if used.starts_with("actions/checkout@") {
                // With the rights of the base, the base is what is checked out by default.
                has_change |= !gate.is_independent || reference(step).is_some_and(is_of_change);
                continue;
            }
            if used.starts_with("./") && has_change {
                let message = "the change brings this action, which runs before the gate and may replace it: judge in another job";
                self.defeat("gate/before", member(step, "uses").unwrap_or(step), message, checks);
            }
            if AGENTS.iter().any(|agent| used.to_ascii_lowercase().starts_with(&agent.to_ascii_lowercase())) {
                let message = "an agent works in the job that judges it, and may leave a program or a setting behind: judge in \
                               another job";
                self.limit("gate/before", step, message, checks);
            }
            if let Some(run) = member(step, "run") {
                self.script_before(run, has_change, checks);
            }
        }
    }

    fn script_before(&self, run: &Value, has_change: bool, checks: &mut Vec<Check>) {
        let script = text(run).unwrap_or_default();
        let plain = script.replace("${{", "").replace("}}", "");
        if has_change && runs_code(&plain) {
            let message =
                "code of the change runs in this job before the gate, and may replace it: judge in another job";
            return self.defeat("gate/before", run, message, checks);
        }
        if FILES.iter().any(|file| script.contains(file)) {
            let message =
                "it sets variables or the search path of the gate, which decide what is run: judge in another job";
            if has_change || script.contains("BASH_ENV") || script.contains("LD_PRELOAD") {
                return self.defeat("gate/before", run, message, checks);
            }
            self.limit("gate/before", run, message, checks);
        }
        let sets = |line: &str| {
            line.trim().strip_prefix("export ").and_then(|rest| rest.split('=').next()).is_some_and(is_steering)
        };
        if !FILES.iter().any(|file| script.contains(file)) && script.contains("::set-env") && script.lines().any(sets) {
            self.limit("gate/before", run, "it sets variables of the gate: judge in another job", checks);
        }
    }

    /// A workflow with the rights of the base that checks out a change runs what its author wrote.
    pub(super) fn checks_nothing_out(&self, job: &Value, checks: &mut Vec<Check>) {
        for step in member(job, "steps").map(items).unwrap_or_default() {
            let is_checkout = uses(step).is_some_and(|uses| uses.starts_with("actions/checkout@"));
            let given = member(step, "with").and_then(|with| member(with, "ref"));
            if let Some(given) = given.filter(|value| is_checkout && text(value).is_some_and(is_of_change)) {
                let message = "it checks out the change with the rights of the base: take the step out, the gate reads \
                               commits";
                self.push("gate/checkout", State::Defeated, given, message, checks);
            }
            let script = member(step, "run").and_then(text).unwrap_or_default();
            let fetches = ["gh pr checkout", "refs/pull/", "pull/${{", "git checkout FETCH_HEAD"];
            if fetches.iter().any(|words| script.contains(words)) {
                let message = "it fetches the change into the workspace with the rights of the base: take it out, the gate \
                               reads commits";
                self.limit("gate/checkout", step, message, checks);
            }
            let persists = member(step, "with").and_then(|with| member(with, "persist-credentials"));
            if is_checkout && persists.is_some_and(is_true) {
                self.push("gate/checkout", State::Weak, step, "the token stays in the workspace: take it out", checks);
            }
        }
    }
}

/// Whether a script runs something that a checkout brings.
fn runs_code(script: &str) -> bool {
    let commands = commands(script);
    if commands.is_empty() {
        return !script.trim().is_empty();
    }
    commands.iter().filter_map(|words| words.first()).any(|first| {
        let name = program(first);
        first.starts_with('.') || !HARMLESS.contains(&name.as_str()) && !name.is_empty()
    })
}

fn reference(step: &Value) -> Option<&str> {
    member(step, "with").and_then(|with| member(with, "ref")).and_then(text)
}

fn is_of_change(reference: &str) -> bool {
    is_head(reference) || reference.contains("refs/pull/") || reference.contains("merge_commit_sha")
}
