//! `doctor`: what a commit says about the gate in CI, for people and as JSON (version 1, additive changes only).

use std::fmt::Write as _;

use serde::Serialize;

use super::escape::terminal;
use super::paint::Paint;
use super::{Colour, json};
use agent_strace_repos::doctor::{Check, Examination, State, Strength};
use agent_strace_secrets::redact;

/// What the words for a strength promise.
fn meaning(strength: Strength) -> &'static str {
    match strength {
        Strength::None => "no change has to pass the gate",
        Strength::Visible => {
            "changes are judged by their base; who writes one can change the job, and everybody sees that"
        }
        Strength::Reviewed => "changes are judged by their base, and what judges them has owners",
        Strength::Enforced => "changes are judged by a workflow that they do not bring",
    }
}

pub fn text(examination: &Examination, colour: Colour) -> String {
    let paint = Paint(colour);
    let name = examination.strength.name();
    let name = if examination.strength == Strength::None { paint.error(name) } else { paint.good(name) };
    let mut text = format!("gate in CI: {name} ({})\n", meaning(examination.strength));
    for check in &examination.checks {
        let state = format!("{:<8}", check.state.name());
        let state = match check.state {
            State::Unknown | State::Defeated => paint.error(&state),
            State::Weak => paint.warning(&state),
            State::Good => paint.good(&state),
            State::Unseen => paint.bold(&state),
        };
        let location =
            check.location.as_ref().map_or_else(String::new, |(file, line)| format!("{}:{line}: ", shown(file)));
        let _ = writeln!(text, "  {state}  {:<16}  {location}{}", check.id, shown(&check.message));
    }
    text
}

pub fn to_json(examination: &Examination) -> String {
    json::to_text(&Document::new(examination))
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Document {
    schema_version: u8,
    /// `none`, `visible`, `reviewed` or `enforced`, as far as a commit shows it.
    strength: &'static str,
    exit_code: u8,
    /// Jobs that judge changes.
    gates: Vec<GateJob>,
    checks: Vec<Looked>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GateJob {
    file: String,
    line: u32,
    /// What the rules of a branch have to require.
    name: String,
    /// It runs as it is on the branch that is merged into, whatever the change brings.
    independent: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Looked {
    id: &'static str,
    /// `unknown`, `defeated`, `weak`, `good`, or `unseen`: only the settings of the forge say it.
    state: &'static str,
    message: String,
    file: Option<String>,
    line: Option<u32>,
}

impl Document {
    fn new(examination: &Examination) -> Self {
        let job = |gate: &agent_strace_repos::doctor::Gate| GateJob {
            file: redacted(&gate.file),
            line: gate.line,
            name: redacted(&gate.job),
            independent: gate.is_independent,
        };
        let looked = |check: &Check| Looked {
            id: check.id,
            state: check.state.name(),
            message: redacted(&check.message),
            file: check.location.as_ref().map(|(file, _)| redacted(file)),
            line: check.location.as_ref().map(|(_, line)| *line),
        };
        Self {
            schema_version: 1,
            strength: examination.strength.name(),
            exit_code: examination.exit_code(),
            gates: examination.gates.iter().map(job).collect(),
            checks: examination.checks.iter().map(looked).collect(),
        }
    }
}

fn redacted(text: &str) -> String {
    redact(text).as_str().to_owned()
}

fn shown(text: &str) -> String {
    terminal(redact(text).as_str())
}

#[test]
fn the_published_schema_is_what_is_written() {
    agent_strace_testing::schemas::keep("doctor.v1", &agent_strace_testing::schemas::written::<Document>());
}
