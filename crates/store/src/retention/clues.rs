//! When a session began, when something was recorded last, and whether its end was.
//!
//! Only the beginning and the end of its events are read: a store may hold gigabytes. A time that lies in the future proves
//! nothing: whoever writes it could keep a session for ever.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::Value;

use super::super::disk::{EVENTS, META};
use super::{Started, Witness};
use agent_strace_model::moment;

/// Read of the beginning and of the end of the events.
const WINDOW: u64 = 1 << 20;
/// Real ones are a few kilobytes.
const LARGEST_META: u64 = 1 << 20;
/// An unfinished session in which something happened within this time may still run.
pub(super) const ACTIVE: SignedDuration = SignedDuration::from_hours(24);
/// Clocks of machines differ.
const AHEAD: SignedDuration = SignedDuration::from_hours(24);

/// What a session says about when it was.
#[derive(Debug, Default)]
pub(super) struct When {
    pub(super) started: Option<Started>,
    /// The last time that is known of it.
    pub(super) last: Option<Timestamp>,
    pub(super) is_finished: bool,
    pub(super) damage: Vec<String>,
}

#[derive(Deserialize)]
struct Meta {
    #[serde(default)]
    started_at: Value,
    #[serde(default)]
    ended_at: Value,
}

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    event_type: Value,
    #[serde(default)]
    timestamp: Value,
}

/// When the files of a session were changed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Changes {
    /// What a recorder appends to.
    events: Option<Timestamp>,
    any: Option<Timestamp>,
}

impl Changes {
    pub(super) fn note(&mut self, name: &OsStr, found: &Metadata) {
        let changed = changed(found);
        if name == EVENTS {
            self.events = changed;
        }
        if name == EVENTS || name == META {
            self.any = self.any.max(changed);
        }
    }

    /// A session without a readable file has its directory.
    pub(super) fn of_folder(&mut self, folder: &Path) {
        if self.any.is_none() {
            self.any = folder.symlink_metadata().ok().as_ref().and_then(changed);
        }
    }
}

/// Looks into the files of a session; `changes` where it counts when they were changed.
pub(super) fn of(folder: &Path, changes: Option<Changes>, now: Timestamp) -> When {
    let mut when = When::default();
    let latest = now.checked_add(AHEAD).unwrap_or(Timestamp::MAX);
    let known = |time: &Value| time_of(time).filter(|time| *time <= latest);
    let meta = read(&folder.join(META), LARGEST_META).and_then(|bytes| match serde_json::from_slice::<Meta>(&bytes) {
        Ok(meta) => Ok(meta),
        Err(_) => Err("it is no session's".to_owned()),
    });
    match meta {
        Ok(meta) => {
            when.is_finished = time_of(&meta.ended_at).is_some();
            when.note(Witness::Meta, known(&meta.started_at));
            when.last = when.last.max(known(&meta.ended_at));
            if when.started.is_none() {
                when.damage.push(format!("`{META}` does not say when it began"));
            }
        }
        Err(reason) => when.damage.push(format!("`{META}`: {reason}")),
    }
    match events(&folder.join(EVENTS)) {
        Ok(events) => {
            when.note(Witness::Events, events.first.as_ref().and_then(known));
            when.last = when.last.max(events.last.as_ref().and_then(known));
            when.is_finished |= events.is_ended;
        }
        Err(reason) => when.damage.push(format!("`{EVENTS}`: {reason}")),
    }
    if let Some(changes) = changes {
        let known = |changed: Option<Timestamp>| changed.filter(|time| *time <= latest);
        when.note(Witness::Files, known(changes.any));
        when.last = when.last.max(known(changes.events));
    }
    when
}

impl When {
    /// The first witness that knows counts.
    fn note(&mut self, by: Witness, at: Option<Timestamp>) {
        self.started = self.started.or(at.map(|at| Started { at, by }));
        self.last = self.last.max(at.filter(|_| by != Witness::Files));
    }

    /// Why it may still run.
    pub(super) fn activity(&self, now: Timestamp) -> Option<String> {
        let last = self.last.filter(|_| !self.is_finished)?;
        let ago = now.duration_since(last);
        (ago < ACTIVE).then(|| format!("its end is not recorded, and it was last active {}", ago_in_words(ago)))
    }
}

fn ago_in_words(ago: SignedDuration) -> String {
    match ago.as_mins() {
        ..1 => "just now".to_owned(),
        minutes @ 1..120 => format!("{minutes} min ago"),
        minutes => format!("{} h ago", minutes / 60),
    }
}

struct Events {
    first: Option<Value>,
    last: Option<Value>,
    is_ended: bool,
}

fn events(path: &Path) -> Result<Events, String> {
    let head = read_window(path, SeekFrom::Start(0))?;
    let tail = read_window(path, SeekFrom::End(0))?;
    let line = |line: &[u8]| serde_json::from_slice::<Line>(line).ok();
    let first = head.split(|byte| *byte == b'\n').filter_map(line).find(|line| time_of(&line.timestamp).is_some());
    let mut last = tail.rsplit(|byte| *byte == b'\n').filter_map(line);
    let end = last.next();
    let is_ended = end.as_ref().is_some_and(|line| line.event_type == "session_end");
    let last = end.into_iter().chain(last).find(|line| time_of(&line.timestamp).is_some());
    if first.is_none() && last.is_none() {
        return Err("no event in it says when it was".to_owned());
    }
    Ok(Events { first: first.map(|line| line.timestamp), last: last.map(|line| line.timestamp), is_ended })
}

fn time_of(value: &Value) -> Option<Timestamp> {
    match value {
        Value::Number(number) => moment(&number.to_string()),
        Value::String(text) => moment(text),
        _ => None,
    }
}

/// When a file was changed.
fn changed(metadata: &Metadata) -> Option<Timestamp> {
    Timestamp::try_from(metadata.modified().ok()?).ok()
}

fn read(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    open(path)?.take(most + 1).read_to_end(&mut bytes).map_err(|error| super::why(&error))?;
    if bytes.len() as u64 > most {
        return Err(format!("larger than {} MiB: not read", most >> 20));
    }
    Ok(bytes)
}

/// The bytes behind `from`, or those before the end.
fn read_window(path: &Path, from: SeekFrom) -> Result<Vec<u8>, String> {
    let mut file = open(path)?;
    let mut bytes = Vec::new();
    let mut read = || -> io::Result<()> {
        let length = file.metadata()?.len();
        let start = if matches!(from, SeekFrom::End(_)) { length.saturating_sub(WINDOW) } else { 0 };
        file.seek(SeekFrom::Start(start))?;
        file.by_ref().take(WINDOW).read_to_end(&mut bytes)?;
        Ok(())
    };
    read().map_err(|error| super::why(&error))?;
    Ok(bytes)
}

/// A regular file, never through a link, and never something that makes its reader wait.
fn open(path: &Path) -> Result<File, String> {
    match path.symlink_metadata() {
        Ok(found) if found.is_file() => File::open(path).map_err(|error| super::why(&error)),
        Ok(found) if found.is_symlink() => Err("a link, which is not followed".to_owned()),
        Ok(_) => Err("not a regular file".to_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err("it is missing".to_owned()),
        Err(error) => Err(super::why(&error)),
    }
}
