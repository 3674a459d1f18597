//! Warp's database: the rows of a conversation as one document.

use crate::database::{Child, Database, Document, Holds, List, Object, Output, Rows, Tables, of_rows};
use crate::formats::{Base, Home};
use agent_strace_model::GapKind;

pub(in crate::formats) static DATABASE: Database = Database {
    what: "Warp's",
    agent: "warp",
    marks: &[
        ("agent_conversations", &["conversation_id", "conversation_data"]),
        ("ai_queries", &["conversation_id", "input"]),
    ],
    holds: Holds::Sessions { read, copied: None },
    homes: &[
        Home {
            variables: &["XDG_STATE_HOME"],
            base: Base::Home,
            folder: ".local/state",
            logs: "warp-terminal*/warp.sqlite",
        },
        Home {
            variables: &[],
            base: Base::Home,
            folder: "Library/Group Containers",
            logs: "2BBY89MBSN.dev.warp/Library/Application Support/dev.warp.Warp-*/warp.sqlite",
        },
        Home { variables: &[], base: Base::Data, folder: "dev.warp.Warp-Stable", logs: "warp.sqlite" },
        Home { variables: &["LOCALAPPDATA"], base: Base::Data, folder: "warp", logs: "warp/Warp/data/warp.sqlite" },
    ],
};

static CONVERSATIONS: Child = Child {
    table: "agent_conversations",
    key: "conversation_id",
    needed: &["conversation_data"],
    optional: &["last_modified_at"],
    order: &[],
};

static QUERIES: Child = Child {
    table: "ai_queries",
    key: "conversation_id",
    needed: &["input"],
    optional: &["start_ts", "working_directory", "model_id"],
    order: &["start_ts"],
};

fn read(tables: &Tables<'_>, output: &mut dyn Output) -> Result<(), GapKind> {
    of_rows(tables, &[&CONVERSATIONS, &QUERIES], output, &mut document)
}

fn document(mut rows: Rows) -> Option<Document> {
    // A conversation that was never started holds nothing.
    if !rows.has_any([0, 1]) {
        return None;
    }
    let mut object = Object::new();
    object.text("warp_conversation", &rows.id);
    if let Some(own) = rows.of(0).first() {
        object.json("data", own, "conversation_data", &mut rows.flaws);
    }
    let mut queries = List::default();
    for row in rows.of(1) {
        let mut query = Object::new();
        query.columns(&row, &["start_ts", "working_directory", "model_id"], &mut rows.flaws).column(
            "input",
            &row,
            "input",
            &mut rows.flaws,
        );
        queries.push(&query.finish());
    }
    let text = object.raw("queries", &queries.finish()).finish();
    Some(rows.document(text))
}
