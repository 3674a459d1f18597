//! Which dialect a log is written in, by its content.

use super::database;
use super::formats::{COMPANIONS, Detect, FORMATS, Format, native};
use super::gaps::Gaps;
use super::head::Head;
use super::reader::{Reader, Shape};

/// Records looked at before a log counts as unknown: real ones show themselves in the first few.
const MAX_PROBES: usize = 1_000;

/// The format of a log, and the layout of its records.
#[derive(Debug, Clone, Copy)]
pub(super) struct Detected {
    pub(super) format: &'static Format,
    pub(super) shape: Shape,
}

/// Why no format claims a log.
#[derive(Debug)]
pub(super) enum Unclaimed {
    /// It ends inside its first record.
    Cut,
    Foreign(String),
}

/// The format of a log and the layout of its records, or why it has none.
pub(super) fn detect(text: &str, in_store: bool) -> Result<Detected, Unclaimed> {
    let trimmed = text.trim_start();
    if trimmed.is_empty() {
        return Err(Unclaimed::Foreign("empty file: nothing was recorded, or it was not written yet".to_owned()));
    }
    if !trimmed.starts_with(['{', '[']) {
        let format = FORMATS.iter().find(|format| matches!(format.detect, Detect::Text(begins) if begins(trimmed)));
        return format
            .map(|format| Detected { format, shape: Shape::Lines })
            .ok_or_else(|| Unclaimed::Foreign(foreign(trimmed)));
    }
    let shape = Shape::of(text);
    match probe(text, shape) {
        Some(format) => Ok(Detected { format, shape }),
        // The store holds nothing but native events: what can't be read there is told line by line.
        None if in_store => Ok(Detected { format: &native::FORMAT, shape }),
        None if is_cut(trimmed) => Err(Unclaimed::Cut),
        None => {
            let companion = companion(text, shape);
            let reason = companion.unwrap_or("not a log of a known agent: no record has the shape of one");
            Err(Unclaimed::Foreign(reason.to_owned()))
        }
    }
}

fn is_cut(text: &str) -> bool {
    let mut values = serde_json::Deserializer::from_str(text.trim_end()).into_iter::<serde::de::IgnoredAny>();
    matches!(values.next(), Some(Err(error)) if error.is_eof())
}

/// Whether the beginning of a file is the log of a known agent.
pub(super) fn is_log(head: &[u8]) -> bool {
    detect(&String::from_utf8_lossy(head), false).is_ok()
}

/// The name of the format of which the beginning of a file is a log.
pub(super) fn format_of(head: &[u8]) -> Option<&'static str> {
    detect(&String::from_utf8_lossy(head), false).ok().map(|detected| detected.format.dialect.name)
}

/// Whether a file could be a log, by its first characters alone.
pub(super) fn may_be_log(head: &[u8]) -> bool {
    if is_binary(head) {
        return false;
    }
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with(['{', '['])
        || FORMATS.iter().any(|format| matches!(format.detect, Detect::Text(begins) if begins(text)))
}

fn probe(text: &str, shape: Shape) -> Option<&'static Format> {
    // Damage is reported when the log is read for good.
    let mut ignored = Gaps::new("");
    let mut reader = Reader::new(text, shape);
    let listed = text.trim_start().starts_with('[');
    for _ in 0..MAX_PROBES {
        let mut head = reader.next::<Head<'_>>(&mut ignored)?.record;
        head.listed = listed;
        if let Some(format) = claimants(&head).next() {
            return Some(format);
        }
    }
    None
}

/// What a file is that an agent keeps beside its logs.
fn companion(text: &str, shape: Shape) -> Option<&'static str> {
    let head = Reader::new(text, shape).next::<Head<'_>>(&mut Gaps::new(""))?.record;
    COMPANIONS.iter().find(|(is_one, _)| is_one(&head)).map(|(_, what)| *what)
}

/// The formats that say only they could have this record.
pub(super) fn claimants(head: &Head<'_>) -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().copied().filter(move |format| matches!(format.detect, Detect::Record(claims) if claims(head)))
}

/// Whether bytes that are not UTF-8 are no text at all.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8 << 10).any(|byte| *byte == 0)
}

/// What a file is that does not start like JSON.
fn foreign(text: &str) -> String {
    let what = if text.starts_with("version https://git-lfs.github.com/spec/") {
        "a pointer of Git LFS: the log itself is not here; `git lfs pull` fetches it"
    } else if text.starts_with("SQLite format 3") {
        return database::unknown();
    } else if text.starts_with('\u{1f}') || text.starts_with('\u{fffd}') || text.starts_with("(\u{fffd}/") {
        "binary or compressed data: not a log of a known agent; decompress it first"
    } else if is_binary(text.as_bytes()) {
        "binary data: not a log of a known agent"
    } else {
        "not a log of a known agent: it does not start with a JSON object or array"
    };
    what.to_owned()
}
