//! Which logs are in scope, and their bytes. The only part of ingest that touches the file system.
//!
//! Logs lie in folders, archives and git revisions, compressed or not. All of these are first listed, then arranged
//! into sources by one mechanism, and read when their turn comes.
//!
//! Nothing is followed out of the folder it was found in: a symbolic link that leaves it is a gap, as is anything
//! that can't be opened or is no regular file.

mod arrange;
mod beside;
mod checkpoints;
mod copies;
mod databases;
mod homes;
mod load;
mod origin;
mod packed;
mod pieces;
mod revision;
mod sidecar;
mod store;
mod walk;

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use homes::{Machine, Wanted, agents, on_machine, variables};

use super::{Carried, Log, StoreEntry};
use agent_strace_git::Blobs;
use agent_strace_model::{Gap, GapKind};
#[cfg(any(test, feature = "testing"))]
pub use load::All;
pub(crate) use load::unreadable;
pub use load::{read_stream, unpacked};
use origin::Origin;
pub use packed::Packing;
pub use walk::repository_around;

/// A larger file is not read.
pub(crate) const MAX_FILE: u64 = 2 << 30;

/// One log that is in scope but not yet in memory, or several that can only be read together.
#[derive(Debug, Clone)]
pub struct Source {
    /// As shown to users.
    pub shown: String,
    /// Bytes in memory while it is read, as far as is known before: see [`Sink::more`].
    pub size: u64,
    /// What the store says about it; `None` for a log outside a store.
    pub entry: Option<Entry>,
    /// Copies of one session, the longest first; nearly always one.
    transcripts: Vec<Transcript>,
}

/// One log, or an archive of logs.
#[derive(Debug, Clone, Default)]
struct Transcript {
    shown: String,
    /// As it is stored.
    size: u64,
    /// Pieces in order; nearly always one.
    parts: Vec<Origin>,
    /// What is missing between them.
    flaws: Vec<GapKind>,
    /// What lies beside it says about it.
    carried: Option<Carried>,
    /// Files beside it that say more about its session.
    beside: Vec<beside::Beside>,
}

/// Takes the logs of a source, one after the other.
pub trait Sink {
    /// So many bytes more than the source's size are going to be in memory until it is read.
    fn more(&mut self, bytes: u64);
    fn log(&mut self, log: Log);
    /// Something that could not be read at all.
    fn gap(&mut self, gap: Gap);
    /// The files of the change that is judged, where logs are compared with them: see [`Log::committed`].
    fn blobs(&self) -> Option<&Blobs> {
        None
    }
}

impl Source {
    fn new(shown: String, size: u64, entry: Option<Entry>, origin: Origin) -> Self {
        let transcript = Transcript { shown, size, parts: vec![origin], ..Transcript::default() };
        Self::of(vec![transcript], entry)
    }

    fn of(transcripts: Vec<Transcript>, entry: Option<Entry>) -> Self {
        let shown = transcripts.first().map(|transcript| transcript.shown.clone()).unwrap_or_default();
        // Of several copies, two are compared at a time.
        let size = transcripts.iter().take(2).fold(0_u64, |size, transcript| {
            size.saturating_add(if transcript.in_memory_when_read() { transcript.size } else { 0 })
        });
        Self { shown, size, entry, transcripts }
    }

    fn is_archive(&self) -> bool {
        self.transcripts.iter().any(|transcript| !transcript.in_memory_when_read())
    }

    /// Equal for sources that are certainly the same.
    fn identity(&self) -> Option<String> {
        self.transcripts.iter().map(Transcript::identity).collect()
    }
}

impl Transcript {
    /// An archive or a database on disk is read from there.
    fn in_memory_when_read(&self) -> bool {
        let is_read_there = sidecar::is_archive(&self.shown) || crate::database::is_named_so(&self.shown);
        !matches!(self.parts.as_slice(), [Origin::File { .. }]) || !is_read_there
    }

    fn identity(&self) -> Option<String> {
        self.parts.iter().map(Origin::identity).collect()
    }
}

/// A session of the native store, from its directory and `meta.json`.
#[derive(Debug, Clone)]
pub struct Entry {
    pub id: String,
    /// Epoch seconds; `None` when `meta.json` does not say.
    pub started_at: Option<f64>,
    store: StoreEntry,
}

/// What a selection found.
#[derive(Debug, Default)]
pub struct Found {
    /// In the order of reports: sessions of the store by start, newest last; files by name.
    pub sources: Vec<Source>,
    /// Sessions of the store that the selection left out (older ones, where only the latest is taken).
    pub left_out: usize,
    pub gaps: Vec<Gap>,
    /// A request was `-`: the caller reads standard input with [`read_stream`].
    pub stdin: bool,
}

/// Why a selection can't be made: usage errors, exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum SelectError {
    #[error("no session `{0}` in the trace store and no such file")]
    NotFound(String),
    #[error("`{request}` is a prefix of {count} sessions: {examples}")]
    Ambiguous { request: String, count: usize, examples: String },
    #[error("`{request}` can't be read: {reason}")]
    Revision { request: String, reason: String },
    #[error("there are no checkpoints of Entire in this repository")]
    NoCheckpoints,
}

/// Without requests: which sessions of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    All,
    Latest,
}

/// Finds the logs that `requests` name (ids or prefixes in the store, files, folders, archives, `git:REV[:PATH]`,
/// `entire[:WHICH]`), or the store's sessions.
#[cfg(any(test, feature = "testing"))]
pub fn select(trace_dir: &Path, requests: &[String], selection: Selection) -> Result<Found, SelectError> {
    select_in(trace_dir, Path::new("."), requests, selection)
}

/// The same; `repository` is where git objects are looked for.
pub fn select_in(
    trace_dir: &Path,
    repository: &Path,
    requests: &[String],
    selection: Selection,
) -> Result<Found, SelectError> {
    if requests.is_empty() {
        return Ok(whole_store(trace_dir, selection));
    }
    let mut found = Found::default();
    let mut seen = BTreeSet::new();
    for request in requests {
        if request == "-" {
            found.stdin = true;
            continue;
        }
        let part = match revision::request(request) {
            Some(revision) => revision.find(repository)?,
            None => one(trace_dir, request)?,
        };
        found.gaps.extend(part.gaps);
        let fresh = |source: &Source| source.identity().is_none_or(|identity| seen.insert(identity));
        found.sources.extend(part.sources.into_iter().filter(fresh));
    }
    Ok(found)
}

/// Everything in the store, oldest session first.
fn whole_store(trace_dir: &Path, selection: Selection) -> Found {
    if trace_dir.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return Found::default();
    }
    let mut found = walk::store(trace_dir, trace_dir);
    found.sources.sort_by(by_start);
    if selection == Selection::Latest {
        keep_latest(&mut found);
    }
    found
}

/// Keeps the latest session, and whatever has no known start: it might be the latest.
fn keep_latest(found: &mut Found) {
    let before = found.sources.len();
    let latest = found.sources.iter().rposition(|source| started(source).is_some());
    let mut at = 0;
    found.sources.retain(|source| {
        let keep = started(source).is_none() || Some(at) == latest;
        at += 1;
        keep
    });
    found.left_out = before - found.sources.len();
}

fn started(source: &Source) -> Option<f64> {
    source.entry.as_ref()?.started_at
}

/// By start, then id. What has no known start comes first, so that the newest session stays last.
fn by_start(left: &Source, right: &Source) -> Ordering {
    let start = match (started(left), started(right)) {
        (Some(left), Some(right)) => left.total_cmp(&right),
        (left, right) => left.is_some().cmp(&right.is_some()),
    };
    let id = |source: &Source| source.entry.as_ref().map(|entry| entry.id.clone());
    start.then_with(|| id(left).cmp(&id(right))).then_with(|| left.shown.cmp(&right.shown))
}

/// How a file is packed, by its first bytes.
pub fn packing(head: &[u8]) -> Option<Packing> {
    Packing::of(head)
}

/// The directory of the session that a request names; `None` where it names none, or a file is called so.
pub fn session_folder(trace_dir: &Path, request: &str) -> Result<Option<PathBuf>, SelectError> {
    let candidates = store::matching(trace_dir, request);
    if let Some((_, folder)) = candidates.iter().find(|(id, _)| id == request) {
        return Ok(Some(folder.clone()));
    }
    if Path::new(request).symlink_metadata().is_ok() {
        return Ok(None);
    }
    match candidates.as_slice() {
        [] => Ok(None),
        [(_, folder)] => Ok(Some(folder.clone())),
        several => Err(ambiguous(request, several)),
    }
}

/// What one request names: exactly one session id, then a path, then a prefix of one id.
fn one(trace_dir: &Path, request: &str) -> Result<Found, SelectError> {
    let candidates = store::matching(trace_dir, request);
    if let Some(found) = pick(trace_dir, &candidates, request, |id| id == request)? {
        return Ok(found);
    }
    let path = Path::new(request);
    if path.symlink_metadata().is_ok() {
        let mut found = walk::path(path);
        pieces::join(&mut found.sources);
        return Ok(found);
    }
    match pick(trace_dir, &candidates, request, |id| id.starts_with(request))? {
        Some(found) => Ok(found),
        None => Err(SelectError::NotFound(request.to_owned())),
    }
}

fn pick(
    trace_dir: &Path,
    candidates: &[(String, PathBuf)],
    request: &str,
    wanted: impl Fn(&str) -> bool,
) -> Result<Option<Found>, SelectError> {
    let matching: Vec<_> = candidates.iter().filter(|(id, _)| wanted(id)).cloned().collect();
    match matching.as_slice() {
        [] => Ok(None),
        [(_, folder)] => Ok(Some(walk::store(trace_dir, folder))),
        several => Err(ambiguous(request, several)),
    }
}

fn ambiguous(request: &str, several: &[(String, PathBuf)]) -> SelectError {
    let examples: Vec<_> = several.iter().take(3).map(|(_, folder)| format!("`{}`", walk::shown(folder))).collect();
    let more = if several.len() > 3 { ", …" } else { "" };
    let (request, count, examples) = (request.to_owned(), several.len(), examples.join(", ") + more);
    SelectError::Ambiguous { request, count, examples }
}
