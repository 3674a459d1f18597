//! Files of the store: whole or not at all, never through a link.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::{Content, StoreError};

pub(super) const EVENTS: &str = "events.ndjson";
pub(super) const META: &str = "meta.json";
const TRIES: u32 = 100;

/// Whether a session's files are these already.
pub(super) fn holds(folder: &Path, content: &Content) -> bool {
    let same = |name: &str, text: &str| {
        let path = folder.join(name);
        path.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() == text.len() as u64)
            && fs::read(path).is_ok_and(|bytes| bytes == text.as_bytes())
    };
    same(EVENTS, &content.events) && same(META, &content.meta)
}

/// A new session appears with all its files at once.
pub(super) fn create(store: &Path, directory: &str, content: &Content) -> Result<(), StoreError> {
    fs::create_dir_all(store).map_err(|error| failure(store, &error))?;
    let target = store.join(directory);
    let temporary = attempts(&target, |path| private_folder().create(path))?.0;
    let written = write_new(&temporary.join(EVENTS), &content.events)
        .and_then(|()| write_new(&temporary.join(META), &content.meta))
        .and_then(|()| fs::rename(&temporary, &target));
    written.map_err(|error| {
        // Nobody knows of the folder yet: one that can't be removed does no harm.
        let _ = fs::remove_dir_all(&temporary);
        failure(&target, &error)
    })
}

/// A longer recording takes the place of a shorter one, events first: they are the evidence. Other files stay.
pub(super) fn replace(folder: &Path, content: &Content) -> Result<(), StoreError> {
    for (name, text) in [(EVENTS, &content.events), (META, &content.meta)] {
        in_place_of(&folder.join(name), |file| fill(file, text))?;
    }
    Ok(())
}

/// A file of a recorder that works: whole or not at all for readers, and as safe from a loss of power as the events are.
pub(super) fn put(path: &Path, text: &str) -> Result<(), StoreError> {
    in_place_of(path, |file| file.write_all(text.as_bytes()))
}

fn in_place_of(target: &Path, write: impl Fn(&mut File) -> io::Result<()>) -> Result<(), StoreError> {
    let (temporary, mut file) = attempts(target, |path| private_file().open(path))?;
    let written = write(&mut file).and_then(|()| fs::rename(&temporary, target));
    written.map_err(|error| {
        let _ = fs::remove_file(&temporary);
        failure(target, &error)
    })
}

/// Makes something under a hidden name beside `target` that is not taken.
fn attempts<T>(target: &Path, make: impl Fn(&Path) -> io::Result<T>) -> Result<(PathBuf, T), StoreError> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    for attempt in 0..TRIES {
        let path = target.with_file_name(format!(".{name}.{}-{attempt}.tmp", std::process::id()));
        match make(&path) {
            Ok(made) => return Ok((path, made)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failure(&path, &error)),
        }
    }
    let reason = "no name for a temporary file is free".to_owned();
    Err(StoreError { path: target.display().to_string(), reason })
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    fill(&mut private_file().open(path)?, text)
}

fn fill(file: &mut File, text: &str) -> io::Result<()> {
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Logs hold whatever the agent saw: only their owner reads them.
pub(super) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

pub(super) fn private_folder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only there a folder has a mode"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

pub(super) fn failure(path: &Path, error: &io::Error) -> StoreError {
    let reason = match error.kind() {
        ErrorKind::NotFound => "it does not exist".to_owned(),
        ErrorKind::TimedOut => error.to_string(),
        kind => kind.to_string(),
    };
    StoreError { path: path.display().to_string(), reason }
}
