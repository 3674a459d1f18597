//! Ordinary tables of a database, row by row.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, Statement, params};

use super::Place;
use agent_strace_model::GapKind;

/// Rows of one table. Agents keep some hundred thousand.
const MAX_ROWS: usize = 10_000_000;
/// Ids are short.
const MAX_ID: usize = 1_000;

/// The tables of an open database.
#[derive(Debug)]
pub(crate) struct Tables<'c> {
    connection: &'c Connection,
    /// The file of the database, where it is one on disk.
    pub(crate) path: Option<&'c Path>,
}

/// An ordinary table: no view, no virtual table, no column that is computed.
#[derive(Debug)]
pub(crate) struct Table<'c> {
    connection: &'c Connection,
    pub(crate) name: &'static str,
    /// Those that are read and are there.
    columns: Vec<&'static str>,
}

/// The rows of a table by what one column holds.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    pub(crate) rows: BTreeMap<String, Vec<i64>>,
    /// Rows in which the column holds no id.
    pub(crate) strays: u64,
}

/// One row: the columns that are there and hold something.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) table: &'static str,
    pub(crate) id: i64,
    values: Vec<(&'static str, Value)>,
}

/// What a column holds. `SQLite` keeps any type in any column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
    /// A text that is not UTF-8.
    Broken,
}

/// Why `SQLite` could not read, without a word of the input.
pub(crate) fn failed(error: &rusqlite::Error) -> GapKind {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt) => {
            GapKind::unreadable("the SQLite database is damaged: what it holds from there on is not read")
        }
        Some(ErrorCode::NotADatabase) => GapKind::unreadable("an SQLite database that is encrypted or damaged"),
        Some(ErrorCode::OperationInterrupted) => {
            GapKind::limit("reading the SQLite database takes more steps than are allowed: the rest is not read")
        }
        Some(ErrorCode::TooBig) => GapKind::limit("a value of the SQLite database is larger than 64 MiB: not read"),
        Some(ErrorCode::OutOfMemory) => GapKind::limit("the SQLite database needs more memory than there is"),
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            GapKind::unreadable("the SQLite database can't be opened")
        }
        _ => GapKind::unreadable("an SQLite database that can't be read: its schema or its pages are damaged"),
    }
}

impl<'c> Tables<'c> {
    pub(crate) fn new(connection: &'c Connection, place: &Place<'c>) -> Self {
        let path = if let Place::File(path) = place { Some(*path) } else { None };
        Self { connection, path }
    }

    /// Whether there is a table with these columns. What is no ordinary table counts as none.
    pub(crate) fn has(&self, table: &str, columns: &[&str]) -> Result<bool, GapKind> {
        let there = self.columns(table)?;
        Ok(there.is_some_and(|there| {
            columns.iter().all(|column| there.iter().any(|name| name.eq_ignore_ascii_case(column)))
        }))
    }

    /// A table of which some columns are read; those in `needed` have to be there.
    pub(crate) fn table(
        &self,
        name: &'static str,
        needed: &[&'static str],
        optional: &[&'static str],
    ) -> Result<Table<'c>, GapKind> {
        let there = self.columns(name)?.ok_or_else(|| {
            GapKind::missing(format!("no table `{name}`, or it is a view: a version of the agent that is not known"))
        })?;
        // Names of columns and tables are the same in upper and lower case.
        let has = |column: &&'static str| there.iter().any(|name| name.eq_ignore_ascii_case(column));
        if let Some(missing) = needed.iter().find(|column| !has(column)) {
            return Err(GapKind::missing(format!(
                "the table `{name}` has no column `{missing}`: a version of the agent that is not known"
            )));
        }
        let columns = needed.iter().chain(optional).copied().filter(has).collect();
        Ok(Table { connection: self.connection, name, columns })
    }

    /// The columns of an ordinary table that has row ids of its own.
    fn columns(&self, table: &str) -> Result<Option<Vec<String>>, GapKind> {
        let failed = |error: rusqlite::Error| failed(&error);
        let mut found = self
            .connection
            .prepare("SELECT type, wr FROM pragma_table_list WHERE schema = 'main' AND name = ? COLLATE NOCASE")
            .map_err(failed)?;
        let mut rows = found.query(params![table]).map_err(failed)?;
        let Some(row) = rows.next().map_err(failed)? else { return Ok(None) };
        let (kind, without_ids): (String, bool) = (row.get(0).map_err(failed)?, row.get(1).map_err(failed)?);
        if kind != "table" || without_ids {
            return Ok(None);
        }
        let mut statement =
            self.connection.prepare("SELECT name, hidden FROM pragma_table_xinfo(?)").map_err(failed)?;
        let mut rows = statement.query(params![table]).map_err(failed)?;
        let mut columns = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            let (name, hidden): (String, i64) = (row.get(0).map_err(failed)?, row.get(1).map_err(failed)?);
            // A column of this name would hide the row ids; what a schema computes is no record of anything.
            if ["rowid", "oid", "_rowid_"].contains(&name.to_ascii_lowercase().as_str()) || hidden != 0 {
                return Ok(None);
            }
            columns.push(name);
        }
        Ok(Some(columns))
    }
}

impl Table<'_> {
    /// Whether this column is read.
    pub(crate) fn has(&self, column: &str) -> bool {
        self.columns.contains(&column)
    }

    /// All rows by what `column` holds, without an index.
    pub(crate) fn by(&self, column: &'static str) -> Result<Groups, GapKind> {
        let mut groups = Groups::default();
        let sql = format!("SELECT rowid, \"{column}\" FROM \"{}\" NOT INDEXED", self.name);
        let mut statement = self.connection.prepare(&sql).map_err(|error| failed(&error))?;
        let mut rows = statement.query([]).map_err(|error| failed(&error))?;
        let (mut count, mut last) = (0_usize, None);
        while let Some(row) = rows.next().map_err(|error| failed(&error))? {
            let id: i64 = row.get(0).map_err(|error| failed(&error))?;
            // Pages that lead to others twice repeat rows.
            if last.is_some_and(|last| id <= last) {
                return Err(GapKind::unreadable("the SQLite database is damaged: rows are not in order"));
            }
            last = Some(id);
            count += 1;
            if count > MAX_ROWS {
                return Err(GapKind::limit(format!("`{}` has more than {MAX_ROWS} rows: not read", self.name)));
            }
            match row.get_ref(1).map_err(|error| failed(&error))? {
                ValueRef::Text(bytes) if !bytes.is_empty() && bytes.len() <= MAX_ID => match std::str::from_utf8(bytes)
                {
                    Ok(key) => match groups.rows.get_mut(key) {
                        Some(rows) => rows.push(id),
                        None => drop(groups.rows.insert(key.to_owned(), vec![id])),
                    },
                    Err(_) => groups.strays += 1,
                },
                ValueRef::Integer(key) => groups.rows.entry(key.to_string()).or_default().push(id),
                _ => groups.strays += 1,
            }
        }
        Ok(groups)
    }

    /// The rows of these ids.
    pub(crate) fn rows(&self) -> Result<Reader<'_>, GapKind> {
        let columns: Vec<String> = self.columns.iter().map(|column| format!("\"{column}\"")).collect();
        let sql = format!("SELECT {} FROM \"{}\" NOT INDEXED WHERE rowid = ?", columns.join(", "), self.name);
        let statement = self.connection.prepare(&sql).map_err(|error| failed(&error))?;
        Ok(Reader { statement, name: self.name, columns: &self.columns })
    }
}

/// Reads rows of one table.
#[derive(Debug)]
pub(crate) struct Reader<'t> {
    statement: Statement<'t>,
    name: &'static str,
    columns: &'t [&'static str],
}

impl Reader<'_> {
    pub(crate) fn row(&mut self, id: i64) -> Result<Row, GapKind> {
        let mut rows = self.statement.query(params![id]).map_err(|error| failed(&error))?;
        let Some(row) = rows.next().map_err(|error| failed(&error))? else {
            return Err(GapKind::unreadable(format!("row {id} of `{}` can't be found again", self.name)));
        };
        let mut values = Vec::new();
        for (at, column) in self.columns.iter().enumerate() {
            let value = match row.get_ref(at).map_err(|error| failed(&error))? {
                ValueRef::Null => continue,
                ValueRef::Integer(value) => Value::Integer(value),
                ValueRef::Real(value) => Value::Real(value),
                ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
                    Ok(text) => Value::Text(text.to_owned()),
                    Err(_) => Value::Broken,
                },
                ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
            };
            values.push((*column, value));
        }
        Ok(Row { table: self.name, id, values })
    }
}

impl Row {
    pub(crate) fn get(&self, column: &str) -> Option<&Value> {
        self.values.iter().find(|(name, _)| *name == column).map(|(_, value)| value)
    }

    /// A text, also where it is kept as bytes.
    pub(crate) fn text(&self, column: &str) -> Option<&str> {
        match self.get(column)? {
            Value::Text(text) => Some(text),
            Value::Blob(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    /// Bytes, also where they are kept as a text.
    pub(crate) fn bytes(&self, column: &str) -> Option<&[u8]> {
        match self.get(column)? {
            Value::Text(text) => Some(text.as_bytes()),
            Value::Blob(bytes) => Some(bytes),
            _ => None,
        }
    }

    pub(crate) fn number(&self, column: &str) -> Option<f64> {
        match self.get(column)? {
            #[expect(clippy::cast_precision_loss, reason = "counts and times are far below the limit")]
            Value::Integer(value) => Some(*value as f64),
            Value::Real(value) => Some(*value),
            _ => None,
        }
    }

    /// About how many bytes it takes.
    pub(crate) fn size(&self) -> usize {
        self.values.iter().fold(16, |size, (_, value)| {
            size + match value {
                Value::Text(text) => text.len(),
                Value::Blob(bytes) => bytes.len(),
                _ => 8,
            }
        })
    }

    /// What is said of a row that can't be read.
    pub(crate) fn flaw(&self, what: &str) -> GapKind {
        GapKind::malformed(format!("row {} of `{}`: {what}", self.id, self.table))
    }
}
