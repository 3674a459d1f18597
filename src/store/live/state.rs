//! What a recorder remembers from one event to the next.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::name;
use super::decision::Decided;
use super::line::{Fact, Line};

/// Where it is kept, beside the events.
pub(crate) const RECORDER: &str = "recorder.json";
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
}

/// A call whose result is waited for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pending {
    /// What the agent calls it, or what it is called here.
    pub(crate) call: String,
    /// What tells it apart where its agent gives it no id.
    pub(crate) key: String,
    /// The event that records it.
    pub(crate) event: String,
    /// That event's number.
    pub(crate) line: u32,
    /// Epoch seconds.
    pub(crate) at: f64,
    /// It has a result: some agents tell of one call in several steps.
    #[serde(default, rename = "answered", skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_answered: bool,
}

impl State {
    /// What is known of `events`, which has `length` bytes. `None`: it is no recording of ours.
    pub(super) fn of(folder: &Path, events: &mut File, length: u64) -> io::Result<Option<Self>> {
        let kept = fs::read(folder.join(RECORDER)).ok().and_then(|text| serde_json::from_slice::<Self>(&text).ok());
        match kept {
            Some(state) if state.bytes == length => Ok(Some(state)),
            _ if length == 0 => Ok(Some(Self::default())),
            kept => Ok(Self::read(&whole(events, length)?, kept)),
        }
    }

    /// What was not noted is in the events.
    fn read(bytes: &[u8], kept: Option<Self>) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let first = text.lines().next().and_then(|line| serde_json::from_str::<Recorded<'_>>(line).ok());
        if first.is_none_or(|line| line.data.capture.is_none()) {
            return None;
        }
        let mut state = Self::default();
        // Keys of calls are in no event.
        let kept = kept.unwrap_or_default();
        let key = |call: &str| kept.pending.iter().find(|known| known.call == call).map(|known| known.key.clone());
        for line in text.split('\n').filter(|line| !line.trim().is_empty()) {
            let line = line.trim_end_matches('\r');
            state.events = state.events.saturating_add(1);
            state.digest = Some(name::hex(line.as_bytes(), 64));
            if let Ok(recorded) = serde_json::from_str::<Recorded<'_>>(line) {
                state.see(&recorded, key);
            }
        }
        state.bytes = bytes.len() as u64;
        (state.decisions, state.decisions_bytes) = (kept.decisions, kept.decisions_bytes);
        state.decisions_sha256.clone_from(&kept.decisions_sha256);
        state.is_torn = !bytes.ends_with(b"\n");
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

    fn see(&mut self, line: &Recorded<'_>, key: impl Fn(&str) -> Option<String>) {
        self.started = self.started.or(line.timestamp);
        self.last = line.timestamp.or(self.last);
        self.tool_calls = self.tool_calls.saturating_add(u32::from(line.event_type == "tool_call"));
        self.errors = self.errors.saturating_add(u32::from(line.event_type == "error"));
        let Some(call) = line.data.tool_use_id.as_deref() else { return };
        match line.event_type {
            "tool_call" => self.wait_for(Pending {
                call: call.to_owned(),
                key: key(call).unwrap_or_default(),
                event: line.event_id.to_owned(),
                line: self.events,
                at: line.timestamp.unwrap_or_default(),
                is_answered: false,
            }),
            // Of one that was refused it may be told yet that it ran.
            "tool_result" | "error" if line.data.recorded.as_ref().is_none_or(|told| told.status != Some("denied")) => {
                self.answered(call);
            }
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
                    self.wait_for(Pending { call, key, event, line, at, is_answered: false });
                }
            }
            Fact::Answer(answer) => {
                if let Some(call) = answer.call.filter(|_| answer.is_last) {
                    self.answered(&call.call);
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

    fn answered(&mut self, call: &str) {
        for pending in self.pending.iter_mut().filter(|pending| pending.call == call) {
            pending.is_answered = true;
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
    recorded: Option<Told<'a>>,
}

#[derive(Deserialize)]
struct Told<'a> {
    status: Option<&'a str>,
}

pub(super) fn whole(events: &mut File, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default().saturating_add(1));
    events.seek(SeekFrom::Start(0))?;
    events.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}
