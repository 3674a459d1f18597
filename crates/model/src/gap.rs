//! Gaps: parts of the evidence that could not be read, or that are missing.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

/// Something that could not be read. A gap keeps a verdict from being a pass.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    /// The file as shown to users.
    pub file: String,
    /// 1-based line; `None` when the whole file is meant.
    pub line: Option<u32>,
    pub kind: GapKind,
}

/// Why there is a gap. Code decides by the kind; the text of a kind is for people.
///
/// Details are lower case, fit on one line and never quote raw log text. Kinds are equal, and are ordered, by their
/// texts: a report lists one text for one line once.
#[derive(Debug, Clone)]
pub enum GapKind {
    /// A file, a folder, an entry of an archive or a git object cannot or may not be read.
    Unreadable(Cow<'static, str>),
    /// A limit on size, depth or number ended the reading.
    LimitReached(Cow<'static, str>),
    /// More gaps than are listed.
    NotListed(u64),
    /// The text has bytes that are not UTF-8.
    NotUtf8,
    /// A record is not JSON.
    InvalidJson(Cow<'static, str>),
    /// The log ends inside a record.
    Truncated(Cut),
    /// The file is not a log of a known agent.
    UnknownFormat(Cow<'static, str>),
    /// A record is of no kind that its format has, or belongs to another log.
    UnknownRecord(Cow<'static, str>),
    /// A record or a part of one does not have the shape that its format prescribes.
    Malformed(Cow<'static, str>),
    /// A key occurs twice in one object.
    DuplicateKey { key: String, holder: &'static str },
    /// Two parts of the evidence contradict each other.
    Contradiction(Cow<'static, str>),
    /// A file, a transcript or an event that has to be there is missing.
    Missing(Cow<'static, str>),
    /// The recorder or the agent left something out of the log.
    NotRecorded(Cow<'static, str>),
    /// The log that was imported had a gap at this place; `line` is its line in that log.
    Imported { reason: String, line: Option<u64> },
    /// The log holds no session.
    NoSession(Cow<'static, str>),
    /// A log could not be searched for secrets and personal data.
    NotSearched(Cow<'static, str>),
    /// The program failed while it judged a session.
    Internal(Cow<'static, str>),
}

/// The record that a log ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    First,
    Later,
}

impl Gap {
    /// A gap of a whole file.
    pub fn of_file(file: impl Into<String>, kind: GapKind) -> Self {
        Self { file: file.into(), line: None, kind }
    }

    /// The text that readers of a report see: lower case, one line.
    pub fn reason(&self) -> String {
        self.kind.to_string()
    }
}

impl GapKind {
    pub fn unreadable(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::Unreadable(detail.into())
    }

    pub fn limit(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::LimitReached(detail.into())
    }

    pub fn malformed(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::Malformed(detail.into())
    }

    pub fn missing(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::Missing(detail.into())
    }

    /// The name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "unreadable",
            Self::LimitReached(_) => "limit_reached",
            Self::NotListed(_) => "not_listed",
            Self::NotUtf8 => "not_utf8",
            Self::InvalidJson(_) => "invalid_json",
            Self::Truncated(_) => "truncated",
            Self::UnknownFormat(_) => "unknown_format",
            Self::UnknownRecord(_) => "unknown_record",
            Self::Malformed(_) => "malformed",
            Self::DuplicateKey { .. } => "duplicate_key",
            Self::Contradiction(_) => "contradiction",
            Self::Missing(_) => "missing",
            Self::NotRecorded(_) => "not_recorded",
            Self::Imported { .. } => "imported",
            Self::NoSession(_) => "no_session",
            Self::NotSearched(_) => "not_searched",
            Self::Internal(_) => "internal_error",
        }
    }
}

impl fmt::Display for GapKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(detail)
            | Self::LimitReached(detail)
            | Self::InvalidJson(detail)
            | Self::UnknownFormat(detail)
            | Self::UnknownRecord(detail)
            | Self::Malformed(detail)
            | Self::Contradiction(detail)
            | Self::Missing(detail)
            | Self::NotRecorded(detail)
            | Self::NoSession(detail)
            | Self::NotSearched(detail)
            | Self::Internal(detail) => out.write_str(detail),
            Self::NotListed(count) => write!(out, "{count} more places of this file could not be read"),
            Self::NotUtf8 => out.write_str("text that is not UTF-8: its broken bytes were replaced"),
            Self::Truncated(cut) => {
                let record = if *cut == Cut::First { "its first record" } else { "a record" };
                write!(out, "the log ends inside {record}: it may still be written or was cut off")
            }
            Self::DuplicateKey { key, holder } => {
                write!(out, "the key `{key}` occurs twice in {holder}: readers disagree which one counts")
            }
            Self::Imported { reason, line } => {
                write!(out, "in the log that was imported: {reason}")?;
                line.map_or(Ok(()), |line| write!(out, " (line {line} of the log)"))
            }
        }
    }
}

impl PartialEq for GapKind {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for GapKind {}

impl PartialOrd for GapKind {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for GapKind {
    fn cmp(&self, other: &Self) -> Ordering {
        self.to_string().cmp(&other.to_string())
    }
}
