//! Calls that the model wrote as tags into its words: `<execute_command><command>ls</command></execute_command>`.
//!
//! The agent takes such tags for calls wherever they stand. Here, what stands in a code fence counts once its result
//! was recorded, so that examples are no calls. Every tag is looked at once, and searches for a tag's end that found
//! nothing are not repeated.

use std::collections::BTreeSet;

#[cfg(test)]
use agent_strace_testing::work::count;
use memchr::{memchr, memchr2, memmem};
use serde_json::{Map, Value};

/// Tools that this family of agents has.
const TOOLS: &[&str] = &[
    "execute_command",
    "write_to_file",
    "replace_in_file",
    "apply_diff",
    "apply_patch",
    "insert_content",
    "search_and_replace",
    "edit_file",
    "delete_file",
    "read_file",
    "list_files",
    "search_files",
    "list_code_definition_names",
    "codebase_search",
    "browser_action",
    "web_fetch",
    "web_search",
    "use_mcp_tool",
    "access_mcp_resource",
    "load_mcp_documentation",
    "ask_followup_question",
    "attempt_completion",
    "plan_mode_respond",
    "act_mode_respond",
    "new_task",
    "new_rule",
    "switch_mode",
    "fetch_instructions",
    "update_todo_list",
    "condense",
    "summarize_task",
    "report_bug",
    "use_subagents",
    "use_skill",
    "generate_image",
    "run_slash_command",
    "read_command_output",
    "generate_explanation",
];

/// Values that may hold tags of their own: they end where the last end tag stands.
const FREE: &[&str] = &["content", "diff", "arguments", "args", "code_edit", "new_text", "replace", "result", "text"];

/// Real calls have a handful.
const MAX_PARAMETERS: usize = 64;

/// A call in a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tagged {
    pub(super) tool: &'static str,
    /// As JSON.
    pub(super) arguments: String,
    pub(super) stands: Stands,
}

/// Where a call stands in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    Free,
    /// In a code fence: it may be an example.
    Fenced,
}

pub(super) fn is_tool(name: &str) -> bool {
    TOOLS.contains(&name)
}

/// The name as it is known, of one of the tools.
pub(super) fn tool(name: &str) -> Option<&'static str> {
    TOOLS.iter().find(|tool| **tool == name).copied()
}

/// Whether a text, also one that is still JSON, holds a tool's tag.
pub(super) fn mentions_a_tool(text: &str) -> bool {
    memchr::memchr_iter(b'<', text.as_bytes()).any(|at| opened(text.get(at..).unwrap_or("")).is_some())
}

/// The calls in a text, in order.
pub(super) fn calls(text: &str) -> Vec<Tagged> {
    let mut found = Vec::new();
    let mut endless = BTreeSet::new();
    let (mut at, mut stands) = (0, Stands::Free);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(next) = memchr2(b'<', b'`', rest.as_bytes()) else { break };
        let here = at + next;
        count(next + 1);
        let Some(rest) = text.get(here..) else { break };
        if rest.starts_with('`') {
            let ticks = rest.len() - rest.trim_start_matches('`').len();
            if ticks >= 3 && begins_line(text, at, here) {
                stands = if stands == Stands::Free { Stands::Fenced } else { Stands::Free };
            }
            at = here + ticks;
            continue;
        }
        let Some(tool) = opened(rest) else {
            at = here + 1;
            continue;
        };
        let body_start = here + tool.len() + 2;
        let body = text.get(body_start..).unwrap_or("");
        let end = if endless.contains(tool) { None } else { memmem::find(body.as_bytes(), end_tag(tool).as_bytes()) };
        count(end.unwrap_or(if endless.contains(tool) { 0 } else { body.len() }));
        if end.is_none() {
            endless.insert(tool);
        }
        let (body, after) = match end {
            Some(end) => (body.get(..end).unwrap_or(""), body_start + end + tool.len() + 3),
            // An answer may break off: the agent takes what is there.
            None => (body, body_start),
        };
        // A tool that is only spoken of has no parameters.
        match parameters(body) {
            Some(parameters) if end.is_some() || found.is_empty() => {
                found.push(Tagged { tool, arguments: Value::Object(parameters).to_string(), stands });
                at = if end.is_some() { after } else { text.len() };
            }
            _ => at = body_start,
        }
    }
    found
}

/// Whether nothing but spaces stands before `here` on its line. What was looked at before `from` ended elsewhere.
fn begins_line(text: &str, from: usize, here: usize) -> bool {
    let before = text.get(from..here).unwrap_or("").trim_end_matches([' ', '\t']);
    before.is_empty() && from == 0 || before.ends_with('\n')
}

/// The tool whose tag opens here.
fn opened(text: &str) -> Option<&'static str> {
    let inner = text.strip_prefix('<')?;
    TOOLS.iter().find(|tool| inner.strip_prefix(**tool).is_some_and(|rest| rest.starts_with('>'))).copied()
}

fn end_tag(name: &str) -> String {
    format!("</{name}>")
}

/// The parameters in a call's body; `None` when it has none.
fn parameters(body: &str) -> Option<Map<String, Value>> {
    let mut parameters = Map::new();
    let mut rest = body;
    for _ in 0..MAX_PARAMETERS {
        let Some(open) = memchr(b'<', rest.as_bytes()) else { break };
        count(open + 1);
        let Some(inner) = rest.get(open + 1..) else { break };
        let length = inner.bytes().take_while(|byte| byte.is_ascii_lowercase() || *byte == b'_').count();
        let (name, after) = inner.split_at_checked(length).unwrap_or(("", inner));
        let Some(value) = after.strip_prefix('>').filter(|_| !name.is_empty()) else {
            rest = inner;
            continue;
        };
        // The next call: this one broke off, or was only spoken of.
        if is_tool(name) {
            break;
        }
        let end = end_tag(name);
        let close = if FREE.contains(&name) {
            memmem::rfind(value.as_bytes(), end.as_bytes())
        } else {
            memmem::find(value.as_bytes(), end.as_bytes())
        };
        count(if FREE.contains(&name) { value.len() } else { close.unwrap_or(value.len()) });
        let (value, remaining) = value.split_at_checked(close.unwrap_or(value.len())).unwrap_or((value, ""));
        parameters.insert(name.to_owned(), typed(name, value.trim()));
        rest = remaining.get(end.len()..).unwrap_or("");
    }
    (!parameters.is_empty()).then_some(parameters)
}

/// A value as the tool gets it.
fn typed(name: &str, text: &str) -> Value {
    match name {
        "arguments" => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)),
        "args" => files(text).unwrap_or_else(|| Value::from(text)),
        _ => Value::from(text),
    }
}

/// `<file><path>a</path></file>…`: the files that a call of several works on.
fn files(text: &str) -> Option<Value> {
    let mut files = Vec::new();
    let mut rest = text;
    while let Some(open) = memmem::find(rest.as_bytes(), b"<path>") {
        let value = rest.get(open + "<path>".len()..)?;
        let close = memmem::find(value.as_bytes(), b"</path>").unwrap_or(value.len());
        count(open + close);
        let path = value.get(..close)?.trim();
        files.push(Value::Object(Map::from_iter([("path".to_owned(), Value::from(path))])));
        rest = value.get(close..)?;
    }
    (!files.is_empty()).then(|| Value::Object(Map::from_iter([("file".to_owned(), Value::Array(files))])))
}

/// The bytes that searches look at are counted for the tests.
#[cfg(not(test))]
const fn count(_: usize) {}

#[cfg(test)]
mod tests {
    use agent_strace_testing::work::assert_linear;

    use super::*;

    fn shown(text: &str) -> Vec<String> {
        calls(text).iter().map(|call| format!("{:?} {} {}", call.stands, call.tool, call.arguments)).collect()
    }

    #[test]
    fn tags_become_calls() {
        let cases: &[(&str, &[&str])] = &[
            (
                "<execute_command>\n<command>ls</command>\n</execute_command>",
                &[r#"Free execute_command {"command":"ls"}"#],
            ),
            ("I would use <execute_command> for that.", &[]),
            ("`<execute_command>` and <read_file></read_file>", &[]),
            (
                "```xml\n<execute_command><command>rm x</command></execute_command>\n```\n<read_file><path>a</path></read_file>",
                &[r#"Fenced execute_command {"command":"rm x"}"#, r#"Free read_file {"path":"a"}"#],
            ),
            (
                "<write_to_file><path>a.md</path><content>```\n<execute_command><command>x</command></execute_command>\n</content> b</content></write_to_file> <list_files><path>.</path>",
                &[
                    "Free write_to_file {\"content\":\"```\\n<execute_command><command>x</command></execute_command>\\n</content> b\",\"path\":\"a.md\"}",
                ],
            ),
            ("<execute_command><command>ls", &[r#"Free execute_command {"command":"ls"}"#]),
            (
                "<use_mcp_tool><server_name>s</server_name><tool_name>t</tool_name><arguments>{\"a\":1}</arguments></use_mcp_tool>",
                &[r#"Free use_mcp_tool {"arguments":{"a":1},"server_name":"s","tool_name":"t"}"#],
            ),
            (
                "<read_file><args><file><path>a</path></file><file><path>b</path></file></args></read_file>",
                &[r#"Free read_file {"args":{"file":[{"path":"a"},{"path":"b"}]}}"#],
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), *expected, "{text}");
        }
    }

    #[test]
    fn floods_of_tags_take_linear_work() {
        for piece in [
            "<execute_command>",
            "<execute_command><command>",
            "<execute_command><args>",
            "</execute_command>",
            "```\n",
            "<args><path>",
            "<",
        ] {
            assert_linear(piece, 10_000, |size| drop(calls(&piece.repeat(size))));
        }
    }
}
