//! Warp: what its database has of a conversation. Answers and calls stay on Warp's servers.

mod database;

use super::{Detect, Format, Input};
use crate::assembly::{Assembly, RecordLocation};
use crate::gaps::Gaps;
use crate::json::{Raw, count, elements, fields, filled, is_array, object, parse, raw_text, record, scalar, text};
use crate::reader::{Item, LineCounter, Reader};
use agent_strace_model::dialect::Carries;
use agent_strace_model::evidence::Counted;
use agent_strace_model::{Dialect, EventKind, RawText, Session};
pub(super) use database::DATABASE;

/// A conversation of `warp.sqlite`.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("warp", "warp").carrying(Carries::SomeCalls(
        "calls stay on Warp's servers: its database holds what users asked for, and how many calls there were",
    )),
    detect: Detect::Record(|head| head.is_string("warp_conversation") && head.is_array("queries")),
    read,
    homes: &[],
};

record! {
    struct Entry { id = "warp_conversation", data = "data", queries = "queries" }
}

record! {
    struct Query { start = "start_ts", input = "input", directory = "working_directory", model = "model_id" }
}

record! {
    struct Data { metadata = "conversation_usage_metadata" }
}

record! {
    struct Metadata { tools = "tool_usage_metadata" }
}

record! {
    struct Stats { count = "count" }
}

record! {
    struct Asked { query = "Query" }
}

record! {
    struct Words { text = "text" }
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut sessions = Vec::new();
    input.records("a conversation", gaps, |item: &Item<'a, Entry<'a>>, gaps| {
        let mut assembly = input.session(&FORMAT.dialect);
        conversation(&mut assembly, item, gaps);
        sessions.push(assembly.finish());
    });
    sessions
}

fn conversation<'a>(assembly: &mut Assembly<'a>, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) {
    let Item { line, record: entry, json } = item;
    assembly.id(filled(entry.id));
    assembly.push(RecordLocation { line: *line, id: None, time: None }, EventKind::Start);
    assembly.stated(Counted::ToolCalls, calls(entry.data), 0, true);
    let Some(list) = entry.queries.filter(|list| is_array(Some(*list))) else {
        return gaps.malformed(*line, "the queries of the conversation are not a list");
    };
    let mut reader = Reader::nested(list.get(), LineCounter::new(json, *line).line_of(list.get()));
    while let Some(item) = reader.next::<Query<'a>>(gaps) {
        assembly.root(filled(item.record.directory));
        assembly.model(filled(item.record.model));
        assembly.untold(None);
        let location = RecordLocation { line: item.line, id: None, time: scalar(item.record.start) };
        assembly.push(location, asked(item.record.input).map_or(EventKind::Other, EventKind::Prompt));
    }
}

/// What the user wrote, in a text that holds JSON.
fn asked<'a>(input: Option<Raw<'a>>) -> Option<RawText<'a>> {
    if is_array(input) {
        let asked = elements(input).into_iter().find_map(|raw| object::<Asked<'a>>(Some(raw))?.query);
        return raw_text(object::<Words<'a>>(asked)?.text);
    }
    let json = text(input)?;
    let list = json.trim().strip_prefix('[')?.strip_suffix(']')?;
    let asked = object::<Words<'_>>(parse::<Asked<'_>>(list)?.query)?.text;
    Some(RawText::Plain(text(asked)?.into_owned().into()))
}

/// How many calls the conversation counts, of all kinds of tools.
fn calls(data: Option<Raw<'_>>) -> Option<u64> {
    let metadata = object::<Metadata<'_>>(object::<Data<'_>>(data)?.metadata)?;
    let kinds = fields(metadata.tools?.get())?;
    let counts = kinds.values().filter_map(|raw| object::<Stats<'_>>(Some(*raw)));
    Some(counts.fold(0, |sum: u64, stats| sum.saturating_add(count(stats.count))))
}
