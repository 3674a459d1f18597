//! Deletes a session in steps that can be finished by the next run, whenever this one is cut off:
//!
//! 1. Its directory gets another name, in the same folder. With that it is out of the store for every reader.
//! 2. What was derived from it is deleted.
//! 3. The log of deletions says so, and is on disk.
//! 4. The directory gets a name that says that it is logged, and is deleted.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::super::name::hex;
use super::{Leftover, Limit, Log, RetentionError, Stored, survey};
use agent_strace_model::tombstone::{DOOMED, LOGGED};

/// Longer names can't get a longer one: file systems allow 255 bytes.
const LONGEST: usize = 200;
const READABLE: usize = 60;

/// Deletes from a store.
#[derive(Debug)]
pub struct Deletion {
    /// `None`: nobody wants to know.
    pub log: Option<Log>,
    pub now: Timestamp,
}

impl Deletion {
    /// Deletes a session. What fails leaves it where it was, or on its way out.
    pub fn delete(&mut self, session: &Stored, limit: Limit) -> Result<(), RetentionError> {
        let from = &session.folder;
        is_directory(from)?;
        let name = from.file_name().unwrap_or_default();
        let doomed = from.with_file_name(tombstone(DOOMED, name));
        rename(from, &doomed)?;
        let logged = remove_files(&session.derived).and_then(|()| self.tell(&session.name, limit.name()));
        if let Err(error) = logged {
            // What is not logged is not deleted.
            rename(&doomed, from)?;
            return Err(error);
        }
        remove(&doomed, name)
    }

    /// Ends a deletion that was cut off.
    pub fn finish(&mut self, leftover: &Leftover) -> Result<(), RetentionError> {
        is_directory(&leftover.folder)?;
        if leftover.is_logged {
            return remove_tree(&leftover.folder);
        }
        let was = leftover.folder.with_file_name(&leftover.name);
        // Another session may have got its name since.
        if was.symlink_metadata().is_err() {
            remove_files(&plain(survey::derived(&was, &leftover.name.to_string_lossy())))?;
        }
        self.tell(&leftover.name.to_string_lossy(), "interrupted")?;
        remove(&leftover.folder, &leftover.name)
    }

    fn tell(&mut self, session: &str, reason: &str) -> Result<(), RetentionError> {
        self.log.as_mut().map_or(Ok(()), |log| log.tell(session, reason, self.now))
    }
}

fn tombstone(prefix: &str, name: &OsStr) -> OsString {
    let mut tombstone = OsString::from(prefix);
    if name.len() <= LONGEST {
        tombstone.push(name);
    } else {
        let readable: String = name.to_string_lossy().chars().take(READABLE / 4).collect();
        tombstone.push(format!("{readable}-{}", hex(name.as_encoded_bytes(), 12)));
    }
    tombstone
}

/// What was found may have been replaced since.
fn is_directory(path: &Path) -> Result<(), RetentionError> {
    let found = path.symlink_metadata().map_err(|error| RetentionError::of(path, &error))?;
    if found.is_dir() { Ok(()) } else { Err(RetentionError::new(path, "it is no directory any more: not deleted")) }
}

fn rename(from: &Path, to: &Path) -> Result<(), RetentionError> {
    // An empty directory would be replaced.
    if to.symlink_metadata().is_ok() {
        return Err(RetentionError::new(to, "what was left of an earlier deletion is in the way"));
    }
    fs::rename(from, to).map_err(|error| RetentionError::of(from, &error))?;
    settle(from);
    Ok(())
}

fn remove(doomed: &Path, name: &OsStr) -> Result<(), RetentionError> {
    let logged = doomed.with_file_name(tombstone(LOGGED, name));
    rename(doomed, &logged)?;
    remove_tree(&logged)
}

/// Removes links inside of it as links: the library never goes through one.
fn remove_tree(folder: &Path) -> Result<(), RetentionError> {
    fs::remove_dir_all(folder).map_err(|error| RetentionError::of(folder, &error))?;
    settle(folder);
    Ok(())
}

fn plain(files: Vec<PathBuf>) -> Vec<PathBuf> {
    files.into_iter().filter(|file| file.symlink_metadata().is_ok_and(|found| found.is_file())).collect()
}

fn remove_files(files: &[PathBuf]) -> Result<(), RetentionError> {
    for file in files {
        match fs::remove_file(file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(RetentionError::of(file, &error)),
            _ => {}
        }
    }
    Ok(())
}

/// Brings the names in a folder to disk, where the system can: without it the order of the steps holds until it fails.
fn settle(entry: &Path) {
    if let Some(parent) = entry.parent()
        && let Ok(folder) = File::open(parent)
    {
        let _ = folder.sync_all();
    }
}
