//! Opens files that a repository may hold: the policy, and what stands beside it.

use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// A file to read from. Whoever writes to a repository could put a pipe there, which waits for its writer, or a link that
/// leads nowhere, which must not pass for an absent file: each is an error, and none of them is opened.
pub fn open(path: &Path) -> Result<File> {
    let found = path.metadata().map_err(|error| {
        if error.kind() == ErrorKind::NotFound && path.is_symlink() {
            Error::other("it is a link that leads to no file")
        } else {
            error
        }
    })?;
    if found.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !found.is_file() && !is_handed_over(path) {
        return Err(Error::other("it is not a regular file"));
    }
    File::open(path)
}

/// The same where it need not be there.
pub(crate) fn open_if_there(path: &Path) -> Result<Option<File>> {
    match open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// What a shell hands over (`<(…)`): its user names it, and it lies in no repository.
fn is_handed_over(path: &Path) -> bool {
    path.starts_with("/dev/fd") || path == Path::new("/dev/stdin")
}

/// Why a file can't be read, without the operating system's error numbers.
pub fn reason(error: &Error) -> String {
    error.get_ref().map_or_else(|| error.kind().to_string(), ToString::to_string)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::path::Path;

    use super::{open, open_if_there, reason};

    #[test]
    fn only_regular_files_are_opened_and_what_leads_nowhere_is_not_absent() {
        let folder = std::env::temp_dir().join(format!("agent-strace-open-{}", std::process::id()));
        fs::create_dir_all(folder.join("folder")).unwrap();
        fs::write(folder.join("file"), "x").unwrap();
        symlink("file", folder.join("link")).unwrap();
        symlink("nowhere", folder.join("dangling")).unwrap();
        symlink("circle", folder.join("circle")).unwrap();
        let _socket = UnixListener::bind(folder.join("socket")).unwrap();
        let said = |name: &str| open(&folder.join(name)).map_or_else(|error| reason(&error), |_| "opened".to_owned());
        for (name, wanted) in [
            ("file", "opened"),
            ("link", "opened"),
            ("folder", "is a directory"),
            ("socket", "it is not a regular file"),
            ("dangling", "it is a link that leads to no file"),
            ("absent", "entity not found"),
        ] {
            assert_eq!(said(name), wanted, "{name}");
        }
        assert!(open_if_there(&folder.join("absent")).unwrap().is_none());
        for name in ["dangling", "circle", "file/below"] {
            assert!(open_if_there(&folder.join(name)).is_err(), "{name}");
        }
        assert!(open(Path::new("/dev/null")).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
