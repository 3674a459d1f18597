//! The record of events: it keeps the calls of messages that were taken back or deleted later. They ran.

use std::collections::{BTreeMap, BTreeSet};

use crate::database::{Child, Table, Tables, room};
use crate::json::{Raw, filled, is, object, parse, record};
use agent_strace_model::GapKind;

static EVENT: Child =
    Child { table: "event", key: "aggregate_id", needed: &["type", "data"], optional: &["seq"], order: &["seq"] };

/// Events that tell of a part of a message.
const PART: &str = "message.part.updated";

record! {
    struct Told { part = "part" }
}

record! {
    struct Part { kind = "type", id = "id", message = "messageID" }
}

/// The events of a database, by session.
pub(super) struct Events<'t> {
    table: Table<'t>,
    rows: BTreeMap<String, Vec<i64>>,
}

/// Calls by the ids of their messages and parts, as JSON.
pub(super) type Calls = BTreeMap<String, BTreeMap<String, String>>;

impl<'t> Events<'t> {
    /// `None`: older versions kept none.
    pub(super) fn of(tables: &Tables<'t>) -> Result<Option<Self>, GapKind> {
        if !tables.has(EVENT.table, &[EVENT.key, "type", "data"])? {
            return Ok(None);
        }
        let table = EVENT.open(tables)?;
        let rows = table.by(EVENT.key)?.rows;
        Ok(Some(Self { table, rows }))
    }

    /// The calls of a session that are in none of these parts, as the last event about each has them.
    pub(super) fn removed(
        &self,
        session: &str,
        parts: &BTreeSet<String>,
        flaws: &mut Vec<GapKind>,
    ) -> Result<Calls, GapKind> {
        let mut calls = Calls::new();
        let mut left = room();
        for row in self.rows.get(session).map(Vec::as_slice).unwrap_or_default() {
            // Each word that an answer grew by is an event: only one of them is kept in memory.
            let rows = EVENT.rows(&self.table, &[*row], &mut room(), flaws)?;
            let Some(row) = rows.first().filter(|row| row.text("type").is_some_and(|kind| kind.starts_with(PART)))
            else {
                continue;
            };
            let Some(told) = row.text("data").and_then(parse::<Told<'_>>) else {
                flaws.push(row.flaw("its `data` is no object"));
                continue;
            };
            let part = object::<Part<'_>>(told.part).unwrap_or_default();
            let Some((id, message)) = filled(part.id).zip(filled(part.message)).filter(|_| is(part.kind, "tool"))
            else {
                continue;
            };
            if parts.contains(&*id) {
                continue;
            }
            let json = told.part.map_or("", Raw::get);
            let Some(rest) = left.checked_sub(json.len()) else {
                flaws.push(GapKind::limit("more calls were removed from the session than are read"));
                break;
            };
            left = rest;
            calls.entry(message.into_owned()).or_default().insert(id.into_owned(), json.to_owned());
        }
        Ok(calls)
    }
}
