//! Resolves words of commands to files of the session.

use agent_strace_shell::Provenance;

use crate::{About, Certainty, PathTarget, World};

use super::argument::{Arg, Known};
use super::stream::Stream;

/// The content of a file before a command wrote to it.
#[derive(Debug)]
pub(crate) enum Before {
    /// The text is known, and the session keeps it: nobody copies it for each of many commands that append to it.
    Text,
    Other(Stream),
}

/// Directories above a file that are looked at.
const DIRECTORIES: usize = 32;
/// Directories into which builds and installations put programs.
const MADE: &[&str] =
    &["venv", ".venv", "env", "node_modules", "target", "build", "_build", "dist", "out", "bin", "vendor", ".tox"];

/// Tells a directory that was cloned from a file that was fetched. No command can spell the name.
fn clone_mark(directory: &PathTarget) -> PathTarget {
    PathTarget::new(format!("{}//clone", directory.path))
}

/// Build tools that call targets by labels, which start at the top of the workspace: `//api:test`.
const LABELLING: &[&str] = &["bazel", "bazelisk", "blaze", "buck", "buck2", "pants", "please", "plz"];

impl World {
    /// The target that a word names.
    pub(crate) fn locate_word(&self, word: &Arg) -> (PathTarget, Certainty) {
        let (text, certainty) = word.target();
        match word.known {
            Known::Partly | Known::Not => self.locate_unknown(text),
            Known::Exact | Known::Glob if text.starts_with('~') && !word.tilde => {
                self.locate(&format!("./{text}"), certainty)
            }
            Known::Exact | Known::Glob => self.locate(text, certainty),
        }
    }

    /// The working directory certainly exists after a `cd` from `before`: it is above the workspace or above `before`,
    /// every system has it, or the session made it.
    pub(super) fn surely_entered(&self, before: &str) -> bool {
        let Some(here) = self.cwd() else { return false };
        let above = |path: &str| path == here || path.starts_with(&format!("{}/", here.trim_end_matches('/')));
        let made = || self.is_written(&self.locate(here, Certainty::Exact).0);
        above(before) || self.root().is_some_and(above) || matches!(here, "/tmp" | "/" | "~") || made()
    }

    /// The working directory becomes what `word` names.
    pub(crate) fn enter_word(&mut self, word: &Arg) {
        match word.literal() {
            Some(text) if text.starts_with('~') && !word.tilde => {
                self.enter(&format!("./{text}"), Certainty::Exact);
            }
            Some(text) => self.enter(text, Certainty::Exact),
            None => self.set_cwd(None),
        }
    }

    /// The content of a file that this session wrote.
    pub(crate) fn content_of(&self, word: &Arg) -> Stream {
        if word.is_exact() { self.content_at(&self.locate_word(word).0) } else { Stream::Unknown }
    }

    fn content_at(&self, target: &PathTarget) -> Stream {
        match self.written(target) {
            Some(Some(text)) => Stream::Known(text.to_owned()),
            Some(None) => self.provenance(target).map_or(Stream::Unknown, Stream::Foreign),
            None => Stream::Unknown,
        }
    }

    /// The content of a file that a command is about to append to.
    pub(super) fn before(&self, word: &Arg) -> Before {
        if word.is_exact() { self.before_at(&self.locate_word(word).0) } else { Before::Other(Stream::Unknown) }
    }

    pub(super) fn before_at(&self, target: &PathTarget) -> Before {
        if self.holds_text(target) { Before::Text } else { Before::Other(self.content_at(target)) }
    }

    /// A file that held `before` holds `added` behind it now.
    pub(crate) fn filled(&mut self, target: &PathTarget, before: &Before, added: &Stream) {
        let before = match (before, added) {
            (Before::Other(before), _) => before,
            (Before::Text, Stream::Unconnected) => return,
            (Before::Text, Stream::Known(added)) => return self.appended(target, added),
            (Before::Text, _) => &Stream::Unknown,
        };
        let content = before.clone().then(added.clone());
        if let Stream::Foreign(provenance) = content {
            self.wrote_from(target, provenance);
        } else if *before == Stream::nothing() || content.text().is_some() {
            self.wrote(target, content.text());
        } else {
            self.edited(target);
        }
        if let (None, Stream::Known(added) | Stream::Likely(added)) = (content.text(), added) {
            self.appended(target, added);
        }
    }

    /// The content of the file that `word` names came from another host.
    pub(crate) fn fetched(&mut self, word: &Arg) {
        if word.is_exact() && !word.text.starts_with("/dev/") {
            let target = self.locate_word(word).0;
            self.wrote_from(&target, Provenance::Network);
        }
    }

    /// What the directory holds came from another host: a clone. The judged repository itself is no such directory.
    pub(crate) fn fetched_directory(&mut self, directory: &Arg) {
        if directory.is_exact() && !self.holds_root(directory) {
            self.fetched(directory);
            let mark = clone_mark(&self.locate_word(directory).0);
            self.wrote(&mark, Some(""));
        }
    }

    /// The word names a directory that the session cloned, or what lies in one.
    pub(crate) fn is_cloned(&self, word: &Arg) -> bool {
        let target = self.locate_word(word).0;
        self.has_entry(&clone_mark(&target)) || self.is_in_fetched_directory(&target)
    }

    /// The directory is the top of the judged repository, or lies above it.
    pub(crate) fn holds_root(&self, directory: &Arg) -> bool {
        let path = self.locate_word(directory).0.path;
        let root = self.root().unwrap_or_default();
        path == "." || root == path || root.strip_prefix(&path).is_some_and(|rest| rest.starts_with('/'))
    }

    /// The session fetched the directory that the file is in, and nothing built or installed the file there.
    pub(crate) fn is_in_fetched_directory(&self, file: &PathTarget) -> bool {
        let path = file.path.as_str();
        let places = path.match_indices('/').filter(|(at, _)| *at > 0).take(DIRECTORIES);
        let mut fetched = places.filter_map(|(at, _)| {
            let (directory, inside) = (path.get(..at)?, path.get(at + 1..)?);
            (self.provenance(&PathTarget::new(directory)) == Some(Provenance::Network)).then_some(inside)
        });
        fetched.next().is_some_and(|inside| !inside.split('/').any(|part| MADE.contains(&part)))
    }

    /// The session unpacked or copied the directory that the file is in, and nothing built or installed the file there.
    pub(crate) fn is_in_written_directory(&self, file: &PathTarget) -> bool {
        let path = file.path.as_str();
        let places = path.match_indices('/').filter(|(at, _)| *at > 0).take(DIRECTORIES);
        let mut written = places.filter_map(|(at, _)| {
            let directory = path.get(..at)?;
            self.has_entry(&PathTarget::new(directory)).then_some(directory)
        });
        written.next().is_some() && !path.split('/').any(|part| MADE.contains(&part))
    }

    /// A runner of the project's code runs nothing else, unless it runs in or is pointed to another directory.
    pub(crate) fn about_project(&self, words: &[Arg]) -> About {
        let inside = match (self.root(), self.cwd()) {
            (_, None) => false,
            (Some("/"), Some(_)) => true,
            (Some(root), Some(cwd)) => {
                cwd.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                    || self.checkout_of(cwd).is_some()
            }
            (None, Some(cwd)) => !cwd.starts_with(['/', '~']),
        };
        let has_labels = words.first().is_some_and(|program| {
            let name = program.text.rsplit('/').next().unwrap_or_default();
            LABELLING.contains(&name)
        });
        let is_label = |word: &Arg| has_labels && word.text.trim_start_matches('-').starts_with("//");
        if inside && !words.iter().skip(1).any(|word| !is_label(word) && self.points_outside(word)) {
            About::Project
        } else {
            About::Elsewhere
        }
    }

    /// The file or directory lies outside of the workspace, as far as that is known.
    pub(crate) fn lies_outside(&self, word: &Arg) -> bool {
        self.root().is_some() && word.is_exact() && self.points_outside(word)
    }

    /// `/tmp/x`, `--config=/tmp/x`, `-f../../x`.
    fn points_outside(&self, word: &Arg) -> bool {
        let value = match word.after('=') {
            Some((_, value)) => value,
            None if word.text.starts_with('-') => word.with(word.text.chars().skip(2).collect::<String>()),
            None => word.clone(),
        };
        // `--override_repository=name=/tmp/x`
        let value = value.after('=').map_or(value, |(_, inner)| inner);
        let elsewhere = value.text.starts_with(['/', '~']) || value.text.split('/').any(|part| part == "..");
        elsewhere && self.locate_word(&value).0.path.starts_with(['/', '~', '*'])
    }
}
