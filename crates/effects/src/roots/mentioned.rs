//! Collects the words in the calls of a session that look like paths. They show which directory is likely to be the top.

use std::borrow::Cow;
use std::collections::BTreeSet;

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
}

impl Mentioned {
    pub(super) fn of(session: &Session<'_>) -> Self {
        let mut names = BTreeSet::new();
        let mut left = BYTES;
        for (_, call) in session.calls() {
            let (Arguments::Json(text) | Arguments::Text(text)) = &call.arguments else { continue };
            let start = call.cwd.as_deref().or(session.root.as_deref());
            let mut end = text.len().min(BYTES_OF_CALL).min(left);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            left -= end;
            let words = text.get(..end).unwrap_or_default().split(is_end).filter(|word| is_likely(word));
            names.extend(words.filter_map(|word| absolute(word, start)));
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

    pub(super) fn matches(&self, root: &str, repository: &Repository) -> Matches {
        let prefix = format!("{}/", root.trim_end_matches('/'));
        let near = self.0.range(prefix.clone()..).take_while(|name| name.starts_with(&prefix));
        let mut matches = Matches::default();
        for path in near.filter_map(|name| name.get(prefix.len()..)) {
            if repository.has_file(path) {
                matches.files += 1;
            } else if path.rsplit_once('/').is_some_and(|(folder, _)| repository.has_folder(folder)) {
                matches.folders += 1;
            }
        }
        matches
    }
}

fn is_end(character: char) -> bool {
    character.is_whitespace() || character.is_control() || "\"'`=:;,|&<>(){}[]".contains(character) && character != ':'
}

fn is_likely(word: &str) -> bool {
    word.len() > 1 && word.len() <= 1024 && word.contains(['/', '.', '\\']) && !word.contains("..")
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
