//! How a call ended, from its output. Most outputs are text in which the host's own words come first.

use std::borrow::Cow;

use super::said;
use crate::json::{Beginning, Raw, beginning, elements, first, object, parse, record, text};
use agent_strace_model::{Arguments, Status};

record! {
    struct Output { metadata = "metadata", success = "success" }
}

record! {
    struct Metadata { exit_code = "exit_code" }
}

record! {
    struct Part { text = "text" }
}

/// JSON in which the host's own words mostly are, and nearly always.
const WORDS: [usize; 2] = [256, 4 << 10];

/// Lines of an output that may be the host's own.
const LINES: usize = 8;

/// The words of an output, without the end of a long one where the host's own are complete.
fn words(output: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    for length in WORDS {
        let Beginning { text: start, is_cut } = beginning(output, length)?;
        if !is_cut || host_is_done(&start) {
            return Some(start);
        }
    }
    text(output)
}

/// Whether nothing after this beginning can be the host's own. What is JSON tells the end of the call last.
fn host_is_done(start: &str) -> bool {
    !start.starts_with('{') && (start.lines().any(|line| line.starts_with(OUTPUT)) || start.lines().count() > LINES)
}

/// What the host writes above a command's own output.
const OUTPUT: &str = "Output:";

/// The status that an output shows.
pub(super) fn status(tool: &str, output: Option<Raw<'_>>) -> Status {
    let Some(raw) = output else { return Status::Ok };
    let part = || words(object::<Part<'_>>(first(output))?.text);
    let Some(words) = words(output).or_else(part) else {
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
    if blocked(&words).is_some() {
        // A server could write these words: then other records have to prove that it was not asked.
        return if runs_commands(tool) || answers_itself(tool) { Status::Denied } else { Status::Missing };
    }
    if tool == "view_image" && !words.starts_with("attached local image") {
        return Status::Error;
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

/// Tools whose output is the host's own text, or a value that it writes.
pub(super) fn answers_itself(tool: &str) -> bool {
    let name = tool.rsplit('.').next().unwrap_or(tool);
    matches!(name, "view_image" | "spawn_agent" | "wait_agent" | "send_input" | "close_agent" | "resume_agent")
        && !tool.starts_with("mcp__")
}

/// What a hook of the host refused.
#[derive(Debug)]
pub(super) enum Block<'t> {
    /// A command line, or a patch.
    Command(&'t str),
    Tool(&'t str),
}

/// Reads the host's words for a call that a hook refused.
pub(super) fn blocked(words: &str) -> Option<Block<'_>> {
    if let Some(rest) = words.strip_prefix("Command blocked by PreToolUse hook: ") {
        return Some(Block::Command(rest.split_once(". Command: ").map_or("", |(_, line)| line)));
    }
    let rest = words.strip_prefix("Tool call blocked by PreToolUse hook: ")?;
    Some(Block::Tool(rest.rsplit_once(". Tool: ").map_or("", |(_, name)| name.trim())))
}

/// Whether an output states the exit code of a command.
pub(super) fn tells_exit(output: Option<Raw<'_>>) -> bool {
    let part = || words(object::<Part<'_>>(first(output))?.text);
    words(output).or_else(part).is_some_and(|words| exit_code(&words).is_some())
}

/// Whether a hook's refusal names another command than the call, or has other parts beside it.
pub(super) fn refuses_another(output: Option<Raw<'_>>, asked: Option<&Arguments<'_>>) -> bool {
    let parts = elements(output);
    let whole = text(output).or_else(|| text(object::<Part<'_>>(parts.first().copied())?.text));
    let Some(Block::Command(line)) = whole.as_deref().and_then(blocked) else { return false };
    let said = match asked {
        Some(Arguments::Text(text)) => Some(text.trim().to_owned()),
        Some(arguments) => said::asked(arguments),
        None => None,
    };
    parts.len() > 1 || said.is_none_or(|said| !line.trim().contains(said.as_str()) || said.is_empty())
}

fn refused(words: &str) -> bool {
    let start = words.split('\n').next().unwrap_or("");
    let wrapped = ["{", "Exit code:", "Chunk ID:", "Command:", "Wall time", "Success", OUTPUT];
    !wrapped.iter().any(|prefix| words.starts_with(prefix))
        && ["rejected by user", "rejected by the user", "Rejected(\"", "rejected by auto-review"]
            .iter()
            .any(|phrase| start.contains(phrase))
}

/// Returns whether the host says that a call failed.
pub(super) fn failed(words: &str) -> bool {
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
    for line in words.lines().take(LINES) {
        if line.starts_with(OUTPUT) {
            return None;
        }
        if let Some(code) = line.strip_prefix("Exit code: ").or_else(|| line.strip_prefix("Process exited with code "))
        {
            return code.trim().parse().ok();
        }
    }
    None
}
