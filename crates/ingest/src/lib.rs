//! Bytes of a log → sessions, and a list of everything that could not be read.
//!
//! Dialects are detected by content, never by file name. Parsing never fails as a whole and never guesses: a record
//! that can't be read is a [`Gap`], a record of an unknown type is counted, and a gap where it looks like a call
//! ([`overlooked`]). One folder per format: see [`formats`].
//!
//! This crate must not know effects, policies or reports: it reads what a log says and judges nothing. Start with
//! [`formats`] to add an agent, and with [`discover`] to see where logs come from.

mod assembly;
mod blocks;
mod chat;
mod database;
mod detect;
pub mod discover;
mod formats;
mod gaps;
mod head;
mod json;
mod mend;
mod named;
mod overlooked;
mod paths;
mod reader;
mod scan;
mod settings;
mod speaker;
mod unended;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::OnceLock;

use memchr::memchr_iter;

use self::detect::Detected;
use self::formats::Input;
use self::gaps::Gaps;
use self::unended::ReadFrom;
use agent_strace_model::attribution::{note, note_each};
use agent_strace_model::{Dialect, Gap, GapKind, Session};

/// The text of a gap about a whole log.
const NO_SESSION: &str = "no session could be read: the log holds nothing that belongs to one";

/// The bytes of one log, and how users know it.
#[derive(Debug)]
pub struct Log {
    /// Path as given, with `/` separators; `-` for standard input.
    pub shown: String,
    bytes: Vec<u8>,
    /// For an entry of the native store: its directory name and `meta.json`.
    pub store: Option<StoreEntry>,
    /// The change that is judged holds it, or the archive or the compressed file that it was read from.
    pub committed: bool,
    pub(crate) read_from: ReadFrom,
    /// Why the bytes may not be all: the file they come from is damaged.
    flaws: Vec<GapKind>,
    /// What lies beside it says about it.
    carried: Option<Carried>,
    /// The directory of the project that a file beside it names.
    project: Option<String>,
    /// Files beside it that say more about its session.
    sides: Vec<Side>,
    /// The text with broken UTF-8 replaced, where there is any.
    repaired: OnceLock<String>,
    /// What is left of the text without its damaged parts, where there are any.
    mended: OnceLock<Option<String>>,
}

/// What the native store keeps beside the events.
#[derive(Debug, Clone)]
pub struct StoreEntry {
    pub id: String,
    /// `meta.json` as shown to users, and its bytes or why they could not be read.
    pub(crate) meta_shown: String,
    pub meta: Result<Vec<u8>, GapKind>,
    pub anchor: Anchor,
}

/// Where it is written how far a recording got.
#[derive(Debug, Clone)]
pub enum Anchor {
    /// `recorder.json` as shown to users, and its bytes or why they could not be read.
    File(String, Result<Vec<u8>, GapKind>),
    /// There is none: nobody recorded the session while it ran, or the file is lost.
    Missing,
    /// Whoever hands the session over read it from the recording itself.
    Held,
}

impl StoreEntry {
    /// Of a session that is read from memory, by whoever knows how far its recording got.
    pub fn in_memory(id: String, meta: Result<Vec<u8>, GapKind>) -> Self {
        Self { id, meta_shown: "meta.json".to_owned(), meta, anchor: Anchor::Held }
    }
}

/// What the metadata of a checkpoint says about the session in it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Carried {
    session: String,
    model: Option<String>,
    branch: Option<String>,
    checkpoint: Option<String>,
    /// The newest commit that names the checkpoint.
    commit: Option<String>,
}

/// A file beside a log that says more about its session.
#[derive(Debug, Clone)]
pub(crate) struct Side {
    /// Its name, or the pattern of it.
    name: &'static str,
    shown: String,
    text: String,
}

/// What a log holds.
#[derive(Debug, Default)]
pub struct Reading<'a> {
    pub sessions: Vec<Session<'a>>,
    pub gaps: Vec<Gap>,
}

impl Carried {
    fn apply<'a>(&'a self, session: &mut Session<'a>) {
        let fact = |value: &'a Option<String>| value.as_deref().filter(|value| !value.is_empty()).map(Cow::Borrowed);
        if session.id.is_empty() {
            session.id = Cow::Borrowed(&self.session);
        }
        note_each(&mut session.attribution.models, fact(&self.model));
        note_each(&mut session.attribution.branches, fact(&self.branch));
        note(&mut session.attribution.commit, fact(&self.commit));
    }
}

/// What is true of sessions that are recorded into the store.
pub fn recorded() -> &'static Dialect {
    &formats::native::FORMAT.dialect
}

impl Log {
    pub fn new(shown: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self {
            shown: shown.into(),
            bytes,
            store: None,
            committed: false,
            read_from: ReadFrom::Elsewhere,
            flaws: Vec::new(),
            carried: None,
            project: None,
            sides: Vec::new(),
            repaired: OnceLock::new(),
            mended: OnceLock::new(),
        }
    }

    /// All of it, as it was found.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reads the log. Everything that isn't in a session is in a gap.
    pub fn read(&self) -> Reading<'_> {
        let mut gaps = Gaps::new(&self.shown);
        for flaw in &self.flaws {
            gaps.push(None, flaw.clone());
        }
        let text = self.text(&mut gaps);
        let mut sessions = self.parse(text, &mut gaps);
        if gaps.damaged()
            && text.trim_start().starts_with(['{', '['])
            && let Some(mended) = self.mended.get_or_init(|| mend::mend(text))
        {
            let mut left = Gaps::of_mended(&self.shown);
            sessions = self.parse(mended, &mut left);
            gaps.after_mending(left);
        }
        formats::kin::name(&mut sessions, &self.shown);
        unended::look(&sessions, &mut gaps);
        if let Some(carried) = &self.carried {
            for session in &mut sessions {
                carried.apply(session);
            }
        }
        if let Some(project) = &self.project {
            for session in sessions.iter_mut().filter(|session| session.root.is_none()) {
                session.root = Some(Cow::Borrowed(project));
            }
        }
        // Whatever a format makes of a log: nothing at all is never its answer.
        if sessions.is_empty() && gaps.is_empty() {
            gaps.push(None, GapKind::NoSession(NO_SESSION.into()));
        }
        for (session, nth) in sessions.iter_mut().filter(|session| session.id.is_empty()).zip(1..) {
            let name = self.name();
            session.id = if nth == 1 { Cow::Borrowed(name) } else { Cow::Owned(format!("{name}.{nth}")) };
        }
        // With several sessions in one log nobody can tell whose record was cut.
        for session in &mut sessions {
            session.evidence.truncated |= gaps.truncated() || !self.flaws.is_empty();
        }
        // An imported session knows how many its own log had.
        if let [session] = sessions.as_mut_slice()
            && session.evidence.records == 0
        {
            session.evidence.records = gaps.records();
        }
        Reading { sessions, gaps: gaps.finish() }
    }

    fn parse<'a>(&'a self, text: &'a str, gaps: &mut Gaps) -> Vec<Session<'a>> {
        match detect::detect(text, self.store.is_some()) {
            Ok(Detected { format, shape }) => {
                let sessions = (format.read)(&Input { text, shape, log: self }, gaps);
                overlooked::look(text, shape, format, &sessions, gaps);
                sessions
            }
            Err(unclaimed) => {
                gaps.unclaimed(unclaimed);
                Vec::new()
            }
        }
    }

    /// The text of the file beside the log that has this name, or this pattern of one.
    fn side(&self, name: &str) -> Option<&Side> {
        self.sides.iter().find(|side| side.name == name)
    }

    /// What a session is called whose log gives it no id: the file, without folder and extension.
    fn name(&self) -> &str {
        let file = self.shown.rsplit('/').next().unwrap_or(&self.shown);
        file.split_once('.').map_or(file, |(stem, _)| if stem.is_empty() { file } else { stem })
    }

    /// The folder a log lies in that is called like every other one of its format (`files`): the folder tells them
    /// apart. Folders that only sort are passed over.
    fn folder(&self, files: &[&str], sorting: &[&str]) -> Option<&str> {
        let mut folders = self.shown.rsplit('/');
        let file = folders.next()?;
        let folder = folders.find(|folder| !folder.is_empty() && !sorting.contains(folder))?;
        files.contains(&file).then_some(folder)
    }

    /// The log as text without its byte order mark. Bytes that are not UTF-8 are replaced and noted, so that the
    /// records around them are still judged.
    fn text(&self, gaps: &mut Gaps) -> &str {
        let text = simdutf8::basic::from_utf8(&self.bytes).unwrap_or_else(|_| {
            self.note_broken_text(gaps);
            self.repaired.get_or_init(|| String::from_utf8_lossy(&self.bytes).into_owned())
        });
        text.strip_prefix('\u{feff}').unwrap_or(text)
    }

    fn note_broken_text(&self, gaps: &mut Gaps) {
        if detect::is_binary(&self.bytes) {
            return;
        }
        let (mut line, mut noted) = (1_u32, 0_u32);
        for chunk in self.bytes.utf8_chunks() {
            let lines = memchr_iter(b'\n', chunk.valid().as_bytes()).count();
            line = line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
            if !chunk.invalid().is_empty() && noted != line {
                gaps.push(Some(line), GapKind::NotUtf8);
                noted = line;
            }
        }
    }
}
