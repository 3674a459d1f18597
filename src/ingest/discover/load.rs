//! Bytes of the logs in scope, bounded.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::{MAX_FILE, Source};
use crate::ingest::Log;
use crate::model::Gap;

impl Source {
    /// Reads the bytes, bounded. Never follows a link out of the folder it was found in.
    pub(crate) fn load(&self) -> Result<Log, Gap> {
        let gap = |reason: String| Gap { file: self.shown.clone(), line: None, reason };
        let file = open(&self.path, &self.within).map_err(gap)?;
        let bytes = read_bounded(file, self.size).map_err(gap)?;
        let mut log = Log::new(self.shown.clone(), bytes);
        log.store = self.entry.as_ref().map(|entry| entry.store.clone());
        Ok(log)
    }
}

impl Log {
    /// Reads a log from a stream, bounded like a file.
    pub(crate) fn from_reader(shown: &str, reader: impl Read) -> Result<Self, Gap> {
        let gap = |reason| Gap { file: shown.to_owned(), line: None, reason };
        read_bounded(reader, 0).map(|bytes| Self::new(shown, bytes)).map_err(gap)
    }
}

/// Opens a regular file that, all links resolved, lies in `within`.
pub(super) fn open(path: &Path, within: &Path) -> Result<File, String> {
    // Opening a pipe would wait for its writer, so its kind is looked at first.
    let real = path.canonicalize().map_err(|error| unreadable(&error))?;
    if !real.starts_with(within) {
        return Err("a symbolic link that leaves the folder: not followed".to_owned());
    }
    if !real.metadata().map_err(|error| unreadable(&error))?.is_file() {
        return Err("not a regular file".to_owned());
    }
    File::open(real).map_err(|error| unreadable(&error))
}

pub(super) fn read_bounded(reader: impl Read, expected: u64) -> Result<Vec<u8>, String> {
    read_at_most(reader, expected, MAX_FILE)
}

/// `limit` is [`MAX_FILE`] outside tests.
pub(super) fn read_at_most(reader: impl Read, expected: u64, limit: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(usize::try_from(expected.min(limit)).unwrap_or(0).saturating_add(1));
    reader.take(limit + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > limit {
        return Err(format!("larger than {} GiB: not read; split it into sessions", MAX_FILE >> 30));
    }
    Ok(bytes)
}

/// Why a file can't be read, without the operating system's error numbers.
pub(super) fn unreadable(error: &io::Error) -> String {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "it does not exist",
        io::ErrorKind::PermissionDenied => "permission denied",
        io::ErrorKind::IsADirectory => "it is a folder",
        io::ErrorKind::NotADirectory => "it is not a folder",
        _ => "input or output error",
    };
    format!("can't be read: {why}")
}
