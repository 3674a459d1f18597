//! Codebuff and Freebuff: messages on screen with blocks, in which the blocks of other agents lie.

use std::borrow::Cow;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, RecordLocation, arguments};
use crate::blocks::{self, Around, NewCall, identity};
use crate::gaps::Gaps;
use crate::json::{Raw, elements, filled, is, is_array, object, raw_text, record, scalar};
use crate::reader::Item;
use agent_strace_model::{Dialect, EventKind, Session, Status, ToolResult};

record! {
    struct Message { variant = "variant", content = "content", blocks = "blocks", id = "id", time = "timestamp" }
}

record! {
    struct Block {
        kind = "type",
        content = "content",
        tool = "toolName",
        call_id = "toolCallId",
        input = "input",
        output = "output",
        agent = "agentType",
        agent_id = "agentId",
        blocks = "blocks",
    }
}

/// Agents in agents.
const DEEPEST: usize = 32;

/// Chats of Codebuff (`~/.config/manicode/projects/*/chats/*/chat-messages.json`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("codebuff", "codebuff"),
    detect: Detect::Record(|head| {
        let known = matches!(head.text("variant").as_deref(), Some("user" | "ai" | "error" | "agent"));
        known && head.has("timestamp") && (head.has("content") || head.is_array("blocks"))
    }),
    read,
    homes: &[Home {
        variables: &[],
        base: Base::Config,
        folder: "manicode",
        logs: "projects/*/chats/*/chat-messages.json",
    }],
};

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = input.session(&FORMAT.dialect);
    assembly.id(input.log.folder(&["chat-messages.json"], &[]).map(Cow::Borrowed));
    input.records("a message", gaps, |item: &Item<'a, Message<'a>>, gaps| {
        let Item { line, record, .. } = item;
        if record.variant.is_none() {
            return gaps.malformed(*line, "a message without its variant");
        }
        let location = RecordLocation { line: *line, id: scalar(record.id), time: scalar(record.time) };
        let said = filled(record.content).and(raw_text(record.content));
        let is_user = is(record.variant, "user");
        let kind = match said {
            Some(said) if is_user => EventKind::Prompt(said),
            Some(said) if is(record.variant, "error") => EventKind::Failure(said),
            Some(said) => EventKind::Message(said),
            None => EventKind::Other,
        };
        assembly.push(location.clone(), kind);
        if record.blocks.is_some_and(|list| !is_array(Some(list))) {
            gaps.malformed(*line, "a message whose blocks are not a list");
        }
        for raw in elements(record.blocks) {
            block(&mut assembly, &location, raw, &Around::of(None), 0, gaps);
        }
    });
    vec![assembly.finish()]
}

fn block<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    raw: Raw<'a>,
    around: &Around<'a>,
    depth: usize,
    gaps: &mut Gaps,
) {
    let Some(block) = object::<Block<'a>>(Some(raw)) else {
        return gaps.malformed(location.line, "a part of a message that is not an object");
    };
    if let Some(key) = block.duplicate {
        gaps.twice(location.line, key, "a block");
    }
    match &*filled(block.kind).unwrap_or_default() {
        "text" => {
            let said = raw_text(block.content);
            assembly.push(location.clone(), said.map_or(EventKind::Other, EventKind::Message));
        }
        "tool" => call(assembly, location, &block, around),
        "agent" if depth >= DEEPEST => gaps.limit(location.line, "agents in agents, nested too deep to be read"),
        "agent" => {
            let subagent = filled(block.agent_id).or_else(|| filled(block.agent));
            let around = Around { subagent, ..around.clone() };
            for raw in elements(block.blocks) {
                self::block(assembly, location, raw, &around, depth + 1, gaps);
            }
        }
        "plan" | "ask-user" | "image" | "mode-divider" | "html" => assembly.push(location.clone(), EventKind::Other),
        _ => assembly.unknown(location.clone()),
    }
}

fn call<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, block: &Block<'a>, around: &Around<'a>) {
    let id = identity(block.call_id);
    let tool = filled(block.tool).unwrap_or_default();
    let new = NewCall { id: id.clone(), tool, arguments: arguments(block.input) };
    blocks::add_call(assembly, location, new, around);
    if block.output.is_some() {
        let result = ToolResult { call_id: id.clone(), text: raw_text(block.output), is_error: false };
        assembly.result(location.clone(), result, Status::Ok, id);
    }
}
