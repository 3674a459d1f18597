//! A session that is recorded while it runs. Many processes write one, each for the length of one event, several at a time,
//! and any of them may be killed.
//!
//! - One lock a session, held for one event. Who waits longer than [`PATIENCE`] gives up and says so.
//! - An event is one `write` at the end of `events.ndjson`. One that failed is taken back; one that was cut off by a kill
//!   stays as a damaged line, which readers tell of, and the next event begins a line of its own.
//! - Every line carries the digest of the one before it. `recorder.json` says how many there were and the digest of the last
//!   one: a log that ends earlier, or goes on otherwise, shows. It also remembers which calls have no result yet. It is
//!   written before the first event and after each, so it may lag behind, and is never ahead; what it lacks is read from the
//!   events, and what they lack is written down as a gap by whoever records next.
//!
//! Who may write all of a store may write another one: digests show what was damaged, not who wrote it.

mod decision;
mod line;
mod meta;
mod state;
#[cfg(test)]
mod tests;
mod volatile;

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::disk::{self, EVENTS, META};
use super::{SAME_ID, StoreError, name};
use decision::DECISIONS;
pub use decision::{Decided, Decisions, Judged, Looked, decisions, recorded_events};
pub use line::{Answer, Capture, Fact, Note, gap};
pub(crate) use state::Left;
use state::{Noted, State};
pub use state::{Pending, RECORDER, Watched};

/// A process that was stopped while it recorded must not stop the agent for ever.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(2);
/// What the recorders of other languages and editors ask for the session that runs.
const MARKER: &str = ".active-session";

/// A session that is being written to, and nobody else may write to it.
pub struct Live {
    store: PathBuf,
    folder: PathBuf,
    directory: String,
    events: File,
    /// Bytes in `events`.
    length: u64,
    state: State,
    /// What was noted of it when it was opened.
    noted: Noted,
}

/// An event that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The event's number.
    pub line: u32,
    pub event_id: String,
}

impl Live {
    /// Opens the recording of the session that its agent calls `id`, or begins it. A directory that holds anything else is
    /// never touched.
    pub fn open(store: &Path, id: &str) -> Result<Self, StoreError> {
        Self::open_again(store, id, None)
    }

    /// Lets others write for a while. How far it got is noted by whoever comes back.
    pub fn leave(self) -> Left {
        Left { directory: self.directory, state: self.state, length: self.length, noted: self.noted }
    }

    /// The same as [`Live::open`], by who left the recording.
    pub fn come_back(store: &Path, id: &str, left: &Left) -> Result<Self, StoreError> {
        Self::open_again(store, id, Some(left))
    }

    fn open_again(store: &Path, id: &str, left: Option<&Left>) -> Result<Self, StoreError> {
        fs::create_dir_all(store).map_err(|error| disk::failure(store, &error))?;
        let base = name::directory(id);
        for number in 1..=SAME_ID {
            let directory = if number == 1 { base.clone() } else { format!("{base}.{number}") };
            if let Some(live) = Self::in_directory(store, directory, left)? {
                return Ok(live);
            }
        }
        Err(StoreError::new(&store.join(base), "too many recordings have this session id"))
    }

    /// `None`: something else is there.
    fn in_directory(store: &Path, directory: String, left: Option<&Left>) -> Result<Option<Self>, StoreError> {
        let left = left.filter(|left| left.directory == directory);
        let folder = store.join(&directory);
        match disk::private_folder().create(&folder) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let found = folder.symlink_metadata().map_err(|error| disk::failure(&folder, &error))?;
                if !found.is_dir() {
                    return Ok(None);
                }
            }
            Err(error) => return Err(disk::failure(&folder, &error)),
        }
        let path = folder.join(EVENTS);
        let failure = |error: io::Error| disk::failure(&path, &error);
        if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
            return Ok(None);
        }
        let mut events =
            disk::private_file().create_new(false).create(true).read(true).append(true).open(&path).map_err(failure)?;
        lock(&events).map_err(failure)?;
        let length = events.metadata().map_err(failure)?.len();
        let known = State::of(&folder, &mut events, length, left).map_err(failure)?;
        let store = store.to_owned();
        Ok(known.map(|(state, noted)| Self { store, folder, directory, events, length, state, noted }))
    }

    /// The name of its directory, by which it is known.
    pub fn directory(&self) -> &str {
        &self.directory
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Nothing is recorded of it yet.
    pub fn is_new(&self) -> bool {
        self.state.events == 0
    }

    /// Calls without a result, the oldest first.
    pub fn pending(&self) -> &[Pending] {
        &self.state.pending
    }

    /// Remembers what is looked at once more when the call of this event ends.
    pub fn watch(&mut self, event: &str, watched: Watched) {
        if let Some(pending) = self.state.pending.iter_mut().find(|pending| pending.event == event) {
            pending.watched = Some(watched);
        }
    }

    /// Returns what is looked at once more, and forgets it.
    pub fn take_watched(&mut self, event: &str) -> Option<Watched> {
        self.state.pending.iter_mut().find(|pending| pending.event == event)?.watched.take()
    }

    /// The number of the event that is written next.
    pub fn next(&self) -> u32 {
        self.state.events.saturating_add(1)
    }

    /// Everything that is recorded.
    pub fn text(&mut self) -> Result<Vec<u8>, StoreError> {
        let path = self.folder.join(EVENTS);
        state::whole(&mut self.events, self.length).map_err(|error| disk::failure(&path, &error))
    }

    /// Writes one event, and what is found to be lost before it.
    pub fn append(&mut self, time: Timestamp, fact: &Fact<'_>) -> Result<Written, StoreError> {
        if self.length == 0 && self.state.damage.is_none() {
            disk::put(&self.folder.join(RECORDER), &self.state.text())?;
        }
        let written = self.write(time, fact)?;
        if let Some(lost) = self.state.damage.clone() {
            line::gap(&lost, |gap| self.write(time, gap))?;
            self.state.damage = None;
        }
        Ok(written)
    }

    fn write(&mut self, time: Timestamp, fact: &Fact<'_>) -> Result<Written, StoreError> {
        let number = self.state.events.saturating_add(1);
        let written = line::line(&self.directory, number, time, &self.state, fact);
        let path = self.folder.join(EVENTS);
        let torn = if self.state.is_torn { "\n" } else { "" };
        let text = format!("{torn}{}\n", written.text);
        if let Err(error) = self.events.write_all(text.as_bytes()) {
            // Half of an event is none: what was written of it goes.
            let _ = self.events.set_len(self.length);
            return Err(disk::failure(&path, &error));
        }
        self.length = self.length.saturating_add(text.len() as u64);
        self.state.note(&written, self.length, time, fact);
        Ok(Written { line: number, event_id: written.event_id })
    }

    /// A line as it would be written, for who judges it before it is.
    pub fn line(&self, number: u32, time: Timestamp, fact: &Fact<'_>) -> String {
        line::line(&self.directory, number, time, &State::default(), fact).text
    }

    /// Writes down what was said to a call. Each entry carries the digest of the one before it, as events do.
    pub fn decide(&mut self, decided: Decided) -> Result<(), StoreError> {
        let path = self.folder.join(DECISIONS);
        let failure = |error: io::Error| disk::failure(&path, &error);
        if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
            return Err(StoreError::new(&path, "it is not a plain file"));
        }
        let mut file = disk::private_file().create_new(false).create(true).append(true).open(&path).map_err(failure)?;
        let length = file.metadata().map_err(failure)?.len();
        let text = self.state.decision(decided, length);
        if let Err(error) = file.write_all(text.as_bytes()) {
            let _ = file.set_len(length);
            return Err(failure(error));
        }
        self.state.decisions_bytes = length.saturating_add(text.len() as u64);
        Ok(())
    }

    /// Says how far the recording got, and lets others write. `meta.json` is for readers that know nothing else: it is written
    /// when a session begins, when its agent waits for its user, and when it ends.
    pub fn finish(self, stage: &Stage<'_>) -> Result<(), StoreError> {
        self.keep(stage)
    }

    /// The same, and goes on writing: for a process that records a whole session.
    pub fn keep(&self, stage: &Stage<'_>) -> Result<(), StoreError> {
        disk::put(&self.folder.join(RECORDER), &self.state.text())?;
        if *stage != Stage::Running {
            let path = self.folder.join(META);
            disk::put(&path, &meta::text(&self.state, &self.directory, stage, &path))?;
            self.mark(*stage == Stage::Ended)?;
        }
        Ok(())
    }

    /// Whoever watches a store finds the session that runs by its marker.
    fn mark(&self, has_ended: bool) -> Result<(), StoreError> {
        let marker = self.store.join(MARKER);
        if !has_ended {
            volatile::keep_out_of_commits(&self.store);
            return disk::put(&marker, &self.directory);
        }
        let is_ours = fs::read_to_string(&marker).is_ok_and(|id| id.trim() == self.directory);
        if is_ours { fs::remove_file(&marker).map_err(|error| disk::failure(&marker, &error)) } else { Ok(()) }
    }
}

/// How far a session is.
#[derive(Debug, PartialEq, Eq)]
pub enum Stage<'a> {
    Began(Begun<'a>),
    Running,
    /// The agent waits for its user.
    Waits,
    Ended,
}

/// What is known of a session from its beginning on.
#[derive(Debug, PartialEq, Eq)]
pub struct Begun<'a> {
    pub agent: &'a str,
    /// How it was started, in words.
    pub command: &'a str,
    /// Who and what started it, by the keys of `meta.json`.
    pub attribution: &'a [(&'static str, String)],
    /// The session that started it, as its directory is called.
    pub parent: Option<&'a str>,
}

fn lock(file: &File) -> io::Result<()> {
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(ErrorKind::TimedOut, "another process has been writing to it for too long"));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}
