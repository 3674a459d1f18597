//! Files that we write: whole or not at all, and never through a link.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::failure::{Failure, reason};

/// Replaces `path` by `text` in one step: a reader sees the old file or the new one.
pub(super) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let mut staged = Staged::new(path)?;
    staged.write(text)?;
    staged.finish()
}

/// A file that is written piece by piece, and gets its name when it is whole.
pub(super) struct Staged {
    path: PathBuf,
    temporary: PathBuf,
    file: Option<File>,
}

impl Staged {
    pub(super) fn new(path: &Path) -> Result<Self, Failure> {
        refuse_what_is_no_file(path)?;
        let (temporary, file) = create_beside(path)?;
        Ok(Self { path: path.to_owned(), temporary, file: Some(file) })
    }

    pub(super) fn write(&mut self, text: &str) -> Result<(), Failure> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.write_all(text.as_bytes()).map_err(|error| failure(&self.path, &reason(&error)))
    }

    pub(super) fn finish(mut self) -> Result<(), Failure> {
        let Some(file) = self.file.take() else { return Ok(()) };
        let named = file.sync_all().and_then(|()| fs::rename(&self.temporary, &self.path));
        named.map_err(|error| {
            self.discard();
            failure(&self.path, &reason(&error))
        })
    }

    fn discard(&self) {
        // Nothing refers to the temporary file, so one that can't be removed does no harm.
        let _ = fs::remove_file(&self.temporary);
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if self.file.is_some() {
            self.discard();
        }
    }
}

/// The same where the folder need not be there yet.
pub(super) fn write_with_folder(path: &Path, text: &str) -> Result<(), Failure> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)
            .map_err(|error| Failure::new(format!("can't create `{}`: {}", folder.display(), reason(&error))))?;
    }
    write(path, text)
}

fn refuse_what_is_no_file(path: &Path) -> Result<(), Failure> {
    match path.symlink_metadata() {
        Ok(found) if found.is_file() => Ok(()),
        Ok(found) if found.is_symlink() => {
            Err(failure(path, "it is a link, and a report is never written through one"))
        }
        Ok(_) => Err(failure(path, "it is not a plain file")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failure(path, &reason(&error))),
    }
}

fn create_beside(path: &Path) -> Result<(PathBuf, File), Failure> {
    const TRIES: u32 = 100;
    let name = path.file_name().ok_or_else(|| failure(path, "it names no file"))?;
    for attempt in 0..TRIES {
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{attempt}.tmp", std::process::id()));
        let temporary = path.with_file_name(hidden);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((temporary, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failure(path, &reason(&error))),
        }
    }
    Err(failure(path, "no name for a temporary file is free"))
}

fn failure(path: &Path, reason: &str) -> Failure {
    Failure::new(format!("can't write `{}`: {reason}", path.display()))
}

/// Writes to standard output. A reader that went away has seen what it wanted: the verdict stands.
pub(super) fn print(stdout: &mut dyn Write, text: &str) -> Result<(), Failure> {
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("can't write to standard output: {}", reason(&error))))
        }
        _ => Ok(()),
    }
}

/// Bytes of a plain file that is not too large to look for a line in.
pub(super) fn read_small(path: &Path) -> Option<Vec<u8>> {
    const LARGEST: u64 = 16 << 20;
    let found = path.symlink_metadata().ok()?;
    if !found.is_file() || found.len() > LARGEST {
        return None;
    }
    fs::read(path).ok()
}

/// From the top of the repository around the current directory to it, `/` at the end; empty at the top and outside.
pub(super) fn prefix_in_repository() -> String {
    let Ok(current) = std::env::current_dir() else { return String::new() };
    let Some(top) = current.ancestors().find(|folder| folder.join(".git").exists()) else { return String::new() };
    let below = current.strip_prefix(top).unwrap_or(Path::new(""));
    below.components().fold(String::new(), |prefix, part| prefix + &part.as_os_str().to_string_lossy() + "/")
}

/// A line for people beside the report. Where it can't be written, the exit code still says everything.
pub(super) fn note(stderr: &mut dyn Write, line: &str) {
    let _ = writeln!(stderr, "{line}");
}
