//! Qwen Code: records in a tree, with Gemini's parts as messages.
//!
//! What agents that it starts do appears only in the telemetry of their calls, which repeats the session's own calls.

pub(super) mod parts;
mod telemetry;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::blocks::Speaker;
use crate::gaps::Gaps;
use crate::json::{Counts, Nested, Raw, filled, is, is_true, object, record, scalar};
use crate::reader::Item;
use agent_strace_model::attribution::{note, note_each};
use agent_strace_model::{Dialect, EventKind, Session, Usage};

record! {
    struct Entry {
        kind = "type",
        subtype = "subtype",
        uuid = "uuid",
        session = "sessionId",
        timestamp = "timestamp",
        cwd = "cwd",
        version = "version",
        branch = "gitBranch",
        model = "model",
        agent = "agentId",
        sidechain = "isSidechain",
        message: Nested<parts::Message<'a>> = "message",
        usage = "usageMetadata",
        outcome = "toolCallResult",
        payload = "systemPayload",
    }
}

/// Qwen Code sessions (`~/.qwen/projects/**`). Older ones are written as Gemini CLI writes its own.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("qwen-code", "qwen-code"),
    detect: Detect::Record(|head| {
        let enveloped = head.is_string("sessionId") && head.is_string("uuid");
        let spoken = || head.object("message").is_some_and(|message| message.is_array("parts"));
        enveloped
            && (spoken() || head.is("type", "system") && head.is_string("subtype") && head.is_object("systemPayload"))
    }),
    read,
    homes: &[Home { variables: &["QWEN_HOME"], base: Base::Home, folder: ".qwen", logs: "projects/**/*.jsonl" }],
};

/// Reads one session.
fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let log = input.log;
    let assembly = Assembly::new(&FORMAT.dialect, &log.shown, Numbering::Ordinal);
    let mut chat = Chat {
        assembly,
        pending: HashMap::new(),
        telemetry: HashSet::new(),
        refused: HashSet::new(),
        asked: Vec::new(),
        is_answered: false,
        has_own_files: false,
    };
    input.records("a record", gaps, |item: &Item<'a, Entry<'a>>, gaps| {
        chat.record(item, gaps);
    });
    vec![chat.finish()]
}

struct Chat<'a> {
    assembly: Assembly<'a>,
    /// Calls whose telemetry has not come yet: how many, by tool and arguments.
    pending: HashMap<(Cow<'a, str>, &'a str), u32>,
    /// Records of telemetry that were read: a log may hold a record twice.
    telemetry: HashSet<String>,
    /// Calls that the host did not make.
    refused: HashSet<(Cow<'a, str>, Cow<'a, str>)>,
    /// What other agents' requests used, by the id of the answer.
    asked: Vec<(Option<Cow<'a, str>>, Usage)>,
    /// The answer that is being read has told what it used.
    is_answered: bool,
    /// The host keeps a log for each agent that it starts, with what it used.
    has_own_files: bool,
}

/// What a record says about all its parts.
struct Around<'a> {
    cwd: Option<Cow<'a, str>>,
    subagent: Option<Cow<'a, str>>,
    speaker: Speaker,
    outcome: parts::Outcome<'a>,
}

impl<'a> Chat<'a> {
    fn finish(mut self) -> Session<'a> {
        for (answer, usage) in std::mem::take(&mut self.asked).into_iter().filter(|_| !self.has_own_files) {
            self.assembly.usage(answer, usage);
        }
        self.assembly.finish()
    }

    fn record(&mut self, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) {
        let Item { line, record, .. } = item;
        self.identify(record);
        let kind = filled(record.kind).unwrap_or_default();
        let location = RecordLocation { line: *line, id: filled(record.uuid), time: scalar(record.timestamp) };
        if let Some(usage) = usage(record.usage) {
            self.assembly.usage(location.id.clone(), usage);
            self.is_answered = true;
        } else if kind == "assistant" {
            // An agent's own log splits an answer: its first record tells what all of it used.
            if !(self.is_answered && is_true(record.sidechain)) {
                self.assembly.untold(location.id.clone());
            }
        } else if matches!(&*kind, "user" | "tool_result") {
            self.is_answered = false;
        }
        match &*kind {
            "user" | "assistant" | "tool_result" => {
                if !record.message.is_object() {
                    gaps.malformed(*line, "a message record without its message");
                }
            }
            "system" => self.system(&location, record, gaps),
            "" => gaps.malformed(*line, "a record without a `type`"),
            _ => self.assembly.unknown(location.clone()),
        }
        if let Some(message) = record.message.object() {
            let outcome = object::<parts::Outcome<'a>>(record.outcome).unwrap_or_default();
            if kind == "tool_result" {
                parts::pass_answer(self, &outcome);
            }
            let around = Around {
                cwd: filled(record.cwd),
                subagent: filled(record.agent).filter(|_| self.assembly.session.parent.is_none()),
                speaker: speaker(&kind, record),
                outcome,
            };
            parts::add(self, &location, message, &around, gaps);
        }
    }

    fn identify(&mut self, record: &Entry<'a>) {
        let session = filled(record.session);
        if self.assembly.session.id.is_empty() {
            // A sub-agent's own file keeps its parent's session id.
            if let Some(agent) = filled(record.agent).filter(|_| is_true(record.sidechain)) {
                self.assembly.session.parent = session;
                self.assembly.id(Some(agent));
            } else {
                self.assembly.id(session);
            }
        }
        self.assembly.root(filled(record.cwd));
        self.assembly.model(filled(record.model));
        let attribution = &mut self.assembly.session.attribution;
        note(&mut attribution.version, filled(record.version));
        note_each(&mut attribution.branches, filled(record.branch));
    }

    fn system(&mut self, location: &RecordLocation<'a>, record: &Entry<'a>, gaps: &mut Gaps) {
        let payload = object::<Payload<'a>>(record.payload).unwrap_or_default();
        let session = &mut self.assembly.session;
        match filled(record.subtype).as_deref() {
            Some("ui_telemetry") => return telemetry::add(self, location, record, payload.event, gaps),
            Some("chat_compression") => {
                session.evidence.compactions = session.evidence.compactions.saturating_add(1);
            }
            Some("rewind") => session.evidence.rewinds = session.evidence.rewinds.saturating_add(1),
            Some("session_approval_mode") => {
                note_each(&mut session.attribution.permission_modes, filled(payload.mode));
            }
            Some("session_source") => note(&mut session.attribution.entrypoint, filled(payload.source)),
            Some("parent_session") => note(&mut session.parent, filled(payload.parent)),
            _ => {}
        }
        self.assembly.push(location.clone(), EventKind::Other);
    }
}

/// A notification is the host's, and the prompt of an agent is that of the agent which started it.
fn speaker(kind: &str, record: &Entry<'_>) -> Speaker {
    match kind {
        "user" if is(record.subtype, "notification") || is_true(record.sidechain) => Speaker::Host,
        "user" => Speaker::User,
        _ => Speaker::Agent,
    }
}

record! {
    struct Payload { event = "uiEvent", mode = "mode", source = "sourceType", parent = "parentSessionId" }
}

record! {
    struct Tokens {
        prompt = "promptTokenCount",
        candidates = "candidatesTokenCount",
        thoughts = "thoughtsTokenCount",
        total = "totalTokenCount",
        cached = "cachedContentTokenCount",
    }
}

fn usage(value: Option<Raw<'_>>) -> Option<Usage> {
    let tokens = object::<Tokens<'_>>(value)?;
    let mut counts = Counts::default();
    let [prompt, cached, reasoning, total, candidates] =
        [tokens.prompt, tokens.cached, tokens.thoughts, tokens.total, tokens.candidates].map(|value| counts.of(value));
    // Providers differ in whether the candidates hold the thoughts: the total tells.
    let rest = total.saturating_sub(prompt);
    Some(Usage {
        input: prompt.saturating_sub(cached),
        output: if rest > 0 { rest } else { candidates },
        cache_read: cached,
        reasoning,
        partial: counts.is_partial,
        ..Usage::default()
    })
}
