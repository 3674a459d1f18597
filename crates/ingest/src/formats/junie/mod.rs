//! Junie: the events of a session. What they hold of a call differs with its kind, and is documented nowhere: only usage
//! is read.

use std::borrow::Cow;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::RecordLocation;
use crate::gaps::Gaps;
use crate::json::{Counts, Raw, elements, filled, is, object, record, scalar};
use crate::reader::Item;
use agent_strace_model::dialect::Carries;
use agent_strace_model::{Dialect, EventKind, Session, Usage};

/// Sessions of Junie (`~/.junie/sessions/*/events.jsonl`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("junie", "junie").carrying(Carries::SomeCalls(
        "Junie's log is read for what was used alone: how it writes its calls is documented nowhere",
    )),
    detect: Detect::Record(|head| {
        let is_kind = |head: &crate::head::Head<'_>| head.text("kind").is_some_and(|kind| kind.ends_with("Event"));
        let of_agent =
            || head.object("event").and_then(|event| event.object("agentEvent")).is_some_and(|agent| is_kind(&agent));
        of_agent() || head.is("kind", "UserPromptEvent") && !head.has("type")
    }),
    read,
    homes: &[Home { variables: &[], base: Base::Home, folder: ".junie", logs: "sessions/*/events.jsonl" }],
};

record! {
    struct Entry { time = "timestampMs", kind = "kind", event = "event" }
}

record! {
    struct Event { agent = "agentEvent" }
}

record! {
    struct Told { kind = "kind", used = "modelUsage" }
}

record! {
    struct Used {
        model = "model",
        input = "inputTokens",
        output = "outputTokens",
        cache_read = "cacheInputTokens",
        cache_write = "cacheCreateTokens",
    }
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = input.session(&FORMAT.dialect);
    // The folder is called as the session, and the file as all others.
    let folder = input.log.shown.rsplit('/').nth(1).filter(|name| !name.is_empty());
    assembly.id(Some(folder.map_or_else(|| Cow::Borrowed(input.log.name()), Cow::Borrowed)));
    input.records("an event", gaps, |item: &Item<'a, Entry<'a>>, _| {
        let Item { line, record, .. } = item;
        let location = RecordLocation { line: *line, id: None, time: scalar(record.time) };
        let event = object::<Event<'a>>(record.event).unwrap_or_default();
        let told = object::<Told<'a>>(event.agent).unwrap_or_default();
        if is(told.kind, "LlmResponseMetadataEvent") {
            for raw in elements(told.used) {
                let used = object::<Used<'a>>(Some(raw)).unwrap_or_default();
                assembly.model(filled(used.model));
                // An event that is written again is the same bytes at the same time.
                let id = format!("{} {}", record.time.map_or("", Raw::get), raw.get());
                assembly.usage(Some(Cow::Owned(id)), usage(&used));
            }
        }
        assembly.push(location, EventKind::Other);
    });
    vec![assembly.finish()]
}

fn usage(used: &Used<'_>) -> Usage {
    let mut counts = Counts::default();
    Usage {
        requests: 1,
        input: counts.needed(used.input),
        output: counts.needed(used.output),
        cache_read: counts.of(used.cache_read),
        cache_write: counts.of(used.cache_write),
        partial: counts.is_partial,
        ..Usage::default()
    }
}
