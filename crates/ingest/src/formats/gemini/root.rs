//! The project that a session belongs to: the log names it by a digest, and hosts name its folder in other places.

use std::borrow::Cow;
use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use crate::json::{Raw, elements, filled, object, record, text};
use agent_strace_model::{Arguments, Session};

/// More folders are not tried.
const MOST: usize = 2_000;

record! {
    struct Paths { file = "file_path", absolute = "absolute_path", path = "path", folder = "dir_path", directory = "directory" }
}

/// The first of the workspace's folders that the log lists.
pub(super) fn listed(directories: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    filled(elements(directories).first().copied())
}

/// The first folder that the host lists in the text that it puts before the first prompt.
pub(super) fn introduced(words: Raw<'_>) -> Option<String> {
    let text = text(Some(words))?;
    let (_, list) = text.split_once("- **Workspace Directories:**\n")?;
    let folder = list.lines().next()?.trim().strip_prefix("- ")?.trim();
    (!folder.is_empty()).then(|| folder.to_owned())
}

/// Whether the digest that the log names its project by is that of this folder.
pub(super) fn is_project(folder: &str, digest: &str) -> bool {
    let found = Sha256::digest(folder.as_bytes());
    let mut hex = String::with_capacity(64);
    for byte in found {
        for digit in [byte >> 4, byte & 15] {
            hex.extend(char::from_digit(u32::from(digit), 16));
        }
    }
    hex == digest
}

/// The folder with this digest among those that lie above the paths of the session's calls.
pub(super) fn of_paths(session: &Session<'_>, digest: &str) -> Option<String> {
    if digest.len() != 64 {
        return None;
    }
    let mut tried = BTreeSet::new();
    for (_, call) in session.calls() {
        let Arguments::Json(json) = &call.arguments else { continue };
        let Some(paths) = object::<Paths<'_>>(Some(Raw::new(json))) else { continue };
        for path in
            [paths.file, paths.absolute, paths.path, paths.folder, paths.directory].into_iter().filter_map(filled)
        {
            if let Some(found) = above(&path, digest, &mut tried) {
                return Some(found);
            }
            if tried.len() > MOST {
                return None;
            }
        }
    }
    None
}

fn above(path: &str, digest: &str, tried: &mut BTreeSet<String>) -> Option<String> {
    let mut rest = Some(path).filter(|path| path.starts_with('/') || path.get(1..3) == Some(":\\"));
    while let Some(folder) = rest.filter(|folder| !folder.is_empty()) {
        if !tried.insert(folder.to_owned()) {
            return None;
        }
        if is_project(folder, digest) {
            return Some(folder.to_owned());
        }
        rest = folder.rsplit_once(['/', '\\']).map(|(above, _)| above);
    }
    None
}
