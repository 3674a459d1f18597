//! Grok Build: the conversation as it is sent to the model. Beside it, `summary.json` says where the session ran, and
//! `updates.jsonl` keeps each call as it was shown, also those that a compaction took out of the conversation.

mod updates;

use std::borrow::Cow;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, RecordLocation, arguments};
use crate::chat::{self, Manner, Message};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{Kept, Nested, elements, filled, is, object, parse, raw_text, record};
use crate::reader::Item;
use agent_strace_model::attribution::{note, note_each};
use agent_strace_model::{Dialect, EventKind, Session, Status, ToolCall, ToolResult};

record! {
    struct Entry {
        kind = "type",
        role = "role",
        content = "content",
        synthetic = "synthetic_reason",
        summary = "summary",
        model = "model_id",
        backend: Kept<'a, Backend<'a>> = "kind",
        call_id = "tool_call_id",
    }
}

record! {
    /// A tool that ran at the provider.
    struct Backend { tool = "tool_type", id = "id", status = "status" }
}

record! {
    struct Thought { text = "text" }
}

record! {
    struct Summary {
        info: Nested<Info<'a>> = "info",
        model = "current_model_id",
        parent = "parent_session_id",
        branch = "head_branch",
        created = "created_at",
    }
}

record! {
    struct Info { id = "id", cwd = "cwd" }
}

/// Sessions of Grok Build (`~/.grok/sessions/<directory>/<id>/chat_history.jsonl`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("grok-build", "grok-build"),
    detect: Detect::Record(is_record),
    read,
    homes: &[Home {
        variables: &["GROK_HOME"],
        base: Base::Home,
        folder: ".grok",
        logs: "sessions/*/*/chat_history.jsonl",
    }],
};

fn is_record(head: &Head<'_>) -> bool {
    match head.text("type").as_deref() {
        Some("backend_tool_call") => head.is_object("kind"),
        Some("assistant") => head.is_string("model_id") && head.has("content") && !head.has("message"),
        Some("tool_result") => head.is_string("tool_call_id") && head.has("content"),
        Some("user") => head.is_array("content") && (head.has("synthetic_reason") || head.has("prompt_index")),
        _ => false,
    }
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = input.session(&FORMAT.dialect);
    if let Some(side) = input.log.side("summary.json") {
        match parse::<Summary<'a>>(side.text.trim()) {
            Some(summary) => describe(&mut assembly, &summary),
            None => gaps.damage_of(side, "it is not an object that can be read"),
        }
    }
    assembly.id(input.log.folder(&["chat_history.jsonl"], &[]).map(Cow::Borrowed));
    input.records("a record", gaps, |item: &Item<'a, Entry<'a>>, gaps| add(&mut assembly, item, gaps));
    if let Some(side) = input.log.side("updates.jsonl") {
        updates::add(&mut assembly, side, gaps);
    }
    vec![assembly.finish()]
}

fn describe<'a>(assembly: &mut Assembly<'a>, summary: &Summary<'a>) {
    let info = summary.info.object();
    assembly.id(info.and_then(|info| filled(info.id)));
    assembly.root(info.and_then(|info| filled(info.cwd)));
    assembly.model(filled(summary.model));
    note(&mut assembly.session.parent, filled(summary.parent));
    note_each(&mut assembly.session.attribution.branches, filled(summary.branch));
    assembly.push(RecordLocation { line: 1, id: None, time: filled(summary.created) }, EventKind::Start);
}

fn add<'a>(assembly: &mut Assembly<'a>, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) {
    let Item { line, record, json } = item;
    let location = RecordLocation { line: *line, id: None, time: None };
    assembly.model(filled(record.model));
    let kind = filled(record.kind).or_else(|| filled(record.role)).unwrap_or_default();
    match &*kind {
        "reasoning" => {
            for part in elements(record.summary) {
                let said = object::<Thought<'a>>(Some(part)).and_then(|thought| raw_text(thought.text));
                assembly.push(location.clone(), said.map_or(EventKind::Other, EventKind::Reasoning));
            }
        }
        "tool_result" => {
            let id = filled(record.call_id);
            let result = ToolResult { call_id: id.clone(), text: raw_text(record.content), is_error: false };
            assembly.result(location, result, Status::Ok, id);
        }
        "backend_tool_call" => backend(assembly, location, record, gaps),
        // The user's words in a turn that runs are the user's; all other texts of this kind are the host's.
        "user" if record.synthetic.is_some() && !is(record.synthetic, "interjection") => {
            assembly.push(location, EventKind::Other);
        }
        "system" | "user" | "assistant" => match parse::<Message<'a>>(json) {
            Some(mut message) => {
                message.role = message.role.or(record.kind);
                chat::add(assembly, &location, &message, &Manner::default(), gaps);
            }
            None => gaps.malformed(*line, "a message that is not readable"),
        },
        "" => gaps.malformed(*line, "a record without a `type`"),
        _ => assembly.unknown(location),
    }
}

fn backend<'a>(assembly: &mut Assembly<'a>, location: RecordLocation<'a>, record: &Entry<'a>, gaps: &mut Gaps) {
    let Some(kind) = record.backend.value.object() else {
        return gaps.malformed(location.line, "a call at the provider that is not an object");
    };
    let tool = match filled(kind.tool).unwrap_or_default() {
        // The provider's search has the shape of Codex's.
        tool if tool == "web_search" => Cow::Borrowed("web_search_call"),
        tool => Cow::Owned(format!("provider:{tool}")),
    };
    let status = match filled(kind.status).as_deref() {
        Some("completed") => Status::Ok,
        Some("failed") => Status::Error,
        _ => Status::Missing,
    };
    let id = filled(kind.id);
    let arguments = arguments(record.backend.raw);
    let call = ToolCall { call_id: id.clone(), tool, arguments, cwd: None, status, subagent: None };
    assembly.call(location, call, id);
}
