//! Inputs that a step passes to the action.

use super::{Workflow, is_expression};
use crate::doctor::answer::Fault;
use crate::doctor::scene::Scene;
use crate::doctor::{Check, sides, sources};
use crate::repo_audit::{member, members, text};
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
    pub(super) fn inputs(&self, step: &Value, scene: &Scene<'_>, policies: &mut Vec<String>, checks: &mut Vec<Check>) {
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
            // Names of inputs count in any case.
            let given = with.map(members).unwrap_or_default().iter();
            given
                .filter(|(key, _)| key.name.eq_ignore_ascii_case(name))
                .map(|(_, value)| value)
                .find(|value| !text(value).is_some_and(str::is_empty))
        };
        self.sides(&input, scene, checks);
        self.sessions(&input, scene, checks);
        if let Some(value) = input("fail-on").filter(|value| !is_level(value)) {
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
                None => self.report(Fault::limits("gate/policy", message), value, checks),
            }
        }
        self.evidence(&input, scene, checks);
    }

    /// Where sessions and the program come from.
    fn evidence<'v>(&self, input: &dyn Fn(&str) -> Option<&'v Value>, scene: &Scene<'_>, checks: &mut Vec<Check>) {
        if let Some(value) = input("trace-dir").filter(|value| !self.is_store(value)) {
            let message =
                format!("sessions are recorded in `{}`, and none is found here: leave it out", self.held.store);
            self.defeat("gate/store", value, &message, checks);
        }
        if let Some(value) = input("binary") {
            self.binary(value, checks);
        }
        if let Some(value) = input("source") {
            self.source(value, text(value).unwrap_or_default(), scene, checks);
        }
    }

    /// Which commit or branch judges, and which commit is judged.
    fn sides<'v>(&self, input: &dyn Fn(&str) -> Option<&'v Value>, scene: &Scene<'_>, checks: &mut Vec<Check>) {
        let said = |name: &str| input(name).map(|value| (value, value_text(value)));
        for (value, said) in ["policy-ref", "base"].into_iter().filter_map(said) {
            if let Some(fault) = sides::of_base(&said, scene) {
                self.report(fault, value, checks);
            }
        }
        if let Some((value, said)) = said("head")
            && let Some(fault) = sides::of_head(&said, scene)
        {
            self.report(fault, value, checks);
        }
        if let Some((value, said)) = said("base-branches")
            && let Some(fault) = sides::of_branches(&said)
        {
            self.report(fault, value, checks);
        }
    }

    /// The sessions that are named. The store of the change is read from its commit.
    fn sessions<'v>(&self, input: &dyn Fn(&str) -> Option<&'v Value>, scene: &Scene<'_>, checks: &mut Vec<Check>) {
        let Some(value) = input("sessions") else { return };
        let said = value_text(value);
        let lines: Vec<String> =
            said.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
        let is_store = |line: &String| {
            let bare = line.trim_start_matches("./").trim_end_matches('/');
            bare == self.held.store
        };
        if !lines.iter().any(is_store)
            && let Some(fault) = sources::of_sessions(&lines, scene)
        {
            self.report(fault, value, checks);
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
            self.report(Fault::limits("gate/program", message), value, checks);
        } else {
            let message =
                "the change brings the program that judges it: leave it out, and the action verifies a release";
            self.defeat("gate/program", value, message, checks);
        }
    }

    /// How far logs are believed.
    pub(super) fn source(&self, at: &Value, source: &str, scene: &Scene<'_>, checks: &mut Vec<Check>) {
        let fault = match source {
            "" | "pull-request" => return,
            "attested" if verifies(&scene.scripts) => return,
            "attested" => Fault::defeats(
                "gate/source",
                "no step before it verifies an attestation, so that every log counts as attested: verify it, or leave \
                 `source` out",
            ),
            "artifact" | "runner" if !scene.has_checkout => return,
            "artifact" | "runner" => Fault::limits(
                "gate/source",
                "files of the change lie in the workspace, and some may be taken for logs of this run: take the checkout out, \
                 or judge in another job",
            ),
            _ => Fault::limits("gate/source", "nothing here says how far logs are believed: write it out"),
        };
        self.report(fault, at, checks);
    }
}

/// Whether a command or an action before the gate verifies who made a file.
fn verifies(scripts: &str) -> bool {
    let is_action = |line: &str| line.starts_with("uses: ") && line.contains("verify");
    VERIFIERS.iter().any(|words| scripts.contains(words)) || scripts.lines().any(is_action)
}

/// A text, also of what is written without quotes.
fn value_text(value: &Value) -> String {
    match &value.data {
        agent_strace_policy::json::Data::Number(number) => number.clone(),
        agent_strace_policy::json::Data::Bool(value) => value.to_string(),
        _ => text(value).unwrap_or("${{ }}").to_owned(),
    }
}

fn is_level(value: &Value) -> bool {
    text(value).is_some_and(|level| LEVELS.contains(&level.trim().to_ascii_lowercase().as_str()))
}
