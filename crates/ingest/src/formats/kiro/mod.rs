//! Kiro CLI and its predecessor Amazon Q: one document per conversation, in which each turn holds what the user or the
//! tools said and what the model answered. Newer versions of its terminal agent, and its editor, keep files of their own.

mod files;
mod ide;

mod database;

use std::borrow::Cow;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, Numbering, RecordLocation, arguments};
use crate::blocks::identity;
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{Raw, elements, filled, is, is_object, object, raw_text, record, scalar};
use crate::reader::{LineCounter, Reader};
use agent_strace_model::dialect::Carries;
use agent_strace_model::{Dialect, EventKind, Session, Status, ToolCall, ToolResult};
pub(super) use database::{DATABASE, EARLIER};

/// A conversation as the host saves it.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("kiro", "kiro"),
    detect: Detect::Record(|head| {
        let turns = head.is_array("history")
            && head.first("history").is_none_or(|turn| turn.is_object("user") && turn.is_object("assistant"));
        head.is_string("conversation_id") && turns
    }),
    read,
    homes: &[],
};

/// Sessions of the terminal agent (`~/.kiro/sessions/cli/*.jsonl`).
pub(super) static FILES: Format = Format {
    dialect: Dialect::new("kiro-files", "kiro"),
    detect: Detect::Record(|head| {
        let known = ["Prompt", "AssistantMessage", "ToolResults"].iter().any(|kind| head.is("kind", kind));
        known && head.object("data").is_some_and(|data| data.is_array("content"))
    }),
    read: files::read,
    homes: &[Home { variables: &[], base: Base::Home, folder: ".kiro", logs: "sessions/cli/*.jsonl" }],
};

/// Sessions of the editor.
pub(super) static IDE: Format = Format {
    dialect: Dialect::new("kiro-ide", "kiro")
        .carrying(Carries::SomeCalls("the editor keeps what was said in a session, and its calls elsewhere")),
    detect: Detect::Record(is_of_ide),
    read: ide::read,
    homes: &[Home {
        variables: &[],
        base: Base::Config,
        folder: "Kiro/User/globalStorage/kiro.kiroagent",
        logs: "workspace-sessions/*/*.json",
    }],
};

/// The editor shares a document with Continue; only its turns belong to executions.
pub(super) fn is_of_ide(head: &Head<'_>) -> bool {
    let turn = || head.first("history").is_some_and(|turn| turn.has("executionId") || turn.has("promptLogs"));
    head.is_string("sessionId") && head.is_string("workspaceDirectory") && turn()
}

record! {
    struct Conversation {
        id = "conversation_id",
        history = "history",
        next = "next_message",
        model = "model_info",
        summary = "latest_summary",
    }
}

record! {
    struct Model { id = "model_id" }
}

record! {
    struct Turn { user = "user", assistant = "assistant" }
}

record! {
    struct User { content = "content", context = "env_context", timestamp = "timestamp" }
}

record! {
    struct Context { state = "env_state" }
}

record! {
    struct State { cwd = "current_working_directory" }
}

record! {
    struct Said { prompt = "Prompt", results = "ToolUseResults", cancelled = "CancelledToolUses" }
}

record! {
    struct Results { prompt = "prompt", results = "tool_use_results" }
}

record! {
    struct ResultOf { id = "tool_use_id", content = "content", status = "status" }
}

record! {
    struct Piece { json = "Json" }
}

record! {
    struct Ended { exit = "exit_status" }
}

record! {
    struct Answer { words = "Response", calls = "ToolUse" }
}

record! {
    struct Message { id = "message_id", content = "content", calls = "tool_uses" }
}

record! {
    struct Call { id = "id", name = "name", original = "orig_name", args = "args", original_args = "orig_args" }
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut reader = Reader::new(input.text, input.shape);
    let mut sessions = Vec::new();
    while let Some(item) = reader.next::<Conversation<'a>>(gaps) {
        let (line, conversation) = (item.line, &item.record);
        if let Some(key) = conversation.duplicate {
            gaps.twice(line, key, "a conversation");
        }
        let assembly = Assembly::new(&FORMAT.dialect, &input.log.shown, Numbering::Ordinal);
        let mut talk = Talk { assembly, cwd: None, time: None, links: Vec::new(), calls: 0 };
        talk.assembly.id(filled(conversation.id));
        let model = object::<Model<'a>>(conversation.model).and_then(|model| filled(model.id));
        talk.assembly.model(model);
        talk.assembly.session.evidence.compactions = u32::from(conversation.summary.is_some());
        let mut lines = LineCounter::new(item.json, line);
        match conversation.history.filter(|history| history.get().starts_with('[')) {
            Some(history) => talk.turns(lines.line_of(history.get()), history, gaps),
            None => gaps.malformed(line, "a conversation whose history is not a list"),
        }
        if is_object(conversation.next) {
            talk.user(line, conversation.next, gaps);
        }
        sessions.push(talk.assembly.finish());
    }
    sessions
}

struct Talk<'a> {
    assembly: Assembly<'a>,
    cwd: Option<Cow<'a, str>>,
    time: Option<Cow<'a, str>>,
    /// What the results of the last answer's calls link to, in the order of the calls: ids may be empty.
    links: Vec<Cow<'a, str>>,
    calls: usize,
}

impl<'a> Talk<'a> {
    fn turns(&mut self, line: u32, history: Raw<'a>, gaps: &mut Gaps) {
        // The first versions write a turn as a pair, later ones name the two sides.
        let paired = elements(Some(history)).first().is_some_and(|turn| turn.get().starts_with('['));
        if paired {
            let mut lines = LineCounter::new(history.get(), line);
            for turn in elements(Some(history)) {
                let line = lines.line_of(turn.get());
                let sides = elements(Some(turn));
                if !turn.get().starts_with('[') {
                    gaps.malformed(line, "a turn that is not a pair");
                }
                self.user(line, sides.first().copied(), gaps);
                self.assistant(line, sides.get(1).copied(), gaps);
            }
            return;
        }
        let mut reader = Reader::nested(history.get(), line);
        while let Some(item) = reader.next::<Turn<'a>>(gaps) {
            if let Some(key) = item.record.duplicate {
                gaps.twice(item.line, key, "a turn");
            }
            self.user(item.line, item.record.user, gaps);
            self.assistant(item.line, item.record.assistant, gaps);
        }
    }

    fn location(&self, line: u32) -> RecordLocation<'a> {
        RecordLocation { line, id: None, time: self.time.clone() }
    }

    fn user(&mut self, line: u32, user: Option<Raw<'a>>, gaps: &mut Gaps) {
        let Some(user) = object::<User<'a>>(user) else {
            return gaps.malformed(line, "a turn without what the user said");
        };
        let state = object::<Context<'a>>(user.context).and_then(|context| object::<State<'a>>(context.state));
        if let Some(cwd) = state.and_then(|state| filled(state.cwd)) {
            self.assembly.root(Some(cwd.clone()));
            self.cwd = Some(cwd);
        }
        self.time = scalar(user.timestamp);
        let said = object::<Said<'a>>(user.content).unwrap_or_default();
        for (results, cancelled) in [(said.prompt, false), (said.results, false), (said.cancelled, true)] {
            let Some(results) = object::<Results<'a>>(results) else {
                if results.is_some() {
                    gaps.malformed(line, "results of calls that are not an object");
                }
                continue;
            };
            for (at, raw) in elements(results.results).into_iter().enumerate() {
                match object::<ResultOf<'a>>(Some(raw)) {
                    Some(result) => self.result(line, at, &result, cancelled),
                    None => gaps.malformed(line, "the result of a call that is not an object"),
                }
            }
            if let Some(prompt) = results.prompt {
                self.assembly
                    .push(self.location(line), raw_text(Some(prompt)).map_or(EventKind::Other, EventKind::Prompt));
            }
        }
    }

    fn result(&mut self, line: u32, at: usize, result: &ResultOf<'a>, cancelled: bool) {
        let link = identity(result.id).or_else(|| self.links.get(at).cloned());
        let failed = elements(result.content).into_iter().any(|piece| {
            let ended = object::<Piece<'a>>(Some(piece)).and_then(|piece| object::<Ended<'a>>(piece.json));
            ended.and_then(|ended| scalar(ended.exit)).is_some_and(|exit| exit != "0")
        });
        // The user cancels what waits for approval and what runs alike.
        let status = if cancelled {
            Status::Interrupted
        } else if failed || is(result.status, "Error") {
            Status::Error
        } else {
            Status::Ok
        };
        let is_error = status == Status::Error;
        let result = ToolResult { call_id: identity(result.id), text: raw_text(result.content), is_error };
        self.assembly.result(self.location(line), result, status, link);
    }

    fn assistant(&mut self, line: u32, answer: Option<Raw<'a>>, gaps: &mut Gaps) {
        let Some(answer) = object::<Answer<'a>>(answer) else {
            return gaps.malformed(line, "a turn without what the model answered");
        };
        self.links.clear();
        for message in [answer.words, answer.calls].into_iter().flatten() {
            let message = object::<Message<'a>>(Some(message)).unwrap_or_default();
            let location = RecordLocation { id: filled(message.id), ..self.location(line) };
            let words = message.content.filter(|words| words.get() != "\"\"");
            self.assembly.push(location.clone(), raw_text(words).map_or(EventKind::Other, EventKind::Message));
            for raw in elements(message.calls) {
                match object::<Call<'a>>(Some(raw)) {
                    Some(call) => self.call(location.clone(), &call, gaps),
                    None => gaps.malformed(line, "a call that is not an object"),
                }
            }
        }
    }

    fn call(&mut self, location: RecordLocation<'a>, call: &Call<'a>, gaps: &mut Gaps) {
        if let Some(key) = call.duplicate {
            gaps.twice(location.line, key, "a call");
        }
        self.calls += 1;
        let id = identity(call.id);
        let link = id.clone().unwrap_or_else(|| Cow::Owned(format!("call {}", self.calls)));
        self.links.push(link.clone());
        let tool = filled(call.name).or_else(|| filled(call.original)).unwrap_or_default();
        let arguments = arguments(call.args.or(call.original_args));
        if self.assembly.repeats(id.as_deref(), &tool, &arguments) {
            return;
        }
        let cwd = self.cwd.clone();
        let call = ToolCall { call_id: id, tool, arguments, cwd, status: Status::Missing, subagent: None };
        self.assembly.call(location, call, Some(link));
    }
}
