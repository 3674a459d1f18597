//! Goose's database: rows as its export has them.

use crate::database::{Child, Database, Document, Holds, List, Object, Output, Rows, Tables, of_rows};
use crate::formats::{Base, Home};
use agent_strace_model::GapKind;

pub(in crate::formats) static DATABASE: Database = Database {
    what: "Goose's",
    agent: "goose",
    marks: &[
        ("sessions", &["id", "working_dir", "extension_data"]),
        ("messages", &["session_id", "role", "content_json"]),
    ],
    holds: Holds::Sessions { read, copied: Some(copied) },
    homes: &[
        Home { variables: &[], base: Base::Data, folder: "goose", logs: "sessions/*.db" },
        Home { variables: &[], base: Base::Data, folder: "Block/goose", logs: "data/sessions/*.db" },
        Home { variables: &[], base: Base::Data, folder: "Block.goose", logs: "sessions/*.db" },
        Home { variables: &["GOOSE_PATH_ROOT"], base: Base::Data, folder: "goose", logs: "data/sessions/*.db" },
    ],
};

static SESSIONS: Child = Child {
    table: "sessions",
    key: "id",
    needed: &["working_dir"],
    optional: &[
        "extension_data",
        "total_tokens",
        "accumulated_total_tokens",
        "accumulated_input_tokens",
        "accumulated_output_tokens",
        "model_config_json",
        "goose_mode",
        "parent_session_id",
    ],
    order: &[],
};

static MESSAGES: Child = Child {
    table: "messages",
    key: "session_id",
    needed: &["role", "content_json"],
    optional: &["id", "message_id", "created_timestamp"],
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
    let has_messages = rows.has_any([1]);
    let own = rows.own(0);
    if !has_messages {
        // A session in which nothing was said has used nothing.
        let used = |column| own.as_ref().and_then(|own| own.number(column)).is_some_and(|count| count > 0.0);
        if !used("accumulated_total_tokens") && !used("total_tokens") {
            return None;
        }
        rows.flaws.push(GapKind::missing("the session used tokens, and its messages are missing: they were deleted"));
    }
    let mut object = Object::new();
    object.text("id", &rows.id);
    if let Some(own) = &own {
        let flaws = &mut rows.flaws;
        object
            .columns(own, &["working_dir", "accumulated_input_tokens", "accumulated_output_tokens"], flaws)
            .columns(own, &["goose_mode", "parent_session_id"], flaws)
            .json("extension_data", own, "extension_data", flaws)
            .json("model_config", own, "model_config_json", flaws);
    }
    let mut messages = List::default();
    for row in rows.of(1) {
        let mut message = Object::new();
        let id = if row.get("message_id").is_some() { "message_id" } else { "id" };
        // The export's ids are texts.
        if let Some(id) = row.text(id) {
            message.text("id", id);
        }
        message
            .column("role", &row, "role", &mut rows.flaws)
            .column("created", &row, "created_timestamp", &mut rows.flaws)
            .json("content", &row, "content_json", &mut rows.flaws);
        messages.push(&message.finish());
    }
    let text = object.raw("conversation", &messages.finish()).finish();
    Some(rows.document(text))
}
