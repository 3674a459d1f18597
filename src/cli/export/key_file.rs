//! The file that holds the key of pseudonyms. Who reads it can find out what they stand for: nobody but its owner may.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use super::super::failure::{Failure, reason};
use agent_strace_secrets::anonymize::{KEY_LENGTH, Key, hexadecimal};

const START: &str = "agent-strace-key-1 ";

/// A key that is kept nowhere.
pub(super) fn random() -> Result<Key, Failure> {
    Ok(Key::new(&bytes()?))
}

fn bytes() -> Result<[u8; KEY_LENGTH], Failure> {
    let mut secret = [0; KEY_LENGTH];
    getrandom::fill(&mut secret)
        .map_err(|error| Failure::new(format!("the system gives no random bytes for a key: {error}")))?;
    Ok(secret)
}

/// The key, and whether it was made just now.
pub(super) fn read_or_make(path: &Path) -> Result<(Key, bool), Failure> {
    match read_if_there(path)? {
        Some(key) => Ok((key, false)),
        None => Ok((make(path)?, true)),
    }
}

pub(super) fn read(path: &Path) -> Result<Key, Failure> {
    let missing = || unusable(path, "no such file or directory").hint("`export --key-file` makes one");
    read_if_there(path)?.ok_or_else(missing)
}

pub(super) fn read_if_there(path: &Path) -> Result<Option<Key>, Failure> {
    // More than a key is no key.
    const LONGEST: u64 = 256;
    let found = match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(path, &reason(&error))),
        Ok(found) => found,
    };
    if !found.is_file() {
        return Err(unusable(path, "it is no plain file"));
    }
    let mut file = File::open(path).map_err(|error| unusable(path, &reason(&error)))?;
    refuse_what_others_read(path, &file)?;
    let mut text = String::new();
    let read = Read::by_ref(&mut file).take(LONGEST).read_to_string(&mut text);
    read.map_err(|error| unusable(path, &reason(&error)))?;
    let secret = text.trim_end().strip_prefix(START).and_then(secret);
    let Some(secret) = secret else {
        return Err(unusable(path, "it is no key of this program")
            .hint("name a file that is not there: `export --key-file` makes one"));
    };
    Ok(Some(Key::new(&secret)))
}

/// Of the file that is open, not of what has its name now.
#[cfg(unix)]
fn refuse_what_others_read(path: &Path, file: &File) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.metadata().map_err(|error| unusable(path, &reason(&error)))?.permissions().mode();
    // Nothing for the group, nothing for the rest.
    if mode.trailing_zeros() >= 6 {
        return Ok(());
    }
    Err(unusable(path, &format!("others may read or write it (mode {:03o})", mode & 0o777))
        .hint(format!("`chmod 600 {}`; if others could read it, make a new one", path.display())))
}

#[cfg(not(unix))]
fn refuse_what_others_read(_: &Path, _: &File) -> Result<(), Failure> {
    Ok(())
}

fn secret(hex: &str) -> Option<[u8; KEY_LENGTH]> {
    let digits: Vec<u8> = hex
        .chars()
        .map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<_>>()?;
    let bytes = digits.chunks_exact(2).filter_map(|pair| match pair {
        [high, low] => Some(high << 4 | low),
        _ => None,
    });
    let bytes: Vec<u8> = bytes.collect();
    if digits.len() == 2 * KEY_LENGTH { bytes.try_into().ok() } else { None }
}

fn make(path: &Path) -> Result<Key, Failure> {
    let secret = bytes()?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let unwritable =
        |error: std::io::Error| Failure::new(format!("can't write the key `{}`: {}", path.display(), reason(&error)));
    let mut file = options.open(path).map_err(unwritable)?;
    let line = format!("{START}{}\n", hexadecimal(&secret));
    let written = file.write_all(line.as_bytes()).and_then(|()| file.sync_all());
    written.map_err(|error| {
        // Half a key would be refused for ever.
        let _ = std::fs::remove_file(path);
        unwritable(error)
    })?;
    Ok(Key::new(&secret))
}

fn unusable(path: &Path, why: &str) -> Failure {
    Failure::new(format!("the key `{}` can't be used: {why}", path.display()))
}
