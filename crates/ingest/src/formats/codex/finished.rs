//! How scripts of code mode ended, and what their output says of calls that the host does not tell of.

use std::borrow::Cow;

use super::outcome::{self, Block};
use super::scripts::{Nested, PATCH, Script, call_at, runs_commands};
use super::{Rollout, said};
use crate::assembly::RecordLocation;
use crate::json::{Raw, elements, filled, object, parse, record, text};
use agent_strace_model::{Arguments, RecordRole, Status, ToolCall};

record! {
    struct Printed { code = "exit_code", time = "wall_time_seconds" }
}

record! {
    struct Part { text = "text" }
}

record! {
    struct Wait { cell = "cell_id" }
}

/// The texts of a script's output: the host's own words, and what the script printed.
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

/// The script whose output this is: that of its call, or of a call that waited for it.
fn script_of(rollout: &Rollout<'_>, id: &str) -> Option<usize> {
    let waited_for = || {
        let call = rollout.assembly.call_of(id).filter(|call| call.tool == "wait")?;
        let Arguments::Json(json) = &call.arguments else { return None };
        rollout.scripts.in_cell(&filled(parse::<Wait<'_>>(json)?.cell)?)
    };
    rollout.scripts.of_call(id).or_else(waited_for)
}

/// The output of a script: what is known by it of calls that the host does not tell of.
pub(super) fn ended<'a>(
    rollout: &mut Rollout<'a>,
    location: &RecordLocation<'a>,
    id: &str,
    status: Status,
    output: Option<Raw<'a>>,
) {
    let Some(at) = script_of(rollout, id) else { return };
    let texts = texts(output);
    for block in refusals(rollout, at, status, &texts) {
        match block {
            // A server could have answered with these words: the host has to be one that tells of what reached a server.
            Block::Tool(name) if !rollout.tells_items => {
                rollout.scripts.doubtful.push((location.clone(), at, name.to_owned()));
            }
            block => refuse(rollout, location, at, &block),
        }
    }
    let words = texts.first().map(|text| &**text).unwrap_or_default();
    if let Some(cell) = words.strip_prefix("Script running with cell ID ") {
        return rollout.scripts.runs_on(at, cell.lines().next().unwrap_or_default().trim());
    }
    rollout.scripts.end(at, rollout.rows);
    settle(rollout, at, status, &texts);
}

/// How the calls ended that the host does not tell of.
fn settle(rollout: &mut Rollout<'_>, at: usize, status: Status, texts: &[Cow<'_, str>]) {
    let Some(script) = rollout.scripts.all.get(at) else { return };
    let open = script.calls.iter().filter(|nested| nested.items == 0).map(|nested| nested.event);
    let open: Vec<(usize, String)> =
        open.filter_map(|event| Some((event, call_at(rollout, event)?.tool.to_string()))).collect();
    let codes = printed(texts);
    let commands = open.iter().filter(|(_, tool)| runs_commands(tool)).count();
    let patches = open.iter().filter(|(_, tool)| tool == PATCH).count();
    let failed = texts.iter().filter(|text| outcome::failed(text)).count();
    let mut codes = if codes.len() == commands { codes } else { Vec::new() }.into_iter();
    for (event, tool) in open {
        let now = match status {
            // A command that fails raises no error in its script.
            Status::Ok if runs_commands(&tool) => codes.next().unwrap_or(Status::Missing),
            // The host would tell of a patch that changed something, and of a call that reached a server.
            Status::Ok if rollout.tells_items && tool == PATCH && failed >= patches => Status::Error,
            Status::Ok if rollout.tells_items && (tool == PATCH || tool.starts_with("mcp__")) => Status::Missing,
            status => status,
        };
        rollout.assembly.end(event, now);
    }
}

/// The refusals of hooks in the output of a script, where only the host can have written them.
fn refusals<'t>(rollout: &Rollout<'_>, at: usize, status: Status, texts: &'t [Cow<'_, str>]) -> Vec<Block<'t>> {
    let Some(script) = rollout.scripts.all.get(at) else { return Vec::new() };
    // A host that tells of items tells of the calls that ran.
    let raises = script.host_speaks || script.host_raises && rollout.tells_items;
    let raised = texts.last().filter(|_| status == Status::Error && raises);
    let raised = raised.and_then(|text| text.strip_prefix("Script error:\n")).and_then(outcome::blocked);
    let said = || texts.iter().filter_map(|text| outcome::blocked(text));
    // Each call has one result or one error.
    let speaks = script.host_speaks && said().count() + printed(texts).len() <= script.calls.len();
    let said = said().filter(|_| speaks);
    said.chain(raised).filter(|block| is_of_the_host(rollout, script, block)).collect()
}

/// Returns whether no server can have answered with these words.
fn is_of_the_host(rollout: &Rollout<'_>, script: &Script<'_>, block: &Block<'_>) -> bool {
    let tools = script.calls.iter().filter_map(|nested| call_at(rollout, nested.event)).map(|call| &*call.tool);
    let answers = |tool: &&str| !runs_commands(tool) && *tool != PATCH && !outcome::answers_itself(tool);
    match block {
        Block::Command(_) => tools.filter(answers).count() == 0,
        // The host tells of a call that reached its server.
        Block::Tool(_) => tools.filter(answers).count() <= 1,
    }
}

/// The call of a script that a hook refused: the one that the host names, or the next one that did not run.
fn refuse<'a>(rollout: &mut Rollout<'a>, location: &RecordLocation<'a>, at: usize, block: &Block<'_>) {
    let Some(script) = rollout.scripts.all.get(at) else { return };
    let is_of_tool = |nested: &Nested| call_at(rollout, nested.event).is_some_and(|call| block.is_of(&call.tool));
    let spelled = script.calls.iter().position(|nested| {
        let names = || call_at(rollout, nested.event).is_some_and(|call| names(block, call));
        nested.is_resolved && nested.items == 0 && names()
    });
    let computed = |most: u32| {
        script.calls.iter().position(|nested| !nested.is_resolved && nested.items <= most && is_of_tool(nested))
    };
    let Some(nested) = spelled.or_else(|| computed(0)).or_else(|| computed(u32::MAX)) else { return };
    let Some(nested) = rollout.scripts.all.get_mut(at).and_then(|script| script.calls.get_mut(nested)) else { return };
    // What ran later under the same text is another call.
    nested.items += 1;
    let (event, is_first, is_resolved) = (nested.event, nested.items == 1, nested.is_resolved);
    if is_resolved {
        return rollout.assembly.end(event, Status::Denied);
    }
    let Some(call) = call_at(rollout, event) else { return };
    let attempt =
        ToolCall { call_id: None, arguments: block.arguments(&call.tool), status: Status::Denied, ..call.clone() };
    if is_first {
        rollout.assembly.replace(event, attempt);
    } else {
        rollout.assembly.origin.role = RecordRole::Aside;
        rollout.assembly.call(location.clone(), attempt, None);
    }
}

/// Returns whether a refusal names the call that a script spells.
fn names(block: &Block<'_>, call: &ToolCall<'_>) -> bool {
    match block {
        Block::Command(line) if runs_commands(&call.tool) => {
            said::asked(&call.arguments).is_some_and(|asked| asked == line.trim())
        }
        Block::Command(text) => matches!(&call.arguments, Arguments::Text(asked) if asked.trim() == text.trim()),
        Block::Tool(name) => call.tool == *name,
    }
}

impl Block<'_> {
    /// Returns whether a call of this tool may be the one that was refused.
    fn is_of(&self, tool: &str) -> bool {
        match self {
            Block::Command(text) if text.trim_start().starts_with("*** Begin Patch") => tool == PATCH,
            Block::Command(_) => runs_commands(tool) || tool == PATCH,
            Block::Tool(name) => tool == *name,
        }
    }

    /// The arguments that the host names, as a call of this tool has them.
    fn arguments<'a>(&self, tool: &str) -> Arguments<'a> {
        match self {
            Block::Command(line) if runs_commands(tool) => {
                Arguments::Json(Cow::Owned(format!("{{\"cmd\":{}}}", serde_json::Value::from((*line).to_owned()))))
            }
            Block::Command(text) => Arguments::Text(Cow::Owned((*text).to_owned())),
            Block::Tool(_) => Arguments::Missing,
        }
    }
}

/// Refusals that are proven by what the host told later.
pub(super) fn late(rollout: &mut Rollout<'_>) {
    let doubtful = std::mem::take(&mut rollout.scripts.doubtful);
    for (location, at, name) in doubtful.into_iter().filter(|_| rollout.tells_items).collect::<Vec<_>>() {
        refuse(rollout, &location, at, &Block::Tool(&name));
    }
}

/// A script that computed its calls and has no turn's end after it may have started more than the host tells of, and so may
/// one of whose call the host tells only that it began.
pub(super) fn unproven(rollout: &mut Rollout<'_>) {
    rollout.assembly.origin.role = RecordRole::Aside;
    let is_proven = |script: &Script<'_>| script.ended.is_some_and(|row| row < rollout.completed);
    let is_open = |nested: &Nested| call_at(rollout, nested.event).is_some_and(|call| call.status == Status::Missing);
    let unproven = rollout.scripts.all.iter().flat_map(|script| {
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
