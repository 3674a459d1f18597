//! Gemini CLI: one document per session, or an append log of the same messages; calls carry their results.

mod history;
mod outcome;
mod root;
mod stream;

use std::borrow::Cow;
use std::collections::HashSet;

use super::qwen::parts::may_be_a_call;
use super::{Base, Detect, Format, Home, Input};
use crate::Log;
use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::gaps::Gaps;
use crate::json::{Counts, Raw, elements, filled, is, is_string, object, raw_text, record, scalar, text};
use crate::reader::{LineCounter, Reader};
use crate::speaker;
use agent_strace_model::evidence::Subagent;
use agent_strace_model::{
    Arguments, Dialect, EventKind, Label, Origin, RawText, Session, Speaker, Status, ToolCall, ToolResult, Usage,
    Window,
};

record! {
    /// A whole session, its first line, one of its messages, or a change to it.
    struct Entry {
        session_id = "sessionId",
        project = "projectHash",
        start = "startTime",
        messages = "messages",
        history = "history",
        set = "$set",
        rewind = "$rewindTo",
        id = "id",
        kind = "type",
        timestamp = "timestamp",
        content = "content",
        thoughts = "thoughts",
        tool_calls = "toolCalls",
        tokens = "tokens",
        parent = "parentSessionId",
        session_kind = "kind",
        directories = "directories",
        model = "model",
    }
}

record! {
    struct Call {
        id = "id",
        name = "name",
        args = "args",
        result = "result",
        display = "resultDisplay",
        shown = "displayName",
        status = "status",
        timestamp = "timestamp",
        agent = "agentId",
    }
}

record! {
    struct Tokens { input = "input", output = "output", cached = "cached", thoughts = "thoughts", tool = "tool" }
}

record! {
    struct Thought { subject = "subject", description = "description" }
}

record! {
    struct Answer { response = "functionResponse" }
}

record! {
    struct Function { response = "response" }
}

record! {
    struct Response { output = "output", error = "error" }
}

record! {
    struct Started { name = "agent_name" }
}

record! {
    struct Part { text = "text", call = "functionCall" }
}

/// Gemini CLI (`~/.gemini/tmp/*/chats/**`), as one document or as an append log.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("gemini-cli", "gemini-cli"),
    detect: Detect::Record(|head| {
        let session = head.is_string("sessionId");
        head.is_string("projectHash")
            // Another agent's session holds messages with roles.
            || (session
                && head.is_array("messages")
                && !head.has("type")
                && !head.first("messages").is_some_and(|message| message.has("role")))
            || (head.is("type", "gemini") && head.is_string("id"))
            || head.first("history").is_some_and(|turn| turn.is_string("role") && turn.is_array("parts"))
    }),
    read,
    homes: &[Home { variables: &[], base: Base::Home, folder: ".gemini", logs: "tmp/*/chats/**/*.json*" }],
};

/// What `gemini --output-format stream-json` prints.
pub(super) static STREAM: Format = Format {
    dialect: Dialect::new("gemini-stream-json", "gemini-cli").end_printed(),
    detect: Detect::Record(|head| {
        let call = head.is("type", "tool_use") && head.is_string("tool_name") && head.is_string("tool_id");
        let start = head.is("type", "init") && head.is_string("session_id") && head.is_string("model");
        call || start && !head.has("subtype")
    }),
    read: stream::read,
    homes: &[],
};

/// Tools that start another agent.
const STARTERS: &[&str] = &["invoke_agent", "delegate_to_agent"];

/// Reads one session.
fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let Input { text, shape, log } = *input;
    let assembly = Assembly::new(&FORMAT.dialect, &log.shown, Numbering::Ordinal);
    let mut chat = Chat {
        assembly,
        spoken: HashSet::new(),
        unnamed: HashSet::new(),
        started: HashSet::new(),
        rows: 0,
        is_subagent: false,
        project: None,
    };
    let mut reader = Reader::new(text, shape);
    while let Some(item) = reader.next::<Entry<'a>>(gaps) {
        let entry = &item.record;
        if let Some(key) = entry.duplicate {
            gaps.twice(item.line, key, "a record");
        }
        chat.assembly.id(filled(entry.session_id));
        chat.head(log, entry);
        if chat.assembly.session.parent.is_none() {
            chat.assembly.session.parent = filled(entry.parent);
        }
        if let Some(list) = entry.messages {
            chat.document(item.json, item.line, list, gaps);
        } else if let Some(list) = entry.history {
            history::read(&mut chat.assembly, item.json, item.line, list, gaps);
        } else if entry.kind.is_some() || entry.tool_calls.is_some() {
            chat.message(item.line, entry, gaps);
        } else if entry.set.is_some() || entry.rewind.is_some() || entry.project.is_some() || entry.start.is_some() {
            chat.change(item.line, entry, gaps);
        } else {
            gaps.unknown_record(item.line, "a record that is neither a message nor a change of the session");
        }
    }
    vec![chat.finish()]
}

struct Chat<'a> {
    assembly: Assembly<'a>,
    /// Messages whose words were already taken: an append log repeats a message whenever it grows.
    spoken: HashSet<Cow<'a, str>>,
    /// Calls without an id, by message, place and content.
    unnamed: HashSet<(Cow<'a, str>, u32, &'a str)>,
    /// Calls that started an agent.
    started: HashSet<Cow<'a, str>>,
    /// Messages that were read.
    rows: u32,
    is_subagent: bool,
    /// The digest of the project's folder.
    project: Option<Cow<'a, str>>,
}

record! {
    /// What a `$set` may carry.
    struct Change { messages = "messages", tool_calls = "toolCalls" }
}

impl<'a> Chat<'a> {
    /// What the first record says of the session.
    fn head(&mut self, log: &'a Log, entry: &Entry<'a>) {
        self.assembly.root(root::listed(entry.directories));
        if self.project.is_none() {
            self.project = filled(entry.project);
        }
        self.is_subagent |= is(entry.session_kind, "subagent");
        // A sub-agent's log lies in a folder that is called like its parent's session.
        if is(entry.session_kind, "subagent") && self.assembly.session.parent.is_none() {
            let folder = log.shown.rsplit('/').nth(1).filter(|folder| !matches!(*folder, "" | "chats"));
            self.assembly.session.parent = folder.map(Cow::Borrowed);
        }
    }

    fn finish(mut self) -> Session<'a> {
        if self.assembly.session.root.is_none()
            && let Some(project) = &self.project
        {
            let found = root::of_paths(&self.assembly.session, project);
            self.assembly.root(found.map(Cow::Owned));
        }
        self.assembly.finish()
    }

    /// Words of the user, or those that the host puts before the first of them.
    fn prompt(&mut self, location: &RecordLocation<'a>, entry: &Entry<'a>) {
        let first = if is_string(entry.content) {
            entry.content
        } else {
            elements(entry.content).first().and_then(|part| object::<Part<'a>>(Some(*part))?.text)
        };
        let introduction = first.filter(|words| {
            words.get().starts_with("\"<session_context>")
                && speaker::of(&RawText::Json(words.get())) == Speaker::Context
        });
        match introduction {
            Some(words) => {
                self.assembly.root(root::introduced(words).map(Cow::Owned));
                let shells = text(Some(words)).map_or(&[][..], |text| speaker::shells_of_introduction(&text));
                self.assembly.shells(shells);
                self.words(location, entry.content, EventKind::Instruction);
            }
            // What a sub-agent is told, its parent or the host said.
            None if self.is_subagent => self.words(location, entry.content, EventKind::Instruction),
            None => self.words(location, entry.content, EventKind::Prompt),
        }
    }

    fn document(&mut self, json: &'a str, line: u32, list: Raw<'a>, gaps: &mut Gaps) {
        if !list.get().starts_with('[') {
            gaps.malformed(line, "the messages of the session are not a list");
            return;
        }
        let start = LineCounter::new(json, line).line_of(list.get());
        let mut reader = Reader::nested(list.get(), start);
        while let Some(item) = reader.next::<Entry<'a>>(gaps) {
            self.message(item.line, &item.record, gaps);
        }
    }

    /// Metadata, or a rewind, which takes messages off the screen: their calls ran.
    fn change(&mut self, line: u32, entry: &Entry<'a>, gaps: &mut Gaps) {
        let change = object::<Change<'a>>(entry.set).unwrap_or_default();
        if let (Some(set), Some(list)) = (entry.set, change.messages) {
            self.document(set.get(), line, list, gaps);
        }
        if entry.rewind.is_some() {
            let rewinds = &mut self.assembly.session.evidence.rewinds;
            *rewinds = rewinds.saturating_add(1);
        }
        if change.tool_calls.is_some() {
            gaps.malformed(line, "a change that rewrites calls outside their message");
        }
        self.assembly.push(RecordLocation { line, id: None, time: scalar(entry.timestamp) }, EventKind::Other);
    }

    fn message(&mut self, line: u32, entry: &Entry<'a>, gaps: &mut Gaps) {
        let location = RecordLocation { line, id: filled(entry.id), time: scalar(entry.timestamp) };
        let kind = text(entry.kind).unwrap_or_default();
        self.assembly.origin = Origin { row: self.rows, ..Origin::default() };
        self.rows = self.rows.saturating_add(1);
        self.assembly.model(filled(entry.model));
        let is_new = location.id.as_ref().is_none_or(|id| self.spoken.insert(id.clone()));
        if is_new {
            self.thoughts(&location, entry.thoughts);
        }
        self.calls(&location, entry, gaps);
        self.spoken_calls(&location, entry.content, gaps);
        self.assembly.origin.part = 0;
        if is_new {
            match &*kind {
                "user" => self.prompt(&location, entry),
                "gemini" | "" => self.words(&location, entry.content, EventKind::Message),
                "error" => self.words(&location, entry.content, EventKind::Failure),
                "info" | "warning" => self.assembly.push(location.clone(), EventKind::Notice),
                "message_update" => self.assembly.push(location.clone(), EventKind::Other),
                _ => self.assembly.unknown(location.clone()),
            }
        }
        match object::<Tokens<'_>>(entry.tokens) {
            Some(tokens) => self.tokens(location, &tokens),
            None if kind == "gemini" => self.assembly.untold(location.id),
            None => {}
        }
    }

    fn thoughts(&mut self, location: &RecordLocation<'a>, thoughts: Option<Raw<'a>>) {
        for (part, raw) in (0..).zip(elements(thoughts)) {
            self.assembly.origin.part = part;
            let thought = object::<Thought<'a>>(Some(raw)).unwrap_or_default();
            let [subject, description] =
                [thought.subject, thought.description].map(|raw| text(raw).unwrap_or_default());
            let words = RawText::Plain(format!("{subject}: {description}").into());
            self.assembly.push(location.clone(), EventKind::Reasoning(words));
        }
    }

    fn calls(&mut self, location: &RecordLocation<'a>, entry: &Entry<'a>, gaps: &mut Gaps) {
        if entry.tool_calls.is_some_and(|list| !list.get().starts_with('[')) {
            gaps.malformed(location.line, "the calls of a message are not a list");
        }
        for (part, raw) in (0..).zip(elements(entry.tool_calls)) {
            self.assembly.origin.part = part;
            match object::<Call<'a>>(Some(raw)) {
                Some(call) => self.call(location, raw, &call, gaps),
                None => gaps.malformed(location.line, "a call that is not an object"),
            }
        }
    }

    /// Calls that a message holds among its words.
    fn spoken_calls(&mut self, location: &RecordLocation<'a>, content: Option<Raw<'a>>, gaps: &mut Gaps) {
        for raw in elements(content) {
            let Some(part) = object::<Part<'a>>(Some(raw)).filter(|part| part.others > 0 || part.call.is_some()) else {
                continue;
            };
            match object::<Call<'a>>(part.call) {
                Some(call) => self.call(location, raw, &call, gaps),
                None if may_be_a_call(raw) => {
                    gaps.unknown_record(location.line, "a part of a message of an unknown kind that looks like a call");
                }
                None => {}
            }
        }
    }

    fn words(
        &mut self,
        location: &RecordLocation<'a>,
        content: Option<Raw<'a>>,
        kind: fn(RawText<'a>) -> EventKind<'a>,
    ) {
        let parts: Vec<_> = if is_string(content) {
            content.into_iter().collect()
        } else {
            elements(content).into_iter().filter_map(|part| object::<Part<'a>>(Some(part))?.text).collect()
        };
        if parts.is_empty() {
            self.assembly.push(location.clone(), EventKind::Other);
        }
        for part in parts {
            self.assembly.push(location.clone(), kind(RawText::Json(part.get())));
        }
    }

    /// `input` counts what was read from the cache, `output` does not count thoughts, and what tools of the provider
    /// took in is counted apart.
    fn tokens(&mut self, location: RecordLocation<'a>, tokens: &Tokens<'_>) {
        let mut counts = Counts::default();
        let [input, cache_read, thoughts, tool, output] =
            [tokens.input, tokens.cached, tokens.thoughts, tokens.tool, tokens.output].map(|value| counts.of(value));
        let output = output.saturating_add(thoughts);
        let usage = Usage {
            requests: 1,
            input: input.saturating_sub(cache_read).saturating_add(tool),
            output,
            cache_read,
            cache_write: 0,
            reasoning: thoughts,
            partial: counts.is_partial,
            ..Usage::default()
        };
        let window = Window { fresh_input: input, cache_creation: 0, cache_read, output: output.saturating_add(tool) };
        self.assembly.spend(location.time, location.id, usage, Some(window));
    }

    /// A call that started an agent names the session of that agent.
    fn starts(&mut self, call: &Call<'a>, id: Option<&Cow<'a, str>>) {
        let is_starter = text(call.name).is_some_and(|name| STARTERS.contains(&&*name));
        let Some(agent) = filled(call.agent).filter(|_| is_starter) else { return };
        if self.started.insert(agent.clone()) {
            let event = self.assembly.session.events.last().map_or(0, |event| event.number);
            let kind = object::<Started<'a>>(call.args).and_then(|started| filled(started.name));
            let subagent = Subagent { event, id: Some(agent), call_id: id.cloned(), kind, calls: None };
            self.assembly.session.evidence.subagents.push(subagent);
        }
    }

    /// A message that is written again holds the same call with more of its outcome.
    fn call(&mut self, location: &RecordLocation<'a>, raw: Raw<'a>, call: &Call<'a>, gaps: &mut Gaps) {
        if let Some(key) = call.duplicate {
            gaps.twice(location.line, key, "a call");
        }
        let id = filled(call.id);
        let tool = filled(call.name).unwrap_or(Cow::Borrowed(""));
        let json = call.args.map_or("", |args| args.get());
        let known = match &id {
            Some(id) => self.assembly.call_of(id).is_some_and(|known| {
                known.tool == tool && matches!((&known.arguments, json), (Arguments::Json(text), json) if text == json)
            }),
            None => {
                !self.unnamed.insert((location.id.clone().unwrap_or_default(), self.assembly.origin.part, raw.get()))
            }
        };
        self.assembly.pass(call.display);
        self.assembly.pass(call.result);
        let status = outcome::status(&tool, call);
        let time = scalar(call.timestamp).or_else(|| location.time.clone());
        let location = RecordLocation { line: location.line, id: location.id.clone(), time };
        if !known {
            if let Some(shown) = filled(call.shown).filter(|shown| shown.contains("MCP Server")) {
                self.assembly.label(Label::Shown(shown));
            }
            let starts = STARTERS.contains(&&*tool);
            let call = ToolCall {
                call_id: id.clone(),
                tool,
                arguments: call.args.map_or(Arguments::Missing, |args| Arguments::Json(Cow::Borrowed(args.get()))),
                cwd: None,
                status,
                subagent: filled(call.agent).filter(|_| !starts),
            };
            self.assembly.call(location.clone(), call, id.clone());
        }
        self.starts(call, id.as_ref());
        if call.result.is_some_and(|result| result.get() != "[]") && (!known || status != Status::Missing) {
            let result = ToolResult { call_id: id.clone(), text: output(call), is_error: status == Status::Error };
            self.assembly.result(location, result, status, id);
        } else if known {
            self.assembly.settle(status, id);
        }
    }
}

/// What users see of a result, or the text in it, or all of it.
fn output<'a>(call: &Call<'a>) -> Option<RawText<'a>> {
    if is_string(call.display) {
        return raw_text(call.display);
    }
    let answer = || match elements(call.result).as_slice() {
        [answer] => object::<Answer<'a>>(Some(*answer)),
        _ => None,
    };
    let response = answer().and_then(|answer| object::<Function<'a>>(answer.response)?.response);
    let response = object::<Response<'a>>(response).filter(|response| response.others == 0);
    let text = response.and_then(|response| response.output).filter(|output| is_string(Some(*output)));
    raw_text(text.or(call.result))
}
