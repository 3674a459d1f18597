//! Which files: in sorted order, never behind a link.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::super::failure::{Failure, reason};
use super::super::pipeline::select_failure;
use agent_strace_ingest::discover;
use agent_strace_model::{Gap, GapKind};
use agent_strace_secrets::redact;

/// Folders below the one that was named.
const MAX_DEPTH: usize = 64;
const MAX_FILES: usize = 1_000_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    Stdin,
    File(PathBuf),
}

#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) source: Source,
    /// Its place below what was named.
    pub(super) below: PathBuf,
}

#[derive(Debug, Default)]
pub(super) struct Targets {
    pub(super) files: Vec<Target>,
    /// What lies there and is no file.
    pub(super) gaps: Vec<Gap>,
    /// A folder was named, or more than one file.
    pub(super) several: bool,
    seen: BTreeSet<PathBuf>,
}

impl Target {
    /// As reports call it.
    pub(super) fn shown(&self) -> String {
        match &self.source {
            Source::Stdin => "-".to_owned(),
            Source::File(path) => shown(path),
        }
    }
}

pub(super) fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    redact(if cfg!(windows) { text.replace('\\', "/").into() } else { text }).as_str().to_owned()
}

impl Targets {
    pub(super) fn find(trace_dir: &Path, requests: &[String]) -> Result<Self, Failure> {
        let mut targets = Self { several: requests.len() > 1, ..Self::default() };
        for request in requests {
            if request == "-" {
                if targets.files.iter().any(|target| target.source == Source::Stdin) {
                    return Err(Failure::new("`-` stands twice: standard input can be read once"));
                }
                targets.files.push(Target { source: Source::Stdin, below: "stdin".into() });
                continue;
            }
            let session = discover::session_folder(trace_dir, request).map_err(|error| select_failure(&error))?;
            let path = session.unwrap_or_else(|| PathBuf::from(request));
            let found = path.metadata().map_err(|error| missing(request, &error))?;
            if found.is_dir() {
                targets.several = true;
                let below = if requests.len() > 1 { path.file_name().map(PathBuf::from) } else { None };
                targets.folder(&path, &below.unwrap_or_default(), 0)?;
            } else if found.is_file() {
                let below = PathBuf::from(path.file_name().unwrap_or_default());
                targets.file(path, below)?;
            } else {
                return Err(Failure::new(format!("`{}` is not a regular file", shown(&path))));
            }
        }
        Ok(targets)
    }

    fn file(&mut self, path: PathBuf, below: PathBuf) -> Result<(), Failure> {
        let real = path.canonicalize().map_err(|error| unreadable(&path, &error))?;
        if self.files.len() >= MAX_FILES {
            return Err(Failure::new(format!("more than {MAX_FILES} files")).hint("name parts of the folder"));
        }
        if self.seen.insert(real) {
            self.files.push(Target { source: Source::File(path), below });
        }
        Ok(())
    }

    fn folder(&mut self, path: &Path, below: &Path, depth: usize) -> Result<(), Failure> {
        if depth > MAX_DEPTH {
            self.gap(path, GapKind::limit(format!("nested deeper than {MAX_DEPTH} folders: not read")));
            return Ok(());
        }
        let names: io::Result<Vec<OsString>> =
            fs::read_dir(path).and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect());
        let mut names = match names {
            Ok(names) => names,
            Err(error) => {
                self.gap(path, GapKind::unreadable(format!("can't be read: {}", reason(&error))));
                return Ok(());
            }
        };
        names.sort();
        for name in names {
            let (path, below) = (path.join(&name), below.join(&name));
            match path.symlink_metadata() {
                Err(error) => self.gap(&path, GapKind::unreadable(format!("can't be read: {}", reason(&error)))),
                Ok(found) if found.is_symlink() => {
                    self.gap(&path, GapKind::unreadable("a symbolic link: not followed"));
                }
                // Git's own files are no logs, and nobody may rewrite them one by one.
                Ok(found) if found.is_dir() && name == ".git" => {}
                Ok(found) if found.is_dir() => self.folder(&path, &below, depth + 1)?,
                Ok(found) if found.is_file() => self.file(path, below)?,
                Ok(_) => self.gap(&path, GapKind::unreadable("not a regular file")),
            }
        }
        Ok(())
    }

    fn gap(&mut self, path: &Path, kind: GapKind) {
        self.gaps.push(Gap::of_file(shown(path), kind));
    }
}

fn missing(request: &str, error: &io::Error) -> Failure {
    if error.kind() == ErrorKind::NotFound {
        return Failure::new(format!("no session `{request}` in the trace store and no such file"))
            .hint("`agent-strace list` shows the sessions in the store");
    }
    unreadable(Path::new(request), error)
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("can't read `{}`: {}", shown(path), reason(error)))
}
