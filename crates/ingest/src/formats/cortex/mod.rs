//! Snowflake's Cortex Code: one document per conversation. Of a long one the messages lie in a file of their own.

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, RecordLocation, arguments};
use crate::blocks::{self, Around, NewCall, Speaker, identity};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{Nested, Raw, elements, filled, is, is_array, is_string, object, raw_text, record, scalar};
use crate::reader::{Item, Reader};
use agent_strace_model::attribution::note_each;
use agent_strace_model::{Dialect, EventKind, Session, Status, ToolResult};

record! {
    /// A conversation, or one message of it.
    struct Entry {
        id = "session_id",
        history = "history",
        cwd = "working_directory",
        branch = "git_branch",
        created = "created_at",
        role = "role",
        content = "content",
        time = "timestamp",
    }
}

record! {
    struct Block {
        kind = "type",
        text = "text",
        thinking = "thinking",
        used: Nested<Used<'a>> = "tool_use",
        answered: Nested<Answered<'a>> = "tool_result",
    }
}

record! {
    struct Used { id = "tool_use_id", name = "name", input = "input" }
}

record! {
    struct Answered { id = "tool_use_id", content = "content", status = "status" }
}

/// Conversations of Cortex Code (`~/.snowflake/cortex/conversations`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("cortex-code", "cortex-code"),
    detect: Detect::Record(|head| {
        let whole = head.is_string("session_id") && head.is_array("history") && head.is_string("working_directory");
        whole || head.is_string("role") && holds_block(head)
    }),
    read,
    homes: &[
        Home { variables: &[], base: Base::Home, folder: ".snowflake/cortex", logs: "conversations/*.json" },
        Home { variables: &[], base: Base::Home, folder: ".snowflake/cortex", logs: "conversations/*.history.jsonl" },
    ],
};

fn holds_block(head: &Head<'_>) -> bool {
    elements(head.get("content"))
        .into_iter()
        .filter_map(|raw| object::<Head<'_>>(Some(raw)))
        .any(|block| ["tool_use", "tool_result"].iter().any(|kind| block.is("type", kind) && block.is_object(kind)))
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = input.session(&FORMAT.dialect);
    input.records("a record", gaps, |item: &Item<'a, Entry<'a>>, gaps| {
        let Item { line, record, json } = item;
        let Some(list) = record.history else { return add(&mut assembly, *line, record, gaps) };
        assembly.id(filled(record.id));
        assembly.root(filled(record.cwd));
        note_each(&mut assembly.session.attribution.branches, filled(record.branch));
        assembly.push(RecordLocation { line: *line, id: None, time: scalar(record.created) }, EventKind::Start);
        if !is_array(Some(list)) {
            return gaps.malformed(*line, "a conversation whose history is not a list");
        }
        let mut reader = Reader::of_field(json, *line, list);
        while let Some(message) = reader.next::<Entry<'a>>(gaps) {
            add(&mut assembly, message.line, &message.record, gaps);
        }
    });
    vec![assembly.finish()]
}

fn add<'a>(assembly: &mut Assembly<'a>, line: u32, entry: &Entry<'a>, gaps: &mut Gaps) {
    if let Some(key) = entry.duplicate {
        gaps.twice(line, key, "a message");
    }
    let location = RecordLocation { line, id: None, time: scalar(entry.time) };
    let around = Around::of(entry.role);
    match entry.content {
        Some(words) if is_string(Some(words)) => blocks::words(assembly, &location, words, &around),
        Some(list) if is_array(Some(list)) => {
            for raw in elements(Some(list)) {
                block(assembly, &location, raw, &around, gaps);
            }
        }
        _ => gaps.malformed(line, "a message without content"),
    }
}

fn block<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    raw: Raw<'a>,
    around: &Around<'a>,
    gaps: &mut Gaps,
) {
    let Some(block) = object::<Block<'a>>(Some(raw)) else {
        return gaps.malformed(location.line, "a part of a message that is not an object");
    };
    if let Some(used) = block.used.object() {
        if let Some(key) = used.duplicate {
            gaps.twice(location.line, key, "a call");
        }
        let tool = filled(used.name).unwrap_or_default();
        let call = NewCall { id: identity(used.id), tool, arguments: arguments(used.input) };
        return blocks::add_call(assembly, location, call, around);
    }
    if let Some(answered) = block.answered.object() {
        let id = identity(answered.id);
        let status = match filled(answered.status).as_deref() {
            None | Some("success") => Status::Ok,
            Some(_) => Status::Error,
        };
        let text = raw_text(answered.content);
        let result = ToolResult { call_id: id.clone(), text, is_error: status == Status::Error };
        return assembly.result(location.clone(), result, status, id);
    }
    match (block.text, block.thinking) {
        (Some(words), _) if !is(block.kind, "thinking") => blocks::words(assembly, location, words, around),
        (said, thought) if around.speaker == Speaker::Agent => {
            let thought = raw_text(thought.or(said));
            assembly.push(location.clone(), thought.map_or(EventKind::Other, EventKind::Reasoning));
        }
        _ => assembly.unknown(location.clone()),
    }
}
