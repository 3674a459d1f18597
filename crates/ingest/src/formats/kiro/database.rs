//! The databases of Kiro CLI and Amazon Q: each row holds a conversation as it is exported.

use crate::database::{Child, Database, Document, Holds, Object, Output, Row, Tables, json, one_each};
use crate::formats::{Base, Home};
use crate::json::{filled, parse, record};
use agent_strace_model::GapKind;

pub(in crate::formats) static DATABASE: Database = Database {
    what: "Kiro's",
    agent: "kiro",
    marks: &[("conversations_v2", &["key", "conversation_id", "value"])],
    holds: Holds::Sessions { read, copied: None },
    homes: &[
        Home { variables: &[], base: Base::Data, folder: "kiro-cli", logs: "data.sqlite3" },
        Home { variables: &[], base: Base::Data, folder: "amazon-q", logs: "data.sqlite3" },
    ],
};

/// Before a directory could have several conversations.
pub(in crate::formats) static EARLIER: Database = Database {
    what: "Kiro's",
    agent: "kiro",
    marks: &[("conversations", &["key", "value"])],
    holds: Holds::Sessions { read: read_earlier, copied: None },
    homes: &[],
};

static CONVERSATIONS: Child =
    Child { table: "conversations_v2", key: "conversation_id", needed: &["key", "value"], optional: &[], order: &[] };

static EARLIER_CONVERSATIONS: Child =
    Child { table: "conversations", key: "key", needed: &["value"], optional: &[], order: &[] };

record! {
    struct Id { id = "conversation_id" }
}

fn read(tables: &Tables<'_>, output: &mut dyn Output) -> Result<(), GapKind> {
    one_each(tables, &CONVERSATIONS, output, document)?;
    // What an update found in the table of old.
    if tables.has(EARLIER_CONVERSATIONS.table, &["key", "value"])? {
        let mut known = std::collections::BTreeSet::new();
        known.extend(CONVERSATIONS.open(tables)?.by("conversation_id")?.rows.into_keys());
        let only_new = |key: &str, row: &Row, flaws: &mut Vec<GapKind>| {
            document(key, row, flaws).filter(|document| !known.contains(&document.id))
        };
        one_each(tables, &EARLIER_CONVERSATIONS, output, only_new)?;
    }
    Ok(())
}

fn read_earlier(tables: &Tables<'_>, output: &mut dyn Output) -> Result<(), GapKind> {
    one_each(tables, &EARLIER_CONVERSATIONS, output, document)
}

fn document(key: &str, row: &Row, flaws: &mut Vec<GapKind>) -> Option<Document> {
    let json = json(row, "value", flaws)?;
    let id = parse::<Id<'_>>(json).and_then(|value| filled(value.id)).map(std::borrow::Cow::into_owned);
    // The key is the directory in which the conversation was held.
    let project = row.text("key").filter(|key| std::path::Path::new(key).is_absolute()).map(str::to_owned);
    let (id, text) = match id {
        Some(id) => (id, json.to_owned()),
        None => (key.to_owned(), Object::new().spread(row, "value", flaws).text("conversation_id", key).finish()),
    };
    Some(Document { id, text, project, ..Document::default() })
}
