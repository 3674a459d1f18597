//! Bytes of the logs in scope, bounded.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use super::databases::{DatabasePlace, Sessions};
use super::origin::Origin;
use super::packed::{self, Archive, Packing, Store, Unpacked};
use super::{Found, MAX_FILE, Sink, Source, Transcript, arrange, checkpoints};
use crate::Log;
use crate::database;
use crate::unended::ReadFrom;
use agent_strace_model::{Gap, GapKind};

/// Archives in archives: an artifact may hold a packed folder.
const MAX_NESTING: u32 = 1;

#[cfg(any(test, feature = "testing"))]
impl Source {
    /// Its logs, and what could not be read.
    pub fn logs(&self) -> (Vec<Log>, Vec<Gap>) {
        let mut all = All::default();
        self.read(&mut all);
        (all.logs, all.gaps)
    }

    /// The log of a source that has but one.
    #[allow(clippy::unwrap_used, reason = "tests only: a source without a log has a gap")]
    pub fn load(&self) -> Result<Log, Gap> {
        let (mut logs, mut gaps) = self.logs();
        logs.pop().ok_or_else(|| gaps.pop().unwrap())
    }
}

/// Keeps everything.
#[cfg(any(test, feature = "testing"))]
#[derive(Debug, Default)]
pub struct All {
    pub logs: Vec<Log>,
    pub gaps: Vec<Gap>,
}

#[cfg(any(test, feature = "testing"))]
impl Sink for All {
    fn more(&mut self, _: u64) {}

    fn log(&mut self, log: Log) {
        self.logs.push(log);
    }

    fn gap(&mut self, gap: Gap) {
        self.gaps.push(gap);
    }
}

impl Source {
    /// Reads every log of the source, one after the other. Never follows a link out of the folder it was found in.
    pub fn read(&self, sink: &mut dyn Sink) {
        self.read_nested(Nesting::default(), sink);
    }

    fn read_nested(&self, nesting: Nesting, sink: &mut dyn Sink) {
        match self.transcripts.as_slice() {
            [transcript] => self.transcript(transcript, nesting, sink),
            several => checkpoints::read(several, nesting, sink),
        }
    }

    fn transcript(&self, transcript: &Transcript, nesting: Nesting, sink: &mut dyn Sink) {
        let [origin] = transcript.parts.as_slice() else {
            match transcript.whole(nesting, sink) {
                Ok(log) => sink.log(log),
                Err(reason) => sink.gap(transcript.gap(reason)),
            }
            return;
        };
        let shown = &transcript.shown;
        let Held { contents, committed } = held(origin, sink);
        let nesting = Nesting { committed: committed || nesting.committed || at_a_path(shown, sink), ..nesting };
        match contents {
            Ok(Contents::Log(Unpacked { bytes, mut flaws })) => {
                flaws.extend_from_slice(&transcript.flaws);
                let mut log = transcript.log(bytes, flaws);
                log.committed = nesting.committed;
                if matches!(origin, Origin::Object { .. }) {
                    log.read_from = ReadFrom::Commit;
                }
                log.project = origin.project();
                log.store = self.entry.as_ref().map(|entry| entry.store.clone());
                sink.log(log);
            }
            Ok(Contents::Database { place, flaws }) => {
                for reason in flaws.into_iter().chain(transcript.flaws.iter().cloned()) {
                    sink.gap(transcript.gap(reason));
                }
                let read_from = match origin {
                    Origin::Object { .. } => ReadFrom::Commit,
                    _ => ReadFrom::Elsewhere,
                };
                database::read(&place.borrow(), &mut Sessions::new(shown, nesting.committed, read_from, sink));
            }
            Ok(Contents::Archive { flaws, .. }) if nesting.depth > MAX_NESTING => {
                let nested = GapKind::limit("an archive in an archive in an archive: not read");
                for kind in flaws.into_iter().chain([nested]) {
                    sink.gap(transcript.gap(kind));
                }
            }
            Ok(Contents::Archive { store, packing, flaws }) => {
                for reason in flaws {
                    sink.gap(transcript.gap(reason));
                }
                let found = arrange::archive(Archive::list(store, packing), shown);
                found.read(shown, Nesting { depth: nesting.depth + 1, ..nesting }, sink);
            }
            Err(reason) => sink.gap(transcript.gap(reason)),
        }
    }
}

impl Found {
    fn read(self, shown: &str, nesting: Nesting, sink: &mut dyn Sink) {
        let Self { sources, gaps, .. } = self;
        if sources.is_empty() && gaps.is_empty() {
            let kind = GapKind::NoSession("an archive without a log: nothing in it was recognised".into());
            sink.gap(Gap::of_file(shown.to_owned(), kind));
        }
        for gap in gaps {
            sink.gap(gap);
        }
        for source in sources {
            source.read_nested(nesting, sink);
        }
    }
}

impl Transcript {
    pub(super) fn gap(&self, kind: GapKind) -> Gap {
        Gap::of_file(self.shown.clone(), kind)
    }

    /// All parts as one log.
    pub(super) fn whole(&self, nesting: Nesting, sink: &mut dyn Sink) -> Result<Log, GapKind> {
        let (Unpacked { bytes, flaws }, is_committed) = self.bytes(sink)?;
        let mut log = self.log(bytes, flaws);
        log.committed = is_committed || nesting.committed;
        Ok(log)
    }

    fn log(&self, bytes: Vec<u8>, mut flaws: Vec<GapKind>) -> Log {
        let mut log = Log::new(self.shown.clone(), bytes);
        log.sides = self.sides(&mut flaws);
        log.flaws = flaws;
        log.carried.clone_from(&self.carried);
        log
    }

    /// All parts, joined, and whether the change holds one of them. A part that can't be read is a flaw, unless it is the
    /// only one.
    fn bytes(&self, sink: &mut dyn Sink) -> Result<(Unpacked, bool), GapKind> {
        let mut whole = Unpacked { bytes: Vec::new(), flaws: self.flaws.clone() };
        let mut is_committed = at_a_path(&self.shown, sink);
        for (at, part) in self.parts.iter().enumerate() {
            let Held { contents, committed } = held(part, sink);
            is_committed |= committed;
            match contents {
                Ok(Contents::Log(part)) => {
                    if at > 0 && !whole.bytes.ends_with(b"\n") {
                        whole.bytes.push(b'\n');
                    }
                    if whole.bytes.len() as u64 + part.bytes.len() as u64 > MAX_FILE {
                        return Err(too_large());
                    }
                    whole.bytes.extend_from_slice(&part.bytes);
                    whole.flaws.extend(part.flaws);
                }
                Ok(Contents::Archive { .. } | Contents::Database { .. }) => {
                    whole.flaws.push(GapKind::unreadable("a part that is an archive or a database: not read"));
                }
                Err(reason) if self.parts.len() == 1 => return Err(reason),
                Err(reason) => whole.flaws.push(reason),
            }
        }
        Ok((whole, is_committed))
    }
}

/// How deep in archives a log lies.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Nesting {
    depth: u32,
    /// The change that is judged holds an archive around it.
    committed: bool,
}

/// The contents of an origin, and whether the change that is judged holds them, as they are or as they are stored.
struct Held {
    contents: Result<Contents, GapKind>,
    committed: bool,
}

fn at_a_path(shown: &str, sink: &dyn Sink) -> bool {
    sink.blobs().is_some_and(|blobs| blobs.have_path(shown))
}

fn held(origin: &Origin, sink: &mut dyn Sink) -> Held {
    let mut stored = false;
    let contents = contents(origin, sink, &mut stored);
    let holds = |bytes: &[u8]| sink.blobs().is_some_and(|blobs| blobs.hold(bytes));
    let committed = stored
        || match &contents {
            Ok(Contents::Log(unpacked)) => holds(&unpacked.bytes),
            Ok(
                Contents::Archive { store: Store::Memory(bytes), .. }
                | Contents::Database { place: DatabasePlace::Memory(bytes), .. },
            ) => holds(bytes),
            _ => false,
        };
    Held { contents, committed }
}

/// What an origin holds once nothing is compressed any more.
enum Contents {
    Log(Unpacked),
    Archive { store: Store, packing: Packing, flaws: Vec<GapKind> },
    Database { place: DatabasePlace, flaws: Vec<GapKind> },
}

/// `stored`: the change holds the bytes as they are stored, packed.
fn contents(origin: &Origin, sink: &mut dyn Sink, stored: &mut bool) -> Result<Contents, GapKind> {
    let (store, mut flaws) = origin.store(&mut |bytes| sink.more(bytes))?;
    let packing = store.packing()?;
    let is_database = database::begins(&store.at(0, database::MAGIC.len())?);
    if (packing.is_some() || is_database)
        && let Some(blobs) = sink.blobs()
    {
        *stored = blobs.hold_stream(&mut store.from(0), store.length()).map_err(|error| unreadable(&error))?;
    }
    if is_database {
        return Ok(Contents::Database { place: DatabasePlace::of(origin, store)?, flaws });
    }
    match packing {
        Some(packing) if packing.is_archive() => Ok(Contents::Archive { store, packing, flaws }),
        Some(packing) => {
            let mut unpacked =
                packed::unpack(BufReader::with_capacity(64 << 10, store.from(0)), packing, &mut |bytes| {
                    sink.more(bytes);
                });
            if Packing::of(&unpacked.bytes) == Some(Packing::Tar) {
                flaws.extend(unpacked.flaws);
                return Ok(Contents::Archive { store: Store::memory(unpacked.bytes), packing: Packing::Tar, flaws });
            }
            unpacked.flaws.splice(0..0, flaws);
            if database::begins(&unpacked.bytes) {
                let Unpacked { bytes, flaws } = unpacked;
                return Ok(Contents::Database { place: DatabasePlace::Memory(Arc::new(bytes)), flaws });
            }
            Ok(Contents::Log(unpacked))
        }
        None => {
            let bytes = match store {
                Store::Memory(bytes) => std::sync::Arc::unwrap_or_clone(bytes),
                store @ Store::File { .. } => read_bounded(store.from(0), store.length())?,
            };
            Ok(Contents::Log(Unpacked { bytes, flaws }))
        }
    }
}

/// Reads every log of a stream, bounded like a file.
pub fn read_stream(shown: &str, reader: impl Read, sink: &mut dyn Sink) {
    match read_bounded(reader, 0) {
        Ok(bytes) if Packing::of(&bytes).is_none() && !database::begins(&bytes) => sink.log(Log::new(shown, bytes)),
        Ok(bytes) => {
            let size = bytes.len() as u64;
            let origin = Origin::Memory(Store::memory(bytes));
            Source::new(shown.to_owned(), size, None, origin).read(sink);
        }
        Err(kind) => sink.gap(Gap::of_file(shown.to_owned(), kind)),
    }
}

/// Everything that a compressed stream holds, bounded like a file; what holds only a part of it is refused.
pub fn unpacked(reader: impl Read, packing: Packing) -> Result<Vec<u8>, GapKind> {
    let unpacked = packed::unpack(BufReader::with_capacity(64 << 10, reader), packing, &mut |_| {});
    match unpacked.flaws.into_iter().next() {
        Some(flaw) => Err(flaw),
        None => Ok(unpacked.bytes),
    }
}

/// Opens a regular file that, all links resolved, lies in `within`.
pub(super) fn open(path: &Path, within: &Path) -> Result<File, GapKind> {
    // Opening a pipe would wait for its writer, so its kind is looked at first.
    let real = path.canonicalize().map_err(|error| unreadable(&error))?;
    if !real.starts_with(within) {
        return Err(GapKind::unreadable("a symbolic link that leaves the folder: not followed"));
    }
    if !real.metadata().map_err(|error| unreadable(&error))?.is_file() {
        return Err(GapKind::unreadable("not a regular file"));
    }
    File::open(real).map_err(|error| unreadable(&error))
}

pub(super) fn read_bounded(reader: impl Read, expected: u64) -> Result<Vec<u8>, GapKind> {
    read_at_most(reader, expected, MAX_FILE)
}

/// `limit` is [`MAX_FILE`] outside tests.
pub(super) fn read_at_most(reader: impl Read, expected: u64, limit: u64) -> Result<Vec<u8>, GapKind> {
    let mut bytes = Vec::with_capacity(usize::try_from(expected.min(limit)).unwrap_or(0).saturating_add(1));
    reader.take(limit + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > limit {
        return Err(too_large());
    }
    Ok(bytes)
}

pub(super) fn too_large() -> GapKind {
    GapKind::limit(format!("larger than {} GiB: not read; split it into sessions", MAX_FILE >> 30))
}

/// Why a file can't be read, without the operating system's error numbers.
pub(crate) fn unreadable(error: &io::Error) -> GapKind {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "it does not exist",
        io::ErrorKind::PermissionDenied => "permission denied",
        io::ErrorKind::IsADirectory => "it is a folder",
        io::ErrorKind::NotADirectory => "it is not a folder",
        _ => "input or output error",
    };
    GapKind::unreadable(format!("can't be read: {why}"))
}
