//! A tool call → effects, except for what shell text does: one registry of every agent's tools, as data.

mod clues;
mod commands;
mod files;
pub(crate) mod globs;
mod languages;
mod mcp;
mod mentions;
mod names;
mod network;
mod plans;
mod registry;
mod run;
mod search;
mod skills;
mod sql;
mod unknown;
mod value;

use std::sync::Arc;

use agent_strace_model::{Arguments, Scripts, Shell, ShellLanguage, ToolCall};

use super::world::Terminal;
use super::{About, Certainty, Effects, Kind, Reason, World, command, patch};
use registry::{Action, Entry, REGISTRY};
use run::Run;
pub(crate) use run::elision;
use value::{Object, Value};

/// Arguments, decoded.
#[derive(Debug)]
enum Given {
    Object(Object),
    Text(String),
    /// Missing, null, or of a type that is no tool's.
    Nothing,
}

/// What a call did.
#[derive(Debug)]
pub(super) struct CallEffects {
    pub(super) effects: Effects,
    /// The text that spans are counted in.
    pub(super) text: Option<Arc<str>>,
    /// The text of the whole command, where the call names one.
    pub(super) raw: Option<Arc<str>>,
}

/// What one call did. `world` ends up as the call leaves it.
pub(super) fn run(tool: &str, arguments: &Arguments<'_>, scripts: Scripts, world: &mut World) -> CallEffects {
    let shells = run::Shells { posix: command::run, powershell: command::run_powershell, cmd: command::run_cmd };
    run_with(shells, tool, arguments, scripts, world)
}

fn run_with(
    shells: run::Shells,
    tool: &str,
    arguments: &Arguments<'_>,
    scripts: Scripts,
    world: &mut World,
) -> CallEffects {
    let given = given(arguments);
    let mut run = Run { world, shells, scripts, text: None, effects: Effects::default() };
    call(&mut run, tool, &given);
    let raw = raw_command(&given, run.text.as_ref());
    CallEffects { effects: run.effects, text: run.text, raw }
}

/// The first of the arguments for a command that is a text, or a list of words.
fn raw_command(given: &Given, text: Option<&Arc<str>>) -> Option<Arc<str>> {
    let object = given.object()?;
    ["command", "cmd"].iter().find_map(|name| {
        // Of one that stands twice the last one counts.
        let (_, value) = object.iter().rev().find(|(key, _)| key == name)?;
        match value {
            Value::Text(raw) if raw.trim().is_empty() => None,
            Value::Text(raw) => {
                Some(text.filter(|text| ***text == **raw).map_or_else(|| raw.as_str().into(), Arc::clone))
            }
            Value::List(_) => commands::words(value).map(|words| words.join(" ").into()),
            _ => None,
        }
    })
}

fn call(run: &mut Run<'_>, tool: &str, given: &Given) {
    let name = names::unwrapped(tool);
    match REGISTRY.find(name).or_else(|| REGISTRY.find(tool)) {
        Some(entry) => known(run, tool, entry, given),
        None => match names::mcp(name, mcp::server_names()) {
            Some((server, tool)) => mcp::call(run, &server, &tool, given),
            None => unknown::call(run, tool, given),
        },
    }
}

/// `{"tool_uses": [{"recipient_name": "functions.shell", "parameters": {…}}]}`: calls within a call.
fn several(run: &mut Run<'_>, entry: &Entry, object: &Object) {
    let (mut any, before) = (false, run.effects.len());
    let inner = object.iter().flat_map(|(_, value)| run::objects(value));
    // Some tools hand on one call, and name it beside its arguments.
    for inner in std::iter::once(object).chain(inner) {
        let named = |role: &str| {
            inner.iter().find(|(key, _)| REGISTRY.is(entry, role, &names::plain(key))).map(|(_, value)| value)
        };
        let Some(Value::Text(tool)) = named("tool") else { continue };
        let given = match named("nested") {
            Some(Value::Object(inner)) => Given::Object(inner.clone()),
            Some(Value::Text(json)) => value::object(json).map_or(Given::Nothing, Given::Object),
            _ => Given::Nothing,
        };
        // A call within a call holds no further ones.
        let nests = REGISTRY.find(names::unwrapped(tool)).is_some_and(|entry| entry.does == Action::Several);
        any = !nests;
        if nests {
            break;
        }
        call(run, tool, &given);
    }
    // One status for all of them.
    run.untell(before);
    if !any {
        run.opaque(About::Anything, UNJUDGEABLE);
    }
}

/// Whether a name is that of a file rather than of a directory, judged by its extension.
pub(super) fn is_file_name(path: &str) -> bool {
    REGISTRY.is_file_name(path)
}

/// Whether what a call does to the working directory stays for the next call.
pub(super) fn keeps_directory(tool: &str) -> bool {
    let entry = REGISTRY.find(names::unwrapped(tool));
    entry.is_some_and(|entry| matches!(entry.does, Action::Command | Action::PowerShell | Action::Input))
}

/// The tool shows what a command that was started before has printed.
pub(super) fn shows_output(tool: &str) -> bool {
    let entry = REGISTRY.find(names::unwrapped(tool));
    entry.is_some_and(|entry| matches!(entry.does, Action::Output | Action::Input))
}

/// Returns true for a call that only writes files. If it failed, the files may be unchanged.
pub(super) fn only_writes(tool: &str) -> bool {
    let entry = REGISTRY.find(names::unwrapped(tool));
    entry.is_some_and(|entry| matches!(entry.does, Action::Write | Action::Edit | Action::Select))
}

/// Returns true for a tool of an agent that touches nothing outside of it.
pub fn touches_nothing(tool: &str) -> bool {
    REGISTRY.find(names::unwrapped(tool)).is_some_and(|entry| entry.does == Action::Nothing)
}

/// Whether functions and positional parameters of one call may be there in the next one. Claude Code's `Bash` keeps no
/// more than the directory; the `bash` of hosts whose shell stays is one process, and so is one that the call names.
pub(super) fn may_live_on(call: &ToolCall<'_>, shell: Shell) -> bool {
    let tool = names::unwrapped(&call.tool);
    REGISTRY.vocabulary.living_shells.iter().any(|name| name == tool)
        || tool == "bash" && (shell == Shell::Stays || names_shell(&call.arguments))
        || REGISTRY.find(tool).is_some_and(|entry| entry.does == Action::Input)
}

fn names_shell(arguments: &Arguments<'_>) -> bool {
    let given = given(arguments);
    let Some(object) = given.object() else { return false };
    object.iter().any(|(key, value)| names::plain(key) == "sessionid" && matches!(value, Value::Text(_)))
}

fn given(arguments: &Arguments<'_>) -> Given {
    match arguments {
        Arguments::Missing => Given::Nothing,
        Arguments::Text(text) => Given::Text(text.clone().into_owned()),
        Arguments::Json(json) => match value::object(json) {
            Some(object) => Given::Object(object),
            None => match value::parse(json) {
                Some(Value::Text(text)) => Given::Text(text),
                _ => Given::Nothing,
            },
        },
    }
}

const UNJUDGEABLE: Reason = Reason::MalformedArguments;

fn known(run: &mut Run<'_>, tool: &str, entry: &Entry, given: &Given) {
    act(run, tool, entry, given);
    mentions::catch(run, entry, given);
}

fn act(run: &mut Run<'_>, tool: &str, entry: &Entry, given: &Given) {
    match entry.does {
        Action::Nothing | Action::Output => return,
        Action::Tool => {
            return run.emit(Kind::Tool { server: None, tool: tool.to_owned() }, Certainty::Exact);
        }
        Action::WriteFixed => return files::write_fixed(run, entry),
        Action::Spawn => return network::spawn(run, entry, given),
        Action::Skill => return skills::call(run, tool, entry, given),
        Action::SearchWeb => return network::search(run, tool, entry, given),
        Action::Connect => return network::fixed(run, entry),
        Action::Unproven => return unproven(run, tool, entry, given),
        Action::PageScript => return run.opaque(About::Network, Reason::PageScript),
        _ => {}
    }
    run.world.replace_terminal(run.world.terminal_of(tool));
    match given {
        Given::Object(object) => with_object(run, entry, entry.does, object),
        Given::Text(text) => with_text(run, entry, text),
        Given::Nothing if entry.optional => {}
        Given::Nothing => run.opaque(about(entry.does), UNJUDGEABLE),
    }
    run.world.replace_terminal(Terminal::None);
}

/// What the arguments tell, and that the rest is not known.
fn unproven(run: &mut Run<'_>, tool: &str, entry: &Entry, given: &Given) {
    let about = entry.about.into();
    let from = run.effects.len();
    unknown::arguments(run, tool, given);
    let connects = run.effects.iter().skip(from).any(|effect| matches!(effect.kind, Kind::Connect(_)));
    if about != About::Network || !connects {
        run.opaque(about, Reason::UnknownToolTarget);
    }
    // What a text only names settles nothing.
    mentions::of_unknown(run, None, tool, given);
}

fn with_object(run: &mut Run<'_>, entry: &Entry, action: Action, object: &Object) {
    match action {
        Action::Read => files::read(run, entry, object),
        Action::ReadMany => files::read_many(run, entry, object),
        Action::Write => files::write(run, entry, object),
        Action::Edit => files::edit(run, entry, object),
        Action::Delete => files::delete(run, entry, object),
        Action::Move => files::relocate(run, entry, object, files::Source::Removed),
        Action::Copy => files::relocate(run, entry, object, files::Source::Kept),
        Action::Select => files::select(run, entry, object),
        Action::Patch => files::patch(run, entry, object),
        Action::List => search::list(run, entry, object),
        Action::Glob => search::glob(run, entry, object),
        Action::Grep => search::grep(run, entry, object),
        Action::Command | Action::CodeMode => commands::command(run, entry, object, None),
        Action::PowerShell => commands::command(run, entry, object, Some(ShellLanguage::PowerShell)),
        Action::Input => commands::input(run, entry, object),
        Action::Code => commands::code(run, entry, object),
        Action::Fetch => network::fetch(run, entry, object),
        Action::Mcp => unknown::handed_on(run, entry, object),
        Action::Several => several(run, entry, object),
        Action::Program => commands::with_operands(run, entry, object),
        Action::Screenshot => files::save(run, entry, object),
        Action::Unproven
        | Action::PageScript
        | Action::Nothing
        | Action::Output
        | Action::Tool
        | Action::WriteFixed
        | Action::SearchWeb
        | Action::Connect
        | Action::Skill
        | Action::Spawn => {}
    }
}

/// Plain text as the only argument: what it is depends on the tool.
fn with_text(run: &mut Run<'_>, entry: &Entry, text: &str) {
    match entry.does {
        Action::Patch => run.effects.to_mut().extend(patch::run(text, run.world)),
        Action::Command if entry.posix => run.shell(text),
        Action::Command => commands::text(run, text),
        Action::PowerShell => run.powershell(text),
        Action::Input => commands::typed(run, text),
        // What the script called is recorded as calls of their own.
        Action::CodeMode if run.scripts == Scripts::Unfolded && text.contains("tools.") => {}
        Action::CodeMode => run.opaque(About::Anything, Reason::CodeMode),
        Action::Code => commands::program(run, entry, text, None),
        Action::Fetch => run.connect(text),
        other => run.opaque(about(other), UNJUDGEABLE),
    }
}

/// What stays unproven when an action's arguments can't be read.
fn about(action: Action) -> About {
    match action {
        Action::Read | Action::ReadMany | Action::List | Action::Glob | Action::Grep => About::Reads,
        Action::Write | Action::Edit | Action::Delete | Action::Patch => About::Writes,
        Action::Fetch | Action::SearchWeb | Action::Connect => About::Network,
        _ => About::Anything,
    }
}

#[cfg(test)]
mod tests;
