//! `policy validate --format json`: what is wrong with policies, version 1, additive changes only.

use serde::Serialize;

use super::escape::terminal;
use super::json;
use super::lints::One;
use agent_strace_engine::policy_testing::lint::Lint;
use agent_strace_policy::{Diagnostics, Policy};
use agent_strace_secrets::redact;

/// What `agent-strace policy validate` found.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace policy validate, version 1"))]
pub(super) struct Document<'a> {
    schema_version: u32,
    files: Vec<File<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct File<'a> {
    path: &'a str,
    /// It can be used: it has no fault.
    valid: bool,
    /// Of the format; `null` where the file can't be used.
    version: Option<u32>,
    faults: Vec<Fault>,
    /// Entries that change no verdict: the file can be used, and does not say what was meant.
    warnings: Vec<One<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Fault {
    /// JSON pointer of what is wrong; empty where the file as a whole is.
    pointer: String,
    line: u32,
    column: u32,
    message: String,
    help: Option<String>,
}

/// A policy that was looked at.
pub struct Validated {
    /// As it was named.
    pub file: String,
    pub read: Result<Policy, Diagnostics>,
    /// Its entries without effect.
    pub idle: Vec<Lint>,
}

impl Validated {
    /// One line, and two for each warning; nothing where the policy can't be used: its faults go to another place.
    pub fn text(&self) -> Option<String> {
        let policy = self.read.as_ref().ok()?;
        let (file, version) = (terminal(&self.file), policy.identity().map_or(1, |identity| identity.version));
        let mut text = format!("{file}: valid, version {version}\n");
        for lint in &self.idle {
            text.push_str(&super::lints::line(lint, &file, &super::paint::Paint(super::Colour::Plain)));
        }
        Some(text)
    }
}

/// Each policy as it was named, with the answer of whoever read it.
pub fn validation(files: &[Validated]) -> String {
    json::to_text(&Document { schema_version: 1, files: files.iter().map(file).collect() })
}

fn file(Validated { file: path, read, idle }: &Validated) -> File<'_> {
    let faults = read.as_ref().err().map_or(&[][..], |faults| &faults.list);
    File {
        path,
        valid: read.is_ok(),
        version: read.as_ref().ok().and_then(Policy::identity).map(|identity| identity.version),
        faults: faults
            .iter()
            .map(|fault| Fault {
                pointer: redact(&fault.location.pointer).as_str().to_owned(),
                line: fault.location.line,
                column: fault.location.column,
                message: redact(&fault.message).as_str().to_owned(),
                help: fault.help.as_ref().map(|help| redact(help).as_str().to_owned()),
            })
            .collect(),
        warnings: idle.iter().map(One::new).collect(),
    }
}
