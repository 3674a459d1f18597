//! Zed: threads of its own agent. Agents that it starts from outside keep their sessions themselves.

mod database;

use std::borrow::Cow;

use super::{Detect, Format, Input};
use crate::assembly::{Assembly, RecordLocation, arguments};
use crate::gaps::Gaps;
use crate::json::{
    Counts, Raw, elements, fields, filled, is, is_array, is_object, is_string, is_true, object, raw_text, record,
    scalar,
};
use crate::reader::{Item, LineCounter, Reader};
use agent_strace_model::{Dialect, EventKind, Session, Status, ToolCall, ToolResult, Usage};
pub(super) use database::DATABASE;

/// A thread of `threads/threads.db`.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("zed", "zed"),
    detect: Detect::Record(|head| head.is_string("zed_thread") && head.is_object("thread")),
    read,
    homes: &[],
};

record! {
    struct Entry {
        id = "zed_thread",
        parent = "parent_id",
        folders = "folder_paths",
        created = "created_at",
        updated = "updated_at",
        thread = "thread",
    }
}

record! {
    struct Thread {
        messages = "messages",
        model = "model",
        total = "cumulative_token_usage",
        snapshot = "initial_project_snapshot",
    }
}

record! {
    struct Model { name = "model" }
}

record! {
    struct Snapshot { worktrees = "worktree_snapshots" }
}

record! {
    struct Worktree { path = "worktree_path" }
}

record! {
    struct Tokens {
        input = "input_tokens",
        output = "output_tokens",
        cache_write = "cache_creation_input_tokens",
        cache_read = "cache_read_input_tokens",
    }
}

record! {
    /// A message of today is an object of one field, which names the speaker; before that it had a role.
    struct Message {
        user = "User",
        agent = "Agent",
        role = "role",
        segments = "segments",
        uses = "tool_uses",
        results = "tool_results",
    }
}

record! {
    struct Said { id = "id", content = "content", results = "tool_results" }
}

record! {
    struct Part { text = "Text", thinking = "Thinking", redacted = "RedactedThinking", mention = "Mention", image = "Image", call = "ToolUse" }
}

record! {
    struct Segment { kind = "type", text = "text" }
}

record! {
    struct Thought { text = "text" }
}

record! {
    struct Call { id = "id", name = "name", input = "input", raw = "raw_input", whole = "is_input_complete" }
}

record! {
    struct Outcome { call = "tool_use_id", is_error = "is_error", content = "content", output = "output" }
}

record! {
    /// Arguments that start with the name of a worktree.
    struct Paths { path = "path", directory = "cd", source = "source_path" }
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut sessions = Vec::new();
    input.records("a thread", gaps, |item: &Item<'a, Entry<'a>>, gaps| {
        let mut chat = Chat { assembly: input.session(&FORMAT.dialect), worktrees: Vec::new() };
        chat.thread(item, gaps);
        sessions.push(chat.assembly.finish());
    });
    sessions
}

struct Chat<'a> {
    assembly: Assembly<'a>,
    /// Where the project lies: paths in arguments start with the last component.
    worktrees: Vec<Cow<'a, str>>,
}

impl<'a> Chat<'a> {
    fn thread(&mut self, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) {
        let Item { line, record: entry, json } = item;
        let thread = object::<Thread<'a>>(entry.thread).unwrap_or_default();
        self.assembly.id(filled(entry.id));
        self.assembly.session.parent = filled(entry.parent);
        let folders = filled(entry.folders).unwrap_or_default();
        self.worktrees =
            folders.lines().filter(|path| !path.is_empty()).map(|path| Cow::Owned(path.to_owned())).collect();
        if self.worktrees.is_empty() {
            let snapshot = object::<Snapshot<'a>>(thread.snapshot).unwrap_or_default();
            let path = |raw| object::<Worktree<'a>>(Some(raw)).and_then(|worktree| filled(worktree.path));
            self.worktrees = elements(snapshot.worktrees).into_iter().filter_map(path).collect();
        }
        self.assembly.root(self.worktrees.first().cloned());
        self.assembly.model(object::<Model<'a>>(thread.model).and_then(|model| filled(model.name)));
        let time = scalar(entry.created).or_else(|| scalar(entry.updated));
        self.assembly.push(RecordLocation { line: *line, id: None, time }, EventKind::Start);
        if let Some(tokens) = object::<Tokens<'a>>(thread.total).filter(|tokens| tokens.input.is_some()) {
            self.assembly.together(None, usage(&tokens));
        }
        let Some(list) = thread.messages.filter(|list| is_array(Some(*list))) else {
            return gaps.malformed(*line, "the messages of the thread are not a list");
        };
        let mut lines = LineCounter::new(json, *line);
        let start = lines.line_of(list.get());
        let mut lines = LineCounter::new(list.get(), start);
        for raw in elements(Some(list)) {
            let line = lines.line_of(raw.get());
            // The user let a thread go on that had stopped.
            if is(Some(raw), "Resume") {
                self.assembly.push(RecordLocation { line, ..RecordLocation::default() }, EventKind::Other);
                continue;
            }
            let mut reader = Reader::nested(raw.get(), line);
            while let Some(item) = reader.next::<Message<'a>>(gaps) {
                self.message(item.line, &item.record, gaps);
            }
        }
    }

    fn message(&mut self, line: u32, message: &Message<'a>, gaps: &mut Gaps) {
        if let Some(key) = message.duplicate {
            gaps.twice(line, key, "a message");
        }
        let location = RecordLocation { line, ..RecordLocation::default() };
        let mut any = false;
        for (raw, is_user) in [(message.user, true), (message.agent, false)] {
            let Some(said) = object::<Said<'a>>(raw) else { continue };
            any = true;
            let location = RecordLocation { id: filled(said.id), ..location.clone() };
            if !is_array(said.content) {
                gaps.malformed(line, "a message without a list of contents");
            }
            for raw in elements(said.content) {
                self.part(&location, raw, is_user, gaps);
            }
            for (_, raw) in said.results.and_then(|results| fields(results.get())).unwrap_or_default() {
                self.result(&location, raw, gaps);
            }
        }
        if message.role.is_some() {
            any = true;
            self.earlier(&location, message, gaps);
        }
        if !any {
            self.assembly.unknown(location);
        }
    }

    /// A message as the first versions kept it.
    fn earlier(&mut self, location: &RecordLocation<'a>, message: &Message<'a>, gaps: &mut Gaps) {
        for raw in elements(message.segments) {
            let segment = object::<Segment<'a>>(Some(raw)).unwrap_or_default();
            let words = raw_text(segment.text);
            let event = match (words, is(segment.kind, "text"), is(message.role, "user")) {
                (Some(words), true, true) => EventKind::Prompt(words),
                (Some(words), true, false) => EventKind::Message(words),
                (Some(words), false, _) => EventKind::Reasoning(words),
                (None, ..) => EventKind::Other,
            };
            self.assembly.push(location.clone(), event);
        }
        for raw in elements(message.uses) {
            self.call(location, raw, gaps);
        }
        for raw in elements(message.results) {
            self.result(location, raw, gaps);
        }
    }

    fn part(&mut self, location: &RecordLocation<'a>, raw: Raw<'a>, is_user: bool, gaps: &mut Gaps) {
        let part = object::<Part<'a>>(Some(raw)).unwrap_or_default();
        let at = location.clone();
        if let Some(text) = part.text {
            let words = raw_text(Some(text));
            let kind = if is_user { EventKind::Prompt } else { EventKind::Message };
            self.assembly.push(at, words.map_or(EventKind::Other, kind));
        } else if let Some(thought) = object::<Thought<'a>>(part.thinking) {
            self.assembly.push(at, raw_text(thought.text).map_or(EventKind::Other, EventKind::Reasoning));
        } else if let Some(call) = part.call {
            self.call(location, call, gaps);
        } else if part.mention.is_some() || part.image.is_some() || part.redacted.is_some() {
            self.assembly.push(at, EventKind::Other);
        } else {
            self.assembly.unknown(at);
        }
    }

    fn call(&mut self, location: &RecordLocation<'a>, raw: Raw<'a>, gaps: &mut Gaps) {
        let Some(call) = object::<Call<'a>>(Some(raw)) else {
            return gaps.malformed(location.line, "a call that is not an object");
        };
        if let Some(key) = call.duplicate {
            gaps.twice(location.line, key, "a call");
        }
        let id = filled(call.id);
        let tool = filled(call.name).unwrap_or_default();
        let is_whole = call.whole.is_none_or(|whole| whole.get() == "true");
        let arguments = arguments(if is_whole && is_object(call.input) { call.input } else { call.raw.or(call.input) });
        if self.assembly.repeats(id.as_deref(), &tool, &arguments) {
            return;
        }
        let cwd = self.cwd(call.input);
        let call = ToolCall { call_id: id.clone(), tool, arguments, cwd, status: Status::Missing, subagent: None };
        self.assembly.call(location.clone(), call, id);
    }

    /// The folder around the worktree that the arguments name.
    fn cwd(&self, input: Option<Raw<'a>>) -> Option<Cow<'a, str>> {
        let paths = object::<Paths<'a>>(input).unwrap_or_default();
        let named = [paths.path, paths.directory, paths.source].into_iter().find_map(filled);
        let first = named.as_deref().and_then(|path| path.split(['/', '\\']).next()).unwrap_or_default();
        let around = |path: &Cow<'a, str>| {
            let (folder, name) = path.trim_end_matches(['/', '\\']).rsplit_once(['/', '\\'])?;
            Some((if folder.is_empty() { "/".to_owned() } else { folder.to_owned() }, name == first))
        };
        let mut all = self.worktrees.iter().filter_map(around);
        let named = all.clone().find(|(_, is_named)| *is_named);
        named.or_else(|| all.next()).map(|(folder, _)| Cow::Owned(folder))
    }

    fn result(&mut self, location: &RecordLocation<'a>, raw: Raw<'a>, gaps: &mut Gaps) {
        let Some(outcome) = object::<Outcome<'a>>(Some(raw)) else {
            return gaps.malformed(location.line, "the result of a call that is not an object");
        };
        let id = filled(outcome.call);
        let is_error = is_true(outcome.is_error);
        let status = if is_error { Status::Error } else { Status::Ok };
        let part = object::<Part<'a>>(outcome.content).and_then(|part| part.text);
        let words = part.or(outcome.content.filter(|raw| is_string(Some(*raw)))).or(outcome.output);
        let result = ToolResult { call_id: id.clone(), text: raw_text(words), is_error };
        self.assembly.result(location.clone(), result, status, id);
    }
}

fn usage(tokens: &Tokens<'_>) -> Usage {
    let mut counts = Counts::default();
    Usage {
        input: counts.needed(tokens.input),
        output: counts.needed(tokens.output),
        cache_read: counts.of(tokens.cache_read),
        cache_write: counts.of(tokens.cache_write),
        partial: counts.is_partial,
        ..Usage::default()
    }
}
