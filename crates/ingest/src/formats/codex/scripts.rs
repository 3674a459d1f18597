//! Scripts of code mode: what was read of them, and what the host says that they ran.
//!
//! The text of a script tells which tools it calls, but not always with what (loops, templates, computed texts). The
//! host tells of each call that ran as an item. An item is joined to the call that it is of, and stands in for calls
//! whose arguments only the running script knew.

use std::borrow::Cow;

use super::ran::Reported;
use super::said::Command;
use super::{Rollout, outcome, patch, said};
use crate::assembly::RecordLocation;
use crate::json::{Raw, elements, object, parse, record, text};
use agent_strace_model::{Arguments, EventKind, RecordRole, Status, ToolCall};

/// A script that ran.
#[derive(Debug)]
pub(super) struct Script<'a> {
    id: Option<Cow<'a, str>>,
    calls: Vec<Nested>,
    /// The record of its output.
    ended: Option<u32>,
    /// Only the host can have written the error that it failed with.
    host_raises: bool,
}

#[derive(Debug)]
struct Nested {
    /// Index of its event.
    event: usize,
    /// The text of the script tells its arguments.
    is_resolved: bool,
    /// Items that are of it.
    items: u32,
}

/// Names through which a script could raise an error in its own words.
const RAISES: [&str; 19] = [
    "throw",
    "Error",
    "Exception",
    "reject",
    "raise",
    "assert",
    "Promise",
    "then",
    "catch",
    "mcp__",
    "=>",
    "function",
    "class",
    "new ",
    "get ",
    "Symbol",
    "import",
    "eval",
    "toString",
];

impl<'a> Script<'a> {
    pub(super) fn new(id: Option<Cow<'a, str>>, source: &str, is_understood: bool) -> Self {
        let host_raises = is_understood && !RAISES.iter().any(|name| source.contains(name));
        Self { id, calls: Vec::new(), ended: None, host_raises }
    }

    /// A call was read of it and is the event at this index.
    pub(super) fn add(&mut self, event: usize, is_resolved: bool) {
        self.calls.push(Nested { event, is_resolved, items: 0 });
    }
}

fn call_at<'s, 'a>(rollout: &'s Rollout<'a>, event: usize) -> Option<&'s ToolCall<'a>> {
    match &rollout.assembly.session.events.get(event)?.kind {
        EventKind::Call(call) => Some(call),
        _ => None,
    }
}

fn runs_commands(tool: &str) -> bool {
    matches!(tool, "exec_command" | "shell_command" | "shell" | "local_shell")
}

/// Whether both names are of one tool.
fn same_tool(asked: &str, told: &str) -> bool {
    asked == told || runs_commands(asked) && runs_commands(told)
}

/// Whether a call that the script's text spells is the one that was reported.
fn is_same(asked: &ToolCall<'_>, told: &Reported<'_>) -> bool {
    if !same_tool(&asked.tool, &told.call.tool) {
        return false;
    }
    match &told.ran {
        Some(ran) => said::asked(&asked.arguments).is_some_and(|line| said::said(ran.text).as_ref() == Some(&line)),
        None if asked.tool == "apply_patch" => patch::is_same(&asked.arguments, &told.call.arguments),
        None => said::same_json(&asked.arguments, &told.call.arguments),
    }
}

/// Joins what the host reports to a call of a script; what belongs to none is handed back.
pub(super) fn join<'a>(rollout: &mut Rollout<'a>, told: Reported<'a>) -> Option<Reported<'a>> {
    let found = rollout.scripts.iter().enumerate().find_map(|(script, run)| {
        let spelled = run.calls.iter().enumerate().find(|(_, nested)| {
            let asked = call_at(rollout, nested.event).filter(|_| nested.is_resolved && nested.items == 0);
            asked.is_some_and(|asked| is_same(asked, &told))
        });
        spelled.map(|(nested, _)| (script, nested))
    });
    let computed = || {
        let script = rollout.scripts.iter().rposition(|script| script.ended.is_none())?;
        let calls = &rollout.scripts.get(script)?.calls;
        let is_open = |nested: &Nested| {
            !nested.is_resolved
                && call_at(rollout, nested.event).is_some_and(|asked| same_tool(&asked.tool, &told.call.tool))
        };
        Some((script, calls.iter().position(is_open)?))
    };
    let Some((script, nested)) = found.or_else(computed) else { return Some(told) };
    let Some(nested) = rollout.scripts.get_mut(script).and_then(|script| script.calls.get_mut(nested)) else {
        return Some(told);
    };
    nested.items += 1;
    let (event, is_first, is_resolved) = (nested.event, nested.items == 1, nested.is_resolved);
    if is_first {
        let told_again = told.clone();
        let Reported { call, .. } = told;
        let status = call.status;
        let asked = rollout.assembly.identify(event, call.call_id)?;
        asked.status = status;
        if is_resolved {
            // Whoever compares both sees whether it ran elsewhere.
            return told_again.ran.as_ref().is_some_and(|ran| said::differs(asked, ran)).then_some(told_again);
        }
        asked.arguments = spelled(call.arguments, told_again.ran.as_ref());
        asked.cwd = call.cwd.or_else(|| asked.cwd.take());
        // Its record is now the one that tells what it ran.
        if let Some(event) = rollout.assembly.session.events.get_mut(event) {
            (event.line, event.time) = (told_again.location.line, told_again.location.time);
        }
    } else {
        let Reported { location, call, ran } = told;
        let origin = rollout.assembly.origin;
        rollout.assembly.origin.role = RecordRole::Aside;
        let tool = call_at(rollout, event).map_or(call.tool, |asked| asked.tool.clone());
        let link = call.call_id.clone();
        let arguments = spelled(call.arguments, ran.as_ref());
        rollout.assembly.call(location, ToolCall { tool, arguments, ..call }, link);
        rollout.assembly.origin = origin;
    }
    None
}

/// The arguments that a script would have spelled: the host wraps a command line in a shell.
fn spelled<'a>(told: Arguments<'a>, ran: Option<&Command<'a>>) -> Arguments<'a> {
    match ran.and_then(|ran| said::line(ran.text)) {
        Some(line) => Arguments::Json(Cow::Owned(format!("{{\"cmd\":{}}}", serde_json::Value::from(line)))),
        None => told,
    }
}

record! {
    struct Printed { code = "exit_code", time = "wall_time_seconds" }
}

record! {
    struct Part { text = "text" }
}

/// The texts of a script's output.
fn texts(output: Option<Raw<'_>>) -> Vec<Cow<'_, str>> {
    match text(output) {
        Some(text) => vec![text],
        None => elements(output).into_iter().filter_map(|part| text(object::<Part<'_>>(Some(part))?.text)).collect(),
    }
}

/// How commands ended whose result objects the script printed, in order.
fn printed(texts: &[Cow<'_, str>]) -> Vec<Status> {
    let code = |text: &str| {
        let result = parse::<Printed<'_>>(text.trim())?;
        let code = result.code?;
        result.time.map(|_| if code.get() == "0" { Status::Ok } else { Status::Error })
    };
    texts.iter().filter_map(|text| code(text)).collect()
}

/// A script ended: what is known of its calls that the host does not tell of.
pub(super) fn ended<'a>(
    rollout: &mut Rollout<'a>,
    location: &RecordLocation<'a>,
    id: &str,
    status: Status,
    output: Option<Raw<'a>>,
) {
    let Some(at) = rollout.scripts.iter().rposition(|script| script.id.as_deref() == Some(id)) else { return };
    let Some(script) = rollout.scripts.get_mut(at) else { return };
    script.ended = Some(rollout.rows);
    let host_raises = script.host_raises;
    let open: Vec<usize> = script.calls.iter().filter(|nested| nested.items == 0).map(|nested| nested.event).collect();
    let texts = texts(output);
    let codes = printed(&texts);
    let is_command = |event: &usize| call_at(rollout, *event).is_some_and(|call| runs_commands(&call.tool));
    let commands: Vec<usize> = open.iter().copied().filter(|event| is_command(event)).collect();
    for event in open {
        let nth = commands.iter().position(|command| *command == event);
        let known = nth.filter(|_| codes.len() == commands.len()).and_then(|nth| codes.get(nth)).copied();
        let now = match (status, nth) {
            // A command that fails raises no error in its script.
            (Status::Ok, Some(_)) => known.unwrap_or(Status::Missing),
            (status, _) => status,
        };
        rollout.assembly.end(event, now);
    }
    if status == Status::Error && host_raises && rollout.tells_items {
        let block = texts.last().and_then(|text| text.strip_prefix("Script error:\n")).and_then(outcome::blocked);
        if let Some(block) = block {
            refuse(rollout, location, at, &block);
        }
    }
}

/// The call of a script that a hook refused: the one that the host names, or the next one that did not run.
fn refuse<'a>(rollout: &mut Rollout<'a>, location: &RecordLocation<'a>, script: usize, block: &outcome::Block<'_>) {
    let Some(script) = rollout.scripts.get(script) else { return };
    let names = |nested: &&Nested| {
        let Some(call) = call_at(rollout, nested.event) else { return false };
        match block {
            outcome::Block::Command(line) if runs_commands(&call.tool) => {
                said::asked(&call.arguments).is_some_and(|asked| asked == line.trim())
            }
            outcome::Block::Command(text) => {
                matches!(&call.arguments, Arguments::Text(asked) if asked.trim() == text.trim())
            }
            outcome::Block::Tool(name) => call.tool == *name,
        }
    };
    let spelled = script.calls.iter().filter(|nested| nested.is_resolved && nested.items == 0).find(names);
    if let Some(spelled) = spelled {
        return rollout.assembly.end(spelled.event, Status::Denied);
    }
    let is_open = |nested: &&Nested| {
        let tool = call_at(rollout, nested.event).map(|call| &*call.tool).unwrap_or_default();
        !nested.is_resolved
            && match block {
                outcome::Block::Command(_) => runs_commands(tool) || tool == "apply_patch",
                outcome::Block::Tool(name) => tool == *name,
            }
    };
    let Some(open) = script.calls.iter().find(is_open) else { return };
    let (event, is_first) = (open.event, open.items == 0);
    let Some(call) = call_at(rollout, event) else { return };
    let arguments = match block {
        outcome::Block::Command(line) if runs_commands(&call.tool) => {
            Arguments::Json(Cow::Owned(format!("{{\"cmd\":{}}}", serde_json::Value::from(line.to_string()))))
        }
        outcome::Block::Command(text) => Arguments::Text(Cow::Owned(text.to_string())),
        outcome::Block::Tool(_) => Arguments::Missing,
    };
    let attempt = ToolCall { call_id: None, arguments, status: Status::Denied, ..call.clone() };
    if is_first {
        rollout.assembly.replace(event, attempt);
    } else {
        rollout.assembly.origin.role = RecordRole::Aside;
        rollout.assembly.call(location.clone(), attempt, None);
    }
}

/// A script that computed its calls and has no turn's end after it may have started more than the host tells of, and so may
/// one of whose call the host tells only that it began.
pub(super) fn unproven(rollout: &mut Rollout<'_>) {
    rollout.assembly.origin.role = RecordRole::Aside;
    let is_proven = |script: &Script<'_>| script.ended.is_some_and(|row| row < rollout.completed);
    let is_open = |nested: &Nested| call_at(rollout, nested.event).is_some_and(|call| call.status == Status::Missing);
    let unproven = rollout.scripts.iter().flat_map(|script| {
        let is_proven = is_proven(script);
        script.calls.iter().filter(move |nested| !is_proven || is_open(nested))
    });
    let computed = unproven.filter(|nested| !nested.is_resolved && nested.items > 0).map(|nested| nested.event);
    for event in computed.collect::<Vec<_>>() {
        let Some(call) = call_at(rollout, event).cloned() else { continue };
        let Some(line) = rollout.assembly.session.events.get(event).map(|event| event.line) else { continue };
        let call = ToolCall { call_id: None, arguments: Arguments::Missing, status: Status::Missing, ..call };
        rollout.assembly.call(RecordLocation { line, ..RecordLocation::default() }, call, None);
    }
}
