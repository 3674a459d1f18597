//! Claude Code: its native transcripts, and the stream-json that the SDK, `claude -p` and the GitHub action write.
//!
//! Both hold the same messages in different envelopes. Every recorded call counts wherever it sits in the tree of
//! messages: rewound, parallel and side-chain calls had their effects, too.

mod detect;
mod envelope;
mod facts;
mod hooks;
mod message;
mod outcome;
mod ran;
mod restarts;
mod totals;

use std::borrow::Cow;

use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::gaps::Gaps;
use crate::json::{Field, elements, filled, is, is_array, is_string, is_true, object, raw_text, scalar, text};
use crate::reader::{Item, LineCounter, Reader};
use crate::unended;
use agent_strace_model::{Dialect, Ending, EventKind, GapKind, Origin, RecordRole, Session, Speaker};

use super::{Base, Detect, Format, Home, Input};
use envelope::{Envelope, Progress};
use facts::Noted;
use message::Context;
use ran::Anew;
use restarts::{Place, Restarts};
use totals::Totals;

/// Claude Code transcripts (`~/.claude/projects/**`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("claude-code", "claude-code").shell_stays(),
    detect: Detect::Record(detect::is_native),
    read: |input, gaps| read(&FORMAT.dialect, input, gaps),
    homes: &[Home {
        variables: &["CLAUDE_CONFIG_DIR"],
        base: Base::Home,
        folder: ".claude",
        logs: "projects/**/*.jsonl",
    }],
};

/// Claude stream-json, also as the `execution_file` array of the GitHub action.
pub(super) static STREAM: Format = Format {
    dialect: Dialect::new("claude-stream-json", "claude-code").shell_stays().end_printed(),
    detect: Detect::Record(detect::is_stream),
    read: |input, gaps| read(&STREAM.dialect, input, gaps),
    homes: &[],
};

/// Reads one transcript: one session, whatever it was resumed from.
fn read<'a>(dialect: &'static Dialect, input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let Input { text, shape, log } = *input;
    let mut transcript = Transcript {
        assembly: Assembly::new(dialect, &log.shown, Numbering::Ordinal),
        cwd: None,
        restarts: Restarts::default(),
        acted: false,
        results: 0,
        running: None,
        rows: 0,
        noted: Noted::default(),
        anew: Vec::new(),
        totals: Totals::default(),
    };
    let mut reader = Reader::new(text, shape);
    while let Some(item) = reader.next::<Envelope<'a>>(gaps) {
        if is_array(item.record.loglines) {
            transcript.export(&item, gaps);
        } else {
            transcript.record(item.line, &item.record, gaps);
        }
    }
    if transcript.results > 0 && !transcript.acted {
        let only_result = "only the result of a run is recorded, not what it did: record it with `--output-format stream-json --verbose`";
        gaps.push(None, GapKind::NotRecorded(only_result.into()));
    }
    for told in std::mem::take(&mut transcript.anew) {
        ran::asked_anew(&mut transcript.assembly, told);
    }
    transcript.totals.add(&mut transcript.assembly);
    if is_of_iflow(&transcript.assembly.session.id) {
        transcript.assembly.session.agent = Cow::Borrowed("iflow");
    }
    vec![transcript.assembly.finish()]
}

/// iFlow shares the envelope, and names its sessions `session-<uuid>`.
fn is_of_iflow(id: &str) -> bool {
    id.strip_prefix("session-").is_some_and(|uuid| uuid.len() == 36 && uuid.split('-').count() == 5)
}

/// Returns the author whom the record marks: the host for a call (the text of a skill), the host by itself, or the user.
fn speaker(record: &Envelope<'_>) -> Option<Speaker> {
    if is_string(record.source_tool_use) {
        return Some(Speaker::Skill);
    }
    if is_true(record.is_meta) {
        return Some(Speaker::Context);
    }
    let origin = record.origin.object().and_then(|origin| filled(origin.kind));
    match origin.as_deref() {
        Some("human") => Some(Speaker::User),
        Some("task-notification") => Some(Speaker::Notice),
        Some("peer" | "coordinator") => Some(Speaker::Subagent),
        Some(_) => Some(Speaker::Context),
        None => matches!(filled(record.prompt_source).as_deref(), Some("typed" | "sdk")).then_some(Speaker::User),
    }
}

struct Transcript<'a> {
    assembly: Assembly<'a>,
    /// In a stream only the start of a run names its directory.
    cwd: Option<Cow<'a, str>>,
    restarts: Restarts<'a>,
    /// A message was recorded.
    acted: bool,
    /// Records of how a run ended.
    results: u32,
    /// The session whose run has not ended yet, in a stream.
    running: Option<Cow<'a, str>>,
    /// Records that were read.
    rows: u32,
    noted: Noted<'a>,
    /// The prints of hooks about calls that come later in the log.
    anew: Vec<Anew<'a>>,
    totals: Totals<'a>,
}

impl<'a> Transcript<'a> {
    /// A web export wraps native records: `{"loglines": […]}`.
    fn export(&mut self, item: &Item<'a, Envelope<'a>>, gaps: &mut Gaps) {
        let Some(list) = item.record.loglines else { return };
        let line = LineCounter::new(item.json, item.line).line_of(list.get());
        let mut reader = Reader::nested(list.get(), line);
        while let Some(item) = reader.next::<Envelope<'a>>(gaps) {
            self.record(item.line, &item.record, gaps);
        }
    }

    fn record(&mut self, line: u32, record: &Envelope<'a>, gaps: &mut Gaps) {
        if let Some(key) = record.duplicate {
            gaps.twice(line, key, "a record");
        }
        let Some(kind) = filled(record.kind) else {
            gaps.malformed(line, "a record without a `type`");
            return;
        };
        self.identify(record);
        let stream = self.assembly.stream(envelope::stream(record, &kind));
        self.assembly.origin = Origin { row: self.rows, stream, ..Origin::default() };
        self.rows = self.rows.saturating_add(1);
        let location = RecordLocation { line, id: filled(record.uuid), time: scalar(record.timestamp) };
        match &*kind {
            "progress" => self.progress(location, record, gaps),
            "attachment" => self.anew.extend(hooks::attachment(&mut self.assembly, location, record)),
            "system" => self.system(location, record, gaps),
            "result" => self.result(location, record, gaps),
            "user" | "assistant" => {
                self.acted = true;
                if !Field::is_set(&record.message) {
                    gaps.malformed(line, "a message record without its message");
                }
                self.message(&location, record, gaps);
            }
            "session_meta" | "response_item" | "event_msg" | "turn_context" => {
                gaps.unknown_record(line, "a record of another agent's log");
            }
            copied if envelope::is_copy(copied) => self.assembly.push(location, EventKind::Other),
            // Whatever its type says, a message may hold calls.
            known => {
                if matches!(known, "queue-operation" | "pr-link" | "summary") {
                    self.assembly.push(location.clone(), EventKind::Notice);
                } else if envelope::is_known(known) {
                    self.assembly.push(location.clone(), EventKind::Other);
                } else {
                    self.assembly.unknown(location.clone());
                }
                if record.message.is_object() {
                    self.message(&location, record, gaps);
                }
            }
        }
    }

    /// The session's id, its parent and root, from whatever record names them first.
    fn identify(&mut self, record: &Envelope<'a>) {
        let session = filled(record.session_id).or_else(|| filled(record.session_id_snake));
        if self.assembly.session.id.is_empty() {
            // A sub-agent's own file keeps its parent's session id.
            if let Some(agent) = filled(record.agent_id).filter(|_| is_true(record.is_sidechain)) {
                self.assembly.session.parent.clone_from(&session);
                self.assembly.session.filed_under = session;
                self.assembly.id(Some(format!("agent-{agent}").into()));
            } else {
                self.assembly.id(session);
            }
        }
        self.assembly.root(filled(record.cwd));
        self.noted.record(record, &mut self.assembly);
    }

    fn message(&mut self, location: &RecordLocation<'a>, record: &Envelope<'a>, gaps: &mut Gaps) {
        let context = Context {
            cwd: filled(record.cwd).or_else(|| self.cwd.clone()),
            subagent: envelope::subagent(record, &self.assembly),
            summary: is_true(record.is_compact_summary),
            speaker: speaker(record),
            api_error: is_true(record.is_api_error),
            result: record.tool_use_result.or(record.tool_use_result_snake),
            meta: record.mcp_meta,
            denial: filled(record.denial_kind),
            decision: record.decision.object().and_then(|decision| filled(decision.said)),
            updated: record.decision.object().and_then(|decision| decision.input),
            version: filled(record.version).or_else(|| self.version()),
            request: filled(record.request_id),
        };
        let first = self.assembly.session.events.len();
        message::add(&mut self.assembly, location, &record.message, &context, gaps);
        if !is_true(record.is_sidechain) {
            let place = Place { directory: filled(record.cwd), branch: filled(record.branch) };
            self.restarts.note(place, &mut self.assembly.session, first);
        }
    }

    /// The version that the start of a stream names. A transcript names it in each record: one that does not may be older.
    fn version(&self) -> Option<Cow<'a, str>> {
        let session = &self.assembly.session;
        session.attribution.version.clone().filter(|_| session.dialect.name == STREAM.dialect.name)
    }

    /// A sub-agent's messages arrive as the progress of the call that started it.
    fn progress(&mut self, location: RecordLocation<'a>, record: &Envelope<'a>, gaps: &mut Gaps) {
        let data = object::<Progress<'a>>(record.data).unwrap_or_default();
        let hook = is(data.kind, "hook_progress");
        if !hook {
            self.assembly.origin.role = RecordRole::Aside;
        }
        if let Some(command) = filled(data.command) {
            return self.assembly.push(location, EventKind::Hook { command });
        }
        if hook {
            return self.assembly.push(location, EventKind::Notice);
        }
        let subagent = filled(data.agent_id).or_else(|| filled(record.parent_tool_use_id_camel));
        let single = data.message.object().cloned();
        let normalized = elements(data.normalized).into_iter().filter_map(|raw| object::<Envelope<'a>>(Some(raw)));
        let mut any = false;
        for inner in single.into_iter().chain(normalized) {
            any = true;
            let context = Context {
                cwd: filled(inner.cwd).or_else(|| filled(record.cwd)),
                subagent: subagent.clone(),
                summary: false,
                speaker: speaker(&inner),
                api_error: is_true(inner.is_api_error),
                result: inner.tool_use_result,
                meta: inner.mcp_meta,
                denial: filled(inner.denial_kind),
                decision: inner.decision.object().and_then(|decision| filled(decision.said)),
                updated: inner.decision.object().and_then(|decision| decision.input),
                version: filled(record.version).or_else(|| self.version()),
                request: filled(inner.request_id),
            };
            message::add(&mut self.assembly, &location, &inner.message, &context, gaps);
        }
        if !any {
            self.assembly.push(location, EventKind::Other);
        }
    }

    fn system(&mut self, location: RecordLocation<'a>, record: &Envelope<'a>, gaps: &mut Gaps) {
        if is(record.subtype, "init") {
            self.acted = true;
            let begun = filled(record.session_id_snake);
            let is_other = self.running.as_ref().zip(begun.as_ref()).is_some_and(|(running, begun)| running != begun);
            if is_other {
                gaps.push(Some(location.line), GapKind::missing(unended::CUT));
            }
            self.running = begun;
            self.cwd = filled(record.cwd);
            facts::init(record, &mut self.assembly);
            return self.assembly.push(location, EventKind::Start);
        }
        if hooks::summary(&mut self.assembly, &location, record.hook_infos) {
            return;
        }
        let subtype = text(record.subtype);
        facts::system(subtype.as_deref().unwrap_or(""), &mut self.assembly);
        let kind = match subtype.as_deref() {
            Some("local_command") if is_string(record.content) => raw_text(record.content).map(EventKind::Command),
            Some("turn_duration") => record.duration.map(|_| EventKind::Notice),
            Some("compact_boundary" | "stop_hook_summary") => Some(EventKind::Notice),
            _ => None,
        };
        self.assembly.push(location, kind.unwrap_or(EventKind::Other));
    }

    /// The end of a run names the calls that were refused.
    fn result(&mut self, location: RecordLocation<'a>, record: &Envelope<'a>, gaps: &mut Gaps) {
        self.results += 1;
        self.running = None;
        ran::handed_over(&mut self.assembly, record.structured_output);
        let usage = message::used(record.usage);
        self.assembly.outweigh(usage.map_or(0, |usage| usage.output));
        self.totals.note(usage, record.models, location.line, gaps);
        outcome::denials(&mut self.assembly, &location, record.permission_denials, gaps);
        let ending = Ending {
            status: filled(record.subtype),
            // What a run that succeeded said last is no reason.
            reason: filled(record.words).filter(|_| is_true(record.is_error)),
            exit_code: None,
            is_error: is_true(record.is_error),
        };
        self.assembly.push(location, EventKind::End(ending));
    }
}
