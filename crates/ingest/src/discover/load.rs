//! Bytes of the logs in scope, bounded.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::origin::Origin;
use super::packed::{self, Archive, Packing, Store, Unpacked};
use super::{Found, MAX_FILE, Sink, Source, Transcript, arrange, checkpoints};
use crate::Log;
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
        self.read_nested(0, sink);
    }

    fn read_nested(&self, nesting: u32, sink: &mut dyn Sink) {
        match self.transcripts.as_slice() {
            [transcript] => self.transcript(transcript, nesting, sink),
            several => checkpoints::read(several, sink),
        }
    }

    fn transcript(&self, transcript: &Transcript, nesting: u32, sink: &mut dyn Sink) {
        let [origin] = transcript.parts.as_slice() else {
            match transcript.bytes(sink) {
                Ok(Unpacked { bytes, flaws }) => sink.log(transcript.log(bytes, flaws)),
                Err(reason) => sink.gap(transcript.gap(reason)),
            }
            return;
        };
        let shown = &transcript.shown;
        match contents(origin, sink) {
            Ok(Contents::Log(Unpacked { bytes, mut flaws })) => {
                flaws.extend_from_slice(&transcript.flaws);
                let mut log = transcript.log(bytes, flaws);
                log.project = origin.project();
                log.store = self.entry.as_ref().map(|entry| entry.store.clone());
                sink.log(log);
            }
            Ok(Contents::Archive { flaws, .. }) if nesting > MAX_NESTING => {
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
                found.read(shown, nesting + 1, sink);
            }
            Err(reason) => sink.gap(transcript.gap(reason)),
        }
    }
}

impl Found {
    fn read(self, shown: &str, nesting: u32, sink: &mut dyn Sink) {
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

    pub(super) fn log(&self, bytes: Vec<u8>, flaws: Vec<GapKind>) -> Log {
        let mut log = Log::new(self.shown.clone(), bytes);
        log.flaws = flaws;
        log.carried.clone_from(&self.carried);
        log
    }

    /// All parts, joined. A part that can't be read is a flaw, unless it is the only one.
    pub(super) fn bytes(&self, sink: &mut dyn Sink) -> Result<Unpacked, GapKind> {
        let mut whole = Unpacked { bytes: Vec::new(), flaws: self.flaws.clone() };
        for (at, part) in self.parts.iter().enumerate() {
            match contents(part, sink) {
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
                Ok(Contents::Archive { .. }) => {
                    whole.flaws.push(GapKind::unreadable("a part that is an archive: not read"));
                }
                Err(reason) if self.parts.len() == 1 => return Err(reason),
                Err(reason) => whole.flaws.push(reason),
            }
        }
        Ok(whole)
    }
}

/// What an origin holds once nothing is compressed any more.
enum Contents {
    Log(Unpacked),
    Archive { store: Store, packing: Packing, flaws: Vec<GapKind> },
}

fn contents(origin: &Origin, sink: &mut dyn Sink) -> Result<Contents, GapKind> {
    let (store, mut flaws) = origin.store(&mut |bytes| sink.more(bytes))?;
    match store.packing()? {
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
        Ok(bytes) if Packing::of(&bytes).is_none() => sink.log(Log::new(shown, bytes)),
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
pub(super) fn unreadable(error: &io::Error) -> GapKind {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "it does not exist",
        io::ErrorKind::PermissionDenied => "permission denied",
        io::ErrorKind::IsADirectory => "it is a folder",
        io::ErrorKind::NotADirectory => "it is not a folder",
        _ => "input or output error",
    };
    GapKind::unreadable(format!("can't be read: {why}"))
}
