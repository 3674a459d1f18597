//! Qodo: one document per project and day, with the messages of all threads. A message of the agent holds its calls.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, RecordLocation, arguments};
use crate::gaps::Gaps;
use crate::json::{Nested, Raw, elements, filled, is, is_array, is_true, object, raw_text, record};
use crate::reader::{Item, Reader};
use agent_strace_model::attribution::note_each;
use agent_strace_model::{Dialect, EventKind, Session, Status, ToolCall, ToolResult};

record! {
    struct Document { threads = "threads", messages = "messages" }
}

record! {
    struct Thread { id = "id", created = "createdAt", git: Nested<Git<'a>> = "git" }
}

record! {
    struct Git { branch = "headBranch" }
}

record! {
    struct Message {
        id = "messageID",
        thread = "threadID",
        created = "createdAt",
        role = "role",
        model = "modelLabel",
        input = "userInput",
        data = "data",
    }
}

record! {
    struct Block {
        kind = "type",
        content = "content",
        original = "originalContent",
        used: Nested<Used<'a>> = "toolUseData",
    }
}

record! {
    struct Used {
        tool = "tool",
        server = "serverName",
        server_kind = "serverType",
        args = "args",
        id = "identifier",
        pending = "pendingApproval",
        is_error = "isError",
        message = "message",
    }
}

/// Histories of Qodo's plugins, which they keep in the project (`.qodo/history/*.json`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("qodo", "qodo"),
    detect: Detect::Record(|head| {
        let message = || head.first("messages").is_some_and(|message| message.is_string("messageID"));
        head.is_array("threads") && head.is_array("messages") && (message() || head.first("threads").is_some())
    }),
    read,
    homes: &[
        Home { variables: &[], base: Base::Project, folder: ".qodo", logs: "history/*.json" },
        Home { variables: &[], base: Base::Project, folder: ".codium", logs: "history/*.json" },
    ],
};

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut history = History { input: *input, threads: HashMap::new(), order: Vec::new() };
    input.records("a history", gaps, |item: &Item<'a, Document<'a>>, gaps| {
        for raw in elements(item.record.threads) {
            match object::<Thread<'a>>(Some(raw)) {
                Some(thread) => history.thread(&thread, item.line),
                None => gaps.malformed(item.line, "a thread that is not an object"),
            }
        }
        let Some(list) = item.record.messages.filter(|list| is_array(Some(*list))) else {
            return gaps.malformed(item.line, "a history whose messages are not a list");
        };
        let mut reader = Reader::of_field(item.json, item.line, list);
        while let Some(message) = reader.next::<Message<'a>>(gaps) {
            history.message(&message, gaps);
        }
    });
    let History { mut threads, order, .. } = history;
    order.iter().filter_map(|id| threads.remove(id)).map(Assembly::finish).collect()
}

struct History<'a> {
    input: Input<'a>,
    /// By their ids.
    threads: HashMap<Cow<'a, str>, Assembly<'a>>,
    /// Their ids in the order of the log.
    order: Vec<Cow<'a, str>>,
}

impl<'a> History<'a> {
    fn session(&mut self, id: Cow<'a, str>) -> &mut Assembly<'a> {
        let (input, order) = (self.input, &mut self.order);
        self.threads.entry(id).or_insert_with_key(|id| {
            order.push(id.clone());
            let mut assembly = input.session(&FORMAT.dialect);
            assembly.id(Some(id.clone()).filter(|id| !id.is_empty()));
            assembly.root(project(&input.log.shown).map(Cow::Borrowed));
            assembly
        })
    }

    fn thread(&mut self, thread: &Thread<'a>, line: u32) {
        let assembly = self.session(filled(thread.id).unwrap_or_default());
        let branch = thread.git.object().and_then(|git| filled(git.branch));
        note_each(&mut assembly.session.attribution.branches, branch);
        assembly.push(RecordLocation { line, id: None, time: filled(thread.created) }, EventKind::Start);
    }

    fn message(&mut self, item: &Item<'a, Message<'a>>, gaps: &mut Gaps) {
        let Item { line, record, .. } = item;
        if let Some(key) = record.duplicate {
            gaps.twice(*line, key, "a message");
        }
        let location = RecordLocation { line: *line, id: filled(record.id), time: filled(record.created) };
        let assembly = self.session(filled(record.thread).unwrap_or_default());
        assembly.model(filled(record.model));
        if is(record.role, "user") {
            let said = filled(record.input).and(raw_text(record.input));
            assembly.push(location.clone(), said.map_or(EventKind::Other, EventKind::Prompt));
        }
        if record.data.is_some_and(|data| !is_array(Some(data))) {
            gaps.malformed(*line, "a message whose data is not a list");
        }
        for raw in elements(record.data) {
            block(assembly, &location, raw, gaps);
        }
    }
}

/// The project that holds a history.
fn project(shown: &str) -> Option<&str> {
    ["/.qodo/history/", "/.codium/history/"].iter().find_map(|place| Some(shown.rsplit_once(place)?.0))
}

fn block<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, raw: Raw<'a>, gaps: &mut Gaps) {
    let Some(block) = object::<Block<'a>>(Some(raw)) else {
        return gaps.malformed(location.line, "a part of a message that is not an object");
    };
    let used = match &block.used {
        Nested::Object(used) => used,
        Nested::Absent if is(block.kind, "text") => {
            let said = raw_text(block.original.or(block.content));
            return assembly.push(location.clone(), said.map_or(EventKind::Other, EventKind::Message));
        }
        Nested::Absent if !is(block.kind, "tool_use") => return assembly.unknown(location.clone()),
        Nested::Absent | Nested::Other => return gaps.malformed(location.line, "a call without its data"),
    };
    if let Some(key) = used.duplicate.or(block.duplicate) {
        gaps.twice(location.line, key, "a call");
    }
    // It waits for the user: nothing has run.
    if is_true(used.pending) && used.message.is_none() {
        return assembly.pass(Some(raw));
    }
    let name = filled(used.tool).unwrap_or_default();
    let tool = match filled(used.server).filter(|_| !is(used.server_kind, "BUILTIN")) {
        Some(server) => Cow::Owned(format!("mcp__{server}__{name}")),
        None => name,
    };
    let (id, is_error) = (filled(used.id), is_true(used.is_error));
    let status = match used.message {
        _ if is_error => Status::Error,
        Some(_) => Status::Ok,
        None => Status::Missing,
    };
    let arguments = arguments(used.args);
    if !assembly.repeats(id.as_deref(), &tool, &arguments) {
        let call = ToolCall { call_id: id.clone(), tool, arguments, cwd: None, status, subagent: None };
        assembly.call(location.clone(), call, id.clone());
    }
    if used.message.is_some() {
        let result = ToolResult { call_id: id.clone(), text: raw_text(used.message), is_error };
        assembly.result(location.clone(), result, status, id);
    }
}
