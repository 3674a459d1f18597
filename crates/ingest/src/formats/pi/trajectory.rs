//! `OpenClaw`'s trajectory: a second record of a session, beside it. It tells the messages once more with every run, and
//! by itself to whom messages were sent and which tools ran.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::{STARTERS, TRAJECTORY};
use crate::Side;
use crate::assembly::{self, Assembly, RecordLocation};
use crate::blocks::{self, Around, NewCall, Part, identity};
use crate::formats::Input;
use crate::gaps::Gaps;
use crate::json::{Counts, Nested, Raw, elements, filled, is, is_true, object, raw_text, record, scalar, text};
use crate::overlooked::holds_call;
use crate::reader::{Item, Reader, Shape};
use agent_strace_model::attribution::note;
use agent_strace_model::evidence::Counted;
use agent_strace_model::{Arguments, Ending, EventKind, Session, Status, ToolCall, ToolResult, Usage};

record! {
    struct Entry {
        kind = "type",
        time = "ts",
        session = "sessionId",
        run = "runId",
        root = "workspaceDir",
        model = "modelId",
        data: Nested<Data<'a>> = "data",
    }
}

record! {
    struct Data {
        harness: Nested<Harness<'a>> = "harness",
        prompt = "prompt",
        messages = "messages",
        snapshot = "messagesSnapshot",
        said = "assistantTexts",
        usage = "usage",
        metas = "toolMetas",
        targets = "messagingToolSentTargets",
        status = "status",
        call_id = "toolCallId",
        id = "id",
        tool = "toolName",
        name = "name",
        args = "args",
        arguments = "arguments",
        params = "params",
        input = "input",
        result = "result",
        output = "output",
        is_error = "isError",
        error = "error",
    }
}

record! {
    struct Harness { version = "version" }
}

record! {
    struct Message { role = "role", content = "content", call_id = "toolCallId", is_error = "isError" }
}

record! {
    struct Tokens { input = "input", output = "output", cache_read = "cacheRead", cache_write = "cacheWrite" }
}

record! {
    struct Target { tool = "tool" }
}

/// A tool that sends a message where nothing names it.
const SENDS: &str = "message";

/// Reads a trajectory without the session's own log.
pub(super) fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut trace = Trace::new(input.session(&TRAJECTORY.dialect));
    input.records("a record", gaps, |item: &Item<'a, Entry<'a>>, gaps| trace.alone(item, gaps));
    vec![trace.finish().finish()]
}

/// Adds what the trajectory beside a log tells and the log does not. All of it is told of this line.
pub(super) fn add<'a>(assembly: Assembly<'a>, side: &'a Side, line: u32, gaps: &mut Gaps) -> Assembly<'a> {
    let mut trace = Trace::new(assembly);
    let mut own = Gaps::new(&side.shown);
    let mut reader = Reader::new(&side.text, Shape::of(&side.text));
    while let Some(item) = reader.next::<Entry<'a>>(&mut own) {
        let location = RecordLocation { line, id: None, time: scalar(item.record.time) };
        if !KNOWN.contains(&&*filled(item.record.kind).unwrap_or_default()) && holds_call(item.json) {
            own.malformed(item.line, "a record of a type that is not known holds a call");
        }
        trace.acts(&location, &item.record, &mut own);
    }
    for gap in own.finish() {
        gaps.push_for(gap.file, gap.line, gap.kind);
    }
    trace.finish()
}

/// Types of records.
const KNOWN: [&str; 9] = [
    "session.started",
    "trace.metadata",
    "context.compiled",
    "prompt.submitted",
    "tool.call",
    "tool.result",
    "model.completed",
    "trace.artifacts",
    "session.ended",
];

/// A message that was sent, and the record that tells of it.
struct Sent<'a> {
    location: RecordLocation<'a>,
    target: Raw<'a>,
}

struct Trace<'a> {
    assembly: Assembly<'a>,
    /// Calls whose result was told.
    answered: HashSet<Cow<'a, str>>,
    /// How many tools ran.
    ran: usize,
    /// Messages that were sent, by the tool that sent them.
    sent: BTreeMap<Cow<'a, str>, Vec<Sent<'a>>>,
}

impl<'a> Trace<'a> {
    fn new(assembly: Assembly<'a>) -> Self {
        Self { assembly, answered: HashSet::new(), ran: 0, sent: BTreeMap::new() }
    }

    fn alone(&mut self, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) {
        let Item { line, record, .. } = item;
        let location = RecordLocation { line: *line, id: None, time: scalar(record.time) };
        self.assembly.id(filled(record.session));
        self.assembly.root(filled(record.root));
        self.assembly.model(filled(record.model));
        let Some(data) = record.data.object() else {
            return gaps.malformed(*line, "a record without its data");
        };
        let kind = filled(record.kind).unwrap_or_default();
        match &*kind {
            "session.started" => self.assembly.push(location.clone(), EventKind::Start),
            "trace.metadata" => {
                let version = data.harness.object().and_then(|harness| filled(harness.version));
                note(&mut self.assembly.session.attribution.version, version);
            }
            "prompt.submitted" => {
                self.assembly.push(location.clone(), raw_text(data.prompt).map_or(EventKind::Other, EventKind::Prompt));
            }
            "model.completed" => self.completed(&location, record, data),
            "session.ended" => {
                let is_error = !is(data.status, "success");
                let ending = Ending { status: filled(data.status), is_error, ..Ending::default() };
                self.assembly.push(location.clone(), EventKind::End(ending));
            }
            "context.compiled" | "trace.artifacts" | "tool.call" | "tool.result" => {}
            _ => self.assembly.unknown(location.clone()),
        }
        self.acts(&location, record, gaps);
    }

    fn completed(&mut self, location: &RecordLocation<'a>, record: &Entry<'a>, data: &Data<'a>) {
        if let Some(tokens) = object::<Tokens<'a>>(data.usage) {
            let mut counts = Counts::default();
            let usage = Usage {
                input: counts.needed(tokens.input),
                output: counts.needed(tokens.output),
                cache_read: counts.of(tokens.cache_read),
                cache_write: counts.of(tokens.cache_write),
                partial: counts.is_partial,
                ..Usage::default()
            };
            self.assembly.together(filled(record.run), usage);
        }
        for said in elements(data.said) {
            self.assembly.push(location.clone(), raw_text(Some(said)).map_or(EventKind::Other, EventKind::Message));
        }
    }

    /// The calls of a record, their results, and what counts them.
    fn acts(&mut self, location: &RecordLocation<'a>, record: &Entry<'a>, gaps: &mut Gaps) {
        let Some(data) = record.data.object() else { return };
        if let Some(key) = data.duplicate.or(record.duplicate) {
            gaps.twice(location.line, key, "a record");
        }
        for list in [data.messages, data.snapshot].into_iter().flatten() {
            self.messages(location, list, gaps);
        }
        let id = || identity(data.call_id).or_else(|| identity(data.id));
        match &*filled(record.kind).unwrap_or_default() {
            "tool.call" => {
                let given = [data.args, data.arguments, data.params, data.input].into_iter().flatten().next();
                let tool = filled(data.tool).or_else(|| filled(data.name)).unwrap_or_default();
                self.call(location, NewCall { id: id(), tool, arguments: assembly::arguments(given) });
            }
            "tool.result" => {
                let is_error = is_true(data.is_error) || data.error.is_some();
                let answer = data.result.or(data.output).or(data.error);
                self.result(location, id(), answer, is_error);
            }
            _ => {}
        }
        self.ran += elements(data.metas).len();
        for raw in elements(data.targets) {
            let tool = object::<Target<'a>>(Some(raw)).and_then(|target| filled(target.tool));
            self.sent
                .entry(tool.unwrap_or(Cow::Borrowed(SENDS)))
                .or_default()
                .push(Sent { location: location.clone(), target: raw });
        }
    }

    /// The conversation so far, which each run tells again.
    fn messages(&mut self, location: &RecordLocation<'a>, list: Raw<'a>, gaps: &mut Gaps) {
        for raw in elements(Some(list)) {
            let Some(message) = object::<Message<'a>>(Some(raw)) else {
                gaps.malformed(location.line, "a message that is not an object");
                continue;
            };
            if is(message.role, "toolResult") {
                self.result(location, identity(message.call_id), message.content, is_true(message.is_error));
                continue;
            }
            if message.content.is_none() {
                continue;
            }
            for part in blocks::parts(message.content, location.line, gaps) {
                if let Part::Block(block) = part
                    && is(block.kind, "toolCall")
                {
                    let arguments = assembly::arguments(block.arguments.or(block.input));
                    let tool = filled(block.name).unwrap_or_default();
                    self.call(location, NewCall { id: identity(block.id), tool, arguments });
                }
            }
        }
    }

    /// A call under an id that is known is the same, also where its arguments were cut short here.
    fn call(&mut self, location: &RecordLocation<'a>, call: NewCall<'a>) {
        let is_known = call
            .id
            .as_deref()
            .and_then(|id| self.assembly.call_of(id))
            .is_some_and(|known| known.tool == call.tool && is_cut_form(&call.arguments, &known.arguments));
        if !is_known {
            let around = Around { starters: STARTERS, ..Around::of(None) };
            blocks::add_call(&mut self.assembly, location, call, &around);
        }
    }

    fn result(
        &mut self,
        location: &RecordLocation<'a>,
        id: Option<Cow<'a, str>>,
        answer: Option<Raw<'a>>,
        is_error: bool,
    ) {
        let known = id.as_deref().and_then(|id| self.assembly.call_of(id));
        // The session's own log told how it ended.
        if known.is_some_and(|call| call.status != Status::Missing) {
            return;
        }
        if id.clone().is_some_and(|id| !self.answered.insert(id)) {
            return;
        }
        let status = if is_error { Status::Error } else { Status::Ok };
        let result = ToolResult { call_id: id.clone(), text: raw_text(answer), is_error };
        self.assembly.result(location.clone(), result, status, id);
    }

    /// Messages that no call sent are acts of their own.
    fn finish(mut self) -> Assembly<'a> {
        for (tool, targets) in std::mem::take(&mut self.sent) {
            let told = self.assembly.session.calls().filter(|(_, call)| call.tool == tool).count();
            for Sent { location, target: raw } in targets.into_iter().skip(told) {
                let arguments = match text(Some(raw)) {
                    Some(target) => Arguments::Text(target),
                    None => Arguments::Json(Cow::Borrowed(raw.get())),
                };
                let (cwd, subagent) = (None, None);
                let call = ToolCall { call_id: None, tool: tool.clone(), arguments, cwd, status: Status::Ok, subagent };
                self.assembly.call(location, call, None);
            }
        }
        let calls = self.assembly.session.calls().count();
        // The log may hold runs that were not traced.
        if self.ran >= calls {
            self.assembly.stated(Counted::ToolCalls, u64::try_from(self.ran).ok().filter(|ran| *ran > 0), calls, true);
        }
        self.assembly
    }
}

/// Whether arguments are those of a call, as far as they were kept.
fn is_cut_form(kept: &Arguments<'_>, whole: &Arguments<'_>) -> bool {
    let value = |arguments: &Arguments<'_>| match arguments {
        Arguments::Json(json) => serde_json::from_str::<Value>(json).ok(),
        Arguments::Text(text) => Some(Value::from(text.as_ref())),
        Arguments::Missing => Some(Value::Null),
    };
    match (value(kept), value(whole)) {
        (Some(kept), Some(whole)) => kept.is_null() || is_cut_value(&kept, &whole),
        _ => false,
    }
}

fn is_cut_value(kept: &Value, whole: &Value) -> bool {
    match (kept, whole) {
        (Value::Object(kept), Value::Object(whole)) => {
            kept.iter().all(|(key, value)| whole.get(key).is_some_and(|whole| is_cut_value(value, whole)))
        }
        (Value::String(kept), Value::String(whole)) => {
            kept == whole || kept.strip_suffix('…').is_some_and(|kept| whole.starts_with(kept))
        }
        (kept, whole) => kept == whole,
    }
}
