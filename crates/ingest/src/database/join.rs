//! Joins the rows of a session: a table of sessions, and tables whose rows name their session.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::table::{Groups, Row, Table, Tables, Value};
use super::{Document, Output};
use crate::gaps::MAX_GAPS;
use agent_strace_model::GapKind;

/// All rows of one session together.
const MAX_SESSION: usize = 512 << 20;

/// The most bytes that the rows of one session may take.
pub(crate) fn room() -> usize {
    MAX_SESSION
}

/// A table, and the column that names the session.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) table: &'static str,
    pub(crate) key: &'static str,
    pub(crate) needed: &'static [&'static str],
    pub(crate) optional: &'static [&'static str],
    /// Columns that say in which order rows were written.
    pub(crate) order: &'static [&'static str],
}

/// The rows of one session.
#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) id: String,
    /// In the order in which the tables are listed.
    tables: Vec<Vec<Row>>,
    pub(crate) flaws: Vec<GapKind>,
}

impl Rows {
    /// Takes the rows of the table at this place of the list.
    pub(crate) fn of(&mut self, at: usize) -> Vec<Row> {
        self.tables.get_mut(at).map(std::mem::take).unwrap_or_default()
    }

    /// The rows of the table at this place of the list.
    pub(crate) fn see(&self, at: usize) -> &[Row] {
        self.tables.get(at).map(Vec::as_slice).unwrap_or_default()
    }

    /// Takes the session's own row from the table at this place. A missing or a second row is a flaw.
    pub(crate) fn own(&mut self, at: usize) -> Option<Row> {
        let rows = self.of(at);
        match rows.len() {
            0 => self.flaws.push(GapKind::missing("the session's own row is missing: it was deleted")),
            1 => {}
            _ => self.flaws.push(GapKind::Contradiction("the session is there twice: the first row is taken".into())),
        }
        rows.into_iter().next()
    }

    /// Returns true if one of the tables at these places has rows of the session.
    pub(crate) fn has_any(&self, at: impl IntoIterator<Item = usize>) -> bool {
        at.into_iter().any(|at| self.tables.get(at).is_some_and(|rows| !rows.is_empty()))
    }

    /// A document of this session.
    pub(crate) fn document(&mut self, text: String) -> Document {
        Document { id: self.id.clone(), text, flaws: std::mem::take(&mut self.flaws), project: None }
    }
}

/// Hands the rows of each session to `write`, in the order of their ids. A session that only one table has is one all the
/// same.
pub(crate) fn of_rows(
    tables: &Tables<'_>,
    children: &[&Child],
    output: &mut dyn Output,
    write: &mut dyn FnMut(Rows) -> Option<Document>,
) -> Result<(), GapKind> {
    let mut opened = Vec::new();
    let mut index: BTreeMap<String, Vec<Vec<i64>>> = BTreeMap::new();
    for (at, child) in children.iter().enumerate() {
        let table = child.open(tables)?;
        for (id, rows) in groups(child, &table, output)?.rows {
            let of = index.entry(id).or_insert_with(|| vec![Vec::new(); children.len()]);
            if let Some(of) = of.get_mut(at) {
                *of = rows;
            }
        }
        opened.push((*child, table));
    }
    for (id, ids) in index {
        let mut rows = Rows { id, tables: Vec::new(), flaws: Vec::new() };
        let mut room = room();
        for ((child, table), ids) in opened.iter().zip(&ids) {
            let found = child.rows(table, ids, &mut room, &mut rows.flaws)?;
            rows.tables.push(found);
        }
        if let Some(document) = write(rows) {
            output.document(document);
        }
    }
    Ok(())
}

/// Hands each row of a table to `write`: the row is a session.
pub(crate) fn one_each(
    tables: &Tables<'_>,
    child: &Child,
    output: &mut dyn Output,
    write: impl Fn(&str, &Row, &mut Vec<GapKind>) -> Option<Document>,
) -> Result<(), GapKind> {
    let table = child.open(tables)?;
    for (id, rows) in groups(child, &table, output)?.rows {
        let mut flaws = Vec::new();
        for row in child.rows(&table, &rows, &mut room(), &mut flaws)? {
            let document = write(&id, &row, &mut flaws);
            if let Some(mut document) = document {
                document.flaws.append(&mut flaws);
                output.document(document);
            }
        }
        for flaw in flaws {
            output.gap(flaw);
        }
    }
    Ok(())
}

fn groups(child: &Child, table: &Table<'_>, output: &mut dyn Output) -> Result<Groups, GapKind> {
    let groups = table.by(child.key)?;
    if groups.strays > 0 {
        let strays = groups.strays;
        output.gap(GapKind::malformed(format!("{strays} rows of `{}` name no session", child.table)));
    }
    Ok(groups)
}

impl Child {
    pub(crate) fn open<'c>(&self, tables: &Tables<'c>) -> Result<Table<'c>, GapKind> {
        let mut needed = vec![self.key];
        needed.extend(self.needed);
        tables.table(self.table, &needed, self.optional)
    }

    /// Rows in the order in which they were written. What is too large together is left out.
    pub(crate) fn rows(
        &self,
        table: &Table<'_>,
        ids: &[i64],
        room: &mut usize,
        flaws: &mut Vec<GapKind>,
    ) -> Result<Vec<Row>, GapKind> {
        let mut reader = table.rows()?;
        let mut rows = Vec::new();
        for id in ids {
            let row = match reader.row(*id) {
                Ok(row) => row,
                Err(kind) if flaws.len() < MAX_GAPS => {
                    flaws.push(kind);
                    continue;
                }
                // As many are enough: the session is not read further.
                Err(_) => break,
            };
            let Some(left) = room.checked_sub(row.size()) else {
                flaws.push(GapKind::limit(format!("larger than {} MiB: the rest is not read", MAX_SESSION >> 20)));
                break;
            };
            *room = left;
            rows.push(row);
        }
        rows.sort_by(|left, right| {
            let order = |order: Ordering, column: &&str| order.then_with(|| compare(left, right, column));
            self.order.iter().fold(Ordering::Equal, order).then(left.id.cmp(&right.id))
        });
        Ok(rows)
    }
}

fn compare(left: &Row, right: &Row, column: &str) -> Ordering {
    match (left.get(column), right.get(column)) {
        (Some(Value::Text(left)), Some(Value::Text(right))) => left.cmp(right),
        _ => match (left.number(column), right.number(column)) {
            (Some(left), Some(right)) => left.total_cmp(&right),
            (left, right) => left.is_some().cmp(&right.is_some()),
        },
    }
}
