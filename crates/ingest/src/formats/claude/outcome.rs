//! How a call ended. A refused call did not run, so only what the host wrote may say that it was refused.

use std::borrow::Cow;

use memchr::memmem;

use super::message::Context;
use crate::assembly::{Assembly, RecordLocation};
use crate::gaps::Gaps;
use crate::json::{Raw, beginning, elements, filled, first, is, is_object, is_string, is_true, object, record, text};
use agent_strace_model::{Arguments, Status, ToolCall};

/// The host's whole words for a call that it did not run, from their beginning to their end. Where the end is empty, what a
/// user said follows.
const REFUSALS: &[(&str, &[&str])] = &[
    (
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the \
         new_string was NOT written to the file). ",
        &[
            "STOP what you are doing and wait for the user to tell you how to proceed.",
            "consider saving that to memory for future sessions.",
        ],
    ),
    (
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the \
         new_string was NOT written to the file). To tell you how to proceed, the user said:\n",
        &[""],
    ),
    (
        "The user doesn't want to take this action right now. ",
        &["STOP what you are doing and wait for the user to tell you how to proceed."],
    ),
    ("Permission to use ", &[" has been denied.", "Let the user decide how to proceed."]),
    ("Permission to read ", &[" has been denied."]),
    ("Permission to edit ", &[" has been denied."]),
    ("Claude requested permissions to ", &[", but you haven't granted it yet."]),
];

/// From this version on the host writes in a field of its own that it refused a call.
const TELLS_REFUSALS: [u32; 3] = [2, 1, 210];

record! {
    struct Told { tool = "toolName", status = "status" }
}

/// The status that a `tool_result` block and the record around it show.
pub(super) fn status(tool: &str, is_error: bool, content: Option<Raw<'_>>, context: &Context<'_>) -> Status {
    let rejected = context.decision.as_deref() == Some("reject");
    // A result that is no error, or that has fields, is of a call that ran, whatever stands beside it.
    if (context.denial.is_some() || rejected) && is_error && !is_object(context.result) {
        return Status::Denied;
    }
    let words = words(content);
    if is_error && host_speaks(tool, context) && says_so(tool, content, context) {
        return Status::Denied;
    }
    // iFlow, which shares the envelope, tells it beside the message.
    let told = object::<Told<'_>>(context.result).filter(|told| is_string(told.tool));
    if told.is_some_and(|told| is(told.status, "error")) {
        return Status::Error;
    }
    if interrupted(context.result) || words.starts_with("[Request interrupted by user") {
        return Status::Interrupted;
    }
    if is_error { Status::Error } else { Status::Ok }
}

/// Whether the words of an error are those of the host about a call that it did not run. A call that it let through may
/// still fail its checks of what was given.
fn says_so(tool: &str, content: Option<Raw<'_>>, context: &Context<'_>) -> bool {
    // What has a structured result ran.
    if context.result.is_some() && !is_string(context.result) {
        return false;
    }
    if is_unfit(content) {
        return true;
    }
    let tells = context.version.as_deref().is_some_and(|version| number(version) >= TELLS_REFUSALS);
    context.decision.is_none() && !tells && is_refusal(tool, content, context.result)
}

/// A version as numbers.
fn number(version: &str) -> [u32; 3] {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    std::array::from_fn(|_| parts.next().unwrap_or(0))
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

fn is_unfit(content: Option<Raw<'_>>) -> bool {
    let words = words(content);
    let is_reason = |why: &str| UNFIT.iter().any(|reason| why.starts_with(reason));
    words.strip_prefix("<tool_use_error>").is_some_and(is_reason)
        && content.is_some_and(|raw| !is_string(content) || raw.get().ends_with("</tool_use_error>\""))
}

/// Whether an error text of this tool can only be the host's own. Servers choose theirs freely, and before
/// version 2 a failing command's output was the error text; a log that tells no version may be as old.
fn host_speaks(tool: &str, context: &Context<'_>) -> bool {
    let is_old = context.version.as_deref().is_none_or(|version| version.starts_with(['0', '1']));
    !(tool.starts_with("mcp__") || tool.is_empty() || is_shell(tool) && is_old)
}

/// The host refuses in a text that is all of the result, and its record tells the same beside it. Only where no program
/// writes the errors of a tool the text alone proves it.
fn is_refusal(tool: &str, content: Option<Raw<'_>>, told: Option<Raw<'_>>) -> bool {
    let begins =
        beginning(content, WORDS).is_some_and(|start| REFUSALS.iter().any(|(begin, _)| start.text.starts_with(begin)));
    let Some(words) = text(content).filter(|_| begins) else { return false };
    let told = text(told);
    let is_whole = REFUSALS
        .iter()
        .any(|(begin, ends)| words.strip_prefix(begin).is_some_and(|rest| ends.iter().any(|end| rest.ends_with(end))));
    is_whole
        && match told {
            Some(told) => told == "User rejected tool use" || told.strip_prefix("Error: ") == Some(&*words),
            None => !is_shell(tool),
        }
}

fn is_shell(tool: &str) -> bool {
    matches!(tool, "Bash" | "PowerShell")
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

#[cfg(test)]
mod tests {
    use crate::Log;
    use agent_strace_model::Status;

    const WHOLE: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a \
                         file edit, the new_string was NOT written to the file). STOP what you are doing and wait for \
                         the user to tell you how to proceed.";

    /// Returns the status of a call whose error is this text. `beside`: the value beside the message of its result.
    fn status(version: &str, tool: &str, content: &serde_json::Value, beside: &str) -> Status {
        let head = format!(r#""sessionId":"s","version":"{version}""#);
        let call = format!(
            r#"{{"type":"assistant","uuid":"a",{head},"message":{{"role":"assistant","content":[{{"type":"tool_use","id":"t","name":"{tool}","input":{{"command":"id"}}}}]}}}}"#
        );
        let result = format!(
            r#"{{"type":"user","uuid":"r",{head},"message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","is_error":true,"content":{content}}}]}}{beside}}}"#
        );
        let log = Log::new("a.jsonl", format!("{call}\n{result}\n").into_bytes());
        log.read().sessions.first().and_then(|session| session.calls().next()).map(|(_, call)| call.status).unwrap()
    }

    #[test]
    fn a_text_that_a_command_can_print_is_no_refusal() {
        let told = |text: &str| format!(r#","toolUseResult":{}"#, serde_json::json!(text));
        let [text, list] = [serde_json::json!(WHOLE), serde_json::json!([{"type": "text", "text": WHOLE}])];
        for (version, content, beside) in [
            ("2.0.0", &text, String::new()),
            ("2.0.0", &list, told("User rejected tool use")),
            ("2.0.0", &serde_json::json!(format!("{WHOLE}\nroot:x")), told(&format!("Error: {WHOLE}\nroot:x"))),
            ("2.0.0", &serde_json::json!("The user doesn't want to proceed"), told("User rejected tool use")),
            ("2.0.0", &serde_json::json!("Permission to use Bash with command id has been denied."), String::new()),
            ("1.0.9", &text, told(&format!("Error: {WHOLE}"))),
            // This version says so in its own field.
            ("2.1.332", &text, told("User rejected tool use")),
            ("2.0.0", &serde_json::json!("<tool_use_error>InputValidationError: x</tool_use_error>\nx"), String::new()),
        ] {
            assert_eq!(status(version, "Bash", content, &beside), Status::Error, "{version} {content} {beside}");
        }
        for (version, tool, beside) in [
            ("2.0.0", "Bash", told("User rejected tool use")),
            ("2.0.0", "Bash", told(&format!("Error: {WHOLE}"))),
            // No program writes the errors of this tool.
            ("2.0.0", "Write", String::new()),
            ("2.1.332", "Bash", r#","toolDenialKind":"user-rejected""#.to_owned()),
        ] {
            assert_eq!(status(version, tool, &text, &beside), Status::Denied, "{version} {tool} {beside}");
        }
    }

    #[test]
    fn permissions_are_refused_in_whole_texts_that_the_record_repeats() {
        let advice = "Permission to use Bash has been denied. IMPORTANT: You *may* attempt to accomplish this action using \
                      other tools. Let the user decide how to proceed.";
        let file = "Permission to read /w/.env has been denied.";
        let cut = "Permission to use Bash has been denied. IMPORTANT: You *may* attempt";
        for (tool, text, told, ended) in [
            ("Bash", advice, format!("Error: {advice}"), Status::Denied),
            ("Write", advice, String::new(), Status::Denied),
            ("Read", file, format!("Error: {file}"), Status::Denied),
            ("Bash", advice, String::new(), Status::Error),
            ("Bash", advice, format!("Error: Exit code 1\n{advice}"), Status::Error),
            ("Bash", cut, format!("Error: {cut}"), Status::Error),
        ] {
            let beside = if told.is_empty() {
                String::new()
            } else {
                format!(r#","toolUseResult":{}"#, serde_json::json!(told))
            };
            assert_eq!(status("2.1.81", tool, &serde_json::json!(text), &beside), ended, "{tool} {text} {told}");
        }
    }
}
