//! Walks a folder for logs, in sorted order, never out of it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

use super::load::{open, read_bounded, unreadable};
use super::store::{EVENTS, META};
use super::{Entry, Found, MAX_FILE, Source, sidecar};
use crate::ingest::StoreEntry;
use crate::ingest::formats::native::Meta;
use crate::model::Gap;

/// Folders below the one that was named.
const MAX_DEPTH: usize = 16;
/// Real ones are a few kilobytes.
const MAX_META: u64 = 1 << 20;

const LEAVES: &str = "a symbolic link that leaves the folder: not followed";

/// A path as reports show it.
pub(super) fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}

/// A log or a folder that the user named: a link is followed because it was asked for.
pub(super) fn path(path: &Path) -> Found {
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => folder(path),
        Ok(_) => single(path),
        Err(error) => Found { gaps: vec![gap(path, unreadable(&error))], ..Found::default() },
    }
}

/// Everything in a folder.
pub(super) fn folder(path: &Path) -> Found {
    inside(path, path)
}

/// Everything in `path`, which lies in `root`, which nothing may leave.
pub(super) fn inside(root: &Path, path: &Path) -> Found {
    let mut walk = Walk::default();
    match (root.canonicalize(), path.canonicalize()) {
        (Ok(root), Ok(real)) if real.starts_with(&root) => {
            walk.root = root;
            walk.visit(path, &real, 0);
        }
        (Ok(_), Ok(_)) => walk.gap(path, LEAVES.to_owned()),
        (Err(error), _) | (_, Err(error)) => walk.gap(path, unreadable(&error)),
    }
    walk.found
}

fn single(path: &Path) -> Found {
    let mut walk = Walk::default();
    match path.canonicalize() {
        Ok(real) => {
            let in_store = path.file_name() == Some(OsStr::new(EVENTS));
            let folder = real.parent().unwrap_or(&real).to_path_buf();
            walk.root.clone_from(&folder);
            if in_store && folder.join(META).symlink_metadata().is_ok() {
                walk.session(path.parent().unwrap_or(path), &folder);
            } else {
                walk.add(path, real, None);
            }
        }
        Err(error) => walk.gap(path, unreadable(&error)),
    }
    walk.found
}

#[derive(Default)]
struct Walk {
    /// All links resolved.
    root: PathBuf,
    found: Found,
    /// Files that are already in scope, all links resolved.
    seen: BTreeSet<PathBuf>,
}

impl Walk {
    /// `real` is `path` with all links resolved.
    fn visit(&mut self, path: &Path, real: &Path, depth: usize) {
        if depth > MAX_DEPTH {
            return self.gap(path, format!("nested deeper than {MAX_DEPTH} folders: not read"));
        }
        let entries = match fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<DirEntry>>>) {
            Ok(entries) => entries,
            Err(error) => return self.gap(path, unreadable(&error)),
        };
        let mut names: Vec<_> = entries.into_iter().map(|entry| entry.file_name()).collect();
        names.sort();
        let has = |name: &str| names.iter().any(|other| other == name);
        if has(EVENTS) {
            self.session(path, real);
        } else if has(META) {
            self.gap(path, format!("`{META}` without `{EVENTS}`: the session's events are missing"));
        }
        for name in &names {
            // Both were just dealt with.
            if name == EVENTS || (name == META && has(EVENTS)) {
                continue;
            }
            self.entry(&path.join(name), real, name, depth);
        }
    }

    fn entry(&mut self, path: &Path, parent: &Path, name: &OsStr, depth: usize) {
        let kind = match path.symlink_metadata() {
            Ok(metadata) => metadata.file_type(),
            Err(error) => return self.gap(path, unreadable(&error)),
        };
        if kind.is_symlink() {
            self.link(path, parent, name);
        } else if kind.is_dir() {
            // Git's own files are no logs.
            if name != ".git" {
                self.visit(path, &parent.join(name), depth + 1);
            }
        } else if kind.is_file() {
            self.file(path, parent.join(name), name);
        } else {
            self.gap(path, "not a regular file".to_owned());
        }
    }

    /// What a link leads to is walked under its own name when it lies in the folder.
    fn link(&mut self, path: &Path, parent: &Path, name: &OsStr) {
        match path.canonicalize() {
            Ok(real) if !real.starts_with(&self.root) => self.gap(path, LEAVES.to_owned()),
            Ok(real) if parent.starts_with(&real) => {
                self.gap(path, "a loop: a symbolic link to a folder it lies in".to_owned());
            }
            Ok(real) if real.is_dir() => {}
            Ok(real) => self.file(path, real, name),
            Err(_) => self.gap(path, "a symbolic link that leads nowhere, or in a loop".to_owned()),
        }
    }

    fn file(&mut self, path: &Path, real: PathBuf, name: &OsStr) {
        let name = name.to_string_lossy();
        if sidecar::may_be_log(&name) && !sidecar::is_sidecar(&name, &real, &self.root) {
            self.add(path, real, None);
        }
    }

    /// A session of the native store: `events.ndjson` and what `meta.json` says about it.
    fn session(&mut self, path: &Path, real: &Path) {
        let id = real.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let meta_path = path.join(META);
        let meta = self.read_meta(&meta_path);
        let parsed = meta.as_deref().ok().and_then(|bytes| Meta::parse(bytes).ok());
        let entry = Entry {
            id: id.clone(),
            started_at: parsed.as_ref().and_then(Meta::started_at),
            store: StoreEntry { id, meta_shown: shown(&meta_path), meta },
        };
        self.add(&path.join(EVENTS), real.join(EVENTS), Some(entry));
    }

    fn read_meta(&self, path: &Path) -> Result<Vec<u8>, String> {
        if path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return Err("missing: it was deleted or never written".to_owned());
        }
        let file = open(path, &self.root)?;
        let size = file.metadata().map_err(|error| unreadable(&error))?.len();
        if size > MAX_META {
            return Err(format!("larger than {} MiB: not read", MAX_META >> 20));
        }
        read_bounded(file, size)
    }

    fn add(&mut self, path: &Path, real: PathBuf, entry: Option<Entry>) {
        let size = match open(&real, &self.root).and_then(|file| file.metadata().map_err(|error| unreadable(&error))) {
            Ok(metadata) => metadata.len(),
            Err(reason) => return self.gap(path, reason),
        };
        if size > MAX_FILE {
            return self.gap(path, format!("larger than {} GiB: not read; split it into sessions", MAX_FILE >> 30));
        }
        if self.seen.insert(real.clone()) {
            self.found.sources.push(Source { shown: shown(path), size, entry, path: real, within: self.root.clone() });
        }
    }

    fn gap(&mut self, path: &Path, reason: String) {
        self.found.gaps.push(gap(path, reason));
    }
}

fn gap(path: &Path, reason: String) -> Gap {
    Gap { file: shown(path), line: None, reason }
}
