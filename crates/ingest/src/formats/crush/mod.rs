//! Crush: sessions of its database. A message is a list of typed parts; the versions of files that the agent changed prove
//! its writes.

mod database;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use super::{Detect, Format, Input};
use crate::assembly::{Assembly, RecordLocation, arguments};
use crate::gaps::Gaps;
use crate::json::{Raw, elements, filled, is, is_array, is_true, object, raw_text, record, scalar, text};
use crate::reader::{Item, LineCounter, Reader};
use agent_strace_model::evidence::Subagent;
use agent_strace_model::{Access, Dialect, EventKind, FileEvent, Session, Speaker, Status, ToolCall, ToolResult};
pub(super) use database::{DATABASE, INDEX};

/// A session of `.crush/crush.db`.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("crush", "crush"),
    detect: Detect::Record(|head| head.is_string("crush_session") && head.is_array("messages")),
    read,
    homes: &[],
};

record! {
    struct Entry {
        id = "crush_session",
        parent = "parent_session_id",
        created = "created_at",
        started = "started",
        messages = "messages",
        files = "files",
    }
}

record! {
    struct Message {
        id = "id",
        role = "role",
        model = "model",
        created = "created_at",
        parts = "parts",
        summary = "is_summary_message",
    }
}

record! {
    struct Part { kind = "type", data = "data" }
}

record! {
    struct Data {
        text = "text",
        thinking = "thinking",
        id = "id",
        name = "name",
        input = "input",
        finished = "finished",
        call = "tool_call_id",
        content = "content",
        is_error = "is_error",
        reason = "reason",
        command = "command",
        output = "output",
        exit = "exit_code",
    }
}

record! {
    struct File { path = "path", version = "version", created = "created_at" }
}

/// Tools that start another agent, which has a session of its own.
const STARTERS: &[&str] = &["agent", "agentic_fetch"];

/// The words of a call that the user refused. Commands can print them, too: the answer's end has to say the same.
const REFUSALS: &[&str] = &["Permission denied", "User denied permission"];

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut sessions = Vec::new();
    input.records("a session", gaps, |item: &Item<'a, Entry<'a>>, gaps| {
        let mut chat =
            Chat { assembly: input.session(&FORMAT.dialect), started: started(item.record.started), refused: false };
        chat.session(item, gaps);
        sessions.push(chat.assembly.finish());
    });
    sessions
}

/// Between the message and the call that the session of a sub-agent is called after.
const BETWEEN: &str = "$$";

/// Sessions by the calls that they may be called after; the first one counts.
fn started(list: Option<Raw<'_>>) -> HashMap<String, Cow<'_, str>> {
    let mut started = HashMap::new();
    for id in elements(list).into_iter().filter_map(|id| filled(Some(id))) {
        // An id may hold these characters itself, but not often.
        let calls = id.rmatch_indices(BETWEEN).take(4).filter_map(|(at, found)| id.get(at + found.len()..));
        for call in calls.chain([&*id]).map(str::to_owned).collect::<Vec<_>>() {
            started.entry(call).or_insert_with(|| id.clone());
        }
    }
    started
}

struct Chat<'a> {
    assembly: Assembly<'a>,
    /// The sessions that this one started, by the call that each may be called after.
    started: HashMap<String, Cow<'a, str>>,
    /// The last answer ended because the user refused a call of it.
    refused: bool,
}

impl<'a> Chat<'a> {
    fn session(&mut self, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) {
        let Item { line, record: entry, json } = item;
        self.assembly.id(filled(entry.id));
        self.assembly.session.parent = filled(entry.parent);
        let location = RecordLocation { line: *line, id: None, time: scalar(entry.created) };
        self.assembly.push(location, EventKind::Start);
        let mut lines = LineCounter::new(json, *line);
        let Some(list) = entry.messages.filter(|list| is_array(Some(*list))) else {
            return gaps.malformed(*line, "the messages of the session are not a list");
        };
        let mut reader = Reader::nested(list.get(), lines.line_of(list.get()));
        while let Some(item) = reader.next::<Message<'a>>(gaps) {
            if let Some(key) = item.record.duplicate {
                gaps.twice(item.line, key, "a message");
            }
            self.message(item.line, &item.record, gaps);
        }
        if let Some(files) = entry.files {
            self.files(lines.line_of(files.get()), files, gaps);
        }
    }

    fn message(&mut self, line: u32, message: &Message<'a>, gaps: &mut Gaps) {
        let location = RecordLocation { line, id: filled(message.id), time: scalar(message.created) };
        let is_answer = is(message.role, "assistant");
        if is_answer {
            self.refused = false;
            self.assembly.model(filled(message.model));
            // The session keeps what its last request took, not what each answer did.
            self.assembly.untold(filled(message.id));
        }
        if is_true(message.summary) || message.summary.is_some_and(|raw| raw.get() == "1") {
            let compactions = &mut self.assembly.session.evidence.compactions;
            *compactions = compactions.saturating_add(1);
        }
        if !is_array(message.parts) {
            return gaps.malformed(line, "a message without a list of parts");
        }
        for raw in elements(message.parts) {
            let part = object::<Part<'a>>(Some(raw)).unwrap_or_default();
            let Some(data) = object::<Data<'a>>(part.data) else {
                gaps.malformed(line, "a part of a message without readable data");
                continue;
            };
            if let Some(key) = part.duplicate.or(data.duplicate) {
                gaps.twice(line, key, "a part of a message");
            }
            let kind = filled(part.kind).unwrap_or_default();
            self.part(&location, (&kind, is_answer), &data, gaps);
        }
    }

    fn part(
        &mut self,
        location: &RecordLocation<'a>,
        (kind, is_answer): (&str, bool),
        data: &Data<'a>,
        gaps: &mut Gaps,
    ) {
        let at = || location.clone();
        match kind {
            "text" => self.words(at(), data.text, is_answer),
            "reasoning" => {
                let thought = raw_text(data.thinking);
                self.assembly.push(at(), thought.map_or(EventKind::Other, EventKind::Reasoning));
            }
            "tool_call" => self.call(at(), data, gaps),
            "tool_result" => self.result(at(), data),
            "finish" => {
                self.refused |= is(data.reason, "permission_denied");
                self.assembly.push(at(), EventKind::Other);
            }
            "image_url" | "binary" => self.assembly.push(at(), EventKind::Other),
            _ if data.command.is_some() => self.command(at(), data),
            _ => self.assembly.unknown(at()),
        }
    }

    fn words(&mut self, location: RecordLocation<'a>, words: Option<Raw<'a>>, is_answer: bool) {
        let Some(words) = raw_text(words.filter(|words| words.get() != "\"\"")) else {
            return self.assembly.push(location, EventKind::Other);
        };
        let event = if is_answer { EventKind::Message(words) } else { EventKind::Prompt(words) };
        // The session of a sub-agent is asked by the one that started it.
        let agent = self.assembly.session.parent.is_some().then_some(Speaker::Subagent);
        self.assembly.say(location, event, agent);
    }

    fn call(&mut self, location: RecordLocation<'a>, data: &Data<'a>, gaps: &mut Gaps) {
        let id = filled(data.id);
        let tool = filled(data.name).unwrap_or_default();
        if tool.is_empty() {
            gaps.malformed(location.line, "a call without the name of its tool");
        }
        let arguments = arguments(data.input);
        if self.assembly.repeats(id.as_deref(), &tool, &arguments) {
            return;
        }
        let is_starter = STARTERS.contains(&&*tool);
        let status = Status::Missing;
        let call = ToolCall { call_id: id.clone(), tool, arguments, cwd: None, status, subagent: None };
        self.assembly.call(location, call, id.clone());
        if is_starter {
            self.subagent(id);
        }
    }

    /// The session of a sub-agent is called after the call that started it.
    fn subagent(&mut self, call: Option<Cow<'a, str>>) {
        let id = call.as_deref().and_then(|call| self.started.get(call)).cloned();
        let event = self.assembly.session.events.last().map_or(0, |event| event.number);
        let subagent = Subagent { event, id, call_id: call, kind: None, calls: None };
        self.assembly.session.evidence.subagents.push(subagent);
    }

    fn result(&mut self, location: RecordLocation<'a>, data: &Data<'a>) {
        let is_error = is_true(data.is_error);
        let said = text(data.content).unwrap_or_default();
        let status = if is_error && self.refused && REFUSALS.contains(&said.trim()) {
            Status::Denied
        } else if is_error {
            Status::Error
        } else {
            Status::Ok
        };
        let id = filled(data.call);
        let result = ToolResult { call_id: id.clone(), text: raw_text(data.content), is_error };
        self.assembly.result(location, result, status, id);
    }

    /// A command that the user ran in the session.
    fn command(&mut self, location: RecordLocation<'a>, data: &Data<'a>) {
        let failed = data.exit.is_some_and(|exit| exit.get() != "0");
        let status = if failed { Status::Error } else { Status::Ok };
        let command = text(data.command).unwrap_or_default();
        let arguments = agent_strace_model::Arguments::Json(Cow::Owned(
            crate::database::Object::new().text("command", &command).finish(),
        ));
        let call =
            ToolCall { call_id: None, tool: Cow::Borrowed("bash"), arguments, cwd: None, status, subagent: None };
        self.assembly.call(location.clone(), call, None);
        let result = ToolResult { call_id: None, text: raw_text(data.output), is_error: failed };
        self.assembly.push(location, EventKind::Result(result));
    }

    /// Version 0 is what a file held before the session.
    fn files(&mut self, line: u32, files: Raw<'a>, gaps: &mut Gaps) {
        let mut known = BTreeSet::new();
        let mut reader = Reader::nested(files.get(), line);
        while let Some(item) = reader.next::<File<'a>>(gaps) {
            let Some(target) = filled(item.record.path) else {
                gaps.malformed(item.line, "a version of a file without a path");
                continue;
            };
            let is_before = item.record.version.is_some_and(|version| version.get() == "0");
            if is_before || !known.insert(target.clone()) {
                continue;
            }
            let location = RecordLocation { line: item.line, id: None, time: scalar(item.record.created) };
            self.assembly.push(location, EventKind::File(FileEvent { access: Access::Write, target }));
        }
    }
}
