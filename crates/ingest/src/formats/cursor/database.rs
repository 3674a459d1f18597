//! Cursor's databases: what the editor keeps of its chats, and the store of a session of its command line.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::workspaces;
use crate::database::{Child, Database, Document, Holds, List, Object, Output, Row, Tables, json, room};
use crate::formats::{Base, Home};
use crate::json::{elements, filled, parse, record, scalar};
use agent_strace_model::GapKind;

/// Keys and values of the editor. Its other table holds tokens of accounts, and is not read.
pub(in crate::formats) static DATABASE: Database = Database {
    what: "Cursor's",
    agent: "cursor",
    marks: &[("cursorDiskKV", &["key", "value"])],
    holds: Holds::Sessions { read, copied: None },
    homes: &[Home { variables: &[], base: Base::Config, folder: "Cursor/User", logs: "globalStorage/state.vscdb" }],
};

/// A session of the command line.
pub(in crate::formats) static STORE: Database = Database {
    what: "Cursor's",
    agent: "cursor",
    marks: &[("blobs", &["id", "data"]), ("meta", &["key", "value"])],
    holds: Holds::Sessions { read: read_store, copied: None },
    homes: &[Home { variables: &[], base: Base::Home, folder: ".cursor", logs: "chats/*/*/store.db" }],
};

static PAIRS: Child = Child { table: "cursorDiskKV", key: "key", needed: &["value"], optional: &[], order: &[] };
static META: Child = Child { table: "meta", key: "key", needed: &["value"], optional: &[], order: &[] };
static BLOBS: Child = Child { table: "blobs", key: "id", needed: &["data"], optional: &[], order: &[] };

record! {
    struct Composer { headers = "fullConversationHeadersOnly" }
}

record! {
    struct Header { bubble = "bubbleId" }
}

record! {
    struct Meta { id = "agentId", name = "name", created = "createdAt", model = "lastUsedModel", root = "latestRootBlobId" }
}

/// The rows of one chat.
#[derive(Default)]
struct Chat {
    own: Vec<i64>,
    bubbles: BTreeMap<String, Vec<i64>>,
}

fn read(tables: &Tables<'_>, output: &mut dyn Output) -> Result<(), GapKind> {
    let table = PAIRS.open(tables)?;
    let mut chats: BTreeMap<String, Chat> = BTreeMap::new();
    for (key, rows) in table.by(PAIRS.key)?.rows {
        if let Some(id) = key.strip_prefix("composerData:") {
            chats.entry(id.to_owned()).or_default().own.extend(rows);
        } else if let Some((id, bubble)) = key.strip_prefix("bubbleId:").and_then(|rest| rest.split_once(':')) {
            chats.entry(id.to_owned()).or_default().bubbles.entry(bubble.to_owned()).or_default().extend(rows);
        }
    }
    let mut directories = workspaces::directories(tables.path);
    for (id, chat) in chats {
        let mut flaws = Vec::new();
        let mut room = room();
        let own = PAIRS.rows(&table, &chat.own, &mut room, &mut flaws)?;
        let mut bubbles = Vec::new();
        for (bubble, rows) in chat.bubbles {
            for row in PAIRS.rows(&table, &rows, &mut room, &mut flaws)? {
                bubbles.push((bubble.clone(), row));
            }
        }
        let project = directories.remove(&id);
        if let Some(document) = document(id, own.first(), bubbles, flaws) {
            output.document(Document { project, ..document });
        }
    }
    Ok(())
}

/// A chat in which nothing was said holds nothing.
fn document(
    id: String,
    own: Option<&Row>,
    mut bubbles: Vec<(String, Row)>,
    mut flaws: Vec<GapKind>,
) -> Option<Document> {
    let composer = own.filter(|own| own.get("value").is_some()).and_then(|own| json(own, "value", &mut flaws));
    let headers = composer.and_then(parse::<Composer<'_>>).and_then(|composer| composer.headers);
    let order = |raw| filled(crate::json::object::<Header<'_>>(Some(raw))?.bubble);
    let order: BTreeMap<String, usize> = elements(headers)
        .into_iter()
        .filter_map(order)
        .zip(0..)
        .map(|(bubble, at)| (bubble.into_owned(), at))
        .collect();
    let there: BTreeSet<&String> = bubbles.iter().map(|(bubble, _)| bubble).collect();
    let lost = order.keys().filter(|id| !there.contains(id)).count();
    if lost > 0 {
        flaws.push(GapKind::missing(format!("messages of the chat are missing ({lost}): they were deleted")));
    }
    let is_empty = bubbles.is_empty() && !composer.is_some_and(|composer| composer.contains("\"bubbleId\""));
    if is_empty && flaws.is_empty() {
        return None;
    }
    // What the chat does not list any more was taken back, and it ran.
    bubbles.sort_by_key(|(bubble, row)| (order.get(bubble).copied().unwrap_or(usize::MAX), row.id));
    let mut object = Object::new();
    object.text("cursor_chat", &id);
    if let Some(composer) = composer {
        object.raw("composer", composer);
    }
    let mut list = List::default();
    for (_, row) in &bubbles {
        if let Some(bubble) = json(row, "value", &mut flaws) {
            list.push(bubble);
        }
    }
    let text = object.raw("bubbles", &list.finish()).finish();
    Some(Document { id, text, flaws, project: None })
}

fn read_store(tables: &Tables<'_>, output: &mut dyn Output) -> Result<(), GapKind> {
    let mut flaws = Vec::new();
    let about = about(tables, &mut flaws)?;
    let meta = parse::<Meta<'_>>(&about).unwrap_or_default();
    let (count, list) = messages(tables, filled(meta.root).as_deref(), &mut flaws)?;
    if count == 0 && flaws.is_empty() {
        return Ok(());
    }
    let id = filled(meta.id).map_or_else(|| "session".to_owned(), Cow::into_owned);
    let mut object = Object::new();
    object.text("cursor_cli_session", &id);
    if let Some(created) = scalar(meta.created) {
        object.text("created", &created);
    }
    if let Some(model) = filled(meta.model) {
        object.text("model", &model);
    }
    let text = object.raw("messages", &list.finish()).finish();
    output.document(Document { id, text, flaws, project: None });
    Ok(())
}

/// What the store says about its session: an object, which is written as the digits of its bytes.
fn about(tables: &Tables<'_>, flaws: &mut Vec<GapKind>) -> Result<String, GapKind> {
    let meta = META.open(tables)?;
    let rows: Vec<i64> = meta.by(META.key)?.rows.into_values().flatten().collect();
    let rows = META.rows(&meta, &rows, &mut room(), flaws)?;
    let about = rows.iter().find_map(|row| {
        let text = row.text("value")?;
        let bytes = if text.starts_with('{') { text.as_bytes().to_vec() } else { hex(text)? };
        String::from_utf8(bytes).ok().filter(|text| parse::<Meta<'_>>(text).is_some_and(|meta| meta.id.is_some()))
    });
    Ok(about.unwrap_or_else(|| {
        flaws.push(GapKind::missing("the store does not say which session it holds"));
        "{}".to_owned()
    }))
}

/// All messages of a store: first those that its root lists, in this order, then what was taken back.
fn messages(tables: &Tables<'_>, root: Option<&str>, flaws: &mut Vec<GapKind>) -> Result<(usize, List), GapKind> {
    let blobs = BLOBS.open(tables)?;
    let groups = blobs.by(BLOBS.key)?.rows;
    let names: BTreeMap<i64, &String> =
        groups.iter().flat_map(|(name, rows)| rows.iter().map(move |row| (*row, name))).collect();
    let ids: Vec<i64> = names.keys().copied().collect();
    let rows = BLOBS.rows(&blobs, &ids, &mut room(), flaws)?;
    let listed = rows.iter().find(|row| names.get(&row.id).is_some_and(|name| Some(name.as_str()) == root));
    let order = listed.and_then(|row| row.bytes("data")).map(children).unwrap_or_default();
    let lost = order.iter().filter(|child| !groups.contains_key(*child)).count();
    if lost > 0 {
        flaws.push(GapKind::missing(format!("{lost} messages of the session are missing: they were deleted")));
    }
    let order: BTreeMap<&String, usize> = order.iter().zip(0..).collect();
    let is_message = |row: &&Row| row.bytes("data").is_some_and(|data| data.trim_ascii_start().starts_with(b"{"));
    let mut messages: Vec<&Row> = rows.iter().filter(is_message).collect();
    messages.sort_by_key(|row| {
        let at = names.get(&row.id).and_then(|name| order.get(*name));
        (at.copied().unwrap_or(usize::MAX), row.id)
    });
    let mut list = List::default();
    for row in &messages {
        if let Some(message) = json(row, "data", flaws) {
            list.push(message);
        }
    }
    Ok((messages.len(), list))
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pair = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    };
    text.as_bytes().chunks(2).map(pair).collect()
}

fn digits(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The ids that the encoded root lists: fields of 32 bytes.
fn children(root: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = root;
    while let [tag, length, after @ ..] = rest {
        // A field of bytes (wire type 2) that is as long as a digest.
        match (tag & 7, after.get(..32)) {
            (2, Some(digest)) if *length == 32 => {
                found.push(digits(digest));
                rest = after.get(32..).unwrap_or_default();
            }
            (2, _) if *length < 128 => rest = after.get(usize::from(*length)..).unwrap_or_default(),
            _ => break,
        }
    }
    found
}
