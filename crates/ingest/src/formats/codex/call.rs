//! Calls in the shapes that Codex gives them.

use std::borrow::Cow;

use super::Rollout;
use super::item::Payload;
use super::script::{self, Argument};
use super::scripts::{self, Script};
use crate::assembly::RecordLocation;
use crate::json::{Raw, filled, is, object, record, text};
use crate::scan::is_json;
use agent_strace_model::{Arguments, Label, RecordRole, Status, ToolCall};

/// A call of one of the model's functions; its arguments are JSON inside a string.
pub(super) fn function<'a>(rollout: &mut Rollout<'a>, location: RecordLocation<'a>, item: &Payload<'a>) {
    label(rollout, item);
    add(rollout, location, filled(item.call_id), name(item), arguments(item.arguments.or(item.input)));
}

/// A call whose input is plain text: a patch, or a script that calls tools itself.
pub(super) fn custom<'a>(rollout: &mut Rollout<'a>, location: RecordLocation<'a>, item: &Payload<'a>) {
    let (tool, id) = (name(item), filled(item.call_id));
    let input = item.input.or(item.arguments);
    label(rollout, item);
    let source = if tool == "exec" { text(input) } else { None };
    let Some(source) = source else {
        return add(rollout, location, id, tool, arguments(input));
    };
    let script = script::read(&source);
    let mut run = Script::new(id.clone(), &script);
    // A script that may do more than its calls show can't be judged by them alone.
    let outer = if script.understood {
        Arguments::Text(source)
    } else {
        rollout.assembly.label(Label::Input(source));
        Arguments::Missing
    };
    add(rollout, location.clone(), id.clone(), tool, outer);
    rollout.assembly.origin.role = RecordRole::Aside;
    for (at, call) in script.calls.into_iter().enumerate() {
        let arguments = match call.argument {
            Argument::Json(json) => Arguments::Json(Cow::Owned(json)),
            Argument::Text(text) => Arguments::Text(Cow::Owned(text)),
            Argument::Unresolved => Arguments::Missing,
        };
        let link = id.as_deref().map(|id| Cow::Owned(nested_link(id, at)));
        let event = rollout.assembly.session.events.len();
        add(rollout, location.clone(), link, Cow::Owned(call.tool), arguments);
        // A call that was recorded before is no event.
        if let Some(call) = scripts::call_at(rollout, event) {
            run.add(event, call);
        }
    }
    rollout.scripts.start(run);
}

/// A call of a kind that this version does not know: it has a name and arguments.
pub(super) fn unknown<'a>(rollout: &mut Rollout<'a>, location: RecordLocation<'a>, item: &Payload<'a>) {
    rollout.assembly.count_unknown();
    let id = filled(item.call_id).or_else(|| filled(item.id));
    add(rollout, location, id, name(item), arguments(item.arguments.or(item.input).or(item.action)));
}

/// With its namespace a tool has a fuller name than its record gives it.
fn label<'a>(rollout: &mut Rollout<'a>, item: &Payload<'a>) {
    if let Some(name) = filled(item.name).filter(|_| item.namespace.is_some()) {
        rollout.assembly.label(Label::Name(name));
    }
}

fn nested_link(id: &str, at: usize) -> String {
    format!("{id}/{at}")
}

record! {
    struct Action { directory = "working_directory" }
}

/// The oldest way to run a command.
pub(super) fn local_shell<'a>(rollout: &mut Rollout<'a>, location: RecordLocation<'a>, item: &Payload<'a>) {
    rollout.assembly.origin.role = RecordRole::Aside;
    let outer = rollout.cwd.clone();
    if let Some(directory) = object::<Action<'a>>(item.action).and_then(|action| filled(action.directory)) {
        rollout.cwd = Some(directory);
    }
    let id = filled(item.call_id).or_else(|| filled(item.id));
    add(rollout, location, id, Cow::Borrowed("local_shell"), json(item.action));
    rollout.cwd = outer;
}

/// A tool that runs at the provider: its item is call and result in one.
pub(super) fn hosted<'a>(rollout: &mut Rollout<'a>, location: RecordLocation<'a>, item: &Payload<'a>, kind: &str) {
    rollout.assembly.origin.role = RecordRole::Aside;
    let id = filled(item.call_id).or_else(|| filled(item.id));
    let arguments = json(item.action.or(item.arguments).or(item.execution));
    let status = if is(item.status, "completed") { Status::Ok } else { Status::Missing };
    add_ended(rollout, location, id, Cow::Owned(kind.to_owned()), arguments, status);
}

fn add<'a>(
    rollout: &mut Rollout<'a>,
    location: RecordLocation<'a>,
    id: Option<Cow<'a, str>>,
    tool: Cow<'a, str>,
    arguments: Arguments<'a>,
) {
    add_ended(rollout, location, id, tool, arguments, Status::Missing);
}

fn add_ended<'a>(
    rollout: &mut Rollout<'a>,
    location: RecordLocation<'a>,
    id: Option<Cow<'a, str>>,
    tool: Cow<'a, str>,
    arguments: Arguments<'a>,
    status: Status,
) {
    // Resuming replays a call. The same id with other content is another call.
    let repeats = |known: &ToolCall<'_>| known.tool == tool && same(&known.arguments, &arguments);
    if let Some(id) = &id
        && rollout.assembly.call_of(id).is_some_and(repeats)
    {
        if rollout.assembly.origin.role == RecordRole::Primary {
            rollout.assembly.repeat(location, id);
        }
        return;
    }
    let cwd = rollout.cwd.clone();
    let call = ToolCall { call_id: id.clone(), tool, arguments, cwd, status, subagent: None };
    rollout.assembly.call(location, call, id);
}

fn same(left: &Arguments<'_>, right: &Arguments<'_>) -> bool {
    match (left, right) {
        (Arguments::Json(left), Arguments::Json(right)) | (Arguments::Text(left), Arguments::Text(right)) => {
            left == right
        }
        (Arguments::Missing, Arguments::Missing) => true,
        _ => false,
    }
}

/// `name`, or `namespace.name`; a server's tools keep the name they have everywhere, `mcp__server__tool`.
fn name<'a>(item: &Payload<'a>) -> Cow<'a, str> {
    let name = filled(item.name).unwrap_or(Cow::Borrowed(""));
    match filled(item.namespace) {
        Some(server) if server.starts_with("mcp__") => Cow::Owned(format!("{}__{name}", server.trim_end_matches("__"))),
        Some(namespace) => Cow::Owned(format!("{namespace}.{name}")),
        None => name,
    }
}

fn arguments(value: Option<Raw<'_>>) -> Arguments<'_> {
    match text(value) {
        Some(text) if text.is_empty() => Arguments::Missing,
        Some(text) => {
            let is_json = text.trim_start().starts_with(['{', '[']) && is_json(&text);
            if is_json { Arguments::Json(text) } else { Arguments::Text(text) }
        }
        None => json(value),
    }
}

fn json(value: Option<Raw<'_>>) -> Arguments<'_> {
    value.map_or(Arguments::Missing, |raw| Arguments::Json(Cow::Borrowed(raw.get())))
}
