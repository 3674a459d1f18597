//! gptme: messages with a time. Its calls are fences in the answers, or `@tool(id): {…}`.

mod fence;

use std::borrow::Cow;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, RecordLocation};
use crate::chat::{self, Manner, Message};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{Counts, Nested, filled, is, object, parse, record, scalar, text};
use crate::reader::Item;
use agent_strace_model::dialect::Carries;
use agent_strace_model::{Arguments, Dialect, Session, Status, ToolCall, Usage};

record! {
    struct Entry {
        role = "role",
        content = "content",
        time = "timestamp",
        call_id = "call_id",
        metadata: Nested<Metadata<'a>> = "metadata",
    }
}

record! {
    struct Metadata { model = "model", usage = "usage" }
}

record! {
    struct Tokens {
        input = "input_tokens",
        output = "output_tokens",
        read = "cache_read_tokens",
        written = "cache_creation_tokens",
    }
}

/// Conversations of gptme (`~/.local/share/gptme/logs/*/conversation.jsonl`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("gptme", "gptme").shell_stays().carrying(Carries::SomeCalls(
        "calls stand in the words of the agent, and nothing but a text tells which of them ran",
    )),
    detect: Detect::Record(is_message),
    read,
    homes: &[Home {
        variables: &["GPTME_LOGS_HOME"],
        base: Base::Data,
        folder: "gptme/logs",
        logs: "*/conversation.jsonl",
    }],
};

/// A message with nothing else than gptme's fields, among them one that only gptme has.
fn is_message(head: &Head<'_>) -> bool {
    const KEYS: &[&str] =
        &["role", "content", "timestamp", "pinned", "hide", "metadata", "files", "file_hashes", "call_id", "quiet"];
    let is_own = || {
        head.has("pinned")
            || head.has("hide")
            || head
                .object("metadata")
                .is_some_and(|told| told.is_string("model") && told.has_only(&["model", "usage", "cost"]))
    };
    head.is_string("role")
        && head.is_string("content")
        && head.is_string("timestamp")
        && head.has_only(KEYS)
        && is_own()
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = input.session(&FORMAT.dialect);
    assembly.id(input.log.folder(&["conversation.jsonl"], &[]).map(Cow::Borrowed));
    input.records("a message", gaps, |item: &Item<'a, Entry<'a>>, gaps| add(&mut assembly, item, gaps));
    vec![assembly.finish()]
}

fn add<'a>(assembly: &mut Assembly<'a>, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) {
    let Item { line, record, json } = item;
    let location = RecordLocation { line: *line, id: None, time: scalar(record.time) };
    let Some(mut message) = parse::<Message<'a>>(json) else {
        return gaps.malformed(*line, "a message that is not readable");
    };
    message.call_id = message.call_id.or(record.call_id);
    if let Some(metadata) = record.metadata.object() {
        assembly.model(filled(metadata.model));
        if let Some(tokens) = object::<Tokens<'a>>(metadata.usage) {
            let mut counts = Counts::default();
            let usage = Usage {
                input: counts.needed(tokens.input),
                output: counts.needed(tokens.output),
                cache_read: counts.of(tokens.read),
                cache_write: counts.of(tokens.written),
                partial: counts.is_partial,
                ..Usage::default()
            };
            assembly.usage(None, usage);
        }
    }
    chat::add(assembly, &location, &message, &Manner::default(), gaps);
    if !is(record.role, "assistant") {
        return;
    }
    for fence::Called { tool, id, given } in fence::calls(&text(record.content).unwrap_or_default()) {
        let call = ToolCall {
            call_id: id.clone().map(Cow::Owned),
            tool: Cow::Owned(tool),
            arguments: Arguments::Json(Cow::Owned(given)),
            cwd: None,
            status: Status::Missing,
            subagent: None,
        };
        assembly.call(location.clone(), call, id.map(Cow::Owned));
    }
}
