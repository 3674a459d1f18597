//! One event in keys that every reader of the store knows, and what those can't say.

use super::json::{Object, Secrets};
use super::text;
use agent_strace_model::{Access, Arguments, EventKind, ToolCall};

/// The data of one line.
#[derive(Debug)]
pub(super) struct Part {
    /// For every reader.
    pub(super) data: Object,
    /// For whoever wants the event as it was.
    pub(super) recorded: Object,
}

impl Part {
    /// Fills in an event; the type it has in the store.
    pub(super) fn put(&mut self, kind: &EventKind<'_>) -> &'static str {
        let Self { data, recorded } = self;
        match kind {
            EventKind::Start => return "session_start",
            EventKind::End(ending) => {
                data.text_if_any("status", ending.status.as_deref());
                data.text_if_any("reason", ending.reason.as_deref());
                if let Some(code) = ending.exit_code {
                    data.number("exit_code", code);
                }
                if ending.is_error {
                    data.json("is_error", "true");
                }
                return "session_end";
            }
            EventKind::Failure(words) => {
                text::put(data, recorded, "message", words);
                return "error";
            }
            EventKind::Decision(words) => {
                text::put(data, recorded, "choice", words);
                return "decision";
            }
            EventKind::Prompt(words) => {
                text::put(data, recorded, "prompt", words);
                return "user_prompt";
            }
            EventKind::Message(words) => {
                text::put(data, recorded, "text", words);
                return "assistant_response";
            }
            EventKind::Call(call) | EventKind::Copied(call) => return self.put_call(call),
            EventKind::File(file) => {
                data.text("path", &file.target);
                if file.access == Access::Delete {
                    recorded.word("kind", "deletion");
                }
                return if file.access == Access::Read { "file_read" } else { "file_write" };
            }
            // What no type of the store means.
            EventKind::Reasoning(words) => {
                recorded.word("kind", "reasoning");
                text::put(data, recorded, "text", words);
            }
            EventKind::Command(words) => {
                recorded.word("kind", "command");
                text::put(data, recorded, "text", words);
            }
            EventKind::Instruction(words) => {
                recorded.word("kind", "instruction");
                text::put(data, recorded, "text", words);
            }
            EventKind::Hook { command } => {
                recorded.word("kind", "hook");
                data.word("choice", "the agent's host ran a hook");
                data.text("command", command);
                return "decision";
            }
            EventKind::Offer(offer) => {
                recorded.word("kind", offer.what.name());
                data.word("choice", "an MCP server told the agent what it offers");
                data.text("name", &offer.server);
                data.text_if_any("server", offer.own_name.as_deref());
                recorded.json("json", &offer.json);
                return "decision";
            }
            EventKind::Repeat(_) => recorded.word("kind", "repeat"),
            EventKind::Notice => recorded.word("kind", "notice"),
            // Results are put by whoever knows their call.
            EventKind::Other | EventKind::Result(_) => recorded.word("kind", "other"),
        }
        "llm_response"
    }

    /// Fills in a call; the type it has in the store.
    pub(super) fn put_call(&mut self, call: &ToolCall<'_>) -> &'static str {
        put_call(&mut self.data, &mut self.recorded, call);
        "tool_call"
    }
}

fn put_call(data: &mut Object, recorded: &mut Object, call: &ToolCall<'_>) {
    data.text("tool_name", &call.tool);
    let form = match &call.arguments {
        Arguments::Json(json) if serde_json::from_str::<serde::de::IgnoredAny>(json).is_err() => {
            data.text("arguments", json);
            "text"
        }
        Arguments::Json(json) if json.trim_start().starts_with('{') => {
            data.json("arguments", json);
            "object"
        }
        // Other readers of the store expect an object.
        Arguments::Json(json) => {
            let mut wrapped = Object::new(Secrets::Keep);
            wrapped.json("value", json);
            data.json("arguments", &wrapped.finish());
            "value"
        }
        Arguments::Text(text) => {
            let mut wrapped = Object::new(Secrets::Keep);
            wrapped.text("input", text);
            data.json("arguments", &wrapped.finish());
            "input"
        }
        Arguments::Missing => "missing",
    };
    recorded.word("arguments", form);
    recorded.word("status", call.status.name());
    data.text_if_any("tool_use_id", call.call_id.as_deref());
    data.text_if_any("cwd", call.cwd.as_deref());
    if let Some(subagent) = call.subagent.as_deref() {
        data.text("agent_id", subagent);
        data.json("is_sidechain", "true");
    }
}
