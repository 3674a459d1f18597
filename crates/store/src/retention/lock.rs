//! The lock that the Python tool takes while it writes into the store.

use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use super::RetentionError;

const NAME: &str = ".store.lock";
/// A recorder holds it for one line: who holds it longer does something else.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(100);

/// Held for as long as sessions are deleted. A store without the file has no other writer that would take it.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "the lock is released when the file is closed")] Option<File>);

impl Lock {
    pub fn take(store: &Path) -> Result<Self, RetentionError> {
        let path = store.join(NAME);
        match path.symlink_metadata() {
            Ok(found) if found.is_file() => {}
            Ok(_) => return Err(RetentionError::new(&path, "it is not a plain file, so nobody can hold it")),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self(None)),
            Err(error) => return Err(RetentionError::of(&path, &error)),
        }
        let file = File::open(&path).map_err(|error| RetentionError::of(&path, &error))?;
        for _ in 0..TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(Self(Some(file))),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                // Some file systems have no locks, and the other program goes on without one there.
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => return Ok(Self(None)),
                Err(TryLockError::Error(error)) => return Err(RetentionError::of(&path, &error)),
            }
        }
        Err(RetentionError::new(&path, "another program holds it: it writes to the store"))
    }
}
