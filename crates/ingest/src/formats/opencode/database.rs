//! The database of `OpenCode` and its kin: rows of two generations, as the export has them.

use std::collections::{BTreeMap, BTreeSet};

use super::events::{Calls, Events};
use super::stored;
use crate::database::{Child, Database, Document, Holds, List, Object, Output, Row, Rows, Tables, of_rows};
use crate::formats::{Base, Home};
use crate::json::{filled, is, parse, record};
use agent_strace_model::GapKind;

pub(in crate::formats) static DATABASE: Database = Database {
    what: "OpenCode's",
    agent: "opencode",
    marks: &[
        ("session", &["id", "directory", "time_created"]),
        ("message", &["session_id", "data"]),
        ("part", &["data"]),
    ],
    holds: Holds::Sessions { read, copied: Some(copied) },
    homes: &[
        Home { variables: &["OPENCODE_DATA_DIR"], base: Base::Data, folder: "opencode", logs: "opencode*.db" },
        // Programs that were made of it.
        Home { variables: &[], base: Base::Data, folder: "kilo", logs: "kilo*.db" },
        Home { variables: &[], base: Base::Data, folder: "mimocode", logs: "*.db" },
        Home { variables: &[], base: Base::Data, folder: "icodemate", logs: "*.db" },
    ],
};

const INFO: &[&str] = &["directory", "parent_id", "version", "permission", "revert", "fork_session_id"];

static SESSION: Child = Child { table: "session", key: "id", needed: &[], optional: INFO, order: &[] };
static SESSION_2: Child = Child { table: "session_v2", ..SESSION_LIKE };
const SESSION_LIKE: Child = Child { table: "session", key: "id", needed: &[], optional: INFO, order: &[] };
static MESSAGE: Child = Child {
    table: "message",
    key: "session_id",
    needed: &["id", "data"],
    optional: &["time_created"],
    order: &["time_created", "id"],
};
static PART: Child =
    Child { table: "part", key: "session_id", needed: &["id", "message_id", "data"], optional: &[], order: &["id"] };
static MESSAGE_2: Child = Child {
    table: "session_message",
    key: "session_id",
    needed: &["id", "type", "data"],
    optional: &["seq", "time_created"],
    order: &["seq", "time_created", "id"],
};

/// Places in the list of tables.
const OWN: usize = 0;
const MESSAGES: usize = 1;
const PARTS: usize = 2;
const OWN_2: usize = 3;
const MESSAGES_2: usize = 4;

fn read(tables: &Tables<'_>, output: &mut dyn Output) -> Result<(), GapKind> {
    let mut children = vec![&SESSION, &MESSAGE, &PART];
    // The second generation has tables of its own; for a while its messages belonged to sessions of the first one.
    let has_own = tables.has(SESSION_2.table, &[SESSION_2.key])?;
    if tables.has(MESSAGE_2.table, &[MESSAGE_2.key, "data"])? {
        children.extend([if has_own { &SESSION_2 } else { &SESSION }, &MESSAGE_2]);
    }
    let events = Events::of(tables)?;
    of_rows(tables, &children, output, &mut |mut rows| {
        let removed = events.as_ref().map(|events| events.removed(&rows.id, &parts_of(&rows), &mut rows.flaws));
        let removed = removed.unwrap_or_else(|| Ok(Calls::new())).unwrap_or_else(|kind| {
            rows.flaws.push(kind);
            Calls::new()
        });
        document(rows, removed)
    })
}

/// The ids of the parts that are there.
fn parts_of(rows: &Rows) -> BTreeSet<String> {
    rows.see(PARTS).iter().filter_map(|part| part.text("id")).map(str::to_owned).collect()
}

fn copied(tables: &Tables<'_>) -> Result<Vec<String>, GapKind> {
    let mut ids = Vec::new();
    // Files of a session name its messages and parts one by one: what was not taken over stays in sight.
    for (child, key) in [(&MESSAGE, "session_id"), (&MESSAGE, "id"), (&PART, "id")] {
        ids.extend(child.open(tables)?.by(key)?.rows.into_keys());
    }
    Ok(ids)
}

/// What was never said anything in holds nothing.
fn document(mut rows: Rows, removed: Calls) -> Option<Document> {
    if !rows.has_any([MESSAGES, PARTS, MESSAGES_2]) && removed.is_empty() {
        return None;
    }
    let own = if rows.has_any([OWN_2]) { rows.own(OWN_2) } else { rows.own(OWN) };
    let mut info = Object::new();
    info.text("id", &rows.id);
    if let Some(own) = &own {
        info.column("directory", own, "directory", &mut rows.flaws)
            .column("parentID", own, "parent_id", &mut rows.flaws)
            .column("version", own, "version", &mut rows.flaws)
            .json("permission", own, "permission", &mut rows.flaws)
            .json("revert", own, "revert", &mut rows.flaws);
    }
    let mut messages = List::default();
    let mut known = BTreeMap::new();
    for row in rows.of(MESSAGES_2) {
        known.extend(row.text("id").map(|id| (id.to_owned(), row.text("data").unwrap_or_default().to_owned())));
        if let Some(message) = stored::message(&row, &rows.id, &mut rows.flaws) {
            messages.push(&message);
        }
    }
    first_generation(&mut rows, &known, &mut messages);
    for (id, parts) in removed {
        let mut list = List::default();
        for part in parts.values() {
            list.push(part);
        }
        let info = Object::new().text("id", &id).text("sessionID", &rows.id).finish();
        messages.push(&Object::new().raw("info", &info).raw("parts", &list.finish()).finish());
    }
    let text = Object::new().raw("info", &info.finish()).raw("messages", &messages.finish()).finish();
    Some(rows.document(text))
}

/// Messages and their parts, but for those that the second generation took over.
fn first_generation(rows: &mut Rows, known: &BTreeMap<String, String>, messages: &mut List) {
    let mut parts: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for part in rows.of(PARTS) {
        match part.text("message_id") {
            Some(id) => parts.entry(id.to_owned()).or_default().push(part),
            None => rows.flaws.push(part.flaw("it names no message")),
        }
    }
    for message in rows.of(MESSAGES) {
        let id = message.text("id").unwrap_or_default().to_owned();
        let parts = parts.remove(&id).unwrap_or_default();
        if known.get(&id).is_some_and(|taken_over| has_calls_of(taken_over, &parts)) {
            continue;
        }
        let mut info = Object::new();
        info.column("id", &message, "id", &mut rows.flaws).text("sessionID", &rows.id).spread(
            &message,
            "data",
            &mut rows.flaws,
        );
        let parts = part_list(&parts, &id, rows);
        messages.push(&Object::new().raw("info", &info.finish()).raw("parts", &parts).finish());
    }
    parts.retain(|id, parts| !known.get(id).is_some_and(|taken_over| has_calls_of(taken_over, parts)));
    for (id, parts) in parts {
        rows.flaws.push(GapKind::missing("parts of a message whose own row is missing: it was deleted"));
        let info = Object::new().text("id", &id).text("sessionID", &rows.id).finish();
        let parts = part_list(&parts, &id, rows);
        messages.push(&Object::new().raw("info", &info).raw("parts", &parts).finish());
    }
}

fn part_list(parts: &[Row], message: &str, rows: &mut Rows) -> String {
    let mut list = List::default();
    for part in parts {
        let mut object = Object::new();
        object.column("id", part, "id", &mut rows.flaws).text("sessionID", &rows.id).text("messageID", message).spread(
            part,
            "data",
            &mut rows.flaws,
        );
        list.push(&object.finish());
    }
    list.finish()
}

/// Whether a message of the second generation has every call of these parts, by their ids.
fn has_calls_of(taken_over: &str, parts: &[Row]) -> bool {
    parts.iter().all(|part| {
        let data = part.text("data").and_then(parse::<Called<'_>>).unwrap_or_default();
        !is(data.kind, "tool") || filled(data.call).is_some_and(|call| taken_over.contains(&*call))
    })
}

record! {
    struct Called { kind = "type", call = "callID" }
}
