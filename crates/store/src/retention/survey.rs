//! What is in a store: its sessions, what is left of deletions, and what was not looked into.

use std::fs::{self, DirEntry, FileType};
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::super::disk::{EVENTS, META};
use super::clues::{self, Changes};
use super::{Clues, Leftover, Refused, RetentionError, Stored, Survey};
use agent_strace_model::tombstone::{DOOMED, LOGGED};

/// Sessions of a team lie one level deeper: `workspaces/TEAM/ID`.
const WORKSPACES: &str = "workspaces";
/// Folders of files that are called like the session they were made from.
const DERIVED: &[&str] = &["checkpoints", "baselines"];
/// Files below a session.
const DEEPEST: usize = 16;
/// What a recorder that works names its session in.
const MARKER: &str = ".active-session";
/// A marker holds one id.
const LONGEST_MARKER: u64 = 4 << 10;

/// Looks through a store. `now`: what lies far behind it proves nothing.
pub fn survey(store: &Path, clues: Clues, now: Timestamp) -> Result<Survey, RetentionError> {
    let found = store.symlink_metadata().map_err(|error| RetentionError::of(store, &error))?;
    if found.is_symlink() {
        return Err(RetentionError::new(store, "the store is a link, which is not followed: name where it leads to"));
    }
    if !found.is_dir() {
        return Err(RetentionError::new(store, "it is not a directory"));
    }
    if store.join(".git").symlink_metadata().is_ok() {
        return Err(RetentionError::new(store, "it holds `.git`: it is a repository, not a trace store"));
    }
    let mut looking = Looking { store, clues, now, derived: 0, found: Survey::default() };
    looking.folder(store, StoreFolder::Store);
    let mut survey = looking.found;
    // Files that were made from a session were counted with the folder they lie in, too.
    survey.others = survey.others.saturating_sub(looking.derived);
    survey.sessions.sort_by(|left, right| {
        let start = |session: &Stored| session.started.map(|started| started.at);
        start(left).cmp(&start(right)).then_with(|| left.path.cmp(&right.path))
    });
    survey.refused.sort();
    survey.refused.dedup();
    Ok(survey)
}

/// Where sessions may lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StoreFolder {
    Store,
    /// `workspaces`, which holds folders with sessions.
    Workspaces,
    Workspace,
}

struct Looking<'s> {
    store: &'s Path,
    clues: Clues,
    now: Timestamp,
    /// Bytes of files that were made from sessions.
    derived: u64,
    found: Survey,
}

impl Looking<'_> {
    fn folder(&mut self, folder: &Path, folder_kind: StoreFolder) {
        let entries = match entries(folder) {
            Ok(entries) => entries,
            Err(error) => return self.refuse(folder, super::why(&error)),
        };
        if is_session(folder) {
            self.refuse(folder, "a session where the store has none: not counted, and not deleted");
        }
        let markers = markers(folder, &entries);
        for entry in entries {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => self.directory(&path, folder_kind, &markers),
                Ok(kind) if kind.is_symlink() => self.refuse(&path, "a link: not followed, and not deleted"),
                Ok(_) => self.found.others = self.found.others.saturating_add(length(&path)),
                Err(error) => self.refuse(&path, super::why(&error)),
            }
        }
    }

    fn directory(&mut self, path: &Path, folder_kind: StoreFolder, markers: &[String]) {
        let name = path.file_name().unwrap_or_default();
        let shown = name.to_string_lossy();
        for (prefix, is_logged) in [(DOOMED, false), (LOGGED, true)] {
            if let Some(was) = shown.strip_prefix(prefix) {
                self.found.leftovers.push(Leftover { folder: path.to_path_buf(), name: was.into(), is_logged });
                return;
            }
        }
        match folder_kind {
            StoreFolder::Store if shown == WORKSPACES => return self.folder(path, StoreFolder::Workspaces),
            StoreFolder::Workspaces => return self.folder(path, StoreFolder::Workspace),
            StoreFolder::Store | StoreFolder::Workspace => {}
        }
        if is_session(path) {
            self.session(path, &shown, markers);
        } else {
            self.other(path, 0);
        }
    }

    fn session(&mut self, path: &Path, name: &str, markers: &[String]) {
        let mut tree = Tree::default();
        tree.add(path, 0);
        tree.changes.of_folder(path);
        if let Some((at, reason)) = tree.unfit {
            return self.refuse(&at, reason);
        }
        let mut when = clues::of(path, (self.clues == Clues::Files).then_some(tree.changes), self.now);
        when.damage
            .extend(tree.links.iter().map(|link| format!("`{}`: a link, which is not followed", self.below(link))));
        let marked =
            || markers.iter().any(|marker| marker == name).then(|| "a recorder names it as running".to_owned());
        let running = if when.is_finished { None } else { when.activity(self.now).or_else(marked) };
        let mut session = Stored {
            path: self.below(path),
            name: name.to_owned(),
            folder: path.to_path_buf(),
            started: when.started,
            running,
            bytes: tree.bytes,
            damage: when.damage,
            derived: Vec::new(),
        };
        for file in derived(path, name) {
            if file.is_symlink() {
                self.refuse(&file, "a link: not followed, and not deleted");
                continue;
            }
            session.bytes = session.bytes.saturating_add(length(&file));
            self.derived = self.derived.saturating_add(length(&file));
            session.derived.push(file);
        }
        self.found.sessions.push(session);
    }

    /// A folder that is no session. One further down in it is out of place: its store would never delete it.
    fn other(&mut self, folder: &Path, depth: usize) {
        if depth > DEEPEST {
            return self.refuse(folder, format!("nested deeper than {DEEPEST} folders: not looked into"));
        }
        let entries = match entries(folder) {
            Ok(entries) => entries,
            Err(error) => return self.refuse(folder, super::why(&error)),
        };
        for entry in entries {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && is_session(&path) => {
                    self.refuse(&path, "a session where the store has none: not counted, and not deleted");
                }
                Ok(kind) if kind.is_dir() => self.other(&path, depth + 1),
                Ok(kind) if kind.is_symlink() => self.refuse(&path, "a link: not followed, and not deleted"),
                Ok(_) => self.found.others = self.found.others.saturating_add(length(&path)),
                Err(error) => self.refuse(&path, super::why(&error)),
            }
        }
    }

    fn refuse(&mut self, path: &Path, reason: impl Into<String>) {
        self.found.refused.push(Refused { path: self.below(path), reason: reason.into() });
    }

    fn below(&self, path: &Path) -> String {
        let below = path.strip_prefix(self.store).unwrap_or(path);
        let below = if below.as_os_str().is_empty() { ".".into() } else { below.to_string_lossy() };
        if cfg!(windows) { below.replace('\\', "/") } else { below.into_owned() }
    }
}

/// What lies below a session's directory.
#[derive(Debug, Default)]
struct Tree {
    bytes: u64,
    changes: Changes,
    links: Vec<PathBuf>,
    /// Why it can't be deleted as a whole.
    unfit: Option<(PathBuf, String)>,
}

impl Tree {
    fn add(&mut self, folder: &Path, depth: usize) {
        if depth > DEEPEST {
            self.unfit = Some((folder.to_path_buf(), format!("nested deeper than {DEEPEST} folders: not deleted")));
            return;
        }
        let entries = match entries(folder) {
            Ok(entries) => entries,
            Err(error) => {
                self.unfit = Some((folder.to_path_buf(), super::why(&error)));
                return;
            }
        };
        for entry in entries {
            let (path, kind) = (entry.path(), entry.file_type().ok());
            if kind.is_some_and(|kind| kind.is_dir()) {
                if is_session(&path) {
                    let reason = "a session inside of another one: neither is deleted".to_owned();
                    self.unfit = Some((path, reason));
                    return;
                }
                self.add(&path, depth + 1);
            } else if kind.as_ref().is_some_and(FileType::is_symlink) {
                self.links.push(path);
            } else {
                let Ok(found) = path.symlink_metadata() else { continue };
                self.bytes = self.bytes.saturating_add(found.len());
                if depth == 0 {
                    self.changes.note(&entry.file_name(), &found);
                }
            }
        }
    }
}

fn entries(folder: &Path) -> io::Result<Vec<DirEntry>> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(DirEntry::file_name);
    Ok(entries)
}

pub(super) fn is_session(folder: &Path) -> bool {
    [EVENTS, META].iter().any(|name| folder.join(name).symlink_metadata().is_ok())
}

fn length(path: &Path) -> u64 {
    path.symlink_metadata().map_or(0, |found| found.len())
}

/// Files beside a session that are called like it.
pub(super) fn derived(session: &Path, name: &str) -> Vec<PathBuf> {
    let Some(parent) = session.parent() else { return Vec::new() };
    let mut found = Vec::new();
    for folder in DERIVED.iter().map(|folder| parent.join(folder)) {
        // A folder that is a link is told where it stands.
        if folder.symlink_metadata().is_ok_and(|folder| folder.is_dir()) {
            found.extend(["md", "json"].iter().map(|extension| folder.join(format!("{name}.{extension}"))));
        }
    }
    found.retain(|file| file.symlink_metadata().is_ok_and(|found| !found.is_dir()));
    found
}

/// The sessions that recorders name as running.
fn markers(folder: &Path, entries: &[DirEntry]) -> Vec<String> {
    let marker = |entry: &&DirEntry| {
        entry.file_name().to_string_lossy().starts_with(MARKER) && entry.file_type().is_ok_and(|kind| kind.is_file())
    };
    let names = entries.iter().filter(marker).filter(|entry| length(&entry.path()) <= LONGEST_MARKER);
    names.filter_map(|entry| Some(fs::read_to_string(folder.join(entry.file_name())).ok()?.trim().to_owned())).collect()
}
