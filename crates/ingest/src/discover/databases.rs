//! Databases among the files that were found: where their bytes lie, and a log for each of their sessions.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::Sink;
use super::arrange::Listed;
use super::load::read_bounded;
use super::origin::Origin;
use super::packed::{Room, Store};
use crate::Log;
use crate::database::{Document, Output, Place, WAL_HEADER};
use crate::unended::ReadFrom;
use agent_strace_model::{Gap, GapKind};

/// Where the bytes of a database lie: `SQLite` reads a file itself.
pub(super) enum DatabasePlace {
    File(PathBuf),
    Memory(Arc<Vec<u8>>),
}

impl DatabasePlace {
    pub(super) fn of(origin: &Origin, store: Store) -> Result<Self, GapKind> {
        Ok(match (origin, store) {
            (Origin::File { path, .. }, _) => Self::File(path.clone()),
            (_, Store::Memory(bytes)) => Self::Memory(bytes),
            (_, store) => Self::Memory(Arc::new(read_bounded(store.from(0), store.length())?)),
        })
    }

    pub(super) fn borrow(&self) -> Place<'_> {
        match self {
            Self::File(path) => Place::File(path),
            Self::Memory(bytes) => Place::Memory(bytes),
        }
    }
}

impl Origin {
    /// The place of a file that is a database.
    pub(super) fn database(&self, room: &mut Room<'_>) -> Result<DatabasePlace, GapKind> {
        let (store, _) = self.store(room)?;
        DatabasePlace::of(self, store)
    }
}

/// The databases of a folder whose log of changes `SQLite` can't join with them, because they are no files on disk.
pub(super) fn behind(files: &[Listed]) -> BTreeSet<String> {
    let has_changes = |file: &&Listed| file.size > WAL_HEADER && !matches!(file.origin, Ok(Origin::File { .. }));
    let changes = files.iter().filter(has_changes).filter_map(|file| file.name().strip_suffix("-wal"));
    changes.map(str::to_owned).collect()
}

/// What is missing of a database that is one of those.
pub(super) fn unread(name: &str, behind: &BTreeSet<String>) -> Vec<GapKind> {
    let missing = GapKind::missing("the changes in its `-wal` are not read: the database is no file on disk");
    behind.contains(name).then_some(missing).into_iter().collect()
}

/// Makes each session of a database a log of its own, named after the database as members are after their archive.
pub(super) struct Sessions<'s> {
    shown: &'s str,
    committed: bool,
    read_from: ReadFrom,
    names: BTreeSet<String>,
    sink: &'s mut dyn Sink,
}

impl<'s> Sessions<'s> {
    pub(super) fn new(shown: &'s str, committed: bool, read_from: ReadFrom, sink: &'s mut dyn Sink) -> Self {
        Self { shown, committed, read_from, names: BTreeSet::new(), sink }
    }

    /// The id, if it is plain and no other session is called so, else a number.
    fn name(&mut self, id: &str) -> String {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'$' | b':');
        let is_plain = id.len() <= 200 && !id.starts_with('.') && !id.is_empty() && id.bytes().all(plain);
        let number = self.names.len() + 1;
        let name = if is_plain && !self.names.contains(id) { id.to_owned() } else { format!("session {number}") };
        self.names.insert(name.clone());
        name
    }
}

impl Output for Sessions<'_> {
    fn document(&mut self, document: Document) {
        let Document { id, text, flaws, project } = document;
        self.sink.more(text.len() as u64);
        let name = self.name(&id);
        let mut log = Log::new(format!("{}/{name}", self.shown), text.into_bytes());
        log.flaws = flaws;
        log.project = project;
        log.committed = self.committed;
        log.read_from = self.read_from;
        self.sink.log(log);
    }

    fn gap(&mut self, kind: GapKind) {
        self.sink.gap(Gap::of_file(self.shown.to_owned(), kind));
    }
}
