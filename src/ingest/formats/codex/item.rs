//! Response items: messages, calls and their outputs.

use std::borrow::Cow;

use super::{Rollout, call, outcome};
use crate::ingest::assembly::Place;
use crate::ingest::gaps::Gaps;
use crate::ingest::json::{Raw, elements, filled, is, is_string, object, raw_text, record, text};
use crate::model::{EventKind, RawText, ToolResult};

record! {
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
        content = "content",
    }
}

record! {
    struct Part { text = "text" }
}

impl<'a> Rollout<'a> {
    pub(super) fn item(&mut self, mut place: Place<'a>, item: &Payload<'a>, gaps: &mut Gaps) {
        if let Some(key) = item.duplicate {
            gaps.twice(place.line, key, "an item");
        }
        place.id = filled(item.id);
        let kind = text(item.kind).unwrap_or_default();
        match &*kind {
            "function_call" => call::function(self, place, item),
            "custom_tool_call" => call::custom(self, place, item),
            "local_shell_call" => call::local_shell(self, place, item),
            "web_search_call" | "tool_search_call" | "image_generation_call" => call::hosted(self, place, item, &kind),
            "function_call_output" | "custom_tool_call_output" | "tool_search_output" => self.output(place, item),
            "message" => self.message(&place, item),
            "reasoning" | "agent_message" | "ghost_snapshot" | "compaction" | "context_compaction" => {
                self.assembly.push(place, EventKind::Other);
            }
            // Some writers leave the type of a message out.
            "" if item.role.is_some() => self.message(&place, item),
            _ => self.assembly.unknown(place),
        }
    }

    fn output(&mut self, place: Place<'a>, item: &Payload<'a>) {
        let id = filled(item.call_id);
        let output = item.output.or(item.tools);
        let tool = id.as_deref().and_then(|id| self.assembly.call_of(id)).map(|call| call.tool.clone());
        let status = outcome::status(tool.as_deref().unwrap_or(""), output);
        let nested: Vec<_> = id.iter().flat_map(|id| call::nested_links(&self.assembly, id)).collect();
        for link in nested {
            self.assembly.settle(status, [link]);
        }
        let is_error = matches!(status, crate::model::Status::Error | crate::model::Status::Denied);
        let result = ToolResult { call_id: id.clone(), text: raw_text(output), is_error };
        self.assembly.result(place, result, status, id);
    }

    fn message(&mut self, place: &Place<'a>, item: &Payload<'a>) {
        let (user, assistant) = (is(item.role, "user"), is(item.role, "assistant"));
        let texts: Vec<Raw<'a>> = if is_string(item.content) {
            item.content.into_iter().collect()
        } else {
            elements(item.content).into_iter().filter_map(|part| object::<Part<'a>>(Some(part))?.text).collect()
        };
        for text in &texts {
            if user {
                self.environment(*text);
            }
            let words = RawText::Json(text.get());
            let kind = match (user, assistant) {
                (true, _) => EventKind::Prompt(words),
                (_, true) => EventKind::Message(words),
                _ => EventKind::Other,
            };
            self.assembly.push(place.clone(), kind);
        }
        if texts.is_empty() {
            self.assembly.push(place.clone(), EventKind::Other);
        }
    }

    /// The flat generation names the working directory only in a text that the host puts before the first prompt.
    fn environment(&mut self, raw: Raw<'a>) {
        if self.cwd.is_some() || !raw.get().starts_with("\"<environment_context>") {
            return;
        }
        let Some(text) = text(Some(raw)) else { return };
        let between = text.split_once("<cwd>").and_then(|(_, rest)| rest.split_once("</cwd>"));
        let labelled = || text.split_once("Current working directory: ").and_then(|(_, rest)| rest.split_once('\n'));
        if let Some((cwd, _)) = between.or_else(labelled) {
            let cwd = cwd.trim();
            self.enter((!cwd.is_empty()).then(|| Cow::Owned(cwd.to_owned())));
        }
    }
}
