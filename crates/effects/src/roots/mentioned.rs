//! Collects the words in the calls of a session that look like paths. They show which directory is likely to be the top.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use agent_strace_model::{Arguments, Session};

use super::Repository;

/// Words that are looked at.
const WORDS: usize = 20_000;
/// Bytes of arguments that are looked at, of one call and of all.
const BYTES_OF_CALL: usize = 16 << 10;
const BYTES: usize = 4 << 20;

/// Absolute names of what may be files.
#[derive(Debug, Default)]
pub(super) struct Mentioned(BTreeSet<String>);

/// How well the names fit a directory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Matches {
    /// Names of files that the repository has.
    pub(super) files: usize,
    /// Names of others, in a directory that it has.
    pub(super) folders: usize,
    /// Names of others, in a directory in which it has files of the same kind.
    pub(super) alike: usize,
    /// Names of others, whose way starts with a directory that it has.
    pub(super) starts: usize,
}

impl Mentioned {
    pub(super) fn of(session: &Session<'_>) -> Self {
        let mut names = BTreeSet::new();
        let mut left = BYTES;
        for (_, call) in session.recorded_calls() {
            let (Arguments::Json(text) | Arguments::Text(text)) = &call.arguments else { continue };
            let start = call.cwd.as_deref().or(session.root.as_deref()).map(str::to_owned);
            let mut end = text.len().min(BYTES_OF_CALL).min(left);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            left -= end;
            add_names(text.get(..end).unwrap_or_default(), start, &mut names);
            if left == 0 || names.len() > WORDS {
                break;
            }
        }
        Self(names)
    }

    /// Some name lies below the directory.
    pub(super) fn names_below(&self, directory: &str) -> bool {
        let prefix = format!("{}/", directory.trim_end_matches('/'));
        self.0.range(prefix.clone()..).next().is_some_and(|name| name.starts_with(&prefix))
    }

    /// `tail`: from the directory to where the session was started. That the repository has it says nothing more.
    pub(super) fn matches(&self, root: &str, tail: &str, repository: &Repository) -> Matches {
        let mut matches = Matches::default();
        for path in self.below(root) {
            let is_further = |folder: &str| folder.len() > tail.len() && repository.has_folder(folder);
            if repository.has_file(path) {
                matches.files += 1;
            } else if path.rsplit_once('/').is_some_and(|(folder, _)| is_further(folder)) {
                matches.folders += 1;
            } else if repository.has_like(path) {
                matches.alike += 1;
            } else if start_beyond(path, tail).is_some_and(is_further) {
                matches.starts += 1;
            }
        }
        matches
    }

    /// The names below a directory, from there.
    fn below(&self, directory: &str) -> impl Iterator<Item = &str> {
        let prefix = format!("{}/", directory.trim_end_matches('/'));
        let length = prefix.len();
        let near = self.0.range(prefix.clone()..).take_while(move |name| name.starts_with(&prefix));
        near.filter_map(move |name| name.get(length..))
    }

    /// The directories outside of `known` below which names are that the repository has, with how many there are.
    pub(super) fn tops(&self, repository: &Repository, known: impl Fn(&str) -> bool) -> BTreeMap<String, usize> {
        let mut tops = BTreeMap::new();
        for name in self.0.iter().filter(|name| !known(name)) {
            for (top, _) in repository.tails_in(name) {
                *tops.entry(top.to_owned()).or_default() += 1;
            }
        }
        tops
    }
}

/// The start of a path that is one directory longer than `tail`.
fn start_beyond<'p>(path: &'p str, tail: &str) -> Option<&'p str> {
    let from = if tail.is_empty() { 0 } else { tail.len() + 1 };
    let end = from + path.get(from..)?.find('/')?;
    path.get(..end)
}

fn is_end(character: char) -> bool {
    character.is_whitespace() || character.is_control() || "\"'`=:;,|&<>(){}[]".contains(character) && character != ':'
}

fn is_likely(word: &str) -> bool {
    word.len() > 1 && word.len() <= 1024 && word.contains(['/', '.', '\\']) && !word.contains("..")
}

/// Words behind which a directory follows that the next words count from.
const MOVES: &[&str] = &["cd", "chdir", "pushd", "-C", "Set-Location", "sl"];

/// Adds the names in the arguments of a call. Commands often begin with the way to their directory.
fn add_names(text: &str, mut start: Option<String>, names: &mut BTreeSet<String>) {
    let mut moves = false;
    for word in text.split(is_end).filter(|word| !word.is_empty()) {
        if is_likely(word) {
            names.extend(absolute(word, start.as_deref()));
        }
        if moves {
            // The way up from somewhere leads to a place that the words do not tell.
            start = absolute(word, start.as_deref()).filter(|directory| !directory.contains(".."));
        }
        moves = MOVES.contains(&word);
    }
}

fn absolute(word: &str, start: Option<&str>) -> Option<String> {
    let word: Cow<'_, str> =
        if word.contains('\\') { word.replace("\\\\", "/").replace('\\', "/").into() } else { word.into() };
    let word = word.trim_start_matches("./").trim_end_matches('/');
    if word.starts_with('/') || word.as_bytes().get(1) == Some(&b':') {
        return Some(word.to_owned());
    }
    start.map(|start| format!("{}/{word}", start.replace('\\', "/").trim_end_matches('/')))
}
