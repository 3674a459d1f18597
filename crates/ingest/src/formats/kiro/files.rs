//! Sessions that Kiro's terminal agent keeps as files: a record per message. `<id>.json` beside them names the directory.

use std::borrow::Cow;

use super::FILES;
use crate::assembly::{Assembly, RecordLocation, arguments};
use crate::blocks::{self, Around, NewCall, Speaker, identity};
use crate::formats::Input;
use crate::gaps::Gaps;
use crate::json::{Nested, Raw, elements, filled, is, object, parse, raw_text, record, scalar};
use crate::reader::Item;
use agent_strace_model::{EventKind, Session, Status, ToolResult};

record! {
    struct Entry { kind = "kind", data: Nested<Data<'a>> = "data" }
}

record! {
    struct Data { id = "message_id", content = "content", time = "timestamp" }
}

record! {
    struct Part { kind = "kind", data = "data" }
}

record! {
    struct Used { id = "toolUseId", name = "name", input = "input", content = "content", status = "status" }
}

record! {
    struct Meta { id = "session_id", cwd = "cwd" }
}

pub(super) fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = input.session(&FILES.dialect);
    if let Some(side) = input.log.side("*.json") {
        match parse::<Meta<'a>>(side.text.trim()) {
            Some(meta) => {
                assembly.id(filled(meta.id));
                assembly.root(filled(meta.cwd));
            }
            None => gaps.damage_of(side, "it is not an object that can be read"),
        }
    }
    assembly.id(Some(Cow::Borrowed(input.log.name())));
    input.records("a record", gaps, |item: &Item<'a, Entry<'a>>, gaps| add(&mut assembly, item, gaps));
    vec![assembly.finish()]
}

fn add<'a>(assembly: &mut Assembly<'a>, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) {
    let Item { line, record, .. } = item;
    let Some(data) = record.data.object() else {
        return gaps.malformed(*line, "a record without its data");
    };
    let location = RecordLocation { line: *line, id: filled(data.id), time: scalar(data.time) };
    let speaker = match &*filled(record.kind).unwrap_or_default() {
        "Prompt" => Speaker::User,
        "AssistantMessage" | "ToolResults" => Speaker::Agent,
        _ => {
            assembly.unknown(location.clone());
            Speaker::Host
        }
    };
    let around = Around { speaker, ..Around::of(None) };
    for raw in elements(data.content) {
        match object::<Part<'a>>(Some(raw)) {
            Some(part) => add_part(assembly, &location, &part, &around, gaps),
            None => gaps.malformed(*line, "a part of a message that is not an object"),
        }
    }
}

fn add_part<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    part: &Part<'a>,
    around: &Around<'a>,
    gaps: &mut Gaps,
) {
    let used = || object::<Used<'a>>(part.data);
    match &*filled(part.kind).unwrap_or_default() {
        "text" => match part.data {
            Some(words) => blocks::words(assembly, location, words, around),
            None => assembly.push(location.clone(), EventKind::Other),
        },
        "toolUse" => match used() {
            Some(used) => {
                let tool = filled(used.name).unwrap_or_default();
                let call = NewCall { id: identity(used.id), tool, arguments: arguments(used.input) };
                blocks::add_call(assembly, location, call, around);
            }
            None => gaps.malformed(location.line, "a call that is not an object"),
        },
        "toolResult" => match used() {
            Some(used) => result(assembly, location, &used),
            None => gaps.malformed(location.line, "a result that is not an object"),
        },
        _ => assembly.unknown(location.clone()),
    }
}

fn result<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, used: &Used<'a>) {
    let id = identity(used.id);
    let is_error = is(used.status, "error");
    let status = if is_error { Status::Error } else { Status::Ok };
    let text: Option<Raw<'a>> = used.content;
    let result = ToolResult { call_id: id.clone(), text: raw_text(text), is_error };
    assembly.result(location.clone(), result, status, id);
}
