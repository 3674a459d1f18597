//! What `codex exec --json` prints: one event a line; an item is told again whenever it changes.
//!
//! Nothing here says where commands ran or what the agent was allowed to do: the rollout of the thread does.

mod item;

use super::{Detect, Format, Input};
use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::gaps::Gaps;
use crate::json::{Counts, Nested, filled, object, raw_text, record, scalar, text};
use crate::reader::Reader;
use crate::unended::CUT;
use agent_strace_model::{Dialect, EventKind, GapKind, Session, Usage};

record! {
    struct Record {
        kind = "type",
        thread = "thread_id",
        timestamp = "timestamp",
        message = "message",
        error = "error",
        item: Nested<item::Item<'a>> = "item",
        usage: Nested<Tokens<'a>> = "usage",
    }
}

record! {
    struct Fault { message = "message" }
}

record! {
    struct Tokens {
        input = "input_tokens",
        cached = "cached_input_tokens",
        output = "output_tokens",
        reasoning = "reasoning_output_tokens",
    }
}

/// `codex exec --json`.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("codex-exec-json", "codex"),
    detect: Detect::Record(|head| {
        let item = ["item.started", "item.updated", "item.completed"].iter().any(|kind| head.is("type", kind));
        head.is("type", "thread.started") && head.is_string("thread_id")
            || item && head.object("item").is_some_and(|item| item.is_string("id") && item.is_string("type"))
    }),
    read,
    homes: &[],
};

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = Assembly::new(&FORMAT.dialect, &input.log.shown, Numbering::Line);
    let mut reader = Reader::new(input.text, input.shape);
    // A turn has begun and not ended.
    let mut is_open = false;
    while let Some(read) = reader.next::<Record<'a>>(gaps) {
        let record = &read.record;
        if let Some(key) = record.duplicate {
            gaps.twice(read.line, key, "a record");
        }
        let location = RecordLocation { line: read.line, id: None, time: scalar(record.timestamp) };
        let kind = text(record.kind).unwrap_or_default();
        if let Some(item) = record.item.object() {
            item::add(&mut assembly, location, item, &kind, gaps);
            continue;
        }
        if record.item.is_other() {
            gaps.malformed(read.line, "an item that is not an object");
        }
        match &*kind {
            "thread.started" => {
                assembly.id(filled(record.thread));
                assembly.push(location, EventKind::Start);
            }
            "turn.completed" => {
                is_open = false;
                if let Some(tokens) = record.usage.object() {
                    assembly.together(None, usage(tokens));
                }
                assembly.push(location, EventKind::Other);
            }
            "turn.started" => {
                is_open = true;
                assembly.push(location, EventKind::Other);
            }
            "turn.failed" | "error" => {
                is_open &= kind != "turn.failed";
                let nested = object::<Fault<'a>>(record.error).and_then(|fault| fault.message);
                let said = raw_text(record.message.or(nested));
                assembly.push(location, said.map_or(EventKind::Other, EventKind::Failure));
            }
            "" => gaps.malformed(read.line, "a record without a type"),
            _ => assembly.unknown(location),
        }
    }
    if is_open {
        gaps.push(None, GapKind::missing(CUT));
    }
    vec![assembly.finish()]
}

fn usage(tokens: &Tokens<'_>) -> Usage {
    let mut counts = Counts::default();
    let cache_read = counts.of(tokens.cached);
    Usage {
        input: counts.needed(tokens.input).saturating_sub(cache_read),
        output: counts.needed(tokens.output),
        cache_read,
        reasoning: counts.of(tokens.reasoning),
        partial: counts.is_partial,
        ..Usage::default()
    }
}
