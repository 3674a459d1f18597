//! Goose: sessions as lines, exported sessions, and the stream of `goose run --output-format stream-json`.
//!
//! Rows of its database are read as its export has them.

mod content;
mod database;

use std::borrow::Cow;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{self, Counts, Raw, elements, filled, object, raw_text, record, scalar};
use crate::reader::{Item, LineCounter, Reader};
use crate::settings;
use agent_strace_model::attribution::note_each;
use agent_strace_model::{Dialect, Ending, EventKind, Session, Usage};
pub(super) use database::DATABASE;

record! {
    /// The first line of a session, an exported session, or an event of the stream.
    struct Entry {
        kind = "type",
        id = "id",
        working_dir = "working_dir",
        conversation = "conversation",
        messages = "messages",
        message = "message",
        model = "model_config",
        input_tokens = "accumulated_input_tokens",
        output_tokens = "accumulated_output_tokens",
        parent = "parent_session_id",
        mode = "goose_mode",
        role = "role",
        created = "created",
        content = "content",
        error = "error",
    }
}

record! {
    struct Message { id = "id", role = "role", created = "created", content = "content" }
}

record! {
    struct Model { name = "model_name" }
}

/// Goose sessions (`~/.local/share/goose/sessions/*.jsonl`), exports and streams.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("goose", "goose"),
    detect: Detect::Record(is_goose),
    read,
    homes: &[Home { variables: &[], base: Base::Data, folder: "goose", logs: "sessions/*.jsonl" }],
};

fn is_goose(head: &Head<'_>) -> bool {
    let started = head.is_string("working_dir")
        && (head.has("message_count") || head.has("extension_data") || head.is_array("conversation"));
    let streamed = || head.is("type", "message") && head.object("message").is_some_and(|message| is_message(&message));
    started || is_message(head) || streamed()
}

fn is_message(head: &Head<'_>) -> bool {
    head.is_string("role") && head.has("created") && head.is_array("content") && {
        let typed = |raw: Raw<'_>| json::object::<Head<'_>>(Some(raw)).is_some_and(|part| part.is_string("type"));
        elements(head.get("content")).into_iter().all(typed)
    }
}

/// Reads one session.
fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let log = input.log;
    let mut assembly = Assembly::new(&FORMAT.dialect, &log.shown, Numbering::Ordinal);
    input.records("a record", gaps, |item: &Item<'a, Entry<'a>>, gaps| {
        entry(&mut assembly, item, gaps);
    });
    vec![assembly.finish()]
}

fn entry<'a>(assembly: &mut Assembly<'a>, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) {
    let Item { line, record, json } = item;
    let location = RecordLocation { line: *line, id: None, time: None };
    if let Some(list) = record.conversation.or(record.messages) {
        describe(assembly, record);
        return conversation(assembly, json, *line, list, gaps);
    }
    if record.working_dir.is_some() {
        describe(assembly, record);
        return assembly.push(location, EventKind::Start);
    }
    if record.role.is_some() {
        let message = object::<Message<'a>>(Some(Raw::new(json))).unwrap_or_default();
        return content::message(assembly, *line, &message, gaps);
    }
    if let Some(message) = object::<Message<'a>>(record.message) {
        return content::message(assembly, *line, &message, gaps);
    }
    match filled(record.kind).as_deref() {
        Some("message") => gaps.malformed(*line, "a message record without its message"),
        Some("complete") => assembly.push(location, EventKind::End(Ending::default())),
        Some("error") => {
            let said = raw_text(record.error);
            assembly.push(location, said.map_or(EventKind::Other, EventKind::Failure));
        }
        Some("notification" | "model_change") => assembly.push(location, EventKind::Other),
        Some(_) => assembly.unknown(location),
        None => gaps.unknown_record(*line, "a record that is neither a message nor an event"),
    }
}

fn conversation<'a>(assembly: &mut Assembly<'a>, json: &'a str, line: u32, list: Raw<'a>, gaps: &mut Gaps) {
    if !list.get().starts_with('[') {
        return gaps.malformed(line, "the messages of the session are not a list");
    }
    let start = LineCounter::new(json, line).line_of(list.get());
    let mut reader = Reader::nested(list.get(), start);
    while let Some(item) = reader.next::<Message<'a>>(gaps) {
        content::message(assembly, item.line, &item.record, gaps);
    }
}

fn describe<'a>(assembly: &mut Assembly<'a>, record: &Entry<'a>) {
    settings::look_through(&mut assembly.session.evidence, "model_config", record.model);
    assembly.id(scalar(record.id));
    assembly.root(filled(record.working_dir));
    let parent = filled(record.parent);
    if assembly.session.parent.is_none() {
        assembly.session.parent = parent;
    }
    let model = object::<Model<'a>>(record.model).and_then(|model| filled(model.name));
    assembly.model(model);
    note_each(&mut assembly.session.attribution.permission_modes, filled(record.mode));
    let mut counts = Counts::default();
    let (input, output) = (counts.of(record.input_tokens), counts.of(record.output_tokens));
    if input > 0 || output > 0 || counts.is_partial {
        // Of all answers until then.
        assembly.together(
            Some(Cow::Borrowed("running total")),
            Usage { input, output, partial: counts.is_partial, ..Usage::default() },
        );
    }
}
