//! What commits say of the tools that made them: trailers, lines of messages, authors and committers, changed files.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::approval::Whereabouts;
use super::hit::{Location, Origin};
use super::tables::{Confidence, Pattern, Role, SignalId, Tables};
use super::traces::{Trace, Traces};
use agent_strace_git::{Change, Commit, Id, Person, Status};

/// Longer lines say no more of what wrote them.
const LONGEST_LINE: usize = 300;
/// Files of one commit that an approval by path looks at: a commit that changes more is of no single folder.
const MOST_FILES: usize = 1_000;
/// Files of the history that are remembered to be read.
const MOST_BLOBS: usize = 20_000;

/// A file of the history whose content is worth a look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Past {
    pub(super) path: String,
    pub(super) blob: Id,
    /// The newest commit that has it.
    pub(super) commit: Id,
    seconds: i64,
}

/// Reads commits, in any order.
#[derive(Debug)]
pub(super) struct Reader<'r, 'a> {
    tables: &'static Tables,
    traces: &'r mut Traces<'a>,
    /// Whether the content of a file is worth a look in the history.
    is_read: fn(&str) -> bool,
    /// Paths that HEAD has: they are told of there.
    here: &'r HashSet<Vec<u8>>,
    /// What is known of paths that were seen before.
    seen: HashMap<Vec<u8>, Seen>,
    past: HashMap<Id, Past>,
    /// Files of the history that are not read, because there are too many.
    left_out: u64,
    /// Paths that were changed and are still there.
    changed: HashSet<Vec<u8>>,
    locations: Vec<usize>,
    candidates: Vec<usize>,
}

/// What is known of a path.
#[derive(Debug, Clone, Copy)]
struct Seen {
    is_read: bool,
    is_here: bool,
    is_trace: bool,
}

impl<'r, 'a> Reader<'r, 'a> {
    pub(super) fn new(
        tables: &'static Tables,
        traces: &'r mut Traces<'a>,
        is_read: fn(&str) -> bool,
        here: &'r HashSet<Vec<u8>>,
    ) -> Self {
        Self {
            tables,
            traces,
            is_read,
            here,
            seen: HashMap::new(),
            past: HashMap::new(),
            left_out: 0,
            changed: HashSet::new(),
            locations: Vec::new(),
            candidates: Vec::new(),
        }
    }

    pub(super) fn read(&mut self, commit: &Commit<'_>) {
        if !commit.continued {
            let mut candidates = std::mem::take(&mut self.candidates);
            signals(self.tables, commit, &mut candidates, &mut |id, text| self.add(id, text, commit));
            self.candidates = candidates;
        }
        for change in commit.changes {
            if change.status != Status::Deleted {
                self.change(commit, change);
            }
        }
    }

    fn add(&mut self, id: SignalId, text: &str, commit: &Commit<'_>) {
        let files = files(commit);
        let author = shown(&commit.author);
        let trace = Trace {
            text: cut(text),
            location: Location { file: None, line: None, origin: Origin::Commit(commit.id.to_string()) },
            author: Some(&author),
            seconds: Some(commit.seconds),
            files: files.as_deref().map_or(Whereabouts::Anywhere, Whereabouts::Files),
        };
        self.traces.add(id, &trace);
    }

    fn change(&mut self, commit: &Commit<'_>, change: &Change<'_>) {
        let seen = match self.seen.get(change.path) {
            Some(seen) => *seen,
            None => self.first(change),
        };
        if seen.is_here && !self.changed.contains(change.path) {
            self.changed.insert(change.path.to_vec());
        }
        if seen.is_trace {
            self.trace(commit, change);
        }
        if seen.is_read && is_file(change.mode) {
            self.remember(commit, change);
        }
    }

    fn first(&mut self, change: &Change<'_>) -> Seen {
        let path = decoded(change.path);
        let is_here = self.here.contains(change.path);
        let is_trace = !is_here && self.tables.files.matches(&path);
        let seen = Seen { is_read: (self.is_read)(&path), is_here, is_trace };
        self.seen.insert(change.path.to_vec(), seen);
        seen
    }

    /// A file of a tool that is gone from HEAD, or was never there.
    fn trace(&mut self, commit: &Commit<'_>, change: &Change<'_>) {
        let path = decoded(change.path);
        let mut locations = std::mem::take(&mut self.locations);
        let author = shown(&commit.author);
        for id in self.tables.files.matching(&path, &mut locations) {
            let origin = Origin::Commit(commit.id.to_string());
            let trace = Trace {
                text: &path,
                location: Location { file: Some(path.clone().into_owned()), line: None, origin },
                author: Some(&author),
                seconds: Some(commit.seconds),
                files: Whereabouts::File(&path),
            };
            self.traces.add(id, &trace);
        }
        self.locations = locations;
    }

    fn remember(&mut self, commit: &Commit<'_>, change: &Change<'_>) {
        let path = decoded(change.path);
        // Of several that hold it the newest, and there the first: in whatever order commits come.
        if let Some(past) = self.past.get_mut(&change.id) {
            let (found, known) = ((commit.seconds, commit.id), (past.seconds, past.commit));
            if found > known || found == known && *path < *past.path {
                (past.seconds, past.commit, past.path) = (commit.seconds, commit.id, path.into_owned());
            }
            return;
        }
        if self.past.len() >= MOST_BLOBS {
            self.left_out += 1;
            return;
        }
        let path = path.into_owned();
        self.past.insert(change.id, Past { path, blob: change.id, commit: commit.id, seconds: commit.seconds });
    }

    /// Files of the history that are to be read, the newest first; paths that were changed and are still there; how many
    /// files there are too many.
    pub(super) fn finish(self) -> (Vec<Past>, HashSet<Vec<u8>>, u64) {
        let mut past: Vec<Past> = self.past.into_values().collect();
        past.sort_by(|left, right| {
            (right.seconds, right.commit, &left.path).cmp(&(left.seconds, left.commit, &right.path))
        });
        (past, self.changed, self.left_out)
    }
}

/// A tool that a commit says made it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    pub tool: &'static str,
    pub name: &'static str,
    /// The line or the person that says so: text of the commit.
    pub said: String,
}

/// The tools that a commit says made it, each once. Hints are none.
pub fn marks(tables: &'static Tables, commit: &Commit<'_>) -> Vec<Mark> {
    let mut found: Vec<Mark> = Vec::new();
    signals(tables, commit, &mut Vec::new(), &mut |id, text| {
        let Some((tool, signal)) = tables.signal(id) else { return };
        if signal.confidence > Confidence::Weak && found.iter().all(|mark| mark.tool != tool.id) {
            found.push(Mark { tool: &tool.id, name: &tool.name, said: cut(text).to_owned() });
        }
    });
    found.sort();
    found
}

/// What takes a signal and the text that gives it.
type Give<'g> = dyn FnMut(SignalId, &str) + 'g;

/// Everything that the message and the people of a commit say of tools. `candidates`: kept between calls.
fn signals(tables: &Tables, commit: &Commit<'_>, candidates: &mut Vec<usize>, give: &mut Give<'_>) {
    let found: Vec<&(SignalId, Pattern)> = tables.commits.candidates(commit.message, candidates).collect();
    if !found.is_empty() {
        let message = decoded(commit.message);
        for line in message.lines().map(str::trim).filter(|line| !line.is_empty()) {
            found.iter().filter(|(_, pattern)| says(pattern, line)).for_each(|(id, _)| give(*id, line));
        }
    }
    for (role, person) in [(Role::Author, &commit.author), (Role::Committer, &commit.committer)] {
        // The same person was found as the author; only what asks for committers is left.
        let is_author_too = role == Role::Committer && commit.author == *person;
        let mut text = person.name.to_vec();
        text.push(b' ');
        text.extend_from_slice(person.email);
        for (id, pattern) in tables.commits.candidates(&text, candidates) {
            let Pattern::Identity { email, name, role: wanted } = pattern else { continue };
            let asked = wanted.map_or(!is_author_too, |wanted| wanted == role);
            let (called, address) = (decoded(person.name), decoded(person.email));
            let fits = email.as_ref().is_none_or(|email| email.is_match(&address))
                && name.as_ref().is_none_or(|name| name.is_match(&called));
            if asked && fits {
                give(*id, &shown(person));
            }
        }
    }
}

/// Longer lines are cut.
fn cut(text: &str) -> &str {
    text.char_indices().nth(LONGEST_LINE).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// No link, and no submodule.
fn is_file(mode: u32) -> bool {
    mode & 0o170_000 == 0o100_000
}

/// Whether a line of a message is what a pattern asks for.
fn says(pattern: &Pattern, line: &str) -> bool {
    match pattern {
        Pattern::Line(pattern) => pattern.is_match(line),
        // Squashed commits keep trailers in the middle of their message, so all lines count.
        Pattern::Trailer { key, value } => {
            line.split_once(':').is_some_and(|(name, said)| key.is_match(name.trim()) && value.is_match(said.trim()))
        }
        Pattern::Identity { .. } => false,
    }
}

/// All files of a commit; `None` where they are not known.
fn files(commit: &Commit<'_>) -> Option<Vec<String>> {
    let known = !commit.changes.is_empty() && commit.changes.len() <= MOST_FILES;
    known.then(|| commit.changes.iter().map(|change| decoded(change.path).into_owned()).collect())
}

fn shown(person: &Person<'_>) -> String {
    format!("{} <{}>", decoded(person.name), decoded(person.email))
}

/// Text of a commit. What is not UTF-8 is taken for Latin-1, as most of it is; names of tools are ASCII in both.
pub(super) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().copied().map(char::from).collect()),
    }
}
