//! Pi, and `OpenClaw`, which is built on it: entries that form a tree, and the events of `pi --mode json`.
//!
//! Every branch of the tree counts: what was left behind had run. Commands that the user ran are not the agent's.

mod stream;
mod trajectory;

use std::borrow::Cow;
use std::collections::HashSet;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::blocks::{self, Around, identity};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{self, Counts, Nested, elements, filled, is, is_true, object, raw_text, record, scalar};
use crate::reader::Item;
use agent_strace_model::attribution::note;
use agent_strace_model::{Dialect, EventKind, Session, Status, ToolResult, Usage};

record! {
    /// An entry of a session, or an event of the stream.
    struct Entry {
        kind = "type",
        id = "id",
        parent = "parentId",
        timestamp = "timestamp",
        cwd = "cwd",
        parent_session = "parentSession",
        branched_from = "branchedFrom",
        model = "modelId",
        custom = "customType",
        message: Nested<Message<'a>> = "message",
        call_id = "toolCallId",
        tool = "toolName",
        args = "args",
        result = "result",
        is_error = "isError",
        messages = "messages",
        results = "toolResults",
    }
}

record! {
    struct Message {
        role = "role",
        content = "content",
        model = "model",
        usage = "usage",
        call_id = "toolCallId",
        is_error = "isError",
        timestamp = "timestamp",
    }
}

/// Pi sessions (`~/.pi/agent/sessions/**`), those of agents that are built on it, and `pi --mode json`.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("pi", "pi"),
    detect: Detect::Record(is_entry),
    read,
    homes: &[Home {
        variables: &["PI_CODING_AGENT_DIR"],
        base: Base::Home,
        folder: ".pi/agent",
        logs: "sessions/**/*.jsonl",
    }],
};

/// What `OpenClaw` keeps beside each session (`<id>.trajectory.jsonl`).
pub(super) static TRAJECTORY: Format = Format {
    dialect: Dialect::new("openclaw-trajectory", "openclaw"),
    detect: Detect::Record(|head| head.is("traceSchema", "openclaw-trajectory") && head.is_string("type")),
    read: trajectory::read,
    homes: &[],
};

/// Tools that start another agent.
const STARTERS: &[&str] = &["subagent", "sessions_spawn"];

fn is_entry(head: &Head<'_>) -> bool {
    match head.text("type").as_deref() {
        Some("session") => head.is_string("id") && head.is_string("cwd") && head.has("timestamp"),
        Some("model_change") => head.is_string("modelId") && head.is_string("provider"),
        Some("thinking_level_change") => head.has("thinkingLevel"),
        Some("compaction") => head.has("firstKeptEntryId") || head.has("firstKeptEntryIndex"),
        Some("tool_execution_start") => head.is_string("toolCallId") && head.has("args"),
        Some("message" | "message_end") => head.object("message").is_some_and(|message| is_message(&message)),
        _ => false,
    }
}

fn is_message(message: &Head<'_>) -> bool {
    let calls = || {
        elements(message.get("content")).into_iter().any(|block| {
            let kind = json::object::<Head<'_>>(Some(block)).and_then(|block| block.text("type"));
            kind.as_deref() == Some("toolCall")
        })
    };
    matches!(message.text("role").as_deref(), Some("toolResult" | "bashExecution")) || calls()
}

/// Reads one session.
fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let log = input.log;
    let assembly = Assembly::new(&FORMAT.dialect, &log.shown, Numbering::Ordinal);
    let mut tree = Tree { assembly, parents: HashSet::new() };
    input.records("a record", gaps, |item: &Item<'a, Entry<'a>>, gaps| {
        tree.entry(item, gaps);
    });
    let assembly = match log.side("*.trajectory.jsonl") {
        Some(side) => trajectory::add(tree.assembly, side, 1, gaps),
        None => tree.assembly,
    };
    vec![assembly.finish()]
}

struct Tree<'a> {
    assembly: Assembly<'a>,
    /// Entries that were continued by a message.
    parents: HashSet<Cow<'a, str>>,
}

impl<'a> Tree<'a> {
    fn entry(&mut self, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) {
        let Item { line, record, .. } = item;
        let kind = filled(record.kind).unwrap_or_default();
        let location = RecordLocation { line: *line, id: filled(record.id), time: scalar(record.timestamp) };
        match &*kind {
            "session" => self.start(location, record),
            "message" => self.branch(&location, record, gaps),
            "message_end" => self.message(&location, record, gaps),
            "tool_execution_start" => stream::start(&mut self.assembly, &location, record),
            "tool_execution_end" => stream::end(&mut self.assembly, location, record),
            "turn_end" | "agent_end" => stream::summary(&mut self.assembly, &location, record, gaps),
            "compaction" | "compaction_end" | "auto_compaction_end" => {
                let compactions = &mut self.assembly.session.evidence.compactions;
                *compactions = compactions.saturating_add(1);
                self.assembly.push(location, EventKind::Other);
            }
            "model_change" => {
                self.assembly.model(filled(record.model));
                self.assembly.push(location, EventKind::Other);
            }
            "custom" => self.custom(location, record),
            "" => gaps.malformed(*line, "a record without a `type`"),
            known if is_known(known) => self.assembly.push(location, EventKind::Other),
            _ => {
                self.assembly.unknown(location.clone());
                // Whatever its type says, a message may hold calls.
                self.message_if_any(&location, record, gaps);
                if record.args.is_some() {
                    stream::start(&mut self.assembly, &location, record);
                }
            }
        }
    }

    fn start(&mut self, location: RecordLocation<'a>, record: &Entry<'a>) {
        self.assembly.id(filled(record.id));
        self.assembly.root(filled(record.cwd));
        let parent = filled(record.parent_session).or_else(|| filled(record.branched_from));
        note(&mut self.assembly.session.parent, parent.map(session_of));
        self.assembly.push(location, EventKind::Start);
    }

    fn custom(&mut self, location: RecordLocation<'a>, record: &Entry<'a>) {
        if filled(record.custom).is_some_and(|custom| custom.starts_with("openclaw")) {
            self.assembly.session.agent = Cow::Borrowed("openclaw");
        }
        self.assembly.push(location, EventKind::Other);
    }

    /// A message whose parent was continued before starts another branch.
    fn branch(&mut self, location: &RecordLocation<'a>, record: &Entry<'a>, gaps: &mut Gaps) {
        if let Some(parent) = filled(record.parent)
            && !self.parents.insert(parent)
        {
            let rewinds = &mut self.assembly.session.evidence.rewinds;
            *rewinds = rewinds.saturating_add(1);
        }
        self.message(location, record, gaps);
    }

    fn message(&mut self, location: &RecordLocation<'a>, record: &Entry<'a>, gaps: &mut Gaps) {
        if !record.message.is_object() {
            gaps.malformed(location.line, "a message record without its message");
        }
        self.message_if_any(location, record, gaps);
    }

    fn message_if_any(&mut self, location: &RecordLocation<'a>, record: &Entry<'a>, gaps: &mut Gaps) {
        let Some(message) = record.message.object() else { return };
        if let Some(key) = message.duplicate {
            gaps.twice(location.line, key, "a message");
        }
        let time = location.time.clone().or_else(|| scalar(message.timestamp));
        let location = RecordLocation { line: location.line, id: location.id.clone(), time };
        self.assembly.model(filled(message.model));
        if let Some(usage) = usage(message) {
            self.assembly.usage(answer_of(message).or_else(|| location.id.clone()), usage);
        } else if is(message.role, "assistant") {
            self.assembly.untold(location.id.clone());
        }
        match filled(message.role).as_deref() {
            Some("toolResult") => result(&mut self.assembly, location, message),
            // The user's own command, or what an extension wrote.
            Some("bashExecution" | "custom" | "hookMessage" | "branchSummary" | "compactionSummary") => {
                self.assembly.push(location, EventKind::Other);
            }
            _ => {
                let around = Around { starters: STARTERS, ..Around::of(message.role) };
                blocks::add(&mut self.assembly, &location, message.content, &around, gaps);
            }
        }
    }
}

fn result<'a>(assembly: &mut Assembly<'a>, location: RecordLocation<'a>, message: &Message<'a>) {
    let id = identity(message.call_id);
    let is_error = is_true(message.is_error);
    let status = if is_error { Status::Error } else { Status::Ok };
    let result = ToolResult { call_id: id.clone(), text: raw_text(message.content), is_error };
    assembly.result(location, result, status, id);
}

/// The name of an answer. A compaction writes messages that it keeps once more under other ids, with their own time and
/// usage.
fn answer_of<'a>(message: &Message<'a>) -> Option<Cow<'a, str>> {
    let time = scalar(message.timestamp)?;
    Some(Cow::Owned(format!("{time} {}", message.usage?.get())))
}

record! {
    struct Tokens { input = "input", output = "output", cache_read = "cacheRead", cache_write = "cacheWrite" }
}

fn usage(message: &Message<'_>) -> Option<Usage> {
    let tokens = object::<Tokens<'_>>(message.usage).filter(|_| is(message.role, "assistant"))?;
    let mut counts = Counts::default();
    Some(Usage {
        input: counts.needed(tokens.input),
        output: counts.needed(tokens.output),
        cache_read: counts.of(tokens.cache_read),
        cache_write: counts.of(tokens.cache_write),
        partial: counts.is_partial,
        ..Usage::default()
    })
}

/// The id of a session in the name of its file, `<time>_<id>.jsonl`; other texts are ids themselves.
fn session_of(text: Cow<'_, str>) -> Cow<'_, str> {
    let file = text.rsplit(['/', '\\']).next().and_then(|file| file.strip_suffix(".jsonl"));
    match file.map(|stem| stem.rsplit('_').next().unwrap_or(stem).to_owned()) {
        Some(id) => Cow::Owned(id),
        None => text,
    }
}

/// Types of records that do nothing by themselves.
fn is_known(kind: &str) -> bool {
    matches!(
        kind,
        "thinking_level_change"
            | "branch_summary"
            | "branchSummary"
            | "compactionSummary"
            | "custom_message"
            | "label"
            | "session_info"
            | "agent_start"
            | "turn_start"
            | "message_start"
            | "message_update"
            | "tool_execution_update"
            | "compaction_start"
            | "auto_compaction_start"
            | "auto_retry_start"
            | "auto_retry_end"
            | "queue_update"
    )
}
