//! How calls ended, as the host words it. What tools print may hold the same words: only where the host always writes
//! first can they be trusted.

use agent_strace_model::Status;

/// Tools whose result always begins with the host's own words.
const ANSWERED_BY_HOST: &[&str] = &[
    "execute_command",
    "write_to_file",
    "replace_in_file",
    "apply_diff",
    "apply_patch",
    "insert_content",
    "search_and_replace",
    "edit_file",
    "delete_file",
    "new_rule",
];

const DENIALS: &[&str] = &["The user denied this operation", "{\"status\":\"denied\"", "{\n  \"status\": \"denied\""];

const ERRORS: &[&str] = &[
    "The tool execution failed with the following error:",
    "Error executing ",
    "Command execution was not successful",
    "{\"status\":\"error\"",
];

/// How a call of `tool` ended whose result is this text.
pub(super) fn status(tool: &str, text: &str) -> Status {
    let text = text.trim_start();
    let begins = |openings: &[&str]| openings.iter().any(|opening| text.starts_with(opening));
    if ANSWERED_BY_HOST.contains(&tool) && begins(DENIALS) {
        Status::Denied
    } else if begins(ERRORS) {
        Status::Error
    } else {
        Status::Ok
    }
}

/// `[execute_command for 'ls'] Result:`, and what follows it: the tool and its result.
pub(super) fn result(text: &str) -> Option<(&'static str, &str)> {
    let inner = text.strip_prefix('[')?;
    let length = inner.bytes().take_while(|byte| byte.is_ascii_lowercase() || *byte == b'_').count();
    let (name, rest) = inner.split_at_checked(length)?;
    let tool = super::tags::tool(name)?;
    if !rest.starts_with([' ', ']']) {
        return None;
    }
    let (_, after) = rest.split_once("] Result:")?;
    Some((tool, after))
}
