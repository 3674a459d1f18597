//! mini-swe-agent: a document with its messages, or in its first version the bare list of them.

mod asked;
mod fence;

use std::borrow::Cow;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::chat;
use crate::gaps::Gaps;
use crate::json::{Nested, Raw, elements, filled, is, is_array, object, raw_text, record, scalar, text};
use crate::reader::{Item, Reader};
use crate::settings;
use agent_strace_model::attribution::{note, note_each};
use agent_strace_model::{Arguments, Dialect, Ending, EventKind, RawText, Session, Status, ToolCall, ToolResult};

record! {
    /// A run, or a message of one.
    struct Entry {
        messages = "messages",
        info: Nested<Info<'a>> = "info",
        role = "role",
        content = "content",
        calls = "tool_calls",
        output = "output",
        kind = "type",
        object = "object",
        call_id = "tool_call_id",
        output_id = "call_id",
        extra: Nested<Extra<'a>> = "extra",
    }
}

record! {
    struct Info { version = "mini_version", config = "config" }
}

record! {
    struct Config {
        agent: Nested<Settings<'a>> = "agent",
        model: Nested<Settings<'a>> = "model",
        environment: Nested<Settings<'a>> = "environment",
        environment_type = "environment_type",
    }
}

record! {
    struct Settings { mode = "mode", model = "model_name", cwd = "cwd" }
}

record! {
    struct Extra {
        actions = "actions",
        response: Nested<Response<'a>> = "response",
        timestamp = "timestamp",
        returncode = "returncode",
        interrupt = "interrupt_type",
        exit = "exit_status",
    }
}

record! {
    struct Response { id = "id", usage = "usage", model = "model", choices = "choices" }
}

record! {
    struct Action { command = "command" }
}

record! {
    struct Called { kind = "type", name = "name", arguments = "arguments", function: Nested<Function<'a>> = "function" }
}

record! {
    struct Function { name = "name", arguments = "arguments" }
}

/// mini-swe-agent (`*.traj.json`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("mini-swe-agent", "mini-swe-agent"),
    detect: Detect::Record(|head| {
        let run = head.text("trajectory_format").is_some_and(|format| format.starts_with("mini-swe-agent"))
            || head.is_array("messages") && head.object("info").is_some_and(|info| info.is_object("model_stats"));
        let bare = head.listed && head.has_only(&["role", "content", "extra"]) && head.is_string("content");
        run || bare && head.text("content").is_some_and(|text| fence::is_taught(&text))
    }),
    read,
    homes: &[Home {
        variables: &["MSWEA_GLOBAL_CONFIG_DIR"],
        base: Base::Config,
        folder: "mini-swe-agent",
        logs: "*.traj.json",
    }],
};

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let run = || Run {
        assembly: Assembly::new(&FORMAT.dialect, &input.log.shown, Numbering::Ordinal),
        calls: 0,
        open: 0,
        asked: asked::Asked::default(),
    };
    let (mut sessions, mut bare) = (Vec::new(), None);
    let mut reader = Reader::new(input.text, input.shape);
    while let Some(item) = reader.next::<Entry<'a>>(gaps) {
        match item.record.messages {
            Some(list) => {
                let mut run = run();
                run.document(&item, list, gaps);
                sessions.push(run.finish());
            }
            None => bare.get_or_insert_with(run).message(&item, gaps),
        }
    }
    sessions.extend(bare.map(Run::finish));
    sessions
}

struct Run<'a> {
    assembly: Assembly<'a>,
    /// Calls so far: they have no ids, and results come in their order.
    calls: u32,
    /// The first call without a result.
    open: u32,
    asked: asked::Asked<'a>,
}

impl<'a> Run<'a> {
    fn finish(mut self) -> Session<'a> {
        self.asked.pass(&mut self.assembly);
        self.assembly.finish()
    }

    fn document(&mut self, item: &Item<'a, Entry<'a>>, list: Raw<'a>, gaps: &mut Gaps) {
        if let Some(info) = item.record.info.object() {
            self.about(info);
        }
        if !is_array(Some(list)) {
            gaps.malformed(item.line, "the messages of the session are not a list");
        }
        let mut reader = Reader::of_field(item.json, item.line, list);
        while let Some(inner) = reader.next::<Entry<'a>>(gaps) {
            self.message(&inner, gaps);
        }
    }

    fn about(&mut self, info: &Info<'a>) {
        let read = object::<Config<'a>>(info.config);
        let config = read.as_ref();
        settings::look_through(&mut self.assembly.session.evidence, "info.config", info.config);
        let environment = config.and_then(|config| config.environment.object());
        self.assembly.root(environment.and_then(|environment| filled(environment.cwd)));
        let attribution = &mut self.assembly.session.attribution;
        note(&mut attribution.version, filled(info.version));
        let model = config.and_then(|config| config.model.object());
        note_each(&mut attribution.models, model.and_then(|model| filled(model.model)));
        let agent = config.and_then(|config| config.agent.object());
        note_each(&mut attribution.permission_modes, agent.and_then(|agent| filled(agent.mode)));
        note_each(&mut attribution.sandboxes, config.and_then(|config| filled(config.environment_type)));
    }

    fn message(&mut self, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) {
        let message = &item.record;
        if let Some(key) = message.duplicate {
            gaps.twice(item.line, key, "a message");
        }
        let extra = message.extra.object();
        let location =
            RecordLocation { line: item.line, id: None, time: extra.and_then(|extra| scalar(extra.timestamp)) };
        if is(message.role, "assistant") || is(message.object, "response") {
            return self.answer(&location, message, gaps);
        }
        match text(message.role).as_deref() {
            Some("system") => self.assembly.push(location, EventKind::Other),
            Some("user" | "tool") => self.observation(&location, message),
            Some("exit") => {
                self.observation(&location, message);
                let status = extra.and_then(|extra| filled(extra.exit));
                self.assembly.push(location, EventKind::End(Ending { status, ..Ending::default() }));
            }
            None if is(message.kind, "function_call_output") => self.observation(&location, message),
            _ => {
                self.assembly.unknown(location.clone());
                self.answer(&location, message, gaps);
            }
        }
    }

    fn answer(&mut self, location: &RecordLocation<'a>, message: &Entry<'a>, gaps: &mut Gaps) {
        if let Some(words) = message.content.filter(|words| words.get() != "\"\"") {
            self.assembly.push(location.clone(), EventKind::Message(RawText::Json(words.get())));
        }
        // What went before and has no result will not get one.
        self.open = self.calls;
        let extra = message.extra.object();
        if let Some(response) = extra.and_then(|extra| extra.response.object()) {
            self.assembly.model(filled(response.model));
            if let Some(usage) = chat::usage(response.usage) {
                self.assembly.usage(filled(response.id), usage);
            }
        }
        // The agent notes what it ran: an answer it could not read ran nothing.
        if let Some(actions) = extra.and_then(|extra| extra.actions) {
            let choices = extra.and_then(|extra| extra.response.object()).and_then(|response| response.choices);
            self.asked.note(&mut self.assembly, [message.calls, message.output, choices], actions);
            for raw in elements(Some(actions)) {
                if object::<Action<'_>>(Some(raw)).is_none_or(|action| action.command.is_none()) {
                    gaps.malformed(location.line, "an action without a command");
                }
                self.call(location, Cow::Borrowed("bash"), Arguments::Json(Cow::Borrowed(raw.get())));
            }
        } else if message.calls.is_some() || message.output.is_some() {
            self.called(location, message, gaps);
        } else if let Some(words) = text(message.content) {
            for command in fence::commands(&words) {
                let json = format!("{{\"command\":{}}}", serde_json::Value::from(command));
                self.call(location, Cow::Borrowed("bash"), Arguments::Json(Cow::Owned(json)));
            }
        }
    }

    /// Calls as the provider has them, in a log that does not say what was run.
    fn called(&mut self, location: &RecordLocation<'a>, message: &Entry<'a>, gaps: &mut Gaps) {
        for raw in elements(message.calls.or(message.output)) {
            let Some(called) = object::<Called<'a>>(Some(raw)) else {
                gaps.malformed(location.line, "a call that is not an object");
                continue;
            };
            let function = called.function.object();
            if function.is_none() && !is(called.kind, "function_call") {
                continue;
            }
            let name = function.map_or(called.name, |function| function.name);
            let given = function.map_or(called.arguments, |function| function.arguments);
            let tool = filled(name).unwrap_or(Cow::Borrowed(""));
            self.call(location, tool, crate::assembly::arguments(given));
        }
    }

    fn call(&mut self, location: &RecordLocation<'a>, tool: Cow<'a, str>, arguments: Arguments<'a>) {
        let call = ToolCall { call_id: None, tool, arguments, cwd: None, status: Status::Missing, subagent: None };
        self.assembly.call(location.clone(), call, Some(Cow::Owned(self.calls.to_string())));
        self.calls = self.calls.saturating_add(1);
    }

    /// The result of the first call that has none, the host's word about the last answer, or the task.
    fn observation(&mut self, location: &RecordLocation<'a>, message: &Entry<'a>) {
        let extra = message.extra.object();
        let words = message.content.or(message.output);
        if extra.is_some_and(|extra| is(extra.interrupt, "UserRejection")) {
            for at in self.open..self.calls {
                self.assembly.settle(Status::Denied, Some(Cow::Owned(at.to_string())));
            }
            self.open = self.calls;
        }
        let code = extra.and_then(|extra| scalar(extra.returncode)).or_else(|| fence::returncode(words));
        let submitted = extra.is_some_and(|extra| is(extra.exit, "Submitted"));
        let status = match code.as_deref() {
            Some("0") => Status::Ok,
            Some(_) => Status::Error,
            None if submitted => Status::Ok,
            None => {
                return match words {
                    Some(words) if is(message.role, "user") => {
                        self.assembly.push(location.clone(), EventKind::Prompt(RawText::Json(words.get())));
                    }
                    _ => self.assembly.push(location.clone(), EventKind::Other),
                };
            }
        };
        self.asked.answered(filled(message.call_id).or_else(|| filled(message.output_id)), self.open < self.calls);
        let link = (self.open < self.calls).then(|| Cow::Owned(self.open.to_string()));
        self.open = self.open.saturating_add(1).min(self.calls);
        let result = ToolResult { call_id: None, text: raw_text(words), is_error: status == Status::Error };
        self.assembly.result(location.clone(), result, status, link);
    }
}
