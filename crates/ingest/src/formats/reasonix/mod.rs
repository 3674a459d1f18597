//! Reasonix: messages with calls whose names and arguments stand beside their ids. `<name>.meta.json` beside them says
//! where the session ran.

use std::borrow::Cow;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::RecordLocation;
use crate::chat::{self, Manner, Message};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{filled, parse, record, scalar};
use crate::reader::Item;
use agent_strace_model::{Dialect, EventKind, Session};

record! {
    struct Meta { id = "id", created = "created_at", root = "workspace_root", model = "model" }
}

/// Sessions of Reasonix (`~/.reasonix`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("reasonix", "reasonix"),
    detect: Detect::Record(is_message),
    read,
    homes: &[home("projects/*/sessions/*.jsonl"), home("sessions/*.jsonl"), home("subagents/*.jsonl")],
};

const fn home(logs: &'static str) -> Home {
    Home { variables: &[], base: Base::Home, folder: ".reasonix", logs }
}

/// Only its calls have neither a type nor a function.
fn is_message(head: &Head<'_>) -> bool {
    let call = || {
        head.first("tool_calls").is_some_and(|call| {
            call.is_string("id")
                && call.is_string("name")
                && call.is_string("arguments")
                && call.has_only(&["id", "name", "arguments"])
        })
    };
    head.is("role", "assistant") && head.has("content") && !head.has("type") && call()
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = input.session(&FORMAT.dialect);
    if let Some(side) = input.log.side("*.meta.json") {
        match parse::<Meta<'a>>(side.text.trim()) {
            Some(meta) => {
                assembly.id(filled(meta.id));
                assembly.root(filled(meta.root));
                assembly.model(filled(meta.model));
                assembly.push(RecordLocation { line: 1, id: None, time: scalar(meta.created) }, EventKind::Start);
            }
            None => gaps.damage_of(side, "it is not an object that can be read"),
        }
    }
    assembly.id(Some(Cow::Borrowed(input.log.name())));
    input.records("a message", gaps, |item: &Item<'a, Message<'a>>, gaps| {
        let location = RecordLocation { line: item.line, id: None, time: None };
        chat::add(&mut assembly, &location, &item.record, &Manner::default(), gaps);
    });
    vec![assembly.finish()]
}
