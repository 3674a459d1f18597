//! The log of deletions: one JSON object a line, never shortened, never through a link.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::super::json::{Object, Secrets};
use super::{RetentionError, survey};

/// Its usual name, in the store.
pub(crate) const NAME: &str = "retention.log";

#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// The one of a store.
    pub fn of_store(store: &Path) -> Result<Self, RetentionError> {
        Self::open(store, Path::new(NAME))
    }

    /// `below`: a path in `folder`, no folder of which may be a link; or an absolute one.
    pub fn open(folder: &Path, below: &Path) -> Result<Self, RetentionError> {
        let mut path = folder.to_path_buf();
        let mut components = below.components().peekable();
        while let Some(component) = components.next() {
            path.push(component);
            match path.symlink_metadata() {
                Ok(found) if found.is_symlink() && below.is_relative() => {
                    return Err(RetentionError::new(&path, "it is a link, and nothing is logged through one"));
                }
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(RetentionError::of(&path, &error)),
                Err(_) if components.peek().is_some() => {
                    fs::create_dir(&path).map_err(|error| RetentionError::of(&path, &error))?;
                }
                Ok(_) | Err(_) => {}
            }
        }
        is_fit(&path)?;
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(|error| RetentionError::of(&path, &error))?;
        Ok(Self { path, file })
    }

    /// Says that a session is deleted; it is on disk when this returns.
    pub(super) fn tell(&mut self, session: &str, reason: &str, at: Timestamp) -> Result<(), RetentionError> {
        let mut line = Object::new(Secrets::Redact);
        line.word("deleted_at", &format!("{at:.0}"));
        line.text("session_id", session);
        line.word("reason", reason);
        let line = line.finish() + "\n";
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_all());
        written.map_err(|error| RetentionError::of(&self.path, &error))
    }
}

/// A line of ours may be taken for a command where it is appended to anything but a log.
fn is_fit(path: &Path) -> Result<(), RetentionError> {
    if path.parent().is_some_and(survey::is_session) {
        return Err(RetentionError::new(path, "it lies in a session, which may be deleted"));
    }
    match path.symlink_metadata() {
        Ok(found) if found.is_symlink() => {
            return Err(RetentionError::new(path, "it is a link, and nothing is logged through one"));
        }
        Ok(found) if !found.is_file() => return Err(RetentionError::new(path, "it is not a plain file")),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(RetentionError::of(path, &error)),
    }
    let mut first = Vec::new();
    let read = File::open(path).and_then(|file| file.take(1).read_to_end(&mut first));
    read.map_err(|error| RetentionError::of(path, &error))?;
    if first.is_empty() || first == b"{" {
        return Ok(());
    }
    Err(RetentionError::new(path, "it holds something else than deletions: nothing is appended to it"))
}
