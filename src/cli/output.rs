//! Files that we write: whole or not at all, and never through a link.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Component, Path, PathBuf};

use super::failure::{Failure, reason};
use super::staged::StagedFile;
use agent_strace_secrets::redact;

/// Replaces `path` by `text` in one step: a reader sees the old file or the new one.
pub(super) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let mut staged = Staged::new(path)?;
    staged.write(text)?;
    staged.finish()
}

/// A file that is written piece by piece, and gets its name when it is whole.
pub(super) struct Staged {
    path: PathBuf,
    file: StagedFile,
}

impl Staged {
    pub(super) fn new(path: &Path) -> Result<Self, Failure> {
        refuse_what_is_no_file(path)?;
        path.file_name().ok_or_else(|| failure(path, "it names no file"))?;
        let file = StagedFile::create(path).map_err(|error| failure(path, &reason(&error)))?;
        Ok(Self { path: path.to_owned(), file })
    }

    pub(super) fn write(&mut self, text: &str) -> Result<(), Failure> {
        self.file.file().write_all(text.as_bytes()).map_err(|error| failure(&self.path, &reason(&error)))
    }

    pub(super) fn finish(self) -> Result<(), Failure> {
        let Self { path, mut file } = self;
        let named = file.file().sync_all().and_then(|()| file.name(&path));
        named.map_err(|error| failure(&path, &reason(&error)))
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

/// Refuses files of which two are the same, before anything is judged: the last one written would be all that is left.
pub(super) fn refuse_same_file<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<(), Failure> {
    let mut known: Vec<(PathBuf, &Path)> = Vec::new();
    for path in paths {
        let place = place(path);
        if let Some((_, other)) = known.iter().find(|(known, _)| is_same(known, &place)) {
            let (path, other) = (path.display(), other.display());
            let error = format!("`{other}` and `{path}` are the same file, and two reports can't be written to one");
            return Err(Failure::new(error).hint("give each report a file of its own"));
        }
        known.push((place, path));
    }
    Ok(())
}

/// Where a file is, when links are followed. It need not exist, nor its folder.
fn place(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut place = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => drop(place.pop()),
            part => place.push(part),
        }
        place = place.canonicalize().unwrap_or(place);
    }
    place
}

/// Whether two places are one file, also on a disk that does not tell capitals from small letters.
fn is_same(one: &Path, other: &Path) -> bool {
    let lower = |path: &Path| path.to_string_lossy().to_lowercase();
    let folds = cfg!(any(windows, target_os = "macos"));
    one == other || folds && lower(one) == lower(other)
}

/// A file is written where a plain file is, or nothing.
pub(super) fn refuse_what_is_no_file(path: &Path) -> Result<(), Failure> {
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

/// The way on where there is no session.
pub(super) const NO_SESSION: &str = "  hint: name a log (`agent-strace list --discover` finds those of all agents on this machine); \
                                     `agent-strace setup --write` records sessions from now on";

/// The place in which a command looked for sessions.
#[derive(Clone, Copy)]
pub(super) enum Searched<'a> {
    Store(&'a Path),
    /// Sessions, logs and folders by their names.
    Named(&'a [String]),
    Machine,
}

impl<'a> Searched<'a> {
    /// The names, or the store where there are none.
    pub(super) fn new(named: &'a [String], trace_dir: &'a Path) -> Self {
        if named.is_empty() { Self::Store(trace_dir) } else { Self::Named(named) }
    }

    fn shown(self) -> String {
        let quoted = |text: &str| match text {
            "-" => "standard input".to_owned(),
            text => format!("`{}`", agent_strace_report::terminal(text)),
        };
        match self {
            Self::Store(folder) => format!("in `{}`", agent_strace_report::terminal(&folder.display().to_string())),
            Self::Named(names) => {
                let more = names.len().saturating_sub(NAMED);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                let names: Vec<String> = names.iter().take(NAMED).map(|name| quoted(name)).collect();
                format!("in {}{more}", names.join(", "))
            }
            Self::Machine => "on this machine".to_owned(),
        }
    }
}

/// Names in one message.
const NAMED: usize = 4;

/// Reports that there was nothing to work on, which proves nothing, and returns the exit code. `undone`: such as `judged`.
pub(super) fn no_sessions(searched: Searched<'_>, undone: &str, stderr: &mut dyn Write) -> u8 {
    note(stderr, &format!("error: no session was found {}: nothing was {undone}", searched.shown()));
    note(
        stderr,
        match searched {
            Searched::Store(_) => NO_SESSION,
            Searched::Named(_) => NO_LOG,
            Searched::Machine => {
                "  hint: logs are looked for where the agents keep them; `agent-strace setup --write` records sessions from now on"
            }
        },
    );
    3
}

/// The way on where files were named and none of them is a log.
const NO_LOG: &str = "  hint: no file there is a log of an agent or an archive of logs; the content decides, not the name \
                      (`agent-strace list --discover` finds the logs of all agents on this machine)";

/// A line for people beside the report. Where it can't be written, the exit code still says everything.
pub(super) fn note(stderr: &mut dyn Write, line: &str) {
    let _ = writeln!(stderr, "{}", redact(line).as_str());
}
