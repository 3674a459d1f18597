//! How a call ended. A refused call did not run, so only what the host wrote may say that it was refused.

use std::borrow::Cow;

use memchr::memmem;

use super::message::Context;
use crate::assembly::{Assembly, RecordLocation};
use crate::gaps::Gaps;
use crate::json::{Raw, beginning, elements, filled, first, is_object, is_true, object, record};
use agent_strace_model::{Arguments, Status, ToolCall};

/// The host's words for a call that it did not run.
const REFUSALS: &[&str] = &[
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "Permission to use ",
    "Claude requested permissions to ",
];

/// The status that a `tool_result` block and the record around it show.
pub(super) fn status(tool: &str, is_error: bool, content: Option<Raw<'_>>, context: &Context<'_>) -> Status {
    let rejected = context.decision.as_deref() == Some("reject");
    // A result that is no error, or that has fields, is of a call that ran, whatever stands beside it.
    if (context.denial.is_some() || rejected) && is_error && !is_object(context.result) {
        return Status::Denied;
    }
    let words = words(content);
    if is_error && host_speaks(tool, context) && says_so(&words, context) {
        return Status::Denied;
    }
    if interrupted(context.result) || words.starts_with("[Request interrupted by user") {
        return Status::Interrupted;
    }
    if is_error { Status::Error } else { Status::Ok }
}

/// Whether the words of an error are those of the host about a call that it did not run. A call that it let through may
/// still fail its checks of what was given.
fn says_so(words: &str, context: &Context<'_>) -> bool {
    let structured = beginning(context.result, WORDS).map(|start| start.text);
    // What has a structured result ran.
    if context.result.is_some() && structured.is_none() {
        return false;
    }
    let is_let_through = context.decision.is_some();
    is_unfit(words)
        || !is_let_through
            && (structured.as_deref().is_some_and(|text| text.starts_with("User rejected tool use"))
                || refused(words, structured.as_deref()))
}

/// How the host's own checks of what a call was given end, before it runs. Other errors in the same tag, such as that of a
/// call that was given up because another one failed, are of calls that may have begun.
const UNFIT: &[&str] = &[
    "InputValidationError",
    "Error: No such tool available",
    "String to replace not found",
    "File has not been read yet",
    "File has been modified since read",
    "File does not exist",
    "File is in a directory that is denied",
    "File content (",
    "Path does not exist",
    "No changes to make",
    "Unknown skill",
    "Unknown agent",
    "No task found",
    "Workflow \"",
    "Blocked: ",
];

fn is_unfit(words: &str) -> bool {
    words.strip_prefix("<tool_use_error>").is_some_and(|why| UNFIT.iter().any(|reason| why.starts_with(reason)))
}

/// Whether an error text of this tool can only be the host's own. Servers choose theirs freely, and before
/// version 2 a failing command's output was the error text; a log that tells no version may be as old.
fn host_speaks(tool: &str, context: &Context<'_>) -> bool {
    let is_shell = matches!(tool, "Bash" | "PowerShell");
    let is_old = context.version.as_deref().is_none_or(|version| version.starts_with(['0', '1']));
    !(tool.starts_with("mcp__") || tool.is_empty() || is_shell && is_old)
}

fn refused(words: &str, structured: Option<&str>) -> bool {
    let says = |text: &str| REFUSALS.iter().any(|refusal| text.starts_with(refusal));
    says(words) && structured.is_none_or(|text| says(text.strip_prefix("Error: ").unwrap_or(text)))
}

record! {
    struct Part { text = "text" }
}

/// JSON in which all words that are looked for fit.
const WORDS: usize = 512;

/// How a result, as text or as its first part, begins.
fn words(content: Option<Raw<'_>>) -> Cow<'_, str> {
    let part = || beginning(object::<Part<'_>>(first(content))?.text, WORDS);
    beginning(content, WORDS).or_else(part).map_or(Cow::Borrowed(""), |start| start.text)
}

const KEY: &[u8] = b"\"interrupted\"";

record! {
    struct Structured { interrupted = "interrupted" }
}

fn interrupted(result: Option<Raw<'_>>) -> bool {
    // Every command's result says `false` somewhere: only what may say `true` is read again.
    let says_true = |raw: Raw<'_>| {
        memmem::find_iter(raw.get().as_bytes(), KEY).any(|at| {
            let rest = raw.get().get(at + KEY.len()..).unwrap_or("").trim_start();
            rest.strip_prefix(':').is_some_and(|value| value.trim_start().starts_with('t'))
        })
    };
    result.is_some_and(says_true)
        && object::<Structured<'_>>(result).is_some_and(|structured| is_true(structured.interrupted))
}

record! {
    struct Detached { task = "backgroundTaskId" }
}

/// The name under which a command goes on after its call. Only a result that has one is read again.
pub(super) fn background(result: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    memmem::find(result?.get().as_bytes(), b"\"backgroundTaskId\"")?;
    filled(object::<Detached<'_>>(result)?.task)
}

record! {
    struct Denial { tool = "tool_name", id = "tool_use_id", input = "tool_input" }
}

/// The calls that the end of a run lists as refused. The host wrote the list, so it outweighs the results.
pub(super) fn denials<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    list: Option<Raw<'a>>,
    gaps: &mut Gaps,
) {
    for raw in elements(list) {
        let Some(denial) = object::<Denial<'a>>(Some(raw)) else {
            gaps.malformed(location.line, "a refused call that is not an object");
            continue;
        };
        let id = filled(denial.id);
        if id.as_deref().is_some_and(|id| assembly.deny(id)) {
            continue;
        }
        let call = ToolCall {
            call_id: id.clone(),
            tool: filled(denial.tool).unwrap_or(Cow::Borrowed("")),
            arguments: denial.input.map_or(Arguments::Missing, |input| Arguments::Json(Cow::Borrowed(input.get()))),
            cwd: None,
            status: Status::Denied,
            subagent: None,
        };
        assembly.call(location.clone(), call, id);
    }
}
