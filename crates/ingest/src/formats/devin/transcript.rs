//! Transcripts that Devin's terminal agent exports: steps with calls and results.

use crate::assembly::{Assembly, RecordLocation};
use crate::blocks::{self, Around, Block};
use crate::formats::{Base, Detect, Format, Home, Input};
use crate::gaps::Gaps;
use crate::json::{Counts, Nested, Raw, elements, filled, is, is_array, object, raw_text, record, scalar, text};
use crate::reader::{Item, Reader};
use agent_strace_model::{Dialect, EventKind, Session, Usage};

record! {
    struct Document { id = "session_id", steps = "steps", directories = "workspace_dirs" }
}

record! {
    struct Step {
        source = "source",
        message = "message",
        used = "tool_use",
        answered = "tool_result",
        metrics: Nested<Metrics<'a>> = "metrics",
        time = "timestamp",
        model = "model_name",
    }
}

record! {
    struct Metrics { sent = "prompt_tokens", came = "completion_tokens", cached = "cached_tokens" }
}

/// Transcripts of Devin's terminal agent (`devin/cli/transcripts/*.json`).
pub(in crate::formats) static TRANSCRIPT: Format = Format {
    dialect: Dialect::new("devin-transcript", "devin"),
    detect: Detect::Record(|head| {
        head.is_array("steps")
            && head.has("workspace_dirs")
            && head.first("steps").is_some_and(|step| step.is_string("source"))
    }),
    read,
    homes: &[Home { variables: &[], base: Base::Data, folder: "devin", logs: "cli/transcripts/*.json" }],
};

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut sessions = Vec::new();
    input.records("a session", gaps, |item: &Item<'a, Document<'a>>, gaps| {
        let mut assembly = input.session(&TRANSCRIPT.dialect);
        assembly.id(filled(item.record.id));
        assembly.root(text(elements(item.record.directories).first().copied()));
        match item.record.steps.filter(|steps| is_array(Some(*steps))) {
            Some(steps) => {
                let mut reader = Reader::of_field(item.json, item.line, steps);
                while let Some(step) = reader.next::<Step<'a>>(gaps) {
                    add(&mut assembly, &step, gaps);
                }
            }
            None => gaps.malformed(item.line, "a session whose steps are not a list"),
        }
        sessions.push(assembly.finish());
    });
    sessions
}

fn add<'a>(assembly: &mut Assembly<'a>, item: &Item<'a, Step<'a>>, gaps: &mut Gaps) {
    let Item { line, record, .. } = item;
    if let Some(key) = record.duplicate {
        gaps.twice(*line, key, "a step");
    }
    let location = RecordLocation { line: *line, id: None, time: scalar(record.time) };
    assembly.model(filled(record.model));
    if let Some(said) = filled(record.message).and(raw_text(record.message)) {
        let kind = if is(record.source, "user") {
            EventKind::Prompt(said)
        } else if is(record.source, "agent") {
            EventKind::Message(said)
        } else {
            EventKind::Other
        };
        assembly.push(location.clone(), kind);
    }
    if let Some(metrics) = record.metrics.object() {
        let mut counts = Counts::default();
        let cache_read = counts.of(metrics.cached);
        let usage = Usage {
            input: counts.needed(metrics.sent).saturating_sub(cache_read),
            output: counts.needed(metrics.came),
            cache_read,
            partial: counts.is_partial,
            ..Usage::default()
        };
        assembly.usage(None, usage);
    }
    each(record.used, *line, gaps, |block| blocks::call(assembly, &location, block, &Around::of(None)));
    each(record.answered, *line, gaps, |block| blocks::result(assembly, &location, block, &Around::of(None)));
}

/// The blocks of a list, or the only one.
fn each<'a>(value: Option<Raw<'a>>, line: u32, gaps: &mut Gaps, mut add: impl FnMut(&Block<'a>)) {
    let Some(raw) = value else { return };
    let list = if is_array(value) { elements(value) } else { vec![raw] };
    for raw in list {
        match object::<Block<'a>>(Some(raw)) {
            Some(block) => add(&block),
            None => gaps.malformed(line, "a call or a result that is not an object"),
        }
    }
}
