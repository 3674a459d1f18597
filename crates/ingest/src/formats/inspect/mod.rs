//! Inspect AI: evaluation logs. Each sample is a session, in a document of all samples or as a member of an `.eval` archive.
//!
//! The messages of a sample are what its model saw last; its events keep everything that ran, also in the sandbox.

mod attachments;
mod events;

use std::borrow::Cow;

use super::{Detect, Format, Input};
use crate::assembly::{Assembly, RecordLocation};
use crate::chat::{self, Manner, Message};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{Counts, Nested, Raw, fields, filled, is, is_array, is_object, object, parse, record, scalar};
use crate::reader::{Item, Reader};
use agent_strace_model::{Dialect, EventKind, Session, Status, Usage};
use attachments::Attachments;

record! {
    /// The document of an evaluation, or one sample.
    struct Entry {
        eval: Nested<Evaluation<'a>> = "eval",
        samples = "samples",
        plan = "plan",
        results = "results",
        id = "id",
        epoch = "epoch",
        messages = "messages",
        events = "events",
        transcript: Nested<Transcript<'a>> = "transcript",
        output = "output",
        usage = "model_usage",
        attachments = "attachments",
        error: Nested<Fault<'a>> = "error",
    }
}

record! {
    struct Evaluation { model = "model" }
}

record! {
    /// Where earlier versions kept the events and their long texts.
    struct Transcript { events = "events", content = "content" }
}

record! {
    struct Extra { id = "id", call_id = "tool_call_id", error: Nested<Fault<'a>> = "error", model = "model" }
}

record! {
    struct Fault { kind = "type", message = "message" }
}

record! {
    struct Tokens {
        input = "input_tokens",
        output = "output_tokens",
        read = "input_tokens_cache_read",
        written = "input_tokens_cache_write",
        reasoning = "reasoning_tokens",
    }
}

/// Logs of Inspect AI, `.json` and `.eval`.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("inspect", "inspect"),
    detect: Detect::Record(|head| {
        let evaluation = head.is_object("eval") && head.is_array("samples") && head.has("version");
        evaluation || is_sample(head)
    }),
    read,
    homes: &[],
};

fn is_sample(head: &Head<'_>) -> bool {
    head.has_all(&["id", "epoch", "input"])
        && head.is_array("messages")
        && (head.has("target") || head.has("scores") || head.has("events") || head.has("model_usage"))
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut sessions = Vec::new();
    input.records("a sample", gaps, |item: &Item<'a, Entry<'a>>, gaps| {
        let Some(list) = item.record.samples else {
            sessions.push(sample(input.session(&FORMAT.dialect), item, gaps));
            return;
        };
        if !is_array(Some(list)) {
            return gaps.malformed(item.line, "the samples of an evaluation are not a list");
        }
        let mut reader = Reader::of_field(item.json, item.line, list);
        while let Some(inner) = reader.next::<Entry<'a>>(gaps) {
            if let Some(key) = inner.record.duplicate {
                gaps.twice(inner.line, key, "a sample");
            }
            let mut assembly = input.session(&FORMAT.dialect);
            // Solvers and scorers have names and parameters, too.
            assembly.pass(item.record.plan);
            assembly.pass(item.record.results);
            assembly.model(item.record.eval.object().and_then(|eval| filled(eval.model)));
            sessions.push(sample(assembly, &inner, gaps));
        }
    });
    sessions
}

fn sample<'a>(mut assembly: Assembly<'a>, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) -> Session<'a> {
    let (line, sample) = (item.line, &item.record);
    let id = scalar(sample.id).map(|id| match scalar(sample.epoch) {
        Some(epoch) => Cow::Owned(format!("{id}_epoch_{epoch}")),
        None => id,
    });
    assembly.id(id);
    assembly.push(RecordLocation { line, id: None, time: None }, EventKind::Start);
    let early = sample.transcript.object();
    let attachments = Attachments::of(sample.attachments.or(early.and_then(|early| early.content)));
    match sample.messages.filter(|list| is_array(Some(*list))) {
        Some(list) => {
            let mut reader = Reader::of_field(item.json, line, list);
            while let Some(message) = reader.next::<Extra<'a>>(gaps) {
                add(&mut assembly, message.line, message.json, &message.record, &attachments, gaps);
            }
        }
        None => gaps.malformed(line, "a sample whose messages are not a list"),
    }
    let mut log = events::Events { assembly, attachments, tells_usage: sample.usage.is_none() };
    log.output(line, sample.output, gaps);
    if let Some(list) = sample.events.or(early.and_then(|early| early.events)) {
        log.list(item.json, line, list, gaps);
    }
    let mut assembly = log.assembly;
    spent(&mut assembly, sample.usage);
    if let Some(fault) = sample.error.object() {
        let said = fault
            .message
            .map_or(EventKind::Other, |said| EventKind::Failure(agent_strace_model::RawText::Json(said.get())));
        assembly.push(RecordLocation { line, id: None, time: None }, said);
    }
    assembly.finish()
}

fn add<'a>(
    assembly: &mut Assembly<'a>,
    line: u32,
    json: &'a str,
    extra: &Extra<'a>,
    attachments: &Attachments<'a>,
    gaps: &mut Gaps,
) {
    let Some(message) = parse::<Message<'a>>(json) else {
        return gaps.malformed(line, "a message that is not readable");
    };
    assembly.model(filled(extra.model));
    let location = RecordLocation { line, id: filled(extra.id), time: None };
    let manner = Manner { outcome: outcome(extra.error.object()), ..Manner::default() };
    let from = assembly.session.events.len();
    chat::add(assembly, &location, &message, &manner, gaps);
    attachments.resolve(assembly, from, line, gaps);
}

/// How a call ended, by the host's own note.
fn outcome(fault: Option<&Fault<'_>>) -> Status {
    match fault {
        None => Status::Ok,
        Some(fault) if is(fault.kind, "approval") => Status::Denied,
        Some(_) => Status::Error,
    }
}

/// What each model used.
fn spent<'a>(assembly: &mut Assembly<'a>, usage: Option<Raw<'a>>) {
    let Some(models) = usage.filter(|usage| is_object(Some(*usage))).and_then(|usage| fields(usage.get())) else {
        return;
    };
    for (model, raw) in models {
        assembly.model(Some(model));
        if let Some(usage) = tokens(Some(raw)) {
            assembly.together(None, usage);
        }
    }
}

fn tokens(value: Option<Raw<'_>>) -> Option<Usage> {
    let tokens = object::<Tokens<'_>>(value)?;
    let mut counts = Counts::default();
    Some(Usage {
        input: counts.needed(tokens.input),
        output: counts.needed(tokens.output),
        cache_read: counts.of(tokens.read),
        cache_write: counts.of(tokens.written),
        reasoning: counts.of(tokens.reasoning),
        partial: counts.is_partial,
        ..Usage::default()
    })
}
