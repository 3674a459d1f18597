//! Items: commands, changes of files, calls of servers and agents, and words.

use std::borrow::Cow;

use crate::assembly::{Assembly, RecordLocation, arguments};
use crate::gaps::Gaps;
use crate::json::{Raw, elements, filled, is, is_array, object, raw_text, record, text};
use agent_strace_model::evidence::Subagent;
use agent_strace_model::{Access, Arguments, EventKind, FileEvent, GapKind, RawText, Status, ToolCall, ToolResult};

record! {
    pub(super) struct Item {
        id = "id",
        kind = "type",
        // Before version 0.43.
        old_kind = "item_type",
        text = "text",
        command = "command",
        output = "aggregated_output",
        exit_code = "exit_code",
        status = "status",
        changes = "changes",
        server = "server",
        tool = "tool",
        arguments = "arguments",
        result = "result",
        error = "error",
        query = "query",
        action = "action",
        prompt = "prompt",
        receivers = "receiver_thread_ids",
    }
}

record! {
    struct Change { path = "path", kind = "kind", destination = "move_path" }
}

record! {
    struct ChangeKind { kind = "type", destination = "move_path" }
}

/// Adds what a report of an item says.
pub(super) fn add<'a>(
    assembly: &mut Assembly<'a>,
    location: RecordLocation<'a>,
    item: &Item<'a>,
    event: &str,
    gaps: &mut Gaps,
) {
    if let Some(key) = item.duplicate {
        gaps.twice(location.line, key, "an item");
    }
    let kind = text(item.kind).or_else(|| text(item.old_kind)).unwrap_or_default();
    let done = event == "item.completed";
    let location = RecordLocation { id: filled(item.id), ..location };
    match &*kind {
        "command_execution" => call(assembly, location, item, Cow::Borrowed("exec_command"), command(item), gaps),
        "mcp_tool_call" => {
            assembly.pass(item.result);
            let server = filled(item.server).unwrap_or_default();
            let tool = format!("mcp__{server}__{}", filled(item.tool).unwrap_or_default());
            call(assembly, location, item, Cow::Owned(tool), arguments(item.arguments), gaps);
        }
        // A search starts before its words are known.
        "web_search" if !done && is(item.query, "") => assembly.push(location, EventKind::Other),
        "web_search" => {
            let given = item.action.map_or_else(|| query(item), |action| arguments(Some(action)));
            call(assembly, location, item, Cow::Borrowed("web_search_call"), given, gaps);
        }
        "collab_tool_call" => collaboration(assembly, location, item, done, gaps),
        "file_change" => change(assembly, &location, item, done, gaps),
        "agent_message" | "assistant_message" if done => words(assembly, location, item, EventKind::Message),
        "reasoning" if done => words(assembly, location, item, EventKind::Reasoning),
        "agent_message" | "assistant_message" | "reasoning" | "todo_list" | "error" => {
            assembly.push(location, EventKind::Other);
        }
        _ => assembly.unknown(location),
    }
}

/// A patch: a call, and once it is applied, what it did to each file.
fn change<'a>(
    assembly: &mut Assembly<'a>,
    location: &RecordLocation<'a>,
    item: &Item<'a>,
    done: bool,
    gaps: &mut Gaps,
) {
    if item.changes.is_some() && !is_array(item.changes) {
        gaps.malformed(location.line, "the changes of files are not a list");
    }
    let changes = elements(item.changes);
    call(assembly, location.clone(), item, Cow::Borrowed("file_change"), patch(&changes), gaps);
    if !done || status(item) == Status::Denied {
        return;
    }
    for raw in changes {
        let change = object::<Change<'a>>(Some(raw)).unwrap_or_default();
        let (kind, destination) = kind(&change);
        let Some(path) = filled(change.path) else {
            gaps.malformed(location.line, "a change of a file without a path");
            continue;
        };
        let gone = destination.is_some() || kind == "delete";
        let access = if gone { Access::Delete } else { Access::Write };
        assembly.push(location.clone(), EventKind::File(FileEvent { access, target: path }));
        if let Some(target) = destination {
            assembly.push(location.clone(), EventKind::File(FileEvent { access: Access::Write, target }));
        }
    }
}

fn kind<'a>(change: &Change<'a>) -> (Cow<'a, str>, Option<Cow<'a, str>>) {
    match object::<ChangeKind<'a>>(change.kind) {
        Some(kind) => {
            (text(kind.kind).unwrap_or_default(), filled(kind.destination).or_else(|| filled(change.destination)))
        }
        None => (text(change.kind).unwrap_or_default(), filled(change.destination)),
    }
}

/// The patch that changes these files, without the lines it changes: they are not recorded.
fn patch<'a>(changes: &[Raw<'a>]) -> Arguments<'a> {
    let mut patch = String::from("*** Begin Patch\n");
    for change in changes.iter().filter_map(|raw| object::<Change<'_>>(Some(*raw))) {
        let (kind, destination) = kind(&change);
        let Some(path) = filled(change.path).filter(|path| !path.contains('\n')) else { continue };
        let verb = match &*kind {
            "add" => "Add",
            "delete" => "Delete",
            _ => "Update",
        };
        patch.push_str("*** ");
        patch.push_str(verb);
        patch.push_str(" File: ");
        patch.push_str(&path);
        patch.push('\n');
        if let Some(destination) = destination.filter(|path| !path.contains('\n')) {
            patch.push_str("*** Move to: ");
            patch.push_str(&destination);
            patch.push('\n');
        }
    }
    patch.push_str("*** End Patch");
    Arguments::Text(Cow::Owned(patch))
}

/// Tools whose first report is complete: a search starts before its words are known, and a patch may still grow.
fn is_compared(tool: &str) -> bool {
    !matches!(tool, "web_search_call" | "file_change")
}

const OTHER: &str = "two reports of one item name different things: both are judged";

/// Reports of one item that say the same are one call.
fn call<'a>(
    assembly: &mut Assembly<'a>,
    location: RecordLocation<'a>,
    item: &Item<'a>,
    tool: Cow<'a, str>,
    arguments: Arguments<'a>,
    gaps: &mut Gaps,
) {
    let id = filled(item.id);
    let status = status(item);
    if assembly.repeats(id.as_deref(), &tool, &arguments) {
        assembly.settle(status, id.clone());
    } else {
        let begun = id.as_deref().and_then(|id| assembly.call_of(id));
        if begun.is_some_and(|begun| begun.tool == tool && begun.status == Status::Missing && is_compared(&tool)) {
            gaps.push(Some(location.line), GapKind::Contradiction(OTHER.into()));
        }
        let call = ToolCall { call_id: id.clone(), tool, arguments, cwd: None, status, subagent: None };
        assembly.call(location.clone(), call, id.clone());
    }
    if status != Status::Missing
        && let Some(text) = item.output.or(item.result).or(item.error)
    {
        let is_error = status == Status::Error;
        assembly.push(location, EventKind::Result(ToolResult { call_id: id, text: raw_text(Some(text)), is_error }));
    }
}

fn status(item: &Item<'_>) -> Status {
    match text(item.status).as_deref() {
        Some("completed") if item.exit_code.is_none_or(|code| code.get() == "0") && item.error.is_none() => Status::Ok,
        Some("completed" | "failed") => Status::Error,
        Some("declined") => Status::Denied,
        Some("interrupted") => Status::Interrupted,
        _ => match item.exit_code {
            Some(code) if code.get() == "0" => Status::Ok,
            Some(_) => Status::Error,
            None => Status::Missing,
        },
    }
}

/// The command, wrapped in a shell as it was run.
fn command<'a>(item: &Item<'a>) -> Arguments<'a> {
    match item.command {
        Some(command) => Arguments::Json(Cow::Owned(format!("{{\"cmd\":{}}}", command.get()))),
        None => Arguments::Missing,
    }
}

fn query<'a>(item: &Item<'a>) -> Arguments<'a> {
    match item.query {
        Some(query) => Arguments::Json(Cow::Owned(format!("{{\"query\":{}}}", query.get()))),
        None => Arguments::Missing,
    }
}

/// A call of another agent: its tool is one of `spawn_agent`, `send_input`, `wait`, `close_agent`.
fn collaboration<'a>(
    assembly: &mut Assembly<'a>,
    location: RecordLocation<'a>,
    item: &Item<'a>,
    done: bool,
    gaps: &mut Gaps,
) {
    let tool = filled(item.tool).unwrap_or(Cow::Borrowed("collab_tool_call"));
    let spawns = is(item.tool, "spawn_agent");
    let given = match item.prompt {
        Some(prompt) => Arguments::Json(Cow::Owned(format!("{{\"message\":{}}}", prompt.get()))),
        None => Arguments::Json(Cow::Borrowed("{}")),
    };
    call(assembly, location, item, tool, given, gaps);
    let event = assembly.session.events.last().map_or(0, |event| event.number);
    // A script starts agents without a record: the first one of any is that the agent waits for them.
    if done && !spawns && assembly.session.evidence.subagents.is_empty() {
        let subagent = Subagent { event, id: None, call_id: filled(item.id), kind: None, calls: None };
        assembly.session.evidence.subagents.push(subagent);
    }
    if spawns && done {
        for receiver in elements(item.receivers) {
            let subagent =
                Subagent { event, id: filled(Some(receiver)), call_id: filled(item.id), kind: None, calls: None };
            assembly.session.evidence.subagents.push(subagent);
        }
    }
}

fn words<'a>(
    assembly: &mut Assembly<'a>,
    location: RecordLocation<'a>,
    item: &Item<'a>,
    kind: fn(RawText<'a>) -> EventKind<'a>,
) {
    match item.text {
        Some(words) => assembly.push(location, kind(RawText::Json(words.get()))),
        None => assembly.push(location, EventKind::Other),
    }
}
