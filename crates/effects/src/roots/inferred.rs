//! The directory in which a session probably ran whose log names none: the one that holds all files that its tools name.
//!
//! It says what the session's files are called; it takes no other directory from what a policy forbids.

use std::collections::BTreeSet;

use agent_strace_model::{Arguments, Event, EventKind, Session};

use super::super::paths;

/// Arguments of tools that name one file.
const KEYS: &[&str] =
    &["file_path", "filePath", "path", "absolute_path", "target_file", "notebook_path", "file", "uri", "filename"];

/// Lines of patches that name a file.
const PATCHED: &[&str] = &["*** Update File: ", "*** Add File: ", "*** Delete File: "];

/// Bytes of arguments that are looked at, of one call and of all.
const BYTES_OF_CALL: usize = 1 << 20;
const BYTES: usize = 16 << 20;

/// Files at the top of a repository. Other directories hold files in common, too: `~/bin`, `~/Library/LaunchAgents`.
const MARKS: &[&str] = &[
    "AGENTS.md",
    "CHANGELOG.md",
    "CLAUDE.md",
    "CONTRIBUTING.md",
    "Cargo.toml",
    "Dockerfile",
    "GEMINI.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "composer.json",
    "go.mod",
    "mix.exs",
    "package.json",
    "pom.xml",
    "pyproject.toml",
    "requirements.txt",
    "setup.py",
    "tsconfig.json",
];

/// Fewer names show no directory that they have in common.
const NAMES: usize = 2;

/// Directories at the top of a disk that hold no repository, and how many more names lead to one in them. `0`: nothing in
/// them is a repository, as far as a session shows.
const ABOVE: &[(&str, usize)] = &[
    ("home", 2),
    ("users", 2),
    ("root", 1),
    ("srv", 1),
    ("mnt", 1),
    ("media", 1),
    ("data", 1),
    ("volumes", 1),
    ("tmp", 0),
    ("private", 0),
    ("etc", 0),
    ("usr", 0),
    ("var", 0),
    ("opt", 0),
    ("bin", 0),
    ("sbin", 0),
    ("lib", 0),
    ("boot", 0),
    ("dev", 0),
    ("proc", 0),
    ("run", 0),
    ("sys", 0),
    ("library", 0),
    ("system", 0),
    ("applications", 0),
    ("windows", 0),
    ("programdata", 0),
    ("program files", 0),
    ("program files (x86)", 0),
];

/// The directory, where the names show one.
pub(super) fn root(session: &Session<'_>) -> Option<String> {
    let mut left = BYTES;
    let mut names = BTreeSet::new();
    for event in &session.events {
        add_names(event, &mut left, &mut names);
    }
    let names = names.iter().map(|name| name.split('/').collect::<Vec<&str>>());
    let names: Vec<Vec<&str>> = names.filter(|parts| shows(parts)).collect();
    let (first, others) = names.split_first()?;
    let mut shared = first.len().saturating_sub(1);
    for other in others {
        let alike = first.iter().zip(other).take_while(|(one, other)| one == other).count();
        shared = shared.min(alike).min(other.len().saturating_sub(1));
    }
    let is_marked =
        names.iter().any(|parts| parts.len() == shared + 1 && parts.last().is_some_and(|name| MARKS.contains(name)));
    let directory = first.get(..shared).filter(|parts| is_marked && names.len() >= NAMES && is_deep(parts))?;
    paths::root(&directory.join("/"))
}

/// Files in hidden directories and in those of the system lie beside repositories.
fn shows(parts: &[&str]) -> bool {
    !parts.iter().any(|part| part.starts_with(['.', '~']))
        && parts.get(1).is_some_and(|top| wanted(top) != Some(0))
        && !parts.iter().any(|part| part.eq_ignore_ascii_case("appdata"))
}

/// Returns the number of names between a directory at the top of a disk and a repository.
fn wanted(top: &str) -> Option<usize> {
    ABOVE.iter().find(|(name, _)| name.eq_ignore_ascii_case(top)).map(|(_, wanted)| *wanted)
}

/// The parts begin with the disk: nothing, or `C:`.
fn is_deep(parts: &[&str]) -> bool {
    let Some(top) = parts.get(1) else { return false };
    parts.len() >= 2 + wanted(top).unwrap_or(0)
}

fn add_names(event: &Event<'_>, left: &mut usize, names: &mut BTreeSet<String>) {
    match &event.kind {
        EventKind::File(file) => names.extend(absolute(&file.target)),
        EventKind::Call(call) | EventKind::Copied(call) => {
            let (Arguments::Json(text) | Arguments::Text(text)) = &call.arguments else { return };
            if text.len() > BYTES_OF_CALL.min(*left) {
                return;
            }
            *left -= text.len();
            match serde_json::from_str::<serde_json::Value>(text) {
                Ok(serde_json::Value::Object(fields)) => {
                    let named = KEYS.iter().filter_map(|key| fields.get(*key)?.as_str());
                    names.extend(named.filter_map(absolute));
                    names.extend(fields.values().filter_map(serde_json::Value::as_str).flat_map(patched));
                }
                Ok(serde_json::Value::String(patch)) => names.extend(patched(&patch)),
                _ => names.extend(patched(text)),
            }
        }
        _ => {}
    }
}

fn patched(text: &str) -> impl Iterator<Item = String> {
    let starts = text.contains("*** Begin Patch");
    let lines = text.lines().filter(move |_| starts);
    lines.filter_map(|line| PATCHED.iter().find_map(|start| line.strip_prefix(start))).filter_map(absolute)
}

/// An absolute name, with `/`; nothing for a name that leads up.
fn absolute(name: &str) -> Option<String> {
    let name = name.trim().replace('\\', "/");
    let name = name.strip_prefix("file://").unwrap_or(&name);
    let is_absolute = name.starts_with('/') && !name.starts_with("//") || name.get(1..3) == Some(":/");
    let is_plain = !name.split('/').any(|part| part == "..") && !name.contains(['*', '\0', '\n']);
    (is_absolute && is_plain && name.len() <= 1024).then(|| name.trim_end_matches('/').to_owned())
}
