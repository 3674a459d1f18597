//! Scripts of code mode: what was read of them, and what the host says that they ran.
//!
//! The text of a script tells which tools it calls, but not always with what (loops, templates, computed texts). The
//! host tells of each call that ran as an item. An item is joined to the call that it is of, and stands in for calls
//! whose arguments only the running script knew.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::Value;

use super::ran::Reported;
use super::said::Command;
use super::{Rollout, patch, said, script};
use crate::assembly::RecordLocation;
use agent_strace_model::{Arguments, EventKind, RecordRole, ToolCall};

/// The scripts of a log, in order.
#[derive(Debug, Default)]
pub(super) struct Scripts<'a> {
    pub(super) all: Vec<Script<'a>>,
    /// Those that may still run.
    running: Vec<usize>,
    by_id: HashMap<Cow<'a, str>, usize>,
    /// Refusals of tools of servers, by their scripts, that only what the host tells later can prove.
    pub(super) doubtful: Vec<(RecordLocation<'a>, usize, String)>,
    /// Those that run on after their call, by the name that the host gives them.
    by_cell: HashMap<String, usize>,
}

impl<'a> Scripts<'a> {
    pub(super) fn start(&mut self, script: Script<'a>) {
        let at = self.all.len();
        if let Some(id) = &script.id {
            self.by_id.insert(id.clone(), at);
        }
        self.running.push(at);
        self.all.push(script);
    }

    pub(super) fn of_call(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// A script runs on in the background.
    pub(super) fn runs_on(&mut self, at: usize, cell: &str) {
        self.by_cell.insert(cell.to_owned(), at);
    }

    pub(super) fn in_cell(&self, cell: &str) -> Option<usize> {
        self.by_cell.get(cell).copied()
    }

    /// A script ended, with the record in this row.
    pub(super) fn end(&mut self, at: usize, row: u32) {
        self.running.retain(|running| *running != at);
        if let Some(script) = self.all.get_mut(at) {
            script.ended = Some(row);
        }
    }
}

/// Scripts that are looked through for the call that an item is of.
const LOOKED_THROUGH: usize = 64;

pub(super) const PATCH: &str = "apply_patch";

/// A script that ran.
#[derive(Debug)]
pub(super) struct Script<'a> {
    id: Option<Cow<'a, str>>,
    pub(super) calls: Vec<Nested>,
    /// The record of its output.
    pub(super) ended: Option<u32>,
    /// Only the host can have raised the error that it failed with.
    pub(super) host_raises: bool,
    /// Only the host can have written a message into its output.
    pub(super) host_speaks: bool,
}

#[derive(Debug)]
pub(super) struct Nested {
    /// Index of its event.
    pub(super) event: usize,
    /// The text of the script tells its arguments.
    pub(super) is_resolved: bool,
    /// A digest of those, where they can be compared as one text.
    said: Option<u64>,
    /// The host's report of it.
    pub(super) items: u32,
}

impl<'a> Script<'a> {
    pub(super) fn new(id: Option<Cow<'a, str>>, read: &script::Script) -> Self {
        Self { id, calls: Vec::new(), ended: None, host_raises: read.host_raises, host_speaks: read.host_speaks }
    }

    /// A call was read of it and is the event at this index.
    pub(super) fn add(&mut self, event: usize, call: &ToolCall<'_>) {
        let is_resolved = !matches!(call.arguments, Arguments::Missing);
        self.calls.push(Nested { event, is_resolved, said: said(call, None), items: 0 });
    }
}

pub(super) fn call_at<'s, 'a>(rollout: &'s Rollout<'a>, event: usize) -> Option<&'s ToolCall<'a>> {
    match &rollout.assembly.session.events.get(event)?.kind {
        EventKind::Call(call) => Some(call),
        _ => None,
    }
}

pub(super) fn runs_commands(tool: &str) -> bool {
    matches!(tool, "exec_command" | "shell_command" | "shell" | "local_shell")
}

/// Whether both names are of one tool.
fn same_tool(asked: &str, told: &str) -> bool {
    asked == told || runs_commands(asked) && runs_commands(told)
}

/// A digest of what a call says: the line of a command, or the arguments of a tool. Patches have none: the host reports
/// the files that they change, and not their text.
fn said(call: &ToolCall<'_>, ran: Option<&Command<'_>>) -> Option<u64> {
    let text = match &call.arguments {
        arguments if runs_commands(&call.tool) => match ran {
            Some(ran) => said::said(ran.text),
            None => said::asked(arguments),
        }?,
        Arguments::Json(json) if call.tool != PATCH => serde_json::from_str::<Value>(json).ok()?.to_string(),
        _ => return None,
    };
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    Some(hasher.finish())
}

/// Whether a call that the script's text spells is the one that was reported.
fn is_same(asked: &ToolCall<'_>, told: &Reported<'_>) -> bool {
    if !same_tool(&asked.tool, &told.call.tool) {
        return false;
    }
    match &told.ran {
        Some(ran) => said::asked(&asked.arguments).is_some_and(|line| said::said(ran.text).as_ref() == Some(&line)),
        None if asked.tool == PATCH => patch::is_same(&asked.arguments, &told.call.arguments),
        None => said::same_json(&asked.arguments, &told.call.arguments),
    }
}

/// The call that an item is of, as the place of a script and of the call in it: one that the text of a script spells, or
/// one that a script computed that runs.
fn call_of(rollout: &Rollout<'_>, told: &Reported<'_>) -> Option<(usize, usize)> {
    let Scripts { all, running, .. } = &rollout.scripts;
    let running = || running.iter().copied().take(LOOKED_THROUGH);
    // A command may end long after its script.
    let ended =
        (0..all.len()).rev().take(LOOKED_THROUGH).filter(|at| all.get(*at).is_some_and(|run| run.ended.is_some()));
    let digest = said(&told.call, told.ran.as_ref());
    let is_open = |nested: &Nested| nested.is_resolved && nested.items == 0 && nested.said == digest;
    let spelled = |at: usize| {
        let is_its = |nested: &Nested| call_at(rollout, nested.event).is_some_and(|asked| is_same(asked, told));
        let calls = all.get(at)?.calls.iter().enumerate();
        let mut open = calls.filter(|(_, nested)| is_open(nested)).take(LOOKED_THROUGH);
        Some((at, open.find(|(_, nested)| is_its(nested))?.0))
    };
    // Items do not name their script: each script that runs gets one, before any gets a second.
    let computed = |most: u32| {
        move |at: usize| {
            let is_its = |nested: &Nested| {
                let is_tool = |asked: &ToolCall<'_>| same_tool(&asked.tool, &told.call.tool);
                !nested.is_resolved && nested.items <= most && call_at(rollout, nested.event).is_some_and(is_tool)
            };
            Some((at, all.get(at)?.calls.iter().position(is_its)?))
        }
    };
    let found = running().find_map(spelled).or_else(|| ended.into_iter().find_map(spelled));
    found.or_else(|| running().find_map(computed(0))).or_else(|| running().find_map(computed(u32::MAX)))
}

/// Joins what the host reports to a call of a script; what belongs to none is handed back.
pub(super) fn join<'a>(rollout: &mut Rollout<'a>, told: Reported<'a>) -> Option<Reported<'a>> {
    let Some((script, nested)) = call_of(rollout, &told) else { return Some(told) };
    let Some(nested) = rollout.scripts.all.get_mut(script).and_then(|script| script.calls.get_mut(nested)) else {
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
