//! Windsurf, and Antigravity, which came from it: an agent's work as numbered or plain steps.
//!
//! Windsurf keeps a step's arguments and outcome together, under the name of its type. Antigravity keeps what was
//! asked for with the model's answer, and what came of it as the steps that follow.

mod antigravity;
mod database;

use std::borrow::Cow;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{Raw, Record, filled, is, is_object, is_string, is_true, object, raw_text, record, scalar};
use crate::reader::{Item, Reader};
use crate::scan::Scanner;
use agent_strace_model::{Arguments, Dialect, EventKind, GapKind, RawText, Session, Status, ToolCall, ToolResult};
pub(super) use database::DATABASE;

/// Windsurf transcripts (`~/.windsurf/transcripts/*.jsonl`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("windsurf", "windsurf"),
    detect: Detect::Record(is_step),
    read,
    homes: &[Home { variables: &[], base: Base::Home, folder: ".windsurf", logs: "transcripts/*.jsonl" }],
};

/// Antigravity transcripts.
pub(super) static ANTIGRAVITY: Format = Format {
    dialect: Dialect::new("antigravity", "antigravity"),
    detect: Detect::Record(|head| head.has("step_index") && head.is_string("source") && head.is_string("type")),
    read: antigravity::read,
    homes: &[
        Home { variables: &[], base: Base::Home, folder: ".gemini/antigravity", logs: "brain/**/transcript.jsonl" },
        Home { variables: &[], base: Base::Home, folder: ".gemini/antigravity-cli", logs: "brain/**/transcript.jsonl" },
    ],
};

/// Only a step has a field that is named like its type.
fn is_step(head: &Head<'_>) -> bool {
    head.is_string("status") && head.text("type").is_some_and(|kind| head.is_object(&kind))
}

/// A step. What it did lies under the name of its type, so that all fields are kept.
#[derive(Debug, Default)]
struct Step<'a> {
    kind: Option<Raw<'a>>,
    status: Option<Raw<'a>>,
    timestamp: Option<Raw<'a>>,
    objects: Vec<(String, Raw<'a>)>,
    duplicate: bool,
}

impl<'a> Record<'a> for Step<'a> {
    fn field(&mut self, key: &str, scanner: &mut Scanner<'a>) -> Option<()> {
        let value = scanner.raw()?;
        match key {
            "type" => self.duplicate |= self.kind.replace(value).is_some(),
            "status" => self.duplicate |= self.status.replace(value).is_some(),
            "timestamp" | "created_at" => self.timestamp = Some(value),
            _ if is_object(Some(value)) => {
                self.duplicate |= self.objects.iter().any(|(known, _)| known == key);
                self.objects.push((key.to_owned(), value));
            }
            _ => {}
        }
        Some(())
    }
}

record! {
    struct Details {
        words = "user_response",
        answer = "response",
        thinking = "thinking",
        cwd = "cwd",
        exit_code = "exit_code",
        rejected = "user_rejected",
        output = "output",
        content = "content",
    }
}

/// Reads one transcript.
fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let Input { text, shape, log } = *input;
    let mut assembly = Assembly::new(&FORMAT.dialect, &log.shown, Numbering::Ordinal);
    let mut reader = Reader::new(text, shape);
    while let Some(item) = reader.next::<Step<'a>>(gaps) {
        if item.record.duplicate {
            gaps.push(
                Some(item.line),
                GapKind::Contradiction("a key occurs twice in a step: readers disagree which one counts".into()),
            );
        }
        step(&mut assembly, &item, gaps);
    }
    vec![assembly.finish()]
}

fn step<'a>(assembly: &mut Assembly<'a>, item: &Item<'a, Step<'a>>, gaps: &mut Gaps) {
    let Item { line, record: step, .. } = item;
    let location = RecordLocation { line: *line, id: None, time: scalar(step.timestamp) };
    let Some(kind) = filled(step.kind) else {
        return gaps.malformed(*line, "a step without a `type`");
    };
    if !is_string(step.status) {
        gaps.unknown_record(*line, "a record that does not say how far it got, as every step does");
    }
    // Of a key that occurs twice, the last one counts.
    let details = step.objects.iter().rev().find(|(key, _)| *key == kind).map(|(_, value)| *value);
    let given = object::<Details<'a>>(details).unwrap_or_default();
    if let Some(key) = given.duplicate {
        gaps.twice(*line, key, "a step");
    }
    match &*kind {
        "user_input" => words(assembly, &location, given.words, EventKind::Prompt),
        "planner_response" => {
            words(assembly, &location, given.thinking, EventKind::Reasoning);
            words(assembly, &location, given.answer, EventKind::Message);
        }
        _ => call(assembly, location, kind, details, &given, step.status),
    }
}

fn words<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    text: Option<Raw<'a>>,
    kind: fn(RawText<'a>) -> EventKind<'a>,
) {
    if let Some(text) = text {
        assembly.push(location.clone(), kind(RawText::Json(text.get())));
    }
}

/// Every other step is a tool that ran, or was to run.
fn call<'a>(
    assembly: &mut Assembly<'a>,
    location: RecordLocation<'a>,
    tool: Cow<'a, str>,
    details: Option<Raw<'a>>,
    given: &Details<'a>,
    status: Option<Raw<'a>>,
) {
    let status = if is_true(given.rejected) {
        Status::Denied
    } else if is(status, "error") || given.exit_code.is_some_and(|code| code.get() != "0") {
        Status::Error
    } else if is(status, "cancelled") || is(status, "canceled") {
        Status::Interrupted
    } else if is(status, "done") {
        Status::Ok
    } else {
        Status::Missing
    };
    let cwd = filled(given.cwd);
    assembly.root(cwd.clone());
    let arguments = details.map_or(Arguments::Missing, |details| Arguments::Json(Cow::Borrowed(details.get())));
    let call = ToolCall { call_id: None, tool, arguments, cwd, status, subagent: None };
    assembly.call(location.clone(), call, None);
    if let Some(output) = raw_text(given.output.or(given.content)) {
        let is_error = matches!(status, Status::Error | Status::Denied);
        assembly.push(location, EventKind::Result(ToolResult { call_id: None, text: Some(output), is_error }));
    }
}
