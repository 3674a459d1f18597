//! What a recorder remembers from one event to the next.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::name;
use super::decision::Decided;
use super::line::{Fact, Line};

/// Where it is kept, beside the events.
pub const RECORDER: &str = "recorder.json";
/// Calls that are remembered. Agents run a few at a time; those that never get a result are forgotten.
const MOST_PENDING: usize = 256;
/// Calls with a result that may still be told of again.
const REMEMBERED: usize = 32;

/// Its keys are those of `recorder.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    /// Lines that were written.
    pub(super) events: u32,
    /// Bytes that they take.
    bytes: u64,
    /// SHA-256 of the last line, without its end.
    #[serde(rename = "sha256")]
    pub(super) digest: Option<String>,
    /// Epoch seconds.
    pub(super) started: Option<f64>,
    pub(super) last: Option<f64>,
    pub(super) tool_calls: u32,
    pub(super) errors: u32,
    /// Calls without a result, and the last ones with one.
    #[serde(default)]
    pub(super) pending: Vec<Pending>,
    /// Entries of the log of decisions, the bytes that they take, and SHA-256 of the last one.
    #[serde(default)]
    decisions: u32,
    #[serde(default)]
    pub(super) decisions_bytes: u64,
    #[serde(default)]
    decisions_sha256: Option<String>,
    /// The last line was cut off.
    #[serde(skip)]
    pub(super) is_torn: bool,
    /// What was recorded before and is not there now. It is written down with the next event: what was noted of the events
    /// is what tells of it, and is written anew then.
    #[serde(skip)]
    pub(super) damage: Option<String>,
}

/// A recording's state, and what was noted of it.
type Known = (State, Noted);

/// What stands in `recorder.json`.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Noted {
    Missing,
    Unread,
    Text(Vec<u8>),
}

/// What a process knows of a recording that it let others write to.
#[derive(Debug)]
pub struct Left {
    pub(super) directory: String,
    pub(super) state: State,
    /// Bytes in the events.
    pub(super) length: u64,
    pub(super) noted: Noted,
}

/// A call whose result is waited for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pending {
    /// What the agent calls it, or what it is called here.
    pub call: String,
    /// What tells it apart where its agent gives it no id.
    pub key: String,
    /// The event that records it.
    pub event: String,
    /// That event's number.
    pub line: u32,
    /// Epoch seconds.
    pub at: f64,
    /// It has a result: some agents tell of one call in several steps.
    #[serde(default, rename = "answered", skip_serializing_if = "std::ops::Not::not")]
    pub is_answered: bool,
    /// It was kept from running, as far as is known: it may be told of it yet that it ran.
    #[serde(default, rename = "refused", skip_serializing_if = "std::ops::Not::not")]
    pub is_refused: bool,
    /// What is looked at once more when it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watched: Option<Watched>,
}

/// What is looked at once more when a call ends.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watched {
    /// The policy that judged the call, as the command line named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_ref: Option<String>,
    /// Files of its sets that were there before.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub seen: BTreeSet<String>,
    /// Denied files that the call may change, with the digests of their contents.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

impl Pending {
    /// It has no result, or none but that it was refused.
    pub fn is_open(&self) -> bool {
        !self.is_answered
    }

    /// What its agent calls `call`, or would; a key that was lost may be any.
    pub fn is(&self, call: Option<&str>, key: &str) -> bool {
        call.is_none_or(|call| self.call == call) && (self.key.is_empty() || self.key == key)
    }
}

impl State {
    /// What is known of `events`, which has `length` bytes, and what was noted of it. `None`: it is no recording of ours.
    /// `left`: what this process knew of it a moment ago.
    pub(super) fn of(folder: &Path, events: &mut File, length: u64, left: Option<&Left>) -> io::Result<Option<Known>> {
        let noted = match fs::read(folder.join(RECORDER)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Noted::Missing,
            read => read.map_or(Noted::Unread, Noted::Text),
        };
        if let Some(left) = left
            && left.length == length
            && left.noted == noted
        {
            // Nobody wrote in between.
            return Ok(Some((left.state.clone(), noted)));
        }
        let kept = match &noted {
            Noted::Missing if length == 0 => Some(Self::default()),
            Noted::Missing | Noted::Unread => None,
            Noted::Text(text) => serde_json::from_slice::<Self>(text).ok(),
        };
        let state = match kept {
            Some(state) if state.bytes == length => Some(state),
            kept => Self::read(&whole(events, length)?, kept),
        };
        Ok(state.map(|state| (state, noted)))
    }

    /// What was not noted is in the events; what was noted and is not in them is damage.
    fn read(bytes: &[u8], kept: Option<Self>) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let first = text.lines().next().map(serde_json::from_str::<Recorded<'_>>);
        if first.is_some_and(|line| line.map_or(true, |line| line.data.capture.is_none())) {
            return None;
        }
        let mut state = Self::default();
        let is_known = kept.is_some();
        let kept = kept.unwrap_or_default();
        let mut last_noted = None;
        for line in text.split('\n').filter(|line| !line.trim().is_empty()) {
            let line = line.trim_end_matches('\r');
            state.events = state.events.saturating_add(1);
            state.digest = Some(name::hex(line.as_bytes(), 64));
            if state.events == kept.events {
                last_noted.clone_from(&state.digest);
            }
            if let Ok(recorded) = serde_json::from_str::<Recorded<'_>>(line) {
                state.see(&recorded, &kept);
            }
        }
        state.damage = if !is_known {
            Some("how far the recording had got is not known: `recorder.json` is lost".to_owned())
        } else if state.events < kept.events {
            Some(format!("{} events had been recorded, and {} were there", kept.events, state.events))
        } else if last_noted != kept.digest {
            Some(format!("event {} is not the one that had been recorded", kept.events))
        } else {
            None
        };
        state.bytes = bytes.len() as u64;
        (state.decisions, state.decisions_bytes) = (kept.decisions, kept.decisions_bytes);
        state.decisions_sha256 = kept.decisions_sha256;
        state.is_torn = !bytes.is_empty() && !bytes.ends_with(b"\n");
        Some(state)
    }

    /// The line of an entry of the log of decisions, which has `length` bytes now. One that was cut off ends here.
    pub(super) fn decision(&mut self, decided: Decided, length: u64) -> String {
        let torn = if length == self.decisions_bytes { "" } else { "\n" };
        let line = Decided { prev_hash: self.decisions_sha256.take(), ..decided }.line();
        self.decisions = self.decisions.saturating_add(1);
        self.decisions_sha256 = Some(name::hex(line.as_bytes(), 64));
        format!("{torn}{line}\n")
    }

    fn see(&mut self, line: &Recorded<'_>, kept: &Self) {
        self.started = self.started.or(line.timestamp);
        self.last = line.timestamp.or(self.last);
        self.tool_calls = self.tool_calls.saturating_add(u32::from(line.event_type == "tool_call"));
        self.errors = self.errors.saturating_add(u32::from(line.event_type == "error"));
        let Some(call) = line.data.tool_use_id.as_deref() else { return };
        let denied = line.data.recorded.as_ref().is_some_and(|told| told.status == Some("denied"));
        match line.event_type {
            "tool_call" => {
                // Keys of calls are in no event.
                let known = kept.pending.iter().find(|known| known.event == line.event_id);
                self.wait_for(Pending {
                    call: call.to_owned(),
                    key: known.map(|known| known.key.clone()).unwrap_or_default(),
                    event: line.event_id.to_owned(),
                    line: self.events,
                    at: line.timestamp.unwrap_or_default(),
                    is_answered: false,
                    is_refused: false,
                    watched: known.and_then(|known| known.watched.clone()),
                });
            }
            "tool_result" | "error" => line.parent_id.into_iter().for_each(|event| self.answered(event, !denied)),
            _ => {}
        }
    }

    /// What was written just now; `length`: of all events.
    pub(super) fn note(&mut self, line: &Line, length: u64, time: Timestamp, fact: &Fact<'_>) {
        let at = time.as_duration().as_secs_f64();
        self.events = self.events.saturating_add(1);
        self.bytes = length;
        self.digest = Some(line.digest.clone());
        self.is_torn = false;
        self.started.get_or_insert(at);
        self.last = Some(at);
        self.errors = self.errors.saturating_add(u32::from(line.kind == "error"));
        match fact.bare() {
            Fact::Call { call, key } => {
                self.tool_calls = self.tool_calls.saturating_add(1);
                if let Some(id) = &call.call_id {
                    let (call, event) = (id.clone().into_owned(), line.event_id.clone());
                    let (key, line) = ((*key).to_owned(), self.events);
                    self.wait_for(Pending {
                        call,
                        key,
                        event,
                        line,
                        at,
                        is_answered: false,
                        is_refused: false,
                        watched: None,
                    });
                }
            }
            Fact::Answer(answer) => {
                if let Some(call) = answer.call {
                    self.answered(&call.event, answer.is_last);
                }
            }
            Fact::Start(_) | Fact::Event(_) | Fact::Proxy(_) | Fact::Note(_) | Fact::With(..) => {}
        }
    }

    fn wait_for(&mut self, pending: Pending) {
        if self.pending.len() >= MOST_PENDING {
            let answered = self.pending.iter().position(|pending| pending.is_answered);
            self.pending.remove(answered.unwrap_or_default());
        }
        self.pending.push(pending);
    }

    /// The call of this event has a result; what is not the last one is a refusal.
    fn answered(&mut self, event: &str, is_last: bool) {
        for pending in self.pending.iter_mut().filter(|pending| pending.event == event) {
            pending.is_answered |= is_last;
            pending.is_refused |= !is_last;
        }
        let answered = self.pending.iter().filter(|pending| pending.is_answered).count();
        if answered > REMEMBERED
            && let Some(oldest) = self.pending.iter().position(|pending| pending.is_answered)
        {
            self.pending.remove(oldest);
        }
    }

    pub(super) fn text(&self) -> String {
        // These types have nothing in them that JSON can't say.
        serde_json::to_string(self).unwrap_or_else(|_| "{}".to_owned())
    }
}

/// As much of a line as a recorder asks.
#[derive(Deserialize)]
struct Recorded<'a> {
    event_type: &'a str,
    event_id: &'a str,
    parent_id: Option<&'a str>,
    timestamp: Option<f64>,
    #[serde(borrow)]
    data: Data<'a>,
}

#[derive(Deserialize)]
struct Data<'a> {
    tool_use_id: Option<String>,
    #[serde(borrow)]
    capture: Option<&'a serde_json::value::RawValue>,
    #[serde(borrow)]
    recorded: Option<RecordedStatus<'a>>,
}

#[derive(Deserialize)]
struct RecordedStatus<'a> {
    status: Option<&'a str>,
}

pub(super) fn whole(events: &mut File, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default().saturating_add(1));
    events.seek(SeekFrom::Start(0))?;
    events.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}
