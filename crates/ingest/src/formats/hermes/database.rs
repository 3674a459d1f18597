//! Hermes' database: rows as its export has them.

use crate::database::{Child, Database, Document, Holds, List, Object, Output, Row, Rows, Tables, of_rows};
use crate::formats::{Base, Home};
use agent_strace_model::GapKind;

pub(in crate::formats) static DATABASE: Database = Database {
    what: "Hermes'",
    agent: "hermes",
    marks: &[
        ("sessions", &["id", "source", "started_at", "message_count", "tool_call_count"]),
        ("messages", &["session_id", "role", "content", "tool_calls", "tool_call_id"]),
    ],
    holds: Holds::Sessions { read, copied: Some(copied) },
    homes: &[
        Home { variables: &["HERMES_HOME"], base: Base::Home, folder: ".hermes", logs: "state.db" },
        Home { variables: &["HERMES_HOME"], base: Base::Home, folder: ".hermes", logs: "profiles/*/state.db" },
    ],
};

/// Numbers and texts of a session that its export has under the same names.
const FACTS: &[&str] = &[
    "source",
    "user_id",
    "model",
    "parent_session_id",
    "started_at",
    "ended_at",
    "end_reason",
    "message_count",
    "tool_call_count",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "cwd",
];

static SESSIONS: Child = Child {
    table: "sessions",
    key: "id",
    needed: &["source", "started_at", "message_count", "tool_call_count"],
    optional: &[
        "user_id",
        "model",
        "model_config",
        "parent_session_id",
        "ended_at",
        "end_reason",
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "reasoning_tokens",
        "cwd",
    ],
    order: &[],
};

static MESSAGES: Child = Child {
    table: "messages",
    key: "session_id",
    needed: &["role", "content", "tool_call_id", "tool_calls"],
    optional: &["tool_name", "timestamp", "reasoning"],
    // The number of the row tells the order in which they were written.
    order: &[],
};

fn read(tables: &Tables<'_>, output: &mut dyn Output) -> Result<(), GapKind> {
    of_rows(tables, &[&SESSIONS, &MESSAGES], output, &mut document)
}

fn copied(tables: &Tables<'_>) -> Result<Vec<String>, GapKind> {
    Ok(MESSAGES.open(tables)?.by("session_id")?.rows.into_keys().collect())
}

fn document(mut rows: Rows) -> Option<Document> {
    let is_empty = !rows.has_any([1]);
    let own = rows.own(0);
    let stated = own.as_ref().and_then(|own| own.number("message_count")).unwrap_or_default();
    if is_empty {
        if stated <= 0.0 {
            return None;
        }
        rows.flaws.push(GapKind::missing(
            "the session says that it has messages, but the database holds none: they were deleted",
        ));
    }
    let mut object = Object::new();
    object.text("id", &rows.id);
    if let Some(own) = &own {
        let flaws = &mut rows.flaws;
        object.columns(own, FACTS, flaws).json("model_config", own, "model_config", flaws);
    }
    let mut messages = List::default();
    for row in rows.of(1) {
        messages.push(&message(&row, &mut rows.flaws));
    }
    let text = object.raw("messages", &messages.finish()).finish();
    Some(rows.document(text))
}

fn message(row: &Row, flaws: &mut Vec<GapKind>) -> String {
    let mut message = Object::new();
    message
        .columns(row, &["role", "tool_call_id", "tool_name", "timestamp", "reasoning"], flaws)
        .column("content", row, "content", flaws)
        .json("tool_calls", row, "tool_calls", flaws);
    message.finish()
}
