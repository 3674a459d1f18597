//! A file without its name: whatever ends the program, at the place of the file is the old one, the new one, or nothing.
//!
//! On Linux the file has no name at all until it is whole, and vanishes with the program. Where a system or a disk knows no
//! such files, it has a hidden name beside the place, which is removed when the program ends. A program that is killed
//! leaves it there, and the next one that writes to the same place removes it: the writer holds a lock as long as it lives.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// Names that are tried for one file.
const TRIES: u32 = 100;

pub(super) struct StagedFile {
    file: File,
    /// `None`: it has no name.
    temporary: Option<PathBuf>,
}

impl StagedFile {
    pub(super) fn create(place: &Path) -> Result<Self> {
        remove_left(place);
        match nameless(place) {
            Some(file) => Ok(Self { file, temporary: None }),
            None => named(place),
        }
    }

    pub(super) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives it its name; what had the name before is gone.
    pub(super) fn name(mut self, place: &Path) -> Result<()> {
        match self.temporary.take() {
            Some(temporary) => fs::rename(&temporary, place).inspect_err(|_| discard(&temporary)),
            None => link(&self.file, place),
        }
    }
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            discard(temporary);
        }
    }
}

/// Nothing refers to the temporary file, so one that can't be removed does no harm.
fn discard(temporary: &Path) {
    let _ = fs::remove_file(temporary);
}

/// A file with a hidden name beside the place. The lock says that its writer lives.
fn named(place: &Path) -> Result<StagedFile> {
    for attempt in 0..TRIES {
        let temporary = beside(place, &format!("{}-{attempt}", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => {
                // On a disk without locks, no run takes the file for one that was left behind.
                let _ = file.lock();
                // Before it was locked, another program may have taken it for one that was left.
                if temporary.symlink_metadata().is_ok() {
                    return Ok(StagedFile { file, temporary: Some(temporary) });
                }
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(Error::new(ErrorKind::AlreadyExists, "no name for a temporary file is free"))
}

const ENDING: &str = ".tmp";

/// `.report.json.NAME.tmp` beside `report.json`.
fn beside(place: &Path, name: &str) -> PathBuf {
    let mut hidden = start_of_hidden(place);
    hidden.push(name);
    hidden.push(ENDING);
    place.with_file_name(hidden)
}

fn start_of_hidden(place: &Path) -> OsString {
    let mut hidden = OsString::from(".");
    hidden.push(place.file_name().unwrap_or_default());
    hidden.push(".");
    hidden
}

/// Removes what programs left beside the place that were killed: plain files with the names that we give, and unlocked.
fn remove_left(place: &Path) {
    let start = start_of_hidden(place);
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let given = name.as_encoded_bytes().strip_prefix(start.as_encoded_bytes());
        let given = given.and_then(|name| name.strip_suffix(ENDING.as_bytes()));
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let given = given.and_then(|name| std::str::from_utf8(name).ok()?.split_once('-'));
        let is_ours = given.is_some_and(|(process, attempt)| is_number(process) && is_number(attempt));
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let path = entry.path();
        if let Ok(file) = OpenOptions::new().write(true).open(&path)
            && file.try_lock().is_ok()
        {
            discard(&path);
        }
    }
}

#[cfg(target_os = "linux")]
fn nameless(place: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags};
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(folder, flags, Mode::from_raw_mode(0o666)).ok()?);
    // For the short time in which it has a hidden name.
    let _ = file.lock();
    // It gets its name by way of this link.
    descriptor(&file).symlink_metadata().is_ok().then_some(file)
}

#[cfg(target_os = "linux")]
fn descriptor(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd as _;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// A link can't replace a file, but a rename can. Of the short time between them, a whole report may be left.
#[cfg(target_os = "linux")]
fn link(file: &File, place: &Path) -> Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    let link = |to: &Path| linkat(CWD, descriptor(file), CWD, to, AtFlags::SYMLINK_FOLLOW).map_err(Error::from);
    match link(place) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        done => return done,
    }
    for attempt in 0..TRIES {
        let temporary = beside(place, &format!("{}-{attempt}", std::process::id()));
        match link(&temporary) {
            Ok(()) => return fs::rename(&temporary, place).inspect_err(|_| discard(&temporary)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(Error::new(ErrorKind::AlreadyExists, "no name for a temporary file is free"))
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Path) -> Option<File> {
    None
}

/// Every file has a name there.
#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> Result<()> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::path::Path;

    use super::{StagedFile, beside, named};

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_has_its_name_when_it_is_whole_and_no_other_one_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("report.json");
        for create in [StagedFile::create, named] {
            for text in ["old", "new"] {
                let mut file = create(&place).unwrap();
                file.file().write_all(text.as_bytes()).unwrap();
                assert_ne!(fs::read_to_string(&place).unwrap_or_default(), text);
                file.name(&place).unwrap();
                assert_eq!(fs::read_to_string(&place).unwrap(), text);
                assert_eq!(names(folder.path()), ["report.json"]);
            }
            drop(create(&place).unwrap());
            assert_eq!(names(folder.path()), ["report.json"]);
        }
    }

    /// Only what a killed program left is removed: not what another one is writing, and no file of somebody else.
    #[test]
    fn what_killed_programs_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("report.json");
        let left = beside(&place, "4711-0");
        fs::write(&left, "half").unwrap();
        fs::write(folder.path().join(".report.json.mine.tmp"), "").unwrap();
        fs::write(folder.path().join(".other.json.1-0.tmp"), "").unwrap();
        let mut living = named(&place).unwrap();
        StagedFile::create(&place).unwrap().name(&place).unwrap();
        assert!(!left.exists());
        living.file().write_all(b"whole").unwrap();
        living.name(&place).unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "whole");
        assert_eq!(names(folder.path()), [".other.json.1-0.tmp", ".report.json.mine.tmp", "report.json"]);
    }
}
