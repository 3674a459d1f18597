//! The private values in a log, by session: each value once, with its locations.

use std::collections::BTreeMap;
use std::io;

use super::Wanted;
use super::search::Search;
use agent_strace_model::Session;
use agent_strace_secrets::stream::Finding;

/// The maximum number of different values that are kept for one session and rule.
const MOST_VALUES: usize = 20_000;
/// Locations of one value that are kept.
const MOST_PLACES: usize = 16;
/// The maximum number of sessions that share a line. Values on a line of more sessions are reported for the first one only.
const MOST_SHARING: usize = 64;
/// The maximum number of pointer bytes that are kept for one log.
const POINTERS: usize = 16 << 20;

/// The private values in a log.
pub struct Exposed<'w> {
    wanted: &'w Wanted,
    sessions: Vec<SessionValues>,
}

/// The private values of one session.
#[derive(Debug, Default)]
pub(super) struct SessionValues {
    /// In order of their first occurrence.
    pub(super) values: Vec<Value>,
    known: BTreeMap<&'static str, BTreeMap<String, usize>>,
    /// By rule: the number of occurrences of values beyond [`MOST_VALUES`].
    pub(super) beyond: BTreeMap<&'static str, u64>,
    /// Some of its values are kept under another session.
    is_partial: bool,
}

/// One value, by fingerprint only.
#[derive(Debug)]
pub(super) struct Value {
    pub(super) rule: &'static str,
    pub(super) kind: &'static str,
    pub(super) fingerprint: String,
    /// The first locations.
    pub(super) locations: Vec<ValueLocation>,
    /// The number of all occurrences.
    pub(super) count: u64,
    /// Several sessions share its line; another session reports it unless the value belongs to this one.
    pub(super) is_shared: bool,
}

#[derive(Debug, Clone)]
pub(super) struct ValueLocation {
    pub(super) file: File,
    pub(super) line: u32,
    /// JSON pointer in the document that begins on or before that line; empty in plain text.
    pub(super) pointer: String,
}

/// A file that holds data of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum File {
    Log,
    /// The `meta.json` of the store.
    Meta,
}

impl<'w> Exposed<'w> {
    /// The log holds nothing private, and all of it was searched.
    pub fn is_nothing(&self) -> bool {
        self.sessions.iter().all(|session| session.values.is_empty() && !session.is_partial)
    }

    /// Searches a log and the store's `meta.json` for it.
    pub fn of(wanted: &'w Wanted, log: &[u8], meta: Option<&[u8]>, sessions: &[Session<'_>]) -> io::Result<Self> {
        let mut exposed = Self { wanted, sessions: sessions.iter().map(|_| SessionValues::default()).collect() };
        let owners = Owners::of(sessions);
        for at in owners.crowded() {
            if let Some(session_values) = exposed.sessions.get_mut(at) {
                session_values.is_partial = true;
            }
        }
        let mut room = POINTERS;
        for (file, bytes) in [(File::Log, Some(log)), (File::Meta, meta)] {
            let Some(bytes) = bytes else { continue };
            Search::new(wanted).run(bytes, |finding| {
                let line = u32::try_from(finding.line).unwrap_or(u32::MAX);
                let (first, more) = if file == File::Log { owners.at(line) } else { (0, &[][..]) };
                for (owner, is_shared) in std::iter::once((first, false)).chain(more.iter().map(|at| (*at, true))) {
                    if let Some(session_values) = exposed.sessions.get_mut(owner) {
                        session_values.add(finding, file, line, is_shared, &mut room);
                    }
                }
            })?;
        }
        Ok(exposed)
    }

    pub(super) fn wanted(&self) -> &'w Wanted {
        self.wanted
    }

    /// `at` is the session's index in the log.
    pub(super) fn session(&self, at: usize) -> Option<&SessionValues> {
        self.sessions.get(at)
    }
}

impl SessionValues {
    /// Without values in the log there are none in the calls.
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty() && !self.is_partial
    }

    pub(super) fn value(&self, rule: &str, fingerprint: &str) -> Option<&Value> {
        self.values.get(*self.known.get(rule)?.get(fingerprint)?)
    }

    fn add(&mut self, finding: &Finding<'_>, file: File, line: u32, is_shared: bool, room: &mut usize) {
        let rule = finding.hit.rule;
        let known = self.known.entry(rule).or_default();
        let value = match known.get(finding.fingerprint) {
            Some(at) => self.values.get_mut(*at),
            None if known.len() >= MOST_VALUES => {
                *self.beyond.entry(rule).or_default() += 1;
                None
            }
            None => {
                known.insert(finding.fingerprint.to_owned(), self.values.len());
                self.values.push(Value {
                    rule,
                    kind: finding.hit.kind,
                    fingerprint: finding.fingerprint.to_owned(),
                    locations: Vec::new(),
                    count: 0,
                    is_shared,
                });
                self.values.last_mut()
            }
        };
        let Some(value) = value else { return };
        value.count += 1;
        value.is_shared &= is_shared;
        if value.locations.len() < MOST_PLACES {
            // The line is always reported.
            let pointer = if finding.pointer.len() <= *room { finding.pointer } else { "" };
            *room -= pointer.len();
            value.locations.push(ValueLocation { file, line, pointer: pointer.to_owned() });
        }
    }
}

/// The sessions that own each line.
struct Owners {
    /// By line: the first one, and the others of that line.
    lines: Vec<(u32, usize, Vec<usize>)>,
}

impl Owners {
    fn of(sessions: &[Session<'_>]) -> Self {
        let mut lines: Vec<(u32, usize, Vec<usize>)> = Vec::new();
        if sessions.len() > 1 {
            let owned = sessions.iter().enumerate();
            let mut all: Vec<(u32, usize)> =
                owned.flat_map(|(at, session)| session.events.iter().map(move |event| (event.line, at))).collect();
            all.sort_unstable();
            all.dedup();
            for (line, owner) in all {
                match lines.last_mut() {
                    Some((last, _, more)) if *last == line => more.push(owner),
                    _ => lines.push((line, owner, Vec::new())),
                }
            }
        }
        Self { lines }
    }

    /// What stands on a line without an event is of the record before it.
    fn at(&self, line: u32) -> (usize, &[usize]) {
        let at = self.lines.partition_point(|(start, ..)| *start <= line).saturating_sub(1);
        let Some((_, first, more)) = self.lines.get(at) else { return (0, &[]) };
        (*first, if more.len() < MOST_SHARING { more } else { &[] })
    }

    /// Sessions with lines that [`at`](Self::at) says are another's.
    fn crowded(&self) -> impl Iterator<Item = usize> {
        self.lines.iter().filter(|(.., more)| more.len() >= MOST_SHARING).flat_map(|(.., more)| more.iter().copied())
    }
}
