//! Entries of policies as they stand in their files, each once.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::escape::{shorten, terminal};
use crate::view::{Report, ShownLocation};
use agent_strace_secrets::redact;

/// Longest line of a policy that is quoted whole, and the longest name of a location.
const LINE: usize = 200;
const NAME: usize = 300;

/// Reads a file of a policy, where it is there and not too large.
pub(super) type Read<'a> = &'a dyn Fn(&str) -> Option<Vec<u8>>;

/// An entry that decided.
#[derive(Debug, Serialize)]
pub(super) struct Quoted {
    /// `FILE:LINE:COLUMN`.
    at: String,
    /// JSON pointer to it.
    pointer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    named: Option<String>,
    /// The line it stands on.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<String>,
    /// Characters before it on that line.
    before: usize,
}

/// Every entry that was asked for.
pub(super) struct Quotes<'a> {
    report: &'a Report,
    read: Read<'a>,
    files: BTreeMap<String, Option<Vec<u8>>>,
    known: BTreeMap<(String, u32, u32, String), usize>,
    pub(super) entries: Vec<Quoted>,
}

impl<'a> Quotes<'a> {
    pub(super) fn new(report: &'a Report, read: Read<'a>) -> Self {
        Self { report, read, files: BTreeMap::new(), known: BTreeMap::new(), entries: Vec::new() }
    }

    /// Its index among [`Self::entries`]; `None` where no file stands behind it.
    pub(super) fn quote(&mut self, location: &ShownLocation) -> Option<usize> {
        let file = self.report.file(location);
        if file.is_empty() {
            return None;
        }
        let key = (file.to_owned(), location.line, location.column, location.pointer.clone());
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        let read = self.read;
        let bytes = self.files.entry(file.to_owned()).or_insert_with(|| read(file));
        let text = bytes.as_deref().map(String::from_utf8_lossy);
        let line = text.as_deref().and_then(|text| text.lines().nth(location.line.saturating_sub(1) as usize));
        let shown = |text: &str| terminal(redact(text).as_str());
        let column = location.column.saturating_sub(1) as usize;
        let before = line.map(|line| match line.char_indices().nth(column) {
            Some((end, _)) => line.get(..end).unwrap_or_default(),
            None => line,
        });
        self.entries.push(Quoted {
            at: format!("{}:{}:{}", terminal(&shorten(file, NAME)), location.line, location.column),
            pointer: terminal(&shorten(&location.pointer, NAME)),
            named: location.named().map(|named| terminal(&shorten(&named, NAME))),
            line: line.map(|line| shorten(&shown(line.trim_start()), LINE)),
            before: before.map_or(0, |before| shown(before.trim_start()).chars().count()).min(LINE),
        });
        self.known.insert(key, self.entries.len() - 1);
        Some(self.entries.len() - 1)
    }
}
