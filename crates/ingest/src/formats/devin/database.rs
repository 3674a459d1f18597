//! Devin's database: the rows of a session as one document.

use crate::database::{Child, Database, Document, Holds, List, Object, Output, Rows, Tables, of_rows};
use crate::formats::{Base, Home};
use agent_strace_model::GapKind;

pub(in crate::formats) static DATABASE: Database = Database {
    what: "Devin's",
    agent: "devin",
    marks: &[("sessions", &["id", "working_directory"]), ("message_nodes", &["session_id", "node_id", "chat_message"])],
    holds: Holds::Sessions { read, copied: Some(copied) },
    homes: &[Home { variables: &[], base: Base::Data, folder: "devin", logs: "cli/sessions.db" }],
};

static SESSIONS: Child = Child {
    table: "sessions",
    key: "id",
    needed: &["working_directory"],
    optional: &["model", "created_at"],
    order: &[],
};

static NODES: Child = Child {
    table: "message_nodes",
    key: "session_id",
    needed: &["node_id", "chat_message"],
    optional: &["created_at", "parent_node_id"],
    // The number of the row tells the order in which they were written.
    order: &[],
};

fn read(tables: &Tables<'_>, output: &mut dyn Output) -> Result<(), GapKind> {
    of_rows(tables, &[&SESSIONS, &NODES], output, &mut document)
}

fn copied(tables: &Tables<'_>) -> Result<Vec<String>, GapKind> {
    Ok(NODES.open(tables)?.by("session_id")?.rows.into_keys().collect())
}

fn document(mut rows: Rows) -> Option<Document> {
    // A session in which nothing was said holds nothing.
    if !rows.has_any([1]) {
        return None;
    }
    let mut object = Object::new();
    object.text("devin_session", &rows.id);
    if let Some(own) = rows.own(0) {
        object.columns(&own, &["working_directory", "model", "created_at"], &mut rows.flaws);
    }
    let mut nodes = List::default();
    for row in rows.of(1) {
        let mut node = Object::new();
        node.columns(&row, &["node_id", "created_at"], &mut rows.flaws).json(
            "chat_message",
            &row,
            "chat_message",
            &mut rows.flaws,
        );
        nodes.push(&node.finish());
    }
    let text = object.raw("nodes", &nodes.finish()).finish();
    Some(rows.document(text))
}
