//! `OpenHands`: events of version 0 (actions and observations) and of the SDK, as lists, lines, single files, or the
//! history of an evaluated task.

mod first;
mod sdk;

use std::borrow::Cow;
use std::collections::HashMap;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, Numbering};
use crate::gaps::Gaps;
use crate::json::{Nested, filled, is_array, is_string, parse, record};
use crate::reader::{Item, Reader};
use agent_strace_model::{Dialect, Session};

record! {
    /// An evaluated task, or one event.
    struct Entry {
        instance = "instance_id",
        history = "history",
        metadata: Nested<Metadata<'a>> = "metadata",
        kind = "kind",
        action = "action",
        observation = "observation",
    }
}

record! {
    struct Metadata { config: Nested<Config<'a>> = "llm_config" }
}

record! {
    struct Config { model = "model" }
}

/// `OpenHands`, all versions.
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("openhands", "openhands").shell_stays(),
    detect: Detect::Record(|head| {
        let action = head.is_string("action") && head.is_object("args") && head.has("source");
        let observation = head.is_string("observation") && head.is_object("extras") && head.has("source");
        let told = ["ActionEvent", "ObservationEvent", "SystemPromptEvent", "MessageEvent", "UserRejectObservation"];
        let sdk = head.has_all(&["id", "timestamp", "source"]) && told.iter().any(|kind| head.is("kind", kind));
        let task = head.is_array("history") && head.has("instance_id");
        action || observation || sdk || task
    }),
    read,
    homes: &[
        Home {
            variables: &["OH_PERSISTENCE_DIR"],
            base: Base::Home,
            folder: ".openhands",
            logs: "sessions/*/events/*.json",
        },
        Home {
            variables: &["OPENHANDS_PERSISTENCE_DIR"],
            base: Base::Home,
            folder: ".openhands",
            logs: "conversations/*/events/event-*.json",
        },
    ],
};

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let new = || Run {
        assembly: Assembly::new(&FORMAT.dialect, &input.log.shown, Numbering::Ordinal),
        cwd: None,
        last: None,
        unread: HashMap::new(),
        unnamed: 0,
    };
    let (mut sessions, mut loose) = (Vec::new(), None);
    let mut reader = Reader::new(input.text, input.shape);
    while let Some(item) = reader.next::<Entry<'a>>(gaps) {
        match item.record.history {
            Some(list) => {
                let mut run = new();
                run.assembly.id(filled(item.record.instance));
                let config = item.record.metadata.object().and_then(|metadata| metadata.config.object());
                run.assembly.model(config.and_then(|config| filled(config.model)));
                if !is_array(Some(list)) {
                    gaps.malformed(item.line, "the history of a task is not a list");
                }
                // Pairs of an action and what came of it are read like a plain list.
                let mut events = Reader::of_field(item.json, item.line, list);
                while let Some(event) = events.next::<Entry<'a>>(gaps) {
                    run.event(&event, gaps);
                }
                sessions.push(run.assembly.finish());
            }
            None => loose.get_or_insert_with(new).event(&item, gaps),
        }
    }
    sessions.extend(loose.map(|run| run.assembly.finish()));
    sessions
}

struct Run<'a> {
    assembly: Assembly<'a>,
    /// Where the shell was after the last command.
    cwd: Option<Cow<'a, str>>,
    /// The link of the last call: what comes of an action without an id follows it.
    last: Option<Cow<'a, str>>,
    /// Calls of the model that became no action, by the ids of the call and of the record.
    unread: HashMap<Cow<'a, str>, sdk::Unread<'a>>,
    unnamed: u32,
}

impl<'a> Run<'a> {
    fn event(&mut self, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) {
        if let Some(key) = item.record.duplicate {
            gaps.twice(item.line, key, "an event");
        }
        if is_string(item.record.kind) {
            if let Some(event) = parse::<sdk::Event<'a>>(item.json) {
                sdk::add(self, item.line, &event, gaps);
            }
        } else if item.record.action.is_some() || item.record.observation.is_some() {
            if let Some(event) = parse::<first::Event<'a>>(item.json) {
                first::add(self, item.line, &event, gaps);
            }
        } else {
            gaps.unknown_record(item.line, "a record that is neither an action nor an observation");
        }
    }

    /// The link of a call that may have no id.
    fn link(&mut self, id: Option<Cow<'a, str>>) -> Cow<'a, str> {
        self.unnamed = self.unnamed.saturating_add(1);
        let link = id.unwrap_or_else(|| Cow::Owned(format!("unnamed {}", self.unnamed)));
        self.last = Some(link.clone());
        link
    }
}
