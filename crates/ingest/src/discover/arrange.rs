//! Files of a folder, an archive or a revision → logs, sessions of the native store, transcripts of checkpoints.

use std::collections::{BTreeMap, BTreeSet};

use super::beside::{self, Beside};
use super::checkpoints;
use super::copies;
use super::databases;
use super::origin::Origin;
use super::packed::{Archive, Member};
use super::store::{EVENTS, META, RECORDER};
use super::{Entry, Found, MAX_FILE, Source, Transcript, sidecar};
use crate::formats::native::Meta;
use crate::{Anchor, StoreEntry};
use agent_strace_model::tombstone::is_tombstone;
use agent_strace_model::{Gap, GapKind};

/// Real ones are a few kilobytes.
const MAX_META: u64 = 1 << 20;

/// A file that was found and not looked into yet.
#[derive(Debug)]
pub(super) struct Listed {
    /// Below what was listed, `/` between components.
    pub(super) path: String,
    pub(super) shown: String,
    pub(super) size: u64,
    /// Or why it can't be read.
    pub(super) origin: Result<Origin, GapKind>,
    /// Files of its folder that say more about it, where it is a log.
    pub(super) beside: Vec<Beside>,
}

/// Everything below one folder.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) files: Vec<Listed>,
    pub(super) gaps: Vec<Gap>,
    /// The name of the folder itself, where it has one.
    pub(super) name: Option<String>,
    /// The folder as shown to users.
    pub(super) shown: String,
    /// Which of the files may be logs.
    pub(super) scope: Scope,
}

/// Which files of a listing may be logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Scope {
    /// What is named like a log or holds one.
    #[default]
    Logs,
    /// Everything: each file is one record of its own (git notes).
    Everything,
}

impl Listed {
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    pub(super) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    pub(super) fn gap(&self, kind: GapKind) -> Gap {
        Gap::of_file(self.shown.clone(), kind)
    }

    /// The file alone.
    pub(super) fn only(self, scope: Scope) -> Found {
        let mut found = Found::default();
        one(self, scope, Vec::new(), &mut found);
        found
    }

    /// A small file's bytes.
    pub(super) fn small(&self) -> Result<Vec<u8>, GapKind> {
        let origin = self.origin.as_ref().map_err(Clone::clone)?;
        let (bytes, _) = origin.peek(MAX_META + 1)?;
        if bytes.len() as u64 > MAX_META {
            return Err(GapKind::limit(format!("larger than {} MiB: not read", MAX_META >> 20)));
        }
        Ok(bytes)
    }
}

/// What the members of an archive are.
pub(super) fn archive(archive: Archive, shown: &str) -> Found {
    let archive = std::sync::Arc::new(archive);
    let listed = |(at, member): (usize, &Member)| Listed {
        path: member.name.clone(),
        shown: format!("{shown}/{}", member.name),
        size: member.size,
        origin: match archive.refusal(at) {
            Some(kind) => Err(kind.clone()),
            None => Ok(Origin::Member { archive: archive.clone(), at }),
        },
        beside: Vec::new(),
    };
    let gap = |kind: &GapKind| Gap::of_file(shown, kind.clone());
    arrange(Listing {
        files: archive.members.iter().enumerate().map(listed).collect(),
        gaps: archive.flaws.iter().map(gap).collect(),
        name: None,
        shown: shown.to_owned(),
        scope: Scope::Logs,
    })
}

/// What the files of a listing are.
pub(super) fn arrange(listing: Listing) -> Found {
    let Listing { mut files, gaps, name, shown, scope } = listing;
    let mut found = Found { gaps, ..Found::default() };
    files.sort_by(|left, right| left.path.split('/').cmp(right.path.split('/')));
    let mut folders: BTreeMap<String, Vec<Listed>> = BTreeMap::new();
    // What is being deleted is no session any more.
    files.retain(|file| !file.folder().split('/').any(is_tombstone));
    // A link and what it leads to are one file.
    let mut seen = BTreeSet::new();
    files.retain(|file| match &file.origin {
        Ok(Origin::File { path, .. }) => seen.insert(path.clone()),
        _ => true,
    });
    for file in files {
        folders.entry(file.folder().to_owned()).or_default().push(file);
    }
    let mut copies = checkpoints::Copies::default();
    for (folder, mut files) in folders {
        let here = Folder {
            id: folder.rsplit('/').next().filter(|name| !name.is_empty()).or(name.as_deref()),
            shown: if folder.is_empty() { shown.clone() } else { format!("{shown}/{folder}") },
        };
        beside::attach(&mut files);
        here.sessions(&mut files, &mut found);
        let mut transcripts = join(&mut files);
        copies.take(&folder, &mut files, &mut transcripts, &mut found.gaps);
        for transcript in transcripts {
            found.add(Source::of(vec![transcript], None));
        }
        for several in copies::take(&mut files, &mut found.gaps) {
            found.add(Source::of(several, None));
        }
        let behind = databases::behind(&files);
        for file in files {
            let flaws = databases::unread(file.name(), &behind);
            one(file, scope, flaws, &mut found);
        }
    }
    copies.finish(&mut found);
    found.sources.sort_by(|left, right| left.shown.split('/').cmp(right.shown.split('/')));
    found.gaps.sort();
    found
}

/// One folder of a listing.
struct Folder<'f> {
    id: Option<&'f str>,
    shown: String,
}

impl Folder<'_> {
    /// Takes sessions of the native store: `events.ndjson` and what `meta.json` says about it.
    fn sessions(&self, files: &mut Vec<Listed>, found: &mut Found) {
        let events: Vec<_> = files.extract_if(.., |file| file.name() == EVENTS).collect();
        if events.is_empty() {
            if files.iter().any(|file| file.name() == META) {
                let kind = GapKind::missing(format!("`{META}` without `{EVENTS}`: the session's events are missing"));
                found.gaps.push(Gap::of_file(self.shown.clone(), kind));
            }
            return;
        }
        let mut metas = files.extract_if(.., |file| file.name() == META).collect::<Vec<_>>().into_iter();
        let meta = metas.next();
        let twice = || GapKind::Contradiction(format!("`{META}` occurs twice: only the first is read").into());
        found.gaps.extend(metas.map(|again| again.gap(twice())));
        let recorder = files.extract_if(.., |file| file.name() == RECORDER).next();
        for file in events {
            let entry = self.entry(meta.as_ref(), recorder.as_ref());
            match file.origin {
                Ok(origin) => found.add(Source::new(file.shown, file.size, Some(entry), origin)),
                Err(kind) => found.gaps.push(Gap::of_file(file.shown, kind)),
            }
        }
    }

    fn entry(&self, meta: Option<&Listed>, recorder: Option<&Listed>) -> Entry {
        let (meta_shown, bytes) = match meta {
            Some(file) => (file.shown.clone(), file.small()),
            None => {
                (format!("{}/{META}", self.shown), Err(GapKind::missing("missing: it was deleted or never written")))
            }
        };
        let parsed = bytes.as_deref().ok().and_then(|bytes| Meta::parse(bytes).ok());
        // At the top of an archive there is no directory that names the session.
        let id = match self.id {
            Some(id) => id.to_owned(),
            None => parsed.as_ref().and_then(Meta::session).unwrap_or_default().into_owned(),
        };
        let started_at = parsed.as_ref().and_then(Meta::started_at);
        let anchor = recorder.map_or(Anchor::Missing, |file| Anchor::File(file.shown.clone(), file.small()));
        let store = StoreEntry { id: id.clone(), meta_shown, meta: bytes, anchor };
        Entry { id, started_at, store }
    }
}

/// Takes logs that were cut into numbered files (`full.jsonl`, `full.jsonl.001`, …).
pub(super) fn join(files: &mut Vec<Listed>) -> Vec<Transcript> {
    let mut chunks: BTreeMap<String, Vec<(u32, Listed)>> = BTreeMap::new();
    for file in files.extract_if(.., |file| chunk(file.name()).is_some()) {
        if let Some((base, number)) = chunk(file.name()) {
            chunks.entry(base.to_owned()).or_default().push((number, file));
        }
    }
    let mut joined = Vec::new();
    for (base, mut parts) in chunks {
        parts.sort_by_key(|(number, _)| *number);
        let beginnings: Vec<_> = files.extract_if(.., |file| file.name() == base).collect();
        let whole = beginnings.into_iter().map(|file| (0, file)).chain(parts);
        joined.extend(Transcript::joined(whole));
    }
    joined
}

/// The name of a log that was cut, and which piece of it this is.
fn chunk(name: &str) -> Option<(&str, u32)> {
    let (base, digits) = name.rsplit_once('.')?;
    let numbered = digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.parse().ok().filter(|number| *number > 0)?;
    (numbered && (sidecar::may_be_log(base) || base == checkpoints::RAW)).then_some((base, number))
}

impl Transcript {
    /// Parts in order, each with its number; what is missing between them is a flaw.
    pub(super) fn joined(parts: impl Iterator<Item = (u32, Listed)>) -> Option<Self> {
        let mut whole: Option<Self> = None;
        let mut expected = 0;
        for (number, file) in parts {
            let whole = whole.get_or_insert_with(|| Self {
                shown: file.shown.clone(),
                beside: file.beside.clone(),
                ..Self::default()
            });
            if number > expected {
                let missing = match (expected, number - 1) {
                    (0, 0) => "its beginning is missing".to_owned(),
                    (from, to) if from == to => format!("part {from} of it is missing"),
                    (from, to) => format!("parts {from} to {to} of it are missing"),
                };
                whole.flaws.push(GapKind::missing(missing));
            }
            if number < expected {
                let twice = format!("part {number} of it is there twice: both are read");
                whole.flaws.push(GapKind::Contradiction(twice.into()));
            }
            expected = number.saturating_add(1);
            whole.size = whole.size.saturating_add(file.size);
            match file.origin {
                Ok(origin) => whole.parts.push(origin),
                Err(kind) => whole.flaws.push(GapKind::unreadable(format!("part {number} can't be read: {kind}"))),
            }
        }
        whole
    }

    pub(super) fn single(file: Listed) -> Result<Self, Gap> {
        match file.origin {
            Ok(origin) => {
                let size = file.beside.iter().fold(file.size, |size, beside| size.saturating_add(beside.size));
                let (shown, beside) = (file.shown, file.beside);
                Ok(Self { shown, size, parts: vec![origin], beside, ..Self::default() })
            }
            Err(kind) => Err(Gap::of_file(file.shown, kind)),
        }
    }
}

/// A file that belongs to no other, and what is missing of it.
fn one(file: Listed, scope: Scope, flaws: Vec<GapKind>, found: &mut Found) {
    let wanted = match &file.origin {
        Err(_) => true,
        Ok(_) if scope == Scope::Everything => true,
        Ok(origin) => sidecar::is_wanted(&file.path, origin),
    };
    if !wanted {
        return;
    }
    match Transcript::single(file) {
        Ok(transcript) => found.add(Source::of(vec![Transcript { flaws, ..transcript }], None)),
        Err(gap) => found.gaps.push(gap),
    }
}

impl Found {
    pub(super) fn add(&mut self, source: Source) {
        if source.transcripts.iter().any(|transcript| transcript.size > MAX_FILE) && !source.is_archive() {
            let kind = super::load::too_large();
            self.gaps.push(Gap::of_file(source.shown, kind));
            return;
        }
        self.sources.push(source);
    }
}
