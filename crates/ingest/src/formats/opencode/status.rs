//! How a call ended.

use crate::json::{Raw, is_true, object, record, text};
use agent_strace_model::Status;

record! {
    pub(super) struct State {
        status = "status",
        input = "input",
        output = "output",
        error = "error",
        metadata = "metadata",
        time = "time",
    }
}

record! {
    struct Metadata { exit = "exit", interrupted = "interrupted" }
}

/// The host's words for a call that it did not run.
const REFUSALS: &[&str] =
    &["The user rejected permission to use this", "The user has specified a rule which prevents you from using this"];

/// Tools of `OpenCode` itself that ask before they do anything: only their errors are sure to be the host's own words.
/// `multiedit` and `batch` ask again on the way.
const OWN: &[&str] = &[
    "bash",
    "read",
    "edit",
    "write",
    "patch",
    "apply_patch",
    "glob",
    "grep",
    "list",
    "webfetch",
    "websearch",
    "codesearch",
    "task",
    "skill",
    "todowrite",
    "todoread",
];

pub(super) fn of(tool: &str, state: &State<'_>) -> Status {
    let metadata = object::<Metadata<'_>>(state.metadata).unwrap_or_default();
    match text(state.status).as_deref() {
        Some("completed") if failed(metadata.exit) => Status::Error,
        Some("completed") => Status::Ok,
        Some("error") => {
            let error = text(state.error).unwrap_or_default();
            if OWN.contains(&tool) && REFUSALS.iter().any(|words| error.starts_with(words)) {
                Status::Denied
            } else if is_true(metadata.interrupted) || error.starts_with("Tool execution aborted") {
                Status::Interrupted
            } else {
                Status::Error
            }
        }
        _ => Status::Missing,
    }
}

fn failed(exit: Option<Raw<'_>>) -> bool {
    exit.is_some_and(|exit| {
        exit.get() != "0" && exit.get().starts_with(|first: char| first == '-' || first.is_ascii_digit())
    })
}
