//! Kimi: the wire log of its terminal agent in two generations, and the list of messages that older ones kept.

mod context;
mod events;
mod wire;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{Nested, filled, record, scalar};
use crate::reader::Item;
use crate::scan::is_json;
use agent_strace_model::attribution::note;
use agent_strace_model::{Arguments, Dialect, EventKind, Session, Status, ToolCall};

record! {
    /// A record of any of the three.
    struct Entry {
        kind = "type",
        time = "time",
        timestamp = "timestamp",
        role = "role",
        event = "event",
        message: Nested<wire::Message<'a>> = "message",
        call_id = "toolCallId",
        tool = "toolName",
        result = "result",
        usage = "usage",
        model = "model",
        agent = "agentId",
        mode = "mode",
        cwd = "cwd",
        version = "app_version",
    }
}

/// Kimi sessions. Of the two logs in a session's folder, `wire.jsonl` tells more.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("kimi", "kimi"),
    detect: Detect::Record(is_record),
    read,
    homes: &[
        Home { variables: &["KIMI_CODE_HOME"], base: Base::Home, folder: ".kimi-code", logs: "sessions/**/wire.jsonl" },
        Home { variables: &["KIMI_SHARE_DIR"], base: Base::Home, folder: ".kimi", logs: "sessions/**/wire.jsonl" },
        Home { variables: &["KIMI_SHARE_DIR"], base: Base::Home, folder: ".kimi", logs: "sessions/**/context.jsonl" },
    ],
};

fn is_record(head: &Head<'_>) -> bool {
    let kind = head.text("type");
    match kind.as_deref() {
        Some("metadata") => head.is_string("protocol_version"),
        Some("context.append_loop_event") => head.is_object("event"),
        Some("context.append_message") => head.is_object("message"),
        Some("permission.record_approval_result") => head.is_object("result"),
        Some("turn.prompt" | "usage.record" | "llm.request" | "llm.tools_snapshot") => head.has("time"),
        Some(_) => false,
        None => is_older(head),
    }
}

fn is_older(head: &Head<'_>) -> bool {
    let wired =
        || head.object("message").is_some_and(|message| message.is_string("type") && message.is_object("payload"));
    matches!(head.text("role").as_deref(), Some("_checkpoint" | "_system_prompt" | "_usage"))
        || head.has("timestamp") && wired()
}

/// Reads one session.
fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let log = input.log;
    let assembly = Assembly::new(&FORMAT.dialect, &log.shown, Numbering::Ordinal);
    let mut chat = Chat {
        assembly,
        refused: BTreeMap::new(),
        requests: BTreeMap::new(),
        step: None,
        spent: None,
        open: HashMap::new(),
        subagent: None,
        gives_reasons: false,
    };
    input.records("a record", gaps, |item: &Item<'a, Entry<'a>>, gaps| {
        chat.record(item, gaps);
    });
    let mut session = chat.finish();
    // The log itself does not name its session: its folder does.
    let folder = log.folder(&["wire.jsonl", "context.jsonl"], &["main", "agents"]);
    session.id = Cow::Borrowed(folder.unwrap_or_default());
    if session.parent.is_none() {
        session.parent = parent(&log.shown).map(Cow::Borrowed);
    }
    vec![session]
}

/// The session whose sub-agent a log is of: `SESSION/agents/NAME/wire.jsonl`, beside `main`.
fn parent(shown: &str) -> Option<&str> {
    let mut folders = shown.rsplit('/').skip(1);
    let name = folders.next().filter(|name| *name != "main")?;
    let session = folders.next().filter(|folder| *folder == "agents").and_then(|_| folders.next())?;
    (!name.is_empty() && !session.is_empty()).then_some(session)
}

/// The arguments of a call that came in pieces, so far.
struct Pieces {
    text: String,
    /// The line of the last piece.
    line: u32,
}

struct Chat<'a> {
    assembly: Assembly<'a>,
    /// Calls that were refused before they ran: where, and which tool.
    refused: BTreeMap<Cow<'a, str>, (RecordLocation<'a>, Cow<'a, str>)>,
    /// Open questions for approval → the call.
    requests: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
    /// What the last step cost, and under which message it was counted.
    step: Option<(&'a str, Cow<'a, str>)>,
    /// What was spent last, where no step tells of it yet.
    spent: Option<&'a str>,
    /// By sub-agent: the last call, and its arguments so far where they came in pieces.
    open: HashMap<Option<Cow<'a, str>>, (usize, Option<Pieces>)>,
    /// Whose events are being read.
    subagent: Option<Cow<'a, str>>,
    /// The agent ended a command in words of its own.
    gives_reasons: bool,
}

impl<'a> Chat<'a> {
    fn record(&mut self, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) {
        let Item { line, record, json } = item;
        let location = RecordLocation { line: *line, id: None, time: scalar(record.time.or(record.timestamp)) };
        self.subagent = filled(record.agent).filter(|agent| agent != "main");
        self.assembly.model(filled(record.model));
        let attribution = &mut self.assembly.session.attribution;
        note(&mut attribution.version, filled(record.version));
        self.assembly.root(filled(record.cwd));
        match (filled(record.kind), &record.message) {
            (Some(kind), _) => events::record(self, &kind, &location, record, json, gaps),
            (None, Nested::Object(message)) => wire::record(self, location, message, gaps),
            (None, _) if record.role.is_some() => context::record(self, &location, json, gaps),
            (None, _) => gaps.malformed(*line, "a record without a `type`"),
        }
    }

    /// The host's word that a call must not run. It may come before the call, and outweighs what is reported later.
    fn refuse(&mut self, location: RecordLocation<'a>, id: Cow<'a, str>, tool: Option<Cow<'a, str>>) {
        self.assembly.deny(&id);
        self.refused.insert(id, (location, tool.unwrap_or_default()));
    }

    fn settle_refused(&mut self, id: &str) {
        if self.refused.contains_key(id) {
            self.assembly.deny(id);
        }
    }

    /// Calls whose arguments came in pieces, with all of them.
    fn close(&mut self, subagent: Option<&Cow<'a, str>>) {
        let Some((event, Some(Pieces { text, line }))) = self.open.remove(&subagent.cloned()) else { return };
        let known = self.assembly.session.events.get(event).and_then(|event| match &event.kind {
            EventKind::Call(call) => Some(call.clone()),
            _ => None,
        });
        if let Some(call) = known {
            let arguments = if is_json(&text) { Arguments::Json(text.into()) } else { Arguments::Text(text.into()) };
            self.assembly.replace(event, ToolCall { arguments, ..call });
            // The last piece is the record that tells the whole call.
            if let Some(event) = self.assembly.session.events.get_mut(event) {
                event.line = line;
            }
        }
    }

    fn finish(mut self) -> Session<'a> {
        for subagent in self.open.keys().cloned().collect::<Vec<_>>() {
            self.close(subagent.as_ref());
        }
        events::spend_rest(&mut self);
        for (id, (location, tool)) in std::mem::take(&mut self.refused) {
            // Of a call that was refused at once, only the question is recorded.
            if self.assembly.call_of(&id).is_none() {
                let call_id = Some(id.clone());
                let arguments = Arguments::Missing;
                let call = ToolCall { call_id, tool, arguments, cwd: None, status: Status::Denied, subagent: None };
                self.assembly.call(location, call, Some(id));
            }
        }
        self.assembly.finish()
    }

    fn compacted(&mut self, location: RecordLocation<'a>) {
        let compactions = &mut self.assembly.session.evidence.compactions;
        *compactions = compactions.saturating_add(1);
        self.assembly.push(location, EventKind::Other);
    }
}
