//! The repositories that a command works on.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::failure::{Failure, reason};

/// Folders of repositories are looked through so deep: `owner/name`.
const DEPTH: usize = 2;
/// A longer list is a mistake.
const LONGEST_LIST: u64 = 64 << 20;

/// A repository as it was named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Target {
    pub(super) shown: String,
    pub(super) path: PathBuf,
}

/// All that were named, each once, in the order they were named.
pub(super) fn targets(
    named: &[PathBuf],
    repos_from: Option<&str>,
    stdin: &mut dyn Read,
) -> Result<Vec<Target>, Failure> {
    let mut named = named.to_vec();
    if let Some(file) = repos_from {
        named.extend(listed(file, stdin)?);
    } else if named.is_empty() {
        named.push(PathBuf::from("."));
    }
    let mut all = Vec::new();
    for path in named {
        if !is_repository(&path) {
            let mut below = Vec::new();
            repositories(&path, DEPTH, &mut below)?;
            if !below.is_empty() {
                all.extend(below);
                continue;
            }
        }
        all.push(path);
    }
    let mut known = BTreeSet::new();
    // One repository may have several names; a folder that is not there fails later.
    all.retain(|path| known.insert(path.canonicalize().unwrap_or_else(|_| path.clone())));
    if all.is_empty() {
        return Err(Failure::new("no repository was named").hint("the list of `--repos-from` has no path in it"));
    }
    Ok(all.into_iter().map(|path| Target { shown: path.display().to_string(), path }).collect())
}

/// Paths in a list are relative to the current directory, as those of `--repo` are.
fn listed(file: &str, stdin: &mut dyn Read) -> Result<Vec<PathBuf>, Failure> {
    let unusable = |error: &std::io::Error| Failure::new(format!("can't read the list `{file}`: {}", reason(error)));
    let mut text = String::new();
    let read = match file {
        "-" => stdin.take(LONGEST_LIST).read_to_string(&mut text),
        _ => fs::File::open(file).and_then(|file| file.take(LONGEST_LIST).read_to_string(&mut text)),
    };
    read.map_err(|error| unusable(&error))?;
    let lines = text.lines().map(|line| line.split_once(" #").map_or(line, |(path, _)| path).trim());
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(PathBuf::from).collect())
}

/// A work tree with its `.git`, or a bare repository.
fn is_repository(path: &Path) -> bool {
    path.join(".git").symlink_metadata().is_ok()
        || path.join("HEAD").is_file() && path.join("objects").is_dir() && path.join("refs").is_dir()
}

/// Repositories in a folder, sorted. Links are not followed.
fn repositories(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable = |error: &std::io::Error| {
        Failure::new(format!("can't look for repositories in `{}`: {}", folder.display(), reason(error)))
    };
    // What is no folder, or is not there, is told of when it is opened as a repository.
    if !folder.is_dir() {
        return Ok(());
    }
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| unreadable(&error))? {
        let entry = entry.map_err(|error| unreadable(&error))?;
        if entry.file_type().map_err(|error| unreadable(&error))?.is_dir() {
            folders.push(entry.path());
        }
    }
    folders.sort();
    for folder in folders {
        if is_repository(&folder) {
            found.push(folder);
        } else if depth > 1 {
            repositories(&folder, depth - 1, found)?;
        }
    }
    Ok(())
}
