//! The store of traces that Copilot Chat keeps in VS Code: spans as rows, their attributes as rows of another table.

use std::collections::{BTreeMap, BTreeSet};

use crate::database::{Child, Database, Document, Holds, List, Object, Output, Row, Tables, quoted};
use crate::formats::{Base, Home, vscode};
use agent_strace_model::GapKind;

pub(in crate::formats) static DATABASE: Database = Database {
    what: "Copilot Chat's store of traces",
    agent: "vscode-chat",
    marks: &[
        ("spans", &["span_id", "trace_id", "operation_name", "start_time_ms"]),
        ("span_attributes", &["span_id", "key", "value"]),
    ],
    holds: Holds::Sessions { read, copied: None },
    homes: &[home("Code/User"), home("Code - Insiders/User"), home("VSCodium/User")],
};

const fn home(folder: &'static str) -> Home {
    Home { variables: &[], base: Base::Config, folder, logs: "globalStorage/github.copilot-chat/**/*traces.db" }
}

static SPANS: Child = Child {
    table: "spans",
    key: "trace_id",
    needed: &["span_id", "operation_name", "start_time_ms"],
    optional: &[
        "parent_span_id",
        "name",
        "end_time_ms",
        "status_code",
        "conversation_id",
        "chat_session_id",
        "request_model",
        "response_model",
        "input_tokens",
        "output_tokens",
        "cached_tokens",
        "tool_name",
        "tool_call_id",
    ],
    order: &["start_time_ms"],
};

static ATTRIBUTES: Child =
    Child { table: "span_attributes", key: "span_id", needed: &["key", "value"], optional: &[], order: &[] };

/// Columns that say the same as an attribute.
const COLUMNS: &[(&str, &str)] = &[
    ("gen_ai.operation.name", "operation_name"),
    ("gen_ai.tool.name", "tool_name"),
    ("gen_ai.tool.call.id", "tool_call_id"),
    ("gen_ai.request.model", "request_model"),
    ("gen_ai.response.model", "response_model"),
    ("gen_ai.usage.input_tokens", "input_tokens"),
    ("gen_ai.usage.output_tokens", "output_tokens"),
    ("gen_ai.usage.cache_read.input_tokens", "cached_tokens"),
];

/// What a span calls its session: the columns, and the attribute of a request that the chat makes for itself.
const CONVERSATION: &str = "gen_ai.conversation.id";
const PARENT: &str = "copilot_chat.parent_chat_session_id";

type Attributes = BTreeMap<String, String>;

/// Traces of one chat are one session; a trace of no chat is one by itself.
fn read(tables: &Tables<'_>, output: &mut dyn Output) -> Result<(), GapKind> {
    let spans = SPANS.open(tables)?;
    let attributes = ATTRIBUTES.open(tables)?;
    let groups = spans.by(SPANS.key)?;
    let by_span = attributes.by(ATTRIBUTES.key)?;
    for (table, strays) in [(SPANS.table, groups.strays), (ATTRIBUTES.table, by_span.strays)] {
        if strays > 0 {
            output.gap(GapKind::malformed(format!("{strays} rows of `{table}` name no trace or no span")));
        }
    }
    let mut sessions: BTreeMap<String, Session> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for (trace, ids) in groups.rows {
        let mut flaws = Vec::new();
        let mut found = Vec::new();
        for row in SPANS.rows(&spans, &ids, &mut crate::database::room(), &mut flaws)? {
            let id = row.text("span_id").unwrap_or_default().to_owned();
            let rows = by_span.rows.get(&id).map(Vec::as_slice).unwrap_or_default();
            let rows = ATTRIBUTES.rows(&attributes, rows, &mut crate::database::room(), &mut flaws)?;
            found.push((row, attributes_of(&rows, &mut flaws)));
            known.insert(id);
        }
        let id = session_of(&found).unwrap_or_else(|| trace.clone());
        let session = sessions.entry(id.clone()).or_default();
        for (row, attributes) in found {
            session.spans.push(&span(&row, attributes, &trace, &id, &mut flaws));
        }
        session.flaws.append(&mut flaws);
    }
    let lost = by_span.rows.keys().filter(|span| !known.contains(*span)).count();
    if lost > 0 {
        output
            .gap(GapKind::missing(format!("attributes of {lost} spans whose own rows are missing: they were deleted")));
    }
    for (id, session) in sessions {
        output.document(session.document(id));
    }
    Ok(())
}

#[derive(Default)]
struct Session {
    spans: List,
    flaws: Vec<GapKind>,
}

impl Session {
    fn document(self, id: String) -> Document {
        let agent = Object::new().text("service.name", vscode::FORMAT.dialect.agent).finish();
        let resource = Object::new().raw("attributes", &agent).finish();
        let scope = Object::new().raw("spans", &self.spans.finish()).finish();
        let group = Object::new().raw("resource", &resource).raw("scopeSpans", &format!("[{scope}]")).finish();
        let text = Object::new().raw("resourceSpans", &format!("[{group}]")).finish();
        Document { id, text, flaws: self.flaws, project: None }
    }
}

fn attributes_of(rows: &[Row], flaws: &mut Vec<GapKind>) -> Attributes {
    let mut all = Attributes::new();
    for row in rows {
        let (Some(key), Some(value)) = (row.text("key"), row.text("value")) else {
            if row.get("value").is_some() {
                flaws.push(row.flaw("an attribute whose key or value is no text, or not UTF-8"));
            }
            continue;
        };
        if all.insert(key.to_owned(), value.to_owned()).is_some() {
            flaws.push(GapKind::Contradiction("an attribute of a span is there twice: the last one is taken".into()));
        }
    }
    all
}

fn session_of(spans: &[(Row, Attributes)]) -> Option<String> {
    let column = |name: &str| spans.iter().find_map(|(row, _)| row.text(name).filter(|id| !id.is_empty()));
    let attribute = || spans.iter().find_map(|(_, attributes)| attributes.get(PARENT).map(String::as_str));
    column("chat_session_id").or_else(attribute).or_else(|| column("conversation_id")).map(str::to_owned)
}

fn span(row: &Row, mut attributes: Attributes, trace: &str, session: &str, flaws: &mut Vec<GapKind>) -> String {
    for (attribute, column) in COLUMNS {
        let value = row.text(column).map(str::to_owned).or_else(|| row.number(column).map(|number| number.to_string()));
        if let Some(value) = value {
            attributes.entry((*attribute).to_owned()).or_insert(value);
        }
    }
    attributes.insert(CONVERSATION.to_owned(), session.to_owned());
    let mut values = Object::new();
    for (key, value) in &attributes {
        values.raw(key, &quoted(value));
    }
    let mut span = Object::new();
    span.text("traceId", trace)
        .column("spanId", row, "span_id", flaws)
        .column("parentSpanId", row, "parent_span_id", flaws)
        .column("name", row, "name", flaws);
    for (key, column) in [("startTimeUnixNano", "start_time_ms"), ("endTimeUnixNano", "end_time_ms")] {
        if let Some(milliseconds) = row.number(column).filter(|number| number.is_finite()) {
            span.text(key, &format!("{milliseconds:.3}000").replace('.', ""));
        }
    }
    if row.get("status_code").is_some() {
        let mut status = Object::new();
        span.raw("status", &status.column("code", row, "status_code", flaws).finish());
    }
    span.raw("attributes", &values.finish()).finish()
}
