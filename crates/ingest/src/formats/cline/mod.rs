//! Cline, and what came from it (Roo Code, Kilo Code): the messages that are sent to the model, and those on screen.
//!
//! Newer tasks call tools through the API. Older ones write calls as tags into their words, and find the results in
//! the user's next message: [`tags`] and [`outcome`].

mod history;
mod outcome;
mod screen;
mod tags;

use memchr::memmem;

use super::{Base, Companion, Detect, Format, Home};
use crate::head::Head;
use crate::json::{self, elements, is_string};
use agent_strace_model::Dialect;
use agent_strace_model::dialect::Carries;

/// Tasks (`tasks/<id>/api_conversation_history.json`) and sessions (`<id>.messages.json`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("cline", "cline"),
    detect: Detect::Record(is_history),
    read: history::read,
    homes: &[
        Home {
            variables: &[],
            base: Base::Config,
            folder: "Code/User/globalStorage",
            logs: "*/tasks/*/api_conversation_history.json",
        },
        Home {
            variables: &[],
            base: Base::Config,
            folder: "Cursor/User/globalStorage",
            logs: "*/tasks/*/api_conversation_history.json",
        },
        Home {
            variables: &["CLINE_DIR"],
            base: Base::Home,
            folder: ".cline",
            logs: "data/sessions/**/*.messages.json",
        },
        Home {
            variables: &["CLINE_DIR"],
            base: Base::Home,
            folder: ".cline",
            logs: "data/tasks/*/api_conversation_history.json",
        },
    ],
};

/// What was on screen (`ui_messages.json`).
pub(super) static SCREEN: Format = Format {
    dialect: Dialect::new("cline-screen", "cline")
        .carrying(Carries::SomeCalls("the messages on screen tell what was asked for, but hardly how it ended")),
    detect: Detect::Record(|head| {
        head.listed
            && head.has("ts")
            && (head.is("type", "say") && head.is_string("say") || head.is("type", "ask") && head.is_string("ask"))
    }),
    read: screen::read,
    homes: &[],
};

/// What lies beside a task.
pub(super) const METADATA: Companion = (
    |head| head.is_array("files_in_context") && (head.has("model_usage") || head.has("environment_history")),
    "the metadata of a Cline task, not its log: the log is `api_conversation_history.json` beside it",
);

fn is_history(head: &Head<'_>) -> bool {
    // The first messages of a session may have neither a time nor a model.
    let messages = || elements(head.get("messages")).into_iter().filter_map(|raw| json::object::<Head<'_>>(Some(raw)));
    if head.is_string("sessionId") && messages().any(|message| is_session_message(&message)) {
        return true;
    }
    let spoken = matches!(head.text("role").as_deref(), Some("user" | "assistant")) && head.has("content");
    head.listed && spoken && !head.has("tool_calls") && (head.has("ts") || is_cline(head))
}

fn is_session_message(message: &Head<'_>) -> bool {
    message.is_string("role") && message.has("content") && (message.has("ts") || message.has("modelInfo"))
}

/// Only Cline wraps what the user says so, and has tools of these names.
fn is_cline(head: &Head<'_>) -> bool {
    let Some(content) = head.get("content") else { return false };
    let wrapped = |json: &str| {
        let marks = ["<environment_details>", "<task>", "<user_message>", "] Result:"];
        marks.iter().any(|mark| memmem::find(json.as_bytes(), mark.as_bytes()).is_some())
    };
    if head.is("role", "user") {
        return wrapped(content.get());
    }
    if is_string(Some(content)) {
        return tags::mentions_a_tool(content.get());
    }
    elements(Some(content)).into_iter().any(|raw| {
        let block = json::object::<Head<'_>>(Some(raw)).unwrap_or_default();
        let called = block.is("type", "tool_use") && block.text("name").is_some_and(|name| tags::is_tool(&name));
        called || block.is("type", "text") && block.get("text").is_some_and(|text| tags::mentions_a_tool(text.get()))
    })
}
