//! Mistral Vibe: a list of messages; `meta.json` beside it says where and on which model the session ran.

use std::borrow::Cow;

use super::{Base, Companion, Detect, Format, Home, Input};
use crate::assembly::{Assembly, RecordLocation};
use crate::chat::{self, Manner, Message};
use crate::gaps::Gaps;
use crate::json::{Counts, Nested, filled, is, is_array, is_true, parse, record, text};
use crate::reader::{Item, Reader};
use agent_strace_model::attribution::{note, note_each};
use agent_strace_model::{Dialect, EventKind, Session, Status, Usage};

record! {
    /// A message, or the single document of earlier releases.
    struct Entry { metadata: Nested<Meta<'a>> = "metadata", messages = "messages", role = "role" }
}

record! {
    struct Extra { id = "message_id", injected = "injected", model = "model" }
}

record! {
    struct Meta {
        id = "session_id",
        parent = "parent_session_id",
        started = "start_time",
        commit = "git_commit",
        branch = "git_branch",
        environment: Nested<Environment<'a>> = "environment",
        stats: Nested<Stats<'a>> = "stats",
        config: Nested<Config<'a>> = "config",
    }
}

record! {
    struct Environment { cwd = "working_directory" }
}

record! {
    struct Config { model = "active_model" }
}

record! {
    struct Stats {
        input = "session_prompt_tokens",
        output = "session_completion_tokens",
        cached = "session_cached_tokens",
    }
}

/// The file beside the messages.
const META: &str = "meta.json";

/// Sessions of Mistral Vibe (`~/.vibe/logs/session/*/messages.jsonl`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("mistral-vibe", "mistral-vibe"),
    detect: Detect::Record(|head| {
        let is_message = matches!(head.text("role").as_deref(), Some("user" | "assistant" | "tool" | "system"));
        let is_early = head.is_array("messages")
            && head
                .object("metadata")
                .is_some_and(|meta| meta.is_object("environment") && meta.is_string("session_id"));
        is_early || is_message && head.is_string("message_id") && (head.has("content") || head.has("tool_calls"))
    }),
    read,
    homes: &[
        Home { variables: &["VIBE_HOME"], base: Base::Home, folder: ".vibe", logs: "logs/session/*/messages.jsonl" },
        Home { variables: &["VIBE_HOME"], base: Base::Home, folder: ".vibe", logs: "logs/session/session_*.json" },
    ],
};

/// What lies beside the messages.
pub(super) const METADATA: Companion = (
    |head| head.is_object("environment") && head.is_string("session_id") && head.has("stats"),
    "the metadata of a session of Mistral Vibe, not its log: the log is `messages.jsonl` beside it",
);

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = input.session(&FORMAT.dialect);
    if let Some(side) = input.log.side(META) {
        match parse::<Meta<'a>>(side.text.trim()) {
            Some(meta) => describe(&mut assembly, &meta),
            None => gaps.damage_of(side, "it is not an object that can be read"),
        }
    }
    assembly.id(input.log.folder(&["messages.jsonl"], &[]).map(Cow::Borrowed));
    input.records("a message", gaps, |item: &Item<'a, Entry<'a>>, gaps| {
        let Some(list) = item.record.messages.filter(|list| is_array(Some(*list))) else {
            return add(&mut assembly, item.line, item.json, gaps);
        };
        if let Some(meta) = item.record.metadata.object() {
            describe(&mut assembly, meta);
        }
        let mut reader = Reader::of_field(item.json, item.line, list);
        while let Some(inner) = reader.next::<Entry<'a>>(gaps) {
            add(&mut assembly, inner.line, inner.json, gaps);
        }
    });
    vec![assembly.finish()]
}

fn describe<'a>(assembly: &mut Assembly<'a>, meta: &Meta<'a>) {
    assembly.id(filled(meta.id));
    note(&mut assembly.session.parent, filled(meta.parent));
    assembly.root(meta.environment.object().and_then(|environment| filled(environment.cwd)));
    assembly.model(meta.config.object().and_then(|config| filled(config.model)));
    let attribution = &mut assembly.session.attribution;
    note(&mut attribution.commit, filled(meta.commit));
    note_each(&mut attribution.branches, filled(meta.branch));
    assembly.push(RecordLocation { line: 1, id: None, time: filled(meta.started) }, EventKind::Start);
    if let Some(stats) = meta.stats.object() {
        let mut counts = Counts::default();
        let cache_read = counts.of(stats.cached);
        let usage = Usage {
            input: counts.needed(stats.input).saturating_sub(cache_read),
            output: counts.needed(stats.output),
            cache_read,
            partial: counts.is_partial,
            ..Usage::default()
        };
        assembly.together(None, usage);
    }
}

fn add<'a>(assembly: &mut Assembly<'a>, line: u32, json: &'a str, gaps: &mut Gaps) {
    let (Some(message), Some(extra)) = (parse::<Message<'a>>(json), parse::<Extra<'a>>(json)) else {
        return gaps.malformed(line, "a message that is not readable");
    };
    let location = RecordLocation { line, id: filled(extra.id), time: None };
    assembly.model(filled(extra.model));
    if is_true(extra.injected) && is(message.role, "user") {
        return assembly.push(location, EventKind::Other);
    }
    let failed = text(message.content).is_some_and(|said| said.trim_start().starts_with("<tool_error>"));
    let outcome = if failed { Status::Error } else { Status::Ok };
    chat::add(assembly, &location, &message, &Manner { outcome, ..Manner::default() }, gaps);
}
