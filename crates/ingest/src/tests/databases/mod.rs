//! Databases: those that agents of today write, and those that somebody made to hide something.

mod homes;
mod hostile;
mod stores;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tempfile::TempDir;

use super::show;
use crate::discover::{Selection, select};

/// A database in a folder of its own.
struct Store {
    folder: TempDir,
    path: PathBuf,
}

impl Store {
    fn new(name: &str, sql: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join(name);
        let store = Self { folder, path };
        store.connection().execute_batch(sql).unwrap();
        store
    }

    fn connection(&self) -> Connection {
        let connection = Connection::open(&self.path).unwrap();
        connection.pragma_update(None, "foreign_keys", 0).unwrap();
        connection
    }

    fn run(&self, sql: &str) -> &Self {
        self.connection().execute_batch(sql).unwrap();
        self
    }

    /// What is read of it when it is named.
    fn read(&self) -> String {
        read(&self.path)
    }

    fn change(&self, change: impl FnOnce(&mut Vec<u8>)) -> &Self {
        let mut bytes = fs::read(&self.path).unwrap();
        change(&mut bytes);
        fs::write(&self.path, bytes).unwrap();
        self
    }
}

/// What is read of a file or a folder, in the words of snapshots.
fn read(path: &Path) -> String {
    let found = select(Path::new("/nonexistent"), &[path.to_string_lossy().into_owned()], Selection::All).unwrap();
    let mut text = String::new();
    for gap in &found.gaps {
        writeln!(text, "gap {}: {}", gap.file, gap.kind).unwrap();
    }
    for source in &found.sources {
        let (logs, gaps) = source.logs();
        for gap in gaps {
            writeln!(text, "gap {}: {}", gap.file, gap.kind).unwrap();
        }
        for log in logs {
            text += &show(&log.read());
        }
    }
    let folder = if path.is_dir() { path } else { path.parent().unwrap() };
    text.replace(&format!("{}/", folder.display()), "")
}

fn sessions(text: &str) -> usize {
    text.lines().filter(|line| line.starts_with("session ")).count()
}

/// A database of `OpenCode` with one session that runs `ls`.
const OPENCODE: &str = r#"
CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text NOT NULL, time_created integer NOT NULL);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, data text NOT NULL);
INSERT INTO session VALUES ('ses_1', NULL, '/home/dana/app', 1);
INSERT INTO message VALUES ('msg_1', 'ses_1', 1, '{"role":"user"}');
INSERT INTO message VALUES ('msg_2', 'ses_1', 2, '{"role":"assistant","path":{"cwd":"/home/dana/app","root":"/"}}');
INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', '{"type":"text","text":"list it"}');
INSERT INTO part VALUES ('prt_2', 'msg_2', 'ses_1',
  '{"type":"tool","tool":"bash","callID":"c1","state":{"status":"completed","input":{"command":"ls"},"output":"a"}}');
"#;
