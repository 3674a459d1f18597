//! Hermes: one document per session, an export of one session a line, or messages as they come, one a line.
//! Rows of its database are read as its export has them.

mod database;

use std::borrow::Cow;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::chat::{self, Manner, Message};
use crate::gaps::Gaps;
use crate::json::{Counts, Raw, filled, is, is_array, object, parse, record, scalar, text};
use crate::reader::{Item, Reader};
use crate::settings;
use agent_strace_model::attribution::{note, note_each};
use agent_strace_model::{Dialect, EventKind, Session, Status, Usage};
pub(super) use database::DATABASE;

record! {
    /// A whole session, or one message of it.
    struct Entry {
        session_id = "session_id",
        id = "id",
        role = "role",
        messages = "messages",
        model = "model",
        config = "model_config",
        platform = "platform",
        source = "source",
        user = "user_id",
        cwd = "cwd",
        parent = "parent_session_id",
        started = "session_start",
        started_at = "started_at",
        input = "input_tokens",
        output = "output_tokens",
        cache_read = "cache_read_tokens",
        cache_write = "cache_write_tokens",
        reasoning = "reasoning_tokens",
    }
}

record! {
    struct Config { cwd = "cwd" }
}

record! {
    struct Extra { timestamp = "timestamp", model = "model", platform = "platform", tool = "tool_name" }
}

record! {
    /// What the terminal tool says about a command.
    struct Outcome { exit_code = "exit_code", error = "error", status = "status", success = "success" }
}

/// Hermes agent (`~/.hermes/sessions`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("hermes", "hermes").shell_stays().scripts_in_python(),
    detect: Detect::Record(|head| {
        let saved = head.is_string("session_start") && head.has_all(&["platform", "last_updated"]);
        let exported = head.has_all(&["started_at", "source", "message_count", "tool_call_count"]);
        head.is("role", "session_meta") || head.is_array("messages") && (saved || exported)
    }),
    read,
    homes: &[Home { variables: &["HERMES_HOME"], base: Base::Home, folder: ".hermes", logs: "sessions/*.json*" }],
};

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let assembly = || Assembly::new(&FORMAT.dialect, &input.log.shown, Numbering::Ordinal);
    let (mut sessions, mut loose) = (Vec::new(), None);
    let mut reader = Reader::new(input.text, input.shape);
    while let Some(item) = reader.next::<Entry<'a>>(gaps) {
        if let Some(key) = item.record.duplicate {
            gaps.twice(item.line, key, "a record");
        }
        if let Some(list) = item.record.messages {
            sessions.push(document(assembly(), &item, list, gaps));
        } else if item.record.role.is_some() {
            match parse::<Message<'a>>(item.json) {
                Some(message) => add(loose.get_or_insert_with(assembly), item.line, item.json, &message, gaps),
                None => gaps.malformed(item.line, "a message that is not readable"),
            }
        } else {
            gaps.unknown_record(item.line, "a record that is neither a session nor a message");
        }
    }
    sessions.extend(loose.map(Assembly::finish));
    sessions
}

fn document<'a>(mut assembly: Assembly<'a>, item: &Item<'a, Entry<'a>>, list: Raw<'a>, gaps: &mut Gaps) -> Session<'a> {
    let entry = &item.record;
    assembly.id(filled(entry.session_id).or_else(|| filled(entry.id)));
    assembly.session.parent = filled(entry.parent);
    assembly.root(filled(entry.cwd).or_else(|| cwd(entry.config)));
    settings::look_through(&mut assembly.session.evidence, "model_config", entry.config);
    let attribution = &mut assembly.session.attribution;
    note_each(&mut attribution.models, filled(entry.model));
    note(&mut attribution.entrypoint, filled(entry.platform).or_else(|| filled(entry.source)));
    note(&mut attribution.user, filled(entry.user));
    let mut counts = Counts::default();
    let usage = Usage {
        input: counts.needed(entry.input),
        output: counts.needed(entry.output),
        cache_read: counts.of(entry.cache_read),
        cache_write: counts.of(entry.cache_write),
        reasoning: counts.of(entry.reasoning),
        partial: counts.is_partial,
        ..Usage::default()
    };
    if entry.input.is_some() || entry.output.is_some() {
        assembly.together(None, usage);
    }
    let time = scalar(entry.started).or_else(|| scalar(entry.started_at));
    assembly.push(RecordLocation { line: item.line, id: None, time }, EventKind::Start);
    if !is_array(Some(list)) {
        gaps.malformed(item.line, "the messages of the session are not a list");
    }
    let mut reader = Reader::of_field(item.json, item.line, list);
    while let Some(inner) = reader.next::<Message<'a>>(gaps) {
        add(&mut assembly, inner.line, inner.json, &inner.record, gaps);
    }
    assembly.finish()
}

/// The directory in the configuration, which the export keeps as its database has it: a text that holds JSON.
fn cwd(config: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    match text(config) {
        Some(json) => filled(parse::<Config<'_>>(&json)?.cwd).map(|cwd| Cow::Owned(cwd.into_owned())),
        None => filled(object::<Config<'_>>(config)?.cwd),
    }
}

fn add<'a>(assembly: &mut Assembly<'a>, line: u32, json: &'a str, message: &Message<'a>, gaps: &mut Gaps) {
    let extra = parse::<Extra<'a>>(json).unwrap_or_default();
    let location = RecordLocation { line, id: None, time: scalar(extra.timestamp) };
    if is(message.role, "session_meta") {
        assembly.model(filled(extra.model));
        note(&mut assembly.session.attribution.entrypoint, filled(extra.platform));
        return assembly.push(location, EventKind::Other);
    }
    let manner = Manner { outcome: outcome(assembly, message, &extra), ..Manner::default() };
    chat::add(assembly, &location, message, &manner, gaps);
}

/// Tools answer in JSON, which servers of other people choose freely: only the terminal's own answer tells a refusal.
fn outcome(assembly: &Assembly<'_>, message: &Message<'_>, extra: &Extra<'_>) -> Status {
    let answer = text(message.content).unwrap_or_default();
    let Some(outcome) = parse::<Outcome<'_>>(&answer) else { return Status::Ok };
    let called = text(message.call_id).and_then(|id| assembly.call_of(&id).map(|call| call.tool.clone()));
    let is_terminal = called.or_else(|| filled(extra.tool)).is_some_and(|tool| tool == "terminal");
    if is_terminal && is(outcome.status, "blocked") {
        return Status::Denied;
    }
    let failed = outcome.exit_code.is_some_and(|code| code.get() != "0")
        || filled(outcome.error).is_some()
        || outcome.success.is_some_and(|success| success.get() == "false");
    if failed { Status::Error } else { Status::Ok }
}
