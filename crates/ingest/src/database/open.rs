//! Opens a database so that nothing in it, and nothing beside it, can do more than be read.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use super::table::failed;
use crate::discover::{MAX_FILE, unreadable};
use agent_strace_model::GapKind;

/// A longer text or value is not read: no real one comes near.
pub(crate) const MAX_VALUE: i32 = 64 << 20;
/// Steps of `SQLite`'s machine between two looks at the account, and how often it is looked at.
const STEPS: i32 = 1_000_000;
const MAX_LOOKS: u32 = 4_000;
/// The header of a log of changes: what is not longer holds no change.
pub(crate) const WAL_HEADER: u64 = 32;
const JOURNAL_MAGIC: &[u8] = &[0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
/// A database that is written without a pause can't be copied as a whole.
const TRIES: u32 = 5;

/// Where a database lies.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place<'p> {
    /// All links resolved.
    File(&'p Path),
    Memory(&'p [u8]),
}

/// A database that can be read.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) connection: Connection,
    /// What can't be read of it.
    pub(crate) flaws: Vec<GapKind>,
    /// The files it was read from, and how they were.
    before: Option<(PathBuf, Files)>,
    /// Removed when the connection is closed.
    _copy: Option<TempDir>,
}

impl Place<'_> {
    /// With all changes that the agent committed.
    pub(crate) fn open(&self) -> Result<Opened, GapKind> {
        let Self::File(path) = self else { return self.look() };
        let files = Files::of(path)?;
        if !files.wal.has_changes() {
            return self.look();
        }
        let copy = copy(path)?;
        let name = copy.path().join("copy.db");
        let mut connection = Connection::open_with_flags(&name, OpenFlags::SQLITE_OPEN_READ_WRITE | ALWAYS)
            .map_err(|error| failed(&error))?;
        guard(&mut connection)?;
        Ok(Opened { connection, flaws: files.flaws(path), before: None, _copy: Some(copy) })
    }

    /// As its own file has it, without the log of changes.
    pub(crate) fn look(&self) -> Result<Opened, GapKind> {
        match self {
            Self::File(path) => {
                let files = Files::of(path)?;
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | ALWAYS;
                let mut connection =
                    Connection::open_with_flags(immutable(path)?, flags).map_err(|error| failed(&error))?;
                guard(&mut connection)?;
                let flaws = files.flaws(path);
                Ok(Opened { connection, flaws, before: Some((path.to_path_buf(), files)), _copy: None })
            }
            Self::Memory(bytes) => {
                let mut connection = Connection::open_in_memory().map_err(|error| failed(&error))?;
                connection
                    .deserialize_read_exact("main", without_wal(bytes), bytes.len(), true)
                    .map_err(|error| failed(&error))?;
                guard(&mut connection)?;
                Ok(Opened { connection, flaws: Vec::new(), before: None, _copy: None })
            }
        }
    }
}

impl Opened {
    /// Whether a log of changes holds what the database itself lacks.
    pub(crate) fn is_behind(&self) -> bool {
        self.before.as_ref().is_some_and(|(_, files)| files.wal.has_changes())
    }

    /// Whether its files are not any more what they were when it was opened.
    pub(crate) fn has_changed(&self) -> bool {
        self.before.as_ref().is_some_and(|(path, before)| Files::of(path).ok().as_ref() != Some(before))
    }
}

/// When something was last written to a database or to its log of changes.
pub(crate) fn latest_change(path: &Path) -> Option<SystemTime> {
    let files = Files::of(path).ok()?;
    files.database.changed.max(files.wal.changed)
}

/// No lock and no log of changes is touched; a link is none of the agent's.
const ALWAYS: OpenFlags =
    OpenFlags::SQLITE_OPEN_NO_MUTEX.union(OpenFlags::SQLITE_OPEN_PRIVATE_CACHE).union(OpenFlags::SQLITE_OPEN_NOFOLLOW);

/// The address under which `SQLite` reads a file without locks and writes nothing beside it.
fn immutable(path: &Path) -> Result<String, GapKind> {
    let Some(path) = path.to_str() else {
        return Err(GapKind::unreadable("a database whose path is not UTF-8: not read"));
    };
    let plain = path.strip_prefix(r"\\?\").unwrap_or(path);
    let plain = if cfg!(windows) { format!("/{}", plain.replace('\\', "/")) } else { plain.to_owned() };
    let escaped = plain.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Ok(format!("file://{escaped}?mode=ro&immutable=1"))
}

/// Nothing that a schema or a damaged page says may write, run code, or take more than its share.
fn guard(connection: &mut Connection) -> Result<(), GapKind> {
    let settings = [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
    ];
    let limits = [
        (Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE),
        (Limit::SQLITE_LIMIT_COLUMN, 200),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 10),
        (Limit::SQLITE_LIMIT_VDBE_OP, 100_000),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100),
        (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 10),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ];
    let mut looks = 0;
    let over = move || {
        looks += 1;
        looks > MAX_LOOKS
    };
    connection.progress_handler(STEPS, Some(over)).map_err(|error| failed(&error))?;
    for (setting, value) in settings {
        connection.set_db_config(setting, value).map_err(|error| failed(&error))?;
    }
    for (limit, value) in limits {
        connection.set_limit(limit, value).map_err(|error| failed(&error))?;
    }
    for (pragma, value) in [("query_only", 1), ("cell_size_check", 1), ("mmap_size", 0)] {
        connection.pragma_update(None, pragma, value).map_err(|error| failed(&error))?;
    }
    Ok(())
}

/// The bytes, marked as those of a database without a log of changes: there is none in memory.
fn without_wal(bytes: &[u8]) -> impl Read {
    let mut head: Vec<u8> = bytes.iter().copied().take(100).collect();
    for version in head.iter_mut().skip(18).take(2) {
        *version = (*version).min(1);
    }
    io::Cursor::new(head).chain(bytes.get(100..).unwrap_or_default())
}

/// How the files of a database are at one moment.
#[derive(Debug, PartialEq, Eq)]
struct Files {
    database: Stamp,
    wal: Stamp,
    journal: Stamp,
}

/// How one file is at one moment.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    changed: Option<SystemTime>,
    /// It is there and no regular file.
    is_other: bool,
}

impl Files {
    fn of(path: &Path) -> Result<Self, GapKind> {
        let database = path.symlink_metadata().map_err(|error| unreadable(&error))?;
        if !database.is_file() {
            return Err(GapKind::unreadable("not a regular file"));
        }
        let (wal, journal) = (Stamp::beside(path, "-wal")?, Stamp::beside(path, "-journal")?);
        Ok(Self { database: Stamp::of(&database), wal, journal })
    }

    /// What can't be read because of what lies beside the database.
    fn flaws(&self, path: &Path) -> Vec<GapKind> {
        let mut flaws = Vec::new();
        if self.wal.is_other {
            flaws.push(GapKind::unreadable("its `-wal` is not a regular file: changes in it are not read"));
        }
        if self.journal.length > 0 && begins_with(&beside(path, "-journal"), JOURNAL_MAGIC) {
            flaws.push(GapKind::unreadable(
                "a transaction was not finished (`-journal`): parts may be missing until the agent opens it again",
            ));
        }
        flaws
    }
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self { length: metadata.len(), changed: metadata.modified().ok(), is_other: !metadata.is_file() }
    }

    fn beside(path: &Path, suffix: &str) -> Result<Self, GapKind> {
        match beside(path, suffix).symlink_metadata() {
            Ok(metadata) => Ok(Self::of(&metadata)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Self { length: 0, changed: None, is_other: false })
            }
            Err(error) => Err(unreadable(&error)),
        }
    }

    fn has_changes(&self) -> bool {
        self.length > WAL_HEADER && !self.is_other
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn begins_with(path: &Path, magic: &[u8]) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(magic.len() as u64).read_to_end(&mut head));
    // What can't be looked into may be a journal.
    read.is_err() || head == magic
}

/// Copies a database with its log of changes, so that `SQLite` may join the two without a trace beside the original.
fn copy(path: &Path) -> Result<TempDir, GapKind> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("agent-strace-");
    // Sessions are private, and a program that is killed leaves its copy behind.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let folder = builder.tempdir().map_err(|error| unreadable(&error))?;
    for _ in 0..TRIES {
        let before = Files::of(path)?;
        if before.database.length.saturating_add(before.wal.length) > MAX_FILE {
            return Err(GapKind::limit(format!(
                "larger than {} GiB with its `-wal`: not read; close the agent, so that it has no `-wal`",
                MAX_FILE >> 30
            )));
        }
        let copied = copy_one(path, &folder.path().join("copy.db"), before.database.length)
            .and_then(|()| copy_one(&beside(path, "-wal"), &folder.path().join("copy.db-wal"), before.wal.length));
        let is_same = Files::of(path)? == before;
        match copied {
            Ok(()) if is_same => return Ok(folder),
            // The agent closes its database: there is no log of changes any more.
            Err(error) if is_same => return Err(unreadable(&error)),
            _ => {}
        }
    }
    Err(GapKind::Contradiction("the agent writes its database: start once more when nothing writes it".into()))
}

fn copy_one(from: &Path, to: &Path, length: u64) -> io::Result<()> {
    match fs::remove_file(to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut target = fs::OpenOptions::new().write(true).create_new(true).open(to)?;
    io::copy(&mut File::open(from)?.take(length), &mut target).map(|_| ())
}
