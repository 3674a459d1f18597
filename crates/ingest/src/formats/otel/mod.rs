//! OpenTelemetry: exported spans of tools (`GenAI` conventions, `OpenInference`), and the log events of agents.
//!
//! A document, or one export a line. What a tool was called with is an option that is mostly off: such a call is one
//! whose arguments are missing.

mod asked;
mod attributes;
mod database;
mod event;
mod span;
mod sums;

use std::borrow::Cow;
use std::collections::HashMap;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, Numbering};
use crate::gaps::Gaps;
use crate::json::{Nested, Raw, is_array, is_object, record};
use crate::reader::{Item, Reader};
use agent_strace_model::dialect::Carries;
use agent_strace_model::{Dialect, Session};
use asked::Asked;
use attributes::Attributes;
pub(super) use database::DATABASE;
use sums::Sums;

record! {
    /// An export, or what an exporter that writes files makes of one of its records.
    struct Export {
        spans = "resourceSpans",
        logs = "resourceLogs",
        metrics = "resourceMetrics",
        resource: Nested<Resource<'a>> = "resource",
        attributes = "attributes",
    }
}

record! {
    struct Resource { attributes = "attributes" }
}

record! {
    struct Group {
        resource: Nested<Resource<'a>> = "resource",
        spans = "scopeSpans",
        old_spans = "instrumentationLibrarySpans",
        logs = "scopeLogs",
    }
}

record! {
    struct Scope { spans = "spans", logs = "logRecords" }
}

/// OTLP/JSON, and `.gemini/telemetry.log`.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("otel", "otel").carrying(Carries::SomeCalls(
        "only what was instrumented is exported, and arguments of calls only where that is switched on",
    )),
    detect: Detect::Record(|head| {
        let export = ["resourceSpans", "resourceLogs", "resourceMetrics"].iter().any(|key| head.is_array(key));
        let event = head.object("attributes").is_some_and(|attributes| {
            let name = attributes.text("event.name").unwrap_or_default();
            let known = ["gemini_cli.", "claude_code.", "codex.", "qwen-code."];
            known.iter().any(|prefix| name.starts_with(prefix)) || attributes.is_string("gen_ai.operation.name")
        });
        export || event && (head.has("resource") || head.has("hrTime"))
    }),
    read,
    homes: &[Home { variables: &[], base: Base::Project, folder: ".gemini", logs: "telemetry.log" }],
};

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut sessions = Sessions { shown: &input.log.shown, list: Vec::new(), by_name: HashMap::new() };
    let mut reader = Reader::new(input.text, input.shape);
    while let Some(item) = reader.next::<Export<'a>>(gaps) {
        export(&mut sessions, &item, gaps);
    }
    if sessions.list.is_empty() {
        // Exports of nothing are still a log that was read.
        sessions.told(&[]);
    }
    let finish = |SessionRecords { mut assembly, asked, sums }| {
        asked::add_untold(&mut assembly, asked);
        sums.add(&mut assembly);
        assembly.finish()
    };
    sessions.list.into_iter().map(finish).collect()
}

fn export<'a>(sessions: &mut Sessions<'a, '_>, item: &Item<'a, Export<'a>>, gaps: &mut Gaps) {
    let export = &item.record;
    if let Some(key) = export.duplicate {
        gaps.twice(item.line, key, "an export");
    }
    for list in [export.spans, export.logs].into_iter().flatten() {
        if !is_array(Some(list)) {
            gaps.malformed(item.line, "the resources of an export are not a list");
            continue;
        }
        let mut reader = Reader::of_field(item.json, item.line, list);
        while let Some(group) = reader.next::<Group<'a>>(gaps) {
            let resource = group.record.resource.object().and_then(|resource| resource.attributes);
            let resource = Attributes::read(resource, group.line, gaps);
            for scopes in [group.record.spans, group.record.old_spans, group.record.logs].into_iter().flatten() {
                scope(sessions, group.json, group.line, scopes, &resource, gaps);
            }
        }
    }
    if export.spans.is_some() || export.logs.is_some() || export.metrics.is_some() {
        return;
    }
    if is_object(export.attributes) {
        let resource = export.resource.object().and_then(|resource| resource.attributes);
        let resource = Attributes::read(resource, item.line, gaps);
        record_of(sessions, item.json, item.line, &resource, gaps);
    } else {
        gaps.unknown_record(item.line, "a record that is no export of spans, logs or metrics");
    }
}

fn scope<'a>(
    sessions: &mut Sessions<'a, '_>,
    json: &'a str,
    line: u32,
    scopes: Raw<'a>,
    resource: &Attributes<'a>,
    gaps: &mut Gaps,
) {
    let mut reader = Reader::of_field(json, line, scopes);
    while let Some(scope) = reader.next::<Scope<'a>>(gaps) {
        for list in [scope.record.spans, scope.record.logs].into_iter().flatten() {
            let mut records = Reader::of_field(scope.json, scope.line, list);
            while let Some(found) = records.next::<Bare<'a>>(gaps) {
                record_of(sessions, found.json, found.line, resource, gaps);
            }
        }
    }
}

record! {
    struct Bare { attributes = "attributes" }
}

/// A span or a log event: they are told apart by what they say.
fn record_of<'a>(
    sessions: &mut Sessions<'a, '_>,
    json: &'a str,
    line: u32,
    resource: &Attributes<'a>,
    gaps: &mut Gaps,
) {
    if !event::read(sessions, json, line, resource, gaps) {
        span::read(sessions, json, line, resource, gaps);
    }
}

/// Sessions by what their records call them: a conversation, or else a trace.
struct Sessions<'a, 's> {
    shown: &'s str,
    list: Vec<SessionRecords<'a>>,
    by_name: HashMap<Cow<'a, str>, usize>,
}

/// What was told of one session so far.
struct SessionRecords<'a> {
    assembly: Assembly<'a>,
    /// What models asked for.
    asked: Vec<Asked<'a>>,
    /// What agents used in all.
    sums: Sums<'a>,
}

impl<'a> Sessions<'a, '_> {
    /// The session that goes by one of these names; from now on it goes by all of them.
    fn told(&mut self, names: &[Option<Cow<'a, str>>]) -> &mut SessionRecords<'a> {
        let names = names.iter().flatten();
        let known = names.clone().find_map(|name| self.by_name.get(name).copied());
        // Records without any name belong together.
        let at = known.or_else(|| names.clone().next().map_or(self.by_name.get("").copied(), |_| None));
        let at = at.unwrap_or(self.list.len());
        if names.clone().next().is_none() {
            self.by_name.entry(Cow::Borrowed("")).or_insert(at);
        }
        for name in names {
            self.by_name.entry(name.clone()).or_insert(at);
        }
        if at == self.list.len() {
            let assembly = Assembly::new(&FORMAT.dialect, self.shown, Numbering::Ordinal);
            self.list.push(SessionRecords { assembly, asked: Vec::new(), sums: Sums::default() });
        }
        #[expect(clippy::indexing_slicing, reason = "every place in the map is one of the list, or was just added")]
        &mut self.list[at]
    }
}
