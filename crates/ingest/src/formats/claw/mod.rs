//! claw-code-agent: one document per session, with the list of messages as the API takes it.

mod history;

use std::borrow::Cow;

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, RecordLocation};
use crate::chat::{self, Manner, Message};
use crate::gaps::Gaps;
use crate::json::{Nested, filled, is, is_array, is_true, object, parse, record, text, whole};
use crate::reader::{Item, Reader};
use crate::settings;
use agent_strace_model::attribution::note_each;
use agent_strace_model::evidence::Counted;
use agent_strace_model::{Dialect, EventKind, Session, Status};

record! {
    /// A session. The number of calls beside its messages grows with every resumption: it is only compared.
    struct Document {
        id = "session_id",
        model = "model_config",
        runtime = "runtime_config",
        messages = "messages",
        usage = "usage",
        history = "file_history",
        calls = "tool_calls",
    }
}

record! {
    /// Also holds the key of the API in clear: that it does is told, what it is never read.
    struct Model { model = "model" }
}

record! {
    struct Runtime { cwd = "cwd", permissions: Nested<Permissions<'a>> = "permissions" }
}

record! {
    struct Permissions {
        write = "allow_file_write",
        shell = "allow_shell_commands",
        destructive = "allow_destructive_shell_commands",
    }
}

record! {
    struct Extra { id = "message_id", state = "state", metadata: Nested<Metadata<'a>> = "metadata" }
}

record! {
    /// What the agent itself notes about a message.
    struct Metadata {
        kind = "kind",
        action = "action",
        error = "error_kind",
        ok = "ok",
        phase = "phase",
        compacted = "compacted_message_ids",
        plugin_blocked = "plugin_blocked",
        policy_blocked = "hook_policy_blocked",
    }
}

record! {
    struct Answer { ok = "ok" }
}

/// claw-code-agent (`.port_sessions/agent/<id>.json`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("claw-code-agent", "claw-code-agent"),
    detect: Detect::Record(|head| {
        head.is_object("runtime_config")
            && head.is_object("model_config")
            && head.is_array("messages")
            && head.is_string("session_id")
    }),
    read,
    homes: &[Home { variables: &[], base: Base::Project, folder: ".port_sessions", logs: "agent/*.json" }],
};

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut sessions = Vec::new();
    input.records("the session", gaps, |item: &Item<'a, Document<'a>>, gaps| {
        sessions.push(session(input.session(&FORMAT.dialect), item, gaps));
    });
    sessions
}

fn session<'a>(mut assembly: Assembly<'a>, item: &Item<'a, Document<'a>>, gaps: &mut Gaps) -> Session<'a> {
    let document = &item.record;
    assembly.id(filled(document.id));
    assembly.model(object::<Model<'a>>(document.model).and_then(|model| filled(model.model)));
    if let Some(runtime) = object::<Runtime<'a>>(document.runtime) {
        assembly.root(filled(runtime.cwd));
        permissions(&mut assembly, &runtime);
    }
    for (name, part) in [("model_config", document.model), ("runtime_config", document.runtime)] {
        settings::look_through(&mut assembly.session.evidence, name, part);
    }
    match document.messages {
        Some(list) if is_array(Some(list)) => {
            let mut reader = Reader::of_field(item.json, item.line, list);
            while let Some(inner) = reader.next::<Message<'a>>(gaps) {
                add(&mut assembly, &inner, gaps);
            }
        }
        _ => gaps.malformed(item.line, "the messages of the session are not a list"),
    }
    if let Some(list) = document.history {
        history::add_missing(&mut assembly, item.json, item.line, list, gaps);
    }
    if let Some(usage) = chat::usage(document.usage) {
        assembly.together(None, usage);
    }
    let calls = assembly.session.calls().count();
    assembly.stated(Counted::ToolCalls, whole(document.calls), calls, true);
    assembly.finish()
}

/// What the agent was allowed to do, in the words of its configuration.
fn permissions(assembly: &mut Assembly<'_>, runtime: &Runtime<'_>) {
    let Some(permissions) = runtime.permissions.object() else { return };
    let modes = &mut assembly.session.attribution.permission_modes;
    for (value, name) in [
        (permissions.write, "allow_file_write"),
        (permissions.shell, "allow_shell_commands"),
        (permissions.destructive, "allow_destructive_shell_commands"),
    ] {
        if is_true(value) {
            note_each(modes, Some(Cow::Borrowed(name)));
        }
    }
}

fn add<'a>(assembly: &mut Assembly<'a>, item: &Item<'a, Message<'a>>, gaps: &mut Gaps) {
    let extra = parse::<Extra<'a>>(item.json).unwrap_or_default();
    let location = RecordLocation { line: item.line, id: filled(extra.id), time: None };
    let metadata = extra.metadata.object();
    let state = match extra.state {
        state if is(state, "tombstoned") => State::Removed,
        state if is(state, "streaming") => State::Streaming,
        _ => State::Whole,
    };
    if state == State::Removed {
        assembly.session.evidence.removed = assembly.session.evidence.removed.saturating_add(1);
    }
    let says = |value| text(value).is_some_and(|kind| kind.ends_with("compact_boundary"));
    if says(extra.state) || metadata.is_some_and(|metadata| says(metadata.kind)) {
        let evidence = &mut assembly.session.evidence;
        evidence.compactions = evidence.compactions.saturating_add(1);
        // The messages before it are gone: the boundary stands for them.
        evidence.removed = evidence.removed.saturating_add(1);
        return assembly.push(location, EventKind::Other);
    }
    let outcome = outcome(&item.record, metadata, state);
    chat::add(assembly, &location, &item.record, &Manner { outcome, ..Manner::default() }, gaps);
}

/// The state of a message that the log has begun.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Whole,
    /// Its end is not recorded.
    Streaming,
    /// It was taken out of the session.
    Removed,
}

/// The agent's own note outweighs the answer of the tool.
fn outcome(message: &Message<'_>, metadata: Option<&Metadata<'_>>, state: State) -> Status {
    if metadata.is_some_and(is_refused) {
        return Status::Denied;
    }
    let answer = text(message.content).unwrap_or_default();
    let ok = parse::<Answer<'_>>(&answer).and_then(|answer| answer.ok.map(|ok| ok.get() == "true"));
    match ok {
        _ if state == State::Streaming => Status::Interrupted,
        Some(false) => Status::Error,
        // The answer was taken out of the session: how the call ended is no longer known.
        None if state == State::Removed => Status::Missing,
        _ => Status::Ok,
    }
}

fn is_refused(metadata: &Metadata<'_>) -> bool {
    is(metadata.error, "permission_denied")
        || is_true(metadata.plugin_blocked)
        || is_true(metadata.policy_blocked)
        || text(metadata.action).is_some_and(|action| action == "plugin_block" || action == "hook_policy_block")
}
