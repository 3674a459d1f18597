//! Entire's checkpoints: each commit's checkpoint repeats the whole transcript of its sessions so far.
//!
//! Of the copies of one session the longest is read, and every other one that holds a call which the longest lacks.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

use super::arrange::Listed;
use super::load::Nesting;
use super::{Found, Sink, Source, Transcript};
use crate::json::{elements, fields, filled, text};
use crate::{Carried, Log};
use agent_strace_model::{Arguments, EventKind, Gap, GapKind};

pub(super) const RAW: &str = "raw_transcript";
const FULL: &str = "full.jsonl";
/// A shorter retelling of the transcript beside it.
const COMPACT: &str = "transcript.jsonl";
const METADATA: &str = "metadata.json";
/// What lies beside a transcript.
const COMPANIONS: &[&str] = &[METADATA, "content_hash.txt", "prompt.txt", "context.md"];
const REDACTED: &str = "REDACTED";

/// The checkpoints of a listing, while it is looked through.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// Session → its transcripts. Without a session's id, each transcript stands for itself.
    sessions: BTreeMap<String, Vec<Transcript>>,
    /// Folders with a transcript.
    filled: BTreeSet<String>,
    /// Folders that a checkpoint lists → the metadata that says so.
    listed: BTreeMap<String, String>,
}

impl Copies {
    /// Takes what belongs to a checkpoint out of the files of one folder. `joined` are the logs that lay there in parts.
    pub(super) fn take(
        &mut self,
        folder: &str,
        files: &mut Vec<Listed>,
        joined: &mut Vec<Transcript>,
        gaps: &mut Vec<Gap>,
    ) {
        let Some(metadata) = files.iter().find(|file| file.name() == METADATA) else {
            // A transcript beside other companions is read as a log of its own.
            if files.iter().any(|file| COMPANIONS.contains(&file.name())) {
                self.transcripts(folder, files, joined, None, gaps);
            }
            return;
        };
        let bytes = metadata.small();
        let parsed = bytes.as_deref().ok().and_then(|bytes| Metadata::parse(bytes, folder));
        let shown = metadata.shown.clone();
        if let Some(Metadata { sessions, .. }) = &parsed {
            self.listed.extend(sessions.iter().map(|folder| (folder.clone(), shown.clone())));
        }
        let before = self.filled.len();
        self.transcripts(folder, files, joined, parsed.as_ref().map(|parsed| &parsed.carried), gaps);
        if let Err(kind) = bytes
            && self.filled.len() > before
        {
            gaps.push(Gap::of_file(shown, kind));
        }
    }

    fn transcripts(
        &mut self,
        folder: &str,
        files: &mut Vec<Listed>,
        joined: &mut Vec<Transcript>,
        carried: Option<&Carried>,
        gaps: &mut Vec<Gap>,
    ) {
        let is_transcript = |name: &str| name == FULL || name == RAW;
        let mut found: Vec<Transcript> = joined
            .extract_if(.., |transcript| {
                let name = transcript.shown.rsplit('/').next().unwrap_or_default();
                is_transcript(name) || [FULL, RAW].iter().any(|base| name.starts_with(&format!("{base}.")))
            })
            .collect();
        for file in files.extract_if(.., |file| is_transcript(file.name())) {
            match Transcript::single(file) {
                Ok(transcript) => found.push(transcript),
                Err(gap) => gaps.push(gap),
            }
        }
        if found.is_empty() {
            return;
        }
        self.filled.insert(folder.to_owned());
        files.retain(|file| file.name() != COMPACT);
        let session = carried.map(|carried| carried.session.clone()).unwrap_or_default();
        for mut transcript in found {
            transcript.carried = carried.cloned();
            let known = !session.is_empty() && session != REDACTED;
            let key = if known { session.clone() } else { format!("\n{}", transcript.shown) };
            self.sessions.entry(key).or_default().push(transcript);
        }
    }

    /// One source for each session.
    pub(super) fn finish(self, found: &mut Found) {
        for (folder, metadata) in &self.listed {
            if !self.filled.contains(folder) {
                let kind = GapKind::missing("the checkpoint lists a session whose transcript is not there");
                found.gaps.push(Gap::of_file(metadata.clone(), kind));
            }
        }
        for mut transcripts in self.sessions.into_values() {
            transcripts.sort_by(|left, right| right.size.cmp(&left.size).then_with(|| left.shown.cmp(&right.shown)));
            let mut seen = BTreeSet::new();
            // The same object in several commits, or in a branch and its copy of the remote.
            transcripts.retain(|transcript| transcript.identity().is_none_or(|identity| seen.insert(identity)));
            found.add(Source::of(transcripts, None));
        }
    }
}

/// What `metadata.json` of a checkpoint, or of one session in it, says.
struct Metadata {
    carried: Carried,
    /// Of a checkpoint: the folders of its sessions.
    sessions: Vec<String>,
}

impl Metadata {
    fn parse(bytes: &[u8], folder: &str) -> Option<Self> {
        let fields = fields(std::str::from_utf8(bytes).ok()?.trim())?;
        let owned = |key: &str| filled(fields.get(key).copied()).map(std::borrow::Cow::into_owned);
        let checkpoint = owned("checkpoint_id");
        let carried = Carried {
            session: owned("session_id").unwrap_or_default(),
            model: owned("model"),
            branch: owned("branch"),
            checkpoint: Some(checkpoint?),
            commit: None,
        };
        let mut sessions = Vec::new();
        for session in elements(fields.get("sessions").copied()) {
            let fields = crate::json::fields(session.get())?;
            let path = ["transcript", "metadata"].iter().find_map(|key| text(fields.get(*key).copied()));
            // Paths in it start at the top of the branch; only the folder of the session matters.
            let name = path.as_deref().and_then(|path| path.rsplit('/').nth(1));
            sessions
                .extend(name.map(|name| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }));
        }
        Some(Self { carried, sessions })
    }
}

/// Reads copies of one session, the longest first in the list.
pub(super) fn read(copies: &[Transcript], nesting: Nesting, sink: &mut dyn Sink) {
    let Some((longest, others)) = copies.split_first() else { return };
    let whole = match longest.whole(nesting, sink) {
        Ok(whole) => whole,
        Err(reason) => {
            sink.gap(longest.gap(reason));
            return read(others, nesting, sink);
        }
    };
    let mut known: Option<BTreeSet<Acts>> = None;
    for copy in others {
        let log = match copy.whole(nesting, sink) {
            Ok(log) => log,
            Err(reason) => {
                sink.gap(copy.gap(reason));
                continue;
            }
        };
        let is_beginning = !log.bytes.is_empty() && whole.bytes.starts_with(log.bytes.trim_ascii_end());
        if is_beginning && copy.beside.is_empty() {
            continue;
        }
        let known = known.get_or_insert_with(|| acts(&whole).0);
        let (acts, complete) = acts(&log);
        if !complete || !acts.is_subset(known) {
            known.extend(acts);
            sink.log(log);
        }
    }
    sink.log(whole);
}

type Acts = [u8; 32];

/// Digests of everything a log says was done, and whether all of it could be read.
fn acts(log: &Log) -> (BTreeSet<Acts>, bool) {
    let reading = log.read();
    let mut acts = BTreeSet::new();
    let events = reading.sessions.iter().flat_map(|session| session.events.iter().map(move |event| (session, event)));
    for (session, event) in events {
        let root = session.root.as_deref().unwrap_or_default();
        let parts = match &event.kind {
            EventKind::Call(call) => {
                let arguments = match &call.arguments {
                    Arguments::Json(text) | Arguments::Text(text) => text.as_ref(),
                    Arguments::Missing => "",
                };
                // Where it ran decides what it did, and whether the session is of this project.
                let cwd = call.cwd.as_deref().unwrap_or_default();
                ["call", call.call_id.as_deref().unwrap_or_default(), call.tool.as_ref(), arguments, cwd, root]
            }
            EventKind::File(file) => ["file", file.target.as_ref(), "", "", "", root],
            EventKind::Hook { command } => ["hook", command.as_ref(), "", "", "", root],
            _ => continue,
        };
        let mut digest = Sha256::new();
        for part in parts {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part.as_bytes());
        }
        acts.insert(digest.finalize().into());
    }
    (acts, reading.gaps.is_empty())
}
