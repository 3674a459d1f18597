//! ATOF, the events of `NeMo` Relay: the start and the end of each scope are two records with one id. A scope of a tool is a
//! call.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{Detect, Format, Input};
use crate::assembly::{Assembly, RecordLocation, arguments};
use crate::gaps::Gaps;
use crate::json::{Nested, Raw, filled, is, object, raw_text, record};
use crate::reader::Item;
use agent_strace_model::{Dialect, EventKind, Session, Status, ToolCall, ToolResult};

/// Events of `NeMo` Relay, in files that its settings name.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("atof", "atof"),
    detect: Detect::Record(|head| head.is_string("atof_version") && head.is_string("kind")),
    read,
    homes: &[],
};

record! {
    struct Entry {
        kind = "kind",
        category = "category",
        phase = "scope_category",
        id = "uuid",
        time = "timestamp",
        name = "name",
        data = "data",
        profile: Nested<Profile<'a>> = "category_profile",
        metadata: Nested<Metadata<'a>> = "metadata",
    }
}

record! {
    struct Profile { call = "tool_call_id", model = "model_name" }
}

record! {
    struct Metadata { session = "session_id", agent = "agent_kind", harness = "harness", cwd = "cwd", status = "status" }
}

record! {
    struct Outcome { error = "error", is_error = "is_error", status = "status" }
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    // One file may hold records of several sessions.
    let mut sessions: BTreeMap<Cow<'a, str>, Assembly<'a>> = BTreeMap::new();
    let mut last = Cow::Borrowed(input.log.name());
    input.records("an event", gaps, |item: &Item<'a, Entry<'a>>, gaps| {
        let metadata = item.record.metadata.object().cloned().unwrap_or_default();
        // A record that names no session belongs to the one before.
        last = filled(metadata.session).unwrap_or_else(|| last.clone());
        let assembly = sessions.entry(last.clone()).or_insert_with(|| {
            let mut assembly = input.session(&FORMAT.dialect);
            assembly.id(Some(last.clone()));
            assembly
        });
        assembly.root(filled(metadata.cwd));
        if let Some(agent) = filled(metadata.agent).or_else(|| filled(metadata.harness)) {
            assembly.session.agent = agent;
        }
        add(assembly, item.line, &item.record, gaps);
    });
    sessions.into_values().map(Assembly::finish).collect()
}

fn add<'a>(assembly: &mut Assembly<'a>, line: u32, entry: &Entry<'a>, gaps: &mut Gaps) {
    let location = RecordLocation { line, id: filled(entry.id), time: filled(entry.time) };
    let profile = entry.profile.object().cloned().unwrap_or_default();
    assembly.model(filled(profile.model));
    match (filled(entry.kind).as_deref(), filled(entry.category).as_deref(), filled(entry.phase).as_deref()) {
        (Some("scope"), Some("tool"), Some("start")) => {
            if filled(entry.name).is_none() {
                gaps.malformed(line, "a scope of a tool without its name");
            }
            call(assembly, location, entry, filled(profile.call));
        }
        (Some("scope"), Some("tool"), Some("end")) => result(assembly, location, entry),
        (Some("scope"), Some("llm"), Some("end")) => {
            assembly.untold(location.id.clone());
            // Calls that an answer asks for run in a scope of their own.
            assembly.pass_around(entry.data);
            assembly.push(location, EventKind::Other);
        }
        (Some("scope"), Some("llm"), _) => {
            assembly.pass_around(entry.data);
            assembly.push(location, EventKind::Other);
        }
        (Some("scope"), Some(_), Some(_)) | (Some("mark"), ..) => assembly.push(location, EventKind::Other),
        _ => assembly.unknown(location),
    }
}

fn call<'a>(
    assembly: &mut Assembly<'a>,
    location: RecordLocation<'a>,
    entry: &Entry<'a>,
    call_id: Option<Cow<'a, str>>,
) {
    let link = location.id.clone();
    let call = ToolCall {
        call_id: call_id.or_else(|| link.clone()),
        tool: filled(entry.name).unwrap_or_default(),
        arguments: arguments(entry.data.filter(|data| data.get() != "null")),
        cwd: None,
        status: Status::Missing,
        subagent: None,
    };
    assembly.call(location, call, link);
}

/// The end of a scope has the result, or the error that it ended with.
fn result<'a>(assembly: &mut Assembly<'a>, location: RecordLocation<'a>, entry: &Entry<'a>) {
    let outcome = object::<Outcome<'a>>(entry.data).unwrap_or_default();
    let metadata = entry.metadata.object().cloned().unwrap_or_default();
    let says_error = |status: Option<Raw<'a>>| is(status, "error") || is(status, "failed");
    let has_error = outcome.error.is_some_and(|error| !matches!(error.get(), "null" | "\"\"" | "false"));
    let failed = has_error
        || outcome.is_error.is_some_and(|raw| raw.get() == "true")
        || says_error(outcome.status)
        || says_error(metadata.status);
    let status = if failed { Status::Error } else { Status::Ok };
    let id = location.id.clone();
    let call_id = id.as_deref().and_then(|id| assembly.call_of(id)).and_then(|call| call.call_id.clone());
    let result = ToolResult { call_id, text: raw_text(entry.data), is_error: failed };
    assembly.result(location, result, status, id);
}
