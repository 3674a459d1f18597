//! Response items: messages, calls and their outputs.

use std::borrow::Cow;

use super::{Rollout, call, facts, finished, outcome};
use crate::assembly::RecordLocation;
use crate::gaps::Gaps;
use crate::json::{Content, Raw, filled, is, raw_text, record, text};
use agent_strace_model::{EventKind, RawText, Status, ToolResult};

record! {
    /// A response item, or a notice.
    pub(super) struct Payload {
        kind = "type",
        id = "id",
        call_id = "call_id",
        name = "name",
        namespace = "namespace",
        arguments = "arguments",
        input = "input",
        action = "action",
        execution = "execution",
        output = "output",
        tools = "tools",
        status = "status",
        role = "role",
        content: Content<'a, Part<'a>> = "content",
        summary: Content<'a, Part<'a>> = "summary",
        changes = "changes",
        success = "success",
        exit_code = "exit_code",
        source = "source",
        command = "command",
        cwd = "cwd",
        invocation = "invocation",
        info = "info",
        message = "message",
        item = "item",
        tool = "tool",
        path = "path",
        result = "result",
    }
}

impl Payload<'_> {
    /// Whether a record of an unknown kind has what only calls have.
    pub(super) fn looks_like_a_call(&self) -> bool {
        let asks = [self.arguments, self.input, self.action, self.command, self.changes, self.invocation, self.tool];
        let is_answer = self.output.is_some() || self.result.is_some();
        asks.iter().any(Option::is_some) || (self.call_id.is_some() && !is_answer)
    }

    /// Returns whether it holds what a call is given.
    pub(super) fn looks_given(&self) -> bool {
        [self.arguments, self.input, self.action, self.command].iter().any(Option::is_some)
    }

    /// Whether it can be read as a call of a named tool.
    fn is_a_named_call(&self) -> bool {
        filled(self.name).is_some() && (self.arguments.is_some() || self.input.is_some() || self.action.is_some())
    }
}

record! {
    pub(super) struct Part { text = "text" }
}

/// The texts of a value that is one, or a list of parts that hold them.
fn texts<'a>(content: &Content<'a, Part<'a>>) -> Vec<Raw<'a>> {
    match content {
        Content::Text(text) => vec![*text],
        Content::Blocks(parts) => parts.iter().filter_map(|part| part.object()?.text).collect(),
        Content::Absent | Content::Other => Vec::new(),
    }
}

impl<'a> Rollout<'a> {
    pub(super) fn item(&mut self, mut location: RecordLocation<'a>, item: &Payload<'a>, gaps: &mut Gaps) {
        if let Some(key) = item.duplicate {
            gaps.twice(location.line, key, "an item");
        }
        location.id = filled(item.id);
        let kind = text(item.kind).unwrap_or_default();
        match &*kind {
            "function_call" => call::function(self, location, item),
            "custom_tool_call" => call::custom(self, location, item),
            "local_shell_call" => call::local_shell(self, location, item),
            "web_search_call" | "tool_search_call" | "image_generation_call" => {
                call::hosted(self, location, item, &kind);
            }
            "function_call_output" | "custom_tool_call_output" | "tool_search_output" => self.output(location, item),
            "message" => self.message(&location, item),
            "reasoning" => self.reasoning(&location, item),
            "agent_message" | "ghost_snapshot" | "compaction" | "context_compaction" => {
                self.assembly.push(location, EventKind::Other);
            }
            // Some writers leave the type of a message out.
            "" if item.role.is_some() => self.message(&location, item),
            _ if item.is_a_named_call() => call::unknown(self, location, item),
            "additional_tools" => self.assembly.push(location, EventKind::Other),
            _ => {
                if item.looks_like_a_call() {
                    gaps.unknown_record(location.line, "an item of an unknown kind that looks like a call");
                }
                self.assembly.unknown(location);
            }
        }
    }

    /// What it thought, or a summary of that. Mostly it is encrypted: then only the fact is left.
    fn reasoning(&mut self, location: &RecordLocation<'a>, item: &Payload<'a>) {
        let content = texts(&item.content);
        let texts = if content.is_empty() { texts(&item.summary) } else { content };
        for text in &texts {
            self.assembly.push(location.clone(), EventKind::Reasoning(RawText::Json(text.get())));
        }
        if texts.is_empty() {
            self.assembly.push(location.clone(), EventKind::Reasoning(RawText::Plain(Cow::Borrowed(""))));
        }
    }

    fn output(&mut self, location: RecordLocation<'a>, item: &Payload<'a>) {
        let id = filled(item.call_id);
        let output = item.output.or(item.tools);
        let tool = id.as_deref().and_then(|id| self.assembly.call_of(id)).map(|call| call.tool.clone());
        let asked = id.as_deref().and_then(|id| self.assembly.call_of(id)).map(|call| &call.arguments);
        let shown = match outcome::status(tool.as_deref().unwrap_or(""), output) {
            Status::Denied if outcome::refuses_another(output, asked) => Status::Missing,
            shown => shown,
        };
        // What the host records as the end of a call outweighs what its output shows.
        let recorded = id.as_ref().and_then(|id| self.ended.get(id)).copied();
        // An output with an exit code is of a command that ran.
        let is_refuted = recorded == Some(Status::Denied) && outcome::tells_exit(output);
        let status = recorded.filter(|_| !is_refuted).unwrap_or(shown);
        if let Some(id) = id.as_deref() {
            finished::ended(self, &location, id, status, output);
            if shown == Status::Missing && recorded.is_none() {
                self.blocked.push(id.to_owned());
            }
        }
        let is_error = matches!(status, Status::Error | Status::Denied);
        let result = ToolResult { call_id: id.clone(), text: raw_text(output), is_error };
        self.assembly.result(location, result, status, id.clone());
        facts::answered(self, tool.as_deref().unwrap_or(""), id.as_ref(), output);
    }

    fn message(&mut self, location: &RecordLocation<'a>, item: &Payload<'a>) {
        let (user, assistant) = (is(item.role, "user"), is(item.role, "assistant"));
        let texts = texts(&item.content);
        let kind = match (user, assistant) {
            (true, _) => EventKind::Prompt,
            (_, true) => EventKind::Message,
            _ => EventKind::Instruction,
        };
        for text in &texts {
            if user {
                self.environment(*text);
            }
            self.assembly.say(location.clone(), kind(RawText::Json(text.get())), self.asker);
        }
        if texts.is_empty() {
            self.assembly.push(location.clone(), kind(RawText::Plain(Cow::Borrowed(""))));
        }
    }

    /// The flat generation names the working directory only in a text that the host puts before the first prompt.
    fn environment(&mut self, raw: Raw<'a>) {
        if self.cwd.is_some() || !raw.get().starts_with("\"<environment_context>") {
            return;
        }
        let Some(text) = text(Some(raw)) else { return };
        self.surroundings(&text);
        let between = text.split_once("<cwd>").and_then(|(_, rest)| rest.split_once("</cwd>"));
        let labelled = || text.split_once("Current working directory: ").and_then(|(_, rest)| rest.split_once('\n'));
        if let Some((cwd, _)) = between.or_else(labelled) {
            let cwd = cwd.trim();
            self.enter((!cwd.is_empty()).then(|| Cow::Owned(cwd.to_owned())));
        }
    }
}
