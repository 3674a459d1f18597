//! Turns traffic into events of the store. Errors of the store never stop the traffic.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use jiff::Timestamp;
use serde_json::Value;

use super::super::redact::{Redactor, clean};
use super::status_printer::StatusPrinter;
use agent_strace_live::proxy::framing::Frame;
use agent_strace_live::proxy::message::{Message, Parcel, Side};
use agent_strace_live::proxy::talk::{Talk, Way};
use agent_strace_model::{Ending, EventKind};
use agent_strace_store::StoreError;
use agent_strace_store::live::{Begun, Capture, Fact, Live, Stage, gap};

/// The time when the program started plus the time that has passed since, so that it never goes back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    began: Timestamp,
    since: Instant,
}

impl Clock {
    pub(super) fn new(now: Timestamp) -> Self {
        Self { began: now, since: Instant::now() }
    }

    pub(super) fn now(&self) -> Timestamp {
        jiff::SignedDuration::try_from(self.since.elapsed())
            .ok()
            .and_then(|passed| self.began.checked_add(passed).ok())
            .unwrap_or(self.began)
    }
}

/// A piece of the traffic, with its time and direction.
#[derive(Debug)]
pub(super) struct TrafficPiece {
    pub(super) at: Timestamp,
    pub(super) from: Side,
    pub(super) way: Way,
    pub(super) piece: Frame,
}

/// The facts about a session that are known before its first message.
#[derive(Debug)]
pub(super) struct SessionStart {
    pub(super) store: PathBuf,
    /// The name of the server in names of tools.
    pub(super) server: String,
    /// `stdio` or `http`.
    pub(super) transport: &'static str,
    /// The words that start the server, or its address.
    pub(super) started_by: Vec<String>,
}

pub(super) struct Recorder {
    /// `None`: the store can't be written.
    live: Option<Live>,
    /// Events that could not be written since the last one that was.
    lost: u64,
    /// The failure of the recording was reported.
    has_reported: bool,
    pub(super) server: String,
    /// As the server introduced itself.
    pub(super) server_info: Option<String>,
    wanted: Option<Redactor>,
    pub(super) talk: Talk,
    pub(super) status: StatusPrinter,
    pub(super) clock: Clock,
    began: Timestamp,
    /// Open requests that are not calls: their events and times.
    pub(super) open_requests: BTreeMap<u64, (String, f64)>,
}

impl Recorder {
    /// Begins a session.
    pub(super) fn begin(begin: &SessionStart, wanted: Option<Redactor>, clock: Clock, status: StatusPrinter) -> Self {
        let mut recorder = Self {
            live: None,
            lost: 0,
            has_reported: false,
            server: begin.server.clone(),
            server_info: None,
            wanted,
            talk: Talk::default(),
            status,
            clock,
            began: clock.now(),
            open_requests: BTreeMap::new(),
        };
        let opened = session_id()
            .and_then(|id| Live::open(&begin.store, &id).map(|live| (live, id)).map_err(|error| error.to_string()));
        match opened {
            Ok((live, id)) => {
                recorder.live = Some(live);
                recorder.start(begin, &id);
            }
            Err(error) => recorder.fails(&error),
        }
        recorder
    }

    fn start(&mut self, begin: &SessionStart, id: &str) {
        let words = begin.started_by.iter().map(String::as_str);
        let command = match &self.wanted {
            None => words.collect::<Vec<_>>().join(" "),
            Some(_) => agent_strace_secrets::redact_words(words)
                .iter()
                .map(agent_strace_secrets::Redacted::as_str)
                .collect::<Vec<_>>()
                .join(" "),
        };
        let command = self.without_secrets(&command);
        let cwd = std::env::current_dir().ok().map(|folder| folder.to_string_lossy().into_owned());
        let cwd = cwd.map(|cwd| self.without_secrets(&cwd));
        let capture = Capture {
            format: "agent-strace",
            agent: AGENT,
            id,
            version: None,
            source: None,
            model: None,
            cwd: cwd.as_deref(),
            permissions: None,
            is_redacted: self.wanted.is_some(),
        };
        let more =
            [("server", quoted(&self.server)), ("transport", quoted(begin.transport)), ("command", quoted(&command))];
        let more: Vec<(&'static str, &str)> = more.iter().map(|(key, json)| (*key, json.as_str())).collect();
        self.put(self.began, &Fact::With(&Fact::Proxy(capture), &more));
        let top = cwd.as_deref().and_then(|cwd| agent_strace_git::standing(Path::new(cwd)).top);
        let facts = [("git_top", top), ("working_dir", cwd)];
        let attribution: Vec<_> = facts.into_iter().filter_map(|(key, value)| Some((key, value?))).collect();
        self.keep(&Stage::Began(Begun { agent: AGENT, command: &command, attribution: &attribution, parent: None }));
        self.status.note(&format!("recording the MCP server `{}` as session {id}", self.server));
    }

    /// A text without private data, if these are to be removed.
    pub(super) fn without_secrets(&self, text: &str) -> String {
        let Some(wanted) = &self.wanted else { return text.to_owned() };
        match clean(wanted, text.as_bytes()) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(_) => String::new(),
        }
    }

    /// Records a piece of the traffic.
    pub(super) fn receive(&mut self, traffic: &TrafficPiece) {
        let TrafficPiece { at, from, way, piece } = traffic;
        match piece {
            Frame::Message { body, .. } => self.message(*at, *from, way, body),
            Frame::Lost(reason) => self.gap(*at, *from, reason),
            // Programs that take standard output for their log do so in lines that no client understands.
            Frame::Noise if *from == Side::Server => {}
            Frame::Noise => self.gap(*at, *from, "is no JSON-RPC message"),
        }
    }

    fn message(&mut self, at: Timestamp, from: Side, way: &Way, body: &[u8]) {
        self.each(at, from, body, |recorder, message, _| {
            let sense = recorder.talk.hear(from, way, message);
            recorder.record(at, from, &sense);
        });
    }

    /// Records a refused message, with the reason for each of its parts.
    pub(super) fn refuse(&mut self, traffic: &TrafficPiece, reasons: &[Option<String>]) {
        let TrafficPiece { at, from, way, piece: Frame::Message { body, .. } } = traffic else { return };
        self.each(*at, *from, body, |recorder, message, index| {
            let reason = reasons.get(index).and_then(Option::as_deref).unwrap_or("refused");
            let sense = recorder.talk.hear(*from, way, message);
            recorder.refused(*at, *from, &sense, reason);
        });
    }

    /// Calls `take` for every message in a text, without private data, and with its index among the readable ones.
    fn each(&mut self, at: Timestamp, from: Side, body: &[u8], mut take: impl FnMut(&mut Self, &Message<'_>, usize)) {
        let Ok(raw) = std::str::from_utf8(body) else { return self.gap(at, from, "is not UTF-8 text") };
        let cleaned = match &self.wanted {
            None => None,
            Some(wanted) => match clean(wanted, body).ok().and_then(|bytes| String::from_utf8(bytes).ok()) {
                Some(text) => Some(text),
                None => return self.gap(at, from, "could not be freed of its secrets"),
            },
        };
        let (shown, sent) = (Parcel::read(cleaned.as_deref().unwrap_or(raw)), Parcel::read(raw));
        let (shown, sent) = match (shown, sent) {
            (Ok(shown), Ok(sent)) => (shown, sent),
            (Err(fault), _) | (_, Err(fault)) => return self.gap(at, from, fault.reason()),
        };
        let mut index = 0;
        for pair in shown.messages().zip(sent.messages()) {
            match pair {
                (Ok(shown), Ok(sent)) => {
                    // Ids and methods are taken as they were sent: answers are found by them.
                    take(self, &shown.clone().called_as(sent), index);
                    index += 1;
                }
                (Err(fault), _) | (_, Err(fault)) => self.gap(at, from, fault.reason()),
            }
        }
    }

    /// Records that a message is missing from the recording.
    pub(super) fn gap(&mut self, at: Timestamp, from: Side, reason: &str) {
        let reason = format!("a message of the {} {reason}", from.name());
        self.status.note(&format!("{reason}: the recording has a gap there"));
        gap(&reason, |fact| self.put(at, fact));
    }

    /// Writes one event and returns its id. Lost events are recorded as a gap before the next event. If even that fails, the
    /// session stays without an end, so that readers take it for incomplete.
    pub(super) fn put(&mut self, at: Timestamp, fact: &Fact<'_>) -> Option<String> {
        let live = self.live.as_mut()?;
        let lost = self.lost;
        let told = if lost > 0 {
            let reason = format!("{lost} events before this one could not be written");
            gap(&reason, |fact| live.append(at, fact)).map(|_| self.lost = 0)
        } else {
            Ok(())
        };
        match told.and_then(|()| live.append(at, fact)) {
            Ok(written) => Some(written.event_id),
            Err(error) => {
                self.lost = self.lost.saturating_add(1);
                self.fails(&error.to_string());
                None
            }
        }
    }

    /// Whether all that happened so far is recorded.
    pub(super) fn is_whole(&self) -> bool {
        self.live.is_some() && self.lost == 0
    }

    fn fails(&mut self, error: &str) {
        if !std::mem::replace(&mut self.has_reported, true) {
            self.status.warn(&format!("this session is not recorded: {error}"));
        }
    }

    pub(super) fn live(&self) -> Option<&Live> {
        self.live.as_ref()
    }

    /// All traffic so far is written: readers see a consistent state.
    pub(super) fn rest(&mut self) {
        self.keep(&Stage::Running);
    }

    fn keep(&mut self, stage: &Stage<'_>) {
        let kept: Result<(), StoreError> = self.live.as_ref().map_or(Ok(()), |live| live.keep(stage));
        if let Err(error) = kept {
            self.fails(&error.to_string());
        }
    }

    /// Ends the session: by the exit code of its server, or without one.
    pub(super) fn end(mut self, exit_code: Option<i64>) {
        let at = self.clock.now();
        let passed = at.duration_since(self.began).as_secs_f64() * 1e3;
        // Clients end servers by signals: that is no failure.
        let is_error = exit_code.is_some_and(|code| (1..128).contains(&code));
        let ending = Ending { exit_code, is_error, ..Ending::default() };
        let duration = format!("{passed:.3}");
        let more = [("duration_ms", duration.as_str())];
        self.put(at, &Fact::With(&Fact::Event(&EventKind::End(ending)), &more));
        self.keep(&Stage::Ended);
        if let Some(live) = self.live.as_ref().filter(|_| !self.has_reported) {
            self.status.note(&format!(
                "session {} is recorded: `agent-strace check {}`",
                live.directory(),
                live.directory()
            ));
        }
    }
}

/// The recorded name of the agent: a client may never introduce itself.
const AGENT: &str = "mcp-client";

/// A text as JSON.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// 16 hex digits that no other session has.
fn session_id() -> Result<String, String> {
    let mut bytes = [0_u8; 8];
    getrandom::fill(&mut bytes).map_err(|error| format!("there is no randomness for its id: {error}"))?;
    Ok(format!("{:016x}", u64::from_be_bytes(bytes)))
}

/// A folder of sessions as an absolute path, independent of later changes of the directory.
pub(super) fn absolute(store: &Path) -> PathBuf {
    std::path::absolute(store).unwrap_or_else(|_| store.to_owned())
}
