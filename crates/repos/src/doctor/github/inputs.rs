//! Inputs that a step passes to the action.

use super::{Workflow, is_expression, uses};
use crate::doctor::Check;
use crate::doctor::call::{is_any_branch, is_head};
use crate::repo_audit::{member, text};
use agent_strace_git::change_set::from_top;
use agent_strace_policy::json::Value;

/// Levels that let a finding fail the gate.
const LEVELS: &[&str] = &["", "error", "warning", "note"];
/// Words of commands and actions that verify who made a file.
const VERIFIERS: &[&str] = &[
    "gh attestation verify",
    "cosign verify",
    "slsa-verifier verify",
    "sigstore verify",
    "gitsign verify",
    "minisign -V",
    "verify-attestation",
];

impl Workflow<'_> {
    pub(super) fn inputs(&self, step: &Value, steps: &[Value], policies: &mut Vec<String>, checks: &mut Vec<Check>) {
        self.environment(step, checks);
        let with = member(step, "with");
        if let Some(with) = with.filter(|with| is_expression(with)) {
            return self.defeat(
                "gate/inputs",
                with,
                "an expression says what the gate does: write the inputs out",
                checks,
            );
        }
        let input = |name: &str| {
            with.and_then(|with| member(with, name)).filter(|value| !text(value).is_some_and(str::is_empty))
        };
        self.bases(&input, checks);
        // A plain `never` is found by the rule about settings.
        if let Some(value) = input("fail-on").filter(|value| !is_level(value) && text(value) != Some("never")) {
            let message = "this lets no finding fail the gate, or nothing here says which: name error, warning or note";
            self.defeat("gate/forgiven", value, message, checks);
        }
        if let Some(value) = input("reviewed-by") {
            self.reviewed(value, checks);
        }
        if let Some(value) = input("policy") {
            let message = "nothing here says which policy judges: write its path out";
            match text(value).filter(|text| !text.contains("${{")) {
                Some(path) => policies.push(path.trim_start_matches("./").to_owned()),
                None => self.limit("gate/policy", value, message, checks),
            }
        }
        if let Some(value) = input("trace-dir").filter(|value| !self.is_store(value)) {
            let message =
                format!("sessions are recorded in `{}`, and none is found here: leave it out", self.held.store);
            self.defeat("gate/store", value, &message, checks);
        }
        if let Some(value) = input("binary") {
            self.binary(value, checks);
        }
        if let Some(value) = input("source") {
            self.source(value, step, steps, checks);
        }
    }

    /// Which commit or branch judges.
    fn bases<'v>(&self, input: &dyn Fn(&str) -> Option<&'v Value>, checks: &mut Vec<Check>) {
        for name in ["policy-ref", "base"] {
            if let Some(value) = input(name).filter(|value| text(value).is_some_and(is_head)) {
                let message = "this is what the change brings: leave it out, or name the base branch";
                self.defeat("gate/base", value, message, checks);
            }
        }
        if let Some(value) = input("base-branches").filter(|value| text(value).is_none_or(is_any_branch)) {
            let message = "every branch may judge, so that the author of a change picks one: name the branches";
            self.defeat("gate/branches", value, message, checks);
        }
    }

    fn is_store(&self, value: &Value) -> bool {
        let path = text(value).unwrap_or_default();
        path.is_empty() || from_top("", path.trim_end_matches('/')).as_deref() == Some(self.held.store.as_str())
    }

    /// The program that judges: it must not come out of what is judged.
    fn binary(&self, value: &Value, checks: &mut Vec<Check>) {
        let path = text(value).unwrap_or_default();
        let is_elsewhere = path.starts_with(['/', '~'])
            || ["runner.temp", "runner.tool_cache", "steps.", "RUNNER_TEMP"].iter().any(|part| path.contains(part));
        if is_elsewhere && !path.contains("workspace") {
            let message = "what another step puts there judges: leave it out, and the action verifies a release";
            self.limit("gate/program", value, message, checks);
        } else {
            let message =
                "the change brings the program that judges it: leave it out, and the action verifies a release";
            self.defeat("gate/program", value, message, checks);
        }
    }

    /// How far logs are believed.
    fn source(&self, value: &Value, step: &Value, steps: &[Value], checks: &mut Vec<Check>) {
        let before = steps.iter().take_while(|other| !std::ptr::eq(*other, step));
        match text(value).unwrap_or_default() {
            "" | "pull-request" => {}
            "attested" => {
                let verifies = |step: &Value| {
                    let run = member(step, "run").and_then(text).unwrap_or_default();
                    let used = uses(step).unwrap_or_default();
                    VERIFIERS.iter().any(|words| run.contains(words)) || used.contains("verify")
                };
                if !before.into_iter().any(verifies) {
                    let message = "no step before it verifies an attestation, so that every log counts as attested: verify \
                                   it, or leave `source` out";
                    self.defeat("gate/source", value, message, checks);
                }
            }
            "artifact" | "runner" => {
                let brings = |step: &Value| uses(step).is_some_and(|uses| uses.starts_with("actions/checkout@"));
                if before.into_iter().any(brings) {
                    let message = "files of the change lie in the workspace, and some may be taken for logs of this run: take \
                                   the checkout out, or judge in another job";
                    self.limit("gate/source", value, message, checks);
                }
            }
            _ => self.limit("gate/source", value, "nothing here says how far logs are believed: write it out", checks),
        }
    }
}

fn is_level(value: &Value) -> bool {
    text(value).is_some_and(|level| LEVELS.contains(&level.trim().to_ascii_lowercase().as_str()))
}
