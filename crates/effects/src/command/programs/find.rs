//! `find`: where it looks, which files it selects, and what it runs on them.

use std::collections::HashSet;

use crate::command::argument::{Arg, Known};
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason, paths};

use super::Call;
use super::expression::{self, Tests};
use super::spelled::Spelled;

/// Words of an expression that are read.
const LONGEST: usize = 2048;
/// Globs of one search that are followed.
const MOST: usize = 512;

/// The files that a search selects.
#[derive(Debug)]
pub(super) struct Selection {
    /// The directories in which it starts.
    pub(super) starts: Vec<Arg>,
    /// Patterns that let all of them through; `None`: everything below the directories.
    pub(super) cover: Option<Vec<Spelled>>,
    /// Patterns that the command spells as well.
    pub(super) spelled: Vec<Spelled>,
    /// Names with a dot in first place are among them.
    pub(super) hidden: bool,
}

/// The directory in which a command runs for each selected path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunFrom {
    /// The one that the search was started in (`-exec`).
    Start,
    /// The one that holds the path (`-execdir`).
    ParentDirectory,
}

impl Selection {
    /// Globs for the selected paths.
    fn paths(&self) -> impl Iterator<Item = Arg> {
        let mut seen: HashSet<(String, Known, bool)> = HashSet::new();
        let all = self.starts.iter().flat_map(|start| self.below(start));
        all.filter(move |path| seen.insert((path.text.clone(), path.known, path.tilde)))
    }

    /// They are directories with all that is in them.
    fn is_everything(&self) -> bool {
        self.cover.is_none()
    }

    fn below(&self, start: &Arg) -> Vec<Arg> {
        if matches!(start.known, Known::Partly | Known::Not) {
            return vec![start.clone()];
        }
        let directory = match start.known {
            Known::Exact => escaped(&start.text),
            _ => start.text.clone(),
        };
        let directory = directory.trim_end_matches('/');
        let glob = |text: String| Arg { tilde: start.tilde, ..Arg::glob(text) };
        let own = start.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let covered: Option<Vec<String>> = self
            .cover
            .as_ref()
            .and_then(|cover| cover.iter().map(|spelled| self.covering(spelled, directory)).collect());
        let is_own = |spelled: &Spelled| matches!(spelled, Spelled::Name(name) if name == own);
        let has_own = covered.is_none() || self.cover.iter().flatten().any(is_own);
        let covered = covered.unwrap_or_else(|| vec![format!("{directory}/**/{}", self.named("*"))]);
        let spelled = self.spelled.iter().chain(self.cover.iter().flatten());
        let spelled = spelled.map(|spelled| self.spelled_below(spelled, directory));
        let mut paths: Vec<Arg> = covered.into_iter().chain(spelled).map(glob).collect();
        if has_own {
            paths.push(start.clone());
        }
        paths
    }

    fn named(&self, name: &str) -> String {
        if self.hidden { paths::dotted(name) } else { name.to_owned() }
    }

    /// The files below a directory that a pattern lets through; `None`: it says nothing of where they are.
    fn covering(&self, spelled: &Spelled, directory: &str) -> Option<String> {
        match spelled {
            Spelled::Name(name) => Some(format!("{directory}/**/{}", self.named(name))),
            Spelled::Path(path) if path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/')) => {
                Some(path.clone())
            }
            Spelled::Path(path) => {
                let tail = path.strip_prefix("**").filter(|_| directory == ".")?;
                // The `./` before each path is a part of the text that the pattern has to match.
                let is_plain = !tail.starts_with(['?', '[', '.']) && !tail.is_empty();
                is_plain.then(|| format!("./{path}"))
            }
        }
    }

    /// The files that a pattern spells below a directory.
    fn spelled_below(&self, spelled: &Spelled, directory: &str) -> String {
        if let Some(covering) = self.covering(spelled, directory) {
            return covering;
        }
        match spelled {
            Spelled::Path(path) if path.starts_with(['*', '?', '[']) => format!("{directory}/{path}"),
            Spelled::Path(text) => text.clone(),
            Spelled::Name(name) => format!("{directory}/**/{}", self.named(name)),
        }
    }
}

impl Machine<'_> {
    /// Globs for the paths that a search selects.
    pub(super) fn found_paths(&mut self, selection: &Selection) -> Vec<Arg> {
        self.at_most(MOST, selection.paths())
    }

    pub(super) fn find(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let options = call.rest.iter().take_while(|word| {
            matches!(word.literal(), Some("-H" | "-L" | "-P")) || word.text.starts_with("-O") || word.text == "-D"
        });
        let skip = options.count();
        let rest = call.rest.get(skip..).unwrap_or_default();
        let is_expression = |word: &Arg| {
            word.known != Known::Not
                && (word.text.starts_with('-') || matches!(word.literal(), Some("(" | ")" | "!" | ",")))
        };
        let count = rest.iter().take_while(|word| !is_expression(word)).count();
        let (starts, expression) = rest.split_at_checked(count).unwrap_or((rest, &[]));
        let starts = if starts.is_empty() { vec![Arg::exact(".")] } else { starts.to_vec() };
        for start in &starts {
            self.path(Role::ListTree, start);
        }
        let expression = &self.at_most(LONGEST, expression.iter().cloned());
        let Tests { cover, spelled } = Tests::of(expression);
        let selection = Selection { starts, cover, spelled, hidden: true };
        self.actions(expression, &selection, io);
        let silent = expression.iter().any(|word| {
            matches!(
                word.literal(),
                Some("-exec" | "-execdir" | "-delete" | "-fprint" | "-ok" | "-okdir" | "-printf" | "-ls")
            )
        });
        if silent { Stream::Unknown } else { Stream::Names(self.found_paths(&selection)) }
    }

    fn actions(&mut self, expression: &[Arg], selection: &Selection, io: &mut Io<'_>) {
        let mut at = 0;
        while let Some(word) = expression.get(at) {
            at += 1;
            let value = expression.get(at);
            match word.literal() {
                Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                    let rest = expression.get(at..).unwrap_or_default();
                    let length = command_length(rest);
                    let command = rest.get(..length).unwrap_or_default();
                    let from = if word.text.ends_with("dir") { RunFrom::ParentDirectory } else { RunFrom::Start };
                    self.run_on(command, "{}", selection, from, io);
                    at += length + 1;
                }
                Some("-delete") => {
                    for path in self.found_paths(selection) {
                        let role = if selection.is_everything() { Role::DeleteTree } else { Role::Delete };
                        self.path(role, &path);
                    }
                }
                Some("-fprint" | "-fprint0" | "-fls" | "-fprintf") => {
                    if let Some(file) = value {
                        self.path(Role::Write, file);
                    }
                    at += if word.text == "-fprintf" { 2 } else { 1 };
                }
                Some("-newer" | "-samefile" | "-anewer" | "-cnewer" | "-files0-from") => {
                    if let Some(file) = value {
                        self.path(Role::List, file);
                    }
                    at += 1;
                }
                Some(test) if expression::TESTS_WITH_VALUE.contains(&test) || test.starts_with("-newer") => at += 1,
                Some(_) => {}
                None => self.opaque(About::Anything, Reason::UnknownExpression, &[]),
            }
        }
    }

    /// Runs a command with the selected paths in place of `{}`.
    pub(super) fn run_on(
        &mut self,
        command: &[Arg],
        mark: &str,
        selection: &Selection,
        from: RunFrom,
        io: &mut Io<'_>,
    ) {
        let cwd = self.world.cwd().map(str::to_owned);
        let paths = self.found_paths(selection);
        for path in &paths {
            let words = self.inserted(command, mark, path);
            if from == RunFrom::ParentDirectory {
                // The paths are seen from their own directories, which are below the start.
                self.world.set_cwd(cwd.clone());
            }
            self.perhaps_again().command(&words, io);
        }
        self.world.set_cwd(cwd);
    }
}

/// Words up to `;`, or `+` behind `{}`.
pub(super) fn command_length(words: &[Arg]) -> usize {
    let mut before: Option<&Arg> = None;
    for (at, word) in words.iter().enumerate() {
        let ends = match word.literal() {
            Some(";" | "\\;") => true,
            Some("+") => before.is_some_and(|word| word.text == "{}"),
            _ => false,
        };
        if ends {
            return at;
        }
        before = Some(word);
    }
    words.len()
}

/// `word` with `path` in place of `mark`.
pub(super) fn filled(word: &Arg, mark: &str, path: &Arg) -> Arg {
    if !word.text.contains(mark) || word.known == Known::Not {
        return word.clone();
    }
    if word.text == mark {
        return Arg { span: word.span, ..path.clone() };
    }
    let known = match (word.known, path.known) {
        (Known::Exact, known) | (known, Known::Exact) => known,
        _ => Known::Partly,
    };
    Arg { text: word.text.replace(mark, path.target().0), known, likely: None, ..word.clone() }
}

/// A literal text as a glob.
pub(super) fn escaped(text: &str) -> String {
    let mut glob = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '*' | '?' | '[') {
            glob.extend(['[', character, ']']);
        } else {
            glob.push(character);
        }
    }
    glob
}
