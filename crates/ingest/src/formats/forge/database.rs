//! Forge's database: each row holds a conversation.

use crate::database::{Child, Database, Document, Holds, Object, Output, Row, Tables, one_each};
use crate::formats::{Base, Home};
use agent_strace_model::GapKind;

pub(in crate::formats) static DATABASE: Database = Database {
    what: "Forge's",
    agent: "forge",
    marks: &[("conversations", &["conversation_id", "workspace_id", "context"])],
    holds: Holds::Sessions { read, copied: None },
    homes: &[
        Home { variables: &[], base: Base::Home, folder: ".forge", logs: ".forge.db" },
        Home { variables: &[], base: Base::Home, folder: "forge", logs: ".forge.db" },
    ],
};

static CONVERSATIONS: Child = Child {
    table: "conversations",
    key: "conversation_id",
    needed: &["context"],
    optional: &["created_at", "updated_at"],
    order: &[],
};

fn read(tables: &Tables<'_>, output: &mut dyn Output) -> Result<(), GapKind> {
    one_each(tables, &CONVERSATIONS, output, document)
}

/// A conversation in which nothing was said has no context.
fn document(id: &str, row: &Row, flaws: &mut Vec<GapKind>) -> Option<Document> {
    row.get("context")?;
    let mut object = Object::new();
    object.text("forge_conversation", id).column("created_at", row, "created_at", flaws);
    object.json("context", row, "context", flaws);
    Some(Document { id: id.to_owned(), text: object.finish(), ..Document::default() })
}
