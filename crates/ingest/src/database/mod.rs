//! `SQLite` databases in which agents keep sessions: told apart by their tables, read by `SQLite` itself, never written.
//!
//! The rows of one session are joined into the document that the agent's own export has, and become a log of its own.
//! Each format says which database is its own and how rows become documents: see `formats::DATABASES`.
//!
//! A database is input like any other: nothing in its schema is trusted. Only ordinary tables are read, row by row and
//! without an index, which could leave rows out.

mod document;
mod join;
mod open;
mod table;

use std::path::Path;

pub(crate) use document::{Document, List, Object, json, quoted};
pub(crate) use join::{Child, Rows, of_rows, one_each, room};
pub(crate) use open::{Opened, Place, WAL_HEADER, latest_change};
pub(crate) use table::{Row, Table, Tables};

use crate::formats::{DATABASES, Home};
use agent_strace_model::GapKind;

/// The first bytes of an `SQLite` database.
pub(crate) const MAGIC: &[u8] = b"SQLite format 3\0";

/// The database of one agent.
#[derive(Debug)]
pub(crate) struct Database {
    /// Whose it is: `OpenCode's`.
    pub(crate) what: &'static str,
    pub(crate) agent: &'static str,
    /// Tables with these columns: all of them are there, and no other known database has them all.
    pub(crate) marks: &'static [Mark],
    pub(crate) holds: Holds,
    pub(crate) homes: &'static [Home],
}

/// A table and columns of it.
pub(crate) type Mark = (&'static str, &'static [&'static str]);

/// Ids in a database.
pub(crate) type Ids = fn(&Tables<'_>) -> Result<Vec<String>, GapKind>;

/// The content that a database offers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Holds {
    Sessions {
        read: fn(&Tables<'_>, &mut dyn Output) -> Result<(), GapKind>,
        /// Ids of sessions and messages of which copies may lie in files beside it.
        copied: Option<Ids>,
    },
    /// No session: the text says what it is.
    Nothing(&'static str),
    /// Sessions that can't be read; the text says why. The log of the same session that is read instead, if it is there.
    Unread(&'static str, fn(&Path) -> Option<std::path::PathBuf>),
}

/// Takes what a database holds, one session after the other.
pub(crate) trait Output {
    fn document(&mut self, document: Document);
    /// Something of the database could not be read.
    fn gap(&mut self, kind: GapKind);
}

/// Returns true for the first bytes of an `SQLite` database.
pub(crate) fn begins(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// Whether a file is named like a database.
pub(crate) fn is_named_so(name: &str) -> bool {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["db", "sqlite", "sqlite3", "vscdb"].contains(&extension))
}

/// Whose database it is; `None` where it is of no known agent.
pub(crate) fn recognise(tables: &Tables<'_>) -> Result<Option<&'static Database>, GapKind> {
    let mut known: Option<&'static Database> = None;
    for database in DATABASES {
        let mut all = true;
        for (table, columns) in database.marks {
            all = all && tables.has(table, columns)?;
        }
        match known {
            Some(known) if all && known.agent != database.agent => {
                let both = format!("a database with the tables of two agents ({} and {})", known.what, database.what);
                return Err(GapKind::Contradiction(format!("{both}: not read").into()));
            }
            None if all => known = Some(database),
            _ => {}
        }
    }
    Ok(known)
}

/// What is said of a database that is of no known agent.
pub(crate) fn unknown() -> String {
    let mut known: Vec<&str> = DATABASES.iter().map(|database| database.what).collect();
    known.dedup();
    format!("not a log of a known agent: an SQLite database that is none of these: {}", known.join(", "))
}

/// Whether a file of a folder is read: it is the database of a known agent, or can't be looked into.
pub(crate) fn is_wanted(place: &Place<'_>) -> bool {
    let looked = place.look().and_then(|opened| {
        let tables = Tables::new(&opened.connection, place);
        let known = recognise(&tables)?;
        // The tables of a new database may be in its log of changes alone.
        Ok(known.map_or(opened.is_behind(), |known| !matches!(known.holds, Holds::Nothing(_))))
    });
    looked.unwrap_or(true)
}

/// Ids of which copies may lie in files beside a database.
pub(crate) fn copied(place: &Place<'_>) -> Vec<String> {
    let ids = place.open().and_then(|opened| {
        let tables = Tables::new(&opened.connection, place);
        match recognise(&tables)?.map(|database| database.holds) {
            Some(Holds::Sessions { copied: Some(copied), .. }) => copied(&tables),
            _ => Ok(Vec::new()),
        }
    });
    // What can't be read hides nothing beside it, and is a gap when it is read.
    ids.unwrap_or_default()
}

/// Reads every session of a database. Whatever can't be read is a gap.
pub(crate) fn read(place: &Place<'_>, output: &mut dyn Output) {
    let mut opened = match place.open() {
        Ok(opened) => opened,
        Err(kind) => return output.gap(kind),
    };
    for flaw in std::mem::take(&mut opened.flaws) {
        output.gap(flaw);
    }
    if let Err(kind) = read_opened(&opened, place, output) {
        output.gap(kind);
    }
    if opened.has_changed() {
        output.gap(GapKind::Contradiction(
            "the database changed while it was read: start once more when nothing writes it".into(),
        ));
    }
}

fn read_opened(opened: &Opened, place: &Place<'_>, output: &mut dyn Output) -> Result<(), GapKind> {
    let tables = Tables::new(&opened.connection, place);
    match recognise(&tables)?.map(|database| database.holds) {
        None => Err(GapKind::UnknownFormat(unknown().into())),
        Some(Holds::Nothing(what)) => Err(GapKind::NoSession(what.into())),
        Some(Holds::Unread(why, instead)) => match place {
            Place::File(path) if instead(path).is_some_and(|instead| holds_something(&instead)) => Ok(()),
            _ => Err(GapKind::NotRecorded(why.into())),
        },
        Some(Holds::Sessions { read, .. }) => read(&tables, output),
    }
}

fn holds_something(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.len() > 0)
}
