//! How a call ended, from its output. Most outputs are text in which the host's own words come first.

use crate::ingest::json::{Raw, elements, object, parse, record, text};
use crate::model::Status;

record! {
    struct Output { metadata = "metadata", success = "success" }
}

record! {
    struct Metadata { exit_code = "exit_code" }
}

record! {
    struct Part { text = "text" }
}

/// The status that an output shows.
pub(super) fn status(tool: &str, output: Option<Raw<'_>>) -> Status {
    let Some(raw) = output else { return Status::Ok };
    let first = || text(object::<Part<'_>>(elements(output).first().copied())?.text);
    let Some(words) = text(output).or_else(first) else {
        let failed =
            object::<Output<'_>>(output).is_some_and(|output| output.success.is_some_and(|raw| raw.get() == "false"));
        return if failed || raw.get().starts_with("{\"error\"") { Status::Error } else { Status::Ok };
    };
    if words.starts_with("aborted by user") || words.starts_with("aborted") && words.len() < 40 {
        return Status::Interrupted;
    }
    if runs_commands(tool) && refused(&words) {
        return Status::Denied;
    }
    match exit_code(&words) {
        Some(0) => Status::Ok,
        Some(_) => Status::Error,
        None if failed(&words) => Status::Error,
        None => Status::Ok,
    }
}

/// Tools whose output the host wraps, so that text that is not wrapped can only be the host's own. A server's
/// tool could write anything.
fn runs_commands(tool: &str) -> bool {
    matches!(
        tool,
        "shell" | "shell_command" | "exec_command" | "local_shell" | "apply_patch" | "write_stdin" | "container.exec"
    )
}

fn refused(words: &str) -> bool {
    let start = words.split('\n').next().unwrap_or("");
    let wrapped = ["{", "Exit code:", "Chunk ID:", "Command:", "Wall time", "Success", "Output:"];
    !wrapped.iter().any(|prefix| words.starts_with(prefix))
        && ["rejected by user", "rejected by the user", "Rejected(\"", "rejected by auto-review"]
            .iter()
            .any(|phrase| start.contains(phrase))
}

fn failed(words: &str) -> bool {
    [
        "exec_command failed",
        "failed to ",
        "apply_patch verification failed",
        "Script failed",
        "unsupported call",
        "execution error",
    ]
    .iter()
    .any(|prefix| words.starts_with(prefix))
}

/// The exit code the host states before the command's own output.
fn exit_code(words: &str) -> Option<i64> {
    if words.starts_with('{') {
        let output: Output<'_> = parse(words)?;
        return object::<Metadata<'_>>(output.metadata)?.exit_code?.get().parse().ok();
    }
    for line in words.lines().take(8) {
        if line.starts_with("Output:") {
            return None;
        }
        if let Some(code) = line.strip_prefix("Exit code: ").or_else(|| line.strip_prefix("Process exited with code "))
        {
            return code.trim().parse().ok();
        }
    }
    None
}
