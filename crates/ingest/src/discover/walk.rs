//! Walks a folder, in sorted order, never out of it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Component, Path, PathBuf};

use super::Found;
use super::arrange::{Listed, Listing, Scope, arrange};
use super::beside;
use super::load::unreadable;
use super::origin::Origin;
use super::store::{EVENTS, META, RECORDER};
use agent_strace_model::tombstone::is_tombstone;
use agent_strace_model::{Gap, GapKind};

/// Folders below the one that was named.
const MAX_DEPTH: usize = 16;

/// Files and folders of one walk.
const MAX_ENTRIES: usize = 500_000;

const LEAVES: &str = "a symbolic link that leaves the folder: not followed";

/// A path as reports show it.
pub(super) fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}

/// A log or a folder that the user named. A name may come from a glob over files of the change, so a link is a gap: what it
/// leads to has a name of its own.
pub(super) fn path(path: &Path) -> Found {
    if let Some(link) = link_on_the_way(path, Last::Refused) {
        return refused(path, &link);
    }
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => folder(path),
        Ok(_) => single(path, Scope::Everything),
        Err(error) => Found { gaps: vec![gap(path, unreadable(&error))], ..Found::default() },
    }
}

/// The trace store, or a session in it. A user may keep the store behind a link, but not one that the change may have put
/// into the workspace.
pub(super) fn store(trace_dir: &Path, path: &Path) -> Found {
    match link_on_the_way(trace_dir, Last::Followed) {
        Some(link) => refused(trace_dir, &link),
        None => inside(trace_dir, path),
    }
}

fn refused(path: &Path, link: &Path) -> Found {
    let detail = if link == path {
        "a symbolic link: not followed; name what it leads to".to_owned()
    } else {
        format!("`{}` in it is a symbolic link: not followed; name what it leads to", shown(link))
    };
    Found { gaps: vec![gap(path, GapKind::unreadable(detail))], ..Found::default() }
}

/// How discovery treats a link outside of the workspace that ends a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    Refused,
    Followed,
}

/// The first symbolic link of a path, as far as it lies in the workspace or is its end. A folder above may be one: many
/// systems have `/tmp` or home folders behind a link.
fn link_on_the_way(path: &Path, last: Last) -> Option<PathBuf> {
    let mut so_far = PathBuf::new();
    let mut components = path.components().peekable();
    let mut top = None;
    while let Some(component) = components.next() {
        so_far.push(component);
        let is_link = so_far.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        if !matches!(component, Component::Normal(_)) || !is_link {
            continue;
        }
        let is_last = components.peek().is_none();
        if is_last && last == Last::Refused || is_inside(&so_far, top.get_or_insert_with(workspace)) {
            return Some(so_far);
        }
    }
    None
}

/// Returns true if the file itself lies in the workspace, even if it is a link that leads out.
fn is_inside(link: &Path, workspace: &Path) -> bool {
    let parent = link.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    parent.canonicalize().map_or(true, |parent| parent.starts_with(workspace))
}

/// The repository around the current directory, else that directory.
fn workspace() -> PathBuf {
    let here = Path::new(".").canonicalize().unwrap_or_default();
    repository_around(&here).unwrap_or(&here).to_path_buf()
}

/// The top of the repository that a folder lies in.
pub fn repository_around(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())
}

/// Everything in a folder.
pub(super) fn folder(path: &Path) -> Found {
    inside(path, path)
}

/// Everything in `path`, which lies in `root`, which nothing may leave.
pub(super) fn inside(root: &Path, path: &Path) -> Found {
    let mut walk = Walk { top: path.to_path_buf(), ..Walk::default() };
    match (root.canonicalize(), path.canonicalize()) {
        (Ok(root), Ok(real)) if real.starts_with(&root) => {
            walk.root = root;
            walk.listing.name = real.file_name().map(|name| name.to_string_lossy().into_owned());
            walk.visit(path, &real, 0);
        }
        (Ok(_), Ok(_)) => walk.gap(path, GapKind::unreadable(LEAVES)),
        (Err(error), _) | (_, Err(error)) => walk.gap(path, unreadable(&error)),
    }
    walk.finish()
}

/// Files of one folder that lie where logs do, and tell of one session: they may be something else that is no log.
pub(super) fn files(paths: &[PathBuf], numbered: &mut Numbered) -> Found {
    together(paths, Scope::Logs, numbered)
}

/// One file, and what belongs to it.
pub(super) fn single(path: &Path, scope: Scope) -> Found {
    together(&[path.to_path_buf()], scope, &mut Numbered::default())
}

/// The files of the folder that was looked into last whose names end in a number: parts of logs that were cut.
#[derive(Debug, Default)]
pub(super) struct Numbered {
    folder: PathBuf,
    /// `None`: the folder can't be listed.
    names: Option<BTreeSet<String>>,
}

impl Numbered {
    /// The parts of a log, in the order of their numbers.
    fn parts(&mut self, folder: &Path, name: &str) -> Vec<String> {
        if self.folder != folder {
            self.names = numbered(folder).ok();
            self.folder = folder.to_path_buf();
        }
        let first = format!("{name}.");
        let Some(names) = &self.names else {
            // Each may be there all the same.
            let parts = (1..1_000).map(|number| format!("{first}{number:03}"));
            return parts.filter(|part| folder.join(part).symlink_metadata().is_ok()).collect();
        };
        let parts = names.range(first.clone()..).take_while(|part| part.starts_with(&first));
        parts.filter(|part| number(part).is_some_and(|(log, _)| log == name)).cloned().collect()
    }
}

/// The names in a folder that end in a number.
fn numbered(folder: &Path) -> io::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        // The names of parts are Unicode, as that of their log is.
        names.extend(entry?.file_name().into_string().ok().filter(|name| number(name).is_some()));
    }
    Ok(names)
}

/// The name of a log and the number of its part, from 1 to 999.
fn number(name: &str) -> Option<(&str, u16)> {
    let (log, number) = name.rsplit_once('.')?;
    let is_number = number.len() == 3 && number.bytes().all(|byte| byte.is_ascii_digit());
    let number = number.parse().ok().filter(|number| *number > 0 && is_number)?;
    Some((log, number))
}

/// Files of one folder, and what belongs to each: the `meta.json` beside events, the other parts of a log that was cut, the
/// files beside a log that say more about it.
fn together(paths: &[PathBuf], scope: Scope, numbered: &mut Numbered) -> Found {
    let parent = paths.first().and_then(|path| path.parent()).unwrap_or(Path::new("")).to_path_buf();
    let mut walk = Walk { top: parent, ..Walk::default() };
    walk.listing.scope = scope;
    for path in paths {
        walk.with_what_belongs_to_it(path, numbered);
    }
    // Events without metadata are a log like any other: nobody said that they are in a store.
    let alone = walk.listing.files.len() == 1 && walk.listing.gaps.is_empty();
    if alone && let Some(file) = walk.listing.files.pop() {
        return file.only(scope);
    }
    walk.finish()
}

#[derive(Default)]
struct Walk {
    /// As named by the user.
    top: PathBuf,
    /// All links resolved.
    root: PathBuf,
    listing: Listing,
    /// Files and folders so far.
    entries: usize,
}

impl Walk {
    fn with_what_belongs_to_it(&mut self, path: &Path, numbered: &mut Numbered) {
        let parent = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(error) => return self.gap(path, unreadable(&error)),
        };
        let folder = real.parent().unwrap_or(&real).to_path_buf();
        self.listing.name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        self.root.clone_from(&folder);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name == EVENTS && folder.join(META).symlink_metadata().is_ok() {
            self.list(&parent.join(META), folder.join(META));
            if folder.join(RECORDER).symlink_metadata().is_ok() {
                self.list(&parent.join(RECORDER), folder.join(RECORDER));
            }
        }
        let parts = numbered.parts(&folder, &name).into_iter();
        let is_file = |name: &String| folder.join(name).symlink_metadata().is_ok_and(|found| found.is_file());
        for name in parts.chain(beside::names(&name).into_iter().filter(is_file)) {
            self.list(&parent.join(&name), folder.join(&name));
        }
        self.list(path, real);
    }

    fn finish(mut self) -> Found {
        self.listing.shown = shown(&self.top);
        arrange(self.listing)
    }

    /// `real` is `path` with all links resolved.
    fn visit(&mut self, path: &Path, real: &Path, depth: usize) {
        if depth > MAX_DEPTH {
            return self.gap(path, GapKind::limit(format!("nested deeper than {MAX_DEPTH} folders: not read")));
        }
        let entries = match fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<DirEntry>>>) {
            Ok(entries) => entries,
            Err(error) => return self.gap(path, unreadable(&error)),
        };
        let mut names: Vec<_> = entries.into_iter().map(|entry| entry.file_name()).collect();
        names.sort();
        self.entries += names.len();
        if self.entries > MAX_ENTRIES {
            return self.gap(path, GapKind::limit(format!("more than {MAX_ENTRIES} files and folders: not read")));
        }
        for name in &names {
            self.entry(&path.join(name), real, name, depth);
        }
    }

    fn entry(&mut self, path: &Path, parent: &Path, name: &OsStr, depth: usize) {
        let kind = match path.symlink_metadata() {
            Ok(metadata) => metadata.file_type(),
            Err(error) => return self.gap(path, unreadable(&error)),
        };
        if kind.is_symlink() {
            self.link(path, parent);
        } else if kind.is_dir() {
            // Git's own files are no logs, and what is being deleted is none any more.
            if name != ".git" && !is_tombstone(&name.to_string_lossy()) {
                self.visit(path, &parent.join(name), depth + 1);
            }
        } else if kind.is_file() {
            self.list(path, parent.join(name));
        } else {
            self.refuse(path, "not a regular file");
        }
    }

    /// What a link leads to is walked under its own name when it lies in the folder.
    fn link(&mut self, path: &Path, parent: &Path) {
        match path.canonicalize() {
            Ok(real) if !real.starts_with(&self.root) => self.refuse(path, LEAVES),
            Ok(real) if parent.starts_with(&real) => {
                self.refuse(path, "a loop: a symbolic link to a folder it lies in");
            }
            Ok(real) if real.is_dir() => {}
            Ok(real) => self.list(path, real),
            Err(_) => self.refuse(path, "a symbolic link that leads nowhere, or in a loop"),
        }
    }

    fn list(&mut self, path: &Path, real: PathBuf) {
        match real.metadata() {
            Ok(metadata) if metadata.is_file() => {
                let origin = Origin::File { path: real, within: self.root.clone() };
                self.push(path, metadata.len(), Ok(origin));
            }
            Ok(_) => self.refuse(path, "not a regular file"),
            Err(error) => self.push(path, 0, Err(unreadable(&error))),
        }
    }

    fn refuse(&mut self, path: &Path, reason: &'static str) {
        self.push(path, 0, Err(GapKind::unreadable(reason)));
    }

    fn push(&mut self, path: &Path, size: u64, origin: Result<Origin, GapKind>) {
        let below = shown(path.strip_prefix(&self.top).unwrap_or(path));
        let shown = shown(path);
        self.listing.files.push(Listed { path: below, shown, size, origin, beside: Vec::new() });
    }

    fn gap(&mut self, path: &Path, kind: GapKind) {
        self.listing.gaps.push(gap(path, kind));
    }
}

fn gap(path: &Path, kind: GapKind) -> Gap {
    Gap::of_file(shown(path), kind)
}
