//! The messages that are sent to the model.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::tags::{self, Stands, Tagged};
use super::{FORMAT, outcome};
use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::blocks::{self, Around, Block, Part, Speaker, plain_status};
use crate::formats::Input;
use crate::gaps::Gaps;
use crate::json::{Counts, Raw, elements, filled, is, is_array, is_true, object, record, scalar, text};
use crate::reader::{LineCounter, Reader};
use agent_strace_model::attribution::note_each;
use agent_strace_model::{Arguments, EventKind, RawText, Session, Status, ToolCall, ToolResult, Usage};

record! {
    /// A message, or a session around all of them.
    struct Entry {
        session = "sessionId",
        messages = "messages",
        cwd = "cwd",
        workspace = "workspaceRoot",
        role = "role",
        content = "content",
        id = "id",
        ts = "ts",
        summary = "isSummary",
        metrics = "metrics",
        model = "modelInfo",
    }
}

record! {
    struct Model { id = "id", model_id = "modelId", mode = "mode" }
}

record! {
    struct Metrics {
        tokens = "tokens",
        input = "inputTokens",
        output = "outputTokens",
        cache_read = "cacheReadTokens",
        cache_write = "cacheWriteTokens",
    }
}

record! {
    struct Tokens { prompt = "prompt", completion = "completion", cached = "cached" }
}

/// Tools that start another agent.
const STARTERS: &[&str] = &["new_task", "use_subagents"];

/// Reads one task or session.
pub(super) fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let Input { text, shape, log } = *input;
    let assembly = Assembly::new(&FORMAT.dialect, &log.shown, Numbering::Ordinal);
    let mut task = Task { assembly, asked: VecDeque::new(), awaited: None, number: 0 };
    let folder = log.folder(&["api_conversation_history.json"], &[]);
    task.assembly.id(folder.map(Cow::Borrowed));
    let mut reader = Reader::new(text, shape);
    while let Some(item) = reader.next::<Entry<'a>>(gaps) {
        match item.record.messages {
            Some(list) => task.session(item.json, item.line, &item.record, list, gaps),
            None => task.message(item.line, &item.record, gaps),
        }
    }
    vec![task.assembly.finish()]
}

struct Task<'a> {
    assembly: Assembly<'a>,
    /// Calls that the last answer asked for, and whose results have not come.
    asked: VecDeque<Asked<'a>>,
    /// The call whose result comes with the next text.
    awaited: Option<Asked<'a>>,
    /// Calls in words have no ids: they are numbered.
    number: u64,
}

/// A call in the words of the model.
struct Asked<'a> {
    tool: &'static str,
    link: Cow<'a, str>,
    /// It stands in a code fence, and counts once its result is there.
    fenced: Option<(RecordLocation<'a>, String)>,
}

impl<'a> Task<'a> {
    fn session(&mut self, json: &'a str, line: u32, entry: &Entry<'a>, list: Raw<'a>, gaps: &mut Gaps) {
        self.assembly.id(filled(entry.session));
        self.assembly.root(filled(entry.cwd).or_else(|| filled(entry.workspace)));
        if !is_array(Some(list)) {
            return gaps.malformed(line, "the messages of the session are not a list");
        }
        let start = LineCounter::new(json, line).line_of(list.get());
        let mut reader = Reader::nested(list.get(), start);
        while let Some(item) = reader.next::<Entry<'a>>(gaps) {
            self.message(item.line, &item.record, gaps);
        }
    }

    fn message(&mut self, line: u32, entry: &Entry<'a>, gaps: &mut Gaps) {
        if let Some(key) = entry.duplicate {
            gaps.twice(line, key, "a message");
        }
        let location = RecordLocation { line, id: scalar(entry.id), time: scalar(entry.ts) };
        self.describe(&location, entry);
        let mut around = Around { ended, starters: STARTERS, ..Around::of(entry.role) };
        if is_true(entry.summary) {
            let compactions = &mut self.assembly.session.evidence.compactions;
            *compactions = compactions.saturating_add(1);
            around.speaker = Speaker::Host;
        }
        let answers = is(entry.role, "assistant");
        if answers {
            self.asked.clear();
        }
        for (at, part) in blocks::parts(entry.content, line, gaps).into_iter().enumerate() {
            let words = match &part {
                Part::Text(words) => Some(*words),
                Part::Block(block) if is(block.kind, "text") => block.text,
                Part::Block(_) => None,
            };
            match (words, part) {
                (Some(words), _) if answers => self.answer(&location, words, &around),
                (Some(words), _) => self.told(&location, at, words, &around),
                (None, Part::Block(block)) => blocks::add_block(&mut self.assembly, &location, &block, &around),
                (None, Part::Text(_)) => {}
            }
        }
        // A heading with nothing after it: the call ran all the same.
        if let Some(asked) = self.awaited.take() {
            self.assembly.settle(Status::Ok, Some(asked.link));
        }
    }

    fn describe(&mut self, location: &RecordLocation<'a>, entry: &Entry<'a>) {
        let model = object::<Model<'a>>(entry.model).unwrap_or_default();
        self.assembly.model(filled(model.model_id).or_else(|| filled(model.id)));
        let attribution = &mut self.assembly.session.attribution;
        note_each(&mut attribution.permission_modes, filled(model.mode));
        if let Some(metrics) = object::<Metrics<'_>>(entry.metrics) {
            let tokens = object::<Tokens<'_>>(metrics.tokens).unwrap_or_default();
            let mut counts = Counts::default();
            let usage = Usage {
                input: counts.needed(metrics.input.or(tokens.prompt)),
                output: counts.needed(metrics.output.or(tokens.completion)),
                cache_read: counts.of(metrics.cache_read.or(tokens.cached)),
                cache_write: counts.of(metrics.cache_write),
                partial: counts.is_partial,
                ..Usage::default()
            };
            self.assembly.usage(location.id.clone(), usage);
        } else if is(entry.role, "assistant") {
            self.assembly.untold(location.id.clone());
        }
    }

    /// The model's words, and the calls in them.
    fn answer(&mut self, location: &RecordLocation<'a>, words: Raw<'a>, around: &Around<'a>) {
        blocks::words(&mut self.assembly, location, words, around);
        let Some(text) = text(Some(words)) else { return };
        for Tagged { tool, arguments, stands } in tags::calls(&text) {
            self.number += 1;
            let link: Cow<'a, str> = Cow::Owned(format!("in words {}", self.number));
            let fenced = match stands {
                Stands::Free => {
                    self.call(location.clone(), tool, arguments, link.clone());
                    None
                }
                Stands::Fenced => Some((location.clone(), arguments)),
            };
            self.asked.push_back(Asked { tool, link, fenced });
        }
    }

    fn call(&mut self, location: RecordLocation<'a>, tool: &'static str, arguments: String, link: Cow<'a, str>) {
        let call = ToolCall {
            call_id: None,
            tool: Cow::Borrowed(tool),
            arguments: Arguments::Json(Cow::Owned(arguments)),
            cwd: None,
            status: Status::Missing,
            subagent: None,
        };
        self.assembly.call(location, call, Some(link));
    }

    /// What the user's message says: results of calls in words, the host's notes, and what the user said.
    fn told(&mut self, location: &RecordLocation<'a>, at: usize, words: Raw<'a>, around: &Around<'a>) {
        let said = text(Some(words)).unwrap_or_default();
        // Whatever it looks like, the text after a heading is that call's result.
        if let Some(asked) = self.awaited.take() {
            let status = outcome::status(asked.tool, &said);
            return self.settle(location, &asked, status, words);
        }
        if let Some((tool, after)) = outcome::result(&said) {
            return self.result(location, at, tool, after, words);
        }
        if said.starts_with("<environment_details>") {
            self.environment(&said);
            return self.assembly.push(location.clone(), EventKind::Other);
        }
        if said.starts_with("[NOTE] Some previous conversation history") {
            let compactions = &mut self.assembly.session.evidence.compactions;
            *compactions = compactions.saturating_add(1);
            return self.assembly.push(location.clone(), EventKind::Other);
        }
        blocks::words(&mut self.assembly, location, words, around);
    }

    /// A result with its heading. Only the first text of a message is surely the host's: what follows may be output.
    fn result(&mut self, location: &RecordLocation<'a>, at: usize, tool: &'static str, after: &str, words: Raw<'a>) {
        let free = self.asked.iter().position(|asked| asked.tool == tool && asked.fenced.is_none());
        let found = free.or_else(|| self.asked.iter().position(|asked| asked.tool == tool));
        let Some(mut asked) = found.and_then(|at| self.asked.remove(at)) else {
            let text = Some(RawText::Json(words.get()));
            let result = ToolResult { call_id: None, text, is_error: false };
            return self.assembly.push(location.clone(), EventKind::Result(result));
        };
        if let Some((location, arguments)) = asked.fenced.take() {
            self.call(location, asked.tool, arguments, asked.link.clone());
        }
        if after.trim().is_empty() && at == 0 {
            self.awaited = Some(asked);
            return;
        }
        let status = match outcome::status(asked.tool, after) {
            Status::Denied if at > 0 => Status::Error,
            status => status,
        };
        self.settle(location, &asked, status, words);
    }

    fn settle(&mut self, location: &RecordLocation<'a>, asked: &Asked<'a>, status: Status, words: Raw<'a>) {
        self.assembly.settle(status, Some(asked.link.clone()));
        let is_error = matches!(status, Status::Error | Status::Denied);
        let result = ToolResult { call_id: None, text: Some(RawText::Json(words.get())), is_error };
        self.assembly.push(location.clone(), EventKind::Result(result));
    }

    /// Where the task works and how, as the host tells the model with each message.
    fn environment(&mut self, said: &str) {
        let mut lines = said.lines();
        while let Some(line) = lines.next() {
            let directory = line.strip_prefix("# Current Working Directory (");
            let directory = directory.or_else(|| line.strip_prefix("# Current Workspace Directory ("));
            if let Some((path, _)) = directory.and_then(|rest| rest.rsplit_once(") Files")) {
                self.assembly.root(Some(Cow::Owned(path.to_owned())));
            }
            if line == "# Current Mode" {
                let mode = lines.next().map(|mode| Cow::Owned(mode.trim().to_owned()));
                note_each(&mut self.assembly.session.attribution.permission_modes, mode);
            }
        }
    }
}

record! {
    struct Words { text = "text" }
}

/// How a call through the API ended.
fn ended(block: &Block<'_>, tool: &str) -> Status {
    let first = || text(object::<Words<'_>>(elements(block.content).first().copied())?.text);
    let said = text(block.content).or_else(first).unwrap_or_default();
    match outcome::status(tool, &said) {
        Status::Ok => plain_status(block),
        status => status,
    }
}
