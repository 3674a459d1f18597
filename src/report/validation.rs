//! `policy validate --format json`: what is wrong with policies, version 1, additive changes only.

use serde::Serialize;

use super::json;
use crate::policy::{Diagnostics, Policy};

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
    faults: Vec<Fault<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Fault<'a> {
    /// JSON pointer of what is wrong; empty where the file as a whole is.
    pointer: &'a str,
    line: u32,
    column: u32,
    message: &'a str,
    help: Option<&'a str>,
}

/// Each policy as it was named, with the answer of whoever read it.
pub(crate) fn validation(files: &[(String, Result<Policy, Diagnostics>)]) -> String {
    json::to_text(&Document { schema_version: 1, files: files.iter().map(|(path, read)| file(path, read)).collect() })
}

fn file<'a>(path: &'a str, read: &'a Result<Policy, Diagnostics>) -> File<'a> {
    let faults = read.as_ref().err().map_or(&[][..], |faults| &faults.list);
    File {
        path,
        valid: read.is_ok(),
        version: read.as_ref().ok().and_then(Policy::identity).map(|identity| identity.version),
        faults: faults
            .iter()
            .map(|fault| Fault {
                pointer: &fault.place.pointer,
                line: fault.place.line,
                column: fault.place.column,
                message: &fault.message,
                help: fault.help.as_deref(),
            })
            .collect(),
    }
}
