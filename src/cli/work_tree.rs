//! Looks at the files that exist in a work tree: their names and times. No file is opened.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, FileType, Metadata};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::environment::Environment;
use super::failure::Failure;
use agent_strace_effects::{ExistingFile, Look, LookedAt, WorkTree};

/// Entries of directories that one look reads, at most.
const MOST: usize = 20_000;
/// Directories below each other that one look goes into, at most.
const DEEPEST: usize = 32;

/// Directories that no look goes into.
const MADE_UP: &[&str] = &["/dev", "/net", "/proc", "/sys"];

/// A directory of this machine.
#[derive(Debug)]
pub(super) struct DiskTree {
    /// As the user calls it.
    shown: String,
    /// With every link resolved.
    top: PathBuf,
    tops: Vec<String>,
    looks: Mutex<BTreeMap<String, Arc<Look>>>,
}

impl DiskTree {
    /// The work tree that `--work-tree` names.
    pub(super) fn asked_for(folder: &Path, environment: Environment) -> Result<Self, Failure> {
        if environment.ci {
            let why = "`--work-tree` is not for CI: its checkout is not the work tree in which the agent ran";
            return Err(Failure::new(why).hint("leave out the option, or run `check` where the session ran"));
        }
        Self::at(folder).map_err(|error| {
            let reason = super::failure::reason(&error);
            Failure::new(format!("the work tree `{}` can't be looked at: {reason}", folder.display()))
        })
    }

    pub(super) fn at(folder: &Path) -> std::io::Result<Self> {
        let top = folder.canonicalize()?;
        if !top.is_dir() {
            return Err(std::io::ErrorKind::NotADirectory.into());
        }
        let named = std::path::absolute(folder)?;
        let mut tops: Vec<String> = [&named, &top].into_iter().filter_map(|path| normal(path)).collect();
        tops.dedup();
        Ok(Self { shown: folder.display().to_string(), top, tops, looks: Mutex::default() })
    }

    /// The same, where sessions may know it by these names, too.
    pub(super) fn also_known_as<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Self {
        let more = names.into_iter().filter_map(|name| normal(Path::new(name)));
        let tops = self.tops.iter().cloned().chain(more).collect();
        Self { shown: self.shown.clone(), top: self.top.clone(), tops, looks: Mutex::default() }
    }
}

impl WorkTree for DiskTree {
    fn name(&self) -> &str {
        &self.shown
    }

    fn tops(&self) -> &[String] {
        &self.tops
    }

    fn look(&self, folder: &str) -> Arc<Look> {
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        let known = looks.entry(folder.to_owned()).or_insert_with(|| Arc::new(Walk::new(&self.top).walk(folder)));
        Arc::clone(known)
    }

    fn changed(&self, file: &str) -> Option<SystemTime> {
        let path = self.top.join(file);
        let (own, target) = (fs::symlink_metadata(&path).ok()?, fs::metadata(&path).ok()?);
        Some(changed(&own)?.max(changed(&target)?))
    }

    fn looks(&self) -> Vec<LookedAt> {
        let looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        let looked = |(folder, look): (&String, &Arc<Look>)| LookedAt {
            folder: if folder.is_empty() { ".".to_owned() } else { folder.clone() },
            files: look.files.len(),
            is_complete: look.is_complete,
        };
        looks.iter().map(looked).collect()
    }
}

/// A path as sessions spell it.
fn normal(path: &Path) -> Option<String> {
    let text = path.to_str()?.replace('\\', "/");
    let text = text.strip_prefix("//?/").unwrap_or(&text);
    Some(text.trim_end_matches('/').to_owned()).filter(|text| !text.is_empty())
}

/// The latest time at which the file was made, renamed or changed.
#[cfg(unix)]
fn changed(found: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    use std::time::Duration;

    let seconds = u64::try_from(found.ctime()).ok()?;
    let rest = u32::try_from(found.ctime_nsec()).ok()?;
    let named = SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, rest))?;
    Some(named.max(found.modified().ok()?))
}

#[cfg(not(unix))]
fn changed(found: &Metadata) -> Option<SystemTime> {
    Some(found.created().ok()?.max(found.modified().ok()?))
}

/// A directory that waits to be read.
struct Waiting {
    /// From the top.
    path: String,
    /// Its path with every link resolved, where a link led to it or to a directory above it.
    real: Option<PathBuf>,
    /// The directories above it, with every link resolved.
    above: Vec<PathBuf>,
}

/// One look. It goes through directories by their depth, and in the order of their names.
struct Walk<'t> {
    top: &'t Path,
    look: Look,
    left: usize,
    waiting: VecDeque<Waiting>,
}

impl<'t> Walk<'t> {
    fn new(top: &'t Path) -> Self {
        let look = Look { is_complete: true, ..Look::default() };
        Self { top, look, left: MOST, waiting: VecDeque::new() }
    }

    fn walk(mut self, folder: &str) -> Look {
        self.start(folder);
        while let Some(folder) = self.waiting.pop_front() {
            if self.left == 0 {
                self.look.is_complete = false;
                break;
            }
            self.read(&folder);
        }
        self.look.files.sort();
        self.look
    }

    /// A set may name a single file, or what does not exist.
    fn start(&mut self, folder: &str) {
        let path = self.top.join(folder);
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(error) if is_missing(&error) => {
                // A link that leads nowhere may lead somewhere soon.
                let there = path.ancestors().find_map(|above| fs::symlink_metadata(above).ok());
                self.look.is_complete = there.is_some_and(|there| !there.is_symlink());
                return;
            }
            Err(_) => return self.look.is_complete = false,
        };
        if is_made_up(&real) {
            return self.look.is_complete = false;
        }
        let real = (real != path).then_some(real);
        self.look.has_links |= real.is_some();
        if path.is_dir() {
            self.waiting.push_back(Waiting { path: folder.to_owned(), real, above: Vec::new() });
        } else {
            let leads_to = real.as_deref().and_then(|real| self.counted(real));
            self.look.files.push(ExistingFile { path: folder.to_owned(), leads_to });
        }
    }

    fn read(&mut self, folder: &Waiting) {
        let place = folder.real.clone().unwrap_or_else(|| self.top.join(&folder.path));
        let Some(names) = self.names(&place) else { return self.look.is_complete = false };
        for (name, kind) in names {
            let path = if folder.path.is_empty() { name.clone() } else { format!("{}/{name}", folder.path) };
            let below = place.join(&name);
            if kind.is_symlink() {
                self.follow(folder, path, &below);
            } else if kind.is_dir() {
                self.enter(folder, path, folder.real.is_some().then_some(below));
            } else {
                let leads_to = folder.real.as_ref().and_then(|_| self.counted(&below));
                self.look.files.push(ExistingFile { path, leads_to });
            }
        }
    }

    /// The entries of a directory. `None`: they can't all be read.
    fn names(&mut self, place: &Path) -> Option<Vec<(String, FileType)>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(place).ok()? {
            let entry = entry.ok()?;
            self.left = self.left.checked_sub(1)?;
            names.push((entry.file_name().into_string().ok()?, entry.file_type().ok()?));
        }
        names.sort_by(|(one, _), (other, _)| one.cmp(other));
        Some(names)
    }

    fn follow(&mut self, folder: &Waiting, path: String, link: &Path) {
        match link.canonicalize() {
            // The kernel makes these files up, and some of them have no end.
            Ok(real) if is_made_up(&real) => self.look.is_complete = false,
            Ok(real) if real.is_dir() => {
                self.look.has_links = true;
                self.enter(folder, path, Some(real));
            }
            Ok(real) => {
                let leads_to = self.counted(&real);
                self.look.files.push(ExistingFile { path, leads_to });
            }
            // It leads to no file now, and may lead to one soon.
            Err(_) => self.look.is_complete = false,
        }
    }

    /// A link to a directory above would have no end.
    fn enter(&mut self, folder: &Waiting, path: String, real: Option<PathBuf>) {
        let own = folder.real.clone().unwrap_or_else(|| self.top.join(&folder.path));
        let above: Vec<PathBuf> = folder.above.iter().cloned().chain([own]).collect();
        let is_above = real.as_ref().is_some_and(|real| above.contains(real));
        if is_above || above.len() > DEEPEST {
            self.look.is_complete = false;
        } else {
            self.waiting.push_back(Waiting { path, real, above });
        }
    }

    /// The path from the top of the work tree, or an absolute one.
    fn counted(&self, real: &Path) -> Option<String> {
        let inside = real.strip_prefix(self.top).ok().and_then(Path::to_str);
        inside.map(|path| path.replace('\\', "/")).or_else(|| normal(real))
    }
}

fn is_made_up(real: &Path) -> bool {
    MADE_UP.iter().any(|start| real.starts_with(start))
}

fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}
