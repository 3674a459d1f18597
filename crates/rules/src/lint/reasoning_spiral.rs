//! Answers of the model that lead to nothing: neither a call nor a word of the user between them.

use std::collections::BTreeMap;

use super::context::LintContext;
use super::lint;
use crate::Hit;
use agent_strace_model::dialect::Carries;
use agent_strace_model::{EventKind, Origin, RecordRole};
use agent_strace_policy::config::lint::{Parameter, Unit};

const THRESHOLD: Parameter = Parameter { key: "threshold", default: Some(3.0), unit: Unit::Count };

lint!(
    REASONING_SPIRAL = LintReasoningSpiral,
    "reasoning-spiral",
    Warning,
    "the model answered several times in a row and called no tool",
    [THRESHOLD],
    look
);

/// Answers in a row.
#[derive(Default)]
struct Run<'a> {
    answers: usize,
    first: u32,
    last: u32,
    /// The line, the record and the API message of the last one.
    lines: Option<(u32, u32)>,
    message: Option<&'a str>,
}

impl<'a> Run<'a> {
    /// One answer may stand in several records, and say several things in one.
    fn answer(&mut self, event: u32, lines: Option<(u32, u32)>, message: Option<&'a str>) {
        // Not every format numbers its records.
        let is_same = |((line, row), (other_line, other_row)): ((u32, u32), (u32, u32))| {
            line == other_line || row == other_row && row != Origin::default().row
        };
        let same = lines.zip(self.lines).is_some_and(is_same) || message.is_some() && self.message == message;
        if self.answers == 0 {
            self.first = event;
        }
        self.answers += usize::from(!same || self.answers == 0);
        (self.last, self.lines, self.message) = (event, lines, message);
    }
}

fn look(context: &LintContext<'_>, hits: &mut Vec<Hit>) {
    let session = context.session();
    if !matches!(session.dialect.carries, Carries::Calls) {
        return context.cannot_judge("this format does not hold every call", hits);
    }
    let mut runs: BTreeMap<u16, Run<'_>> = BTreeMap::new();
    // Events until the last report of usage belong to answers that it was about.
    let mut told = 0;
    // Only the native store records a request apart from what came of it. Elsewhere what came of it may be left out.
    let tells_requests = session.dialect.name == "agent-strace";
    let mut spent = session.spent.iter().filter(|spent| spent.usage.requests > 0).peekable();
    for (index, event) in session.events.iter().enumerate() {
        while let Some(report) = spent.next_if(|spent| spent.after <= index) {
            // A request that is told of without the words of its answer. One that has an id is known by its words.
            let said = session.events.get(told..report.after).unwrap_or_default();
            let is_told = said.iter().any(|event| {
                event.call().is_some() || matches!(event.kind, EventKind::Message(_) | EventKind::Repeat(_))
            });
            if report.message.is_none() && !is_told && tells_requests {
                let number = session.events.get(report.after.saturating_sub(1)).map_or(1, |event| event.number);
                runs.entry(report.origin.stream).or_default().answer(number, None, None);
            }
            told = report.after;
        }
        let is_told = event.origin.role == RecordRole::Primary;
        match &event.kind {
            EventKind::Message(_) if is_told => {
                let message = spent.peek().filter(|spent| spent.origin.row == event.origin.row);
                let message = message.and_then(|spent| spent.message.as_deref());
                runs.entry(event.origin.stream).or_default().answer(
                    event.number,
                    Some((event.line, event.origin.row)),
                    message,
                );
            }
            // What was said last led to the call.
            EventKind::Call(_) | EventKind::Copied(_) | EventKind::Repeat(_) => {
                let run = runs.get_mut(&event.origin.stream).map(std::mem::take).unwrap_or_default();
                hits.extend(hit(context, &Run { answers: run.answers.saturating_sub(1), ..run }));
            }
            EventKind::Prompt(_) if !event.origin.speaker.is_user() => {}
            EventKind::Prompt(_) | EventKind::Command(_) | EventKind::Instruction(_) => {
                hits.extend(runs.get_mut(&event.origin.stream).and_then(|run| hit(context, &std::mem::take(run))));
            }
            _ => {}
        }
    }
    hits.extend(runs.values().filter_map(|run| hit(context, run)));
}

fn hit(context: &LintContext<'_>, run: &Run<'_>) -> Option<Hit> {
    if run.answers < context.count(&THRESHOLD) {
        return None;
    }
    let message =
        format!("{} consecutive answers of the model with no tool call: it may be over-reasoning", run.answers);
    Some(context.hit(run.first..=run.last, message, vec![("event", run.first.to_string())]))
}
